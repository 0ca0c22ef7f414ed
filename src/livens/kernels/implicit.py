"""Steps of any Lagrangian system: a chain of implicit maps (implicit_maps.py), each solved by Newton's method.

    R(y, x) = 0,    x ← x − (∂R/∂x)⁻¹ R   until a correction is so small that the next would be round-off;    y ← y₁

The first guess of x is extrapolated from its values in earlier steps by a polynomial of degree 0 to 3: the degree that
would have been best in the last step. A Newton correction of relative size δ leaves an error of the order of δ². At
rest x itself is round-off, and corrections stay as large as x; then R is compared with the round-off of its terms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._jit import inline, njit
from .dense import factor_dense, solve_dense
from .implicit_maps import residual, result
from .status import NOT_FINITE, OK, SOLVE

CONVERGED = 1e-8  # a relative correction after which Newton's method has converged
STALLED = 1e-6  # a relative correction below this that no longer decreases is round-off of an ill-conditioned system
NOISE = 3e-14  # relative to the sum of its terms, a smaller R is round-off
FINE = 1e-8  # the smallest unknown that counts, relative to the largest of its kind
NEWTON_ITERATIONS = 40


class Memory(NamedTuple):
    """Scratch of a run, and the unknowns of earlier steps, from which guesses are extrapolated."""

    z: NDArray[np.float64]  # (y, x) of the map at work
    w: NDArray[np.float64]  # registers
    R: NDArray[np.float64]
    A: NDArray[np.float64]  # dense, row-major
    order: NDArray[np.int64]  # row exchanges
    past: NDArray[np.float64]  # x of the last four steps, of all maps (4, unknowns)
    degree: NDArray[np.int64]  # of the polynomial that guesses, by map
    age: NDArray[np.int64]  # steps in `past`, by map
    tally: NDArray[np.int64]  # Newton iterations, and the map that failed


@njit
def extrapolate(past, first, n, degree, x):
    """x from earlier steps, by a polynomial."""
    for i in range(n):
        a, b, c, d = past[0, first + i], past[1, first + i], past[2, first + i], past[3, first + i]
        if degree == 0:
            x[i] = a
        elif degree == 1:
            x[i] = 2.0 * a - b
        elif degree == 2:
            x[i] = 3.0 * (a - b) + c
        else:
            x[i] = 4.0 * (a + c) - 6.0 * b - d


@njit
def store_unknowns(past, first, n, age, x):
    """Put x at the head of `past`; returns the degree that would have guessed it best."""
    best, least = 0, 1e300
    for k in range(min(4, age)):
        e = 0.0
        for i in range(n):
            a, b, c, d = past[0, first + i], past[1, first + i], past[2, first + i], past[3, first + i]
            if k == 0:
                g = a
            elif k == 1:
                g = 2.0 * a - b
            elif k == 2:
                g = 3.0 * (a - b) + c
            else:
                g = 4.0 * (a + c) - 6.0 * b - d
            e = max(e, abs(x[i] - g))
        if e < least:
            best, least = k, e
    for i in range(n):
        past[3, first + i] = past[2, first + i]
        past[2, first + i] = past[1, first + i]
        past[1, first + i] = past[0, first + i]
        past[0, first + i] = x[i]
    return min(best, age)


@njit
def largest_correction(maps, m, dx, x, past):
    """The largest correction relative to its unknown, to the change of that since the last step or to FINE times the
    largest unknown of its kind, whichever is largest; and the largest one relative to the largest of its kind."""
    first = maps.unknown[m]
    n = maps.unknown[m + 1] - first
    fine = coarse = 0.0
    i = 0
    while i < n:
        group, size, begin = maps.group[first + i], 1e-290, i
        while i < n and maps.group[first + i] == group:
            size = max(size, abs(x[i]), abs(x[i] - past[0, first + i]))
            if not abs(dx[i]) < 1e300:  # for each of them: max(x, NaN) may be x
                return np.inf, np.inf
            i += 1
        for k in range(begin, i):
            if dx[k] != 0.0:
                own = max(abs(x[k]), abs(x[k] - past[0, first + k]), FINE * size)
                fine, coarse = max(fine, abs(dx[k]) / own), max(coarse, abs(dx[k]) / size)
    return fine, coarse


@njit
def is_round_off(maps, m, A, n, R, z, ny):
    """True if R is at most the round-off of its terms: then x cannot be improved."""
    most = 0.0
    for i in range(ny + n):
        most = max(most, abs(z[i]))
    first = maps.unknown[m]
    for i in range(n):
        s = abs(z[maps.seed[first + i]]) if maps.seed[first + i] >= 0 else 0.0
        for j in range(n):
            s += abs(A[i * n + j]) * most
        if not abs(R[i]) <= NOISE * s:
            return False
    return True


@njit
def is_finite(y):
    """True if all numbers are finite."""
    for i in range(y.shape[0]):
        if not abs(y[i]) < 1e300:
            return False
    return True


@inline
def newton(maps, m, t, h, memory, y):
    """Solve map m from the guess in `memory.z`: status."""
    ny = y.shape[0]
    n = maps.unknown[m + 1] - maps.unknown[m]
    x = memory.z[ny : ny + n]
    last = 1e300
    stalled = False
    status = SOLVE if n > 0 else OK
    for _ in range(NEWTON_ITERATIONS if n > 0 else 0):
        residual(maps, m, memory.z, t, h, memory.w, memory.R, memory.A[: n * n])
        memory.tally[0] += 1
        if last < 1e300 and stalled and is_round_off(maps, m, memory.A, n, memory.R, memory.z, ny):
            status = OK
            break
        if not factor_dense(memory.A, n, memory.order):
            status = NOT_FINITE
            break
        solve_dense(memory.A, n, memory.order, memory.R)
        for i in range(n):
            x[i] -= memory.R[i]
        e, coarse = largest_correction(maps, m, memory.R, x, memory.past)
        if not e < 1e300:
            status = NOT_FINITE
            break
        stalled = e > 0.5 * last
        if e <= CONVERGED or maps.linear[m] == 1 or (stalled and coarse <= STALLED):
            status = OK
            break
        last = e
    return status


@njit
def rollout(maps, chain, memory, t, h, y, first, steps, every, record):
    """Take `steps` steps from step number `first` by the maps chain[0] … chain[1] − 1, keeping every `every`-th y:
    (status, steps taken)."""
    ny = y.shape[0]
    for n in range(steps):
        for m in range(chain[0], chain[1]):
            begin, nx = maps.unknown[m], maps.unknown[m + 1] - maps.unknown[m]
            lapse, now = h * maps.share[m, 0], t + h * (first + n + maps.share[m, 1])
            for i in range(ny):
                memory.z[i] = y[i]
            extrapolate(memory.past, begin, nx, memory.degree[m], memory.z[ny:])
            status = newton(maps, m, now, lapse, memory, y)
            if status != OK:
                memory.tally[1] = m
                return status, n
            result(maps, m, memory.z, now, lapse, memory.w, y)
            memory.degree[m] = store_unknowns(memory.past, begin, nx, memory.age[m], memory.z[ny:])
            memory.age[m] = min(memory.age[m] + 1, 4)
        if not is_finite(y):
            return NOT_FINITE, n
        if (first + n + 1) % every == 0:
            for i in range(ny):
                record[(first + n + 1) // every, i] = y[i]
    return OK, steps


@njit
def observe(maps, m, memory, t, h, record, seen):
    """The results of map m for every state of a record at the times t; each is solved from the one before. Status."""
    ny = record.shape[1]
    begin, nx = maps.unknown[m], maps.unknown[m + 1] - maps.unknown[m]
    for k in range(record.shape[0]):
        for i in range(ny):
            memory.z[i] = record[k, i]
        for i in range(nx):
            memory.z[ny + i] = memory.past[0, begin + i]
        status = newton(maps, m, t[k], h, memory, record[k])
        if status != OK:
            memory.tally[1] = k
            return status
        result(maps, m, memory.z, t[k], h, memory.w, seen[k])
        for i in range(nx):
            memory.past[0, begin + i] = memory.z[ny + i]
    return OK
