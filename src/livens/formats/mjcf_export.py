"""A model written as MJCF, to be compared with MuJoCo: bodies with their inertia, joints, springs, dampers, armature.

Joints that close loops become equalities, which are soft in MuJoCo; stops become limits, which are soft there as well.
What MJCF has no word for is refused by name.
"""

from __future__ import annotations

import os
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import ArrayLike

from ..describe.forces.damper import Damper
from ..describe.forces.spring import Spring
from ..describe.joints.coupling import Coupling
from ..describe.joints.revolute import Revolute
from ..describe.joints.rigid import Rigid
from ..describe.joints.spherical import Spherical
from ..describe.model import Body, Model, Point
from ..describe.shapes.ball import Ball
from ..describe.shapes.box import Box
from ..describe.shapes.capsule import Capsule
from ..describe.shapes.cylinder import Cylinder
from ..errors import ModelError
from ..storage.atomic import replacing
from .mjcf_tree import Node, armatures, rates, refuse, tree_of, velocities


def write_mjcf(model: Model, path: str | os.PathLike[str]) -> None:
    """Write `model` as an MJCF file, for comparison with MuJoCo. Its velocities stand in the keyframe "start".

    >>> import livens as lv, tempfile
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lv.write_mjcf(m, folder + "/arm.xml")
    ...     again = lv.read_mjcf(folder + "/arm.xml", keyframe="start")
    >>> bool(abs(lv.dynamics(m).acceleration(arm) - lv.dynamics(again).acceleration("arm")).max() < 1e-12)
    True
    """
    data = ElementTree.tostring(_Writer(model).document(), encoding="utf-8", xml_declaration=True)
    with replacing(path) as temporary:
        temporary.write_bytes(data + b"\n")


def words(values: ArrayLike) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(x)) for x in np.ravel(np.asarray(values, dtype=float)))


