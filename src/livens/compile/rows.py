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
from .bodies import Frames, size_of_bodies, stack
from .ordering import elimination_order, symbolic
from .signals import Signals

KIND_NUMBERS = {name: number for name, number in vars(kinds).items() if name.isupper()}  # of rows and coordinates
LARGEST_SIZE = 1e100  # m; its square is still a floating-point number
LONGEST = 1e3  # times its own size: the largest length that the tolerance of a joint is relative to
PRECISION = 1e-13  # tolerance of the violation, relative to the size of the joints


class Group(NamedTuple):
    """The rows of one block and the thing they belong to."""

    owner: Thing
    rows: list[Row]


def groups(model: Model, skip: frozenset[int] = frozenset()) -> list[Group]:
    """All blocks of a model in the order of elimination, without the rows whose numbers in that order are in `skip`."""
    found: list[Group] = []
    for thing in model.things:
        rows = thing.rows()
        if hard := [row for row in rows if row.rate == 0.0]:
            found.append(Group(thing, hard))
        found += [Group(thing, [row]) for row in rows if row.rate > 0.0]
    number = {body: k for k, body in enumerate(model.bodies)}
    touched = [sorted({number[body] for row in group.rows for body in bodies_of(row)}) for group in found]
    ordered = [found[k] for k in elimination_order(touched, [len(group.rows) for group in found])]
    numbers = itertools.count()
    kept = [Group(owner, [row for row in rows if next(numbers) not in skip]) for owner, rows in ordered]
    return [group for group in kept if group.rows]


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
    model: Model, frames: Frames, signals: Signals
) -> tuple[Coordinates, list[Coordinate], Dials, list[Coordinate]]:
    """The joint coordinates on which something acts, and the same as objects in the same order; a coordinate with
    several motors or springs has several entries. Then the other angles, also as objects."""
    entries = _entries(model, signals)
    for q, _, _ in entries:
        if q.is_angle:
            _refuse_torque(frames, q.a, q.joint)
            _refuse_torque(frames, q.b, q.joint)
    springs = [entry.spring for entry in entries]
    compiled = Coordinates(
        kind=np.array([KIND_NUMBERS[q.kind] for q, _, _ in entries], dtype=np.int64),
        body=frames.numbers([(q.a.body, q.b.body) for q, _, _ in entries], 2),
        point=stack([(frames.local(q.a, q.joint), frames.local(q.b, q.joint)) for q, _, _ in entries], (2, 3)),
        axis=stack([frames.direction(q.a.body, q.axis) for q, _, _ in entries], (3,)),
        dial=stack([[frames.direction(q.a.body, e) for e in q.dial] for q, _, _ in entries], (2, 3)),
        hand=stack([frames.direction(q.b.body, q.hand) for q, _, _ in entries], (3,)),
        reference=stack([frames.relative(q.a.body, q.b.body, q.reference) for q, _, _ in entries], (3, 3)),
        stiffness=stack([spring.stiffness for spring in springs], ()),
        rest=stack([spring.rest for spring in springs], ()),
        limit=stack([(-np.inf, np.inf) if spring.limits is None else spring.limits for spring in springs], (2,)),
        stop=stack([0.0 if spring.limits is None else spring.limit_stiffness for spring in springs], ()),
        signal=np.array([motor for _, _, motor in entries], dtype=np.int64),
    )
    known = {id(q) for q, _, _ in entries}
    others = [q for joint in model.joints for q in joint.coordinates if q.kind == "ANGLE" and id(q) not in known]
    inverse = np.divide(1.0, frames.moments, out=np.zeros_like(frames.moments), where=frames.moments > 0.0)
    rates = []
    for q in others:  # the axis is fixed to both bodies; one that is fixed to the first alone gives no rate
        axes = [(q.a.body, q.axis), (q.b.body, q.b.body.pose.B.T @ (q.a.body.pose.B @ q.axis))]
        both = float(bool(q.joint.shared))
        rates.append([both * inverse[frames.number[body]] * frames.direction(body, u) for body, u in axes])
    dials = Dials(
        body=frames.numbers([(q.a.body, q.b.body) for q in others], 2),
        axis=stack(rates, (2, 3)),
        dial=stack([[frames.direction(q.a.body, e) for e in q.dial] for q in others], (2, 3)),
        hand=stack([frames.direction(q.b.body, q.hand) for q in others], (3,)),
    )
    return compiled, [q for q, _, _ in entries], dials, others


