"""Π, its derivatives and the constraints at trial points x = (u, λ) of a step (incremental.py), with the factors of the
last matrix. Π is a sum of terms, each known to its own round-off; the sum of their sizes comes with it.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_matrix

from ..checks import Array
from ..kernels import implicit
from ..kernels.implicit import Memory
from ..kernels.implicit_maps import residual, result
from .factors import factors
from .maps import Program

STEP_MAP, VALUE_MAP, SECANT_MAP = 0, 1, 2  # maps of the scheme
EPS = float(np.finfo(np.float64).eps)


class Trial:
    """Π, its derivatives and constraints at trial points of the step at work."""

    def __init__(self, program: Program, work: Memory):
        self.program, self.work = program, work
        self.maps = program.arrays
        self.exact = self.maps._replace(convex=np.zeros_like(self.maps.convex))
        self.ny, self.nx = program.state.size, program.sizes[STEP_MAP]
        self.n = program.maps[STEP_MAP].unknowns.part["u"].stop
        self.pattern = program.patterns[STEP_MAP]
        self.values = work.A if self.pattern is None else np.zeros(self.pattern.nnz)
        self.R = np.zeros(self.nx)
        self.out = np.zeros(self.maps.keep.shape[1])
        blocks = program.maps[VALUE_MAP].out
        assert blocks is not None
        self.g = self.out[blocks.part["g"]]
        self.potential, self.size = blocks.part["potential"].start, blocks.part["size"].start
        self.factors = factors(self.nx, self.pattern, definite=self.n == self.nx)
        self.factored = False  # whether there are factors, of an earlier matrix perhaps
        self.spent = 0  # solutions found with them
        self.t = self.h = 0.0
        self.rough = len(program.maps[SECANT_MAP].pieces) > 0  # whether there is dissipation, which may have kinks
        if self.pattern is None:
            self.places = np.arange(self.n) * (self.nx + 1)  # of the diagonal among the values
        else:
            column = np.repeat(np.arange(self.nx), np.diff(self.pattern.indptr))
            self.places = np.flatnonzero((self.pattern.indices == column) & (column < self.n))

    def value(self, x: Array) -> tuple[float, float]:
        """Π at x, and the sum of the sizes of its terms; self.g becomes g. Infinite if Π is not a number."""
        self.work.z[self.ny : self.ny + self.nx] = x
        result(self.maps, VALUE_MAP, self.work.z, self.t, self.h, self.work.w, self.out)
        value = float(self.out[self.potential])
        return (value, float(self.out[self.size])) if np.isfinite(value) else (np.inf, np.inf)

    def derivatives(self, x: Array, convex: bool = False) -> Array:
        """∇Π − Gᵀλ and −g at x, a new array; self.values becomes the matrix."""
        self.work.z[self.ny : self.ny + self.nx] = x
        maps = self.maps if convex else self.exact
        residual(maps, STEP_MAP, self.work.z, self.t, self.h, self.work.w, self.R, self.values)
        return self.R.copy()

    def factorise(self) -> bool:
        self.work.tally[0] += 1
        self.spent = 0
        self.factored = self.factors.factorise(self.values)
        return self.factored

    def matrix(self) -> csc_matrix:
        assert self.pattern is not None
        return csc_matrix((self.values, self.pattern.indices, self.pattern.indptr), shape=self.pattern.shape)

    def diagonal(self) -> Array:
        """The diagonal of the matrix: a copy."""
        return self.values[self.places]

    def shift(self, by: float) -> None:
        self.values[self.places] += by

    def stiffen(self, x: Array) -> None:
        """Add the secants of the dissipation at x to the diagonal: for friction, the parabola that touches D at x and
        at −x and lies above it."""
        self.work.z[self.ny : self.ny + self.nx] = x
        result(self.maps, SECANT_MAP, self.work.z, self.t, self.h, self.work.w, self.out)
        self.values[self.places] += np.clip(np.nan_to_num(self.out[: self.n]), 0.0, None)

    def relative(self, d: Array, x: Array) -> float:
        """The largest correction, each as a part of its increment, or of how that changed since the last step, as
        `largest` of kernels/implicit.py; in large systems, as a part of the largest of these."""
        u = x[: self.n]
        own = np.maximum(np.abs(u), np.abs(u - self.work.past[0, : self.n]))
        least = (implicit.FINE if self.pattern is None else 1.0) * float(own.max())
        return float((np.abs(d[: self.n]) / np.maximum(own, max(least, 1e-290))).max())

    def finest(self) -> float:
        """Corrections that positions cannot show."""
        return 8.0 * EPS * float(np.abs(self.work.z[: self.n]).max())
