"""Splines and polynomials of SciPy and NumPy as piecewise polynomials of time, which kernels can evaluate.

Splines (`x` or `t`, `c`, `k`) and polynomials (`coef`, `coeffs`) are recognised by their attributes, and accepted if
the polynomials give the same numbers as the object: a class that changes what a call returns stays a function.
"""

from __future__ import annotations

from math import factorial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ..checks import Array
from ..kernels.signal_table import OUTSIDE_EXTENDED, OUTSIDE_NAN, OUTSIDE_REPEATED

AGREEMENT = 1e-10  # of the polynomials with the object, relative to the largest value
TRIALS = 7  # times at which they are compared
LARGEST_DEGREE = 15  # of a polynomial: those of higher degree are evaluated by their own class


class Curve(NamedTuple):
    """Polynomials in t − xₖ on the pieces [xₖ, xₖ₊₁), for each number of the signal."""

    breaks: Array  # [s] (pieces + 1,)
    coefficient: Array  # lowest power first (columns, pieces, degree + 1)
    outside: int  # values outside of the breaks: OUTSIDE_NAN, OUTSIDE_EXTENDED, OUTSIDE_REPEATED


@runtime_checkable
class _PiecewisePolynomial(Protocol):  # scipy.interpolate: PPoly, CubicSpline, PchipInterpolator, Akima1DInterpolator
    x: Any
    c: Any
    extrapolate: Any


@runtime_checkable
class _BSpline(Protocol):  # scipy.interpolate: BSpline, make_interp_spline
    t: Any
    c: Any
    k: Any
    extrapolate: Any

    def __call__(self, x: Any, nu: int = 0) -> Any: ...


@runtime_checkable
class _Polynomial(Protocol):  # numpy.polynomial: Polynomial, Chebyshev, Legendre and others
    coef: Any
    domain: Any
    window: Any

    def convert(self, domain: Any = None, kind: Any = None, window: Any = None) -> Any: ...


@runtime_checkable
class _Poly1d(Protocol):  # numpy.poly1d
    coeffs: Any
    order: Any
    variable: Any


def curve_of(signal: Any, shape: tuple[int, ...]) -> Curve | None:
    """The signal as piecewise polynomials, one for each number of `shape`; None if it is something else."""
    try:
        found = _converted(signal)
    except (ValueError, TypeError, IndexError, AttributeError, np.linalg.LinAlgError):
        return None
    if found is None or len(found.coefficient) != int(np.prod(shape)) or not np.isfinite(found.breaks).all():
        return None
    return found if np.isfinite(found.coefficient).all() and _agrees(found, signal, shape) else None


def _converted(signal: Any) -> Curve | None:
    if isinstance(signal, _PiecewisePolynomial):
        c = np.asarray(signal.c, dtype=np.float64)  # (degree + 1, pieces, …), highest power first
        columns = c.reshape(*c.shape[:2], -1)
        return Curve(np.array(signal.x, dtype=np.float64), columns[::-1].transpose(2, 1, 0), _outside(signal))
    if isinstance(signal, _BSpline):
        k, knots = int(signal.k), np.asarray(signal.t, dtype=np.float64)
        breaks = np.unique(knots[k : len(knots) - k])
        taylor = [np.asarray(signal(breaks[:-1], j)) / factorial(j) for j in range(k + 1)]
        columns = np.stack(taylor).reshape(k + 1, len(breaks) - 1, -1)
        return Curve(breaks, columns.transpose(2, 1, 0), _outside(signal))
    if isinstance(signal, _Polynomial):
        return _polynomial(signal.convert(kind=np.polynomial.Polynomial).coef)
    if isinstance(signal, _Poly1d):
        return _polynomial(np.asarray(signal.coeffs)[::-1])
    return None


def _outside(signal: Any) -> int:
    """By SciPy's attribute: False, True or "periodic"."""
    if isinstance(signal.extrapolate, str):
        return OUTSIDE_REPEATED
    return OUTSIDE_EXTENDED if signal.extrapolate else OUTSIDE_NAN


def _polynomial(c: Any) -> Curve | None:
    if len(c) > LARGEST_DEGREE + 1:
        return None
    return Curve(np.array([0.0, 1.0]), np.array(c, dtype=np.float64).reshape(1, 1, -1), OUTSIDE_EXTENDED)


def _agrees(curve: Curve, signal: Any, shape: tuple[int, ...]) -> bool:
    """Whether calls give the same: in some pieces, away from their ends."""
    x, c = curve.breaks, curve.coefficient
    which = np.unique(np.linspace(0, len(x) - 2, TRIALS).astype(np.int64))
    mine, theirs = [], []
    for k, part in zip(which, np.resize([0.3, 0.7, 0.5], len(which)), strict=True):
        s = part * (x[k + 1] - x[k])
        mine.append(c[:, k] @ s ** np.arange(c.shape[2]))
        theirs.append(np.asarray(signal(float(x[k] + s)), dtype=np.float64).reshape(shape).ravel())
    off, most = np.abs(np.array(mine) - theirs).max(), np.abs(theirs).max()
    return bool(off <= AGREEMENT * most) and bool((np.diff(x) > 0.0).all())
