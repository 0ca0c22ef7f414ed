"""The arrays that kernels work on: System, State and Work. One line per array: meaning, unit, shape.

n bodies with the world as body 0, s springs, k attracting pairs, l loads, c joint coordinates, d other angles, r rows
(constraint equations and dampers) in b blocks. A block holds the rows of one joint, or one damper, and has one side for
each body that it touches. Bodies are described about their centre of mass in principal axes; users' body frames occur
in `record` only. `signals` are the numbers that depend on time: one table row per stage, one column per number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .contact.arrays import Contacts, Touch

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Slots of arrays that hold several quantities. Files of saved motions store `lam` and `account` in this order.
MU, LEAD, LAST_LEAD, OLD_LEAD = 0, 1, 2, 3  # State.lam
MULTIPLIERS_KEPT = 4  # vectors in State.lam
WORK, DISSIPATED, CONDITION = 0, 1, 2  # State.account
POWER_BEFORE, POWER_OF_ENERGIES, POWER_OF_FORCES = 0, 1, 2  # Work.power
FREE_FORCE, FREE_TORQUE, OLD_P, OLD_L, FORCE, TORQUE = 0, 1, 2, 3, 4, 5  # Work.held
S_PIVOTS, H_PIVOTS = 0, 1  # Work.pivot
ITERATIONS, EXACT_MATRICES = 0, 1  # Work.tally
RATE, ACCELERATION = 1, 2  # columns of a prescribed motion in `signals`, counted from the column of its value


class Bodies(NamedTuple):
    """Inertia of the bodies, and the user's body frames."""

    mass: Floats  # [kg] (n,), the world 0
    inverse_mass: Floats  # [1/kg] (n,), the world 0
    inertia: Floats  # principal moments [kg m²] (n, 3); zeros are replaced by the body's largest (1 if all are zero)
    inverse_inertia: Floats  # [1/(kg m²)] (n, 3); the world 0, and 0 about an axis without inertia
    center: Floats  # centre of mass in the user's body frame [m] (n, 3)
    axes: Floats  # principal axes as columns in the user's body frame (n, 3, 3)


class Springs(NamedTuple):
    """Springs between points."""

    body: Ints  # (s, 2)
    point: Floats  # from the centre of mass, principal axes [m] (s, 2, 3)
    stiffness: Floats  # [N/m] (s,)
    length: Floats  # free length [m] (s,)


class Pairs(NamedTuple):
    """Pairs of bodies that attract each other."""

    body: Ints  # (k, 2)
    strength: Floats  # G m_i m_j [N m²] (k,)


class Loads(NamedTuple):
    """External forces and torques; their values are in `signals`."""

    body: Ints  # (l,)
    point: Floats  # from the centre of mass, principal axes [m] (l, 3)
    axes: Floats  # from the load's axes to principal axes, for loads that follow the body (l, 3, 3)
    follows: Ints  # 1: the load turns with its body; 0: world axes (l,)
    signal: Ints  # first of its six columns (l,)


class Coordinates(NamedTuple):
    """Angles and displacements of joints with springs, limits, motors, prescribed motions or gears."""

    kind: Ints  # ANGLE, DISPLACEMENT or ROTATION (c,)
    body: Ints  # (c, 2)
    point: Floats  # from the centres of mass, principal axes [m] (c, 2, 3)
    axis: Floats  # fixed to the first body (c, 3)
    dial: Floats  # two directions of the first body, perpendicular to the axis, from which the angle counts (c, 2, 3)
    hand: Floats  # the direction of the second body whose angle is measured; zero of a component of a rotation (c, 3)
    reference: Floats  # of a ROTATION: axes of the second body in those of the first where its angle is zero (c, 3, 3)
    stiffness: Floats  # [N m/rad] or [N/m] (c,)
    rest: Floats  # coordinate at which the spring is free [rad] or [m] (c,)
    limit: Floats  # lower and upper stop [rad] or [m] (c, 2)
    stop: Floats  # stiffness of the stops [N m/rad] or [N/m] (c,)
    signal: Ints  # column of a motor's torque [N m] or force [N], or −1 (c,)


class Dials(NamedTuple):
    """Angles of joints on which nothing acts: the steps count their half turns (kernels/turns.py)."""

    body: Ints  # (d, 2)
    axis: Floats  # fixed to the first and the second body, times M⁻¹: q̇ is their product with L [1/(kg m²)] (d, 2, 3)
    dial: Floats  # two directions of the first body, perpendicular to the axis, from which the angle counts (d, 2, 3)
    hand: Floats  # the direction of the second body whose angle is measured (d, 3)


