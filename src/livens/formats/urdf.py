"""URDF files as models: a tree of links, each placed by the joints that lead to it.

Links with fixed joints between them are one body, with the sum of their mass properties. A link without mass that moves
cannot be a body: if it has one child joint, the joints before and after it become one joint (chain.py); if it has none,
it is left out. A joint with <mimic>, q = multiplier·q_leader + offset, is coupled to its leader, which has the
intersection of the limits of both: if the multiplier is negative, the lower limit of the follower is an upper one.

With the pose (a, B) and the velocity (v, ω) of a parent, and a joint frame at a + B r with axis u (world axes), the
child has

    hinge    (a + B r, B R(u, q)),    v + ω × B r,              ω + u q̇                                           (1)
    slide    (a + B r + u q, B),      v + ω × (B r + u q) + u q̇,  ω
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, file_path, finite, not_negative
from ..describe.contact_rule import Side
from ..describe.joints.coupling import Coupling
from ..describe.mass import MassProperties
from ..describe.model import Body, Model
from ..describe.pose import Pose, cross, hat
from ..describe.row import across
from ..describe.shapes.solid import Solid
from ..describe.surface import Surface
from ..errors import ModelError, ModelWarning
from .armature import unused_name
from .chain import Dof, join
from .collision import Placed, add_contacts, check_collision, collision_shape, fixed_body, joined_bodies
from .inertias import check_inertias
from .urdf_text import Arm, Link, Robot, read_robot
from .visuals import Meshes

FREEDOMS = {"fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "planar": 3, "floating": 0}


def read_urdf(
    path: str | os.PathLike[str],
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    *,
    base: str = "fixed",
    gravity: ArrayLike = (0.0, 0.0, -9.81),
    positions: Mapping[str, ArrayLike] | None = None,
    velocities: Mapping[str, ArrayLike] | None = None,
    meshes: bool = True,
    allow_outside: bool = False,
    inertia: str = "refuse",
    contacts: bool = False,
    friction: float = 1.0,
    collision: str = "hull",
) -> Model:
    """The model in a URDF file: every type of joint, mimic, inertials, damping, limits as stops, visuals, and collision
    geometry.

    base: "fixed" fixes the first link to the world, "free" does not. positions [rad or m] and velocities at the start
    by joint; a joint that is not named starts at zero, or at its limit nearest to zero. Coordinates of joints and their
    limits are those of the file. packages: the folders for
    package://name/… in the names of meshes; otherwise folders above the file are searched. Meshes are STL, OBJ or
    COLLADA (.dae): a ModelWarning lists those that cannot be read, in the place of which collision geometry is drawn,
    and friction of joints, which is not imported. inertia:
    "refuse" a link whose inertia no body has, or "repair" it, with a ModelWarning (lv.MassProperties.repaired).
    <collision> becomes `collision` of the bodies: a mesh its convex hull or, with collision="parts", its convex parts
    (lv.convex_parts). contacts: add lv.Contacts with `friction`
    between all bodies that have such geometry and are not neighbours; the files have no floor and no friction.

    >>> import livens as lv, tempfile, pathlib
    >>> text = '''<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0 0 -0.5"/>
    ...   <mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.01"/></inertial></link>
    ...   <joint name="pin" type="continuous"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/></joint>
    ...   </robot>'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "arm.urdf")
    ...     _ = file.write_text(text)
    ...     model = lv.read_urdf(file, velocities={"pin": 3.0})
    >>> model, model["bar"].body_rates.tolist()
    (Model('arm': 1 body, 1 joint, 0 forces), [0.0, 3.0, 0.0])
    """
    check_collision(collision)
    if base not in ("fixed", "free"):
        raise ModelError(f"base must be 'fixed' or 'free', not {base!r}.")
    file = file_path(path)
    notes: list[str] = []
    robot = read_robot(file, notes)
    if base == "free" and robot.root == "world":
        raise ModelError(
            f"the first link of {file.name} is 'world', to which the robot is fixed: its base is not free."
        )
    visuals = Meshes(file, packages or {}, allow_outside, collision) if meshes else None
    reader = _Reader(robot, gravity, base == "free", positions or {}, velocities or {}, visuals, notes)
    check_inertias(file, "link", reader.links_of_bodies(), inertia)
    model = reader.read()
    if contacts:
        reader.add_contacts(not_negative(friction, "friction"))
    notes += visuals.notes() if visuals is not None else []
    if notes:
        warnings.warn(f"{file.name}: not imported: {', '.join(notes)}.", ModelWarning, stacklevel=2)
    return model


class _Reader:
    """Builds a model from a robot."""

    def __init__(
        self, robot: Robot, gravity: ArrayLike, free: bool, positions: Mapping[str, Any], velocities: Mapping[str, Any],
        meshes: Meshes | None, notes: list[str],
    ):  # fmt: skip
        self.robot, self.free, self.meshes, self.notes = robot, free, meshes, notes
        self.model = Model(gravity=gravity, name=robot.name)
        self.by_name = {arm.name: arm for arm in robot.arms.values()}
        for name in (*positions, *velocities):
            if name not in self.by_name:
                raise ModelError(f"the robot has no joint {name!r}; it has {', '.join(self.by_name)}.")
        self.limits = self._limits()
        self.q = {name: self._coordinates(name, positions, True) for name in self.by_name}
        self.rate = {name: self._coordinates(name, velocities, False) for name in self.by_name}
        self.pose: dict[str, Pose] = {robot.root: Pose()}
        self.motion: dict[str, tuple[Array, Array]] = {robot.root: (np.zeros(3), np.zeros(3))}
        self.chains: dict[str, list[Dof]] = {}
        for arm in robot.arms.values():
            self._place(arm)

    def read(self) -> Model:
        robot, model = self.robot, self.model
        head, parts = self._parts()
        mass_properties = {
            first: self._matter(links) for first, links in parts.items() if first != robot.root or self.free
        }
        bodies = {} if self.free else {robot.root: model.world}
        for first, matter in mass_properties.items():
            if matter is not None:
                bodies[first] = model.add(self._body(first, parts[first], matter))
        joints: dict[str, Any] = {}
        for first in bodies:
            if first != robot.root:
                self._join(first, head, bodies, joints)
        self._left_out(mass_properties, head)
        for arm in robot.arms.values():
            if arm.mimic is not None and arm.name in joints:
                self._mimic(arm, joints)
        with_friction = [arm.name for arm in robot.arms.values() if arm.friction]
        if with_friction:
            self.notes.append(f"the friction of {len(with_friction)} joint{'s' * (len(with_friction) > 1)}")
        return model

    def _parts(self) -> tuple[dict[str, str], dict[str, list[str]]]:
        """The first link of the body of each link, and all links of each body by its first."""
        head = {self.robot.root: self.robot.root}
        for arm in self.robot.arms.values():
            head[arm.child] = head[arm.parent] if arm.kind == "fixed" else arm.child
        parts: dict[str, list[str]] = {}
        for link, first in head.items():
            parts.setdefault(first, []).append(link)
        return head, parts

    def links_of_bodies(self) -> dict[str, Link]:
        """The links whose inertia counts: those of bodies that move and have mass."""
        links = self.robot.links
        moving = [names for first, names in self._parts()[1].items() if first != self.robot.root or self.free]
        return {name: links[name] for names in moving if any(links[x].mass > 0.0 for x in names) for name in names}

    # ── positions and velocities ──

    def _leader(self, name: str, given: Mapping[str, Any] = MappingProxyType({})) -> tuple[Arm, float, float]:
        """The joint that a joint follows directly or through others, and factor and offset of its coordinate: the joint
        itself if it mimics none. It ends at a joint whose coordinate is `given`."""
        arm, seen = self.by_name[name], [name]
        factor, offset = 1.0, 0.0
        while arm.mimic is not None and arm.name not in given:
            other, ratio, shift = arm.mimic
            if other not in self.by_name or other in seen or FREEDOMS[self.by_name[other].kind] != 1:
                raise ModelError(f"joint {arm.name!r} mimics {other[:60]!r}, which is not a joint with one coordinate.")
            seen.append(other)
            offset, factor = offset + factor * shift, factor * ratio
            arm = self.by_name[other]
        return arm, factor, offset

    def _limits(self) -> dict[str, tuple[float, float] | None]:
        """The limits of each joint that mimics none: its own, intersected with those of its followers."""
        found = {arm.name: arm.limits for arm in self.by_name.values() if arm.mimic is None}
        for arm in self.by_name.values():
            if arm.mimic is None or arm.limits is None:
                continue
            leader, factor, offset = self._leader(arm.name)
            if factor == 0.0:
                continue  # refused when it is coupled
            ends = sorted((end - offset) / factor for end in arm.limits)
            own = found[leader.name] or (-np.inf, np.inf)
            lower, upper = max(own[0], ends[0]), min(own[1], ends[1])
            if lower < upper:
                found[leader.name] = (lower, upper)
            else:
                self.notes.append(f"the limits of {arm.name!r}, which exclude those of {leader.name!r} that it mimics")
        return found

    def _coordinates(self, name: str, given: Mapping[str, Any], position: bool) -> Array:
        """Position or velocity of a joint at the start, as given, from its limits, or from the joint it mimics."""
        arm, factor, offset = self._leader(name, given)
        count = FREEDOMS[arm.kind]
        if arm.name in given:
            what = f"{'position' if position else 'velocity'} of joint {arm.name!r}"
            value = finite(np.atleast_1d(np.asarray(given[arm.name], dtype=float)), (count,), what)
        else:
            value, limits = np.zeros(count), self.limits[arm.name]
            if position and limits is not None:
                value = np.clip(value, *limits)
        return factor * value + (offset if position else 0.0)

    def _place(self, arm: Arm) -> None:
        """Equation (1), for one degree of freedom after the other."""
        pose, (v, omega) = self.pose[arm.parent], self.motion[arm.parent]
        frame = pose @ arm.origin
        v = v + cross(omega, frame.a - pose.a)
        kinds = {"planar": ("slide", "slide", "hinge"), "prismatic": ("slide",), "fixed": (), "floating": ()}
        axes = [*across(arm.axis), arm.axis] if arm.kind == "planar" else [arm.axis]
        chain = []
        for k, kind in enumerate(kinds.get(arm.kind, ("hinge",))):
            u, q, rate = frame.B @ axes[k], float(self.q[arm.name][k]), float(self.rate[arm.name][k])
            if kind == "hinge":
                frame = Pose(frame.a, Pose.from_axis_angle(u, q).B @ frame.B)
                omega = omega + rate * u
            else:
                frame, v = Pose(frame.a + q * u, frame.B), v + cross(omega, q * u) + rate * u
            chain.append(Dof(
                kind, arm.name, frame.a, u, position=q, rate=rate, damping=arm.damping,
                limits=self.limits.get(arm.name),
            ))  # fmt: skip
        for k, f in enumerate(chain[:-1]):
            f.name = f"{arm.name} {'xy'[k]}"
        self.pose[arm.child], self.motion[arm.child], self.chains[arm.child] = frame, (v, omega), chain

    # ── bodies and joints ──

    def _matter(self, links: list[str]) -> MassProperties | None:
        """The mass properties of several links in the frame of the first, None if they have no mass."""
        base, parts = self.pose[links[0]].inverse(), [self.robot.links[name] for name in links]
        there = [base @ self.pose[name] for name in links]
        m = sum(link.mass for link in parts)
        if m <= 0.0:
            return None
        centers = [pose.point(link.center) for pose, link in zip(there, parts, strict=True)]
        c = sum(link.mass * center for link, center in zip(parts, centers, strict=True)) / m
        inertia = np.zeros((3, 3))
        for link, pose, center in zip(parts, there, centers, strict=True):
            away = center - c if len(parts) > 1 else np.zeros(3)
            inertia += pose.B @ link.inertia @ pose.B.T - link.mass * hat(away) @ hat(away)
        if np.abs(inertia).max() <= 1e-15 * m * max(float(x @ x) for x in centers):
            inertia[:] = 0.0  # point masses at the same point, up to round-off
        try:
            return MassProperties(m, inertia, c)
        except ModelError as error:
            raise ModelError(f"link {links[0]!r}: {error}") from None

    def _body(self, first: str, links: list[str], matter: MassProperties) -> Body:
        pose, (v, omega) = self.pose[first], self.motion[first]
        surface: Surface | None = None
        for name in links:
            for at, seen in self.meshes.drawn(self.robot.links[name], name) if self.meshes is not None else ():
                placed = seen.moved(pose.inverse() @ self.pose[name] @ at)
                surface = placed if surface is None else surface.joined(placed)
        solid = Solid(matter, matter.surface if surface is None else surface)
        title, touch = unused_name(self.model, first), collision_shape(self._solids(links, pose))
        paint = next((color for name in links if (color := self.robot.links[name].color) is not None), None)
        return Body(
            solid, at=pose.a, rotation=pose.B, velocity=v, angular_velocity=omega, collision=touch, name=title,
            color=None if paint is None else paint[:3], opacity=1.0 if paint is None else paint[3],
        )  # fmt: skip

    def _solids(self, links: list[str], pose: Pose) -> list[Placed]:
        """The collision geometry of several links, in the axes of `pose`."""
        base, found = pose.inverse(), []
        for name in links if self.meshes is not None else ():
            for at, element in self.robot.links[name].collisions:
                if self.meshes is not None and (shape := self.meshes.solid(element, name)) is not None:
                    found.append((shape, base @ self.pose[name] @ at))
        return found

    def add_contacts(self, friction: float) -> None:
        """Contacts between all bodies with collision geometry, except those that a joint connects."""
        model, parts = self.model, self._parts()[1]
        root = self.robot.root
        fixed = [] if self.free else self._solids(parts[root], Pose())
        solids = [body for body in model.bodies[1:] if body.collision is not None]
        touching: dict[tuple[Side, Side], float] = dict.fromkeys(combinations(solids, 2), friction)
        if fixed:
            ground = fixed_body(model, fixed)
            ends = [{point.body for point in joint.points} for joint in model.joints]
            hung = set().union(*(bodies for bodies in ends if model.world in bodies))
            touching |= {(ground, body): friction for body in solids if body not in hung}
        for pair in joined_bodies(model):
            one, two = pair
            touching.pop((one, two), None)
            touching.pop((two, one), None)
        add_contacts(model, touching)

    def _join(self, first: str, head: dict[str, str], bodies: dict[str, Body], joints: dict[str, Any]) -> None:
        """The joints between a link and the next link with mass towards the root, as one joint."""
        chain: list[Dof] = []
        arms = []
        link = first
        while True:
            arm = self.robot.arms[link]
            arms.append(arm)
            chain = self.chains[link] + chain
            link = head[arm.parent]
            if link in bodies:
                break
            if sum(head[other.parent] == link and other.kind != "fixed" for other in self.robot.arms.values()) > 1:
                raise ModelError(
                    f"link {link!r} moves without mass and has several child joints, for which there is no "
                    "joint: give it an inertial."
                )
            if link == self.robot.root:
                self.notes.append(f"joint {arm.name!r}, before which no link has mass")
                return
        if any(arm.kind == "floating" for arm in arms):
            return
        if bodies[first].mass_properties.principal()[0].min() <= 0.0:
            raise ModelError(
                f"link {first!r} has mass but no inertia about some axis, like a point mass, and its joint would "
                "turn it: give it an inertia."
            )
        made = join(self.model, bodies[link], bodies[first], chain)
        if len(chain) == 1:
            joints[arms[0].name] = made[0]
        else:
            self.notes += [f"the mimic of {arm.name!r}, which is one of several joints" for arm in arms if arm.mimic]

    def _left_out(self, mass_properties: dict[str, MassProperties | None], head: dict[str, str]) -> None:
        """Note the links without mass that have no child."""
        for first, matter in mass_properties.items():
            ends = not any(head[a.parent] == first and a.kind != "fixed" for a in self.robot.arms.values())
            if matter is None and ends and first != self.robot.root:
                self.notes.append(f"link {first!r}, which moves without mass and has no child")

    def _mimic(self, arm: Arm, joints: dict[str, Any]) -> None:
        assert arm.mimic is not None
        other, ratio, _ = arm.mimic
        if other not in joints:
            raise ModelError(f"joint {arm.name!r} mimics {other!r}, which has no coordinate of its own in this model.")
        if ratio == 0.0:
            raise ModelError(f"joint {arm.name!r} mimics {other!r} by a multiplier of zero: make it a fixed joint.")
        name = unused_name(self.model, f"{arm.name} mimic")
        self.model.add(Coupling(joints[other], joints[arm.name], ratio=ratio, name=name))
