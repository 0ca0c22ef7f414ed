"""Compile a Model into arrays: a System, which is constant, and a State, which evolves.

Bodies get numbers in the order they were added, the world is 0. Every body is moved to its centre of mass and
principal axes Q: with c the centre in the body frame,

    a_kernel = a + B c,    B_kernel = B Q,    p = m (v + B (ω × c)),    L = Qᵀ J ω.            (1)

A body without inertia about an axis (thin rod, point mass) has L = 0 there; a thing that could exert a torque about
that axis is refused by name. Joints become rows in compile/rows.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import Array, accepts
from ..describe.model import Model
from ..describe.row import Coordinate
from ..describe.term import PairAttraction, PointSpring
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels.arrays import MULTIPLIERS_KEPT, Bodies, Loads, Pairs, Springs, State, System, Tapes, Work
from ..kernels.kinds import TAPE, VELOCITY_ONLY
from .bodies import Frames, identities, stack
from .constraint_tapes import compile_tapes
from .contacts import compile_contacts
from .contents import check_contents, naming_wrong_attributes
from .force_tapes import NO_FORMULAS, compile_formulas
from .rows import Group, compile_coordinates, compile_rows, groups, without
from .signals import Signals

REAL = (int, float, np.integer, np.floating)
NO_TAPES = Tapes(
    code=np.zeros((0, 4), dtype=np.int64),
    constant=np.zeros(0),
    begin=np.zeros((0, 4), dtype=np.int64),
    row=np.zeros(0, dtype=np.int64),
    body=np.zeros((0, 4), dtype=np.int64),
    bodies=np.zeros(0, dtype=np.int64),
    registers=1,
    clock=-1,
)


class Tables(NamedTuple):
    """The arrays of a model, its state as described, and the objects behind rows and coordinates."""

    system: System
    state: State
    groups: list[Group]  # blocks of rows in the order of elimination, with their owners
    coordinates: list[Coordinate]  # of the joints, as in system.coordinates
    dials: list[Coordinate]  # angles of the joints on which nothing acts, as in system.dials
    signals: Signals | None  # loads, motors and prescribed motions
    angular: NDArray[np.bool_]  # rows in radians


def compile_model(model: Model, skip: frozenset[int] = frozenset(), read_only: bool = False) -> Tables:
    """The arrays of `model`, about centres of mass and in principal axes; the redundant rows `skip` are left out.
    read_only: as for `Frames`."""
    if not isinstance(model, Model):
        raise ModelError(f"a model is needed, such as lv.Model(), not {model!r}.")
    check_contents(model)
    with naming_wrong_attributes(model):
        tables = _tables(model, skip, read_only)
        if not _possible(tables):
            raise ValueError("a number is negative, infinite or NaN")
    return tables


def _possible(tables: Tables) -> bool:
    """True if all numbers of a system and its state are finite, and none is negative that must not be."""
    system, state = tables.system, tables.state
    coordinates = system.coordinates
    finite = (
        system.gravity, *system.springs, *system.pairs, *coordinates._replace(limit=system.gravity), *system.rows,
        *system.dials, system.loads.point, state.a, state.p, state.L,
    )  # fmt: skip
    signals = tables.signals
    motors = [] if signals is None else [one.term for one in signals.controlled]
    loads = [] if signals is None else [load.term.axes for load in signals.loads]
    return (
        all(bool(np.isfinite(x).all()) for x in finite)
        and not np.isnan(coordinates.limit).any()
        and not any(bool((x < 0.0).any()) for x in (system.rows.rate, system.springs.stiffness, coordinates.stop))
        and all(isinstance(m.rate, REAL) and 0.0 < m.rate < np.inf and accepts(m.effort, 2) for m in motors)
        and all(isinstance(axes, str) and axes in ("world", "body") for axes in loads)
    )


def _tables(model: Model, skip: frozenset[int], read_only: bool) -> Tables:
    frames = Frames(model, read_only)
    signals = Signals(model)
    springs = signals.terms.of(PointSpring)
    _refuse_flat_springs(springs)
    for owner, load, _ in signals.loads:
        if load.has_torque:
            frames.refuse_torque(load.point, owner, "leave its torque out")
    state = frames.state(model)
    blocks_of = groups(model)
    coordinates, acting, dials, others = compile_coordinates(model, frames, signals, blocks_of)
    blocks_of = without(blocks_of, skip, frames.number)
    rows, blocks, angular = compile_rows(blocks_of, frames, signals, acting, state)
    hard = rows.rate == 0.0
    closes = hard & (rows.kind < VELOCITY_ONLY)
    system = System(
        bodies=Bodies(
            mass=frames.mass,
            inverse_mass=_inverse(frames.mass),
            inertia=_filled(frames.moments),
            inverse_inertia=_inverse(frames.moments),
            center=frames.center,
            axes=frames.axes,
        ),
        gravity=model.gravity.copy(),
        springs=Springs(
            body=frames.numbers([(s.a.body, s.b.body) for _, s in springs], 2),
            point=stack([(frames.local(s.a, owner), frames.local(s.b, owner)) for owner, s in springs], (2, 3)),
            stiffness=stack([s.stiffness for _, s in springs], ()),
            length=stack([s.length for _, s in springs], ()),
        ),
        pairs=_attraction(model, signals),
        loads=_loads(frames, signals),
        coordinates=coordinates,
        dials=dials,
        rows=rows,
        blocks=blocks,
        tapes=compile_tapes(blocks_of, frames, signals.clock) if (rows.kind == TAPE).any() else NO_TAPES,
        formulas=compile_formulas(frames, signals) if signals.written else NO_FORMULAS,
        contacts=compile_contacts(model, frames, acting, bool(len(rows.kind))),
        shift=0.0,
        finest=float((rows.weight * rows.unit)[closes & ~angular].max(initial=0.0)),
        finest_turn=float(rows.weight[closes & angular].max(initial=0.0)),
        damped=bool((~hard).any()),
        rolls=bool((rows.kind[hard] >= VELOCITY_ONLY).any()),
    )
    start = np.array([q.start for q in acting], dtype=np.float64)
    state = state._replace(
        angle=start,
        lam=np.zeros((MULTIPLIERS_KEPT, len(rows.kind))),
        effort=np.zeros(len(signals.controlled)),
        half_turns=np.array([np.floor(q.start / np.pi) for q in others], dtype=np.float64),
    )
    return Tables(system, state, blocks_of, acting, others, signals, angular)


def scratch(system: System, vectors: int = 0) -> Work:
    """New scratch for `system`, with `vectors` per body for a scheme."""
    n, r = len(system.bodies.mass), len(system.rows.kind)
    entries = int(system.rows.entry.max(initial=-1)) + 1  # the last entry is that of the world
    node, diagonal = system.blocks.node, system.blocks.diagonal
    values = int(diagonal[-1] + (node[-1] - node[-2]) ** 2) if r else 0  # the last node has nothing below it
    S = np.zeros(values)
    return Work(
        f=np.zeros((n, 3)),
        tau=np.zeros((n, 3)),
        power=np.zeros(3),
        held=np.zeros((6, n if system.formulas.forces else 0, 3)),
        a=np.zeros((n, 3)),
        B=identities(n),
        L=np.zeros((n, 3)),
        G=np.zeros((entries, 6)),
        N=np.zeros((entries, 6)),
        S=S,
        H=np.zeros(values) if system.damped else S,
        U=np.zeros(values),
        pivot=np.zeros((2, r)),
        diagonal=np.zeros(r),
        g=np.zeros(r),
        x=np.zeros(r),
        y=np.zeros(r),
        row=np.zeros(2 * int(np.diff(system.blocks.node).max(initial=0)) ** 2),
        registers=registers(system),
        partial=np.zeros(r),
        rates=np.zeros(r),
        lam=np.zeros(r),
        cayley=np.zeros((n, 3)),
        trial=np.zeros((vectors, n, 3)),
        facing=np.zeros((len(system.dials.body), 3)),
        tally=np.zeros(2, dtype=np.int64),
        fault=np.zeros(1, dtype=np.int64),
    )


def registers(system: System) -> Array:
    """New registers for user-written formulas."""
    return np.zeros(max(system.tapes.registers, 4 * system.formulas.registers))


def same(one: Any, other: Any) -> bool:
    """True if two tuples of arrays are equal bit for bit."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return bool(np.array_equal(one, other))


