"""User-written constraints g(q, t) = 0 of up to four bodies: 1 TAPE for each equation.

The function is called once, when the constraint is made, with symbols. Its formula runs inside the compiled loop
(kernels/tape.py) with exact derivatives, and is stored with the model: files hold the formula, not the function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...checks import Array
from ...errors import ModelError
from ...formula.formula import Formula
from ...formula.functions import casadi
from ..body_symbols import Wanted, listed, moving, traced
from ..model import Body, Point
from .row import Row

Place = Callable[[Body, str, Array], Array]


class Equations:
    """A formula's results as symbols of the poses (a, B) of its bodies and of the time."""

    def __init__(self, formula: Formula, bodies: Sequence[Body], place: Place):
        """place: coordinates of a point or direction in the axes that B turns, from the point that a follows."""
        ca = casadi()
        self.q, self.t = ca.SX.sym("q", 12 * len(bodies)), ca.SX.sym("t")
        self.a = [self.q[12 * s : 12 * s + 3] for s in range(len(bodies))]
        self.B = [ca.reshape(self.q[12 * s + 3 : 12 * s + 12], 3, 3).T for s in range(len(bodies))]
        x = []
        for slot, kind, r in zip(formula.handles, formula.kinds, formula.places, strict=True):
            turned = self.B[slot] @ ca.DM(place(bodies[slot], kind, r))
            x.append(ca.densify(self.a[slot] + turned if kind == "point" else turned))
        self.rows = formula(x, self.t)


class Constraint:
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
    coordinates: tuple[Any, ...] = ()

    def __init__(self, fn: Callable[..., Any] | Formula, bodies: Sequence[Body], name: str = ""):
        self.name = name
        label = f"Constraint {name!r}" if name else "a Constraint"
        self.bodies = listed(bodies, label)
        self.moving = moving(self.bodies)
        if len(self.moving) > 4:
            raise ModelError(
                f"{label} lists {len(self.moving)} bodies, and an equation can join four at most: split it, or put a "
                "light body between them."
            )
        if not self.moving:
            raise ModelError(f"{label} acts on the world alone, which does not move.")
        if not callable(fn):
            raise ModelError(f"{label} needs a function of its bodies, such as lambda b: …, not {fn!r}.")
        self.fn = fn if isinstance(fn, Formula) else traced(fn, bodies, label)
        if any(not 0 <= slot < len(self.moving) for slot in self.fn.handles):
            raise ModelError(f"{label} has a formula of more bodies than it lists.")
        if self.fn.moving:
            raise ModelError(f"{label} has a formula of velocities, but {Wanted().still}.")
        self.timed = self.fn.timed
        self.a, self.b = (Point(body, np.zeros(3)) for body in (self.moving[0], self.moving[-1]))
        arms = [r - self.moving[slot].mass_properties.center for slot, r in self._points()]
        self._arm = max((float(np.abs(r).max()) for r in arms), default=0.0)
        self._slopes = self._checked(label)

    @property
    def points(self) -> tuple[Point, ...]:
        """The origins of its bodies."""
        return tuple(Point(body, np.zeros(3)) for body in self.bodies)

    def rows(self) -> list[Row]:
        """One row for each equation; value is its longest lever, its ratio how much it changes with a metre."""
        return [
            Row(
                "TAPE", self.moving[0].center, self.moving[-1].center, value=self._arm, component=k, ratios=(slope,),
                bodies=self.moving,
            )
            for k, slope in enumerate(self._slopes)
        ]  # fmt: skip

    def _points(self) -> list[tuple[int, Array]]:
        every = zip(self.fn.handles, self.fn.kinds, self.fn.places, strict=True)
        return [(slot, r) for slot, kind, r in every if kind == "point"]

    def _checked(self, label: str) -> list[float]:
        """How much each equation changes with a metre at the start, where all must be finite and have a gradient."""
        ca = casadi()

        def about_center(body: Body, kind: str, r: Array) -> Array:
            return r - body.mass_properties.center if kind == "point" else r

        eq = Equations(self.fn, self.moving, about_center)
        g = ca.vertcat(*eq.rows)
        here = np.concatenate([np.append(b.center.start, b.pose.B) for b in self.moving])
        f = ca.Function("f", [eq.q, eq.t], [g, ca.jacobian(g, eq.q), ca.jacobian(g, eq.t)])
        values, D, partial = (np.array(x) for x in f(here, 0.0))
        if not np.isfinite(values).all():
            raise ModelError(f"{label} is not finite at the start: {values.ravel().tolist()}.")
        if not (np.isfinite(D).all() and np.isfinite(partial).all()):
            raise ModelError(
                f"{label} has no finite gradient at the start, as a norm or square root of zero has none: write it "
                "without the root."
            )
        slopes = []
        for row in D.reshape(len(values), len(self.moving), 12):
            total = 0.0
            for d, body in zip(row, self.moving, strict=True):
                N = body.pose.B.T @ d[3:].reshape(3, 3)
                total += float(d[:3] @ d[:3]) + 0.5 * float(np.sum((N - N.T) ** 2)) / (self._arm or 1.0) ** 2
            if total <= 1e-24 * max(float(np.sum(row**2)), 1e-300):
                raise ModelError(
                    f"{label} does not change with any motion of its bodies at the start, so nothing can hold it "
                    "there: write differences as they are, not squared, or start elsewhere."
                )
            slopes.append(float(np.sqrt(total)))
        return slopes

    def __repr__(self) -> str:
        return f"Constraint({self.name!r})"
