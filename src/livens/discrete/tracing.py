"""Functions that users write, called once with symbols; whatever is not an expression is refused with its line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..errors import ModelError
from ..formula.functions import casadi
from ..formula.trace import called, line_of

Fn = Callable[..., Any]


def expression(fn: Fn, arguments: tuple[Any, ...], label: str, optional: int = 0) -> list[Any]:
    """What `fn` computes from symbols, as a list of scalar expressions; it may leave out the last `optional`
    arguments."""
    if not callable(fn):
        raise ModelError(f"{label} must be a function of symbols, not {fn!r}.")
    arguments = arguments[: _wanted(fn, len(arguments) - optional, len(arguments), label)]
    rows = called(fn, arguments, label, "an expression of its symbols, or a list of them")
    if _is_nan(casadi().vertcat(*rows)):
        raise ModelError(f"{label} gives NaN whatever its arguments are{line_of(fn)}.")
    return rows


def _is_nan(column: Any) -> bool:
    """True if the expressions contain a NaN."""
    ca = casadi()
    f = ca.Function("f", [ca.vertcat(ca.SX(0, 1), *ca.symvar(column))], [column])
    constants = (f.instruction_constant(k) for k in range(f.n_instructions()) if f.instruction_id(k) == ca.OP_CONST)
    return any(c != c for c in constants)


def scalar(fn: Fn, arguments: tuple[Any, ...], label: str, optional: int = 0) -> Any:
    """One expression."""
    rows = expression(fn, arguments, label, optional)
    if len(rows) != 1:
        raise ModelError(f"{label} must give one number, and gives {len(rows)}{line_of(fn)}.")
    return rows[0]


def column(fn: Fn, arguments: tuple[Any, ...], size: int | None, label: str, optional: int = 0) -> Any:
    """A column of expressions, `size` of them if that is given."""
    rows = expression(fn, arguments, label, optional)
    if size is not None and len(rows) != size:
        raise ModelError(f"{label} must give {size} numbers, and gives {len(rows)}{line_of(fn)}.")
    return casadi().vertcat(*rows)


def _wanted(fn: Fn, least: int, most: int, label: str) -> int:
    """How many of its arguments a function takes."""
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):  # built in: it has no signature
        return most
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return most
    needed = sum(p.default is p.empty for p in places)
    if needed > most or len(places) < least:
        few = f"{least}" if least == most else f"{least} to {most}"
        raise ModelError(f"{label} must be a function of {few} arguments, and takes {needed}{line_of(fn)}.")
    if len(places) >= most and places[most - 1].name in ("t", "p"):  # passed even if it has a default
        return most
    return max(least, min(needed, most))


def of_time_alone(fn: Fn, label: str) -> bool:
    """Whether fn is a function of one argument, the time."""
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        return False
    needed = [p for p in parameters if p.default is p.empty]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters) or len(needed) > 1 or not parameters:
        return False
    if parameters[0].name in ("q", "x", "v", "y"):
        raise ModelError(
            f"{label} of one argument is a function of time, and this one calls it {parameters[0].name!r}"
            f"{line_of(fn)}: write lambda q, v: … for a force of positions and velocities."
        )
    return len(needed) == 1 or parameters[0].name == "t"