def _entries(model: Model, signals: Signals) -> list[_Entry]:
    """The table of coordinates, in the order of the joints; then the rotations of ball joints with springs or stops."""
    used = {id(q) for group in groups(model) for row in group.rows for q in row.coordinates}
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
    number = frames.number
    touched = [sorted({number[b] for row in group.rows for b in bodies_of(row)}) for group in blocks_of]
    soft = [int(group.rows[0].rate > 0.0) for group in blocks_of]
    blocks, entries, _ = symbolic(touched, [len(group.rows) for group in blocks_of], soft)

    place = {id(q): k for k, q in enumerate(acting)}
    entry = np.full((len(rows), 4), entries, dtype=np.int64)
    r = 0
    for J, group in enumerate(blocks_of):
        sides = range(blocks.side[J], blocks.side[J + 1])
        base = {int(blocks.side_body[s]): int(blocks.side_entry[s]) for s in sides}
        for y, row in enumerate(group.rows):
            for k, body in enumerate(bodies_of(row)):
                entry[r, k] = base[number[body]] + y if number[body] > 0 else entries
            r += 1
    for row, owner in zip(rows, owners, strict=True):
        if row.kind in ("DOT1", "DOT2", "RIM", "EDGE", "ROLL"):
            _refuse_torque(frames, row.a, owner)
        if row.kind in ("DOT1", "RIM", "ROLL"):
            _refuse_torque(frames, row.b, owner)

    def pad(values: Any, filler: Any) -> list[Any]:
        return [*values, *[filler] * (2 - len(values))]

    def first_point(row: Row, owner: Thing) -> Array:
        if row.kind == "ROLL":  # its first point contains the tangent, times the radius: a length like other points
            return row.value * frames.direction(row.a.body, row.a.r)
        return frames.local(row.a, owner)

    compiled = Rows(
        kind=np.array([KIND_NUMBERS[row.kind] for row in rows], dtype=np.int64),
        body=frames.numbers([(row.a.body, row.b.body) for row in rows], 2),
        point=stack(
            [(first_point(row, o), frames.local(row.b, o)) for row, o in zip(rows, owners, strict=True)], (2, 3)
        ),
        direction=stack(
            [(frames.direction(row.a.body, row.u), frames.direction(row.b.body, row.w)) for row in rows], (2, 3)
        ),
        value=stack([row.value for row in rows], ()),
        component=np.array([row.component for row in rows], dtype=np.int64),
        coordinate=np.array([pad([place[id(q)] for q in row.coordinates], 0) for row in rows], dtype=np.int64).reshape(
            -1, 2
        ),
        ratio=stack([pad(row.ratios, 0.0) for row in rows], (2,)),
        signal=np.array(
            [signals.drive_column[id(o)] if row.driven else -1 for row, o in zip(rows, owners, strict=True)],
            dtype=np.int64,
        ),
        rate=stack([row.rate for row in rows], ()),
        entry=entry,
        weight=np.zeros(len(rows)),
        unit=np.ones(len(rows)),
        metric=np.zeros(len(rows)),
    )
    angular = np.array([_is_angle(row) for row in rows], dtype=bool)
    return _scaled(rows, compiled, blocks, angular, state, frames), blocks, angular


def _scaled(
    rows: list[Row], compiled: Rows, blocks: Blocks, angular: NDArray[np.bool_], state: State, frames: Frames
) -> Rows:
    """The rows with their weights. The tolerance of a length is relative to the size of the joints, but to at most
    LONGEST times the shorter lever arm of its own joint; that of an angle is absolute, and that of a slip is finer,
    because no later step corrects it."""
    levers = np.abs(compiled.point).max(axis=2) * (compiled.body > 0)  # the world has no size
    lengths = [row.value if row.kind in ("DISTANCE", "TAPE") else 0.0 for row in rows]
    size = max(float(levers.max(initial=0.0)), *lengths, 0.0)
    size = size if size > 0.0 else size_of_bodies(frames.mass, frames.moments, state.a)
    if size > LARGEST_SIZE:
        raise ModelError(
            f"joints are at points {size:.3g} m from their bodies, too far to compute with: check the units."
        )
    shorter = np.maximum(np.where(levers > 1e-9 * size, levers, np.inf).min(axis=1, initial=np.inf), lengths)
    first = blocks.row.astype(np.intp)  # 32 bits in the browser
    joint = np.repeat(np.minimum.reduceat(shorter, first[:-1]), np.diff(first)) if len(rows) else shorter
    local = np.minimum(size, LONGEST * joint)
    slips = np.array([row.kind in ("ROLL", "EDGE") for row in rows], dtype=bool)
    unit = np.array([row.ratios[0] if row.kind == "TAPE" else 1.0 for row in rows])  # user-written rows have any unit
    tolerance = PRECISION * np.where(angular, 1.0, np.where(slips, 1e-3 * local, unit * local))
    mass = float(frames.mass.sum()) / max(1, len(frames.mass) - 1)
    metric = np.where(angular, 1.0 / size**2, unit**2) / max(mass, 1e-300)
    return compiled._replace(weight=1.0 / tolerance, metric=metric, unit=unit)


def _is_angle(row: Row) -> bool:
    """True if the row is in radians; a COUPLE row is in the unit of the coordinate whose factor is nearest to ±1."""
    if row.coordinates:
        return row.coordinates[int(np.argmin(np.abs(np.abs(row.ratios) - 1.0)))].is_angle
    return row.kind == "DOT1"


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
