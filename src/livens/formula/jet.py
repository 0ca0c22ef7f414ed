"""Jets: a function of time with its first and second derivative, as values that are recorded (recorder.py).

Arithmetic on (u, u̇, ü) is that of Taylor series truncated after the second order:

    (u v)·· = ü v + 2 u̇ v̇ + u v̈,        g(u)· = g′(u) u̇,        g(u)·· = g″(u) u̇² + g′(u) ü                  (1)

Functions that are smooth in pieces (abs, sign, floor, ceil, min, max, where) have the derivatives of the piece. Where
two pieces of abs, min or max meet, they are those of the piece that follows. A derivative that is zero at all times
is None, so that tapes of constants and of t itself stay short.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..kernels import opcodes
from .recorder import Recorder, Register, Value, applied, selected


class Jet:
    """A function of time: its value, rate and acceleration are registers or numbers."""

    __array_ufunc__ = None  # numbers of NumPy leave the arithmetic to this class

    def __init__(self, value: Value, rate: Value = None, acceleration: Value = None):
        self.value, self.rate, self.acceleration = value, rate, acceleration

    @property
    def parts(self) -> tuple[Value, Value, Value]:
        """Value, rate and acceleration, 0 for a derivative that is zero at all times."""
        rate, acceleration = (0.0 if x is None else x for x in (self.rate, self.acceleration))
        return self.value, rate, acceleration

    def __add__(self, other: Any) -> Jet:
        v = _jet(other)
        return Jet(self.value + v.value, _sum(self.rate, v.rate), _sum(self.acceleration, v.acceleration))

    def __mul__(self, other: Any) -> Jet:
        u, v = self, _jet(other)
        rate = _sum(_product(u.rate, v.value), _product(u.value, v.rate))
        twice = _product(2.0, u.rate, v.rate)
        return Jet(
            u.value * v.value,
            rate,
            _sum(_product(u.acceleration, v.value), twice, _product(u.value, v.acceleration)),
        )

    def __neg__(self) -> Jet:
        return Jet(-self.value, _negative(self.rate), _negative(self.acceleration))

    def __sub__(self, other: Any) -> Jet:
        v = _jet(other)
        rate = _sum(self.rate, _negative(v.rate))
        return Jet(self.value - v.value, rate, _sum(self.acceleration, _negative(v.acceleration)))

    def __truediv__(self, other: Any) -> Jet:
        v = _jet(other)
        value = self.value / v.value
        rate = _quotient(_sum(self.rate, _negative(_product(value, v.rate))), v.value)
        more = _sum(_product(2.0, rate, v.rate), _product(value, v.acceleration))
        return Jet(value, rate, _quotient(_sum(self.acceleration, _negative(more)), v.value))

    def __pow__(self, other: Any) -> Jet:
        w = _jet(other)
        value = _power(self.value, w.value)
        if w.rate is None and w.acceleration is None and not isinstance(w.value, Register):
            n = float(w.value)
            return _composed(
                self, value, _product(n or None, _power(self.value, n - 1.0)),
                _product(n * (n - 1.0) or None, _power(self.value, n - 2.0)),
            )  # fmt: skip
        along = _of("log", self) * w  # log uʷ: its rate s gives uʷ s, and uʷ (s² + ṡ)
        return Jet(
            value,
            _product(value, along.rate),
            _product(value, _sum(_product(along.rate, along.rate), along.acceleration)),
        )

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Any) -> Jet:
        return _jet(other) - self

    def __rtruediv__(self, other: Any) -> Jet:
        return _jet(other) / self

    def __rpow__(self, other: Any) -> Jet:
        return _jet(other) ** self

    def __lt__(self, other: Any) -> Any:
        return Jet(applied(opcodes.LT, self.value, _jet(other).value))

    def __le__(self, other: Any) -> Any:
        return Jet(applied(opcodes.LE, self.value, _jet(other).value))

    def __gt__(self, other: Any) -> Any:
        return Jet(applied(opcodes.LT, _jet(other).value, self.value))

    def __ge__(self, other: Any) -> Any:
        return Jet(applied(opcodes.LE, _jet(other).value, self.value))

    def __eq__(self, other: object) -> Any:
        return Jet(applied(opcodes.EQ, self.value, _jet(other).value))

    def __ne__(self, other: object) -> Any:
        return Jet(applied(opcodes.NE, self.value, _jet(other).value))

    __hash__ = None  # type: ignore[assignment]


def _jet(x: Any) -> Jet:
    return x if isinstance(x, Jet) else Jet(np.float64(x))


# ── arithmetic with derivatives that are zero at all times ──


def _sum(*terms: Value) -> Value:
    total = None
    for term in terms:
        if term is not None:
            total = term if total is None else total + term
    return total


def _product(*factors: Value) -> Value:
    if any(x is None for x in factors):
        return None
    whole = factors[0]
    for x in factors[1:]:
        whole = x if _is_one(whole) else whole if _is_one(x) else whole * x
    return whole


def _is_one(x: Value) -> bool:
    return not isinstance(x, Register) and x == 1.0


def _quotient(x: Value, y: Value) -> Value:
    return None if x is None else x / y


def _negative(x: Value) -> Value:
    return None if x is None else -x


def _power(u: Value, n: Value) -> Value:
    """uⁿ, as NumPy computes it: squares are products."""
    if not isinstance(n, Register) and n in (0.0, 1.0, 2.0):
        return np.float64(1.0) if n == 0.0 else u if n == 1.0 else u * u
    return applied(opcodes.POW, u, n)


# ── functions ──


class Rule(NamedTuple):
    """An operation g, and its first and second derivative at u, given u and g(u)."""

    op: int
    first: Callable[[Value, Value], Value]
    second: Callable[[Value, Value], Value]


def _root(u: Value) -> Value:
    """(1 − u²)^(−1/2)"""
    return 1.0 / applied(opcodes.SQRT, 1.0 - u * u)


def _none(u: Value, g: Value) -> None:
    """A derivative that is zero."""


RULES = {
    "sin": Rule(opcodes.SIN, lambda u, g: applied(opcodes.COS, u), lambda u, g: -g),
    "cos": Rule(opcodes.COS, lambda u, g: -applied(opcodes.SIN, u), lambda u, g: -g),
    "tan": Rule(opcodes.TAN, lambda u, g: 1.0 + g * g, lambda u, g: 2.0 * g * (1.0 + g * g)),
    "asin": Rule(opcodes.ASIN, lambda u, g: _root(u), lambda u, g: u * _root(u) / (1.0 - u * u)),
    "acos": Rule(opcodes.ACOS, lambda u, g: -_root(u), lambda u, g: -(u * _root(u) / (1.0 - u * u))),
    "atan": Rule(
        opcodes.ATAN,
        lambda u, g: 1.0 / (1.0 + u * u),
        lambda u, g: -2.0 * u / ((1.0 + u * u) * (1.0 + u * u)),
    ),
    "sinh": Rule(opcodes.SINH, lambda u, g: applied(opcodes.COSH, u), lambda u, g: g),
    "cosh": Rule(opcodes.COSH, lambda u, g: applied(opcodes.SINH, u), lambda u, g: g),
    "tanh": Rule(opcodes.TANH, lambda u, g: 1.0 - g * g, lambda u, g: -2.0 * g * (1.0 - g * g)),
    "sqrt": Rule(opcodes.SQRT, lambda u, g: 0.5 / g, lambda u, g: -0.25 / (g * u)),
    "exp": Rule(opcodes.EXP, lambda u, g: g, lambda u, g: g),
    "log": Rule(opcodes.LOG, lambda u, g: 1.0 / u, lambda u, g: -1.0 / (u * u)),
    "sign": Rule(opcodes.SIGN, _none, _none),
    "floor": Rule(opcodes.FLOOR, _none, _none),
    "ceil": Rule(opcodes.CEIL, _none, _none),
}


def has_jet(*x: Any) -> bool:
    """Whether one of the values is a Jet."""
    return any(isinstance(y, Jet) for y in x)


def of_jets(name: str, *x: Any) -> Jet:
    """A function of formula/functions.py of jets and numbers."""
    u, v = _jet(x[0]), _jet(x[-1])
    if name == "fabs":
        return _absolute(u)
    if name == "atan2":
        return _angle(u, v)
    if name == "fmin":
        return _extreme(opcodes.FMIN, u, v, _before(u, v))
    if name == "fmax":
        return _extreme(opcodes.FMAX, u, v, _before(v, u))
    return _of(name, u)


def _of(name: str, u: Jet) -> Jet:
    rule = RULES[name]
    g = applied(rule.op, u.value)
    if u.rate is None and u.acceleration is None:
        return Jet(g)
    return _composed(u, g, rule.first(u.value, g), rule.second(u.value, g))


def _composed(u: Jet, g: Value, first: Value, second: Value) -> Jet:
    """g(u) by (1)."""
    curved = _product(second, _product(u.rate, u.rate))
    return Jet(g, _product(first, u.rate), _sum(curved, _product(first, u.acceleration)))


def _absolute(u: Jet) -> Jet:
    """|u|; where u = 0 its rate is |u̇|."""
    side = applied(opcodes.SIGN, u.value)
    if u.rate is not None:
        side = side + selected(applied(opcodes.EQ, u.value, 0.0), applied(opcodes.SIGN, u.rate))
    return Jet(applied(opcodes.FABS, u.value), _product(side, u.rate), _product(side, u.acceleration))


def _before(u: Jet, v: Jet) -> Value:
    """1 if u < v, now or, where they are equal, right after now; otherwise 0."""
    (x, a, _), (y, b, _) = u.parts, v.parts
    return applied(opcodes.LT, x, y) + selected(applied(opcodes.EQ, x, y), applied(opcodes.LE, a, b))


def _extreme(op: int, u: Jet, v: Jet, first: Value) -> Jet:
    """min or max of u and v: its derivatives are those of u where `first` is 1, and otherwise those of v."""
    return Jet(
        applied(op, u.value, v.value), _either(first, u.rate, v.rate), _either(first, u.acceleration, v.acceleration)
    )


def _angle(u: Jet, v: Jet) -> Jet:
    """atan2(u, v): its rate is (v u̇ − u v̇)/(u² + v²)."""
    square = u.value * u.value + v.value * v.value
    top = _sum(_product(v.value, u.rate), _negative(_product(u.value, v.rate)))
    change = _sum(_product(v.value, u.acceleration), _negative(_product(u.value, v.acceleration)))
    spread = _product(2.0, _sum(_product(u.value, u.rate), _product(v.value, v.rate)))
    rate = _quotient(top, square)
    more = _negative(_product(rate, spread))
    return Jet(applied(opcodes.ATAN2, u.value, v.value), rate, _quotient(_sum(change, more), square))


def chosen(condition: Any, x: Any, y: Any) -> Jet:
    """x where the condition holds and y elsewhere."""
    truth, u, v = _jet(condition).value, _jet(x), _jet(y)
    pairs = ((u.value, v.value), (u.rate, v.rate), (u.acceleration, v.acceleration))
    return Jet(*(_either(truth, one, two) for one, two in pairs))


def _either(truth: Value, one: Value, two: Value) -> Value:
    if one is None and two is None:
        return None
    if not isinstance(truth, Register):
        return one if truth else two
    yes = None if one is None else selected(truth, one)
    return _sum(yes, None if two is None else selected(truth.apply(opcodes.NOT), two))


def jet_of_time(recorder: Recorder) -> Jet:
    """t itself."""
    return Jet(recorder.time, np.float64(1.0))
