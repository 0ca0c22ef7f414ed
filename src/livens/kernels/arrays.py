"""The three bags every kernel works on. One line per array: meaning, unit, shape.

n bodies with the world as body 0, s springs, k attracting pairs, l loads, c joint coordinates, r rows in b blocks
(a block is the rows of one joint, or one damper, and has one side for each body it touches). Bodies are described
about their centre of mass in principal axes; only the record layer knows the user's body frames. `signals` are the
numbers that come with time: one table row per stage, one column per number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Bodies(NamedTuple):
    """How the bodies resist, and where the user's frames sit in them."""

    mass: Floats  # [kg] (n,), the world 0
    inverse_mass: Floats  # [1/kg] (n,), the world 0
    inertia: Floats  # principal moments [kg m²] (n, 3); 1 about an axis without inertia, where L stays 0
    inverse_inertia: Floats  # [1/(kg m²)] (n, 3); the world 0, and 0 about an axis without inertia
    center: Floats  # centre of mass in the user's body frame [m] (n, 3)
    axes: Floats  # principal axes as columns in the user's body frame (n, 3, 3)


class Springs(NamedTuple):
    """Springs between points."""

    body: Ints  # (s, 2)
    point: Floats  # from the centre of mass, principal axes [m] (s, 2, 3)
    stiffness: Floats  # [N/m] (s,)
    length: Floats  # at rest [m] (s,)


class Pairs(NamedTuple):
    """Pairs of bodies that attract each other."""

    body: Ints  # (k, 2)
    strength: Floats  # G m_i m_j [N m²] (k,)


class Loads(NamedTuple):
    """Forces and torques from outside; their sizes come with time."""

    body: Ints  # (l,)
    point: Floats  # from the centre of mass, principal axes [m] (l, 3)
    axes: Floats  # from the load's axes to principal axes, for loads that follow the body (l, 3, 3)
    follows: Ints  # 1: the load turns with its body; 0: world axes (l,)
    signal: Ints  # first of its six columns (l,)


class Coordinates(NamedTuple):
    """Angles and displacements of joints that something acts on: springs, limits, motors, drives, gears."""

    kind: Ints  # ANGLE or DISPLACEMENT (c,)
    body: Ints  # (c, 2)
    point: Floats  # from the centres of mass, principal axes [m] (c, 2, 3)
    axis: Floats  # fixed to the first body (c, 3)
    dial: Floats  # two directions of the first body across the axis, where the angle is read (c, 2, 3)
    hand: Floats  # the direction of the second body that is read (c, 3)
    stiffness: Floats  # [N m/rad] or [N/m] (c,)
    rest: Floats  # where the spring is at rest [rad] or [m] (c,)
    limit: Floats  # lower and upper stop [rad] or [m] (c, 2)
    stop: Floats  # stiffness of the stops [N m/rad] or [N/m] (c,)
    signal: Ints  # column of a motor's torque [N m] or force [N], or −1 (c,)


class Rows(NamedTuple):
    """Constraints and dampers, block after block in the order of elimination."""

    kind: Ints  # see kernels/rows.py (r,)
    body: Ints  # (r, 2)
    point: Floats  # from the centres of mass, principal axes [m] (r, 2, 3)
    direction: Floats  # fixed to the first and second body (r, 2, 3)
    value: Floats  # what the row keeps, or a length [m]; the longest lever of a TAPE row (r,)
    component: Ints  # world axis of a COINCIDE row (r,)
    coordinate: Ints  # the one or two joint coordinates of a COUPLE row (r, 2)
    ratio: Floats  # their factors; how much a TAPE row changes with a metre (r, 2)
    signal: Ints  # column of the prescribed value, its rate and its acceleration, or −1 (r,)
    rate: Floats  # damping rate [N s/m] or [N m s/rad] of a damper, 0 for a constraint (r,)
    entry: Ints  # where the gradient with respect to each touched body stands; the last entry is the world's bin (r, 4)
    weight: Floats  # one over the defect that counts as round-off [1/m] or [1/rad] (r,)
    unit: Floats  # how much a row changes when something moves by 1 m or 1 rad; 1 but for rows that users write (r,)
    metric: Floats  # what multipliers are measured by where they are not unique [1/kg] or [1/(kg m²)] (r,)


class Blocks(NamedTuple):
    """The sparse matrix S = G M⁻¹ Gᵀ by blocks, and all that its factorisation needs to know beforehand."""

    row: Ints  # first row of each block (b + 1,)
    side: Ints  # first side of each block (b + 1,)
    side_body: Ints  # (sides,)
    side_entry: Ints  # first gradient entry of a side: one per row of its block (sides,)
    soft: Ints  # 1: dampers, which act at velocity level only (b,)
    pair: Ints  # contributions to S: offset, rows, columns, entry, entry, body (pairs, 6)
    diagonal: Ints  # offset of each diagonal block (b,)
    below: Ints  # first of the blocks below each diagonal block (b + 1,)
    below_block: Ints  # which block row (m,)
    below_offset: Ints  # where it stands (m,)
    update: Ints  # targets of the elimination of each block, in the order of the loops (u,)
    update_start: Ints  # first of them (b + 1,)


