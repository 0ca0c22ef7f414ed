"""Joints and dampers compiled: rows of numbers, in blocks, in the order of elimination.

A block holds the constraint rows of one joint; every damper is a block of its own, because it acts at velocity level
only. Which joint a row belongs to stays here, for messages and reactions.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..describe.forces.damper import Damper
from ..describe.forces.motor import Motor
from ..describe.forces.spring import Spring
from ..describe.joints.row import Coordinate, Row
from ..describe.model import Model
from ..errors import ModelError
from ..kernels import kinds
from ..kernels.arrays import Blocks, Coordinates, Rows, State
from .bodies import Frames, stack
from .ordering import elimination_order, symbolic
from .signals import Signals

FAR = 1e100  # m, whose square still is a floating-point number
PRECISION = 1e-13  # defect, relative to the size of the joints, that counts as none


class Group(NamedTuple):
    """The rows of one block and whose they are."""

    owner: Any
    rows: list[Row]


def groups(model: Model, skip: frozenset[int] = frozenset()) -> list[Group]:
    """All blocks of a model in the order of elimination, without the rows whose numbers in it stand in `skip`."""
    found: list[Group] = []
    for joint in model.joints:
        extras = joint.extras() if hasattr(joint, "extras") else []
        found.append(Group(joint, joint.rows() + [row for row in extras if row.rate == 0.0]))
        found += [Group(joint, [row]) for row in extras if row.rate > 0.0]
    for force in model.forces:
        rate = force.rate if isinstance(force, Damper) else force.damping if isinstance(force, Spring) else 0.0
        if rate > 0.0:
            found.append(Group(force, [Row("SPAN", force.a, force.b, rate=rate)]))
    number = {body: k for k, body in enumerate(model.bodies)}
    touched = [sorted({number[body] for row in group.rows for body in bodies_of(row)}) for group in found]
    ordered = [found[k] for k in elimination_order(touched, [len(group.rows) for group in found])]
    numbers = itertools.count()
    kept = [Group(owner, [row for row in rows if next(numbers) not in skip]) for owner, rows in ordered]
    return [group for group in kept if group.rows]


def bodies_of(row: Row) -> list[Any]:
    """The bodies a row touches, by role: first, second, and those of a second coordinate; or all that a user listed."""
    if row.coordinates:
        return [body for q in row.coordinates for body in (q.a.body, q.b.body)]
    return list(row.bodies) or [row.a.body, row.b.body]


def compile_coordinates(model: Model, frames: Frames, signals: Signals) -> tuple[Coordinates, list[Coordinate]]:
    """The joint coordinates that something acts on, and the same as objects in the same order; a coordinate stands once
    more for every further motor on it."""
    motors: dict[int, list[Motor]] = {}
    for force in model.forces:
        if isinstance(force, Motor):
            motors.setdefault(id(force.joint), []).append(force)
    used = {id(q) for group in groups(model) for row in group.rows for q in row.coordinates}
    acting: list[Coordinate] = []
    motor: list[Motor | None] = []
    first: list[bool] = []  # does it carry the joint's spring and stops?
    for joint in model.joints:
        for k, q in enumerate(joint.coordinates):
            mine = motors.get(id(joint), []) if k == 0 else []
            sprung = k == 0 and (joint.stiffness > 0.0 or joint.limits is not None)
            if sprung or mine or id(q) in used:
                copies = max(1, len(mine))
                acting += [q] * copies
                motor += mine or [None]
                first += [k == 0, *[False] * (copies - 1)]
    joints = [q.joint for q in acting]
    for q in acting:
        if q.kind == "ANGLE":
            frames.refuse_torque(q.a, q.joint)
            frames.refuse_torque(q.b, q.joint)
    limits = [j.limits if f and j.limits is not None else (-np.inf, np.inf) for f, j in zip(first, joints, strict=True)]
    compiled = Coordinates(
        kind=np.array([getattr(kinds, q.kind) for q in acting], dtype=np.int64),
        body=frames.numbers([(q.a.body, q.b.body) for q in acting], 2),
        point=stack([(frames.local(q.a, q.joint), frames.local(q.b, q.joint)) for q in acting], (2, 3)),
        axis=stack([frames.direction(q.a.body, q.axis) for q in acting], (3,)),
        dial=stack([[frames.direction(q.a.body, e) for e in q.dial] for q in acting], (2, 3)),
        hand=stack([frames.direction(q.b.body, q.hand) for q in acting], (3,)),
        stiffness=stack([j.stiffness if f else 0.0 for f, j in zip(first, joints, strict=True)], ()),
        rest=stack([j.rest for j in joints], ()),
        limit=stack(limits, (2,)),
        stop=stack(
            [j.limit_stiffness if f and j.limits is not None else 0.0 for f, j in zip(first, joints, strict=True)], ()
        ),
        signal=np.array([-1 if m is None else signals.column[id(m)] for m in motor], dtype=np.int64),
    )
    return compiled, acting


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
            frames.refuse_torque(row.a, owner)
        if row.kind in ("DOT1", "RIM", "ROLL"):
            frames.refuse_torque(row.b, owner)

    def pad(values: Any, filler: Any) -> list[Any]:
        return [*values, *[filler] * (2 - len(values))]

    def first_point(row: Row, owner: Any) -> Any:
        if row.kind == "ROLL":  # the tangent rides in the first point
            return frames.direction(row.a.body, row.a.r)
        return frames.local(row.a, owner)

    compiled = Rows(
        kind=np.array([getattr(kinds, row.kind) for row in rows], dtype=np.int64),
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
            [signals.column[id(o)] if row.drive is not None else -1 for row, o in zip(rows, owners, strict=True)],
            dtype=np.int64,
        ),
        rate=stack([row.rate for row in rows], ()),
        entry=entry,
        weight=np.zeros(len(rows)),
        unit=np.ones(len(rows)),
        metric=np.zeros(len(rows)),
    )
    angular = np.array([_is_angle(row) for row in rows], dtype=bool)
    return _scaled(rows, compiled, angular, state, frames.mass), blocks, angular


def _scaled(rows: list[Row], compiled: Rows, angular: NDArray[np.bool_], state: State, mass: Array) -> Rows:
    """The rows with their weights: what counts as round-off of a length is relative to the joints' size, of an angle
    absolute, of a slip finer, because no later step corrects it."""
    arms = np.abs(compiled.point[compiled.body > 0]).max(initial=0.0)  # the world has no size
    size = max([float(arms), *[row.value for row in rows if row.kind in ("DISTANCE", "TAPE")]])
    size = size if size > 0.0 else max(1.0, float(np.abs(state.a).max()))
    if size > FAR:
        raise ModelError(
            f"joints hold points {size:.3g} m from their bodies, too far to compute with: check the units."
        )
    slips = np.array([row.kind in ("ROLL", "EDGE") for row in rows], dtype=bool)
    unit = np.array([row.ratios[0] if row.kind == "TAPE" else 1.0 for row in rows])  # what users wrote has any unit
    tolerance = PRECISION * np.where(angular, 1.0, np.where(slips, 1e-3 * size, unit * size))
    metric = np.where(angular, 1.0 / size**2, unit**2) / max(float(mass.sum()) / max(1, len(mass) - 1), 1e-300)
    return compiled._replace(weight=1.0 / tolerance, metric=metric, unit=unit)


def _is_angle(row: Row) -> bool:
    """True if the row is measured in radians; a COUPLE row is in the unit of the coordinate that it takes as it is."""
    if row.coordinates:
        return row.coordinates[int(np.argmin(np.abs(np.abs(row.ratios) - 1.0)))].kind == "ANGLE"
    return row.kind == "DOT1"
