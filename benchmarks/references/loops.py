"""Loops with one degree of freedom s: all positions are closed forms of s, differentiated by jets.

With the kinetic energy ½ I(s) s'², I = Σ m |x'|² + ω·J ω per unit of s', and the generalised force Q(s):

    I s'' = Q − ½ I' s'²                                                                                            (1)
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos as real_cos
from math import sin as real_sin
from typing import Any

import numpy as np

from ..tasks import Task
from ..tasks.loops import ANDREWS, CRANK
from .integrate import integrate
from .jets import Jet, cos, jet, sin, sqrt

Planar = tuple[Jet, Jet]


def one_freedom(inertia: Callable[[float], tuple[float, float, float]], s: float, rate: float, until: float,
                rtol: float) -> float:  # fmt: skip
    """s at the end by (1); `inertia` gives I, I' and Q."""

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        I, dI, Q = inertia(float(y[0]))
        return np.array([y[1], (Q - 0.5 * dI * y[1] ** 2) / I])

    return float(integrate(slope, np.array([s, rate]), until, rtol)[0])


def four_bars(task: Task, rtol: float) -> np.ndarray:
    """As parallelograms: I = (n + 1)/3 + n, Q = g ((n + 1)/2 + n) sin φ, φ the crank angle from the vertical."""
    n = (len(task.mechanism.parts) - 1) // 2
    I, W = (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    phi = one_freedom(lambda s: (I, 0.0, W * real_sin(s)), 0.0, 1.0, task.until, rtol)
    return np.array([[crank + real_sin(phi), real_cos(phi), 0.0] for crank, _ in task.probes])


# ── Andrews' squeezer: from the crank angle β by successive intersections of circles ──


def turned(direction: Planar, x: float, y: float) -> Planar:
    """The vector (x, y) of a frame whose first axis is along `direction` (unit)."""
    c, s = direction
    return c * x - s * y, s * x + c * y


def plus(a: Any, b: Any) -> Planar:
    return jet(a[0]) + b[0], jet(a[1]) + b[1]


def dyad(P: Planar, p: float, Q: Planar, q: float, side: float) -> Planar:
    """The point at distance p from P and q from Q, on one side of the line from P to Q."""
    d = plus(Q, (-jet(P[0]), -jet(P[1])))
    square = d[0] * d[0] + d[1] * d[1]
    along = (square + (p * p - q * q)) / (square * 2.0)
    across = sqrt(p * p / square - along * along) * side
    return plus(P, (along * d[0] - across * d[1], along * d[1] + across * d[0]))


def squeezer(beta: float) -> tuple[list[Planar], list[Jet], Planar]:
    """Centres of mass, rotation rates per unit of β (jets whose x is the rate), and the end D of the spring."""
    p: dict[str, Any] = ANDREWS
    A, B = (tuple(map(jet, p[name])) for name in "AB")
    crank = cos(Jet(beta, 1.0)), sin(Jet(beta, 1.0))
    F = turned(crank, p["rr"], 0)
    E = dyad(F, p["d"], B, p["ss"], SIDES[0])
    G = dyad(A, p["zt"], E, p["e"], SIDES[1])
    H = dyad(A, p["u"], E, p["zf"], SIDES[2])

    def unit(P: Planar, Q: Planar, long: float) -> Planar:
        return (Q[0] - P[0]) / long, (Q[1] - P[1]) / long

    k2 = unit(E, F, p["d"])  # along F − E
    down3, down4, down7 = unit(B, E, p["ss"]), unit(G, E, p["e"]), unit(A, H, p["u"])  # (sin, −cos) of their angles
    k3, k4, k7 = ((-d[1], d[0]) for d in (down3, down4, down7))
    k5, k6 = unit(A, G, p["zt"]), unit(H, E, p["zf"])
    frames = (crank, k2, k3, k4, k5, k6, k7)
    centers = [
        turned(crank, p["ra"], 0), plus(F, turned(k2, -p["da"], 0)), plus(B, turned(k3, p["sb"], -p["sa"])),
        plus(G, turned(k4, 0, p["ea"] - p["e"])), plus(A, turned(k5, p["ta"], p["tb"])),
        plus(H, turned(k6, p["zf"] - p["fa"], 0)), plus(A, turned(k7, -p["ub"], -p["ua"])),
    ]  # fmt: skip
    rates = [Jet(c.x * s.d - s.x * c.d, c.x * s.dd - s.x * c.dd) for c, s in frames]
    return centers, rates, plus(B, turned(k3, p["sd"], -p["sc"]))


SIDES = (1.0, 1.0, 1.0)  # replaced below by those of the initial state


def _sides() -> tuple[float, float, float]:
    """The side of each line on which the third point is initially."""
    p: dict[str, Any] = ANDREWS
    beta, theta, _, _, delta, _, epsilon = p["start"]
    A, B = np.array(p["A"]), np.array(p["B"])
    F = p["rr"] * np.array([real_cos(beta), real_sin(beta)])
    E = F - p["d"] * np.array([real_cos(beta + theta), real_sin(beta + theta)])
    G = A + p["zt"] * np.array([real_cos(delta), real_sin(delta)])
    H = A + p["u"] * np.array([real_sin(epsilon), -real_cos(epsilon)])

    def side(P: np.ndarray, Q: np.ndarray, X: np.ndarray) -> float:
        d, x = Q - P, X - P
        return float(np.sign(d[0] * x[1] - d[1] * x[0]))

    return side(F, B, E), side(A, E, G), side(A, E, H)


SIDES = _sides()


def andrews(task: Task, rtol: float) -> np.ndarray:
    """The seven centres of mass."""
    p: dict[str, Any] = ANDREWS
    C = p["C"]

    def inertia(beta: float) -> tuple[float, float, float]:
        centers, rates, D = squeezer(beta)
        I = dI = 0.0
        for mass, J, (x, y), w in zip(p["mass"], p["inertia"], centers, rates, strict=True):
            I += mass * (x.d**2 + y.d**2) + J * w.x**2
            dI += 2.0 * (mass * (x.d * x.dd + y.d * y.dd) + J * w.x * w.d)
        stretch = sqrt((D[0] - C[0]) * (D[0] - C[0]) + (D[1] - C[1]) * (D[1] - C[1])) - p["length"]
        return I, dI, p["torque"] - p["stiffness"] * stretch.x * stretch.d

    beta = one_freedom(inertia, p["start"][0], 0.0, task.until, rtol)
    return np.array([[x.x, y.x, 0.0] for x, y in squeezer(beta)[0]])


# ── the slider-crank ──

Spatial = list[Jet]


def cross(a: Spatial, b: Spatial) -> Spatial:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: Spatial, b: Spatial) -> Jet:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def slider(angle: float) -> tuple[Spatial, Spatial, list[Spatial]]:
    """For the crank angle from the vertical about x: the end B of the crank, the slider C, and the axes of the rod."""
    p: dict[str, Any] = CRANK
    A, s = p["A"], Jet(angle, 1.0)
    B = [jet(A[0]), A[1] - sin(s) * p["long"], A[2] + cos(s) * p["long"]]
    C = [B[0] + sqrt(p["rod"] ** 2 - B[1] * B[1] - B[2] * B[2]), jet(0.0), jet(0.0)]
    u = [(c - b) / p["rod"] for b, c in zip(B, C, strict=True)]
    v = cross([jet(1.0), jet(0.0), jet(0.0)], u)
    long = sqrt(dot(v, v))
    v = [x / long for x in v]
    return B, C, [u, v, cross(u, v)]


