"""Jets: a function of time with its first and second derivative, as arrays over many times.

Arithmetic on (u, u̇, ü) is that of Taylor series truncated after the second order:

    (u v)·· = ü v + 2 u̇ v̇ + u v̈,        g(u)· = g′(u) u̇,        g(u)·· = g″(u) u̇² + g′(u) ü                  (1)

Functions that are smooth in pieces (abs, sign, floor, ceil, min, max, where) have the derivatives of the piece.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..checks import Array


class Jet:
    """A function at the times t: values, rates and accelerations, each (n,) or a number."""

    __array_ufunc__ = None  # numbers of NumPy leave the arithmetic to this class

    def __init__(self, value: Any, rate: Any = 0.0, acceleration: Any = 0.0):
        self.value, self.rate, self.acceleration = value, rate, acceleration

    def __add__(self, other: Any) -> Jet:
        v = _jet(other)
        return Jet(self.value + v.value, self.rate + v.rate, self.acceleration + v.acceleration)

    def __mul__(self, other: Any) -> Jet:
        v = _jet(other)
        rate = self.rate * v.value + self.value * v.rate
        return Jet(
            self.value * v.value,
            rate,
            self.acceleration * v.value + 2.0 * self.rate * v.rate + self.value * v.acceleration,
        )

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.rate, -self.acceleration)

    def __sub__(self, other: Any) -> Jet:
        v = _jet(other)
        return Jet(self.value - v.value, self.rate - v.rate, self.acceleration - v.acceleration)

    def __truediv__(self, other: Any) -> Jet:
        v = _jet(other)
        value = self.value / v.value
        rate = (self.rate - value * v.rate) / v.value
        return Jet(value, rate, (self.acceleration - 2.0 * rate * v.rate - value * v.acceleration) / v.value)

    def __pow__(self, other: Any) -> Jet:
        if isinstance(other, Jet):
            value = self.value**other.value
            return Jet(value, *_chain(_of("exp", _of("log", self) * other), value))
        n = float(other)
        first, second = (_power(self.value, n, k) for k in (1, 2))
        return Jet(self.value**n, first * self.rate, second * self.rate**2 + first * self.acceleration)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Any) -> Jet:
        return _jet(other) - self

    def __rtruediv__(self, other: Any) -> Jet:
        return _jet(other) / self

    def __rpow__(self, other: Any) -> Jet:
        return _jet(other) ** self

    def __lt__(self, other: Any) -> Any:
        return self.value < _jet(other).value

    def __le__(self, other: Any) -> Any:
        return self.value <= _jet(other).value

    def __gt__(self, other: Any) -> Any:
        return self.value > _jet(other).value

    def __ge__(self, other: Any) -> Any:
        return self.value >= _jet(other).value

    def __eq__(self, other: object) -> Any:
        return self.value == _jet(other).value

    def __ne__(self, other: object) -> Any:
        return self.value != _jet(other).value

    __hash__ = None  # type: ignore[assignment]


def _jet(x: Any) -> Jet:
    return x if isinstance(x, Jet) else Jet(x)


def _chain(jet: Jet, value: Any) -> tuple[Any, Any]:
    """Rate and acceleration of exp(w log u), with its value as ** gives it."""
    scale = np.where(jet.value != 0.0, value / np.where(jet.value != 0.0, jet.value, 1.0), 1.0)
    return jet.rate * scale, jet.acceleration * scale


def _power(u: Any, n: float, k: int) -> Any:
    """The k-th derivative of uⁿ."""
    factor = n if k == 1 else n * (n - 1.0)
    return factor * u ** (n - k) if factor != 0.0 else 0.0 * u


class Rule(NamedTuple):
    """First and second derivative of a function g at u, given u and g(u)."""

    first: Callable[[Any, Any], Any]
    second: Callable[[Any, Any], Any]


RULES = {
    "sin": Rule(lambda u, g: np.cos(u), lambda u, g: -g),
    "cos": Rule(lambda u, g: -np.sin(u), lambda u, g: -g),
    "tan": Rule(lambda u, g: 1.0 + g * g, lambda u, g: 2.0 * g * (1.0 + g * g)),
    "asin": Rule(lambda u, g: (1.0 - u * u) ** -0.5, lambda u, g: u * (1.0 - u * u) ** -1.5),
    "acos": Rule(lambda u, g: -((1.0 - u * u) ** -0.5), lambda u, g: -u * (1.0 - u * u) ** -1.5),
    "atan": Rule(lambda u, g: 1.0 / (1.0 + u * u), lambda u, g: -2.0 * u / (1.0 + u * u) ** 2),
    "sinh": Rule(lambda u, g: np.cosh(u), lambda u, g: g),
    "cosh": Rule(lambda u, g: np.sinh(u), lambda u, g: g),
    "tanh": Rule(lambda u, g: 1.0 - g * g, lambda u, g: -2.0 * g * (1.0 - g * g)),
    "sqrt": Rule(lambda u, g: 0.5 / g, lambda u, g: -0.25 / (g * u)),
    "exp": Rule(lambda u, g: g, lambda u, g: g),
    "log": Rule(lambda u, g: 1.0 / u, lambda u, g: -1.0 / (u * u)),
    "fabs": Rule(lambda u, g: np.sign(u), lambda u, g: 0.0 * u),
    **dict.fromkeys(("sign", "floor", "ceil"), Rule(lambda u, g: 0.0 * u, lambda u, g: 0.0 * u)),
}


def has_jet(*x: Any) -> bool:
    """Whether one of the values is a Jet."""
    return any(isinstance(y, Jet) for y in x)


def of_jets(name: str, *x: Any) -> Jet:
    """A function of formula/functions.py of jets and numbers."""
    if len(x) == 1:
        return _of(name, x[0])
    u, v = (_jet(y) for y in x)
    if name == "atan2":
        square = v * v + u * u
        return Jet(np.arctan2(u.value, v.value), *_rates(u, v, square))
    return chosen(u <= v if name == "fmin" else u >= v, u, v)


def _rates(u: Jet, v: Jet, square: Jet) -> tuple[Any, Any]:
    """Rate and acceleration of atan2(u, v): (v u̇ − u v̇)/(u² + v²), and its rate."""
    top = v.value * u.rate - u.value * v.rate
    change = v.value * u.acceleration - u.value * v.acceleration
    return top / square.value, (change - top / square.value * square.rate) / square.value


def chosen(condition: Any, x: Any, y: Any) -> Jet:
    """x where the condition holds and y elsewhere."""
    u, v = _jet(x), _jet(y)
    parts = ((u.value, v.value), (u.rate, v.rate), (u.acceleration, v.acceleration))
    return Jet(*(np.where(condition, one, two) for one, two in parts))


def _of(name: str, u: Jet) -> Jet:
    g = getattr(np, name)(u.value)  # the functions have NumPy's names
    first, second = RULES[name].first(u.value, g), RULES[name].second(u.value, g)
    return Jet(g, first * u.rate, second * u.rate**2 + first * u.acceleration)


def jet_of_time(t: Array) -> Jet:
    """t itself."""
    return Jet(t, np.ones_like(t), np.zeros_like(t))
