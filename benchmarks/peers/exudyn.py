"""Exudyn: redundant coordinates on Lie groups with joints as equations, or minimal coordinates for open chains.

The compiled library without range checks is loaded (`sys.exudynFast`), all output is off, one thread. A single body on
a ball joint has its node at the joint with fixed coordinates, as the explicit solvers require. Open chains are also
modelled as a kinematic tree with hinges. Planar problems use planar elements.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

sys.exudynFast = True  # type: ignore[attr-defined]

import exudyn as exu  # noqa: E402
from exudyn import itemInterface as item  # noqa: E402
from exudyn.utilities import RigidBodyInertia  # noqa: E402

from ..tasks import Task  # noqa: E402
from ..tasks.general import General  # noqa: E402
from ..tasks.mechanism import Joint, Mechanism, Part, States  # noqa: E402
from . import Entry  # noqa: E402

NAME = "Exudyn"
SPARSE = 20  # number of bodies from which the sparse solver is faster
SOLVER = exu.DynamicSolverType
OUTPUT = exu.OutputVariableType
KINDS = (OUTPUT.Position, OUTPUT.RotationMatrix, OUTPUT.Velocity, OUTPUT.AngularVelocityLocal)


def version() -> str:
    return exu.__version__


def frame(axis: Any, across: Any = None) -> np.ndarray:
    """A rotation matrix whose z is along `axis`; its x is along `across` if given."""
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    x = np.eye(3)[np.abs(z).argmin()] if across is None else np.asarray(across, float)
    y = np.cross(z, x)
    y /= np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)


class Model:
    """A mechanism as a system of bodies and joints; `places`: (object, local point) of each body."""

    def __init__(self, m: Mechanism, explicit: bool):
        self.m = m
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.ground = self.mbs.AddObject(item.ObjectGround())
        self.places: list[tuple[int, list[float]]] = []
        if explicit and m.joints:
            self._pinned()
        else:
            for part in m.parts:
                (self._flat if m.planar else self._solid)(part)
            for joint in m.joints:
                self._join(joint)
        for spring in m.springs:
            ends = [self._marker(who, x) for who, x in ((spring.a, spring.at_a), (spring.b, spring.at_b))]
            self.mbs.AddObject(
                item.ObjectConnectorSpringDamper(
                    markerNumbers=ends, stiffness=spring.stiffness, referenceLength=spring.length
                )
            )
        for turn in m.turns:
            marker = self.mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=self.places[turn.body][0]))
            self.mbs.AddLoad(item.LoadTorqueVector(markerNumber=marker, loadVector=[0, 0, turn.torque]))

    def _solid(self, part: Part) -> None:
        """A body in space, its node at the centre of mass."""
        body = self.mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=part.mass, inertiaTensor=np.diag(part.inertia)),
            nodeType=exu.NodeType.RotationRotationVector,
            referencePosition=list(part.at), referenceRotationMatrix=part.rotation,
            initialVelocity=list(part.velocity), initialAngularVelocity=list(part.rates), gravity=list(self.m.gravity),
        )  # fmt: skip
        self.places.append((body, [0.0, 0.0, 0.0]))

    def _pinned(self) -> None:
        """One body on a ball joint to the world for the explicit solvers: inertia about the joint, where the node is,
        its weight as a force, and the node's displacements fixed, which those solvers eliminate."""
        (part,), (joint,) = self.m.parts, self.m.joints
        r = -self.m.local(0, joint.at)
        J = np.diag(part.inertia) + part.mass * (r @ r * np.eye(3) - np.outer(r, r))
        body = self.mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=part.mass, inertiaTensor=J), nodeType=exu.NodeType.RotationRotationVector,
            referencePosition=list(joint.at), referenceRotationMatrix=part.rotation,
            initialAngularVelocity=list(part.rates),
        )  # fmt: skip
        self.places.append((body, list(r)))
        center = self.mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=body, localPosition=list(r)))
        weight = part.mass * np.array(self.m.gravity)
        self.mbs.AddLoad(item.LoadForceVector(markerNumber=center, loadVector=list(weight)))
        nowhere = self.mbs.AddNode(item.NodePointGround())
        ground = self.mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=nowhere, coordinate=0))
        node = self.mbs.GetObject(body)["nodeNumber"]
        for k in range(3):
            marker = self.mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=k))
            self.mbs.AddObject(item.ObjectConnectorCoordinate(markerNumbers=[ground, marker]))

    def _flat(self, part: Part) -> None:
        """A body in the plane z = 0."""
        angle = float(np.arctan2(part.rotation[1, 0], part.rotation[0, 0]))
        node = self.mbs.AddNode(
            item.NodeRigidBody2D(
                referenceCoordinates=[part.at[0], part.at[1], angle],
                initialVelocities=[part.velocity[0], part.velocity[1], part.rates[2]],
            )
        )
        body = self.mbs.AddObject(item.ObjectRigidBody2D(mass=part.mass, inertia=part.inertia[2], nodeNumber=node))
        if any(self.m.gravity):
            marker = self.mbs.AddMarker(item.MarkerBodyMass(bodyNumber=body))
            self.mbs.AddLoad(item.LoadMassProportional(markerNumber=marker, loadVector=list(self.m.gravity)))
        self.places.append((body, [0.0, 0.0, 0.0]))

    def _marker(self, who: int | None, x: Any, axes: np.ndarray | None = None) -> int:
        """A point of a body, or a frame there with these initial world axes."""
        body = self.ground if who is None else self.places[who][0]
        local = np.array(x, float) if who is None else self.m.local(who, x) + self.places[who][1]
        if axes is None:
            return self.mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=body, localPosition=list(local)))
        turned = axes if who is None else self.m.parts[who].rotation.T @ axes
        place = exu.HT(rotation=turned, translation=list(local))
        return self.mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=body, localHT=place))

    def _join(self, joint: Joint) -> None:
        sides = (joint.a, joint.b)
        if self.m.planar:
            ends = [self._marker(who, joint.at) for who in sides]
            self.mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=ends))
        elif joint.kind == "ball":
            ends = [self._marker(who, joint.at) for who in sides]
            self.mbs.AddObject(item.ObjectJointSpherical(markerNumbers=ends))
        else:  # constrained translations and rotations along the axes of a frame
            axes = frame(joint.axis)
            held = {"slide": [1, 1, 0, 1, 1, 1], "hinge": [1, 1, 1, 1, 1, 0]}.get(joint.kind, [1, 1, 1, 0, 0, 1])
            if joint.kind == "universal":  # x of the first stays perpendicular to y of the second
                axes = frame(np.cross(joint.axis, joint.axis_b), across=joint.axis)
            ends = [self._marker(who, joint.at, axes) for who in sides]
            self.mbs.AddObject(item.ObjectJointGeneric(markerNumbers=ends, constrainedAxes=held))


