"""MuJoCo: minimal coordinates, loops closed by soft equality constraints, as stiff as the step allows.

`mj_step(model, data, nstep)` runs the whole motion in C. Unused features are switched off: contacts, limits, actuators,
sensors. Equality constraints have a time constant of two steps, about the most accurate of the measured values from 0.4
to 20.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import mujoco
import numpy as np

from ..tasks import Task
from ..tasks.general import General
from ..tasks.mechanism import Joint, Mechanism, States
from . import Entry, NotPossible

NAME = "MuJoCo"
JOINT = {
    "ball": mujoco.mjtJoint.mjJNT_BALL,
    "hinge": mujoco.mjtJoint.mjJNT_HINGE,
    "slide": mujoco.mjtJoint.mjJNT_SLIDE,
}
DENSE = 1500  # degrees of freedom of a chain above which the full mass matrix is too slow


mujoco.set_mju_user_warning(lambda message: None)  # problems of a run are visible in its error


def version() -> str:
    return mujoco.__version__


def quaternion(B: np.ndarray) -> np.ndarray:
    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, np.ascontiguousarray(B).ravel())
    return q


def compiled(m: Mechanism, integrator: int, hinges: bool) -> mujoco.MjModel:
    """The mechanism as a tree, with loops closed by `connect`; the step is set when it is run."""
    spec = mujoco.MjSpec()
    spec.option.integrator, spec.option.gravity = integrator, m.gravity
    spec.option.disableflags = int(
        mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
        | mujoco.mjtDisableBit.mjDSBL_ACTUATION | mujoco.mjtDisableBit.mjDSBL_SENSOR
        | mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS | mujoco.mjtDisableBit.mjDSBL_EULERDAMP
    )  # fmt: skip
    if len(m.parts) > 60:
        spec.option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    spec.compiler.autolimits = False
    spec.compiler.boundmass = spec.compiler.boundinertia = 0.0
    spec.compiler.balanceinertia = False
    above = {joint.b: joint for joint in m.joints if not joint.closes}
    made: dict[int | None, mujoco.MjsBody] = {None: spec.worldbody}

    def body(k: int | None) -> mujoco.MjsBody:
        if k in made:
            return made[k]
        part, joint = m.parts[k], above.get(k)
        parent = joint.a if joint else None
        frame = np.eye(3) if parent is None else m.parts[parent].rotation
        new = body(parent).add_body(
            name=f"b{k}", pos=m.local(parent, part.at), quat=quaternion(frame.T @ part.rotation), mass=part.mass,
            inertia=part.inertia, ipos=(0, 0, 0), iquat=(1, 0, 0, 0), explicitinertial=True,
        )  # fmt: skip
        made[k] = new
        if joint is None:
            new.add_freejoint()
        else:
            _add_joint(m, new, joint, hinges)
        return new

    for k in range(len(m.parts)):
        body(k)
    for n, joint in enumerate(m.joints):
        if joint.closes:
            if joint.kind not in ("ball", "hinge") or (joint.kind == "hinge" and not m.planar):
                raise NotPossible(f"loops cannot be closed by a {joint.kind} joint")
            spec.add_equality(
                name=f"e{n}", type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY, name1=f"b{joint.b}",
                name2="world" if joint.a is None else f"b{joint.a}",
                data=np.concatenate([m.local(joint.b, joint.at), np.zeros(9)]),
                solimp=(0.9999, 0.9999, 0.001, 0.5, 2.0),
            )  # fmt: skip
    for n, spring in enumerate(m.springs):
        tendon = spec.add_tendon(
            name=f"t{n}", stiffness=[spring.stiffness, 0.0, 0.0], springlength=(spring.length, spring.length)
        )
        for end, x, who in (("a", spring.at_a, spring.a), ("b", spring.at_b, spring.b)):
            body(who).add_site(name=f"s{n}{end}", pos=m.local(who, x))
            tendon.wrap_site(f"s{n}{end}")
    return spec.compile()


def _add_joint(m: Mechanism, new: mujoco.MjsBody, joint: Joint, hinges: bool) -> None:
    part = m.parts[joint.b]
    pos = m.local(joint.b, joint.at)
    if joint.kind == "universal":  # two hinges, first that of the parent
        for axis in (joint.axis, joint.axis_b):
            new.add_joint(type=JOINT["hinge"], pos=pos, axis=part.rotation.T @ axis)
    elif joint.kind == "ball" and hinges:
        new.add_joint(type=JOINT["hinge"], pos=pos, axis=part.rotation.T @ (0, 1, 0))
    else:
        axis = part.rotation.T @ joint.axis if any(joint.axis) else (0, 0, 1)
        new.add_joint(type=JOINT[joint.kind], pos=pos, axis=axis)


class Compiled:
    """A model with its data, shared by all runs of a setting, and the initial state in its coordinates."""

    def __init__(self, m: Mechanism, integrator: int, hinges: bool = False):
        freedoms = len(m.parts) * (1 if hinges else 3)
        if freedoms > DENSE and m.joints:
            raise NotPossible(f"full mass matrix of a chain: {freedoms:,} degrees of freedom take seconds per step")
        self.m = m
        self.model = compiled(m, integrator, hinges)
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)
        self.bodies = np.array([self.model.body(f"b{k}").id for k in range(len(m.parts))])
        self.torque = np.zeros((self.model.nbody, 6))
        for turn in m.turns:
            self.torque[self.bodies[turn.body], 5] = turn.torque
        self.qpos, self.qvel = self.data.qpos.copy(), self._velocities()

    def _velocities(self) -> np.ndarray:
        """Generalised velocities for the velocities of the bodies, by least squares."""
        model, m = self.model, self.m
        if not m.starts_moving:
            return np.zeros(model.nv)
        if not m.joints:  # free bodies: velocity in world axes, angular velocity in body axes
            return np.concatenate([[*p.velocity, *(p.rotation.T @ p.rates)] for p in m.parts])
        J, v = [], []
        for part, k in zip(m.parts, self.bodies, strict=True):
            both = np.zeros((6, model.nv))
            mujoco.mj_jacBodyCom(model, self.data, both[:3], both[3:], k)
            J.append(both)
            v += [*part.velocity, *part.rates]
        return np.linalg.lstsq(np.concatenate(J), np.array(v), rcond=None)[0]

    def reset(self, h: float) -> None:
        """Set the initial state and the step; the stiffness of the loop closures follows from the step."""
        mujoco.mj_resetData(self.model, self.data)
        self.model.opt.timestep = h
        if self.model.neq:
            self.model.eq_solref[:] = (2.0 * h, 1.0)
        self.data.qpos[:], self.data.qvel[:] = self.qpos, self.qvel
        if self.m.turns:
            self.data.xfrc_applied[:] = self.torque

    def now(self) -> list[np.ndarray]:
        data, k = self.data, self.bodies
        mujoco.mj_fwdPosition(self.model, data)
        mujoco.mj_fwdVelocity(self.model, data)
        B = data.ximat[k].reshape(-1, 3, 3)
        v, w = np.zeros((len(k), 3)), np.zeros((len(k), 3))
        both = np.zeros(6)
        for n, body in enumerate(k):
            mujoco.mj_objectVelocity(self.model, data, mujoco.mjtObj.mjOBJ_BODY, body, both, 0)
            v[n], w[n] = both[3:], B[n].T @ both[:3]
        return [data.xipos[k].copy(), B.copy(), v, w]


class Runner:
    """A number of steps."""

    def __init__(self, shared: Compiled, task: Task, steps: int):
        self.shared, self.steps, self.h = shared, steps, task.until / steps

    def run(self) -> None:
        self.shared.reset(self.h)
        mujoco.mj_step(self.shared.model, self.shared.data, self.steps)

    def end(self) -> States:
        return States(*(x[None] for x in self.shared.now()))

    def states(self, samples: int) -> States:
        shared = self.shared
        shared.reset(self.h)
        found, every = [shared.now()], max(1, self.steps // samples)
        for _ in range(self.steps // every):
            mujoco.mj_step(shared.model, shared.data, every)
            found.append(shared.now())
        return States(*(np.stack(x) for x in zip(*found, strict=True)))


def entries(task: Task | General) -> Iterator[Entry]:
    """RK4 of order 4; the two implicit schemes and Euler of order 1, the cheapest."""
    if isinstance(task, General):
        return
    kinds = mujoco.mjtIntegrator
    settings = [("RK4", kinds.mjINT_RK4, False), ("Euler", kinds.mjINT_EULER, False)]
    settings += [("implicit", kinds.mjINT_IMPLICIT, False)]
    if task.key.startswith("chain-"):
        settings += [("RK4, hinges", kinds.mjINT_RK4, True)]
    for label, integrator, hinges in settings:
        shared = cache(partial(Compiled, task.mechanism, integrator, hinges))
        yield Entry(NAME, label, lambda t, rung, s=shared: Runner(s(), t, t.steps(rung)), other=hinges)
