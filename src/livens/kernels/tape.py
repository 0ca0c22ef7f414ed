"""The interpreter of user-written functions.

A user's function is traced once, differentiated exactly, and flattened (constraint_tapes.py) to a tape: a list of
elementary operations on registers, as numbers. Instruction k is

    w[o] ← op(w[i], w[j]),      (op, o, i, j) = code[k],      w[o] ← constant[k]  for CONST.

Inputs are in the first registers, then results, then intermediate values. The tape is data, so that no user-written
function needs a compilation. An operation takes about three nanoseconds, or one if four instances of a tape are run
together. `run`, `run_four`, `function` and `logic` are chains of `if`: to choose from a table of functions would cost a
call for each operation.
"""

from __future__ import annotations

import math

import numpy as np

from .._jit import njit
from .opcodes import (
    ACOS,
    ACOSH,
    ADD,
    AND,
    ASIN,
    ASINH,
    ASSIGN,
    ATAN,
    ATAN2,
    ATANH,
    CEIL,
    CONST,
    CONSTPOW,
    COPYSIGN,
    COS,
    COSH,
    DIV,
    EQ,
    ERF,
    EXP,
    EXPM1,
    FABS,
    FLOOR,
    FMAX,
    FMIN,
    FMOD,
    HYPOT,
    INV,
    LE,
    LOG,
    LOG1P,
    LT,
    MUL,
    NE,
    NEG,
    NOT,
    OR,
    POW,
    REMAINDER,
    SIGN,
    SIN,
    SINH,
    SQ,
    SQRT,
    SUB,
    TAN,
    TANH,
    TWICE,
)


@njit
def run(code, constant, begin, end, w):
    """Instructions `begin` to `end` of a tape on the registers w."""
    for k in range(begin, end):
        op = code[k, 0]
        x, y = w[code[k, 2]], w[code[k, 3]]
        if op == MUL:
            z = x * y
        elif op == ADD:
            z = x + y
        elif op == SUB:
            z = x - y
        elif op == CONST:
            z = constant[k]
        elif op == SQ:
            z = x * x
        elif op == TWICE:
            z = x + x
        elif op == NEG:
            z = -x
        elif op == DIV:
            z = x / y
        elif op == INV:
            z = 1.0 / x
        elif op == ASSIGN:
            z = x
        elif op == SQRT:
            z = np.sqrt(x)
        elif op == SIN:
            z = np.sin(x)
        elif op == COS:
            z = np.cos(x)
        elif op >= LT:
            z = logic(op, x, y)
        else:
            z = function(op, x, y)
        w[code[k, 1]] = z


@njit
def run_four(code, constant, begin, end, w):
    """As `run`, for four instances at once: register i of instance k is w[4 i + k], and an
    instruction is decoded once for four."""
    for k in range(begin, end):
        op = code[k, 0]
        i, j, o = 4 * code[k, 2], 4 * code[k, 3], 4 * code[k, 1]
        x0, x1, x2, x3 = w[i], w[i + 1], w[i + 2], w[i + 3]
        y0, y1, y2, y3 = w[j], w[j + 1], w[j + 2], w[j + 3]
        if op == MUL:
            x0, x1, x2, x3 = x0 * y0, x1 * y1, x2 * y2, x3 * y3
        elif op == ADD:
            x0, x1, x2, x3 = x0 + y0, x1 + y1, x2 + y2, x3 + y3
        elif op == SUB:
            x0, x1, x2, x3 = x0 - y0, x1 - y1, x2 - y2, x3 - y3
        elif op == SQ:
            x0, x1, x2, x3 = x0 * x0, x1 * x1, x2 * x2, x3 * x3
        elif op == TWICE:
            x0, x1, x2, x3 = x0 + x0, x1 + x1, x2 + x2, x3 + x3
        elif op == NEG:
            x0, x1, x2, x3 = -x0, -x1, -x2, -x3
        elif op == DIV:
            x0, x1, x2, x3 = x0 / y0, x1 / y1, x2 / y2, x3 / y3
        elif op == INV:
            x0, x1, x2, x3 = 1.0 / x0, 1.0 / x1, 1.0 / x2, 1.0 / x3
        elif op == SQRT:
            x0, x1, x2, x3 = np.sqrt(x0), np.sqrt(x1), np.sqrt(x2), np.sqrt(x3)
        elif op == CONST:
            x0 = x1 = x2 = x3 = constant[k]
        elif op == SIN:
            x0, x1, x2, x3 = np.sin(x0), np.sin(x1), np.sin(x2), np.sin(x3)
        elif op == COS:
            x0, x1, x2, x3 = np.cos(x0), np.cos(x1), np.cos(x2), np.cos(x3)
        elif op >= LT:
            x0, x1, x2, x3 = logic(op, x0, y0), logic(op, x1, y1), logic(op, x2, y2), logic(op, x3, y3)
        elif op != ASSIGN:
            x0, x1, x2, x3 = function(op, x0, y0), function(op, x1, y1), function(op, x2, y2), function(op, x3, y3)
        w[o], w[o + 1], w[o + 2], w[o + 3] = x0, x1, x2, x3


@njit
def function(op, x, y):
    """The functions of one or two numbers that are not in `run` itself; NaN where they are not defined."""
    if op == EXP:
        z = np.exp(x)
    elif op == LOG:
        z = np.log(x)
    elif op == POW or op == CONSTPOW:
        z = np.power(x, y)
    elif op == TAN:
        z = np.tan(x)
    elif op == ASIN:
        z = np.arcsin(x)
    elif op == ACOS:
        z = np.arccos(x)
    elif op == ATAN:
        z = np.arctan(x)
    elif op == ATAN2:
        z = np.arctan2(x, y)
    elif op == SINH:
        z = np.sinh(x)
    elif op == COSH:
        z = np.cosh(x)
    elif op == TANH:
        z = np.tanh(x)
    elif op == ASINH:
        z = np.arcsinh(x)
    elif op == ACOSH:
        z = np.arccosh(x)
    elif op == ATANH:
        z = np.arctanh(x)
    elif op == FABS:
        z = abs(x)
    elif op == SIGN:
        z = np.sign(x)
    elif op == COPYSIGN:
        z = np.copysign(x, y)
    elif op == FLOOR:
        z = np.floor(x)
    elif op == CEIL:
        z = np.ceil(x)
    elif op == FMOD:
        z = np.fmod(x, y)
    elif op == REMAINDER:
        z = x - y * np.rint(x / y)
    elif op == FMIN:
        z = np.fmin(x, y)
    elif op == FMAX:
        z = np.fmax(x, y)
    elif op == HYPOT:
        z = np.hypot(x, y)
    elif op == EXPM1:
        z = np.expm1(x)
    elif op == LOG1P:
        z = np.log1p(x)
    elif op == ERF:
        z = math.erf(x)
    else:
        z = np.nan
    return z


@njit
def logic(op, x, y):
    """Comparisons and switches: 1 or 0, or y or 0."""
    if op == LT:
        yes = x < y
    elif op == LE:
        yes = x <= y
    elif op == EQ:
        yes = x == y
    elif op == NE:
        yes = x != y
    elif op == NOT:
        yes = x == 0.0
    elif op == AND:
        yes = x != 0.0 and y != 0.0
    elif op == OR:
        yes = x != 0.0 or y != 0.0
    else:  # IF_ELSE_ZERO
        return y if x != 0.0 else 0.0
    return 1.0 if yes else 0.0
