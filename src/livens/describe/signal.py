"""Constants and functions of time, sampled at given times."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, accepts, finite
from ..errors import LivensError, ModelError

Signal = ArrayLike | Callable[[float], ArrayLike]
TIME_ROUND_OFF = 4.0 * float(np.finfo(np.float64).eps)  # of a computed time, relative to it


def sample(signal: Any, t: Array, shape: tuple[int, ...], owner: Any, what: str) -> Array:
    """A constant, or a function of time, at the times t: (len(t), *shape)."""
    if not callable(signal):
        return np.broadcast_to(finite(signal, shape, f"{what} of {owner.name!r}"), (len(t), *shape))
    rows = np.empty((len(t), *shape))
    for k, time in enumerate(t.tolist()):
        rows[k] = sample_at(signal, time, shape, owner, what)
    return rows


def sample_at(signal: Any, time: float, shape: tuple[int, ...], owner: Any, what: str) -> Array | float:
    """A function of time at one time; a wrong result is refused with its time. A computed time may be past the end of a
    table by its round-off: the function is then called just before it."""
    try:
        return _answer(signal, time, shape, owner, what)
    except ModelError:
        return _answer(signal, time * (1.0 - TIME_ROUND_OFF), shape, owner, what)


def _answer(signal: Any, time: float, shape: tuple[int, ...], owner: Any, what: str) -> Array | float:
    try:
        answer = signal(time)
    except LivensError:
        raise
    except TypeError:
        if accepts(signal, 1):
            raise  # by the function itself
        raise ModelError(f"{what} of {owner.name!r} must be a function of time, f(t), not {signal!r}.") from None
    except ValueError as error:  # such as the end of a table, or the square root of a negative number
        raise ModelError(
            f"{what} of {owner.name!r} cannot be evaluated at t = {time:g} s: {str(error).rstrip('.')}."
        ) from error
    if type(answer) is float and shape == () and isfinite(answer):  # the usual one, without NumPy
        return answer
    try:
        value = np.asarray(answer, dtype=np.float64)
        good = value.shape == shape and bool(np.isfinite(value).all())
    except Exception:  # an object of the user may raise any
        good = False
    if not good:
        wanted = "a finite number" if shape == () else f"{shape[0]} finite numbers"
        raise ModelError(f"{what} of {owner.name!r} at t = {time:g} s must be {wanted}, got {answer!r}.")
    return value
