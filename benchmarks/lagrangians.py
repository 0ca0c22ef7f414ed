"""Time per step of schemes from a Lagrangian: best of several rounds, without set-up and compilation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import livens.discrete as ld

from .speeds import best
from .table import markdown

G = 9.81


@dataclass(frozen=True)
class Speed:
    """A system given by its Lagrangian, its initial state, scheme and step."""

    label: str
    build: Callable[[], tuple[ld.Lagrangian, Any, Any]]
    scheme: Any
    h: float
    steps: int
    target: float | None = None  # [µs]


def double_pendulum() -> tuple[ld.Lagrangian, Any, Any]:
    """Double pendulum in its two angles."""

    def L(q: Any, v: Any) -> Any:
        kinetic = v[0] ** 2 + 0.5 * v[1] ** 2 + v[0] * v[1] * ld.cos(q[0] - q[1])
        return kinetic + G * (2.0 * ld.cos(q[0]) + ld.cos(q[1]))

    return ld.Lagrangian(L, n=2), [1.0, 0.4], [0.5, -1.0]


def kepler() -> tuple[ld.Lagrangian, Any, Any]:
    """Eccentricity 0.6."""
    return ld.Mechanical([1.0, 1.0], lambda x: -1.0 / ld.norm(x)), [0.4, 0.0], [0.0, 2.0]


def planets() -> tuple[ld.Lagrangian, Any, Any]:
    """A sun and five planets on circles, every pair attracting."""
    n = 6
    masses = np.array([1.0, *(1e-3 / k for k in range(1, n))])
    radius, angle = np.arange(n) * 1.0, 2.0 * np.arange(n)
    speed = np.sqrt(1.0 / np.maximum(radius, 1.0)) * (radius > 0)
    q = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), 0.01 * radius])
    v = np.column_stack([-speed * np.sin(angle), speed * np.cos(angle), 0.0 * speed])
    pairs = [(i, j) for i in range(n) for j in range(i)]
    pull = ld.Elements(
        lambda x, p: -p[0] / ld.norm(x[1] - x[0]), pairs, [masses[i] * masses[j] for i, j in pairs], dim=3
    )
    return ld.Mechanical(np.repeat(masses, 3), pull), q.ravel(), v.ravel()


def stiff_chain() -> tuple[ld.Lagrangian, Any, Any]:
    """Fermi, Pasta & Ulam: three stiff springs, ω = 50."""

    def V(x: Any) -> Any:
        soft = [x[0] - x[3], x[1] - x[4] - x[0] - x[3], x[2] - x[5] - x[1] - x[4], x[2] + x[5]]
        return 0.5 * 50.0**2 * ld.dot(x[3:], x[3:]) + 0.25 * sum(length**4 for length in soft)

    return ld.Mechanical(1.0, V, n=6), [1.0, 0.0, 0.0, 0.02, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]


def sphere() -> tuple[ld.Lagrangian, Any, Any]:
    """A pendulum in three coordinates with one constraint."""
    g = lambda x: ld.dot(x, x) - 1.0  # noqa: E731
    return ld.Mechanical(np.ones(3), lambda x: G * x[2], constraints=g), [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]


def net(side: int) -> tuple[ld.Lagrangian, Any, Any]:
    """side × side masses in space, springs between neighbours."""
    nodes = np.arange(side * side).reshape(side, side)
    ends = ((nodes[:, :-1], nodes[:, 1:]), (nodes[:-1], nodes[1:]))
    pairs = np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in ends])
    x = np.array([(i, 0.1 * np.sin(i + 2.0 * j), -j) for j in range(side) for i in range(side)], dtype=float).ravel()
    system = ld.Mechanical(0.2, ld.springs(pairs, stiffness=200.0, length=0.9), n=len(x))
    return system, x, 0.1 * np.cos(np.arange(len(x)))


SPEEDS = (
    Speed("double pendulum, midpoint", double_pendulum, ld.Midpoint(), 1e-3, 50_000, target=5.0),
    Speed("double pendulum, Galerkin of order 4", double_pendulum, ld.Galerkin(4), 1e-2, 10_000),
    Speed("double pendulum, Galerkin of order 6", double_pendulum, ld.Galerkin(6), 1e-2, 5_000),
    Speed("double pendulum, Newmark", double_pendulum, ld.Newmark(), 1e-3, 50_000),
    Speed("Kepler, Störmer–Verlet", kepler, ld.Trapezoidal(), 1e-3, 100_000),
    Speed("Kepler, midpoint", kepler, ld.Midpoint(), 1e-3, 50_000),
    Speed("sun and five planets, Störmer–Verlet", planets, ld.Trapezoidal(), 1e-2, 10_000),
    Speed("sun and five planets, midpoint", planets, ld.Midpoint(), 1e-2, 1_000),
    Speed("Fermi–Pasta–Ulam, Störmer–Verlet", stiff_chain, ld.Trapezoidal(), 1e-3, 50_000),
    Speed("Fermi–Pasta–Ulam, midpoint", stiff_chain, ld.Midpoint(), 1e-3, 20_000),
    Speed("spherical pendulum, midpoint, constrained", sphere, ld.Midpoint(), 1e-3, 20_000),
    Speed("net of 30 × 30 springs (2,700 unknowns), midpoint", lambda: net(30), ld.Midpoint(), 1e-3, 10),
)


def lagrangians(problems: tuple[Speed, ...] = SPEEDS) -> list[list[object]]:
    """Rows: label, µs per step, target."""

    def timer(speed: Speed) -> Callable[[], float]:
        system, q, v = speed.build()

        def run() -> float:
            until = speed.h * speed.steps
            run = ld.simulate(system, speed.scheme, q, v, speed.h, until, every=speed.steps, progress=False)
            return run.seconds / run.steps * 1e6

        return run

    times = best([timer(speed) for speed in problems])
    return [
        [
            f"Lagrangian: {speed.label}",
            f"{time:.3g} µs per step",
            "" if speed.target is None else f"≤ {speed.target:g} µs",
        ]
        for speed, time in zip(problems, times, strict=True)
    ]


if __name__ == "__main__":
    print(markdown(["problem", "measured", "target"], lagrangians()))
