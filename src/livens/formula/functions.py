"""Functions for user-written physics that accept symbols and numbers: sin, sqrt, dot, norm, …"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import require
from .jet import chosen, has_jet, of_jets


def casadi() -> Any:
    """CasADi, which differentiates formulas; it is imported at first use."""
    return require("casadi", "user-written physics needs casadi", "livens[symbolic]")


def _is_symbol(x: Any) -> bool:
    return type(x).__module__.startswith("casadi")


def _mixed(x: Any) -> bool:
    return _is_symbol(x) or (
        isinstance(x, list | tuple | np.ndarray) and any(_mixed(y) for y in x if not isinstance(y, float | int))
    )


def _column(x: Any) -> Any:
    return x if _is_symbol(x) else casadi().vertcat(*np.ravel(np.asarray(x, dtype=object)).tolist())


def _function(name: str, of_numbers: Callable[..., Any]) -> Callable[..., Any]:
    def function(*x: Any) -> Any:
        if has_jet(*x):
            return of_jets(name, *x)
        if any(_mixed(y) for y in x):
            of_symbols = getattr(casadi(), name)  # CasADi is imported at first use
            return of_symbols(*(y if _is_symbol(y) or not np.ndim(y) else _column(y) for y in x))
        return of_numbers(*x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}(x), for symbols in user-written physics and for numbers."
    return function


sin, cos, tan = _function("sin", np.sin), _function("cos", np.cos), _function("tan", np.tan)
asin, acos, atan = _function("asin", np.arcsin), _function("acos", np.arccos), _function("atan", np.arctan)
atan2 = _function("atan2", np.arctan2)
sinh, cosh, tanh = _function("sinh", np.sinh), _function("cosh", np.cosh), _function("tanh", np.tanh)
sqrt, exp, log = _function("sqrt", np.sqrt), _function("exp", np.exp), _function("log", np.log)
fabs, sign, floor, ceil = (
    _function(name, of_numbers)
    for name, of_numbers in (("fabs", np.fabs), ("sign", np.sign), ("floor", np.floor), ("ceil", np.ceil))
)
fmin, fmax = _function("fmin", np.fmin), _function("fmax", np.fmax)


def where(condition: Any, x: Any, y: Any) -> Any:
    """x if the condition is true, otherwise y; for symbols and numbers."""
    if has_jet(condition, x, y):
        return chosen(condition, x, y)
    if any(_mixed(value) for value in (condition, x, y)):
        return casadi().if_else(condition, x, y)
    return np.where(condition, x, y) if np.ndim(condition) else x if condition else y


def truth(condition: Any) -> Any:
    """1 if the condition is true and 0 if not, for symbols and numbers."""
    return condition if _is_symbol(condition) or has_jet(condition) else np.float64(condition)


def dot(u: Any, v: Any) -> Any:
    """u · v, for symbols and numbers."""
    return casadi().dot(_column(u), _column(v)) if _mixed(u) or _mixed(v) else np.dot(u, v)


def cross(u: Any, v: Any) -> Any:
    """u × v, for symbols and numbers."""
    return casadi().cross(_column(u), _column(v)) if _mixed(u) or _mixed(v) else np.cross(u, v)


def norm(u: Any) -> Any:
    """|u|, for symbols and numbers; it has no gradient at u = 0.

    >>> norm((3.0, 4.0)).item()
    5.0
    """
    return sqrt(dot(u, u))