class Rows(NamedTuple):
    """Constraint equations and dampers, block after block in the order of elimination."""

    kind: Ints  # see kernels/row_kinds (r,)
    body: Ints  # (r, 2)
    point: Floats  # from the centres of mass, principal axes [m] (r, 2, 3)
    direction: Floats  # fixed to the first and second body (r, 2, 3)
    value: Floats  # the constant of the equation, or a length [m]; the longest lever arm of a TAPE row [m] (r,)
    component: Ints  # world axis of a COINCIDE row (r,)
    coordinate: Ints  # the one or two joint coordinates of a COUPLE row (r, 2)
    ratio: Floats  # their factors; of a TAPE row, its derivative with respect to a displacement (r, 2)
    signal: Ints  # column of the prescribed value, its rate and its acceleration, or −1 (r,)
    rate: Floats  # damping coefficient [N s/m] or [N m s/rad] of a damper, 0 for a constraint (r,)
    entry: Ints  # index of the Jacobian entry of each touched body; the world's is the last one, never read (r, 4)
    weight: Floats  # 1 / tolerance of the violation [1/m] or [1/rad] (r,)
    unit: Floats  # change of the row for a displacement of 1 m or 1 rad; 1 except for user-written rows (r,)
    metric: Floats  # diagonal metric that selects the multipliers of redundant rows [1/kg] or [1/(kg m²)] (r,)


class Blocks(NamedTuple):
    """The pattern of the sparse matrix S = G M⁻¹ Gᵀ by blocks, and the symbolic factorisation (compile/ordering.py)."""

    row: Ints  # first row of each block (b + 1,)
    side: Ints  # first side of each block (b + 1,)
    side_body: Ints  # (sides,)
    side_entry: Ints  # first Jacobian entry of a side: one per row of its block (sides,)
    soft: Ints  # 1: dampers, which are part of S at velocity level only (b,)
    pair: Ints  # contributions to S: offset, rows, columns, entry, entry, body, length of a row (pairs, 7)
    node: Ints  # first row of each node: consecutive blocks that are eliminated together (n + 1,)
    node_soft: Ints  # 1: dampers (n,)
    diagonal: Ints  # offset of each node's diagonal block (n,)
    below: Ints  # first of the blocks below each diagonal block (n + 1,)
    below_block: Ints  # which node's rows (m,)
    below_offset: Ints  # its offset (m,)
    update: Ints  # targets of the elimination of each node, in the order of the loops (u,)
    update_start: Ints  # first of them (n + 1,)


class Tapes(NamedTuple):
    """User-written constraints as instructions: k rows. Equal tapes are stored once."""

    code: Ints  # operation, register of the result, registers of the operands (instructions, 4)
    constant: Floats  # the numbers of CONST (instructions,)
    begin: Ints  # first instruction of value, derivatives and bias term of each row, and the end (k, 4)
    row: Ints  # which row (k,)
    body: Ints  # its bodies (k, 4)
    bodies: Ints  # how many they are (k,)
    registers: int  # as many as the longest tape needs
    clock: int  # column of the time among the signals, or −1 if no tape depends on time


class Formulas(NamedTuple):
    """User-written energies, then forces: k formulas with their instances one after the other. An instance has handles
    (points and directions that it depends on), parameters, and targets (what it acts on) (kernels/force_tapes.py)."""

    code: Ints  # operation, register of the result, registers of the operands (instructions, 4)
    constant: Floats  # the numbers of CONST (instructions,)
    tape: Ints  # value: constants, rest; force: constants, rest; end; how many handles, numbers, targets (k, 8)
    first: Ints  # first instance of each formula, its first handle, number and target; and the ends (k + 1, 4)
    handle: Ints  # POINT, DIRECTION, POINT_VELOCITY or ANGULAR_VELOCITY, and the body (handles, 2)
    handle_point: Floats  # the point from the centre of mass, or direction, in principal axes [m] (handles, 3)
    number: Floats  # (numbers,)
    target: Ints  # where its forces act: at a POINT, on a DIRECTION, or as a torque; and the body (targets, 2)
    target_point: Floats  # as handle_point (targets, 3)
    energies: int  # number of formulas that are energies
    forces: int  # number of formulas that are forces or torques
    registers: int  # as many as the longest tape needs
    clock: int  # column of the time among the signals, or −1 if none depends on time


class System(NamedTuple):
    """Constant while time runs."""

    bodies: Bodies
    gravity: Floats  # acceleration, world axes [m/s²] (3,)
    springs: Springs
    pairs: Pairs
    loads: Loads
    coordinates: Coordinates
    dials: Dials
    rows: Rows
    blocks: Blocks
    tapes: Tapes
    formulas: Formulas
    contacts: Contacts
    shift: float  # regularisation of S, relative to the metric: 0, or about 1e-6 if rows are redundant
    finest: float  # largest weight of a row with a violation in metres [1/m]
    finest_turn: float  # largest weight of a row with a violation in radians [1/rad]
    damped: bool  # some rows are dampers
    rolls: bool  # some rows are nonholonomic: they constrain velocities only


