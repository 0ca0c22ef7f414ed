"""The arrays of the step that conserves energy. One line per array: meaning, unit, shape.

n bodies with the world as body 0, r rows, m measures. A measure is a number between two bodies, such as a distance or
an angle (measures.py). Constraint equations are equations of measures; springs, stops, motors and dampers are forces
along them. The unknowns of a step are (δa, δφ) of each body and λ of each row, in the order of elimination: a block of
unknowns is the δa or δφ of a body or a block of rows, and the rows of a joint come after its bodies.

The place of a block of the matrix is where it begins in `lower`; −1 minus that where it is an upper block, which is
stored transposed in `upper`. Two bodies have four blocks of 3 × 3: forces and moments by δa and δφ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Blocks, Formulas, Work

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# kinds of measures: equations in measures.py
ALONG_AXIS = 0
PRODUCT = 1
PROJECTION = 2
SQUARE = 3
LENGTH = 4
HINGE_ANGLE = 5
ROTATION_ANGLE = 6
STEP_TURN = 7

NOWHERE = -(1 << 60)  # the place of a block that is zero
DISPLACEMENT_PART, ROTATION_PART = 0, 1

# laws: forces along measures
NO_LAW = 0
SPRING_LAW = 1
ATTRACTION_LAW = 2
COORDINATE_LAW = 3


# forms of user-written energies
IN_SPACE = 0
RELATIVE = 1  # it depends on relative positions only
QUADRATIC = 2  # it is a polynomial of second degree of its handles


class Measures(NamedTuple):
    """Numbers between two bodies."""

    kind: Ints  # (m,)
    body: Ints  # (m, 2)
    point: Floats  # from the centres of mass, principal axes [m] (m, 2, 3)
    direction: Floats  # U, W; of a HINGE_ANGLE two dials of the first and a hand of the second body; W_k of a
    #                    ROTATION_ANGLE; U of a STEP_TURN (m, 3, 3)
    axis: Ints  # world axis of ALONG_AXIS (m,)
    length: Floats  # of a SQUARE [m] (m,)
    points: Ints  # 1: this and the next two measures are ALONG_AXIS x, y and z of the same points (m,)
    law: Ints  # the law of the force along it, and the number of the spring, pair or coordinate (m, 2)
    pair: Ints  # places of the blocks first-second and second-first of its bodies; NOWHERE for none (m, 2, 2, 2)


class Pattern(NamedTuple):
    """Newton's matrix: which numbers are not zero, and where they are."""

    blocks: Blocks  # of the unknowns, with the symbolic factorisation
    body: Ints  # first unknown of each body: δa, then δφ (n,)
    block: Ints  # places of the blocks of a body with itself (n, 2, 2)
    row: Ints  # unknown of each row (r,)
    row_diagonal: Ints  # place of its diagonal entry (r,)
    row_measure: Ints  # the one or two measures of a row; −1 for none (r, 2)
    ratio: Floats  # their factors (r, 2)
    line: Ints  # place of the numbers of a row, for δa and δφ of the bodies of its measures; −1: none (r, 2, 2, 2)


class Trial(NamedTuple):
    """Scratch of a step."""

    s0: Floats  # measures at its start (m,)
    s1: Floats  # and at its end (m,)
    F: Floats  # forces along them [N] or [N m] (m,)
    slope: Floats  # ∂F/∂s₁ (m,)
    D: Floats  # force and moment of a unit force along them, with the discrete gradient: world axes (m, 2, 6)
    N: Floats  # gradient at the end of the step (m, 2, 6)
    K: Floats  # blocks of a pair of bodies: first, first-second, second-first, second (4, 6, 6)
    lower: Floats  # Newton's matrix: diagonal and lower blocks (values,)
    upper: Floats  # upper blocks, transposed (values,)
    x: Floats  # residuals, then corrections (unknowns,)
    y: Floats  # (unknowns,)
    scratch: Floats  # two blocks of the largest size (2 n²,)
    mu: Floats  # impulses of the velocity level (r,)
    change: Floats  # of cμ in an iteration (r,)
    tilt: Floats  # c of their equation, and its last change (2,)
    below: Floats  # matrix of their equation: diagonal and lower blocks, in the pattern of S (values,)
    above: Floats  # upper blocks, transposed (values,)
    both: Floats  # Jacobian entries at both ends, joined (entries, 6)
    partial: Floats  # ∂g/∂t of user-written rows at the end of the step (r,)
    registers: Floats  # of the tapes of formulas (registers,)


class Energies(NamedTuple):
    """User-written energies, or equations as energies −g, i instances with h handles in all (energies.py)."""

    row: Ints  # the row of each instance; −1 of energies (i,)
    factor: Floats  # of its forces: the multiplier of the row; 1 of energies (i,)
    line: Ints  # place of the numbers of the row, for δa and δφ of its bodies; −1: none (i, most bodies, 2)
    bodies: Ints  # bodies of each instance (i,)
    slot: Ints  # which of them carries a handle (h,)
    pair_first: Ints  # first of the places of an instance in `pair` (i,)
    pair: Ints  # places of the blocks of its bodies, row by row (pairs, 2, 2)
    weight: Floats  # of directions [m²] (i,)
    form: Ints  # RELATIVE, QUADRATIC or IN_SPACE (i,)
    V0: Floats  # at the start of the step [J] (i,)
    F0: Floats  # forces on the handles there (h, 3)
    V1: Floats  # and at its end (i,)
    F1: Floats  # (h, 3)
    y: Floats  # handles at start, end and middle, forces, n and Δy of one instance (6, numbers)
    q: Floats  # (3, numbers)
    wrench: Floats  # of its bodies (most bodies, 6)
    covector: Floats  # (most bodies, 6)
    lever: Floats  # mean vectors from the centres to the handles of one instance (most handles, 3)
    end: Floats  # and at the end of the step (most handles, 3)
    frame: Floats  # centre, number of points and inverse inertia of the handles of one instance (10,)
    column: Floats  # forces and moments on its bodies (6 most bodies,)
    K: Floats  # derivative of the forces of one instance, transposed (6 most bodies, 6 most bodies)
    d: Floats  # derivatives of the registers with respect to the numbers (registers, numbers)


class Pushes(NamedTuple):
    """User-written forces and torques, or unit forces of rows without slip, i instances with h handles and t targets in
    all (pushes.py)."""

    row: Ints  # the row of each instance; −1 of forces (i,)
    factor: Floats  # of its forces: the multiplier of the row; 1 of forces (i,)
    power: Floats  # of the unit force [W] (i,)
    line: Ints  # place of the numbers of the row, for δa and δφ of its bodies; −1: none (i, most bodies, 2)
    bodies: Ints  # bodies of each instance (i,)
    slot: Ints  # which of them carries a handle (h,)
    target: Ints  # which of them carries a target (t,)
    pair_first: Ints  # first of the places of an instance in `pair` (i,)
    pair: Ints  # places of the blocks of its bodies, row by row (pairs, 2, 2)
    push: Floats  # forces on the targets of one instance, and their change (2, numbers)
    wrench: Floats  # of its bodies (most bodies, 6)
    covector: Floats  # (most bodies, 6)
    d: Floats  # derivatives of the registers (registers,)


class ConservingWork(NamedTuple):
    """All scratch of the rollout."""

    work: Work
    measures: Measures
    pattern: Pattern
    trial: Trial
    energies: Energies
    pushes: Pushes
    formulas: Formulas  # of user-written rows and rolling discs
    rows: Energies
    rolling: Formulas  # of rows without slip
    rolls: Pushes
