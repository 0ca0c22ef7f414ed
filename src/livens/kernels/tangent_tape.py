"""The interpreter of user-written functions with derivatives: every register w has a derivative d (tape.py).

An instruction z = f(x, y) also gives dz = f_x dx + f_y dy. Run on the tape of a gradient, this gives a column of the
exact second derivatives. Where a function jumps or has a corner, the derivative is that of the side on which x is.
"""

from __future__ import annotations

import math

import numpy as np

from .._jit import inline, njit
from .opcodes import (
    ACOS,
    ACOSH,
    ADD,
    ASIN,
    ASINH,
    ASSIGN,
    ATAN,
    ATAN2,
    ATANH,
    CONST,
    CONSTPOW,
    COPYSIGN,
    COS,
    COSH,
    DIV,
    ERF,
    EXP,
    EXPM1,
    FABS,
    FMAX,
    FMIN,
    FMOD,
    HYPOT,
    IF_ELSE_ZERO,
    INV,
    LOG,
    LOG1P,
    LT,
    MUL,
    NEG,
    POW,
    REMAINDER,
    SIN,
    SINH,
    SQ,
    SQRT,
    SUB,
    TAN,
    TANH,
    TWICE,
)
from .tape import function, logic


@njit
def run_with_derivatives(code, constant, begin, end, w, d):
    """Instructions `begin` to `end` of a tape on the registers w and their derivatives d."""
    for k in range(begin, end):
        op = code[k, 0]
        x, y = w[code[k, 2]], w[code[k, 3]]
        dx, dy = d[code[k, 2]], d[code[k, 3]]
        if op == MUL:
            z, dz = x * y, x * dy + y * dx
        elif op == ADD:
            z, dz = x + y, dx + dy
        elif op == SUB:
            z, dz = x - y, dx - dy
        elif op == CONST:
            z, dz = constant[k], 0.0
        elif op == SQ:
            z, dz = x * x, 2.0 * x * dx
        elif op == TWICE:
            z, dz = x + x, dx + dx
        elif op == NEG:
            z, dz = -x, -dx
        elif op == DIV:
            z = x / y
            dz = (dx - z * dy) / y
        elif op == INV:
            z = 1.0 / x
            dz = -z * z * dx
        elif op == ASSIGN:
            z, dz = x, dx
        elif op == SQRT:
            z = np.sqrt(x)
            dz = 0.5 * dx / z if dx != 0.0 else 0.0
        elif op == SIN:
            z, dz = np.sin(x), np.cos(x) * dx
        elif op == COS:
            z, dz = np.cos(x), -np.sin(x) * dx
        elif op >= LT:
            z = logic(op, x, y)
            dz = dy if op == IF_ELSE_ZERO and x != 0.0 else 0.0
        else:
            z = function(op, x, y)
            dz = 0.0
            if dx != 0.0 or dy != 0.0:
                dz = derivative(op, x, y, z, dx, dy)
        w[code[k, 1]] = z
        d[code[k, 1]] = dz


@inline
def add_multiples(fx, dx, fy, dy, dz, lanes):
    """dz = fx dx + fy dy; a zero derivative stays zero, also where fx or fy is not finite."""
    if abs(fx) + abs(fy) < 1e300:
        for m in range(lanes):
            dz[m] = fx * dx[m] + fy * dy[m]
    else:
        for m in range(lanes):
            dz[m] = (fx * dx[m] if dx[m] != 0.0 else 0.0) + (fy * dy[m] if dy[m] != 0.0 else 0.0)