class State(NamedTuple):
    """All that evolves, for n bodies with the world as number 0, c joint coordinates on which something acts, d other
    angles and r constraint equations. `angle` and the fields after it are needed to resume exactly, and for the energy
    balance.

    `motion.state` is the last state of a motion. `lv.simulate(model, start=state)` starts from a state,
    `lv.dynamics(model, state)` gives positions, velocities and forces in it by name, and `lv.transfer` carries it to
    another model.

    a: centres of mass, world axes [m] (n, 3); B: principal axes as columns, world axes (n, 3, 3); p: linear momentum,
    world axes [kg m/s] (n, 3); L: angular momentum about the centre of mass, principal axes [kg m²/s] (n, 3);
    angle [rad] or [m] (c,); lam: multipliers of the joints (4, r); account: work and dissipated energy since the start
    [J], condition of the joints (3,); effort of controllers [N m] or [N]; half_turns (d,); memory: of the scheme.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> stone = m.add(lv.Body(lv.Ball(0.1, mass=2.0), velocity=(1, 0, 0), name="stone"))
    >>> state = lv.simulate(m, h=1e-2, until=1.0).state
    >>> state.p[1].round(6).tolist(), lv.dynamics(m, state).position("stone")[0].round(6).tolist()
    ([2.0, 0.0, -19.62], [1.0, 0.0, -4.905])
    """

    a: Floats  # centre of mass, world [m] (n, 3)
    B: Floats  # principal axes as columns, world (n, 3, 3)
    p: Floats  # linear momentum, world [kg m/s] (n, 3)
    L: Floats  # angular momentum about the centre of mass, principal axes [kg m²/s] (n, 3)
    angle: Floats  # joint coordinates, angles unwrapped over many turns [rad] or [m] (c,)
    lam: Floats  # MU: multipliers of the velocity level; LEAD: (λ − μ) over the step; LAST_LEAD, OLD_LEAD before (4, r)
    account: Floats  # WORK done and energy DISSIPATED since the start [J]; CONDITION of S, by `factor` (3,)
    effort: Floats  # output of controllers, constant between two calls [N m] or [N] (controllers,)
    half_turns: Floats  # of the angles on which nothing acts; NaN if not counted (d,)
    memory: Floats = np.zeros(0)  # carried by a scheme: nothing; forces, multipliers (6n + r,); or remainders (15n,)


class Work(NamedTuple):
    """Scratch: `prepare` of a scheme computes from the state all that a rollout needs in it."""

    f: Floats  # force on each body, world [N] (n, 3)
    tau: Floats  # torque about the centre of mass, principal axes [N m] (n, 3)
    power: Floats  # at the start of a stage; of energies that vary with time; of user-written forces [W] (3,)
    held: Floats  # f, τ without velocity-dependent forces; p, L before the last kick; f, τ in all (6, n or 0, 3)
    a: Floats  # trial configuration (n, 3)
    B: Floats  # (n, 3, 3)
    L: Floats  # (n, 3)
    G: Floats  # Jacobian entries: force [1] and body torque [m] on each touched body (entries + 1, 6)
    N: Floats  # Jacobian entries at the trial configuration (entries + 1, 6)
    S: Floats  # factors of S with the dampers (values,)
    H: Floats  # factors of S without the dampers; the same array as S if there are none (values,)
    U: Floats  # upper half of the exact Newton matrix (values,)
    pivot: Floats  # reciprocal pivots S_PIVOTS, and H_PIVOTS if there are dampers (2, r)
    diagonal: Floats  # of S (r,)
    g: Floats  # violations (r,)
    x: Floats  # solution (r,)
    y: Floats  # impulses (r,)
    row: Floats  # two blocks of the largest size (2 n²,)
    registers: Floats  # of the tapes (registers,)
    partial: Floats  # ∂g/∂t of user-written rows where G was found (r,)
    rates: Floats  # of the rows before an impulse acts on them (r,)
    lam: Floats  # multipliers of the position level, or impulses (r,)
    cayley: Floats  # Cayley vector of the step's rotation, (1) of spin.py (n, 3)
    trial: Floats  # vectors of a scheme: each module in step/ names its slots (scratch of the scheme, n, 3)
    facing: Floats  # cosine, sine and rate of the angles on which nothing acts, after the last step (d, 3)
    tally: Ints  # ITERATIONS of the position level, steps with EXACT_MATRICES (2,)
    fault: Ints  # the body or row that a status names (1,)


class ContactWork(NamedTuple):
    """Scratch of a system with contacts. Work stays small: a tuple of many arrays is slow to compile wherever it is
    passed."""

    work: Work
    touch: Touch
