"""Minimise the incremental potential Π(u) of a step: Newton's method, made convex where need be, with a line search.

    H d = −∇Π,    u ← u + α d,    Π(u + α d) ≤ Π(u) + 10⁻⁴ α ∇Π·d                                             (1)

H is the exact Hessian where that is positive definite; else the sum of the elements' Hessians, each without its
negative eigenvalues; else that with a growing multiple of its diagonal. α = 1 where (1) allows; if not, α is found by
bisection until the slope along d has dropped to half, which also finds the rounded kink of friction, 10⁻⁸ of a step
wide. Where there are many kinks, and α gets small, ∇²D is replaced for a while by secants, ∂D/∂vᵢ over vᵢ, which stop
all that should stop at once (Weiszfeld's weights). Where the decrease to expect may be lost in the round-off of Π,
slopes decide: the one at the end must be smaller than the one at the beginning (Hager & Zhang, SIAM J. Optim. 2005).

Sparse factors are kept from one iteration, and from one step, to the next, where they precondition conjugate gradients
that find d to a part of FORCING; new ones come when solving with the old ones has cost as much as they will.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array
from ..kernels import implicit
from ..kernels.implicit import Memory
from ..kernels.implicit_maps import result
from ..kernels.status import NOT_FINITE, OK, SOLVE
from . import stepping
from .constrained import solve as solve_constrained
from .maps import Program
from .trial import STEP_MAP, Trial

LANDING = (3, 5)  # maps that end a step with constraints
DESCENT_ITERATIONS = 2000  # along a narrow valley that bends, such as stiff springs that turn by a large angle
DULL = 8  # iterations with secants of the dissipation after a step that friction has cut short
POTENTIAL_NOISE = 1e-10  # a decrease below this part of the sum of Π's terms may be round-off: slopes tell
FORCING = 1e-3  # relative residual to which conjugate gradients solve for d at least
EPS = float(np.finfo(np.float64).eps)


def rollout(
    program: Program, work: Memory, t: float, h: float, y: Array, first: int, steps: int, every: int, record: Array
) -> tuple[int, int]:
    """Take `steps` steps; as stepping.rollout, with a minimisation instead of Newton's method."""
    trial = program.kept.get("trial")
    if trial is None or trial.work is not work:
        trial = program.kept["trial"] = Trial(program, work)
    ny, nx = trial.ny, trial.nx
    solve = minimise if trial.n == nx else solve_constrained
    for n in range(steps):
        trial.h, trial.t = h, t + h * (first + n)
        work.z[:ny] = y
        x = np.zeros(nx)
        implicit.extrapolate(work.past, 0, nx, work.degree[STEP_MAP], x)
        status = solve(trial, x)
        if status != OK:
            return status, n
        work.z[ny : ny + nx] = x
        result(program.arrays, STEP_MAP, work.z, trial.t, h, work.w, y)
        work.degree[STEP_MAP] = implicit.store_unknowns(work.past, 0, nx, work.age[STEP_MAP], x)
        work.age[STEP_MAP] = min(work.age[STEP_MAP] + 1, 4)
        if nx > trial.n:
            status, _ = stepping.rollout(program, work, t, h, y, first + n, 1, steps + first + 2, record, LANDING)
            if status != OK:
                return status, n
        if (first + n + 1) % every == 0:
            record[(first + n + 1) // every] = y
    return OK, steps


def minimise(trial: Trial, x: Array) -> int:
    """x becomes a minimum of Π near it: status."""
    value, size = trial.value(x)
    rest = trial.value(np.zeros_like(x))
    if not value <= rest[0]:  # extrapolation led uphill
        x[:], (value, size) = 0.0, rest
    if not np.isfinite(value):
        return NOT_FINITE
    linear = trial.maps.linear[STEP_MAP] == 1
    last, forcing, dull = np.inf, 1e-14 if linear else 0.1, 0
    R = trial.derivatives(x)
    for _ in range(DESCENT_ITERATIONS):
        if not np.isfinite(R).all():
            return NOT_FINITE
        d, exact = direction(trial, x, R, forcing, dull > 0)
        e, slope = float(np.abs(d).max()), float(R @ d)
        part = trial.relative(d, x + d)
        stuck = e > 0.5 * last and (e <= trial.finest() or -slope <= 1e-4 * POTENTIAL_NOISE * size)
        if (exact and (linear or part <= implicit.CONVERGED)) or stuck:
            x += d
            return OK if e < np.inf else NOT_FINITE
        found = search(trial, x, d, value, size, slope)
        if found is None:
            return OK if -slope <= POTENTIAL_NOISE * size else SOLVE
        value, size, R, a = found
        dull = DULL if trial.rough and a < 0.1 else dull - 1
        last, forcing = e, min(0.1, max(FORCING, part))
    return SOLVE


def direction(trial: Trial, x: Array, R: Array, forcing: float, dull: bool = False) -> tuple[Array, bool]:
    """A direction of descent at x, where R and the exact matrix have just been computed; whether it is Newton's."""
    if dull:
        trial.derivatives(x, convex=True)
        trial.stiffen(x)
        if trial.factorise():
            return -trial.factors.solve(R), False
        trial.derivatives(x)
    indefinite = False
    if trial.factored and trial.spent < trial.factors.worth:
        d, indefinite = conjugate(trial, R, forcing)
        if d is not None:
            return d, True
    if not indefinite and trial.factorise():
        return -trial.factors.solve(R), True
    trial.derivatives(x, convex=True)
    if indefinite and trial.spent < trial.factors.worth:
        d, _ = conjugate(trial, R, forcing)
        if d is not None:
            return d, False
    shift = 1e-10 * float(np.abs(trial.diagonal()).max())
    while not trial.factorise():
        if not shift < 1e300:
            return np.full_like(R, np.nan), False
        trial.shift(shift)
        shift *= 10.0
    return -trial.factors.solve(R), False


def conjugate(trial: Trial, R: Array, forcing: float) -> tuple[Array | None, bool]:
    """H⁻¹(−R) to a relative residual of `forcing`, by conjugate gradients with the factors of an earlier matrix; None
    where it would take too long, or where H is not positive along the way; whether it is not."""
    H = trial.matrix()
    d, r = np.zeros_like(R), -R
    begin = float(np.linalg.norm(R))
    goal = forcing * begin
    p, before = np.zeros_like(R), 1.0
    most = trial.factors.worth
    for k in range(most):
        trial.spent += 1
        z = trial.factors.solve(r)
        now = float(r @ z)
        p = z + (now / before if k else 0.0) * p
        Hp = H @ p
        curvature = float(p @ Hp)
        if not curvature > 0.0:
            return (None, True) if R.any() else (d, False)
        d += now / curvature * p
        r -= now / curvature * Hp
        before = now
        left = float(np.linalg.norm(r))
        if left <= goal:
            return d, False
        if k >= 3 and (k + 1) * np.log(forcing) < most * np.log(left / begin):  # it will not get there
            return None, False
    return None, False


def search(
    trial: Trial, x: Array, d: Array, value: float, size: float, slope: float
) -> tuple[float, float, Array, float] | None:
    """Go from x along d by (1): x is moved, and Π, its size and its gradient there are given, and α; None where
    nothing is gained."""
    noise = POTENTIAL_NOISE * size
    new, new_size = trial.value(x + d)
    if new <= value + 1e-4 * slope:
        x += d
        return new, new_size, trial.derivatives(x), 1.0
    low, high, a, best = 0.0, 1.0, 1.0, 0.0
    kept = (value, size, np.zeros(0))
    for _ in range(100):
        lost = new <= value + noise and -a * slope <= noise
        fine = new <= value + 1e-4 * a * slope or lost
        R = trial.derivatives(x + a * d) if np.isfinite(new) else np.full_like(x, np.inf)
        along = float(R @ d) if np.isfinite(R).all() else np.inf
        if fine and along < np.inf and (best == 0.0 or new <= kept[0] or lost):
            best, kept = a, (new, new_size, R)
        if fine and abs(along) <= (0.9 if lost else 0.5) * -slope:
            break
        low, high = (low, a) if not fine or along > 0.0 else (a, high)
        if high - low <= 2.0 * EPS * high:
            break
        a = 0.5 * (low + high)
        new, new_size = trial.value(x + a * d)
    if best == 0.0:
        return None
    x += best * d
    if best != a:
        trial.derivatives(x)
    return *kept, best