class Tapes(NamedTuple):
    """What users wrote, as instructions: k rows of constraints. Equal tapes stand here once."""

    code: Ints  # operation, register of the result, registers of the operands (instructions, 4)
    constant: Floats  # the numbers of CONST (instructions,)
    begin: Ints  # where value, slope and bend of each row begin, one after the other, and their end (k, 4)
    row: Ints  # which row (k,)
    body: Ints  # its bodies (k, 4)
    bodies: Ints  # how many they are (k,)
    registers: int  # as many as the longest tape needs
    clock: int  # column of the time among the signals, or −1 if no tape asks for it


class Formulas(NamedTuple):
    """Energies and then forces that users wrote: k shapes with their instances one after the other. Each instance has
    handles, which it looks at, numbers of its own, and acts, where it pushes (kernels/force_tapes.py)."""

    code: Ints  # operation, register of the result, registers of the operands (instructions, 4)
    constant: Floats  # the numbers of CONST (instructions,)
    tape: Ints  # where value and push begin, their constants first: v, v', p, p', end; handles, numbers, acts (k, 8)
    first: Ints  # first instance of each shape, its first handle, number and act; and the ends (k + 1, 4)
    handle: Ints  # POINT, DIRECTION, VELOCITY or SPIN, and the body (handles, 2)
    look: Floats  # the point from the centre of mass, or direction, in principal axes [m] (handles, 3)
    number: Floats  # (numbers,)
    act: Ints  # the same for what an instance exerts: a force at a point, on a direction, or a torque (acts, 2)
    lever: Floats  # (acts, 3)
    energies: int  # how many of the shapes are energies
    pushes: int  # and how many are forces or torques
    registers: int  # as many as the longest tape needs
    clock: int  # column of the time among the signals, or −1 if none asks for it


class System(NamedTuple):
    """Constant while time runs."""

    bodies: Bodies
    gravity: Floats  # acceleration, world axes [m/s²] (3,)
    springs: Springs
    pairs: Pairs
    loads: Loads
    coordinates: Coordinates
    rows: Rows
    blocks: Blocks
    tapes: Tapes
    formulas: Formulas
    shift: float  # regularisation of S, relative to the metric: 0, or some 1e-6 where rows repeat others
    finest: float  # largest weight of a row that has a defect in metres [1/m]
    finest_turn: float  # and of one that has it in radians [1/rad]
    damped: bool  # some rows are dampers
    rolls: bool  # some rows have a rate but no defect


class State(NamedTuple):
    """All that evolves. The last five only make a cut run go on bit for bit and keep the books."""

    a: Floats  # centre of mass, world [m] (n, 3)
    B: Floats  # principal axes as columns, world (n, 3, 3)
    p: Floats  # linear momentum, world [kg m/s] (n, 3)
    L: Floats  # angular momentum about the centre of mass, principal axes [kg m²/s] (n, 3)
    angle: Floats  # joint coordinates, angles unwrapped over many turns [rad] or [m] (c,)
    lam: Floats  # multipliers of the velocity level, and the lead of the position level over them, twice (3, r)
    account: Floats  # work done, energy dissipated since the start [J]; how singular the joints last were (3,)
    effort: Floats  # what controllers hold until they are asked again [N m] or [N] (controllers,)
    memory: Floats = np.zeros(0)  # a scheme carries besides: nothing; forces [N], [N m] (6n,); or remainders (15n,)


class Work(NamedTuple):
    """Scratch: may be thrown away without losing physics."""

    f: Floats  # force on each body, world [N] (n, 3)
    tau: Floats  # torque about the centre of mass, principal axes [N m] (n, 3)
    power: Floats  # at the start of a stage; now of energies that vary with time; of user-written forces [W] (3,)
    held: Floats  # f, τ without user-written forces, p, L before the last kick; f, τ found (6, n or 0, 3)
    a: Floats  # trial configuration (n, 3)
    B: Floats  # (n, 3, 3)
    L: Floats  # (n, 3)
    G: Floats  # gradient entries: force [1] and body torque [m] on each touched body (entries + 1, 6)
    N: Floats  # gradient entries at the trial configuration (entries + 1, 6)
    S: Floats  # factors of S with the dampers (values,)
    H: Floats  # factors of S without them; the same array where there are none (values,)
    U: Floats  # the upper half of the exact Newton matrix (values,)
    pivot: Floats  # pivots of S and of H (2, r)
    diagonal: Floats  # of S (r,)
    g: Floats  # defects (r,)
    x: Floats  # solution (r,)
    y: Floats  # impulses (r,)
    row: Floats  # one row of a block (8,)
    registers: Floats  # of the tapes (registers,)
    partial: Floats  # ∂g/∂t of user-written rows where G was found (r,)
    lam: Floats  # multipliers of the position level (r,)
    trial: Floats  # forces, moves, momenta, slopes that schemes iterate on: as many as they ask for (trials, n, 3)
    tally: Ints  # position iterations, steps that needed the exact Newton matrix (2,)
    fault: Ints  # which body or row a status speaks of (1,)
