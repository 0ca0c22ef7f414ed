"""The motions of one random model, computed once each, over a time in which its fastest part rotates by about REACH.

The step is also relative to this part: h · rate = REACH/STEPS at order 2, where the leading error term dominates.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import NamedTuple

import numpy as np

import livens as lv
from livens.compile.compiled import Compiled
from livens.compile.rows import PRECISION
from livens.run.follow import follow
from livens.run.plan import plan

from .. import index_one
from .description import Array, Description, Seen, View, build, seen
from .fit import SIZE, Grip, grip, rate

EPS = float(np.finfo(float).eps)
REACH = 1.0  # rad
STEPS = 48


class Check(NamedTuple):
    """A value that must not exceed a bound."""

    what: str
    value: float
    bound: float

    @property
    def kept(self) -> bool:
        return self.value <= self.bound  # false for NaN


class Trial:
    """A description with the data for all checks."""

    def __init__(self, told: Description):
        self.told = told
        self._motions: dict = {}
        self._starts: dict = {}

    @cached_property
    def rate(self) -> float:
        return rate(self.told)

    @property
    def until(self) -> float:
        return REACH / self.rate

    @cached_property
    def grip(self) -> Grip:
        return grip(self.told)

    @cached_property
    def size(self) -> float:
        """The largest distance of a centre from the mean of all centres, at least SIZE [m]."""
        x = np.array([part.center for part in self.told.parts])
        return max(SIZE, float(np.abs(x - x.mean(axis=0)).max()))

    @cached_property
    def components(self) -> list[list[int]]:
        """Groups of bodies connected by joints, springs or attraction, without those connected to the world."""
        number = {part.name: k + 1 for k, part in enumerate(self.told.parts)} | {"world": 0}
        group = np.arange(len(number))
        ends = {tie.name: (tie.a, tie.b) for tie in self.told.ties}
        links = [sum((ends[name] for name in tie.pair), ()) or (tie.a, tie.b) for tie in self.told.ties]
        links += [(pull.a, pull.b) for pull in self.told.pulls]
        links += [tuple(part.name for part in self.told.parts)] if self.told.attraction else []
        for names in links:
            mine = {int(group[number[name]]) for name in names}
            group[np.isin(group, list(mine))] = min(mine)
        return [np.flatnonzero(group == k).tolist() for k in np.unique(group) if k != group[0]]

    def begin(self, view: View | None = None) -> tuple[lv.Model, Compiled]:
        """The model in its initial state, which must be consistent; redundant constraints are expected."""
        if id(view) not in self._starts:
            model = build(self.told, view)
            with warnings.catch_warnings():
                warnings.simplefilter("error", lv.ModelWarning)
                warnings.filterwarnings("ignore", message=".*equations? (is|are) redundant", category=lv.ModelWarning)
                self._starts[id(view)] = model, Compiled.of(model), view
        return self._starts[id(view)][:2]

    def motion(self, scheme=None, steps: int = STEPS, view: View | None = None) -> lv.Trajectory:
        """The motion with a scheme (None: Livens of order 2) in `steps` steps: lv.simulate, from the common start."""
        scheme = lv.Livens() if scheme is None else scheme
        key = (repr(scheme), steps, id(view))
        if key not in self._motions:
            until = self.until * (1.0 if view is None else view.time)
            self._motions[key] = follow(plan(scheme, until / steps, until, 1), self.begin(view)[1])
        return self._motions[key]

    def end(self, scheme=None, steps: int = STEPS, view: View | None = None) -> Seen:
        return seen(self.motion(scheme, steps, view), self.told, view)

    def exact(self, steps: int) -> float:
        """Allowed difference of two motions that differ only by round-off and by the residual of the joint solver in
        each of `steps` steps."""
        each = PRECISION / self.grip.least if self.told.ties else 8 * EPS
        return float(np.exp(REACH)) * steps * each

    def apart(self, one: Seen, other: Seen) -> float:
        """The largest deviation of two states, relative to the size, in radians, and their rates."""
        return one.apart(other, self.size, self.rate)

    @cached_property
    def mechanism(self) -> index_one.Mechanism:
        return index_one.Mechanism(build(self.told))

    @cached_property
    def independent(self) -> Seen:
        """The final state by index_one.py."""
        model = build(self.told)
        found = index_one.solve(model, [self.until], rtol=1e-12)[0]
        turned = found.B @ np.swapaxes([body.pose.B for body in model.bodies[1:]], 1, 2)
        return Seen(found.x, turned, found.v, found.omega)


def order(errors: Array) -> Array:
    """Observed orders between runs with halved steps."""
    return np.log2(errors[:-1] / errors[1:])
