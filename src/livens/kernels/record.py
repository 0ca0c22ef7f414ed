"""Copy a state into slot k of a record."""

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
    for c in range(state.angle.shape[0]):
        record.angle[k, c] = state.angle[c]
    for r in range(state.lam.shape[1]):
        record.lam[k, 0, r] = state.lam[0, r]
        record.lam[k, 1, r] = state.lam[1, r]
        record.lam[k, 2, r] = state.lam[2, r]
    for i in range(3):
        record.account[k, i] = state.account[i]
    for i in range(state.effort.shape[0]):
        record.effort[k, i] = state.effort[i]
    for i in range(state.memory.shape[0]):
        record.memory[k, i] = state.memory[i]
