"""Tracing: a user-written function is called once with symbols; an error names the line of the user's file."""

from __future__ import annotations

import inspect
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MissingExtra, ModelError
from .functions import casadi


def called(fn: Callable[..., Any], arguments: tuple[Any, ...], label: str, answer: str) -> list[Any]:
    """The value of fn for symbols, as a list of scalar expressions; `answer` describes the expected value in errors."""
    try:
        with warnings.catch_warnings(), _no_floats():
            warnings.simplefilter("ignore", FutureWarning)  # NumPy functions that CasADi supports are allowed
            value = fn(*arguments)
        return rows_of(value, label, answer)
    except ModelError as error:
        raise ModelError(f"{str(error).rstrip('.')}{line_of(fn, error)}.") from error
    except MissingExtra:
        raise
    except Exception as error:
        raise ModelError(f"{label} cannot be traced{line_of(fn, error)}: {_sentence(error)}.") from error


@contextmanager
def _no_floats() -> Iterator[None]:
    """A context in which float() of a symbol raises an error, also inside functions of `math`; CasADi returns NaN."""
    SX = casadi().SX
    number = SX.__float__

    def refuse(x: Any) -> float:
        if x.is_constant():
            return float(number(x))
        raise TypeError("functions of `math` and float() do not work on symbols; use lv.sin, lv.sqrt, … instead")

    SX.__float__ = refuse
    try:
        yield
    finally:
        SX.__float__ = number


def rows_of(value: Any, label: str, answer: str) -> list[Any]:
    """The equations that a function returned: a symbol, a vector, or a list of these."""
    ca = casadi()
    if isinstance(value, list | tuple | np.ndarray):
        if np.ndim(np.empty(0) if isinstance(value, list | tuple) else value) > 1 or not len(value):
            raise ModelError(f"{label} must give one equation or a list of them, not {type(value).__name__} {value!r}.")
        return [row for part in value for row in rows_of(part, label, answer)]
    if isinstance(value, bool | str) or not isinstance(value, ca.SX | ca.DM | float | int | np.floating | np.integer):
        raise ModelError(
            f"{label} must give {answer}, not {type(value).__name__}{'' if value is None else f' {value!r}'}."
        )
    column = ca.SX(value)
    if 1 not in column.shape or 0 in column.shape:
        raise ModelError(
            f"{label} must give numbers or vectors, not a matrix of {column.shape[0]} × {column.shape[1]}."
        )
    column = ca.densify(column)
    return [column[k] for k in range(column.numel())]


def line_of(fn: Any, error: Exception | None = None) -> str:
    """The line in the user's file: ' (line 12 of crank.py)'; '' if it is not known."""
    fn = inspect.unwrap(fn.func if isinstance(fn, partial) else fn)
    function = fn if inspect.isroutine(fn) else fn.__call__  # of an object that can be called, its method
    function = function.__func__ if inspect.ismethod(function) else function
    if not inspect.isfunction(function) or str(function.__module__).startswith("livens."):  # formulas from files
        return ""
    code = function.__code__
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == code.co_filename] if error else []
    number = frames[-1].lineno if frames else code.co_firstlineno
    return f" (line {number} of {Path(code.co_filename).name})"


def _sentence(error: Exception) -> str:
    """The last line of an error message, without the position in the source of CasADi."""
    if "not iterable" in str(error) or "looping over rows" in str(error):
        return "the entries of a symbol are x[0], x[1], x[2]; it cannot be unpacked"
    if "'SX' and 'tuple'" in str(error) or "'SX' and 'list'" in str(error):
        return "a list of symbols is not a vector: use np.array((x, y, z))"
    if "truth value" in str(error):
        return "`if`, `and`, `min` and `max` do not work on symbols; use np.where(condition, x, y)"
    lines = [
        line.strip().rpartition("hpp:")[2].lstrip("0123456789: ") for line in str(error).splitlines() if line.strip()
    ]
    return (lines[-1] if lines else type(error).__name__).rstrip(".")
