"""Compile the contacts of a model: shapes that can touch, the rules between them, and room for their contact points.

Bodies and planes that a `Contact` names have materials of their own, all other bodies share one: the table of rules
stays small whatever the number of bodies.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..checks import Array
from ..describe.body import Body, Plane
from ..describe.contact_rule import Side
from ..describe.contact_shape import ANGULAR, OTHERS, PLANES, ContactShape
from ..describe.model import Model
from ..describe.pose import Pose
from ..describe.row import Coordinate, across
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels import kinds
from ..kernels.arrays import MULTIPLIERS_KEPT, Ints, System
from ..kernels.contact.arrays import (
    BOUND,
    FIRST_EDGE,
    FIRST_FACE,
    FIRST_VERTEX,
    LOG_WIDTH,
    MATERIAL,
    MEETS,
    SHAPE_BODY,
    SHAPE_KIND,
    Cone,
    Contacts,
    Points,
    Touch,
)
from .bodies import Frames

DENSE = 1000  # contact points of free bodies that Newton's method solves together
DENSE_WITH_JOINTS = 200  # the same for bodies with joints
LOGGED = 4096  # impacts between two chunks of a run
FACE_POINTS = 8  # contact points of two polyhedra, usually at most
NEIGHBOURS = 24  # contact points per shape in a crowd
CORNERS = 64  # of a clipped face
PATCH_LEVER = 2.0 / 3.0  # mean distance of the points of a disc from its centre, over its radius
SIGNAL_ROWS = 20  # stages of a scheme, at most
SPARE = 16  # slots for the contact points of one pair, beyond the capacity


class _Shape(NamedTuple):
    """One row of the table of shapes."""

    body: int
    part: ContactShape | Plane
    material: int


class Rules:
    """The rules of contact of a model, with their owners."""

    def __init__(self, model: Model):
        self.every = [(thing, rule) for thing in model.things for rule in thing.contacts()]
        self.pairs = [(k, rule) for k, (_, rule) in enumerate(self.every) if rule.sides]
        self.crowds = [(k, rule) for k, (_, rule) in enumerate(self.every) if rule.is_crowd]
        self.stops = [(k, rule) for k, (_, rule) in enumerate(self.every) if rule.stop is not None]
        self.dry = [(k, rule.dry) for k, (_, rule) in enumerate(self.every) if rule.dry is not None]
        self.ropes = [(k, rule.rope) for k, (_, rule) in enumerate(self.every) if rule.rope is not None]
        self.resist = any(rule.rolling + rule.spinning + rule.patch > 0.0 for _, rule in self.every)

    @property
    def owners(self) -> list[Thing]:
        return [thing for thing, _ in self.every]


def compile_contacts(model: Model, frames: Frames, acting: list[Coordinate], jointed: bool) -> Contacts:
    """The contacts of `model`; `acting`: the joint coordinates of the kernels; `jointed`: there are rows, which connect
    all contact points. These are then solved together, and there is no room for more of them."""
    rules = Rules(model)
    if not rules.every:
        return NO_CONTACTS
    materials = _materials(model, rules)
    shapes = _shapes(model, rules, materials)
    _refuse_thin(model, rules, shapes)
    table = _table(model, rules, materials)
    tables = _geometry(frames, shapes)
    limits = [
        (k, rule.stop, sign, value)
        for k, rule in rules.stops
        for sign, value in zip((1.0, -1.0), rule.limits, strict=True)
        if np.isfinite(value)
    ]
    capacity = (2 if rules.resist else 1) * _capacity(shapes, table) + len(limits) + len(rules.dry) + len(rules.ropes)
    capacity = min(capacity, DENSE_WITH_JOINTS) if jointed else capacity
    sizes = [radius for radius in tables["number"][BOUND] if np.isfinite(radius) and radius > 0.0]
    law = [
        (rule.friction, rule.restitution, float(rule.sequence), rule.rolling, rule.spinning, PATCH_LEVER * rule.patch)
        for _, rule in rules.every
    ]
    friction = [(float(acting.index(dry.coordinate)), float(k), *dry[1:]) for k, dry in rules.dry]
    stops = [(float(acting.index(q)), float(k), sign, value) for k, q, sign, value in limits if q is not None]
    return Contacts(
        **tables,
        rule=table,
        law=np.ascontiguousarray(np.array(law).T),
        excluded=_excluded(model, rules, frames),
        stop=np.ascontiguousarray(np.array(stops).reshape(-1, 4).T),
        dry=np.ascontiguousarray(np.array(friction).reshape(-1, 5).T),
        rope=np.ascontiguousarray(np.array(_ropes(frames, rules)).reshape(-1, 10).T),
        capacity=capacity,
        dense=capacity if jointed else min(capacity, DENSE),
        size_scale=min(sizes) if sizes else _size(frames),
    )


def _ropes(frames: Frames, rules: Rules) -> list[list[float]]:
    """Bodies and points of the ropes, in principal axes from the centres of mass; length and rule."""
    found = []
    for k, (a, b, length) in rules.ropes:
        ends = [(frames.number[point.body], point) for point in (a, b)]
        points = [Pose(frames.center[i], frames.axes[i]).inverse().point(point.r) for i, point in ends]
        found.append([*(float(i) for i, _ in ends), *points[0], *points[1], length, float(k)])
    return found


def _size(frames: Frames) -> float:
    """A length for models without shapes: the smallest radius of gyration [m]."""
    heavy = frames.mass > 0.0
    radii = np.sqrt(frames.moments[heavy].max(axis=1) / frames.mass[heavy])
    return float(radii[radii > 0.0].min(initial=np.inf)) if (radii > 0.0).any() else 1.0


def _materials(model: Model, rules: Rules) -> dict[Side, int]:
    """The material of each body and plane; bodies that no Contact names have number 0."""
    found: dict[Side, int] = dict.fromkeys(model.bodies[1:], 0) if rules.crowds else {}
    named = [side for _, rule in rules.pairs for side in rule.sides]
    planes = [plane for _, rule in rules.crowds for plane in rule.planes]
    for side in [*named, *planes]:
        if found.get(side, 0) == 0:
            found[side] = 1 + max(found.values(), default=0)
    return found


def _shapes(model: Model, rules: Rules, materials: dict[Side, int]) -> list[_Shape]:
    """All shapes that can touch, planes first."""
    number = {body: k for k, body in enumerate(model.bodies)}
    planes = [_Shape(number[side.body], side, k) for side, k in materials.items() if isinstance(side, Plane)]
    others = [
        _Shape(number[side], part, k)
        for side, k in materials.items()
        if isinstance(side, Body)
        for part in _parts(side, rules)
    ]
    return planes + others


def _parts(body: Body, rules: Rules) -> tuple[ContactShape, ...]:
    try:
        return body.contact_shapes
    except ModelError as error:
        raise ModelError(f"body {body.name!r} cannot touch others: {error} Give it collision=, a shape.") from None


def _refuse_thin(model: Model, rules: Rules, shapes: list[_Shape]) -> None:
    """Raise a ModelError if a rod or a plate without thickness is to touch another body."""
    parts = [(shape.body, shape.part.meets) for shape in shapes if isinstance(shape.part, ContactShape)]
    thin = {body for body, meets in parts if meets == PLANES} - {body for body, meets in parts if meets != PLANES}
    if not thin:
        return
    named = {frozenset(rule.sides) for _, rule in rules.pairs}
    under = {plane.body for _, rule in rules.crowds for plane in rule.planes}
    apart = _left_out(model, rules) | {
        frozenset(map(_body, rule.sides)) for _, rule in rules.pairs if any(isinstance(s, Plane) for s in rule.sides)
    }
    for one in (model.bodies[k] for k in sorted(thin)):
        for two in model.bodies[1:]:
            pair = frozenset((one, two))
            crowd = bool(rules.crowds) and two not in under and pair not in apart
            if one is not two and (pair in named or crowd):
                raise ModelError(
                    f"body {one.name!r} has no thickness and touches planes only, not body {two.name!r}: give it "
                    "collision=, such as a thin lv.Capsule, or exclude the pair (lv.Contacts(exclude=[…]))."
                )


def _table(model: Model, rules: Rules, materials: dict[Side, int]) -> Ints:
    """The rule of two materials, −1 for none."""
    n = 1 + max(materials.values(), default=0)
    table = np.full((n, n), -1, dtype=np.int64)
    bodies = sorted({k for side, k in materials.items() if isinstance(side, Body)})
    for k, rule in rules.crowds:
        partners = [*bodies, *(materials[plane] for plane in rule.planes)]
        for i in bodies:
            for j in partners:
                table[i, j] = table[j, i] = k
    for k, rule in rules.pairs:
        i, j = (materials[side] for side in rule.sides)
        table[i, j] = table[j, i] = k
    return table


def _geometry(frames: Frames, shapes: list[_Shape]) -> dict[str, Any]:
    """The arrays of the shapes: in principal axes, from the centres of mass."""
    poses = [_pose(frames, shape) for shape in shapes]
    hulls = [shape.part if isinstance(shape.part, ContactShape) else None for shape in shapes]
    vertices = [_moved(part, pose) for part, pose in zip(hulls, poses, strict=True)]
    first = np.cumsum([0, *map(len, vertices)])
    faces = [part.faces if part else () for part in hulls]
    normals = [part.normals @ pose.B.T if part else np.zeros((0, 3)) for part, pose in zip(hulls, poses, strict=True)]
    edges = [part.edges if part and part.kind == "HULL" else [] for part in hulls]
    corners = [[first[s] + v for v in face] for s, group in enumerate(faces) for face in group]
    kind = [kinds.PLANE_SHAPE if p is None else _KINDS[p.kind] for p in hulls]
    table = np.zeros((7, len(shapes) + 1), dtype=np.int64)
    table[SHAPE_BODY, :-1] = [shape.body for shape in shapes]
    table[SHAPE_KIND, :-1] = kind
    table[MATERIAL, :-1] = [shape.material for shape in shapes]
    table[MEETS, :-1] = [p.meets if p else 0 for p in hulls]
    table[FIRST_VERTEX] = first
    table[FIRST_FACE] = np.cumsum([0, *map(len, faces)])
    table[FIRST_EDGE] = np.cumsum([0, *map(len, edges)])
    none = (0.0, 0.0, 0.0)
    return {
        "table": table,
        "vector": np.array([[pose.a for pose in poses], [p.size if p else none for p in hulls]]).reshape(2, -1, 3),
        "axes": np.array([pose.B for pose in poses]).reshape(-1, 3, 3),
        "number": np.array(
            [
                [p.half if p else 0.0 for p in hulls],
                [p.radius if p else np.inf for p in hulls],
                [p.width if p else np.inf for p in hulls],
            ]
        ).reshape(3, -1),
        "vertex": np.concatenate([np.zeros((0, 3)), *vertices]),
        "face_normal": np.concatenate([np.zeros((0, 3)), *normals]),
        "corner_start": np.cumsum([0, *map(len, corners)]).astype(np.int64),
        "corner": np.array([v for face in corners for v in face], dtype=np.int64),
        "edge": np.array(
            [(first[s] + i, first[s] + j) for s, group in enumerate(edges) for i, j in group], dtype=np.int64
        ).reshape(-1, 2),
    }


_KINDS = {
    "BALL": kinds.BALL_SHAPE,
    "CAPSULE": kinds.CAPSULE_SHAPE,
    "HULL": kinds.HULL_SHAPE,
    "ROUND": kinds.ROUND_SHAPE,
    "CYLINDER": kinds.CYLINDER_SHAPE,
}


def _pose(frames: Frames, shape: _Shape) -> Pose:
    """The pose of a shape in principal axes, from the centre of mass; z is the normal of a plane."""
    to_principal = Pose(frames.center[shape.body], frames.axes[shape.body]).inverse()
    if isinstance(shape.part, Plane):
        n = shape.part.normal
        return to_principal @ Pose(shape.part.r, np.stack([*across(n), n], axis=1))
    return to_principal @ shape.part.pose


def _moved(part: ContactShape | None, pose: Pose) -> Array:
    return np.zeros((0, 3)) if part is None else pose.point(part.vertices).reshape(-1, 3)


def _capacity(shapes: list[_Shape], table: Ints) -> int:
    """Room for the contact points: all points of each shape against each plane that it meets, and a number for the
    pairs of other shapes that a crowd cannot exceed in practice."""
    planes = [s for s in shapes if isinstance(s.part, Plane)]
    others = [(s.material, s.part) for s in shapes if isinstance(s.part, ContactShape)]
    total = sum(_points(part) for k, part in others for p in planes if table[k, p.material] >= 0)
    count = np.bincount([k for k, _ in others], minlength=len(table))
    met = table >= 0
    pairs = float(count @ met @ count) / 2.0
    return int(total + min(FACE_POINTS * pairs, NEIGHBOURS * len(others)) + 8)


def _points(part: ContactShape) -> int:
    """Contact points with a plane, at most."""
    if part.meets in (OTHERS, ANGULAR):
        return 0
    return {"BALL": 1, "CAPSULE": 2, "HULL": len(part.vertices), "ROUND": 1, "CYLINDER": 16}[part.kind]


def _excluded(model: Model, rules: Rules, frames: Frames) -> Ints:
    """Keys of pairs of bodies that do not touch: moving bodies that a joint connects, neighbours in a beam, and those
    that users exclude. A pair with a Contact of its own touches."""
    n = len(model.bodies)
    pairs = (sorted(frames.number[body] for body in pair) for pair in _left_out(model, rules))
    return np.array(sorted(pair[0] * n + pair[-1] for pair in pairs), dtype=np.int64)


def _left_out(model: Model, rules: Rules) -> set[frozenset[Body]]:
    """The same as pairs of bodies."""
    if not rules.crowds:
        return set()
    joined = [
        [point.body for point in joint.points]
        for joint in model.joints
        if len(joint.points) == 2 and not any(point.body.is_world for point in joint.points)
    ]
    named = [pair for _, rule in rules.crowds for pair in rule.exclude]
    linked = [pair for thing in model.things for pair in thing.linked]
    own = {frozenset(_body(side) for side in rule.sides) for _, rule in rules.pairs}
    return {frozenset(pair) for pair in (*joined, *named, *linked)} - own


def _body(side: Side) -> Body:
    return side.body if isinstance(side, Plane) else side


def touch_scratch(system: System, columns: int) -> Touch:
    """New scratch for the contacts of `system`, with `columns` of signals."""
    contacts = system.contacts
    c, n, r, s = contacts.capacity, len(system.bodies.mass), len(system.rows.kind), contacts.number.shape[1]
    d = contacts.dense
    if not c:
        n = r = 0
    zeros = np.zeros

    def whole(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    slots = c + SPARE if c else 0
    points = Points(
        table=whole(8, slots), number=zeros((10, slots)), vector=zeros((7, slots, 3)), matrix=zeros((2, slots, 3, 3)),
        G=zeros((slots, 2, 3, 6)), corner=zeros((2, CORNERS if c else 0, 3)),
    )  # fmt: skip
    cone = Cone(
        table=whole(6, c + 2), A=zeros(9 * d * d), D=zeros(9 * d * d), answer=zeros((2, 3 * d, r)),
        row=zeros((7, 3 * d)), order=whole(3 * d), local=zeros((3, 3)), reply=zeros(r), body=whole(5, n),
        change=zeros((2, n, 3)),
    )  # fmt: skip
    return Touch(
        points=points, cone=cone, g0=zeros(c), separation=zeros(c), P1=zeros((c, 3)), P=zeros((c, 3)),
        P2=zeros((c, 3)), warm=zeros((c, 3)),
        v0=zeros((c, 3)), v1=zeros((c, 3)), e=zeros(c), closed=whole(c), p=zeros((n, 3)), L=zeros((n, 3)),
        impulse=zeros(r), reach=zeros(n), turn=zeros(n), tip=zeros(s), lever=zeros(n), limit=zeros(1),
        low=zeros(s), sorted=np.arange(s, dtype=np.int64),
        signals=zeros((SIGNAL_ROWS, columns if c else 0)), bracket=zeros(5),
        held=zeros(18 * n + MULTIPLIERS_KEPT * r + len(system.coordinates.kind) + 3),
        log=zeros((LOGGED if c else 0, LOG_WIDTH)), logged=whole(1),
    )  # fmt: skip


NO_CONTACTS = Contacts(
    **_geometry(None, []),  # type: ignore[arg-type]
    rule=np.zeros((0, 0), dtype=np.int64),
    law=np.zeros((6, 0)),
    excluded=np.zeros(0, dtype=np.int64),
    stop=np.zeros((4, 0)),
    dry=np.zeros((5, 0)),
    rope=np.zeros((10, 0)),
    capacity=0,
    dense=0,
    size_scale=1.0,
)
