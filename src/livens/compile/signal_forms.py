"""Signals of known form as arrays: kernels tabulate them (kernels/signal_table.py), without a call of Python.

These are Expressions, splines and polynomials. Any other function of time is called by Python, time by time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import Array
from ..describe.curve import Curve, curve_of
from ..formula.expression import Expression
from ..formula.recorder import Tape
from ..kernels.signal_table import fill_from_pieces, fill_from_tapes


class SignalForms:
    """The columns of a table of signals that kernels fill."""

    def __init__(self) -> None:
        self._tapes: list[tuple[Tape, int]] = []
        self._curves: list[tuple[Curve, int, bool]] = []
        self._code, self._constant = np.zeros((0, 4), dtype=np.int64), np.zeros(0)
        self._tape, self._curve = np.zeros((0, 4), dtype=np.int64), np.zeros((0, 7), dtype=np.int64)
        self._breaks, self._coefficient, self._registers = np.zeros(0), np.zeros(0), 1

    def add(self, signal: Any, shape: tuple[int, ...], column: int, rates: bool = False) -> bool:
        """Whether the form of a signal is known; if it is, its numbers are in the columns from `column` on: those of
        `shape`, or, with `rates`, value, rate and acceleration."""
        if isinstance(signal, Expression):
            if signal.size != shape:
                return False
            self._tapes.append((signal.tape(rates), column))
        elif not callable(signal) or (curve := curve_of(signal, shape)) is None:
            return False
        else:
            self._curves.append((curve, column, rates))
        self._join()
        return True

    def _join(self) -> None:
        """One array of each kind for all signals."""
        tapes, curves = self._tapes, self._curves
        ends = np.cumsum([0, *(len(tape.code) for tape, _ in tapes)])
        self._tape = np.array(
            [(ends[k], ends[k + 1], tape.results, column) for k, (tape, column) in enumerate(tapes)], dtype=np.int64
        ).reshape(-1, 4)
        self._code = np.concatenate([np.zeros((0, 4), dtype=np.int64), *(tape.code for tape, _ in tapes)])
        self._constant = np.concatenate([np.zeros(0), *(tape.constant for tape, _ in tapes)])
        self._registers = max([1, *(tape.registers for tape, _ in tapes)])
        rows, first, offset = [], 0, 0
        for curve, column, rates in curves:
            width, pieces, size = curve.coefficient.shape
            for k in range(width):
                rows.append((first, pieces, offset, size, curve.outside, column + k, int(rates)))
                offset += pieces * size
            first += pieces + 1
        self._curve = np.array(rows, dtype=np.int64).reshape(-1, 7)
        self._breaks = np.concatenate([np.zeros(0), *(curve.breaks for curve, *_ in curves)])
        self._coefficient = np.concatenate([np.zeros(0), *(curve.coefficient.ravel() for curve, *_ in curves)])

    def fill(self, t: Array, table: Array) -> None:
        """Their columns at the times t; not finite where a signal is not defined."""
        if len(self._tape):
            with np.errstate(all="ignore"):
                fill_from_tapes(self._code, self._constant, self._tape, t, np.zeros(self._registers), table)
        if len(self._curve):
            fill_from_pieces(self._breaks, self._coefficient, self._curve, t, table)
