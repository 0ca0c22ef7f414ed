"""A model written as MJCF, to be compared with MuJoCo: bodies with their inertia, joints, springs, dampers, armature.

Joints that close loops become equalities, which are soft in MuJoCo; stops become limits, which are soft there as well.
Motors become actuators.
A thing that MJCF cannot represent is refused by name.
"""

from __future__ import annotations

import os
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import ArrayLike

from ..describe.body import Body, Point
from ..describe.model import Model
from ..describe.plane import plane_normal
from ..describe.shapes.ball import Ball
from ..describe.shapes.box import Box
from ..describe.shapes.capsule import Capsule
from ..describe.shapes.cylinder import Cylinder
from ..describe.signal import sample
from ..describe.term import CoordinateMotor, PointSpring
from ..describe.thing import Thing
from ..errors import ModelError
from ..storage.atomic import MARK, replacing
from .mjcf_tree import Action, Node, Slot, Start, acted, armatures, coupling_row, ratio_of, refuse, tree_of


def write_mjcf(model: Model, path: str | os.PathLike[str], force: bool = False) -> None:
    """Write `model` as an MJCF file, for comparison with MuJoCo. It starts where livens does: poses and velocities are
    fitted to the joints. Velocities, and the efforts of motors at t = 0, are in the keyframe "start".
    force: replace a file that livens did not write.

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
    with replacing(path, "mechanism in MJCF", force) as temporary:
        temporary.write_bytes(data + f"\n<!-- {MARK} -->\n".encode())


def words(values: ArrayLike) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(x)) for x in np.ravel(np.asarray(values, dtype=float)))


def motors_of(force: Thing) -> list[CoordinateMotor]:
    """The motors of which a force consists; none if it is anything else."""
    terms = force.terms()
    motors = [term for term in terms if isinstance(term, CoordinateMotor)]
    return motors if len(motors) == len(terms) and not force.rows() else []


class _Writer:
    """Writes a model as an XML document."""

    def __init__(self, model: Model):
        self.model = model
        self.armature, gone = armatures(model)
        self.tree, self.loops = tree_of(model, gone)
        self.sites: dict[Body, list[tuple[str, Point]]] = {}
        self.elements: dict[Body, Element] = {}
        self.start = Start(model)
        self.slots: dict[int, str] = {}  # coordinate, by identity → the joint of MJCF that it is
        self.speeds: list[float] = []
        self.efforts: list[float] = []  # of the motors at t = 0

    def document(self) -> Element:
        model = self.model
        for name in model.names:
            if not name.isprintable():
                raise ModelError(f"the name {name!r} cannot be written in XML: rename it.")
        top = Element("mujoco", model=model.name)
        SubElement(top, "compiler", angle="radian", autolimits="true")
        option = SubElement(top, "option", gravity=words(model.gravity))
        SubElement(option, "flag", contact="disable")
        world = SubElement(top, "worldbody")
        self.elements[model.world] = world
        for child in self.tree.children:
            self._body(world, child, model.world)
        motors = [force for force in model.forces if motors_of(force)]
        self._tendons(top, [force for force in model.forces if force not in motors])
        self._equalities(top)
        self._actuators(top, motors)
        if self.speeds:
            start = {"name": "start", "qvel": words(self.speeds)}
            start |= {"ctrl": words(self.efforts)} if self.efforts else {}
            SubElement(SubElement(top, "keyframe"), "key", start)
        ElementTree.indent(top)
        return top

    def _body(self, above: Element, node: Node, parent: Body) -> None:
        body = node.body
        if self.model.planar:
            self._check_plane(node)
        at = self.start.pose(parent).inverse() @ self.start.pose(body)
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
            assert node.point is not None
            given = {"type": slot.kind, "name": slot.name, "pos": words(node.point.r)}
            if slot.coordinate is not None and slot.kind != "ball":
                self.slots[id(slot.coordinate)] = slot.name
            if slot.kind != "ball":
                given["axis"] = words(body.pose.B.T @ slot.axis)
            SubElement(element, "joint", given | self._acts(slot))
        if node.joint is not None:
            self._check_written(node)
        self.speeds += self.start.rates(node, parent)
        self._look(element, body)
        for child in node.children:
            self._body(element, child, body)

    def _acts(self, slot: Slot) -> dict[str, str]:
        """The attributes of a joint of MJCF: the coordinate at the start, and the elements on it."""
        q = slot.coordinate
        if q is None:
            return {}
        action, joint = Action.on(q), q.joint
        given: dict[str, str] = {}
        if q.kind != "COMPONENT":
            start = self.start.coordinate(q)
            given |= {"ref": repr(start)} if start else {}
        for spring in action.springs:
            if spring.stiffness:
                given["stiffness"] = repr(spring.stiffness)
                given |= {"springref": repr(spring.rest)} if q.kind != "COMPONENT" else {}
            if spring.limits is not None:
                given["range"] = words(np.clip(spring.limits, 0.0 if q.kind == "COMPONENT" else -1e6, 1e6))
            if q.kind == "COMPONENT" and spring.coordinate.start > 1e-12:
                raise ModelError(
                    f"{joint.label} has a spring or a limit and does not start at zero, which MJCF cannot represent: "
                    "place its bodies so that its rotation vector is zero."
                )
        if action.damping:
            given["damping"] = repr(action.damping)
        if joint in self.armature and q is joint.coordinates[0]:
            given["armature"] = repr(self.armature[joint])
        return given

    def _check_plane(self, node: Node) -> None:
        """Refuse a body of a planar model whose own joint lets it leave the plane."""
        n = plane_normal(self.model.planar)
        hinges = [slot for slot in node.slots if slot.kind == "hinge" and np.linalg.norm(np.cross(slot.axis, n)) < 1e-9]
        slides = [slot for slot in node.slots if slot.kind == "slide" and abs(slot.axis @ n) < 1e-9]
        if node.joint is None or len(hinges) + len(slides) < len(node.slots):
            raise ModelError(
                f"body {node.body.name!r} is kept to its plane by Model(planar={self.model.planar!r}), which MJCF "
                "cannot represent: join it by hinges across the plane or slides in it."
            )

    def _check_written(self, node: Node) -> None:
        """Refuse a prescribed motion, and elements on coordinates that no joint of MJCF has."""
        joint = node.joint
        assert joint is not None
        if joint.drive is not None:
            raise ModelError(f"the drive of joint {joint.name!r} has no counterpart in MJCF: leave it out to compare.")
        written = {id(slot.coordinate) for slot in node.slots}
        balls = [q for q in joint.coordinates if q.kind == "COMPONENT"]
        if any(id(q) not in written and not Action.on(q).none for q in joint.coordinates if q not in balls):
            raise ModelError(
                f"{joint.label} has a spring, damper or limit along a displacement of its second body, seen from "
                "there, which MJCF cannot represent: exchange its points."
            )

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

    def _actuators(self, top: Element, forces: list[Thing]) -> None:
        """Motors; their efforts at t = 0 are in the keyframe. Controllers are called in a run: their efforts are 0."""
        actuator = SubElement(top, "actuator") if forces else None
        for force in forces:
            for motor in motors_of(force):
                joint = motor.coordinate.joint
                if joint in self.loops:
                    raise ModelError(
                        f"{force.label} acts on {joint.name!r}, which closes a loop, where MJCF has no actuators: "
                        "leave it out."
                    )
                if (name := self.slots.get(id(motor.coordinate))) is None:
                    raise ModelError(
                        f"{force.label} acts on a coordinate of {joint.name!r} that MJCF does not have: leave it out."
                    )
                assert actuator is not None
                SubElement(actuator, "motor", name=force.name, joint=name)
                varying = callable(motor.effort) and motor.rate is None
                effort = sample(motor.effort, np.zeros(1), (), force, "effort")[0] if varying else motor.effort
                self.efforts.append(float(effort) if motor.rate is None else 0.0)

    def _tendons(self, top: Element, forces: list[Thing]) -> None:
        """Springs and dampers between points."""
        tendon = None
        for force in forces:
            rows, springs = force.rows(), [term for term in force.terms() if isinstance(term, PointSpring)]
            ends = {(row.a, row.b) for row in rows} | {(spring.a, spring.b) for spring in springs}
            if len(ends) != 1 or len(springs) < len(force.terms()) or len(springs) > 1 or len(rows) > 1:
                raise refuse(force)
            tendon = SubElement(top, "tendon") if tendon is None else tendon
            given = {"name": force.name, "damping": repr(sum((row.rate for row in rows), 0.0))}
            for spring in springs:
                given |= {"stiffness": repr(spring.stiffness), "springlength": repr(spring.length)}
            spatial = SubElement(tendon, "spatial", given)
            for end, point in zip("ab", ends.pop(), strict=True):
                name = f"{force.name} {end}"
                SubElement(self.elements[point.body], "site", name=name, pos=words(point.r))
                SubElement(spatial, "site", site=name)

    def _equalities(self, top: Element) -> None:
        """Joints that close loops, and couplings."""
        equality = SubElement(top, "equality") if self.loops else None
        for joint in self.loops:
            assert equality is not None
            row = coupling_row(joint)
            left = None if joint.freedoms is None else [freedom.kind for freedom in joint.freedoms]
            if row is not None:
                first, second = (q.joint.name for q in row.coordinates)
                SubElement(equality, "joint", name=joint.name, joint1=second, joint2=first, polycoef=words(
                    (0.0, ratio_of(row), 0.0, 0.0, 0.0)))  # fmt: skip
            elif left == []:
                a, b = joint.points
                SubElement(equality, "weld", name=joint.name, body1=a.body.name, body2=b.body.name)
            elif left == ["ball"]:
                self._connect(equality, joint.name, joint, joint.points[0].r)
            elif left == ["hinge"]:
                if acted(joint):
                    raise ModelError(
                        f"joint {joint.name!r} closes a loop, where MJCF has no springs, dampers or stops: leave these "
                        "out to compare."
                    )
                a = joint.points[0]
                along = a.body.pose.B.T @ joint.directions[0]
                for k, r in enumerate((a.r, a.r + 0.1 * along)):
                    self._connect(equality, f"{joint.name} {k + 1}", joint, r)
            else:
                raise refuse(joint)

    def _connect(self, equality: Element, name: str, joint: Thing, r: ArrayLike) -> None:
        a, b = joint.points
        SubElement(equality, "connect", name=name, anchor=words(r), body1=a.body.name, body2=b.body.name)
