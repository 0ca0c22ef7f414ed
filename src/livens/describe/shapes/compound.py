"""Compound: several shapes moved into one body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

from ...errors import ModelError
from ..body import Shape, is_shape
from ..contact_shape import ContactShape, contact_shapes_of
from ..mass import MassProperties
from ..pose import Pose
from ..surface import Surface
from .solid import Solid


@dataclass(frozen=True, eq=False)
class Compound:
    """Several shapes as one rigid body; overlapping matter counts twice.

    Each part is (shape, pose), the pose in the frame of the compound, or a plain shape, which is at its own
    `place` if it was imported, otherwise at the origin.

    >>> from livens import Ball, Compound, Pose, ThinRod
    >>> weight = Ball(0.1, mass=5.0)
    >>> dumbbell = Compound([ThinRod(1.0, mass=1.0), (weight, Pose((0.5, 0, 0))), (weight, Pose((-0.5, 0, 0)))])
    >>> dumbbell.mass_properties.mass
    11.0
    """

    parts: Sequence[Any]

    def __post_init__(self) -> None:
        parts = tuple(_placed(part, k) for k, part in enumerate(self.parts))
        if not parts:
            raise ModelError("Compound has no parts: give at least one shape or (shape, pose).")
        object.__setattr__(self, "parts", parts)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """The sum of the parts, by the parallel-axis theorem."""
        return reduce(MassProperties.__add__, (shape.mass_properties.moved(pose) for shape, pose in self.parts))

    @property
    def surface(self) -> Surface:
        """The surfaces of the parts, side by side."""
        return reduce(Surface.joined, (shape.surface.moved(pose) for shape, pose in self.parts))

    @property
    def contact_shapes(self) -> tuple[ContactShape, ...]:
        """Those of the parts."""
        return tuple(part.moved(pose) for shape, pose in self.parts for part in contact_shapes_of(shape, shape.surface))


def _placed(part: Any, k: int) -> tuple[Shape, Pose]:
    own = part.place if isinstance(part, Solid) else Pose()
    shape, pose = part if isinstance(part, tuple | list) and len(part) == 2 else (part, own)
    if not is_shape(shape):
        raise ModelError(f"part {k} of a Compound must be a shape or (shape, pose), not {part!r}.")
    if not isinstance(pose, Pose):
        raise ModelError(f"part {k} of a Compound must be placed by a Pose such as Pose((x, y, z)), not by {pose!r}.")
    return shape, pose
