"""Rolling disc: 1 RIM + 2 ROLL. The rim of a thin disc touches the plane and the contact does not slip."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ...checks import direction, positive
from ...errors import ModelError
from ..model import Point
from .joint import Joint
from .no_slip import no_slip
from .row import Row, local


class RollingDisc(Joint):
    """A thin disc with its centre at the second point and the given axis rolls without slipping on the plane through
    the first (axes in world directions at the start)."""

    def __init__(self, a: Point, b: Point, normal: ArrayLike, axis: ArrayLike, radius: float, name: str = ""):
        super().__init__(a, b, name)
        self.normal = direction(normal, f"normal of {self._label(name)}")
        self.axis = direction(axis, f"axis of {self._label(name)}")
        if abs(self.normal @ self.axis) > 1.0 - 1e-9:
            raise ModelError(f"{self._label(name)} lies flat (its axis is the plane's normal): it has no one contact.")
        self.radius = positive(radius, f"radius of {self._label(name)}", "m")

    def rows(self) -> list[Row]:
        w = local(self.b.body, self.axis)
        rim = Row("RIM", self.a, self.b, local(self.a.body, self.normal), w, value=self.radius)
        return [rim, *no_slip(self.a, self.b, self.normal, self.radius, w)]