def _refuse_flat_springs(springs: list[tuple[Thing, PointSpring]]) -> None:
    """A spring with a rest length whose ends coincide would push in a direction that round-off chooses."""
    for owner, spring in springs:
        apart = float(np.linalg.norm(spring.b.start - spring.a.start))
        if spring.stiffness > 0.0 and spring.length > 0.0 and apart <= 1e-12 * spring.length:
            raise ModelError(
                f"the ends of spring {owner.name!r} coincide at the start, where it would push but has no direction: "
                "move one of them, or give it length=0."
            )


def _loads(frames: Frames, signals: Signals) -> Loads:
    loads = [load for _, load, _ in signals.loads]
    return Loads(
        body=frames.numbers([(load.point.body,) for load in loads], 1)[:, 0],
        point=stack([frames.local(load.point, owner) for owner, load, _ in signals.loads], (3,)),
        axes=stack([frames.axes[frames.number[load.point.body]].T for load in loads], (3, 3)),
        follows=np.array([load.axes == "body" for load in loads], dtype=np.int64),
        signal=np.array([first for _, _, first in signals.loads], dtype=np.int64),
    )


def _attraction(model: Model, signals: Signals) -> Pairs:
    pairs: list[tuple[int, int]] = []
    strength: list[float] = []
    for _, term in signals.terms.of(PairAttraction):
        members = [k for k, b in enumerate(model.bodies) if k > 0 and (term.bodies is None or b in term.bodies)]
        for i, ki in enumerate(members):
            for kj in members[i + 1 :]:
                bi, bj = model.bodies[ki], model.bodies[kj]
                if not np.any(bi.center.start - bj.center.start):
                    raise ModelError(f"bodies {bi.name!r} and {bj.name!r} attract each other from the same position.")
                pairs.append((ki, kj))
                strength.append(term.G * bi.mass_properties.mass * bj.mass_properties.mass)
    return Pairs(np.array(pairs, dtype=np.int64).reshape(-1, 2), np.array(strength, dtype=np.float64))


def _filled(moments: Array) -> Array:
    """Moments of inertia with zeros replaced by the largest of each body. The other two moments of a thin rod differ by
    round-off, and it rotates about itself by that difference over this number, which must therefore have a unit."""
    largest = moments.max(axis=1, keepdims=True)
    return np.where(moments > 0.0, moments, np.where(largest > 0.0, largest, 1.0))


def _inverse(x: Array) -> Array:
    return np.divide(1.0, x, out=np.zeros_like(x), where=x > 0.0)


def fastest(bodies: Bodies, state: State, size: float) -> float:
    """The fastest rate of a body, or its speed over `size` [1/s]."""
    turns, moves = np.abs(state.L * bodies.inverse_inertia), np.abs(state.p * bodies.inverse_mass[:, None])
    return max(float(turns.max()), float(moves.max()) / size)


def inverse_masses(bodies: Bodies) -> Array:
    """The diagonal of M⁻¹ (6 n,)."""
    masses = np.repeat(bodies.inverse_mass[:, None], 3, axis=1)
    return np.concatenate([masses, bodies.inverse_inertia], axis=1).ravel()
