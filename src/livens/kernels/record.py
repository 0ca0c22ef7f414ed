"""A record: arrays of states, one slot each."""

from __future__ import annotations

from .._jit import njit


@njit
def store_state(record, k, state):
    """Copy `state` into slot k."""
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
        for i in range(state.lam.shape[0]):
            record.lam[k, i, r] = state.lam[i, r]
    for i in range(3):
        record.account[k, i] = state.account[i]
    for i in range(state.effort.shape[0]):
        record.effort[k, i] = state.effort[i]
    for i in range(state.half_turns.shape[0]):
        record.half_turns[k, i] = state.half_turns[i]
    for i in range(state.memory.shape[0]):
        record.memory[k, i] = state.memory[i]
