"""Pinocchio: compiled algorithms in minimal coordinates, with a time loop in Python.

The scheme is classical Runge–Kutta of order 4, with the articulated-body algorithm for the accelerations. Loops are
closed by constrained dynamics with a proximal solver and a small feedback against drift. For spatial motions, the stage
increments of joints whose coordinates do not commute (ball, free) are corrected by `dDifference`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

from ..tasks import Task
from ..tasks.general import General
from ..tasks.mechanism import Joint, Mechanism, States
from . import Entry, NotPossible

NAME = "Pinocchio"
FEW = 10  # largest number of springs in Python
LARGE = 320  # degrees of freedom; the workspace has four arrays with their cube
FEEDBACK = 0.05  # feedback against the opening of loops, per step


def version() -> str:
    return pin.__version__


def kind(joint: Joint | None) -> pin.JointModel:
    """The joint in a frame whose z is along its axis."""
    if joint is None:
        return pin.JointModelFreeFlyer()
    if joint.kind == "universal":
        return pin.JointModelUniversal(np.array(joint.axis), np.array(joint.axis_b))
    return {"ball": pin.JointModelSpherical, "hinge": pin.JointModelRZ, "slide": pin.JointModelPZ}[joint.kind]()


def axes(joint: Joint | None, rotation: np.ndarray) -> np.ndarray:
    """Initial world axes of the frame of a joint."""
    if joint is None or joint.kind == "ball":
        return rotation
    if joint.kind == "universal":
        return np.eye(3)
    z = np.array(joint.axis) / np.linalg.norm(joint.axis)
    x = np.eye(3)[np.abs(z).argmin()]
    y = np.cross(z, x) / np.linalg.norm(np.cross(z, x))
    return np.stack([np.cross(y, z), y, z], axis=1)


class Runner:
    def __init__(self, task: Task, steps: int):
        m = task.mechanism
        if len(m.springs) > FEW:
            raise NotPossible("no springs; thousands of forces in Python would measure the speed of Python")
        freedoms = sum({"ball": 3, "universal": 2}.get(j.kind, 1) for j in m.joints if not j.closes)
        if freedoms > LARGE:
            raise NotPossible(f"the workspace for {freedoms:,} degrees of freedom takes {32e-9 * freedoms**3:.0f} GB")
        self.m, self.steps, self.h = m, steps, task.until / steps
        self._build(m)
        self.data = self.model.createData()
        self.constraints = pin.StdVec_RigidConstraintModel()
        for joint in m.joints:
            if joint.closes:
                self.constraints.append(self._closing(joint))
        if len(self.constraints):
            self.closed = pin.StdVec_RigidConstraintData()
            for constraint in self.constraints:
                self.closed.append(constraint.createData())
            pin.initConstraintDynamics(self.model, self.data, self.constraints, self.closed)
            self.proximal = pin.ProximalSettings(1e-12, 1e-8, 10)
        self.twisting = len(m.parts) == 1
        self.q0, self.v0 = pin.neutral(self.model), np.zeros(self.model.nv)
        if any(part.at for part in m.parts) and not m.joints:
            self.q0 = self._free_start()
        self.v0 = self._velocities()
        self.tau = np.zeros(self.model.nv)
        self.q, self.v = self.q0, self.v0

    def _build(self, m: Mechanism) -> None:
        """Joint frames are at the joints, with the joint axis along z; `body` places the bodies in them."""
        self.model = pin.Model()
        self.model.gravity.linear = np.array(m.gravity)
        above = {joint.b: joint for joint in m.joints if not joint.closes}
        self.id: dict[int | None, int] = {None: 0}
        self.world = {0: pin.SE3.Identity()}  # initial joint frames
        self.body: dict[int, pin.SE3] = {}
        children: dict[int | None, list[int]] = {}
        for k in range(len(m.parts)):
            children.setdefault(above[k].a if k in above else None, []).append(k)
        waiting = children.get(None, [])[::-1]
        while waiting:  # depth first, as its algorithms require
            k = waiting.pop()
            waiting += children.get(k, [])[::-1]
            joint, part = above.get(k), m.parts[k]
            start = pin.SE3(part.rotation, np.array(part.at))
            place = pin.SE3.Identity() if joint is None else pin.SE3(axes(joint, part.rotation), np.array(joint.at))
            parent = self.id[joint.a if joint else None]
            new = self.model.addJoint(parent, kind(joint), self.world[parent].actInv(place), f"j{k}")
            self.id[k], self.world[new] = new, place
            self.body[k] = pin.SE3.Identity() if joint is None else place.actInv(start)
            inertia = pin.Inertia(part.mass, np.zeros(3), np.diag(part.inertia))
            self.model.appendBodyToJoint(new, inertia, self.body[k])

    def _free_start(self) -> np.ndarray:
        parts = self.m.parts
        return np.concatenate([pin.SE3ToXYZQUAT(pin.SE3(p.rotation, np.array(p.at))) for p in parts])

    def _closing(self, joint: Joint) -> pin.RigidConstraintModel:
        at = np.array(joint.at)
        ends = [self.id[joint.a], self.id[joint.b]]
        places = [pin.SE3(np.eye(3), self.world[i].actInv(at)) for i in ends]
        model = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, self.model, ends[0], places[0], ends[1], places[1],
            pin.ReferenceFrame.LOCAL,
        )  # fmt: skip
        k = FEEDBACK / self.h
        model.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(k**2, 2.0 * k))
        return model

    def _velocities(self) -> np.ndarray:
        """Generalised velocities for the velocities of the bodies, by least squares."""
        if not self.m.starts_moving:
            return np.zeros(self.model.nv)
        pin.computeJointJacobians(self.model, self.data, self.q0)
        J, v = [], []
        for k, part in enumerate(self.m.parts):
            local = pin.getJointJacobian(self.model, self.data, self.id[k], pin.ReferenceFrame.LOCAL)
            J.append(self.body[k].actionInverse @ local)
            v += [*(part.rotation.T @ part.velocity), *(part.rotation.T @ part.rates)]
        return np.linalg.lstsq(np.concatenate(J), np.array(v), rcond=None)[0]

    def accelerations(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if self.m.springs or self.m.turns:
            self._efforts(q)
        if len(self.constraints):
            return pin.constraintDynamics(
                self.model, self.data, q, v, self.tau, self.constraints, self.closed, self.proximal
            ).copy()  # the result is a view of internal memory
        return pin.aba(self.model, self.data, q, v, self.tau)

    def _efforts(self, q: np.ndarray) -> None:
        """Generalised forces of springs to the world and of torques about z."""
        pin.computeJointJacobians(self.model, self.data, q)
        self.tau[:] = 0.0
        for spring in self.m.springs:
            i = self.id[spring.b]
            r = self.world[i].actInv(np.array(spring.at_b))
            d = self.data.oMi[i].act(r) - spring.at_a
            long = np.linalg.norm(d)
            f = self.data.oMi[i].rotation.T @ d * (-spring.stiffness * (long - spring.length) / long)
            J = pin.getJointJacobian(self.model, self.data, i, pin.ReferenceFrame.LOCAL)
            self.tau += J.T @ np.concatenate([f, np.cross(r, f)])
        for turn in self.m.turns:
            J = pin.getJointJacobian(self.model, self.data, self.id[turn.body], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            self.tau += turn.torque * J[5]

    def step(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """One step of order 4."""
        h, model, acc, integrate = self.h, self.model, self.accelerations, pin.integrate
        k1, a1 = v, acc(q, v)
        q2, v2 = integrate(model, q, 0.5 * h * k1), v + 0.5 * h * a1
        k2, a2 = self.increment(q, q2, v2), acc(q2, v2)
        q3, v3 = integrate(model, q, 0.5 * h * k2), v + 0.5 * h * a2
        k3, a3 = self.increment(q, q3, v3), acc(q3, v3)
        q4, v4 = integrate(model, q, h * k3), v + h * a3
        k4, a4 = self.increment(q, q4, v4), acc(q4, v4)
        return integrate(model, q, h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)), v + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4)

    def increment(self, q: np.ndarray, now: np.ndarray, v: np.ndarray) -> np.ndarray:
        """v at `now` as the rate of the coordinates relative to q."""
        return pin.dDifference(self.model, q, now, pin.ArgumentPosition.ARG1) @ v if self.twisting else v

    def run(self) -> None:
        q, v, step = self.q0, self.v0, self.step
        for _ in range(self.steps):
            q, v = step(q, v)
        self.q, self.v = q, v

    def now(self) -> list[np.ndarray]:
        pin.forwardKinematics(self.model, self.data, self.q, self.v)
        found: list[list[np.ndarray]] = [[], [], [], []]
        for k in range(len(self.m.parts)):
            M = self.data.oMi[self.id[k]] * self.body[k]
            v = self.body[k].actInv(self.data.v[self.id[k]])
            for into, x in zip(found, (M.translation, M.rotation, M.rotation @ v.linear, v.angular), strict=True):
                into.append(x.copy())
        return [np.array(x) for x in found]

    def end(self) -> States:
        return States(*(x[None] for x in self.now()))

    def states(self, samples: int) -> States:
        self.q, self.v = self.q0, self.v0
        found, every = [self.now()], max(1, self.steps // samples)
        for n in range(1, self.steps + 1):
            self.q, self.v = self.step(self.q, self.v)
            if n % every == 0:
                found.append(self.now())
        return States(*(np.stack(x) for x in zip(*found, strict=True)))


def entries(task: Task | General) -> Iterator[Entry]:
    """The scheme of order 4."""
    if isinstance(task, General):
        return
    yield Entry(NAME, "RK4, Python loop", lambda task, rung: Runner(task, task.steps(rung)))
