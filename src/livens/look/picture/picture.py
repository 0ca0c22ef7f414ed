"""What is drawn of a model: the one description from which all pictures are made.

    item        drawn as
    body        its surface, in the colour of its number
    spring      a coil between two points, coloured by its extension
    damper      a thin line between two points
    rod         a thick line between two points
    axis        a short line through a point of a joint, along a direction of one of its bodies

Everything is given as points and directions fixed to bodies (places.py), so a back end needs the poses of the bodies at
a time (instants.py) and nothing else of the motion. Back ends: browser (viser), page (HTML), render (PNG, films), gltf.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.model import Body, Model, Point
from ...errors import ModelError
from .colors import BLACK, of_bodies
from .places import Places, places, traced
from .shapes import Shape, shapes

AXIS = 0.07  # half the length of the line of an axis, in halves of the largest side of the motion


class Item(NamedTuple):
    """One thing that every back end draws."""

    kind: str  # "body", "spring", "damper", "rod" or "axis"
    name: str


@dataclass(frozen=True, eq=False)
class Links:
    """Glyphs between two points, such as springs: their names, their ends, their rest lengths [m] (n,)."""

    names: tuple[str, ...]
    a: Places
    b: Places
    length: Array

    def __len__(self) -> int:
        return len(self.names)

    def ends(self, x: Array, R: Array) -> Array:
        """Positions of both ends (…, n, 2, 3) [m] for body frames at x with rotations R."""
        return np.stack([self.a.at(x, R), self.b.at(x, R)], axis=-2)

    def extension(self, ends: Array) -> Array:
        """How much longer than at rest they are (…, n) [m]."""
        return np.linalg.norm(ends[..., 1, :] - ends[..., 0, :], axis=-1) - self.length


@dataclass(frozen=True, eq=False)
class Axes:
    """Axes of joints: the names of the joints, points on the axes, and directions fixed to the same bodies."""

    names: tuple[str, ...]
    points: Places
    directions: Places

    def __len__(self) -> int:
        return len(self.names)

    def ends(self, x: Array, R: Array, half: float) -> Array:
        """Ends of lines (…, n, 2, 3) [m] that extend by `half` [m] to both sides of their points."""
        middle, along = self.points.at(x, R), half * self.directions.along(R)
        return np.stack([middle - along, middle + along], axis=-2)


@dataclass(frozen=True, eq=False)
class Picture:
    """Everything that is drawn of a model."""

    model: Model
    shapes: list[Shape]
    shape_of: NDArray[np.int64]  # the number of each body's shape in `shapes`; the world: −1
    reach: Array  # how far each body extends from the origin of its frame [m]; the world: 0
    colors: NDArray[np.uint8]  # of the bodies (bodies, 3), 0 … 255; that of the world is black
    springs: Links
    dampers: Links
    rods: Links
    axes: Axes
    joints: list[Any]  # joints that are drawn as a point
    joint_points: Places  # their second points
    points: Places  # all points on which joints and forces act
    traces: Places  # points that leave a trace

    @property
    def items(self) -> list[Item]:
        """All that a back end must draw."""
        found = [Item("body", body.name) for body in self.model.bodies[1:]]
        names = {
            "spring": self.springs.names,
            "damper": self.dampers.names,
            "rod": self.rods.names,
            "axis": self.axes.names,
        }
        return found + [Item(kind, name) for kind, some in names.items() for name in some]

    @property
    def anchors(self) -> Places:
        """The points of the world on which joints and forces act."""
        fixed = self.points.body == 0
        return Places(self.points.body[fixed], self.points.r[fixed])


def picture_of(model: Model, trace: Sequence[Point | Body] | None = None) -> Picture:
    """What is drawn of `model`. trace: points and bodies that leave traces (None: all centres of mass).

    >>> import livens as lv
    >>> m = lv.Model()
    >>> ball = m.add(lv.Body(lv.Ball(0.1, density=1000), at=(1, 0, 0), name="ball"))
    >>> _ = m.add(lv.Spring(m.world.point(0, 0, 0), ball.center, stiffness=1.0, length=0.5, name="spring"))
    >>> picture = picture_of(m)
    >>> [tuple(item) for item in picture.items], picture.springs.length.tolist(), picture.reach.round(6).tolist()
    ([('body', 'ball'), ('spring', 'spring')], [0.5], [0.0, 0.1])
    """
    if len(model.bodies) < 2:
        raise ModelError(f"model {model.name!r} has no bodies: there is nothing to show.")
    things = [*model.joints, *model.forces]
    glyphs = [(thing, glyph) for thing in things for glyph in thing.glyphs()]
    pins = [(thing, glyph) for thing, glyph in glyphs if glyph.kind == "joint"]
    axes = [(thing.name, point, axis) for thing, glyph in glyphs for point, axis in glyph.axes]

    def links(kind: str) -> Links:
        chosen = [(thing.name, glyph) for thing, glyph in glyphs if glyph.kind == kind]
        first, second = (places(model, [glyph.points[side] for _, glyph in chosen]) for side in (0, 1))
        length = np.array([glyph.length for _, glyph in chosen], dtype=np.float64)
        return Links(tuple(name for name, _ in chosen), first, second, length)

    found, shape_of, reach = shapes(model), np.full(len(model.bodies), -1), np.zeros(len(model.bodies))
    for number, shape in enumerate(found):
        shape_of[shape.members], reach[shape.members] = number, shape.reach
    return Picture(
        model=model,
        shapes=found,
        shape_of=shape_of,
        reach=reach,
        colors=np.concatenate([np.array([BLACK], dtype=np.uint8), of_bodies(len(model.bodies) - 1)]),
        springs=links("spring"),
        dampers=links("damper"),
        rods=links("rod"),
        axes=Axes(
            tuple(name for name, _, _ in axes),
            places(model, [point for _, point, _ in axes]),
            places(model, [Point(point.body, axis) for _, point, axis in axes]),
        ),
        joints=[thing for thing, _ in pins],
        joint_points=places(model, [glyph.points[0] for _, glyph in pins]),
        points=places(model, [point for thing in things for point in thing.points]),
        traces=traced(model, model.bodies[1:] if trace is None else trace),
    )
