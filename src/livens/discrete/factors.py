"""Factorisations of the symmetric matrices that a minimisation meets, again and again with the same pattern.

    A = L Lᵀ      dense by LAPACK, sparse by CHOLMOD where cvxopt is installed, else A = L U by SuperLU       (1)

`factorise` returns True if A is positive definite: Cholesky's method stops where it is not, and with pivots on the
diagonal LU has their signs in U. SuperLU orders by minimum degree of A + Aᵀ once and keeps the order. With
constraints the matrix is indefinite by nature, and LU with row exchanges is taken as it comes.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from scipy.linalg.lapack import dgetrf, dgetrs, dpotrf, dpotrs
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from ..checks import Array


class Factors(Protocol):
    worth: int  # how many solutions take as long as a factorisation

    def factorise(self, values: Array) -> bool: ...
    def solve(self, b: Array) -> Array: ...


class Dense:
    """Cholesky's method for small matrices; values row-major."""

    worth = 0

    def __init__(self, n: int):
        self.n = n

    def factorise(self, values: Array) -> bool:
        self.L, info = dpotrf(values[: self.n**2].reshape(self.n, self.n).T, lower=1, clean=0)
        return bool(info == 0)

    def solve(self, b: Array) -> Array:
        return dpotrs(self.L, b, lower=1)[0]


class DenseLU:
    """LU with row exchanges, for small matrices with constraints."""

    worth = 0

    def __init__(self, n: int):
        self.n = n

    def factorise(self, values: Array) -> bool:
        self.LU, self.order, info = dgetrf(values[: self.n**2].reshape(self.n, self.n).T)
        return bool(info == 0 and np.isfinite(self.LU).all())

    def solve(self, b: Array) -> Array:
        return dgetrs(self.LU, self.order, b)[0]


class SuperLU:
    """SciPy's LU in symmetric mode, its order found once."""

    worth = 25

    def __init__(self, pattern: csc_matrix):
        self.pattern = pattern
        self.order: Any = None

    def factorise(self, values: Array) -> bool:
        try:
            if self.order is None:
                A = csc_matrix((values, self.pattern.indices, self.pattern.indptr), shape=self.pattern.shape)
                self.lu = self._lu(A, "MMD_AT_PLUS_A")
                if not np.array_equal(self.lu.perm_r, self.lu.perm_c):  # a pivot was zero
                    return False
                self._reorder(np.argsort(self.lu.perm_c))
            self.permuted.data[:] = values[self.source]
            self.lu = self._lu(self.permuted, "NATURAL")
        except RuntimeError:  # exactly singular
            return False
        return bool(np.array_equal(self.lu.perm_r, self.lu.perm_c) and self.lu.U.diagonal().min() > 0.0)

    def _reorder(self, order: Any) -> None:
        """The pattern in the order of elimination, and where its values come from."""
        numbered = csc_matrix(
            (np.arange(1, self.pattern.nnz + 1), self.pattern.indices, self.pattern.indptr), shape=self.pattern.shape
        )
        moved = numbered[order][:, order].tocsc()
        moved.sort_indices()
        self.order, self.source = order, moved.data.astype(np.int64) - 1
        self.permuted = csc_matrix((np.zeros(moved.nnz), moved.indices, moved.indptr), shape=moved.shape)

    @staticmethod
    def _lu(A: csc_matrix, spec: str) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return splu(A, permc_spec=spec, diag_pivot_thresh=0.0, options={"SymmetricMode": True})

    def solve(self, b: Array) -> Array:
        x = np.empty_like(b)
        x[self.order] = self.lu.solve(b[self.order])
        return x


class SparseLU:
    """LU with row exchanges, for large matrices with constraints."""

    worth = 0

    def __init__(self, pattern: csc_matrix):
        self.pattern = pattern

    def factorise(self, values: Array) -> bool:
        A = csc_matrix((values, self.pattern.indices, self.pattern.indptr), shape=self.pattern.shape)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.lu = splu(A)
        except RuntimeError:  # singular
            return False
        return True

    def solve(self, b: Array) -> Array:
        return self.lu.solve(b)


class Cholmod:
    """CHOLMOD through cvxopt: supernodes, more than twice as fast; its analysis of the pattern is done once."""

    worth = 8

    def __init__(self, pattern: csc_matrix):
        self.cvxopt, self.cholmod = import_module("cvxopt"), import_module("cvxopt.cholmod")
        column = np.repeat(np.arange(pattern.shape[1]), np.diff(pattern.indptr))
        self.lower = np.flatnonzero(pattern.indices >= column)
        places = (pattern.indices[self.lower].tolist(), column[self.lower].tolist())
        self.A = self.cvxopt.spmatrix(1.0, *places, pattern.shape)
        self.cholmod.options["supernodal"] = 2
        self.F = self.cholmod.symbolic(self.A)

    def factorise(self, values: Array) -> bool:
        self.A.V = self.cvxopt.matrix(values[self.lower])
        try:
            self.cholmod.numeric(self.A, self.F)
        except ArithmeticError:
            return False
        return True

    def solve(self, b: Array) -> Array:
        x = self.cvxopt.matrix(b)
        self.cholmod.solve(self.F, x)
        return np.array(x).ravel()


def factors(size: int, pattern: csc_matrix | None, definite: bool) -> Factors:
    """What suits a matrix: dense where there is no pattern; Cholesky's method where it should be definite."""
    if pattern is None:
        return Dense(size) if definite else DenseLU(size)
    if not definite:
        return SparseLU(pattern)
    return Cholmod(pattern) if find_spec("cvxopt") else SuperLU(pattern)
