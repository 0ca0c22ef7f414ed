"""A model as MuJoCo represents it: a tree of bodies, each with the slides and hinges that join it to its parent.

Joints state these slides and hinges themselves (`freedoms`). Joints that close loops are left over and become
equalities. A flywheel on the world that a coupling turns by ρ for each unit of another joint's coordinate becomes that
joint's armature, ρ² times its inertia (armature.py), instead of a body.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..checks import Array
from ..describe.body import Body, Point
from ..describe.model import Model
from ..describe.pose import Pose
from ..describe.row import Coordinate, Row
from ..describe.term import CoordinateSpring
from ..describe.thing import Thing
from ..errors import ModelError
from ..run.simulate import dynamics


@dataclass
class Slot:
    """One joint of MJCF: kind, axis in world axes at the start, name, and the coordinate that it is, if any."""

    kind: str  # "hinge", "slide" or "ball"
    name: str
    axis: Array
    coordinate: Coordinate | None = None


@dataclass
class Node:
    """A body of the tree, and the joint to its parent."""

    body: Body
    joint: Thing | None = None  # None: free, or the world
    slots: list[Slot] = field(default_factory=list)
    point: Point | None = None  # of the body, where its joint is
    children: list[Node] = field(default_factory=list)


@dataclass
class Action:
    """The passive elements on a coordinate of a joint."""

    springs: list[CoordinateSpring]
    damping: float

    @classmethod
    def on(cls, q: Coordinate) -> Action:
        """From the terms and rows of its joint; those of a ball joint act on its rotation."""
        springs = [term for term in q.joint.terms() if isinstance(term, CoordinateSpring)]
        mine = [x for x in springs if x.coordinate is q or (q.kind == "COMPONENT" and x.coordinate.kind == "ROTATION")]
        return cls(mine, sum((row.rate for row in q.joint.rows() if row.coordinates == (q,)), 0.0))

    @property
    def none(self) -> bool:
        """True if nothing acts."""
        return not self.springs and not self.damping


def acted(joint: Thing) -> bool:
    """True if a spring, damper, stop or prescribed motion acts on a coordinate of the joint."""
    return joint.drive is not None or any(not Action.on(q).none for q in joint.coordinates)


def coupling_row(joint: Thing) -> Row | None:
    """The only row of a thing that couples two coordinates; None for any other thing."""
    rows = joint.rows()
    return rows[0] if len(rows) == 1 and len(rows[0].coordinates) == 2 else None


def ratio_of(row: Row) -> float:
    """The second coordinate per first."""
    return -row.ratios[0] / row.ratios[1]


def armatures(model: Model) -> tuple[dict[Thing, float], set[Any]]:
    """Joint → armature, and the bodies, axles and couplings that represent it in the model."""
    found: dict[Thing, float] = {}
    gone: set[Any] = set()
    for thing in model.joints:
        row = coupling_row(thing)
        if row is None:
            continue
        geared, axle = (q.joint for q in row.coordinates)
        if [freedom.kind for freedom in axle.freedoms or ()] != ["hinge"]:
            continue
        fixed, carried = axle.points
        axis, wheel = axle.directions[0], carried.body
        used = [t for t in model.things if any(p.body is wheel for p in t.points)]
        arm = wheel.center.start - fixed.start
        centered = np.linalg.norm(np.cross(arm, axis)) <= 1e-12
        alone = all(t in (axle, thing) for t in used)
        if fixed.body is model.world and not acted(axle) and alone and centered:
            u = wheel.pose.B.T @ axis
            inertia = float(u @ wheel.mass_properties.inertia @ u)
            found[geared] = found.get(geared, 0.0) + ratio_of(row) ** 2 * inertia
            gone |= {wheel, axle, thing}
    return found, gone


def tree_of(model: Model, gone: set[Any]) -> tuple[Node, list[Thing]]:
    """The node of the world, which is the root of the tree, and the joints that are not in the tree."""
    root = Node(model.world)
    joints = [j for j in model.joints if j not in gone]
    reached: dict[Body, Node] = {model.world: root}
    used: set[Thing] = set()
    waiting = [root]
    bodies = [body for body in model.bodies[1:] if body not in gone]
    while True:
        for node in waiting:
            for joint in joints:
                if joint in used or joint.freedoms is None:
                    continue
                a, b = (point.body for point in joint.points)
                other = {a: b, b: a}.get(node.body)
                if other is None or other in reached:
                    continue
                used.add(joint)
                child = _joined(joint, node.body, other)
                node.children.append(child)
                reached[other] = child
                waiting.append(child)
        left = [body for body in bodies if body not in reached]
        if not left:
            break
        reached[left[0]] = Node(left[0])
        root.children.append(reached[left[0]])
        waiting = [reached[left[0]]]
    return root, [j for j in joints if j not in used]


def _joined(joint: Thing, parent: Body, child: Body) -> Node:
    """The node of the child. Coordinates have the sign that they have in the joint, whichever body is the parent."""
    a, b = joint.points
    forward = a.body is parent
    sign = 1.0 if forward else -1.0
    freedoms = joint.freedoms or ()
    slides = [freedom for freedom in freedoms if freedom.kind == "slide"]
    turns = [freedom for freedom in freedoms if freedom.kind != "slide"]
    ordered = slides + (turns if forward else turns[::-1])
    names = _slot_names(joint)
    slots = [Slot(kind, name, sign * axis) for (kind, axis), name in zip(ordered, names, strict=True)]
    _assign(joint, slots, forward)
    return Node(child, joint, slots, a if a.body is child else b)


def _assign(joint: Thing, slots: list[Slot], forward: bool) -> None:
    """Give each slot its coordinate. The slides of a planar joint are fixed to its first body, so they are joints of
    MJCF only if that is the parent."""
    free = [q for q in joint.coordinates if forward or q.is_angle or has_one_axis(joint)]
    for slot in slots if forward else slots[::-1]:
        for q in free:
            if q.is_angle == (slot.kind != "slide"):
                slot.coordinate = q
                free.remove(q)
                break


def has_one_axis(joint: Thing) -> bool:
    """True if the joint has an angle, a displacement, or one of each: its first coordinate is a joint of MJCF."""
    kinds = [q.kind for q in joint.coordinates]
    return 0 < len(kinds) == len(set(kinds))


def _slot_names(joint: Thing) -> list[str]:
    """The name of the joint for the freedom of its first coordinate, or for its only one; others have a suffix."""
    name, freedoms = joint.name, joint.freedoms or ()
    if not has_one_axis(joint):
        return [name] if len(freedoms) == 1 else [f"{name} {k + 1}" for k in range(len(freedoms))]
    first = "hinge" if joint.coordinates[0].is_angle else "slide"
    return [name if freedom.kind == first else f"{name} {freedom.kind}" for freedom in freedoms]


class Start:
    """The initial state that livens starts from: poses and velocities are fitted to the joints."""

    def __init__(self, model: Model):
        self.now = dynamics(model)
        self.model = model

    def pose(self, body: Body) -> Pose:
        """Of the body frame."""
        return Pose(self.now.position(body)[0], self.now.rotation(body)[0])

    def coordinate(self, q: Coordinate) -> float:
        """A coordinate of a joint [rad] or [m]."""
        k = [q is one for one in q.joint.coordinates].index(True)
        return float(np.ravel(self.now.coordinate(q.joint))[k])

    def rates(self, node: Node, parent: Body) -> list[float]:
        """The velocities of a body's joints, in MuJoCo's order and axes."""
        body, B = node.body, self.now.rotation(node.body)[0]
        omega, base = self.now.angular_velocity(body)[0], self.now.angular_velocity(parent)[0]
        if node.joint is None:
            return [*self.now.velocity(body)[0].tolist(), *(B.T @ omega).tolist()]
        if [slot.kind for slot in node.slots] == ["ball"]:
            return [float(x) for x in B.T @ (omega - base)]
        assert node.point is not None
        away = self.now.position(node.point)[0] - self.now.position(parent)[0]
        slip = self.now.velocity(node.point)[0] - self.now.velocity(parent)[0] - np.cross(base, away)
        values = dict.fromkeys(range(len(node.slots)), 0.0)
        for kind, relative in (("slide", slip), ("hinge", omega - base)):
            numbers = [k for k, slot in enumerate(node.slots) if slot.kind == kind]
            if numbers:
                axes = np.array([B @ body.pose.B.T @ node.slots[k].axis for k in numbers]).T
                found = np.linalg.lstsq(axes, relative, rcond=None)[0]
                values |= dict(zip(numbers, found.tolist(), strict=True))
        return list(values.values())


def refuse(thing: Thing) -> ModelError:
    """The error for a thing that MJCF cannot represent."""
    return ModelError(f"{thing.label} has no counterpart in MJCF: leave it out to compare.")
