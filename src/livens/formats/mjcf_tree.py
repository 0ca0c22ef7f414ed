"""A model as MuJoCo would hold it: a tree of bodies, each with the slides and hinges that join it to its parent.

Joints that close loops stay over, to be equalities. A flywheel on the world that a coupling turns by ρ for each unit of
another joint's coordinate is that joint's armature, ρ² times its inertia (armature.py), and no body.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..checks import Array
from ..compile import start_rates
from ..describe.joints.coupling import Coupling
from ..describe.joints.cylindrical import Cylindrical
from ..describe.joints.planar import Planar
from ..describe.joints.prismatic import Prismatic
from ..describe.joints.revolute import Revolute
from ..describe.joints.rigid import Rigid
from ..describe.joints.spherical import Spherical
from ..describe.joints.universal import Universal
from ..describe.model import Body, Model
from ..describe.row import across
from ..errors import ModelError
from ..run.simulate import dynamics

TREE = (Revolute, Prismatic, Cylindrical, Spherical, Universal, Planar, Rigid)


@dataclass
class Slot:
    """One joint of MJCF: kind, axis in world axes at the start, name."""

    kind: str  # "hinge", "slide" or "ball"
    name: str
    axis: Array


@dataclass
class Node:
    """A body of the tree, and what joins it to its parent."""

    body: Body
    joint: Any = None  # None: free, or the world
    slots: list[Slot] = field(default_factory=list)
    place: Array = field(default_factory=lambda: np.zeros(3))  # of the joint, world axes at the start
    children: list[Node] = field(default_factory=list)


def armatures(model: Model) -> tuple[dict[Any, float], set[Any]]:
    """Joint → armature, and the bodies, axles and couplings that it stands for."""
    found: dict[Any, float] = {}
    gone: set[Any] = set()
    for thing in model.joints:
        if not isinstance(thing, Coupling) or not isinstance(thing.second, Revolute):
            continue
        axle, wheel = thing.second, thing.second.b.body
        plain = not (axle.stiffness or axle.damping or axle.limits is not None or axle.drive)
        used = [t for t in [*model.joints, *model.forces] if any(p.body is wheel for p in t.points)]
        arm = wheel.center.start - axle.a.start
        centered = np.linalg.norm(np.cross(arm, axle.axis)) <= 1e-12
        alone = all(t in (axle, thing) for t in used)
        if axle.a.body is model.world and plain and alone and centered:
            u = wheel.pose.B.T @ axle.axis
            found[thing.first] = found.get(thing.first, 0.0) + thing.ratio**2 * float(
                u @ wheel.mass_properties.inertia @ u
            )
            gone |= {wheel, axle, thing}
    return found, gone


def tree_of(model: Model, gone: set[Any]) -> tuple[Node, list[Any]]:
    """The world's node, under which every body hangs, and the joints that are not in the tree."""
    root = Node(model.world)
    joints = [j for j in model.joints if j not in gone]
    reached, used = {model.world: root}, set()
    waiting = [root]
    bodies = [body for body in model.bodies[1:] if body not in gone]
    while True:
        for node in waiting:
            for joint in joints:
                if joint in used or not isinstance(joint, TREE):
                    continue
                ends = {joint.a.body: joint.b.body, joint.b.body: joint.a.body}
                other = ends.get(node.body)
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


def _joined(joint: Any, parent: Body, child: Body) -> Node:
    """The child's node: coordinates count as those of the joint, whichever of its bodies is the parent."""
    sign = 1.0 if joint.a.body is parent else -1.0
    name = joint.name
    if isinstance(joint, Rigid):
        slots = []
    elif isinstance(joint, Spherical):
        slots = [Slot("ball", name, np.zeros(3))]
    elif isinstance(joint, Universal):
        axes = [joint.axis_a, joint.axis_b] if sign > 0.0 else [joint.axis_b, joint.axis_a]
        slots = [Slot("hinge", f"{name} {k + 1}", axis) for k, axis in enumerate(axes)]
    elif isinstance(joint, Planar):
        slots = [Slot("slide", f"{name} {k + 1}", axis) for k, axis in enumerate(across(joint.normal))]
        slots.append(Slot("hinge", f"{name} 3", joint.normal))
    elif isinstance(joint, Cylindrical):
        slots = [Slot("slide", f"{name} slide", sign * joint.axis), Slot("hinge", name, sign * joint.axis)]
    else:
        kind = "hinge" if isinstance(joint, Revolute) else "slide"
        slots = [Slot(kind, name, sign * joint.axis)]
    place = (joint.a if joint.a.body is child else joint.b).start
    return Node(child, joint, slots, place)


def velocities(model: Model) -> dict[Body, tuple[Array, Array]]:
    """Velocity and body rates of all bodies at the start: those given, or those that joints with a start_rate ask."""
    if not start_rates.rates(model):
        return {body: (body.velocity, body.body_rates) for body in model.bodies}
    now = dynamics(model)
    moving = {body: (now.velocity(body)[0], now.body_rates(body)[0]) for body in model.bodies[1:]}
    return {model.world: (np.zeros(3), np.zeros(3)), **moving}


def rates(node: Node, parent: Body, moving: dict[Body, tuple[Array, Array]]) -> list[float]:
    """The velocities of a body's joints at the start, in MuJoCo's order and axes."""
    body = node.body
    (v, w), (v_parent, w_parent) = moving[body], moving[parent]
    if node.joint is None:
        return [*v.tolist(), *w.tolist()]
    omega, base = body.pose.B @ w, parent.pose.B @ w_parent
    if [slot.kind for slot in node.slots] == ["ball"]:
        return (body.pose.B.T @ (omega - base)).tolist()
    ends = [
        v + np.cross(omega, node.place - body.pose.a),
        v_parent + np.cross(base, node.place - parent.pose.a),
    ]
    values = dict.fromkeys(range(len(node.slots)), 0.0)
    for kind, relative in (("slide", ends[0] - ends[1]), ("hinge", omega - base)):
        numbers = [k for k, slot in enumerate(node.slots) if slot.kind == kind]
        if numbers:
            axes = np.array([node.slots[k].axis for k in numbers]).T
            found = np.linalg.lstsq(axes, relative, rcond=None)[0]
            values |= dict(zip(numbers, found.tolist(), strict=True))
    return list(values.values())


def refuse(thing: Any) -> ModelError:
    """The sentence for what MJCF cannot say."""
    return ModelError(f"{type(thing).__name__} {thing.name!r} has no counterpart in MJCF: leave it out to compare.")
