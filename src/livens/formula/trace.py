"""A function that a user wrote, called once with symbols: what it gives, or why not, with the line at fault."""

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
    """What fn gives for symbols, as a list of scalar expressions; `answer` says what it should be."""
    try:
        with warnings.catch_warnings(), _no_floats():
            warnings.simplefilter("ignore", FutureWarning)  # NumPy functions that CasADi understands are welcome
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
    """Where a symbol is asked for its number, as by float() and `math`, CasADi says NaN: here it is an error instead,
    so that the line is known."""
    SX = casadi().SX
    number = SX.__float__

    def refuse(x: Any) -> float:
        if x.is_constant():
            return float(number(x))
        raise TypeError("functions of `math` and float() cannot see symbols; use lv.sin, lv.sqrt, … instead")

    SX.__float__ = refuse
    try:
        yield
    finally:
        SX.__float__ = number


def rows_of(value: Any, label: str, answer: str) -> list[Any]:
    """The equations a function returned: a symbol, a vector, or a list of these."""
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
    """Where in the user's file it happened: ', line 12 of crank.py'."""
    fn = inspect.unwrap(fn.func if isinstance(fn, partial) else fn)
    code = getattr(fn if hasattr(fn, "__code__") else fn.__call__, "__code__", None)
    if code is None or getattr(fn, "kind", "") == "formula":
        return ""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == code.co_filename] if error else []
    number = frames[-1].lineno if frames else code.co_firstlineno
    return f" (line {number} of {Path(code.co_filename).name})"


def _sentence(error: Exception) -> str:
    """What an error says, in its last line, without the place in CasADi where it arose."""
    if "not iterable" in str(error) or "looping over rows" in str(error):
        return "symbols are taken apart by x[0], x[1], x[2]"
    if "'SX' and 'tuple'" in str(error) or "'SX' and 'list'" in str(error):
        return "a list of symbols is no vector: write np.array((x, y, z))"
    if "truth value" in str(error):
        return "`if`, `and`, `min` and `max` ask for a number, which a symbol has not: use np.where(condition, x, y)"
    lines = [
        line.strip().rpartition("hpp:")[2].lstrip("0123456789: ") for line in str(error).splitlines() if line.strip()
    ]
    return (lines[-1] if lines else type(error).__name__).rstrip(".")