def slider_crank(task: Task, rtol: float) -> np.ndarray:
    """The final position of the slider."""
    parts = task.mechanism.parts
    A = CRANK["A"]

    def inertia(angle: float) -> tuple[float, float, float]:
        B, C, axes = slider(angle)
        u, v, w = axes

        def rate(of: Spatial, along: Spatial) -> Jet:
            """of' · along as a jet of first order: a rate of the rod per unit rate of the crank."""
            slope = [Jet(x.d, x.dd) for x in of]
            first = [Jet(x.x, x.d) for x in along]
            return sum((a * b for a, b in zip(slope, first, strict=True)), jet(0.0))

        spin = rate(v, w), rate(w, u), rate(u, v)
        I, dI, Q = parts[0].inertia[0], 0.0, 0.0
        crank = [(jet(a) + b) * 0.5 for a, b in zip(A, B, strict=True)]
        rod = [(b + c) * 0.5 for b, c in zip(B, C, strict=True)]
        for part, center in zip(parts, (crank, rod, C), strict=True):
            I += part.mass * sum(x.d**2 for x in center)
            dI += 2.0 * part.mass * sum(x.d * x.dd for x in center)
            Q -= 9.81 * part.mass * center[2].d
        for J, r in zip(parts[1].inertia, spin, strict=True):
            I += J * r.x**2
            dI += 2.0 * J * r.x * r.d
        return I, dI, Q

    angle = one_freedom(inertia, 0.0, CRANK["rate"], task.until, rtol)
    return np.array([[x.x for x in slider(angle)[1]]])
