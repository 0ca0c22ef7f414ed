"""Points and directions fixed to bodies. All places of a picture follow from the poses of the bodies:

x = X_b + R_b r        b the number of the body, r in body axes; the world is body 0                     (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.model import Body, Model, Point
from ...errors import ModelError


@dataclass(frozen=True, eq=False)
class Places:
    """Points fixed to bodies: body numbers (n,) and r in body axes (n, 3) [m]."""

    body: NDArray[np.int64]
    r: Array

    def __len__(self) -> int:
        return len(self.body)

    def at(self, x: Array, R: Array) -> Array:
        """Their positions (…, n, 3) [m] by (1), for body frames at x (…, bodies, 3) with rotations R."""
        return x[..., self.body, :] + self.along(R)

    def along(self, R: Array) -> Array:
        """The vectors r in world axes (…, n, 3)."""
        return np.einsum("...nij,nj->...ni", R[..., self.body, :, :], self.r)


def places(model: Model, points: Sequence[Point]) -> Places:
    """`points` by the numbers in `model` of the bodies of these names."""
    number = {body.name: k for k, body in enumerate(model.bodies)}
    bodies = np.array([number[point.body.name] for point in points], dtype=np.int64)
    return Places(bodies, np.array([point.r for point in points]).reshape(-1, 3))


def traced(model: Model, wanted: Sequence[Point | Body]) -> Places:
    """The points, and the centres of mass of the bodies, that leave traces."""
    points = [thing.center if isinstance(thing, Body) else thing for thing in wanted]
    for point in points:
        if point.body not in model.bodies:
            raise ModelError(f"{point!r} cannot be traced: its body is not in this model.")
    return places(model, points)