class _Writer:
    """A model that becomes a document."""

    def __init__(self, model: Model):
        self.model = model
        self.armature, gone = armatures(model)
        self.tree, self.loops = tree_of(model, gone)
        self.sites: dict[Body, list[tuple[str, Point]]] = {}
        self.elements: dict[Body, Element] = {}
        self.moving = velocities(model)
        self.speeds: list[float] = []

    def document(self) -> Element:
        model = self.model
        for name in model.names:
            if not name.isprintable():
                raise ModelError(f"the name {name!r} cannot stand in XML: rename it.")
        top = Element("mujoco", model=model.name)
        SubElement(top, "compiler", angle="radian", autolimits="true")
        option = SubElement(top, "option", gravity=words(model.gravity))
        SubElement(option, "flag", contact="disable")
        world = SubElement(top, "worldbody")
        self.elements[model.world] = world
        for child in self.tree.children:
            self._body(world, child, model.world)
        self._tendons(top)
        self._equalities(top)
        if self.speeds:
            SubElement(SubElement(top, "keyframe"), "key", name="start", qvel=words(self.speeds))
        ElementTree.indent(top)
        return top

    def _body(self, above: Element, node: Node, parent: Body) -> None:
        body = node.body
        at = parent.pose.inverse() @ body.pose
        element = SubElement(above, "body", name=body.name, pos=words(at.a), quat=words(at.to_quaternion()))
        self.elements[body] = element
        matter = body.mass_properties
        if matter.principal()[0].min() <= 0.0:
            raise ModelError(f"body {body.name!r} has no inertia about some axis, and MuJoCo refuses such bodies.")
        J = matter.inertia
        full = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        mass = repr(matter.mass)
        SubElement(element, "inertial", pos=words(matter.center), mass=mass, fullinertia=words(full))
        if node.joint is None:
            SubElement(element, "freejoint", name=f"{body.name} free")
        for slot in node.slots:
            given = {"type": slot.kind, "name": slot.name, "pos": words(body.pose.inverse().point(node.place))}
            if slot.kind != "ball":
                given["axis"] = words(body.pose.B.T @ slot.axis)
            SubElement(element, "joint", given | (self._acts(node.joint) if slot.name == node.joint.name else {}))
        self.speeds += rates(node, parent, self.moving)
        self._look(element, body)
        for child in node.children:
            self._body(element, child, body)

    def _acts(self, joint: Any) -> dict[str, str]:
        """What acts on the coordinate of a joint, counted from the start."""
        if not joint.coordinates:
            return {}
        if joint.drive is not None:
            raise ModelError(f"the drive of joint {joint.name!r} has no counterpart in MJCF: leave it out to compare.")
        start = joint.coordinates[0].start
        given: dict[str, str] = {}
        if joint.stiffness:
            given |= {"stiffness": repr(joint.stiffness), "springref": repr(joint.rest - start)}
        if joint.damping:
            given["damping"] = repr(joint.damping)
        if joint in self.armature:
            given["armature"] = repr(self.armature[joint])
        if joint.limits is not None:
            ends = np.clip(joint.limits - start, -1e6, 1e6)
            given["range"] = words(ends)
        return given

    def _look(self, element: Element, body: Body) -> None:
        """A geom that collides with nothing, for shapes that MuJoCo has."""
        shape = body.shape
        if isinstance(shape, Box):
            kind, size = "box", [shape.x / 2, shape.y / 2, shape.z / 2]
        elif isinstance(shape, Ball):
            kind, size = "sphere", [shape.radius]
        elif isinstance(shape, Cylinder | Capsule):
            kind, size = type(shape).__name__.lower(), [shape.radius, shape.length / 2]
        else:
            kind, size = "", []
        if kind:
            SubElement(element, "geom", type=kind, size=words(size), contype="0", conaffinity="0")

    def _tendons(self, top: Element) -> None:
        """Springs and dampers between points."""
        tendon = None
        for force in self.model.forces:
            if not isinstance(force, Spring | Damper):
                raise refuse(force)
            tendon = SubElement(top, "tendon") if tendon is None else tendon
            damping = force.rate if isinstance(force, Damper) else force.damping
            given = {"name": force.name, "damping": repr(damping)}
            if isinstance(force, Spring):
                given |= {"stiffness": repr(force.stiffness), "springlength": repr(force.length)}
            spatial = SubElement(tendon, "spatial", given)
            for end, point in (("a", force.a), ("b", force.b)):
                name = f"{force.name} {end}"
                SubElement(self.elements[point.body], "site", name=name, pos=words(point.r))
                SubElement(spatial, "site", site=name)

    def _equalities(self, top: Element) -> None:
        """Joints that close loops, and couplings."""
        equality = SubElement(top, "equality") if self.loops else None
        for joint in self.loops:
            assert equality is not None
            if isinstance(joint, Coupling):
                first, second = (j.name for j in (joint.first, joint.second))
                SubElement(equality, "joint", name=joint.name, joint1=second, joint2=first, polycoef=words(
                    (0.0, joint.ratio, 0.0, 0.0, 0.0)))  # fmt: skip
            elif isinstance(joint, Rigid):
                SubElement(equality, "weld", name=joint.name, body1=joint.a.body.name, body2=joint.b.body.name)
            elif isinstance(joint, Spherical):
                self._connect(equality, joint.name, joint, joint.a.r)
            elif isinstance(joint, Revolute):
                if self._acts(joint):
                    raise ModelError(f"what acts on joint {joint.name!r}, which closes a loop, has no place in MJCF.")
                along = joint.a.body.pose.B.T @ joint.axis
                for k, r in enumerate((joint.a.r, joint.a.r + 0.1 * along)):
                    self._connect(equality, f"{joint.name} {k + 1}", joint, r)
            else:
                raise refuse(joint)

    def _connect(self, equality: Element, name: str, joint: Any, r: ArrayLike) -> None:
        ends = {"body1": joint.a.body.name, "body2": joint.b.body.name}
        SubElement(equality, "connect", name=name, anchor=words(r), **ends)
