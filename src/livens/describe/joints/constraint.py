"""User-written constraints g(q, t) = 0 of up to four bodies: 1 TAPE for each equation (formula_rows.py).

Files contain the formula of a constraint, not its function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...formula.formula import Formula
from ..body import Body, Point
from ..body_symbols import distinct_bodies
from ..formula_rows import FormulaRows
from ..glyph import Glyph, Symbol
from ..thing import Thing


class Constraint(Thing):
    """One or several equations g(q, t) = 0, written as a function of body points and time.

    fn(b, t) or fn(b) gets symbols: `b[body].point(r)` and `b[body].direction(u)` in world axes (r, u in the body
    frame), `b[body].position`, `b[body].rotation`, and the time t [s]; it gives an expression, or a list of them. Use
    `lv.dot`, `lv.norm`, `lv.cross`, `lv.sin`, … on them. Needs the extra `symbolic`. The reaction of a constraint is
    the force on the last of `bodies` that moves, and its torque about that body's frame origin.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> bead = m.add(lv.Body(lv.PointMass(0.1), at=(1, 0, 1), name="bead"))
    >>> def bowl(b):
    ...     x = b[bead].position
    ...     return x[2] - x[0]**2 - x[1]**2
    >>> wire = m.add(lv.Constraint(bowl, bodies=[bead], name="bowl"))
    >>> motion = lv.simulate(m, h=1e-3, until=1.0)
    >>> bool(motion.defect_position.max() < 1e-11)
    True
    """

    kind = "joint"
    equations: FormulaRows

    def __init__(self, fn: Callable[..., Any] | Formula, bodies: Sequence[Body], name: str = ""):
        self.name = name
        self.bodies: tuple[Body, ...] = distinct_bodies(bodies, self.label)
        self.equations = FormulaRows(fn, self.bodies, self.label)
        self.fn = self.equations.formula
        self.a, self.b = (Point(body, np.zeros(3)) for body in (self.equations.bodies[0], self.equations.bodies[-1]))

    @property
    def points(self) -> tuple[Point, ...]:
        """The origins of its bodies."""
        return tuple(Point(body, np.zeros(3)) for body in self.bodies)

    @property
    def ends(self) -> tuple[Point, Point] | None:
        """The origins of the first and the last body that moves."""
        return self.a, self.b

    def glyphs(self) -> list[Glyph]:
        """A joint at the last body that moves."""
        return [Glyph("joint", (self.b,), symbols=(Symbol("equation", self.b),))]
