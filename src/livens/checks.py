"""Checks of user input: every number that a user gives is converted here once; NaN and infinity are errors."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import FileError, ModelError

Array = NDArray[np.float64]
MOST_NAMES = 12  # that an error lists
LONGEST_NAME = 255  # bytes of the name of a file or folder, in the usual file systems


def finite(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """`value` as a float array of `shape`, or a ModelError that names `what` and the error."""
    try:
        array = np.array(value, dtype=np.float64)
        if not _are_numbers(value) and np.asarray(value).dtype.kind in "mM":  # a date has a number, but is none
            raise TypeError
    except Exception:  # an object of the user may raise any
        raise ModelError(f"{what} must be {_kind(shape)}, not {value!r}.") from None
    if array.shape != shape:
        raise ModelError(f"{what} must be {_kind(shape)}, got shape {array.shape}.")
    if not (all(map(math.isfinite, array.tolist())) if array.ndim == 1 else np.isfinite(array).all()):
        raise ModelError(f"{what} is not finite: {array.tolist()}.")
    return array


def _are_numbers(value: Any) -> bool:
    """True for a number of Python, a tuple of them, and an array of floating-point numbers."""
    if type(value) is tuple:
        return all(type(x) is float or type(x) is int for x in value)
    return type(value) is float or type(value) is int or (type(value) is np.ndarray and value.dtype.kind == "f")


def nearest(name: Any, known: Iterable[str], there: str = "there are") -> str:
    """The end of an error about an unknown name: the nearest of those that are known, or else some of them.

    >>> nearest("sholder", ["shoulder", "elbow"]), nearest("x", ["shoulder", "elbow"])
    ("did you mean 'shoulder'?", 'there are shoulder, elbow.')
    """
    names = list(known)
    near = get_close_matches(str(name), names, 1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"{there} {', '.join(names[:MOST_NAMES])}{', …' if len(names) > MOST_NAMES else ''}."


def number(value: Any, what: str) -> float:
    """`value` as one finite float."""
    return value if type(value) is float and math.isfinite(value) else float(finite(value, (), what))


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


def truth(value: Any, what: str) -> bool:
    """True or False, or a ModelError."""
    if not isinstance(value, (bool, np.bool_)):
        raise ModelError(f"{what} must be True or False, not {value!r}.")
    return bool(value)


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


def check_name(name: Any, kind: str) -> None:
    """Raise a ModelError if `name` is not a text that files can contain; kind: whose name it is, in a word."""
    if not isinstance(name, str):
        raise ModelError(f"the name of a {kind} must be a word, not {name!r}.")
    if "\0" in name:
        raise ModelError(f"the name {name!r} has a NUL character in it, which a file cannot contain.")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ModelError(f"the name {name!r} of a {kind} cannot be encoded in UTF-8: choose another one.") from None


def labelled(kind: str, name: Any) -> str:
    """A kind of thing with its name, or with an article; `Model.add` refuses a name that is no text.

    >>> labelled("spring", "coil"), labelled("attraction", "")
    ("spring 'coil'", 'an attraction')
    """
    return f"{kind} {name!r}" if isinstance(name, str) and name else f"{'an' if kind[0] in 'aeio' else 'a'} {kind}"


def file_path(path: Any) -> Path:
    """`path` as a Path, or a FileError if it is not the name of a file."""
    if isinstance(path, str | os.PathLike) and isinstance(name := os.fspath(path), str) and name and "\0" not in name:
        with suppress(UnicodeEncodeError):
            if max(map(len, os.fsencode(name).split(b"/"))) > LONGEST_NAME:
                raise FileError(f"{name[:20]}… is not the name of a file: it has more than {LONGEST_NAME} bytes.")
            return Path(name)
    raise FileError(f"{path!r} is not the name of a file.")


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
