"""Beams of Exudyn: its geometrically exact beam in space (nodes with Euler parameters) and in the plane.

Load steps are as few as converge; the linear solver is the sparse one. Times are processor times of the solver alone.
"""

from __future__ import annotations

import sys
import time
import warnings
from itertools import pairwise
from typing import Any

import numpy as np

sys.exudynFast = True  # type: ignore[attr-defined]
warnings.filterwarnings("ignore", category=DeprecationWarning, module=__name__)

import exudyn as exu  # noqa: E402
from exudyn import itemInterface as item  # noqa: E402

POSITION = exu.OutputVariableType.Position


def version() -> str:
    return exu.__version__


def _settings() -> Any:
    settings = exu.SimulationSettings()
    settings.solution.file.write = False
    settings.staticSolver.verboseMode = settings.timeIntegration.verboseMode = 0
    settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    settings.staticSolver.newton.relativeTolerance = 1e-10
    return settings


def space_tip(
    x: Any, angles: Any, lengths: Any, stiffnesses: Any, force: Any, torque: Any, load_steps: int
) -> tuple[np.ndarray, float]:
    """The tip of a beam in space, clamped at its start, and the time [s]: nodes at x whose tangents are turned about z
    by `angles` from x; stiffnesses (EA, GA, GA, GJ, EI, EI) along and about the tangent and both axes across it."""
    mbs = exu.SystemContainer().AddSystem()
    nodes = [
        mbs.AddNode(item.NodeRigidBodyEP(referenceCoordinates=[*at, np.cos(a / 2), 0, 0, np.sin(a / 2)]))
        for at, a in zip(np.asarray(x).tolist(), angles, strict=True)
    ]
    section = exu.BeamSection()
    section.stiffnessMatrix, section.inertia, section.massPerLength = np.diag(stiffnesses), np.eye(3), 1.0
    for pair, length in zip(pairwise(nodes), lengths, strict=True):
        mbs.AddObject(item.ObjectBeamGeometricallyExact(nodeNumbers=[*pair], length=length, sectionData=section))
    ground = mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=mbs.AddObject(item.ObjectGround())))
    c, s = np.cos(angles[0]), np.sin(angles[0])
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    first = mbs.AddMarker(item.MarkerNodeRigid(nodeNumber=nodes[0]))
    mbs.AddObject(item.GenericJoint(markerNumbers=[ground, first], rotationMarker0=turn, constrainedAxes=[1] * 6))
    last = mbs.AddMarker(item.MarkerNodeRigid(nodeNumber=nodes[-1]))
    mbs.AddLoad(item.Force(markerNumber=last, loadVector=list(force)))
    mbs.AddLoad(item.Torque(markerNumber=last, loadVector=list(torque)))
    mbs.Assemble()
    settings = _settings()
    settings.staticSolver.numberOfLoadSteps = load_steps
    begin = time.process_time()
    mbs.SolveStatic(settings)
    return np.array(mbs.GetNodeOutput(nodes[-1], POSITION)), time.process_time() - begin


def _plane(n: int, EA: float, GA: float, EI: float, mass: float, inertia: float, gravity: float) -> tuple[Any, Any]:
    """A beam of length 1 along x in the plane, clamped at its start, and its nodes."""
    mbs = exu.SystemContainer().AddSystem()
    nodes = [mbs.AddNode(item.NodeRigidBody2D(referenceCoordinates=[k / n, 0, 0])) for k in range(n + 1)]
    for a, b in pairwise(nodes):
        piece = mbs.AddObject(
            item.ObjectBeamGeometricallyExact2D(
                nodeNumbers=[a, b], length=1 / n, massPerLength=mass, crossSectionInertia=inertia,
                bendingStiffness=EI, axialStiffness=EA, shearStiffness=GA,
            )
        )  # fmt: skip
        weight = mbs.AddMarker(item.MarkerBodyMass(bodyNumber=piece))
        mbs.AddLoad(item.LoadMassProportional(markerNumber=weight, loadVector=[0, -gravity, 0]))
    fixed = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(item.NodePointGround()), coordinate=0))
    for c in range(3):
        mine = mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=nodes[0], coordinate=c))
        mbs.AddObject(item.CoordinateConstraint(markerNumbers=[fixed, mine]))
    return mbs, nodes


def plane_tip(n: int, EA: float, GA: float, EI: float, force: float, load_steps: int) -> tuple[np.ndarray, float]:
    """The tip of a clamped beam of length 1 with a force across it, and the time [s]."""
    mbs, nodes = _plane(n, EA, GA, EI, 1.0, 1e-4, 0.0)
    tip = mbs.AddMarker(item.MarkerNodePosition(nodeNumber=nodes[-1]))
    mbs.AddLoad(item.Force(markerNumber=tip, loadVector=[0, force, 0]))
    mbs.Assemble()
    settings = _settings()
    settings.staticSolver.numberOfLoadSteps = load_steps
    begin = time.process_time()
    mbs.SolveStatic(settings)
    return np.array(mbs.GetNodeOutput(nodes[-1], POSITION))[:2], time.process_time() - begin


def falling_tip(n: int, properties: dict[str, float], h: float, until: float) -> tuple[np.ndarray, float]:
    """The tip of a clamped beam that falls from the horizontal, by the generalised-α method, and the time [s]."""
    mbs, nodes = _plane(n, **properties)
    mbs.Assemble()
    settings = _settings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = round(until / h), until
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.newton.useModifiedNewton = True
    begin = time.process_time()
    mbs.SolveDynamic(settings)
    return np.array(mbs.GetNodeOutput(nodes[-1], POSITION))[:2], time.process_time() - begin
