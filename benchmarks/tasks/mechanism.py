"""A mechanism as plain data, which is converted to a model of each program.

Bodies are described about their centre of mass in principal axes, joints and springs by initial world positions. A
joint connects `a` (the parent, or the world: None) to `b`; the joints that do not close a loop form a tree, as programs
with minimal coordinates require.

The energy is computed here from positions and velocities, in the same way for every program:

    E = Σ ½ m v·v + ½ ω·J ω − m g·a + Σ ½ k (|x_b − x_a| − l)² − Σ τ·(rotation angle)                               (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Vector = tuple[float, float, float]
ORIGIN: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Part:
    """A rigid body about its centre of mass, in principal axes; all vectors except the moments in world axes."""

    mass: float  # [kg]
    inertia: Vector  # principal moments [kg m²]
    at: Vector = ORIGIN  # centre of mass [m]
    rotation: Array = field(default_factory=lambda: np.eye(3))  # principal axes as columns
    velocity: Vector = ORIGIN  # [m/s]
    rates: Vector = ORIGIN  # angular velocity, world axes [rad/s]


@dataclass(frozen=True)
class Joint:
    """A joint between body `a` (None: the world) and body `b` at a world position."""

    kind: str  # "ball", "hinge", "slide" or "universal"
    a: int | None
    b: int
    at: Vector  # [m]
    axis: Vector = ORIGIN  # of the hinge or slide; of the universal's first hinge, fixed to a
    axis_b: Vector = ORIGIN  # of the universal's second hinge, fixed to b
    closes: bool = False  # a loop


@dataclass(frozen=True)
class Pull:
    """A spring between a point of `a` (None: the world) and a point of `b`, given by initial world positions."""

    a: int | None
    b: int
    at_a: Vector  # [m]
    at_b: Vector  # [m]
    stiffness: float  # [N/m]
    length: float  # rest length [m]


@dataclass(frozen=True)
class Turn:
    """A constant torque about z on a body that rotates about z."""

    body: int
    torque: float  # [N m]


@dataclass(frozen=True)
class Mechanism:
    """Bodies, joints and forces. `planar`: all hinges are along z and the motion is planar, so programs with planar
    elements can use them."""

    parts: Sequence[Part]
    joints: Sequence[Joint] = ()
    springs: Sequence[Pull] = ()
    turns: Sequence[Turn] = ()
    gravity: Vector = ORIGIN  # [m/s²]
    planar: bool = False

    def local(self, body: int | None, x: Vector) -> Array:
        """The initial world position x in the principal axes of the body about its centre of mass."""
        if body is None:
            return np.array(x, dtype=float)
        part = self.parts[body]
        return part.rotation.T @ (np.array(x) - part.at)

    @property
    def loops(self) -> bool:
        return any(joint.closes for joint in self.joints)

    @property
    def starts_moving(self) -> bool:
        return any(any(part.velocity) or any(part.rates) for part in self.parts)


class States(NamedTuple):
    """Poses and velocities of n bodies at k times."""

    a: Array  # centres of mass [m] (k, n, 3)
    B: Array  # principal axes as columns (k, n, 3, 3)
    v: Array  # [m/s] (k, n, 3)
    w: Array  # angular velocity in body axes [rad/s] (k, n, 3)


def points(states: States, probes: Sequence[tuple[int, Vector]]) -> Array:
    """World positions of material points (body, r) at the last time [m] (probes, 3)."""
    bodies = [body for body, _ in probes]
    r = np.array([r for _, r in probes])
    return states.a[-1, bodies] + np.einsum("nij,nj->ni", states.B[-1, bodies], r)


def energies(m: Mechanism, states: States) -> tuple[Array, Array]:
    """Kinetic and total energy (1) at each of the times [J]."""
    mass = np.array([part.mass for part in m.parts])
    inertia = np.array([part.inertia for part in m.parts])
    kinetic = 0.5 * np.einsum("n,kni->k", mass, states.v**2) + 0.5 * np.einsum("ni,kni->k", inertia, states.w**2)
    total = kinetic - np.einsum("n,kni,i->k", mass, states.a, np.array(m.gravity))
    for spring in m.springs:
        ends = [
            states.a[:, body] + states.B[:, body] @ m.local(body, x) if body is not None else np.array(x)
            for body, x in ((spring.a, spring.at_a), (spring.b, spring.at_b))
        ]
        stretch = np.linalg.norm(ends[1] - ends[0], axis=-1) - spring.length
        total = total + 0.5 * spring.stiffness * stretch**2
    for turn in m.turns:
        x = states.B[:, turn.body, :, 0]
        angle = np.unwrap(np.arctan2(x[:, 1], x[:, 0]))
        total = total - turn.torque * (angle - angle[0])
    return kinetic, total


def drift(m: Mechanism, states: States) -> float:
    """The largest energy error relative to the largest kinetic energy."""
    kinetic, total = energies(m, states)
    return float(np.abs(total - total[0]).max() / kinetic.max())
