"""Powers as products. In plain Python x ** 2 calls the C library's pow, which rounds differently from the product x x,
to which it compiles, once in a thousand: with products all back ends have the same bits."""

from __future__ import annotations

from .._jit import njit


@njit
def square(x):
    return x * x


@njit
def cube(x):
    return x * x * x
