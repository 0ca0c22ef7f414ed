"""Closed loops with one degree of freedom: forty four-bar linkages, Andrews' squeezer, a spatial slider-crank."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from . import Task
from .mechanism import Joint, Mechanism, Part, Pull, Turn, Vector

Z: Vector = (0.0, 0.0, 1.0)
UP = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # x of the body points to +y


def flat(x: Any) -> Vector:
    """A point of the plane."""
    return (float(x[0]), float(x[1]), 0.0)


def four_bars(n: int) -> Mechanism:
    """IFToMM A02: n + 1 upright cranks, n couplers, all uniform bars of 1 m and 1 kg, rotating at 1 rad/s.

    Twice per turn all bars lie flat, where the mechanism could change its branch; it must stay a row of parallelograms.
    """
    bar = (1 / 1200, 1 / 12, 1 / 12)
    cranks = [
        Part(1.0, bar, at=(float(k), 0.5, 0.0), rotation=UP, velocity=(0.5, 0.0, 0.0), rates=(0.0, 0.0, -1.0))
        for k in range(n + 1)
    ]
    couplers = [Part(1.0, bar, at=(k + 0.5, 1.0, 0.0), velocity=(1.0, 0.0, 0.0)) for k in range(n)]
    joints = [Joint("hinge", None, k, (float(k), 0.0, 0.0), Z) for k in range(n + 1)]
    joints += [Joint("hinge", k, n + 1 + k, (float(k), 1.0, 0.0), Z) for k in range(n)]
    joints += [Joint("hinge", n + 1 + k, k + 1, (k + 1.0, 1.0, 0.0), Z, closes=True) for k in range(n)]
    return Mechanism([*cranks, *couplers], joints, gravity=(0.0, -9.81, 0.0), planar=True)


# ── Andrews' squeezer, Test Set for IVP Solvers: seven bodies in the plane ──

ANDREWS = {
    "mass": (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498),
    "inertia": (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5),
    "A": (-0.06934, -0.00227), "B": (-0.03635, 0.03273), "C": (0.014, 0.072),
    "d": 0.028, "da": 0.0115, "e": 0.02, "ea": 0.01421, "rr": 0.007, "ra": 0.00092, "ss": 0.035, "sa": 0.01874,
    "sb": 0.01043, "sc": 0.018, "sd": 0.02, "ta": 0.02308, "tb": 0.00916, "u": 0.04, "ua": 0.01228, "ub": 0.00449,
    "zf": 0.02, "zt": 0.04, "fa": 0.01421, "stiffness": 4530.0, "length": 0.07785, "torque": 0.033,
    "start": (-0.0617138900142764, 0.0, 0.4552798191630704, 0.2226683901658859, 0.4873649795438426,
              -0.2226683901658859, 1.2305474445498212),
}  # fmt: skip


def andrews() -> Mechanism:
    """Seven bodies, three loops that meet at E; a torque acts on the first body, from rest."""
    p: dict[str, Any] = ANDREWS
    beta, theta, gamma, phi, delta, omega, epsilon = p["start"]

    def turned(angle: float, x: float, y: float) -> np.ndarray:
        c, s = np.cos(angle), np.sin(angle)
        return np.array([c * x - s * y, s * x + c * y])

    A, B, C = (np.array(p[name]) for name in "ABC")
    F = turned(beta, p["rr"], 0)
    E = F - turned(beta + theta, p["d"], 0)
    D = B + turned(gamma, p["sd"], -p["sc"])
    G = A + turned(delta, p["zt"], 0)
    H = A + turned(epsilon, 0, -p["u"])
    centers = (
        turned(beta, p["ra"], 0), F - turned(beta + theta, p["da"], 0), B + turned(gamma, p["sb"], -p["sa"]),
        G + turned(phi + delta, 0, p["ea"] - p["e"]), A + turned(delta, p["ta"], p["tb"]),
        H + turned(omega + epsilon, p["zf"] - p["fa"], 0), A + turned(epsilon, -p["ub"], -p["ua"]),
    )  # fmt: skip
    parts = [
        Part(mass, (0.6 * J, 0.7 * J, J), at=flat(x))
        for mass, J, x in zip(p["mass"], p["inertia"], centers, strict=True)
    ]
    tree = ((None, 0, (0, 0)), (0, 1, F), (None, 2, B), (None, 4, A), (4, 3, G), (None, 6, A), (6, 5, H))
    joints = [Joint("hinge", a, b, flat(x), Z) for a, b, x in tree]
    joints += [Joint("hinge", 2, k, flat(E), Z, closes=True) for k in (1, 3, 5)]
    spring = Pull(None, 2, flat(C), flat(D), p["stiffness"], p["length"])
    return Mechanism(parts, joints, [spring], [Turn(0, p["torque"])], planar=True)


# ── the slider-crank of Haug, in space ──

CRANK = {"A": (0.0, 0.1, 0.12), "long": 0.08, "rod": 0.3, "C": (0.2, 0.0, 0.0), "rate": 6.0}


def slider_crank() -> Mechanism:
    """A crank about x, a rod, a slider along x; ball joint at the crank, universal joint at the slider."""
    p: dict[str, Any] = CRANK
    A, C = np.array(p["A"]), np.array(p["C"])
    B = np.add(A, (0, 0, p["long"]))
    u = (C - B) / p["rod"]
    v = np.cross(u, (1, 0, 0))
    v *= -1 / np.linalg.norm(v)
    at = [tuple(x) for x in ((A + B) / 2, (B + C) / 2, C)]
    crank = Part(0.12, (1e-4, 1e-4, 1e-5), at=at[0], velocity=(0.0, -0.24, 0.0), rates=(p["rate"], 0.0, 0.0))
    rod = Part(
        0.5, (4e-4, 4e-3, 4e-3), at=at[1], rotation=np.stack([u, v, np.cross(u, v)], axis=1),
        velocity=(0.12, -0.24, 0.0), rates=(1.92, -0.96, 0.48),
    )  # fmt: skip
    slider = Part(2.0, (1e-4, 1e-4, 1e-4), at=at[2], velocity=(0.24, 0.0, 0.0))
    x: Vector = (1.0, 0.0, 0.0)
    joints = [
        Joint("hinge", None, 0, tuple(A), x),
        Joint("slide", None, 2, tuple(C), x),
        Joint("universal", 2, 1, tuple(C), x, tuple(v)),
        Joint("ball", 0, 1, tuple(B), closes=True),
    ]
    return Mechanism([crank, rod, slider], joints, gravity=(0.0, 0.0, -9.81))


TASKS = (
    Task(
        "four-bars-40", "40 four-bars, 5 s", partial(four_bars, 40), 5.0,
        [(0, (0.5, 0.0, 0.0)), (40, (0.5, 0.0, 0.0))], 1.0, 100,
    ),
    Task("andrews", "Andrews' squeezer, 0.03 s", andrews, 0.03, [(k, (0.0, 0.0, 0.0)) for k in range(7)], 0.04, 25),
    Task("slider-crank", "slider-crank in space, 5 s", slider_crank, 5.0, [(2, (0.0, 0.0, 0.0))], 0.08, 50),
)  # fmt: skip