@njit
def run_with_gradients(code, constant, begin, end, w, d, lanes):
    """The same with so many derivatives of each register, d (registers, lanes or more): the Jacobian in one pass."""
    for k in range(begin, end):
        op, i, j = code[k, 0], code[k, 2], code[k, 3]
        x, y = w[i], w[j]
        dz, dx = d[code[k, 1]], d[i]
        if op == MUL:
            z, dy = x * y, d[j]
            for m in range(lanes):
                dz[m] = y * dx[m] + x * dy[m]
        elif op == ADD:
            z, dy = x + y, d[j]
            for m in range(lanes):
                dz[m] = dx[m] + dy[m]
        elif op == SUB:
            z, dy = x - y, d[j]
            for m in range(lanes):
                dz[m] = dx[m] - dy[m]
        elif op == CONST:
            z = constant[k]
            for m in range(lanes):
                dz[m] = 0.0
        elif op == DIV:
            z, dy = x / y, d[j]
            add_multiples(1.0 / y, dx, -z / y, dy, dz, lanes)
        elif op >= LT:
            z = logic(op, x, y)
            add_multiples(0.0, dx, 1.0 if op == IF_ELSE_ZERO and x != 0.0 else 0.0, d[j], dz, lanes)
        elif op == SQ or op == TWICE or op == NEG or op == INV or op == ASSIGN or op == SQRT or op == SIN or op == COS:
            if op == SQ:
                z, f = x * x, 2.0 * x
            elif op == TWICE:
                z, f = x + x, 2.0
            elif op == NEG:
                z, f = -x, -1.0
            elif op == INV:
                z = 1.0 / x
                f = -z * z
            elif op == ASSIGN:
                z, f = x, 1.0
            elif op == SQRT:
                z = np.sqrt(x)
                f = 0.5 / z
            elif op == SIN:
                z, f = np.sin(x), np.cos(x)
            else:
                z, f = np.cos(x), -np.sin(x)
            add_multiples(f, dx, 0.0, dx, dz, lanes)
        else:
            z = function(op, x, y)
            add_multiples(derivative(op, x, y, z, 1.0, 0.0), dx, derivative(op, x, y, z, 0.0, 1.0), d[j], dz, lanes)
        w[code[k, 1]] = z


@njit
def derivative(op, x, y, z, dx, dy):
    """dz of the functions that are in `function` of tape.py; 0 for steps."""
    dz = 0.0
    if op == EXP:
        dz = z * dx
    elif op == LOG:
        dz = dx / x
    elif op == CONSTPOW:
        dz = y * np.power(x, y - 1.0) * dx
    elif op == POW:
        dz = y * np.power(x, y - 1.0) * dx
        if dy != 0.0:
            dz += np.log(x) * z * dy
    elif op == TAN:
        dz = (1.0 + z * z) * dx
    elif op == ASIN:
        dz = dx / np.sqrt(1.0 - x * x)
    elif op == ACOS:
        dz = -dx / np.sqrt(1.0 - x * x)
    elif op == ATAN:
        dz = dx / (1.0 + x * x)
    elif op == ATAN2:
        dz = (y * dx - x * dy) / (x * x + y * y)
    elif op == SINH:
        dz = np.cosh(x) * dx
    elif op == COSH:
        dz = np.sinh(x) * dx
    elif op == TANH:
        dz = (1.0 - z * z) * dx
    elif op == ASINH:
        dz = dx / np.sqrt(1.0 + x * x)
    elif op == ACOSH:
        dz = dx / np.sqrt(x * x - 1.0)
    elif op == ATANH:
        dz = dx / (1.0 - x * x)
    elif op == FABS:
        dz = dx if x >= 0.0 else -dx
    elif op == COPYSIGN:
        dz = dx if (x >= 0.0) == (z >= 0.0) else -dx
    elif op == FMOD:
        dz = dx - np.trunc(x / y) * dy
    elif op == REMAINDER:
        dz = dx - np.rint(x / y) * dy
    elif op == FMIN:
        dz = dx if x <= y else dy
    elif op == FMAX:
        dz = dx if x >= y else dy
    elif op == HYPOT:
        dz = (x * dx + y * dy) / z
    elif op == EXPM1:
        dz = (z + 1.0) * dx
    elif op == LOG1P:
        dz = dx / (1.0 + x)
    elif op == ERF:
        dz = 2.0 / math.sqrt(math.pi) * np.exp(-x * x) * dx
    return dz
