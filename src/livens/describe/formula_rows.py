"""Rows from user-written equations g(q, t) = 0 of up to four bodies: 1 TAPE for each equation.

The function is called once, with symbols. Its formula runs inside the compiled loop (kernels/tape.py) with exact
derivatives. A joint whose equations have no kernel of their own gets its rows from here:

    self.equations = FormulaRows(lambda b: lv.norm(b[ball].point(r)) - 1.0, (ball,), self.label)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks import Array
from ..errors import ModelError
from ..formula.formula import Formula
from ..formula.functions import casadi
from .body import Body, without_world
from .body_symbols import Expected, distinct_bodies, traced
from .row import Row

Place = Callable[[Body, str, Array], Array]
MOST_BODIES = 4  # in one equation


class PoseEquations:
    """The results of a formula as symbols of the poses (a, B) of its bodies and of the time."""

    def __init__(self, formula: Formula, bodies: Sequence[Body], place: Place):
        """place: coordinates of a point or direction in the axes that B rotates, from the point a. `c` are the symbols
        of the numbers with names, and `numbers` their values."""
        ca = casadi()
        self.numbers = formula.numbers[: formula.own_numbers]
        self.c = ca.SX.sym("c", len(self.numbers))
        self.q, self.t = ca.SX.sym("q", 12 * len(bodies)), ca.SX.sym("t")
        self.a = [self.q[12 * s : 12 * s + 3] for s in range(len(bodies))]
        self.B = [ca.reshape(self.q[12 * s + 3 : 12 * s + 12], 3, 3).T for s in range(len(bodies))]
        x = []
        for slot, kind, r in zip(formula.handles, formula.kinds, formula.places, strict=True):
            turned = self.B[slot] @ ca.DM(place(bodies[slot], kind, r))
            x.append(ca.densify(self.a[slot] + turned if kind == "point" else turned))
        others = formula.numbers[len(self.numbers) :].tolist()
        self.rows = formula(x, self.t, [*(self.c[k] for k in range(len(self.numbers))), *others])


class FormulaRows:
    """Equations g = 0 of `bodies`, from a function of symbols or from a formula; `label` names them in errors."""

    def __init__(self, fn: Callable[..., Any] | Formula, bodies: Sequence[Body], label: str):
        every = distinct_bodies(bodies, label)
        self.bodies = without_world(every)
        if len(self.bodies) > MOST_BODIES:
            raise ModelError(
                f"{label} lists {len(self.bodies)} bodies, and an equation can join four at most: split it, or put a "
                "light body between them."
            )
        if not self.bodies:
            raise ModelError(f"{label} acts on the world alone, which does not move.")
        if not callable(fn):
            raise ModelError(f"{label} needs a function of its bodies, such as lambda b: …, not {fn!r}.")
        self.formula = fn if isinstance(fn, Formula) else traced(fn, every, label)
        if any(not 0 <= slot < len(self.bodies) for slot in self.formula.handles):
            raise ModelError(f"{label} has a formula of more bodies than it lists.")
        if self.formula.velocity_dependent:
            raise ModelError(f"{label} has a formula of velocities, but {Expected().no_velocity}.")
        points = zip(self.formula.handles, self.formula.kinds, self.formula.places, strict=True)
        arms = [r - self.bodies[slot].mass_properties.center for slot, kind, r in points if kind == "point"]
        self._arm = max((float(np.abs(r).max()) for r in arms), default=0.0)
        self._slopes = self._checked(label)

    def rows(self) -> list[Row]:
        """One row for each equation."""
        first, last = self.bodies[0].center, self.bodies[-1].center
        return [
            Row("TAPE", first, last, value=self._arm, component=k, ratios=(slope,), bodies=self.bodies,
                formula=self.formula)
            for k, slope in enumerate(self._slopes)
        ]  # fmt: skip

    def _checked(self, label: str) -> list[float]:
        """The change of each equation per metre at the start, where all must be finite and have a gradient."""
        ca = casadi()

        def about_center(body: Body, kind: str, r: Array) -> Array:
            return r - body.mass_properties.center if kind == "point" else r

        eq = PoseEquations(self.formula, self.bodies, about_center)
        g = ca.vertcat(*eq.rows)
        here = np.concatenate([np.append(b.center.start, b.pose.B) for b in self.bodies])
        f = ca.Function("f", [eq.q, eq.t, eq.c], [g, ca.jacobian(g, eq.q), ca.jacobian(g, eq.t)])
        values, D, partial = (np.array(x) for x in f(here, 0.0, eq.numbers))
        if not np.isfinite(values).all():
            raise ModelError(f"{label} is not finite at the start: {values.ravel().tolist()}.")
        if not (np.isfinite(D).all() and np.isfinite(partial).all()):
            raise ModelError(
                f"{label} has no finite gradient at the start, as a norm or square root of zero has none: write it "
                "without the root."
            )
        slopes = []
        for row in D.reshape(len(values), len(self.bodies), 12):
            total = 0.0
            for d, body in zip(row, self.bodies, strict=True):
                N = body.pose.B.T @ d[3:].reshape(3, 3)
                total += float(d[:3] @ d[:3]) + 0.5 * float(np.sum((N - N.T) ** 2)) / (self._arm or 1.0) ** 2
            if total <= 1e-24 * max(float(np.sum(row**2)), 1e-300):
                raise ModelError(
                    f"{label} does not change with any motion of its bodies at the start, so no force can satisfy "
                    "it there: write differences as they are, not squared, or start elsewhere."
                )
            slopes.append(float(np.sqrt(total)))
        return slopes
