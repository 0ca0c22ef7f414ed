"""Run the maps of a program: compiled where matrices are small and dense, by SciPy's sparse LU where they are large.

The sparse loops repeat those of kernels/implicit.py in Python, because compiled code cannot call SciPy. One Python loop
for both would make small systems hundreds of times slower; for large ones the factorisations dominate.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.sparse.linalg import splu

from ..checks import Array
from ..kernels import implicit
from ..kernels.implicit import Memory
from ..kernels.implicit_maps import residual, result
from ..kernels.status import NOT_FINITE, OK, SOLVE
from .maps import Program


def memory(program: Program) -> Memory:
    """New scratch."""
    most, every = max(program.sizes, default=0), sum(program.sizes)
    values = most * most if program.dense else max((p.nnz for p in program.patterns if p is not None), default=0)
    maps = len(program.sizes)
    return Memory(
        z=np.zeros(program.state.size + most),
        w=np.zeros(program.registers),
        R=np.zeros(most),
        A=np.zeros(values),
        order=np.zeros(most, dtype=np.int64),
        past=np.zeros((4, every)),
        degree=np.zeros(maps, dtype=np.int64),
        age=np.zeros(maps, dtype=np.int64),
        tally=np.zeros(2, dtype=np.int64),
    )


def rollout(
    program: Program,
    work: Memory,
    t: float,
    h: float,
    y: Array,
    first: int,
    steps: int,
    every: int,
    record: Array,
    chain: tuple[int, int] | None = None,
) -> tuple[int, int]:
    """`steps` steps from step number `first`, in y; every `every`-th goes into `record`: (status, steps taken). A step
    is all maps, or those from chain[0] to before chain[1]."""
    maps = program.arrays
    begins, ends = chain or (0, len(program.sizes))
    if program.dense:
        return implicit.rollout(maps, np.array([begins, ends]), work, t, h, y, first, steps, every, record)
    ny = len(y)
    for n in range(steps):
        for m in range(begins, ends):
            begin, nx = maps.unknown[m], program.sizes[m]
            lapse, now = h * maps.share[m, 0], t + h * (first + n + maps.share[m, 1])
            work.z[:ny] = y
            implicit.extrapolate(work.past, begin, nx, work.degree[m], work.z[ny:])
            status = newton(program, m, now, lapse, work)
            if status != OK:
                work.tally[1] = m
                return status, n
            result(maps, m, work.z, now, lapse, work.w, y)
            work.degree[m] = implicit.store_unknowns(work.past, begin, nx, work.age[m], work.z[ny:])
            work.age[m] = min(work.age[m] + 1, 4)
        if not implicit.is_finite(y):
            return NOT_FINITE, n
        if (first + n + 1) % every == 0:
            record[(first + n + 1) // every] = y
    return OK, steps


def observe(program: Program, m: int, t: Array, record: Array, guess: Array | None = None) -> tuple[int, Array]:
    """The results of map m for each state of `record` at times t: (status, one row each)."""
    maps, work = program.arrays, memory(program)
    blocks = program.maps[m].out or program.state
    seen = np.zeros((len(record), blocks.size))
    begin, nx = maps.unknown[m], program.sizes[m]
    if guess is not None:
        work.past[0, begin : begin + nx] = guess
    if program.dense:
        return implicit.observe(maps, m, work, t, 1.0, np.ascontiguousarray(record), seen), seen
    ny = program.state.size
    for k, y in enumerate(record):
        work.z[:ny] = y
        work.z[ny : ny + nx] = work.past[0, begin : begin + nx]
        status = newton(program, m, t[k], 1.0, work) if nx else OK
        if status != OK:
            return status, seen
        result(maps, m, work.z, t[k], 1.0, work.w, seen[k])
        work.past[0, begin : begin + nx] = work.z[ny : ny + nx]
    return OK, seen


def newton(program: Program, m: int, t: float, h: float, work: Memory) -> int:
    """As in kernels/implicit.py, with a sparse factorisation."""
    maps, matrix, nx, ny = program.arrays, program.patterns[m], program.sizes[m], program.state.size
    assert matrix is not None
    x = work.z[ny : ny + nx]
    last = 1e300
    stalled = False
    held = maps.group[maps.unknown[m] : maps.unknown[m + 1]].any()
    ordering = "COLAMD" if held else "MMD_AT_PLUS_A"  # half the time, but rows of multipliers, without pivots, fill in
    seed = maps.seed[maps.unknown[m] : maps.unknown[m + 1]]
    for _ in range(implicit.NEWTON_ITERATIONS):
        residual(maps, m, work.z, t, h, work.w, work.R, matrix.data)
        work.tally[0] += 1
        if not (np.isfinite(matrix.data).all() and np.isfinite(work.R[:nx]).all()):
            return NOT_FINITE
        if stalled:
            made_of = np.asarray(abs(matrix).sum(axis=1)).ravel() * np.abs(work.z[: ny + nx]).max()
            made_of += np.where(seed >= 0, np.abs(work.z[seed]), 0.0)
            if (np.abs(work.R[:nx]) <= implicit.NOISE * made_of).all():
                return OK
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                dx = splu(matrix, permc_spec=ordering).solve(work.R[:nx])
        except RuntimeError:  # singular
            return NOT_FINITE
        x -= dx
        e, coarse = implicit.largest_correction(maps, m, dx, x, work.past)
        if not e < 1e300:
            return NOT_FINITE
        stalled = e > 0.5 * last
        if e <= implicit.CONVERGED or maps.linear[m] == 1 or (stalled and coarse <= implicit.STALLED):
            return OK
        last = e
    return SOLVE
