"""Checks of user input: every number that a user gives is converted here once; NaN and infinity are errors."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ModelError

Array = NDArray[np.float64]


def finite(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """`value` as a float array of `shape`, or a ModelError that names `what` and the error."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be {_kind(shape)}, not {value!r}.") from None
    if array.shape != shape:
        raise ModelError(f"{what} must be {_kind(shape)}, got shape {array.shape}.")
    if not np.isfinite(array).all():
        raise ModelError(f"{what} is not finite: {array.tolist()}.")
    return array


def number(value: Any, what: str) -> float:
    """`value` as one finite float."""
    return float(finite(value, (), what))


def positive(value: Any, what: str, unit: str = "") -> float:
    """`value` as one finite float above zero."""
    x = number(value, what)
    if x <= 0.0:
        raise ModelError(f"{what} must be positive, got {x:g}{' ' + unit if unit else ''}.")
    return x


def not_negative(value: Any, what: str, unit: str = "") -> float:
    """`value` as one finite float, zero or more."""
    x = number(value, what)
    if x < 0.0:
        raise ModelError(f"{what} must not be negative, got {x:g}{' ' + unit if unit else ''}.")
    return x


def vector(value: ArrayLike, what: str) -> Array:
    """`value` as three finite floats."""
    return finite(value, (3,), what)


def direction(value: ArrayLike, what: str) -> Array:
    """`value` scaled to length one; a vector of length zero is an error."""
    v = vector(value, what)
    largest = float(np.abs(v).max())
    if 0.5 < largest < 2.0 and abs(v @ v - 1.0) <= 4.0 * np.finfo(np.float64).eps:
        return v  # scaled already: a direction from a file keeps its bits
    if largest == 0.0:
        raise ModelError(f"{what} has length zero: give a direction such as (0, 0, 1).")
    v = v / largest  # squares of very large or small numbers overflow or underflow
    return v / np.linalg.norm(v)


def accepts(function: Any, arguments: int) -> bool:
    """True if `function` can be called with this number of arguments, as far as its signature shows."""
    if not callable(function):
        return False
    try:
        inspect.signature(function).bind(*range(arguments))
    except TypeError:
        return False
    except ValueError:  # built-in functions without a signature
        return True
    return True


def _kind(shape: tuple[int, ...]) -> str:
    if shape == ():
        return "a number"
    return " x ".join(str(n) for n in shape) + " numbers"
