"""User-written force F(q, v, t) and torque."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import ModelError
from ...formula.formula import Formula
from ...formula.trace import line_of
from ..body_symbols import Wanted, listed
from ..model import Body, Point
from .written import at_start, checked_formula

FORCE = Wanted("three numbers [N], such as −c*b[body].velocity((0, 0, 0))", results=3, still="")
TORQUE = Wanted("three numbers [N m], such as −c*b[body].angular_velocity", results=3, still="")


class Force:
    """A force F(q, v, t) [N] at a point, and a torque [N m] on its body, in world axes, written as functions.

    fn(b) or fn(b, t), and torque, get symbols as those of `lv.Energy` do, and velocities: `b[body].velocity(r)` of the
    body-fixed point r [m/s] and `b[body].angular_velocity` [rad/s], both in world axes; each gives three numbers.
    bodies: those whose symbols they use; None means the body of the point alone. A force has no potential: it does
    work. One that depends on velocity runs at order 2; one so stiff that h c/m nears 1, c = |∂F/∂v| [N s/m], belongs in
    an `lv.Damper`. Needs the extra `symbolic`.

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
        label = f"Force {name!r}" if name else "a Force"
        if not isinstance(point, Point):
            raise ModelError(f"{label} acts at a point such as body.point(0, 0, 0), not {point!r}.")
        if point.body.name == "world":
            raise ModelError(f"{label} acts on the world, which does not move.")
        self.point, self.name = point, name
        self.bodies = listed([point.body] if bodies is None else bodies, label)
        self.fn = checked_formula(fn, self.bodies, label, FORCE)
        self.torque = None if torque is None else checked_formula(torque, self.bodies, f"torque of {label}", TORQUE)
        for formula, given in ((self.fn, fn), (self.torque, torque)):
            if formula is not None and not np.isfinite(at_start(formula, self.bodies)[1]).all():
                raise ModelError(f"{label} is not finite at the start{line_of(given)}.")

    @property
    def formulas(self) -> list[Formula]:
        """That of the force, and that of the torque if there is one."""
        return [self.fn] if self.torque is None else [self.fn, self.torque]

    @property
    def timed(self) -> bool:
        """True if it depends on time."""
        return any(formula.timed for formula in self.formulas)

    @property
    def moving(self) -> bool:
        """True if it depends on velocity."""
        return any(formula.moving for formula in self.formulas)

    @property
    def points(self) -> tuple[Point, ...]:
        """Its point, and the origins of its bodies."""
        return (self.point, *(Point(body, np.zeros(3)) for body in self.bodies))

    def __repr__(self) -> str:
        return f"Force({self.name!r})"
