"""MJCF files as models: bodies, joints and their passive elements, with the numbers of MuJoCo's compiler.

Bodies that MuJoCo welds together are one body here. Joints of a body are a chain (chain.py), armature is a flywheel
that the joint turns (armature.py). A limit becomes a stop: a spring with the natural frequency of MuJoCo's soft
constraint, for the inertia m that MuJoCo finds at the reference position. With timeconst τ, dampratio ζ and
impedance d,

    k = m / (d τ ζ)²                                                                                              (1)

Equality constraints, which are soft in MuJoCo, are exact here, and so are contacts (mjcf_collision.py). Actuators,
tendons and dry friction of joints are not imported, and a warning lists those of the file.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, file_path, finite
from ..describe.forces.force import Force
from ..describe.forces.load import Load
from ..describe.mass import MassProperties
from ..describe.model import Body, Model
from ..describe.pose import Pose, rotation_vectors
from ..describe.shapes.solid import Solid
from ..errors import ModelError, ModelWarning
from .armature import unused_name
from .chain import Dof, join
from .collision import check_collision, collision_shape
from .equality import add_equality
from .fluid import add_fluid
from .mjcf_collision import GeomPairs
from .mjcf_process import compiled, mujoco
from .visuals import geom_color, geom_surface

MJCF_JOINTS = ("free", "ball", "slide", "hinge")


def read_mjcf(
    path: str | os.PathLike[str],
    *,
    keyframe: str | int | None = None,
    qpos: ArrayLike | None = None,
    qvel: ArrayLike | None = None,
    allow_outside: bool = False,
    inertia: str = "refuse",
    contacts: bool = False,
    collision: str = "hull",
) -> Model:
    """The model in an MJCF file, which MuJoCo compiles (extra `mjcf`).

    It starts in the reference position, at a keyframe (name or number), or at MuJoCo's qpos and qvel. Actuators,
    tendons and dry friction are not imported; a ModelWarning lists them. Files that it refers to must be in
    its folder, unless `allow_outside` is set. Coordinates of joints and their limits are those of the file (qpos,
    `ref` included). inertia: "refuse" a body whose inertia no body has, or "repair" it, with a ModelWarning
    (lv.MassProperties.repaired). Geoms that touch others in the file become `collision` of their bodies: a mesh its
    convex hull or, with collision="parts", its convex parts (lv.convex_parts). contacts: add the contacts of the file,
    with its planes, friction and excluded pairs, as lv.Contacts; they are rigid and without restitution.
    Planes of the file are drawn as floors with or without contacts.

    >>> import livens as lv, tempfile, pathlib
    >>> text = '''<mujoco><worldbody><body name="bob" pos="0 0 1"><joint name="pin" axis="0 1 0"/>
    ...   <geom type="sphere" size="0.1" pos="0 0 -1" mass="2"/></body></worldbody></mujoco>'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "bob.xml")
    ...     _ = file.write_text(text)
    ...     model = lv.read_mjcf(file, qvel=[3.0])
    >>> model, model["bob"].body_rates.tolist()
    (Model('bob': 1 body, 1 joint, 0 forces), [0.0, 3.0, 0.0])
    """
    check_collision(collision)
    file = file_path(path)
    mj, m = mujoco(), compiled(file, allow_outside, inertia)
    d = mj.MjData(m)
    _begin(mj, m, d, keyframe, qpos, qvel)
    reader = _Reader(mj, m, d, file.stem, contacts, collision)
    model = reader.read()
    if reader.notes:
        warnings.warn(f"{file.name}: not imported: {', '.join(reader.notes)}.", ModelWarning, stacklevel=2)
    return model


def _begin(mj: Any, m: Any, d: Any, keyframe: Any, qpos: Any, qvel: Any) -> None:
    """Set MuJoCo's data to the given state and compute the poses of bodies."""
    if keyframe is not None:
        k = mj.mj_name2id(m, mj.mjtObj.mjOBJ_KEY, keyframe) if isinstance(keyframe, str) else keyframe
        if not 0 <= k < m.nkey:
            names = ", ".join(repr(m.key(i).name or i) for i in range(m.nkey))
            raise ModelError(f"the file has no keyframe {keyframe!r}; it has {names or 'none'}.")
        mj.mj_resetDataKeyframe(m, d, k)
    if qpos is not None:
        d.qpos[:] = finite(qpos, (m.nq,), "qpos")
    if qvel is not None:
        d.qvel[:] = finite(qvel, (m.nv,), "qvel")
    mj.mj_normalizeQuat(m, d.qpos)
    mj.mj_kinematics(m, d)
    mj.mj_comPos(m, d)
    mj.mj_fwdVelocity(m, d)


class _Reader:
    """Builds a model from a compiled file."""

    def __init__(self, mj: Any, m: Any, d: Any, name: str, contacts: bool = False, collision: str = "hull"):
        self.mj, self.m, self.d = mj, m, d
        self.geoms, self.contacts = GeomPairs(mj, m, d, collision), contacts
        self.off = int(m.opt.disableflags)
        gravity = np.zeros(3) if self.disabled("GRAVITY") else m.opt.gravity
        self.model = Model(gravity=gravity, name=name)
        self.bodies: dict[int, Body] = {0: self.model.world}  # by the number of the body they are welded to
        self.joints: dict[int, Any] = {}  # with a coordinate, by number
        self.notes: list[str] = []

    def disabled(self, what: str) -> bool:
        """True if the file disables this part of the physics."""
        # MuJoCo names its flags by attributes
        return bool(self.off & int(getattr(self.mj.mjtDisableBit, f"mjDSBL_{what}")))

    def read(self) -> Model:
        m = self.m
        self._refuse()
        movable = [b for b in range(1, m.nbody) if m.body_weldid[b] == b and m.body_dofnum[b]]
        for b in range(1, m.nbody):
            if m.body_weldid[b] == b and b not in movable:  # a mocap body, which does not move
                self.bodies[b] = self.model.world
        for b in movable:
            self.bodies[b] = self.model.add(self._body(b))
        for b in movable:
            self._joints(b)
        for b in range(1, m.nbody):
            if m.body_gravcomp[b] and self.body(b) is not self.model.world:
                lift = -m.body_gravcomp[b] * m.body_mass[b] * self.model.gravity
                self.model.add(Load(self.body(b).point_at(self.d.xipos[b]), force=lift))
        if m.opt.density or m.opt.viscosity:
            add_fluid(self.mj, m, self.d, self.model, self.body)
        if not self.disabled("EQUALITY"):
            add_equality(self.mj, m, self.d, self.model, self.body, self.joints, self.notes)
        if self.contacts and not self.disabled("CONTACT"):
            self.geoms.add(self.model, self.bodies)
        self.geoms.add_floors(self.model, self.bodies)
        self._note()
        return self.model

    def body(self, b: int) -> Body:
        """The body of which MuJoCo's body b is a part."""
        return self.bodies[int(self.m.body_weldid[b])]

    def _refuse(self) -> None:
        m = self.m
        for count, what in ((m.nflex, "flexible bodies"), (m.nplugin, "plugins")):
            if count:
                raise ModelError(f"the file has {what}, which have no counterpart.")
        for name in ("dof_dampingpoly", "jnt_stiffnesspoly"):
            # older versions of MuJoCo do not have these fields
            if np.any(getattr(m, name, 0.0)):
                raise ModelError("the file has springs or dampers that are not linear, which have no counterpart.")

    def _note(self) -> None:
        m = self.m
        counts = ((m.nu, "actuator"), (m.ntendon, "tendon"))
        self.notes += [f"{n} {what}{'s' * (n > 1)}" for n, what in counts if n]
        if np.any(m.dof_frictionloss):
            self.notes.append("dry friction")
        if self.geoms.friction and not self.disabled("CONTACT"):
            self.notes += self.geoms.notes() if self.contacts else ["contacts (contacts=True imports them)"]

    def _body(self, b: int) -> Body:
        """A body with all bodies that are welded to it."""
        mj, m, d = self.mj, self.m, self.d
        pose = Pose(d.xpos[b], d.xmat[b].reshape(3, 3))
        name = unused_name(self.model, m.body(b).name or f"body{b}")
        matter: MassProperties | None = None
        surface: Any = None
        paint: Any = None
        for part in np.flatnonzero(m.body_weldid == b):
            if m.body_mass[part] > 0.0:
                where = pose.inverse() @ Pose(d.xipos[part], d.ximat[part].reshape(3, 3))
                piece = MassProperties(m.body_mass[part], m.body_inertia[part]).moved(where)
                matter = piece if matter is None else matter + piece
            first = m.body_geomadr[part]
            for g in range(first, first + m.body_geomnum[part]):
                if m.geom_group[g] < 3 and (seen := geom_surface(mj, m, g)) is not None:
                    placed = seen.moved(pose.inverse() @ Pose(d.geom_xpos[g], d.geom_xmat[g].reshape(3, 3)))
                    surface = placed if surface is None else surface.joined(placed)
                    paint = geom_color(m, g) if paint is None else paint
        if matter is None:
            raise ModelError(f"body {name!r} moves and has no mass: give it a mass.")
        j = m.body_jntadr[b]
        if m.jnt_type[j] == 0 and (A := m.dof_armature[m.body_dofadr[b]]):
            matter = matter + MassProperties(A, (A, A, A))  # ½A(v² + ω²) of the frame; _free cancels its weight
        velocity = np.zeros(6)  # angular, linear
        mj.mj_objectVelocity(m, d, mj.mjtObj.mjOBJ_XBODY, b, velocity, 0)
        return Body(
            Solid(matter, matter.surface if surface is None else surface),
            at=pose.a, rotation=pose.B, velocity=velocity[3:], angular_velocity=velocity[:3], name=name,
            collision=collision_shape(self.geoms.parts(b, pose)),
            color=None if paint is None else paint[:3], opacity=1.0 if paint is None else paint[3],
        )  # fmt: skip

    def _joints(self, b: int) -> None:
        m = self.m
        first, count = m.body_jntadr[b], m.body_jntnum[b]
        numbers = range(first, first + count)
        child, parent = self.bodies[b], self.body(m.body_parentid[b])
        if m.jnt_type[first] == 0:
            self._free(first, child)
            return
        chain = [self._freedom(j) for j in numbers]
        balls = [f for f in chain if f.kind == "ball" and count > 1]
        for f in chain:
            if f.kind == "ball" and count == 1:
                turn = (
                    child.pose.B
                    @ rotation_vectors(Pose.from_quaternion(self.d.qpos[m.jnt_qposadr[first] :][:4]).B[None])[0]
                )
                f.position, f.rest = parent.pose.B.T @ turn, np.zeros(3)
        made = join(self.model, parent, child, [_bare(f) if f in balls else f for f in chain])
        self.joints |= {j: joint for j, joint in zip(numbers, made, strict=True) if joint is not None}
        for f in balls:
            self._ball(f, parent, child)

    def _freedom(self, j: int) -> Dof:
        m, d = self.m, self.d
        dof, kind = m.jnt_dofadr[j], MJCF_JOINTS[m.jnt_type[j]]
        q = m.jnt_qposadr[j]
        scalar = kind != "ball"
        limited = m.jnt_limited[j] and not self.disabled("LIMIT")
        alone = m.body_jntnum[m.jnt_bodyid[j]] == 1
        if limited and not scalar and not alone:
            self.notes.append(f"the limit of ball joint {m.joint(j).name!r}")
        ends = tuple(m.jnt_range[j].tolist()) if scalar else (None, min(float(m.jnt_range[j].max()), np.pi))
        return Dof(
            kind,
            m.joint(j).name or f"{self.bodies[int(m.jnt_bodyid[j])].name} joint",
            d.xanchor[j].copy(),
            d.xaxis[j].copy(),
            position=float(d.qpos[q]) if scalar else 0.0,
            rate=float(d.qvel[dof]) if scalar else 0.0,
            armature=float(m.dof_armature[dof]),
            damping=0.0 if self.disabled("DAMPER") else float(m.dof_damping[dof]),
            stiffness=0.0 if self.disabled("SPRING") else float(m.jnt_stiffness[j]),
            rest=float(m.qpos_spring[q]) if scalar else 0.0,
            limits=ends if limited and (scalar or alone) else None,
            limit_stiffness=self._stop(j),
        )

    def _stop(self, j: int) -> float:
        """Equation (1)."""
        m = self.m
        timeconst, dampratio = m.jnt_solref[j]
        impedance, inverse = m.jnt_solimp[j, 1], max(float(m.dof_invweight0[m.jnt_dofadr[j]]), 1e-12)
        if timeconst <= 0.0:  # given as −stiffness, −damping
            return float(max(-timeconst, 1.0) / (impedance * inverse))
        return float(1.0 / (inverse * (impedance * timeconst * max(dampratio, 1e-3)) ** 2))

    def _ball(self, f: Dof, parent: Body, child: Body) -> None:
        if f.stiffness:
            raise ModelError(
                f"ball joint {f.name!r} has a spring and follows other joints, which has no counterpart: write an "
                "lv.Energy."
            )
        if f.damping:
            self._resist(child, parent, f.damping, f.name)

    def _free(self, j: int, body: Body) -> None:
        """The passive elements of a free body."""
        m, name = self.m, self.m.joint(j).name or f"{body.name} joint"
        dof = m.jnt_dofadr[j]
        if m.jnt_stiffness[j] and not self.disabled("SPRING"):
            raise ModelError(f"free joint {name!r} has a spring, which has no counterpart: write an lv.Energy.")
        if A := float(m.dof_armature[dof]):
            self.model.add(Load(body.point(0, 0, 0), force=-A * self.model.gravity, name=f"{name} armature weight"))
        if (c := float(m.dof_damping[dof])) and not self.disabled("DAMPER"):
            self._resist(body, self.model.world, c, name)
            drag = Force(body.point(0, 0, 0), lambda b: -c * b[body].velocity((0, 0, 0)), name=f"{name} drag")
            self.model.add(drag)

    def _resist(self, child: Body, parent: Body, c: float, name: str) -> None:
        """A torque −c (ω_child − ω_parent) on the child and its opposite on the parent."""
        world = self.model.world
        both = [body for body in (child, parent) if body is not world]
        for body, sign in ((child, -c), (parent, c)):
            if body is not world:
                self.model.add(Force(body.center, _nothing, both, _torque(child, parent, sign, world), name=unused_name(
                    self.model, f"{name} damping")))  # fmt: skip


def _bare(f: Dof) -> Dof:
    """A ball after other joints, without its damper, which is added separately; its armature is refused later."""
    return Dof(f.kind, f.name, f.place, f.axis, armature=f.armature)


def _nothing(_: Any) -> Array:
    return np.zeros(3)


def _torque(child: Body, parent: Body, factor: float, world: Body) -> Any:
    def torque(b: Any) -> Any:
        against = 0.0 if parent is world else b[parent].angular_velocity
        return factor * (b[child].angular_velocity - against)

    return torque