class Tree:
    """An open chain in minimal coordinates, with hinges about y."""

    def __init__(self, m: Mechanism):
        n = len(m.parts)
        self.m = m
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        node = self.mbs.AddNode(
            item.NodeGenericODE2(
                referenceCoordinates=[0.0] * n, initialCoordinates=[0.0] * n, initialCoordinates_t=[0.0] * n,
                numberOfODE2Coordinates=n,
            )
        )  # fmt: skip
        at = np.array([joint.at for joint in m.joints])
        offsets = np.diff(at, axis=0, prepend=np.zeros((1, 3)))
        self.tree = self.mbs.AddObject(
            item.ObjectKinematicTree(
                nodeNumber=node, gravity=list(m.gravity), jointTypes=[exu.JointType.RevoluteY] * n,
                linkParents=list(range(-1, n - 1)), jointTransformations=exu.Matrix3DList([np.eye(3)] * n),
                jointOffsets=exu.Vector3DList(list(offsets)),
                linkInertiasCOM=exu.Matrix3DList([np.diag(p.inertia) for p in m.parts]),
                linkCOMs=exu.Vector3DList([np.subtract(p.at, x) for p, x in zip(m.parts, at, strict=True)]),
                linkMasses=[p.mass for p in m.parts],
            )
        )  # fmt: skip
        self.com = [list(np.subtract(p.at, x)) for p, x in zip(m.parts, at, strict=True)]


class Shared:
    """A system for all runs of a setting, and another one with sensors, made on demand."""

    def __init__(self, task: Task, solver: Any, tree: bool = False):
        self.m, self.type, self.tree = task.mechanism, solver, tree
        self.implicit = solver in (SOLVER.GeneralizedAlpha, SOLVER.TrapezoidalIndex2)
        self.plain = self._model()
        self.plain.mbs.Assemble()

    def _model(self) -> Any:
        return Tree(self.m) if self.tree else Model(self.m, not self.implicit)

    @cached_property
    def watched(self) -> tuple[Any, list[int]]:
        """The system with sensors, ordered by kind, and their numbers."""
        made = self._model()
        sensors = []
        keep = {"storeInternal": True, "writeToFile": False}
        for kind in KINDS:
            for k in range(len(self.m.parts)):
                if self.tree:
                    sensor = item.SensorKinematicTree(
                        objectNumber=made.tree, linkNumber=k, localPosition=made.com[k], outputVariableType=kind, **keep
                    )
                else:
                    body, local = made.places[k]
                    sensor = item.SensorBody(bodyNumber=body, localPosition=local, outputVariableType=kind, **keep)
                sensors.append(made.mbs.AddSensor(sensor))
        made.mbs.Assemble()
        return made, sensors


