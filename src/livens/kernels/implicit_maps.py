"""Implicit maps made of many equal pieces: y ↦ y₁, with unknowns x found from R(y, x) = 0.

A map is a sum over terms, a term a sum over its instances e, and an instance a tape (tape.py) on the few numbers of
z = (y, x) that its row of an index table names. With P_e the gathering of those numbers and p_e its parameters,

    R(z)  = z[seed] + Σ_e Q_eᵀ ρ(P_e z, t, h, p_e)          residual, and its Jacobian ∂R/∂x by the same tape      (1)
    y₁    = z[keep] + Σ_e W_eᵀ σ(P_e z, t, h, p_e)          result                                                 (2)

A network of ten thousand equal springs is one tape and a table of ten thousand rows. Where the Jacobian's entries go is
a table too: into a dense matrix for small systems, into the values of a sparse one for large systems.

Registers of a tape: the numbers gathered, t, h, the parameters, then its results.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._jit import inline, njit
from .tape import run

Ints = NDArray[np.int64]
Reals = NDArray[np.float64]


class Maps(NamedTuple):
    """One or several maps. The tables of all terms are concatenated; `table` has the begin of each."""

    code: Ints  # tapes (instructions, 4)
    constant: Reals  # their numbers (instructions,)
    tape: Ints  # of a term: where (1) begins, where (2) begins, its end (terms, 3)
    size: Ints  # of a term: instances, numbers gathered, parameters, residuals, Jacobian entries, results (terms, 6)
    table: Ints  # of a term: where it begins in gather, parameter, row, entry, result (terms, 5)
    convex: Ints  # of a term: 1 where its Jacobian is a full square to be made positive semi-definite (terms,)
    gather: Ints  # indices in z
    parameter: Reals
    row: Ints  # indices in R
    entry: Ints  # indices among the values of the matrix
    result: Ints  # indices in y₁
    term: Ints  # first term of each map, and the end; maps may share terms (maps, 2)
    seed: Ints  # initial value of R: index in z, −1 for zero (Σ unknowns,)
    group: Ints  # unknowns of one kind, which are compared in size with each other (Σ unknowns,)
    unknown: Ints  # first unknown of each map, and the end (maps + 1,)
    keep: Ints  # initial value of y₁: index in z, −1 for zero (maps, numbers in y₁)
    linear: Ints  # 1 where R is linear in x, so that one correction is all (maps,)
    share: Reals  # of the step: the length of each map and where it begins (maps, 2)


@inline
def gather(maps, T, e, z, t, h, w):
    """Copy the inputs of instance e of term T into the first registers."""
    n, k = maps.size[T, 1], maps.size[T, 2]
    g, p = maps.table[T, 0] + e * n, maps.table[T, 1] + e * k
    for i in range(n):
        w[i] = z[maps.gather[g + i]]
    w[n] = t
    w[n + 1] = h
    for i in range(k):
        w[n + 2 + i] = maps.parameter[p + i]


@njit
def residual(maps, m, z, t, h, w, R, A):
    """R and the values A of its Jacobian, of map m by (1)."""
    for i in range(A.shape[0]):
        A[i] = 0.0
    first = maps.unknown[m]
    for i in range(maps.unknown[m + 1] - first):
        R[i] = z[maps.seed[first + i]] if maps.seed[first + i] >= 0 else 0.0
    for T in range(maps.term[m, 0], maps.term[m, 1]):
        o = maps.size[T, 1] + 2 + maps.size[T, 2]
        rows, entries = maps.size[T, 3], maps.size[T, 4]
        for e in range(maps.size[T, 0]):
            gather(maps, T, e, z, t, h, w)
            for i in range(o, o + rows + entries):  # a tape has no instruction for a result that is always zero
                w[i] = 0.0
            run(maps.code, maps.constant, maps.tape[T, 0], maps.tape[T, 1], w)
            r = maps.table[T, 2] + e * rows
            for i in range(rows):
                R[maps.row[r + i]] += w[o + i]
            if maps.convex[T] == 1:
                make_convex(w, o + rows, rows)
            k = maps.table[T, 3] + e * entries
            for i in range(entries):
                A[maps.entry[k + i]] += w[o + rows + i]


@njit
def result(maps, m, z, t, h, w, y):
    """y₁ of map m by (2)."""
    for i in range(y.shape[0]):
        y[i] = z[maps.keep[m, i]] if maps.keep[m, i] >= 0 else 0.0
    for T in range(maps.term[m, 0], maps.term[m, 1]):
        results = maps.size[T, 5]
        if results == 0:
            continue
        o = maps.size[T, 1] + 2 + maps.size[T, 2]
        for e in range(maps.size[T, 0]):
            gather(maps, T, e, z, t, h, w)
            for i in range(o, o + results):
                w[i] = 0.0
            run(maps.code, maps.constant, maps.tape[T, 1], maps.tape[T, 2], w)
            k = maps.table[T, 4] + e * results
            for i in range(results):
                y[maps.result[k + i]] += w[o + i]


@njit
def make_convex(w, o, n):
    """The symmetric n × n block at w[o] without its negative eigenvalues: cyclic Jacobi rotations, eigenvectors in the
    registers behind it. A block that is positive semi-definite already is left as it is."""
    scale = 0.0
    for i in range(n):
        scale = max(scale, abs(w[o + i * n + i]))
    if is_convex(w, o, n, 1e-12 * scale):
        return
    v = o + n * n
    a = v + n * n
    for i in range(n):
        for j in range(n):
            w[v + i * n + j] = 1.0 if i == j else 0.0
            w[a + i * n + j] = w[o + i * n + j]
    for _ in range(30):
        off = 0.0
        for i in range(n):
            for j in range(i):
                off = max(off, abs(w[a + i * n + j]))
        if off <= 1e-15 * scale:
            break
        for i in range(n):
            for j in range(i):
                b = w[a + i * n + j]
                if abs(b) <= 1e-300:
                    continue
                d = 0.5 * (w[a + j * n + j] - w[a + i * n + i]) / b
                t = 1.0 / (abs(d) + np.sqrt(d * d + 1.0))
                t = -t if d < 0.0 else t
                c = 1.0 / np.sqrt(t * t + 1.0)
                s = t * c
                for k in range(n):
                    x, y = w[a + k * n + i], w[a + k * n + j]
                    w[a + k * n + i], w[a + k * n + j] = c * x - s * y, s * x + c * y
                for k in range(n):
                    x, y = w[a + i * n + k], w[a + j * n + k]
                    w[a + i * n + k], w[a + j * n + k] = c * x - s * y, s * x + c * y
                    x, y = w[v + k * n + i], w[v + k * n + j]
                    w[v + k * n + i], w[v + k * n + j] = c * x - s * y, s * x + c * y
    for k in range(n):
        d = w[a + k * n + k]
        if d < 0.0:
            for i in range(n):
                for j in range(n):
                    w[o + i * n + j] -= d * w[v + i * n + k] * w[v + j * n + k]


@njit
def is_convex(w, o, n, tiny):
    """Whether the symmetric block at w[o] has only pivots above −tiny (LDLᵀ in the registers behind it)."""
    a = o + n * n
    for i in range(n * n):
        w[a + i] = w[o + i]
    for k in range(n):
        d = w[a + k * n + k]
        if d < -tiny:
            return False
        if d <= tiny:
            for i in range(k + 1, n):  # a zero pivot must have zeros below it
                if abs(w[a + i * n + k]) > tiny:
                    return False
            continue
        for i in range(k + 1, n):
            l = w[a + i * n + k] / d
            for j in range(k + 1, i + 1):
                w[a + i * n + j] -= l * w[a + j * n + k]
    return True
