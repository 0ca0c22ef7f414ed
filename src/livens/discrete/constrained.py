"""Minimise Π(u) subject to g(q₀ + u) = 0: Newton's method for the Lagrange function, with a line search.

    [ H   −Gᵀ ] [ d ]     [ ∇Π − Gᵀλ ]
    [ −G   0  ] [ δ ] = − [    −g    ]            H = ∇²(Π − λ·g), or ∇²Π made convex where that does not descend  (1)
    φ(u) = Π(u) + ρ |g|₁,      ρ ≥ 2 |λ + δ|∞,      dφ = ∇Π·d − ρ |g|₁                                            (2)

A full step is taken where φ decreases by enough; before it is shortened, the curvature of the constraints is corrected
for with the same matrix. Near the solution, where φ is round-off, full steps are Newton's and end on the constraints.
Nocedal & Wright, Numerical Optimization, ch. 18.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array
from ..kernels import implicit
from ..kernels.status import NOT_FINITE, OK, SOLVE
from .trial import Trial

MERIT_ITERATIONS = 100
MERIT_NOISE = 1e-13  # round-off of φ as a part of the sum of its terms' sizes


def solve(trial: Trial, x: Array) -> int:
    """x = (u, λ) becomes a constrained minimum near it: status."""
    n = trial.n
    value, size = trial.value(x)
    if not np.isfinite(value):
        x[:n] = 0.0
        value, size = trial.value(x)
        if not np.isfinite(value):
            return NOT_FINITE
    defect = float(np.abs(trial.g).sum())
    weight, last = 0.0, np.inf
    for _ in range(MERIT_ITERATIONS):
        found = direction(trial, x, defect, weight)
        if found is None:
            return NOT_FINITE
        dx, weight, slope = found
        e = float(np.abs(dx[:n]).max())
        if trial.relative(dx, x + dx) <= implicit.CONVERGED or (e > 0.5 * last and e <= trial.finest()):
            x += dx
            return OK
        moved = search(trial, x, dx, value, size, defect, weight, slope)
        if moved is None:
            return SOLVE
        value, size, defect = moved
        last = e
    return SOLVE


def direction(trial: Trial, x: Array, defect: float, weight: float) -> tuple[Array, float, float] | None:
    """(1), with the weight ρ and the slope dφ of (2)."""
    n = trial.n
    for convex in (False, True):
        start = x.copy()
        if convex:
            start[n:] = 0.0  # without the curvature of the constraints
        R = trial.derivatives(start, convex)
        if not np.isfinite(R).all() or not trial.factorise():
            continue
        dx = -trial.factors.solve(R)
        dx[n:] += start[n:] - x[n:]
        most = 2.0 * float(np.abs(x[n:] + dx[n:]).max())
        weight = most if most > weight else max(0.5 * weight, most)
        slope = float(R[:n] @ dx[:n] + start[n:] @ R[n:]) - weight * defect
        if np.isfinite(dx).all() and (slope < 0.0 or convex):
            return dx, weight, slope
    return None


def search(
    trial: Trial, x: Array, dx: Array, value: float, size: float, defect: float, weight: float, slope: float
) -> tuple[float, float, float] | None:
    """Move x along dx until φ has decreased: Π, its size and |g|₁ there; None where nothing is gained."""
    n, a = trial.n, 1.0
    before, noise = value + weight * defect, MERIT_NOISE * (size + weight * defect)
    for k in range(50):
        step = a * dx
        new, new_size = trial.value(x + step)
        miss = float(np.abs(trial.g).sum())
        if k == 0 and not new + weight * miss <= before + 1e-4 * slope + noise and np.isfinite(miss):
            right = np.zeros_like(x)
            right[n:] = trial.g
            bent = step + trial.factors.solve(right)
            bent[n:] = step[n:]
            newer, newer_size = trial.value(x + bent)
            closer = float(np.abs(trial.g).sum())
            if newer + weight * closer <= before + 1e-4 * slope + noise:
                step, new, new_size, miss = bent, newer, newer_size, closer
        if new + weight * miss <= before + 1e-4 * a * slope + noise:
            x += step
            return new, new_size, miss
        a *= 0.5
    return None
