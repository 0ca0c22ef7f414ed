"""Vectors of three numbers as tuples."""

from __future__ import annotations

import math

from .._jit import njit


@njit
def cross(u, v):
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


@njit
def dot(u, v):
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@njit
def minus(u, v):
    return u[0] - v[0], u[1] - v[1], u[2] - v[2]


@njit
def plus(u, c, v):
    """u + c v."""
    return u[0] + c * v[0], u[1] + c * v[1], u[2] + c * v[2]


@njit
def length(u):
    return math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
