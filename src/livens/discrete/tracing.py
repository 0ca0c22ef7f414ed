"""Functions that users write, called once with symbols; whatever is not an expression is refused with its line."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

from ..errors import MissingExtra, ModelError
from ..symbolic import _is_nan, _line, _rows, _sentence, casadi

Fn = Callable[..., Any]


def expression(fn: Fn, arguments: tuple[Any, ...], label: str, optional: int = 0) -> list[Any]:
    """What `fn` computes from symbols, as a list of scalar expressions; it may leave out the last `optional`
    arguments."""
    if not callable(fn):
        raise ModelError(f"{label} must be a function of symbols, not {fn!r}.")
    arguments = arguments[: _wanted(fn, len(arguments) - optional, len(arguments), label)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # NumPy functions that CasADi understands are welcome
            rows = _rows(fn(*arguments), label)
    except (ModelError, MissingExtra):
        raise
    except Exception as error:
        raise ModelError(f"{label} cannot be traced{_line(fn, error)}: {_sentence(error)}.") from error
    for row in rows:
        if _is_nan(row):
            raise ModelError(
                f"{label} gives NaN whatever its arguments are{_line(fn, None)}: functions of `math` and float() "
                "cannot see symbols; use ld.sin, ld.sqrt, … instead."
            )
    return rows


def scalar(fn: Fn, arguments: tuple[Any, ...], label: str, optional: int = 0) -> Any:
    """One expression."""
    rows = expression(fn, arguments, label, optional)
    if len(rows) != 1:
        raise ModelError(f"{label} must give one number, and gives {len(rows)}{_line(fn, None)}.")
    return rows[0]


def column(fn: Fn, arguments: tuple[Any, ...], size: int | None, label: str, optional: int = 0) -> Any:
    """A column of expressions, `size` of them where that is known."""
    rows = expression(fn, arguments, label, optional)
    if size is not None and len(rows) != size:
        raise ModelError(f"{label} must give {size} numbers, and gives {len(rows)}{_line(fn, None)}.")
    return casadi().vertcat(*rows)


def _wanted(fn: Fn, least: int, most: int, label: str) -> int:
    """How many of its arguments a function takes."""
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):  # built in: nothing is known
        return most
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return most
    needed = sum(p.default is p.empty for p in places)
    if needed > most or len(places) < least:
        few = f"{least}" if least == most else f"{least} to {most}"
        raise ModelError(f"{label} must be a function of {few} arguments, and takes {needed}{_line(fn, None)}.")
    return max(least, min(needed, most))
