"""Signals of known form, tabulated at given times: instructions of formulas, and piecewise polynomials.

A formula of time is a tape (tape.py) that leaves its results in registers 1, 2, …. A piecewise polynomial is, on the
piece that begins at xₖ and with s = t − xₖ,

    c₀ + c₁ s + c₂ s² + …,      its rate  c₁ + 2 c₂ s + …,      its acceleration  2 c₂ + 6 c₃ s + ….                (1)

At a break the piece that follows counts. Every row depends on its own time alone: a table does not change if it is
computed in parts.
"""

from __future__ import annotations

import numpy as np

from .._jit import njit
from .tape import run

ROUND_OFF = 8.9e-16  # of a computed time, relative to it: so far past its end a polynomial is still defined
OUTSIDE_NAN, OUTSIDE_EXTENDED, OUTSIDE_REPEATED = 0, 1, 2  # values outside of the breaks


@njit
def fill_from_tapes(code, constant, tapes, t, w, table):
    """The columns of formulas; tapes: first instruction, end, number of results, first column (k, 4)."""
    for k in range(tapes.shape[0]):
        begin, end, results, column = tapes[k, 0], tapes[k, 1], tapes[k, 2], tapes[k, 3]
        for i in range(t.shape[0]):
            w[0] = t[i]
            run(code, constant, begin, end, w)
            for j in range(results):
                table[i, column + j] = w[1 + j]


@njit
def fill_from_pieces(breaks, coefficient, curves, t, table):
    """The columns of piecewise polynomials; curves: first break, number of pieces, first coefficient, coefficients of a
    piece, values outside, first column, whether rate and acceleration follow (k, 7)."""
    for k in range(curves.shape[0]):
        first, pieces, offset, size = curves[k, 0], curves[k, 1], curves[k, 2], curves[k, 3]
        outside, column, rates = curves[k, 4], curves[k, 5], curves[k, 6]
        low, high = breaks[first], breaks[first + pieces]
        piece = 0
        for i in range(t.shape[0]):
            x = t[i]
            if outside == OUTSIDE_REPEATED:
                x = low + (x - low) % (high - low)
            elif outside == OUTSIDE_NAN:
                slack = ROUND_OFF * abs(x)
                x = high if high < x <= high + slack else low if low - slack <= x < low else x
            piece = piece_of(breaks, first, pieces, piece, x)
            s = x - breaks[first + piece]
            value = rate = acceleration = 0.0
            for m in range(size - 1, -1, -1):  # Horner's rule, with derivatives
                acceleration = acceleration * s + 2.0 * rate
                rate = rate * s + value
                value = value * s + coefficient[offset + size * piece + m]
            if outside == OUTSIDE_NAN and not low <= x <= high:
                value = np.nan
            table[i, column] = value
            if rates != 0:
                table[i, column + 1] = rate
                table[i, column + 2] = acceleration


@njit
def piece_of(breaks, first, pieces, near, x):
    """The piece of x, from the one that was found last: the same, the next one, or by bisection."""
    for k in range(near, min(near + 2, pieces)):
        if breaks[first + k] <= x < breaks[first + k + 1]:
            return k
    low, high = 0, pieces
    while high - low > 1:
        middle = (low + high) // 2
        if x < breaks[first + middle]:
            high = middle
        else:
            low = middle
    return low
