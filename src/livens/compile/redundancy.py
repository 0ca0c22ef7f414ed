"""Which of a mechanism's rows to leave out, where some repeat others.

A null vector N of Gᵀ is a way in which rows repeat each other, and any row on which it stands can be left out. Those
left out should stand on it firmly: the others then hold what they ask for, by the smallest singular value of the part
of N on the rows left out (1 at best, 0 if the rest does not imply them at all).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..checks import Array


class Dependent(NamedTuple):
    """The rows that repeat others at some position."""

    last: list[int]  # those of them that come last in the order of elimination: where loops close
    null: Array | None  # null vectors of Gᵀ, one for each (rows, repeated), unless there are too many rows


def largest_rows(nulls: Array) -> list[int]:
    """One row for each column, chosen greedily so that in every one of `nulls` they are as independent as can be."""
    left, chosen = nulls.copy(), []
    for _ in range(left.shape[2]):
        size = np.linalg.norm(left, axis=2)
        k = int(np.argmax(size.min(axis=0)))
        chosen.append(k)
        u = left[:, k] / np.maximum(size[:, k], 1e-300)[:, None]
        left -= (left @ u[:, :, None]) * u[:, None, :]
    return chosen


def hold(null: Array, rows: Iterable[int]) -> float:
    """How well the other rows hold what `rows` ask for: the smallest singular value of their part of `null`."""
    part = null[list(rows)]
    return float(np.linalg.svd(part, compute_uv=False)[-1]) if part.size else 1.0
