"""Joints and dampers compiled: rows of numbers, in blocks, in the order of elimination.

A block contains the constraint rows of one thing; every damper is a block of its own, because it acts at velocity level
only. `groups` gives the owner of each block, for messages and reactions.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..describe.body import Body, Point
from ..describe.model import Model
from ..describe.row import Coordinate, Row
from ..describe.term import CoordinateSpring
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels import kinds
from ..kernels.arrays import Blocks, Coordinates, Dials, Rows, State
from .bodies import Frames, size_of_bodies, stack, turned, turned_back
from .ordering import elimination_order, symbolic
from .signals import Signals

KIND_NUMBERS = {name: number for name, number in vars(kinds).items() if name.isupper()}  # of rows and coordinates
LARGEST_SIZE = 1e100  # m; its square is still a floating-point number
LONGEST = 1e3  # times its own size: the largest length that the tolerance of a joint is relative to
PRECISION = 1e-13  # tolerance of the violation, relative to the size of the joints


_INTEGERS, _PAIRS = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
NO_COORDINATES = Coordinates(
    kind=_INTEGERS,
    body=_PAIRS,
    point=np.zeros((0, 2, 3)),
    axis=np.zeros((0, 3)),
    dial=np.zeros((0, 2, 3)),
    hand=np.zeros((0, 3)),
    reference=np.zeros((0, 3, 3)),
    stiffness=np.zeros(0),
    rest=np.zeros(0),
    limit=np.zeros((0, 2)),
    stop=np.zeros(0),
    signal=_INTEGERS,
)
NO_DIALS = Dials(body=_PAIRS, axis=np.zeros((0, 2, 3)), dial=np.zeros((0, 2, 3)), hand=np.zeros((0, 3)))


class Group(NamedTuple):
    """The rows of one block and the thing they belong to."""

    owner: Thing
    rows: list[Row]
    touched: tuple[int, ...]  # the bodies of the rows, ascending


def groups(model: Model) -> list[Group]:
    """All blocks of a model in the order of elimination."""
    number = {body: k for k, body in enumerate(model.bodies)}
    found: list[Group] = []
    for thing in model.things:
        rows = thing.rows()
        soft = [row for row in rows if row.rate > 0.0]
        if hard := [row for row in rows if row.rate == 0.0] if soft else rows:
            found.append(Group(thing, hard, _touched(hard, number)))
        found += [Group(thing, [row], _touched([row], number)) for row in soft]
    order = elimination_order([group.touched for group in found], [len(group.rows) for group in found])
    return [found[k] for k in order]


def without(blocks: list[Group], skip: frozenset[int], number: dict[Body, int]) -> list[Group]:
    """The blocks without the rows whose numbers are in `skip`."""
    if not skip:
        return blocks
    numbers = itertools.count()
    kept = [(owner, [row for row in rows if next(numbers) not in skip]) for owner, rows, _ in blocks]
    return [Group(owner, rows, _touched(rows, number)) for owner, rows in kept if rows]


def _touched(rows: list[Row], number: dict[Body, int]) -> tuple[int, ...]:
    """The numbers of the bodies of some rows, ascending."""
    found: set[int] = set()
    a = b = None
    for row in rows:
        if row.coordinates or row.bodies:
            found.update(number[body] for body in bodies_of(row))
        elif row.a is not a or row.b is not b:  # most rows of a joint are between the same points
            a, b = row.a, row.b
            found |= {number[a.body], number[b.body]}
    return tuple(sorted(found))


def bodies_of(row: Row) -> list[Body]:
    """The bodies of a row by role: first, second, and those of a second coordinate; or all bodies of a formula."""
    if row.coordinates:
        return [body for q in row.coordinates for body in (q.a.body, q.b.body)]
    return list(row.bodies) or [row.a.body, row.b.body]


class _Entry(NamedTuple):
    """One line of the table of coordinates: at most one spring with stops, and one motor."""

    q: Coordinate
    spring: CoordinateSpring
    motor: int  # its column among the signals, or −1


def compile_coordinates(
    model: Model, frames: Frames, signals: Signals, blocks: list[Group] | None = None
) -> tuple[Coordinates, list[Coordinate], Dials, list[Coordinate]]:
    """The joint coordinates on which something acts, and the same as objects in the same order; a coordinate with
    several motors or springs has several entries. Then the other angles, also as objects. `blocks`: all blocks of the
    model, if they are known."""
    entries = _entries(model, signals, groups(model) if blocks is None else blocks)
    acting = [q for q, _, _ in entries]
    for q in acting if frames.some_lack_inertia else ():
        if q.is_angle:
            _refuse_torque(frames, q.a, q.joint)
            _refuse_torque(frames, q.b, q.joint)
    compiled = _compiled_coordinates(entries, frames) if entries else NO_COORDINATES
    known = {id(q) for q in acting}
    others = [q for joint in model.joints for q in joint.coordinates if q.kind == "ANGLE" and id(q) not in known]
    dials = _compiled_dials(others, frames) if others else NO_DIALS
    return compiled, acting, dials, others


def _compiled_coordinates(entries: list[_Entry], frames: Frames) -> Coordinates:
    """The coordinates on which something acts."""
    acting, springs = [q for q, _, _ in entries], [entry.spring for entry in entries]
    firsts, seconds, owners = [q.a for q in acting], [q.b for q in acting], [q.joint for q in acting]
    a, b = frames.numbers_of(firsts), frames.numbers_of(seconds)
    return Coordinates(
        kind=np.array([KIND_NUMBERS[q.kind] for q in acting], dtype=np.int64),
        body=pairs(a, b).astype(np.int64),
        point=pairs(frames.all_local(a, firsts, owners), frames.all_local(b, seconds, owners)),
        axis=frames.all_directions(a, [q.axis for q in acting]),
        dial=_dials(frames, a, acting),
        hand=frames.all_directions(b, [np.zeros(3) if q.kind == "COMPONENT" else q.hand for q in acting]),
        reference=stack([_reference(frames, q) for q in acting], (3, 3)),
        stiffness=stack([spring.stiffness for spring in springs], ()),
        rest=stack([spring.rest for spring in springs], ()),
        limit=stack([(-np.inf, np.inf) if spring.limits is None else spring.limits for spring in springs], (2,)),
        stop=stack([0.0 if spring.limits is None else spring.limit_stiffness for spring in springs], ()),
        signal=np.array([motor for _, _, motor in entries], dtype=np.int64),
    )


def _compiled_dials(others: list[Coordinate], frames: Frames) -> Dials:
    """The angles on which nothing acts."""
    inverse = np.divide(1.0, frames.moments, out=np.zeros_like(frames.moments), where=frames.moments > 0.0)
    a, b = frames.numbers_of([q.a for q in others]), frames.numbers_of([q.b for q in others])
    axes = [q.axis for q in others]
    Ra = stack([q.a.body.pose.B for q in others], (3, 3))
    Rb = stack([q.b.body.pose.B for q in others], (3, 3))
    across = turned_back(Rb, turned(Ra, stack(axes, (3,))))
    both = np.array([float(bool(q.joint.shared)) for q in others])[:, None]
    return Dials(  # the axis is fixed to both bodies; one that is fixed to the first alone gives no rate
        body=pairs(a, b).astype(np.int64),
        axis=pairs(
            both * inverse[a] * frames.all_directions(a, axes),
            both * inverse[b] * frames.all_directions(b, across),
        ),
        dial=_dials(frames, a, others),
        hand=frames.all_directions(b, [q.hand for q in others]),
    )


def pairs(one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
    """What belongs to the first and to the second body, side by side: (n, 2, …)."""
    return np.concatenate([one[:, None], two[:, None]], axis=1)


def _reference(frames: Frames, q: Coordinate) -> Array:
    """The relative axes at which a ROTATION is zero, in principal axes; the identity for other coordinates."""
    return frames.relative(q.a.body, q.b.body, q.reference) if q.kind == "ROTATION" else np.eye(3)


def _dials(frames: Frames, a: NDArray[np.intp], coordinates: list[Coordinate]) -> Array:
    """The two directions of the bodies number a from which coordinates count, in principal axes (n, 2, 3)."""
    return frames.all_directions(np.repeat(a, 2), [e for q in coordinates for e in q.dial]).reshape(-1, 2, 3)


def _entries(model: Model, signals: Signals, blocks: list[Group]) -> list[_Entry]:
    """The table of coordinates, in the order of the joints; then the rotations of ball joints with springs or stops."""
    used = {id(q) for group in blocks for row in group.rows for q in row.coordinates}
    used |= {id(rule.coordinate) for thing in model.things for rule in thing.contacts()}
    springs: dict[int, list[CoordinateSpring]] = {}
    for _, spring in signals.terms.of(CoordinateSpring):
        springs.setdefault(id(spring.coordinate), []).append(spring)
    motors: dict[int, list[int]] = {}
    for _, motor, column in signals.motors:
        motors.setdefault(id(motor.coordinate), []).append(column)
    found = []
    own = [q for joint in model.joints for q in joint.coordinates]
    known = {id(q) for q in own}
    acting = [spring.coordinate for _, spring in signals.terms.of(CoordinateSpring)]
    for q in [*own, *(q for q in acting if id(q) not in known)]:
        sprung, driven = springs.get(id(q), []), motors.get(id(q), [])
        lines = max(len(sprung), len(driven), int(id(q) in used))
        if not lines:
            continue
        sprung = sprung + [CoordinateSpring(q, 0.0, 0.0)] * (lines - len(sprung))
        driven = driven + [-1] * (lines - len(driven))
        found += [_Entry(q, spring, column) for spring, column in zip(sprung, driven, strict=True)]
    return found


def compile_rows(
    blocks_of: list[Group], frames: Frames, signals: Signals, acting: list[Coordinate], state: State
) -> tuple[Rows, Blocks, NDArray[np.bool_]]:
    """Rows and blocks of all joints and dampers, and which rows are measured in radians."""
    rows = [row for group in blocks_of for row in group.rows]
    owners = [group.owner for group in blocks_of for _ in group.rows]
    soft = [int(group.rows[0].rate > 0.0) for group in blocks_of]
    touched = [group.touched for group in blocks_of]
    blocks, entries, _ = symbolic(touched, [len(group.rows) for group in blocks_of], soft)
    for row, owner in zip(rows, owners, strict=True) if frames.some_lack_inertia else ():
        if row.kind in ("DOT1", "DOT2", "RIM", "EDGE", "ROLL"):
            _refuse_torque(frames, row.a, owner)
        if row.kind in ("DOT1", "RIM", "ROLL"):
            _refuse_torque(frames, row.b, owner)

    place = {id(q): k for k, q in enumerate(acting)}
    firsts, seconds = [row.a for row in rows], [row.b for row in rows]
    a, b = frames.numbers_of(firsts), frames.numbers_of(seconds)
    body = pairs(a, b).astype(np.int64)
    every_body = np.concatenate([body, np.zeros_like(body)], axis=1)
    point = pairs(_first_points(rows, a, firsts, owners, frames), frames.all_local(b, seconds, owners))
    coordinate, ratio = np.zeros((len(rows), 2), dtype=np.int64), np.zeros((len(rows), 2))
    signal = np.full(len(rows), -1, dtype=np.int64)
    for r, row in enumerate(rows):
        if row.coordinates or row.bodies:
            bodies = [frames.number[body] for body in bodies_of(row)]
            every_body[r] = [*bodies, *[0] * (4 - len(bodies))]
            coordinate[r, : len(row.coordinates)] = [place[id(q)] for q in row.coordinates]
            ratio[r, : len(row.ratios)] = row.ratios
        if row.driven:
            signal[r] = signals.drive_column[id(owners[r])]
    compiled = Rows(
        kind=np.array([KIND_NUMBERS[row.kind] for row in rows], dtype=np.int64),
        body=body,
        point=point,
        direction=pairs(
            frames.all_directions(a, [row.u for row in rows]), frames.all_directions(b, [row.w for row in rows])
        ),
        value=stack([row.value for row in rows], ()),
        component=np.array([row.component for row in rows], dtype=np.int64),
        coordinate=coordinate,
        ratio=ratio,
        signal=signal,
        rate=stack([row.rate for row in rows], ()),
        entry=_jacobian_entries(blocks, entries, every_body),
        weight=np.zeros(len(rows)),
        unit=np.ones(len(rows)),
        metric=np.zeros(len(rows)),
    )
    angular = compiled.kind == kinds.DOT1
    for r in np.flatnonzero(compiled.kind == kinds.COUPLE).tolist():
        angular[r] = _is_angle(rows[r])
    return _scaled(compiled, blocks, angular, state, frames), blocks, angular


def _first_points(
    rows: list[Row], a: NDArray[np.intp], points: list[Point], owners: list[Thing], frames: Frames
) -> Array:
    """The first points of rows, on the bodies number a; that of a ROLL row contains the tangent, times the
    radius: a length like others."""
    rolls = [r for r, row in enumerate(rows) if row.kind == "ROLL"]
    if not rolls:
        return frames.all_local(a, points, owners)
    found = np.zeros((len(rows), 3))
    others = [r for r, row in enumerate(rows) if row.kind != "ROLL"]
    found[others] = frames.all_local(a[others], [points[r] for r in others], [owners[r] for r in others])
    for r in rolls:
        found[r] = rows[r].value * frames.direction(points[r].body, points[r].r)
    return found


def _jacobian_entries(blocks: Blocks, entries: int, body: NDArray[np.int64]) -> NDArray[np.int64]:
    """The Jacobian entry of each of the bodies (r, 4) of each row; `entries`, the last one, for the world."""
    sizes = np.diff(blocks.row).astype(np.intp)
    block = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(len(body)) - blocks.row[block]  # number of the row in its block
    found = np.full(body.shape, entries, dtype=np.int64)
    first, count = blocks.side[block], np.diff(blocks.side)[block]
    for j in range(int(count.max(initial=0))):
        some = np.flatnonzero(count > j)
        side = first[some] + j
        mine = body[some] == blocks.side_body[side][:, None]
        found[some] = np.where(mine, (blocks.side_entry[side] + within[some])[:, None], found[some])
    return found


def _scaled(compiled: Rows, blocks: Blocks, angular: NDArray[np.bool_], state: State, frames: Frames) -> Rows:
    """The rows with their weights. The tolerance of a length is relative to the size of the joints, but to at most
    LONGEST times the shorter lever arm of its own joint; that of an angle is absolute, and that of a slip is finer,
    because no later step corrects it."""
    levers = np.abs(compiled.point).max(axis=2) * (compiled.body > 0)  # the world has no size
    kind = compiled.kind
    lengths = np.where((kind == kinds.DISTANCE) | (kind == kinds.TAPE), compiled.value, 0.0)
    size = max(float(levers.max(initial=0.0)), float(lengths.max(initial=0.0)))
    size = size if size > 0.0 else size_of_bodies(frames.mass, frames.moments, state.a)
    if size > LARGEST_SIZE:
        raise ModelError(
            f"joints are at points {size:.3g} m from their bodies, too far to compute with: check the units."
        )
    shorter = np.maximum(np.where(levers > 1e-9 * size, levers, np.inf).min(axis=1, initial=np.inf), lengths)
    first = blocks.row.astype(np.intp)  # 32 bits in the browser
    joint = np.repeat(np.minimum.reduceat(shorter, first[:-1]), np.diff(first)) if len(kind) else shorter
    local = np.minimum(size, LONGEST * joint)
    slips = (kind == kinds.ROLL) | (kind == kinds.EDGE)
    unit = np.where(kind == kinds.TAPE, compiled.ratio[:, 0], 1.0)  # user-written rows have any unit
    tolerance = PRECISION * np.where(angular, 1.0, np.where(slips, 1e-3 * local, unit * local))
    mass = float(frames.mass.sum()) / max(1, len(frames.mass) - 1)
    metric = np.where(angular, 1.0 / size**2, unit**2) / max(mass, 1e-300)
    return compiled._replace(weight=1.0 / tolerance, metric=metric, unit=unit)


def _is_angle(row: Row) -> bool:
    """True if a COUPLE row is in radians: it is in the unit of the coordinate whose factor is nearest to ±1."""
    return row.coordinates[int(np.argmin(np.abs(np.abs(row.ratios) - 1.0)))].is_angle


def _refuse_torque(frames: Frames, point: Point, owner: Thing) -> None:
    """Refuse a joint that exerts a torque on a body about an axis without inertia."""
    if not frames.lacks_inertia(point.body):
        return
    if owner.coordinates and owner.coordinates[0].kind == "COMPONENT":
        remedy = "leave out the spring, damper, limit or motor of the joint"
    elif {row.kind for row in owner.rows()} <= {"DOT2", "EDGE"}:  # the first body carries a plane, the second a point
        remedy = f"put the point of {point.body.name!r} second"
    else:
        remedy = "use Spherical or Rod, which leave it free to turn"
    frames.refuse_torque(point, owner, remedy)
