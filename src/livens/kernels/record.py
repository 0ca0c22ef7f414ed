"""Copy a state into slot k of a record, body by body."""

from __future__ import annotations

from .._jit import njit


@njit
def keep(record, k, state):
    for b in range(state.a.shape[0]):
        for i in range(3):
            record.a[k, b, i] = state.a[b, i]
            record.p[k, b, i] = state.p[b, i]
            record.L[k, b, i] = state.L[b, i]
            for j in range(3):
                record.B[k, b, i, j] = state.B[b, i, j]
