"""User-written force F(q, v, t) and torque."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import ModelError
from ...formula.formula import Formula
from ...formula.trace import line_of
from ..body import Body, Point
from ..body_symbols import Expected, distinct_bodies
from ..formula_derivatives import at_start, checked_formula
from ..term import FormulaForce, Term
from ..thing import Thing

FORCE = Expected("three numbers [N], such as −c*b[body].velocity((0, 0, 0))", results=3, no_velocity="")
TORQUE = Expected("three numbers [N m], such as −c*b[body].angular_velocity", results=3, no_velocity="")


class Force(Thing):
    """A force F(q, v, t) [N] at a point, and a torque [N m] on its body, in world axes, written as functions.

    fn(b) or fn(b, t), and torque, get the same symbols as `lv.Energy`, and velocities: `b[body].velocity(r)` of the
    body-fixed point r [m/s] and `b[body].angular_velocity` [rad/s], both in world axes; each gives three numbers.
    bodies: those whose symbols they use; None means the body of the point alone. A force has no potential: it does
    work. A velocity-dependent force needs order 2; if h c/m is near 1 or larger, with c = |∂F/∂v| [N s/m], use an
    `lv.Damper` instead. Needs the extra `symbolic`.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, mass=2.0), name="ball"))
    >>> drag = m.add(lv.Force(ball.center, lambda b: -0.5 * b[ball].velocity((0, 0, 0)), name="drag"))
    >>> motion = lv.simulate(m, h=1e-2, until=40.0)
    >>> motion.velocity(ball)[-1].round(2).tolist()
    [0.0, 0.0, -39.24]
    """

    kind = "force"

    def __init__(
        self,
        point: Point,
        fn: Callable[..., Any] | Formula,
        bodies: Sequence[Body] | None = None,
        torque: Callable[..., Any] | Formula | None = None,
        name: str = "",
    ):
        self.name = name
        label = self.label
        if not isinstance(point, Point):
            raise ModelError(f"{label} acts at a point such as body.point(0, 0, 0), not {point!r}.")
        if point.body.is_world:
            raise ModelError(f"{label} acts on the world, which does not move.")
        self.point = point
        self.bodies: tuple[Body, ...] = distinct_bodies([point.body] if bodies is None else bodies, label)
        self.fn = checked_formula(fn, self.bodies, label, FORCE)
        self.torque = None if torque is None else checked_formula(torque, self.bodies, f"torque of {label}", TORQUE)
        for formula, given in ((self.fn, fn), (self.torque, torque)):
            if formula is not None and not np.isfinite(at_start(formula, self.bodies)[1]).all():
                raise ModelError(f"{label} is not finite at the start{line_of(given)}.")

    @property
    def points(self) -> tuple[Point, ...]:
        """Its point, and the origins of its bodies."""
        return (self.point, *(Point(body, np.zeros(3)) for body in self.bodies))

    def terms(self) -> list[Term]:
        return [FormulaForce(self.point, self.fn, self.torque, self.bodies)]
