"""Functions of symbols and numbers alike, for physics that users write: sin, sqrt, dot, norm, …"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import require


def casadi() -> Any:
    """The package that differentiates, imported when it is needed."""
    return require("casadi", "user-written physics needs casadi", "livens[symbolic]")


def _is_symbol(x: Any) -> bool:
    return type(x).__module__.startswith("casadi")


def _mixed(x: Any) -> bool:
    return _is_symbol(x) or (
        isinstance(x, list | tuple | np.ndarray) and any(_mixed(y) for y in x if not isinstance(y, float | int))
    )


def _column(x: Any) -> Any:
    return x if _is_symbol(x) else casadi().vertcat(*np.ravel(np.asarray(x, dtype=object)).tolist())


def _function(name: str) -> Callable[..., Any]:
    def function(*x: Any) -> Any:
        if any(_mixed(y) for y in x):
            return getattr(casadi(), name)(*(y if _is_symbol(y) or not np.ndim(y) else _column(y) for y in x))
        return getattr(np, name)(*x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}(x), of symbols in user-written physics or of numbers."
    return function


sin, cos, tan = _function("sin"), _function("cos"), _function("tan")
asin, acos, atan, atan2 = _function("asin"), _function("acos"), _function("atan"), _function("atan2")
sinh, cosh, tanh = _function("sinh"), _function("cosh"), _function("tanh")
sqrt, exp, log = _function("sqrt"), _function("exp"), _function("log")
fabs, sign, floor, ceil = _function("fabs"), _function("sign"), _function("floor"), _function("ceil")
fmin, fmax = _function("fmin"), _function("fmax")


def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds and y elsewhere, of symbols or numbers."""
    if any(_mixed(value) for value in (condition, x, y)):
        return casadi().if_else(condition, x, y)
    return x if condition else y


def truth(condition: Any) -> Any:
    """1 if it holds and 0 if not, of symbols or numbers."""
    return condition if _is_symbol(condition) else np.float64(condition)


def dot(u: Any, v: Any) -> Any:
    """u · v, of symbols or numbers."""
    return casadi().dot(_column(u), _column(v)) if _mixed(u) or _mixed(v) else np.dot(u, v)


def cross(u: Any, v: Any) -> Any:
    """u × v, of symbols or numbers."""
    return casadi().cross(_column(u), _column(v)) if _mixed(u) or _mixed(v) else np.cross(u, v)


def norm(u: Any) -> Any:
    """|u|, of symbols or numbers; it has no gradient where u = 0.

    >>> norm((3.0, 4.0)).item()
    5.0
    """
    return sqrt(dot(u, u))