class Runner:
    """A number of steps."""

    def __init__(self, shared: Shared, task: Task, steps: int):
        self.shared, self.task, self.steps = shared, task, steps
        self.settings = self._settings()

    def _settings(self) -> Any:
        s = exu.SimulationSettings()
        s.timeIntegration.numberOfSteps, s.timeIntegration.endTime = self.steps, self.task.until
        s.timeIntegration.solverType = self.shared.type
        s.timeIntegration.automaticStepSize = False
        s.timeIntegration.adaptiveStep = self.shared.implicit  # if Newton's method fails, with a limit
        s.timeIntegration.minimumStepSize = self.task.until / self.steps / 50.0
        s.timeIntegration.verboseMode = 0
        s.timeIntegration.stepInformation = 0
        s.timeIntegration.explicit.computeEndOfStepAccelerations = False
        s.timeIntegration.explicit.computeMassMatrixInversePerBody = not self.shared.tree
        s.timeIntegration.newton.useModifiedNewton = True
        alpha = s.timeIntegration.generalizedAlpha
        if self.shared.type == SOLVER.TrapezoidalIndex2:
            alpha.useNewmark = alpha.useIndex2Constraints = True
        s.solution.file.write = s.solution.sensors.active = False
        s.solution.restart.write = False
        s.show.globalTimers = False
        s.parallel.numberOfThreads = 1
        if len(self.shared.m.parts) > SPARSE:
            s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        return s

    def solve(self, made: Any, settings: Any) -> None:
        solver = exu.MainSolverImplicitSecondOrder() if self.shared.implicit else exu.MainSolverExplicit()
        if not solver.SolveSystem(made.mbs, settings):
            raise RuntimeError("the solver failed")

    def run(self) -> None:
        self.solve(self.shared.plain, self.settings)

    def end(self) -> States:
        if self.shared.tree:
            return States(*(x[-1:] for x in self.states(1)))
        made = self.shared.plain
        found = [
            np.array([made.mbs.GetObjectOutputBody(body, kind, localPosition=local) for body, local in made.places])
            for kind in KINDS
        ]
        return _as_states([x[None] for x in found])

    def states(self, samples: int) -> States:
        made, sensors = self.shared.watched
        settings = self._settings()
        settings.solution.sensors.active = True
        settings.solution.sensors.writePeriod = self.task.until / samples
        self.solve(made, settings)
        data = [made.mbs.GetSensorStoredData(sensor)[:, 1:] for sensor in sensors]
        n = len(self.shared.m.parts)
        return _as_states([np.stack(data[j * n : (j + 1) * n], axis=1) for j in range(len(KINDS))])


def _as_states(found: list[np.ndarray]) -> States:
    """Arrays in the order of KINDS, rotation matrices as nine numbers."""
    a, B, v, w = found
    return States(a, B.reshape(*B.shape[:2], 3, 3), v, w)


def entries(task: Task | General) -> Iterator[Entry]:
    """Explicit Runge–Kutta of order 4 and 6 where possible, otherwise the implicit schemes of order 2."""
    if isinstance(task, General):
        return
    m = task.mechanism
    settings: list[tuple[str, Any, bool]] = []
    if len(m.parts) == 1 or not m.joints:
        settings += [("RK44", SOLVER.RK44, False), ("RK67", SOLVER.RK67, False)]
    if m.springs and not m.joints:
        settings += [("velocity Verlet", SOLVER.VelocityVerlet, False)]
    if m.joints:
        settings += [("trapezoidal", SOLVER.TrapezoidalIndex2, False)]
        settings += [("generalised-α", SOLVER.GeneralizedAlpha, False)]
    if task.key.startswith("chain-"):
        settings += [("tree, hinges, RK44", SOLVER.RK44, True), ("tree, hinges, RK67", SOLVER.RK67, True)]
    for label, solver, tree in settings:
        shared = cache(partial(Shared, task, solver, tree))
        yield Entry(NAME, label, lambda t, rung, s=shared: Runner(s(), t, t.steps(rung)), other=tree)
