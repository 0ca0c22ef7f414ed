"""Numbers with their first two derivatives with respect to one variable: (x, x', x'')."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos as _cos
from math import sin as _sin
from math import sqrt as _sqrt
from typing import Any


@dataclass(frozen=True)
class Jet:
    """x(s) with x' and x'' at one s."""

    x: float
    d: float = 0.0
    dd: float = 0.0

    def __add__(self, other: Any) -> Jet:
        o = jet(other)
        return Jet(self.x + o.x, self.d + o.d, self.dd + o.dd)

    def __mul__(self, other: Any) -> Jet:
        o = jet(other)
        return Jet(self.x * o.x, self.d * o.x + self.x * o.d, self.dd * o.x + 2.0 * self.d * o.d + self.x * o.dd)

    def __neg__(self) -> Jet:
        return self * -1.0

    def __sub__(self, other: Any) -> Jet:
        return self + -jet(other)

    def __rsub__(self, other: Any) -> Jet:
        return jet(other) - self

    def __truediv__(self, other: Any) -> Jet:
        o = jet(other)
        return self * apply(o, 1.0 / o.x, -1.0 / o.x**2, 2.0 / o.x**3)

    def __rtruediv__(self, other: Any) -> Jet:
        return jet(other) / self

    __radd__, __rmul__ = __add__, __mul__


def jet(x: Any) -> Jet:
    return x if isinstance(x, Jet) else Jet(float(x))


def apply(a: Jet, f: float, f1: float, f2: float) -> Jet:
    """f(a) from f and its derivatives at a.x."""
    return Jet(f, f1 * a.d, f2 * a.d**2 + f1 * a.dd)


def sin(a: Jet) -> Jet:
    return apply(a, _sin(a.x), _cos(a.x), -_sin(a.x))


def cos(a: Jet) -> Jet:
    return apply(a, _cos(a.x), -_sin(a.x), -_cos(a.x))


def sqrt(a: Jet) -> Jet:
    root = _sqrt(a.x)
    return apply(a, root, 0.5 / root, -0.25 / root**3)
