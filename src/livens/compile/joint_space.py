"""A model in the coordinates of its joints: one coordinate and one row for every freedom (kernels/joint_space.py).

Joints give their coordinates (`Thing.coordinates`). A ball joint has three: the rotation vector of its second body, in
the axes of the first; their rates are the components of the relative angular velocity. They count if the joint is in
the tree or has a motor. A body that no joint of the tree carries is free and has six: the displacement of its frame's
origin, and its rotation vector, in world axes. A point mass has no rotation. A thin rod has one that can be read, but
no third equation of motion: such models have coordinates to read, and no mass matrix. Prescribed motions are
coordinates like others here, unless they are to hold theirs, and motors exert nothing.

If joints close loops, some coordinates depend on others. Those of motors and prescribed motions are independent as far
as possible, then those of joints. The choice is a Gram–Schmidt orthogonalisation of the rows of C N, with N a basis of
the velocities that the joints allow, weighted by mass: the first row whose remainder is not much smaller than the
largest is next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..describe.body import Body, Point
from ..describe.model import Model
from ..describe.row import Coordinate, Row
from ..describe.term import CoordinateMotor
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels import joint_space as kernel
from ..kernels.arrays import Coordinates, State, System
from ..kernels.kinds import VELOCITY_ONLY
from .assembly import Assembly
from .bodies import Frames
from .compiled import Compiled
from .joint_tree import Link, Variable, links_of, tree_of
from .rows import Group, compile_coordinates, groups
from .signals import Signals
from .start_rates import Line
from .system import compile_model, inverse_masses

INDEPENDENT = 1e-7  # part of its weighted length that a coordinate adds to the others, at least
EARLY = 0.3  # of the largest such part: the first coordinate that adds this much is chosen


class Prescribed(Thing):
    """A row that fixes one coordinate; coordinates that no joint has are its own."""

    kind = "joint"

    def __init__(self, name: str, q: Coordinate, own: bool):
        self.name, self.q = name, q
        self.coordinates = (q,) if own else ()
        self.drive = Line(q.start, 0.0)

    @property
    def points(self) -> tuple[Point, ...]:
        return self.q.a, self.q.b

    def rows(self) -> list[Row]:
        return [Row("COUPLE", self.q.a, self.q.b, coordinates=(self.q,), ratios=(1.0,), driven=True)]


class Space(NamedTuple):
    """The compiled tables of a model in joint coordinates."""

    model: Model  # without prescribed motions
    number: dict[Body, int]
    system: System  # its rows, and one row for each independent coordinate
    state: State  # the start
    signals: Signals
    every: tuple[Variable, ...]  # all coordinates
    independent: NDArray[np.intp]  # numbers of the independent ones among all
    tree: kernel.Tree
    coordinates: Coordinates  # all, for reading
    variables: kernel.Variables  # all, for reading
    row: NDArray[np.int64]  # of each independent coordinate
    entry: NDArray[np.int64]  # of each compiled coordinate of `system`: its number among the independent ones, or −1
    column: NDArray[np.intp]  # of the value of each independent coordinate among the signals
    exact: NDArray[np.int64]  # 1 for rows whose violation counts
    thin: str  # why there are no equations of motion, if a body has no inertia about one axis; else ""


_spaces: WeakKeyDictionary[Compiled, dict[bool, Space]] = WeakKeyDictionary()


def space_of(compiled: Compiled, driven: bool = False) -> Space:
    """The joint coordinates of a compiled model, made once. driven: prescribed motions hold their coordinates, which
    are not independent then."""
    known = _spaces.setdefault(compiled, {})
    if driven not in known:
        compiled.check_unchanged("simulate it again for vectors of joint coordinates.")
        known[driven] = _made(compiled, driven)
    return known[driven]


def _made(compiled: Compiled, driven: bool) -> Space:
    base = compiled if driven else _without_drives(compiled)
    model = base.model
    links = list(links_of(model))
    every = list(_variables(model, links, _actuated(compiled.model)))
    thin = next((body.name for one in every if one.kind == kernel.BALL for body in _thin(one)), "")
    if thin:
        independent = np.array([k for k, one in enumerate(every) if one.kind != kernel.BALL], dtype=np.intp)
    else:
        independent = np.arange(len(every)) if len(every) == base.freedom else _independent(base, every)
    things = [Prescribed(f"coordinate {k}", every[k].q, every[k].own) for k in independent.tolist()]
    extended = copy(model)
    extended.joints = [*model.joints, *things]
    tables = compile_model(extended, _skipped(base, extended), read_only=True)
    signals = tables.signals or Signals(extended)
    rows = {id(group.owner): r for group, r in _first_rows(tables.groups)}
    row = np.array([rows[id(thing)] for thing in things], dtype=np.int64)
    exact = np.ones(len(tables.system.rows.kind), dtype=np.int64)
    exact[row] = [every[k].kind != kernel.BALL for k in independent.tolist()]
    exact[(tables.system.rows.kind >= VELOCITY_ONLY) | (tables.system.rows.rate > 0.0)] = 0
    mine = tables.state
    state = base.state._replace(angle=mine.angle, lam=mine.lam, effort=mine.effort, half_turns=mine.half_turns)
    only = _only(model, every)
    order = {id(every[k].q): n for n, k in enumerate(independent.tolist())}
    return Space(
        model=model,
        number=base.number,
        system=tables.system,
        state=state,
        signals=signals,
        every=tuple(every),
        independent=independent,
        tree=tree_of(links, every, base),
        coordinates=compile_coordinates(only, Frames(only, read_only=True), Signals(only))[0],
        variables=_table(every, base, compiled),
        row=row,
        entry=np.array([order.get(id(q), -1) for q in tables.coordinates], dtype=np.int64),
        column=np.array([signals.drive_column[id(thing)] for thing in things], dtype=np.intp),
        exact=exact,
        thin=thin
        and f"body {thin!r} turns about a point and has no inertia about one of its axes, so its rotation has "
        "no three equations of motion: give it a small moment about that axis "
        "(lv.MassProperties), which does not change its motion as long as it does not spin about it.",
    )


def read_state(space: Space, state: State) -> tuple[Array, Array]:
    """All coordinates and rates of a state of the model."""
    q, v = np.zeros(len(space.every)), np.zeros(len(space.every))
    kernel.read_coordinates(
        space.coordinates, space.variables, state.angle, state.half_turns, space.tree.start, state.a, state.B, q
    )
    kernel.read_rates(space.system.bodies, space.coordinates, state.a, state.B, state.p, state.L, v)
    return q, v


# ── which coordinates ──


def _without_drives(compiled: Compiled) -> Compiled:
    """The model with its prescribed motions removed."""
    model = compiled.model
    if all(thing.drive is None for thing in model.things):
        return compiled
    other = copy(model)
    other.joints = [copy(joint) for joint in model.joints]
    for joint in other.joints:
        if joint.drive is not None:
            if not joint.coordinates:
                raise ModelError(f"{joint.label} prescribes a motion that is not the coordinate of a joint.")
            joint.drive = None
    return Compiled.of(other, quiet=True)


def _actuated(model: Model) -> set[int]:
    """The coordinates (by identity) of motors and prescribed motions."""
    found = {id(joint.coordinates[0]) for joint in model.joints if joint.drive is not None and joint.coordinates}
    for thing in model.things:
        found |= {id(term.coordinate) for term in thing.terms() if isinstance(term, CoordinateMotor)}
    return found


def _variables(model: Model, links: Sequence[Link], actuated: set[int]) -> Iterator[Variable]:
    """All coordinates: those of joints in their order, then those of free bodies."""
    carrying = {id(link.joint): link for link in links}
    for joint in model.joints:
        balls = [q for q in joint.coordinates if q.kind == "COMPONENT"]
        for q in joint.coordinates if not balls else ():
            kind = kernel.TURN if q.is_angle else kernel.SLIDE
            yield Variable(q.name, q.unit, kind, q, actuated=id(q) in actuated)
        turned = id(joint) not in carrying or _turns(carrying[id(joint)].body)
        if balls and turned and (id(joint) in carrying or any(id(q) in actuated for q in balls)):
            yield from _rotation_vector(balls, False, actuated)
        elif id(joint) in carrying and joint.freedoms and not joint.coordinates:  # it leaves rotations about a point
            yield from _rotation_vector(_ball(_named(joint.name), *carrying[id(joint)].ends), True, actuated)
    for link in links:
        if link.joint is None:
            a, b = link.ends
            for part, e in zip("xyz", np.eye(3), strict=True):
                q = Coordinate(_named(link.body.name), "DISPLACEMENT", a, b, e, part)
                yield Variable(q.name, "m", kernel.SLIDE, q, own=True)
            if _turns(link.body):
                yield from _rotation_vector(_ball(_named(link.body.name), a, b), True, actuated)


def _ball(owner: Thing, a: Point, b: Point) -> list[Coordinate]:
    """The rotation vector of two bodies, in the axes of the first."""
    parts = enumerate(("turn_x", "turn_y", "turn_z"))
    return [Coordinate(owner, "COMPONENT", a, b, a.body.pose.B[:, k], part, number=k) for k, part in parts]


def _rotation_vector(balls: Sequence[Coordinate], own: bool, actuated: set[int]) -> Iterator[Variable]:
    """The components of a rotation vector; own: no joint has them."""
    for k, q in enumerate(balls):
        yield Variable(q.name, q.unit, kernel.BALL, q, k, own, id(q) in actuated)


def _turns(body: Body) -> bool:
    """False for a point mass."""
    return bool(np.any(body.mass_properties.principal()[0]))


def _thin(one: Variable) -> Iterator[Body]:
    """The bodies of a rotation vector that have inertia about two axes only."""
    for body in (one.q.a.body, one.q.b.body):
        if not body.is_world and _turns(body) and not np.all(body.mass_properties.principal()[0]):
            yield body


def _named(name: str) -> Thing:
    """An owner for coordinates that no joint has."""
    owner = Thing()
    owner.name = name
    return owner


def _independent(base: Compiled, every: Sequence[Variable]) -> NDArray[np.intp]:
    """Numbers of independent coordinates, as many as there are freedoms: actuated ones first, then those of joints."""
    fit = base.assembly(base.state)
    fit.evaluate_jacobian()
    root = np.sqrt(inverse_masses(base.system.bodies))
    N = _null_space(fit.jacobian()[fit.hard] * root, root)
    gradients = _gradients(base, every) * root
    rest = gradients @ N / np.linalg.norm(gradients, axis=1, keepdims=True)  # zero where joints hold the coordinate
    chosen: list[int] = []
    ordered: tuple[Callable[[Variable], bool], ...] = (
        lambda one: one.actuated,
        lambda one: one.kind != kernel.BALL and not one.own,
        lambda one: not one.own,
        lambda one: True,
    )
    for group in ordered:
        while len(chosen) < min(base.freedom, len(every)):
            left = np.linalg.norm(rest, axis=1)
            left[[k for k, one in enumerate(every) if k in chosen or not group(one)]] = 0.0
            if left.max() <= INDEPENDENT:
                break
            k = int(np.argmax(left >= EARLY * left.max()))
            direction = rest[k] / left[k]
            rest = rest - np.outer(rest @ direction, direction)
            chosen.append(k)
    if len(chosen) < base.freedom:
        raise ModelError(
            f"the joints of model {base.model.name!r} have {len(chosen)} independent coordinates for "
            f"{base.freedom} degrees of freedom: joints without a coordinate carry some of its bodies."
        )
    return np.array(sorted(chosen), dtype=np.intp)


def _null_space(A: Array, root: Array) -> Array:
    """An orthonormal basis of the weighted velocities y with A y = 0, without the axes that have no inertia."""
    free = np.flatnonzero(root)
    _, s, W = np.linalg.svd(A[:, free], full_matrices=True)
    rank = int(np.sum(s > 1e-9 * s.max(initial=0.0)))
    N = np.zeros((len(root), len(free) - rank))
    N[free] = W[rank:].T
    return N


def _gradients(base: Compiled, every: Sequence[Variable]) -> Array:
    """The gradient of every coordinate (m, 6 n), at the start."""
    only = _only(base.model, every)
    tables = compile_model(only, read_only=True)
    owners = [group.owner for group in tables.groups for _ in group.rows]
    mine = tables.state
    start = base.state._replace(angle=mine.angle, lam=mine.lam, half_turns=mine.half_turns)
    fit = Assembly(only, tables.system, start, owners)
    fit.evaluate_jacobian()
    row = {id(owner): r for r, owner in enumerate(owners)}
    gradients: Array = fit.jacobian()[[row[id(thing)] for thing in only.joints]]
    return gradients


def _only(model: Model, every: Sequence[Variable]) -> Model:
    """The bodies of a model with a row for every coordinate, and nothing else."""
    other = copy(model)
    other.forces = []
    other.joints = [Prescribed(f"coordinate {k}", one.q, True) for k, one in enumerate(every)]
    return other


# ── tables ──


def _skipped(base: Compiled, extended: Model) -> frozenset[int]:
    """The redundant rows of `base` by their numbers in `extended`."""
    if not base.left_out:
        return frozenset()
    gone = {key for r, key in enumerate(_keys(base.groups)) if r in base.left_out}
    return frozenset(r for r, key in enumerate(_keys(groups(extended))) if key in gone)


def _keys(blocks: Sequence[Group]) -> Iterator[tuple[int, float, int]]:
    for group in blocks:
        for k, row in enumerate(group.rows):
            yield id(group.owner), row.rate, k


def _first_rows(blocks: Sequence[Group]) -> Iterator[tuple[Group, int]]:
    r = 0
    for group in blocks:
        yield group, r
        r += len(group.rows)


def _table(every: Sequence[Variable], base: Compiled, read: Compiled) -> kernel.Variables:
    m = len(every)
    place = {id(q): c for c, q in reversed(list(enumerate(read.coordinates)))}
    dial = {id(q): d for d, q in enumerate(read.dials)}
    relative, frame = np.tile(np.eye(3), (m, 1, 1)), np.tile(np.eye(3), (m, 1, 1))
    for k, one in enumerate(every):
        if one.kind == kernel.BALL:
            i, j = base.number[one.q.a.body], base.number[one.q.b.body]
            axes = base.system.bodies.axes
            relative[k], frame[k] = axes[i].T @ one.q.reference @ axes[j], axes[i].T
    return kernel.Variables(
        kind=np.array([one.kind for one in every], dtype=np.int64),
        component=np.array([one.component for one in every], dtype=np.int64),
        counted=np.array(
            [-1 if one.kind == kernel.BALL else place.get(id(one.q), -1) for one in every], dtype=np.int64
        ),
        dial=np.array([dial.get(id(one.q), -1) for one in every], dtype=np.int64),
        relative=relative,
        frame=frame,
    )
