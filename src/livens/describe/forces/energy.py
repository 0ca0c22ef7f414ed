"""User-written potential energy V(q, t)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import ModelError
from ...formula.formula import Formula
from ...formula.trace import line_of
from ..body import Body, Point, without_world
from ..body_symbols import Expected, distinct_bodies
from ..formula_derivatives import at_start, checked_formula
from ..term import FormulaEnergy, Term
from ..thing import Thing

ENERGY = Expected(
    "one number [J], an expression such as 0.5*k*lv.dot(d, d)",
    results=1,
    no_velocity="an energy depends on positions, directions and time only: write velocity-dependent forces as an "
    "lv.Force",
)


class Energy(Thing):
    """A potential energy V [J], written as a function of points and directions of any number of bodies, and of time.

    fn(b) or fn(b, t) gets symbols: `b[body].point(r)` and `b[body].direction(u)` in world axes (r, u in the body
    frame), `b[body].position`, `b[body].rotation`, and the time t [s]; it gives one number [J]. Use `lv.dot`,
    `lv.norm`, `lv.sin`, … on them. Forces and torques are its exact gradients, and it is part of `motion.potential`;
    an energy that depends on time does work, ∂V/∂t. An argument with a number as its default, k=2.0, is a number with
    a name, "forces.NAME.where.k" for `lv.prepare` and `lv.sensitivity`. Needs the extra `symbolic`.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> ball = m.add(lv.Body(lv.PointMass(2.0), at=(1, 0, 0), name="ball"))
    >>> well = m.add(lv.Energy(lambda b, k=1.0: k / 4 * lv.norm(b[ball].position) ** 4, bodies=[ball], name="well"))
    >>> lv.dynamics(m).acceleration(ball)[0].tolist()
    [-0.5, 0.0, 0.0]
    >>> motion = lv.simulate(m, lv.Livens(order=4), h=1e-2, until=10.0)
    >>> bool(abs(motion.energy - 0.25).max() < 1e-9)
    True
    >>> lv.sensitivity(motion, of=lambda motion: motion.energy[0], wrt=["forces.well.where.k"]).round(9).tolist()
    [0.25]
    """

    kind = "force"

    def __init__(self, fn: Callable[..., Any] | Formula, bodies: Sequence[Body], name: str = ""):
        self.name = name
        term = written_energy(fn, bodies, self.label)
        self.fn = term.formula
        self.bodies: tuple[Body, ...] = term.bodies

    @property
    def points(self) -> tuple[Point, ...]:
        """The origins of its bodies."""
        return tuple(Point(body, np.zeros(3)) for body in self.bodies)

    def terms(self) -> list[Term]:
        return [FormulaEnergy(self.fn, self.bodies)]


def written_energy(fn: Callable[..., Any] | Formula, bodies: Sequence[Body], label: str) -> FormulaEnergy:
    """The energy of a function of symbols or of a formula, finite at the start; `label` names it in errors."""
    every = distinct_bodies(bodies, label)
    if not without_world(every):
        raise ModelError(f"{label} acts on the world alone, which does not move.")
    formula = checked_formula(fn, every, label, ENERGY)
    value, push = at_start(formula, every)
    if not np.isfinite(value):
        raise ModelError(f"{label} is {value} J at the start{line_of(fn)}: it must be finite there.")
    if not np.isfinite(push).all():
        raise ModelError(
            f"{label} has no finite gradient at the start{line_of(fn)}, as a norm or square root of zero has "
            "none: write it without the root, or start elsewhere."
        )
    return FormulaEnergy(formula, every)
