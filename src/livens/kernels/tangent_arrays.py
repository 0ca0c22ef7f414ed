"""The arrays of tangents: small changes of the states of a run, m at a time, and what a step needs to carry them.

A change of the state is given in world axes, for every body

    δa [m],    δφ [rad],    δp [kg m/s],    δl [kg m²/s]      with  δB = δφ × B,   δl = B δL,   L in body axes,     (1)

so that δφ and δl are B δθ and B δL of the body-fixed changes. A panel holds m changes side by side. A link is a pair of
bodies (b, c) with a 6 × 6 block: the change of the force and torque on b, in the frames of (1), per change of the pose
of c. Links of the world are never read and share the last block. `flat_K` and the like are the same numbers in one row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


FLAT_G0, FLAT_G1, FLAT_V0, FLAT_V1, FLAT_R0, FLAT_R1, FLAT_R, FLAT_P = range(8)  # TangentWork.flat_entries


class Links(NamedTuple):
    """Which bodies act on each other. Numbers of links, k in all, by what makes them."""

    body: Ints  # the body acted on and the body that moves (k, 2)
    row: Ints  # of the bodies of each row, in the order of its entries (r, 4, 4)
    slot: Ints  # the bodies of each row in that order; 0 where there are fewer (r, 4)
    local: Ints  # the numbers 0 to 15: the links of one row by itself (4, 4)
    tape: Ints  # the tape of each row, or −1 (r,)
    spring: Ints  # (s, 2, 2)
    pair: Ints  # (k, 2, 2)
    coordinate: Ints  # (c, 2, 2)
    body_itself: Ints  # (n,)
    formula: Ints  # from each target to each handle of its instance (targets, most handles)


class Start(NamedTuple):
    """The start of a stage, which the stage overwrites, and the drift of its bodies."""

    a: Floats  # (n, 3)
    B: Floats  # (n, 3, 3)
    p: Floats  # (n, 3); with the impulses of the first half of the stage after `drift_derivative`
    L: Floats  # (n, 3); the same
    f: Floats  # (n, 3)
    tau: Floats  # (n, 3)
    angle: Floats  # (c,)
    node_angle: Floats  # scratch (c,)
    E: Floats  # δφ₁ − δφ₀ per change of the angular momentum, world axes (n, 3, 3)
    spin: Floats  # angular momentum during the drift, world axes (n, 3)
    lever: Floats  # points and directions of a row, scratch (8, 3)
    v: Floats  # velocities and angular velocities, world axes (n, 6)


class Sources(NamedTuple):
    """Changes of a stage that k parameters cause at fixed states: they belong to the last k columns of the panels."""

    x: Floats  # impulses of the first half of the stage, and of its multipliers (6n, k)
    q: Floats  # the end of the drift: poses (6n, k)
    p: Floats  # and momenta (6n, k)
    u: Floats  # the position level (r, k)
    f: Floats  # impulses of the second half of the stage (6n, k)
    w: Floats  # the velocity level (r, k)


class TangentWork(NamedTuple):
    """The m changes and the scratch of their stages."""

    links: Links
    start: Start
    sources: Sources
    dq: Floats  # δa, δφ (6n, m)
    dp: Floats  # δp, δl (6n, m)
    x: Floats  # impulses, scratch (6n, m)
    kept: Floats  # δp, δl before velocity-dependent forces of the user (6n or 0, m)
    u: Floats  # residuals and multipliers of the rows (r, m)
    y: Floats  # scratch (r, m)
    base: Floats  # rates of nonholonomic rows at the start of the drift (r, m)
    mu: Floats  # change of the multipliers of dampers (r, m)
    K: Floats  # change of forces per change of poses (links + 1, 6, 6)
    C: Floats  # change of user-written forces per change of momenta (links + 1, 6, 6)
    flat_K: Floats  # K in one row
    flat_C: Floats  # C in one row
    one: Floats  # the links of one row (17, 6, 6)
    G0: Floats  # Jacobian entries in world axes at the start of the stage (entries + 1, 6)
    G1: Floats  # at its end
    V0: Floats  # Jacobian entries times M⁻¹ at the start
    V1: Floats  # at the end
    R0: Floats  # change of the rates of rows per change of poses, at constant velocities: start of the drift
    R1: Floats  # end of the drift
    R: Floats  # end of the stage
    P: Floats  # change of the position level per impulse
    flat_entries: Floats  # G0, G1, V0, V1, R0, R1, R and P, each in one row (8, 6·(entries + 1))
    A: Floats  # lower half of P G₀ᵀ, its factors (values,)
    U: Floats  # upper half, transposed
    row: Floats  # two blocks of the largest size (2 n²,)
    d: Floats  # derivatives of the registers of tapes (registers,)
    lost: Ints  # stages that ended where rows were lost to a singular position (1,)


class StageWork(NamedTuple):
    """The changes within a step of Runge–Kutta (step/tangent_explicit.py)."""

    q0: Floats  # δa, δφ at the start of the step (6n, m)
    p0: Floats  # δp, δℓ (6n, m)
    roll0: Floats  # of the angular momentum along the axis of slender bodies (n, m)
    q: Floats  # slopes of δa and δΘ (stages, 6n, m)
    p: Floats  # of δp and δℓ (stages, 6n, m)
    roll: Floats  # (stages, n, m)
    roll1: Floats  # at the present stage (n, m)
    turn: Floats  # δΘ at the present stage (6n, m)
    last: Floats  # δa, δφ at the last stage (6n, m)
    a: Floats  # places at the last stage (n, 3)
    B: Floats  # rotations (n, 3, 3)
    lam: Floats  # multipliers of the present stage, or of a pass of the projection (r,)
    source: Floats  # what parameters add to `roll` (n, k)
    spin: Floats  # what they add to the angular velocities (3n, k)
