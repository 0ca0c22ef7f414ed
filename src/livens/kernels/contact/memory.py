"""The contact points of the last part of a step, in `state.memory`: their impulses are the first guess of the next.

A contact point is recognised by its pair of shapes and the nearest place. Both lists are in the order of the broad
phase, so a contact is looked for near the last one that was found.
"""

from __future__ import annotations

from ..._jit import njit
from ..powers import square
from .arrays import (
    BODY,
    COULOMB,
    COUNT,
    FIRST_BODY,
    FRAME,
    HEAD,
    IMPULSE,
    LAST_STEP,
    ON,
    PAIR,
    PAIR_OF,
    PLACE,
    PLACE_OF,
    RECORD,
    SCALE,
    SECOND_BODY,
)
from .resistance import has_gap

SHORTEST = 0.1  # of a step: impulses of a shorter part are no guess, they are not proportional to its length
SEARCH = 64  # records of the last step among which the impulses of a contact are looked for


@njit
def recall_impulses(memory, points, count, h, warm):
    """The first guess of the impulses: those of the last step at the nearest place of the same pair of shapes."""
    records, ratio = int(memory[COUNT]), 0.0
    if memory[LAST_STEP] > SHORTEST * h:
        ratio = h / memory[LAST_STEP]
    at = 0
    for c in range(count):
        best, which = 1e300, -1
        for q in range(max(0, at - SEARCH), min(records, at + SEARCH)):
            o = HEAD + q * RECORD
            if memory[o + PAIR] == points.table[PAIR_OF, c]:
                d = 0.0
                for k in range(3):
                    d += square(points.vector[PLACE_OF, c, k] - memory[o + PLACE + k])
                if d < best:
                    best, which = d, q
        for k in range(3):
            warm[c, k] = 0.0
        if which >= 0:
            at = which + 1
            o = HEAD + which * RECORD + IMPULSE
            rows = 3 if points.number[COULOMB, c] > 0.0 else 1
            for k in range(rows):
                for i in range(3):
                    warm[c, k] += ratio * points.matrix[FRAME, c, k, i] * memory[o + i] / points.number[SCALE, c]
            if warm[c, 0] <= 0.0 and has_gap(points, c):
                warm[c, 0], warm[c, 1], warm[c, 2] = 0.0, 0.0, 0.0


@njit
def remember_impulses(points, count, h, P1, P, memory):
    """Store the impulses P − P₁ of the second half of the part."""
    q = 0
    for c in range(count):
        if points.table[ON, c] == 1:
            o = HEAD + q * RECORD
            memory[o + FIRST_BODY], memory[o + SECOND_BODY] = points.table[BODY, c], points.table[BODY + 1, c]
            memory[o + PAIR] = points.table[PAIR_OF, c]
            for i in range(3):
                memory[o + PLACE + i] = points.vector[PLACE_OF, c, i]
                memory[o + IMPULSE + i] = 0.0
                for k in range(3):
                    impulse = points.number[SCALE, c] * (P[c, k] - P1[c, k])
                    memory[o + IMPULSE + i] += impulse * points.matrix[FRAME, c, k, i]
            q += 1
    for k in range(HEAD + q * RECORD, HEAD + int(memory[COUNT]) * RECORD):
        memory[k] = 0.0
    memory[COUNT], memory[LAST_STEP] = q, h
