"""Systems in coordinates, for the schemes of `livens.discrete`: Kepler's ellipse and the double pendulum.

A system is a function of the module that provides `sqrt`, `cos`, …, so that every program can use it with its own
numbers or symbols: its Lagrangian T − V, and the accelerations that follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

G = 9.81


@dataclass(frozen=True)
class General:
    """A system of two coordinates q with rates v, its duration, and the steps."""

    key: str
    title: str
    accelerations: Callable[[Any], Callable[[Any, Any], tuple[Any, Any]]]  # functions → (q, v) → q''
    energies: Callable[[Any], Callable[[Any, Any], tuple[Any, Any]]]  # functions → (q, v) → T, V
    q: Sequence[float]
    v: Sequence[float]
    until: float
    coarse: int
    mass: Sequence[float] = ()  # where T = Σ ½ m v²
    size: float = 1.0

    def steps(self, rung: int) -> int:
        """Number of steps of a refinement: √2 times that of the one before."""
        return round(self.coarse * 2 ** (rung / 2))

    def read(self, end: np.ndarray) -> np.ndarray:
        """Final coordinates for comparison with the reference: the last row of (times, q and v)."""
        return end[-1:, :2]

    def drift(self, states: np.ndarray) -> float:
        """The largest energy error relative to the largest kinetic energy."""
        T, V = self.energies(np)(states[:, :2].T, states[:, 2:].T)
        return float(np.abs(T + V - (T + V)[0]).max() / T.max())


def kepler(f: Any) -> Callable[[Any, Any], tuple[Any, Any]]:
    """A planet about a sun of unit strength."""
    sqrt = f.sqrt

    def accelerations(q: Any, v: Any) -> tuple[Any, Any]:
        r = sqrt(q[0] * q[0] + q[1] * q[1])
        cube = r * r * r
        return -q[0] / cube, -q[1] / cube

    return accelerations


def kepler_energies(f: Any) -> Callable[[Any, Any], tuple[Any, Any]]:
    return lambda q, v: (0.5 * (v[0] * v[0] + v[1] * v[1]), -1.0 / f.sqrt(q[0] * q[0] + q[1] * q[1]))


def pendula(f: Any) -> Callable[[Any, Any], tuple[Any, Any]]:
    """Two point masses on massless rods, all of unit size; q are the angles from the vertical:

    2 q₀'' + c q₁'' = a,   c q₀'' + q₁'' = b.
    """
    sin, cos = f.sin, f.cos

    def accelerations(q: Any, v: Any) -> tuple[Any, Any]:
        c, s = cos(q[0] - q[1]), sin(q[0] - q[1])
        a = -s * v[1] * v[1] - 2.0 * G * sin(q[0])
        b = s * v[0] * v[0] - G * sin(q[1])
        det = 2.0 - c * c
        return (a - c * b) / det, (2.0 * b - c * a) / det

    return accelerations


def pendula_energies(f: Any) -> Callable[[Any, Any], tuple[Any, Any]]:
    return lambda q, v: (
        v[0] * v[0] + 0.5 * v[1] * v[1] + v[0] * v[1] * f.cos(q[0] - q[1]),
        -G * (2.0 * f.cos(q[0]) + f.cos(q[1])),
    )


TASKS = (
    General("kepler", "Kepler's ellipse (e = 0.6), ten turns", kepler, kepler_energies,
            (0.4, 0.0), (0.0, 2.0), 20.0 * np.pi, 200, (1.0, 1.0)),
    General("double-pendulum", "double pendulum in its angles, 10 s", pendula, pendula_energies,
            (1.0, 0.4), (0.5, -1.0), 10.0, 100),
)  # fmt: skip
