"""What is drawn of a model: the one description from which all pictures are made.

    item        drawn as
    body        its surface, in the colour of its number
    spring      a coil between two points, coloured by its extension
    damper      a thin line between two points
    rod         a thick line between two points, and between a body and a point outside it on which something acts
    axis        a short line through a point of a joint, along a direction of one of its bodies
    symbol      a small drawing of a joint by its type, of the ground at points of the world, and of the base link
    load        an arrow along a force, or a double one along a torque (arrows.py)
    beam        the surface of a beam or cable, coloured by its strain (beams.py), in place of its bodies

Everything is given as points and directions fixed to bodies (places.py), so a back end needs the poses of the bodies at
a time (instants.py) and nothing else of the motion. Back ends: browser (viser), page (HTML), render (PNG, films), gltf.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.body import Plane
from ...describe.glyph import Glyph
from ...describe.model import Body, Model, Point
from ...errors import ModelError
from .beams import BeamPicture, beams_of
from .colors import colors_of
from .places import Places, places, traced
from .shapes import Shape, shapes
from .stems import stems_of
from .symbols import SYMBOL_SIZE, Symbols, symbols_of

BASE_POINTS = 40  # models with more points of joints on the world have no base link
BESIDE = 0.5  # largest size of symbols, in reaches of a body
AXIS = 0.07  # half the length of the line of an axis, in halves of the largest side of the motion


class Item(NamedTuple):
    """One thing that every back end draws."""

    kind: str  # "body", "spring", "damper", "rod", "axis", "symbol", "load" or "beam"
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
    opacity: Array  # of the bodies (bodies,), from 0 to 1
    springs: Links
    dampers: Links
    rods: Links
    axes: Axes
    symbols: Symbols
    loads: list[Any]  # loads, which are drawn as arrows
    floors: Array  # (n, 2, 3) points and normals of the planes on which bodies roll or touch, and of floors
    joints: list[Any]  # joints that are drawn as a point
    joint_points: Places  # their second points
    beams: list[BeamPicture]  # beams and cables
    covered: NDArray[np.bool_]  # (bodies,) those that are not drawn: beams are in their place
    points: Places  # all points on which joints and forces act
    traces: Places  # points that leave a trace

    @property
    def items(self) -> list[Item]:
        """All that a back end must draw."""
        shown = zip(self.model.bodies[1:], self.covered[1:], strict=True)
        found = [Item("body", body.name) for body, covered in shown if not covered]
        names = {
            "spring": self.springs.names,
            "damper": self.dampers.names,
            "rod": self.rods.names,
            "axis": self.axes.names,
            "symbol": self.symbols.names,
            "load": [load.name for load in self.loads],
            "beam": [beam.name for beam in self.beams],
        }
        return found + [Item(kind, name) for kind, some in names.items() for name in some]

    def shrink(self, half: float) -> float:
        """The factor, at most 1, by which symbols and axes are smaller where the bodies are small beside the motion, of
        which `half` [m] is half the largest side."""
        reach = self.reach[(self.reach > 0.0) & ~self.covered]
        return min(1.0, BESIDE * float(np.median(reach)) / (SYMBOL_SIZE * half)) if len(reach) and half > 0.0 else 1.0

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
    ([('body', 'ball'), ('spring', 'spring'), ('symbol', 'spring')], [0.5], [0.0, 0.1])
    """
    if len(model.bodies) < 2:
        raise ModelError(f"model {model.name!r} has no bodies: there is nothing to show.")
    things = [*model.joints, *model.forces]
    sweeps = [(thing.name, glyph.sweep) for thing in things for glyph in thing.glyphs() if glyph.sweep is not None]
    inside = {frozenset(body.name for body in pair) for _, sweep in sweeps for pair in pairwise(sweep.bodies)}
    glyphs = [
        (thing, glyph)
        for thing in things
        for glyph in thing.glyphs()
        if glyph.kind != "rod" or frozenset(point.body.name for point in glyph.points) not in inside  # links of a cable
    ]
    pins = [(thing, glyph) for thing, glyph in glyphs if glyph.kind == "joint"]
    axes = [(thing.name, point, axis) for thing, glyph in glyphs for point, axis in glyph.axes]

    def links(kind: str, stems: Sequence[tuple[str, Point, Point]] = ()) -> Links:
        chosen = [(thing.name, glyph) for thing, glyph in glyphs if glyph.kind == kind]
        chosen += [(name, Glyph(kind, (point, middle))) for name, point, middle in stems]
        first, second = (places(model, [glyph.points[side] for _, glyph in chosen]) for side in (0, 1))
        length = np.array([glyph.length for _, glyph in chosen], dtype=np.float64)
        return Links(tuple(name for name, _ in chosen), first, second, length)

    found, shape_of, reach = shapes(model), np.full(len(model.bodies), -1), np.zeros(len(model.bodies))
    stems = stems_of((thing for thing, _ in glyphs), found, [body.name for body in model.bodies])
    for number, shape in enumerate(found):
        shape_of[shape.members], reach[shape.members] = number, shape.reach
    colors = colors_of(model)
    beams = beams_of(model, sweeps, colors)
    covered = np.zeros(len(model.bodies), dtype=bool)
    points = {int(k) for shape in found if shape.is_point for k in shape.members}
    for beam in beams:
        covered[[k for k in beam.body if beam.directed or int(k) in points]] = True
    return Picture(
        model=model,
        shapes=found,
        shape_of=shape_of,
        reach=reach,
        colors=colors,
        opacity=np.array([body.opacity for body in model.bodies]),
        springs=links("spring"),
        dampers=links("damper"),
        rods=links("rod", stems),
        axes=Axes(
            tuple(name for name, _, _ in axes),
            places(model, [point for _, point, _ in axes]),
            places(model, [Point(point.body, axis) for _, point, axis in axes]),
        ),
        symbols=_symbols(model, glyphs),
        loads=[thing for thing, glyph in glyphs if glyph.kind == "load"],
        floors=_floors(model, glyphs),
        joints=[thing for thing, _ in pins],
        joint_points=places(model, [glyph.points[0] for _, glyph in pins]),
        beams=beams,
        covered=covered,
        points=places(model, [point for thing in things for point in thing.points]),
        traces=traced(model, model.bodies[1:] if trace is None else trace),
    )


def _symbols(model: Model, glyphs: Sequence[tuple[Any, Glyph]]) -> Symbols:
    """The symbols of joints; the ground at each point of the world on which a joint, a spring or a damper acts; and the
    base link between those of the joints. A plane of the world is ground itself."""
    number = {body.name: k for k, body in enumerate(model.bodies)}
    found = [(thing.name, one, number[one.point.body.name]) for thing, glyph in glyphs for one in glyph.symbols]
    g = float(np.linalg.norm(model.gravity))
    up = -model.gravity / g if g > 0.0 else np.array([0.0, 0.0, 1.0])
    ground: dict[tuple[float, ...], tuple[str, Array, Array]] = {}
    base: list[Array] = []
    for thing, glyph in glyphs:
        flat = any(one.kind == "plate" and one.point.body.is_world for one in glyph.symbols)
        if glyph.kind == "load" or flat or not thing.points:
            continue
        for point in (point for point in thing.points if point.body.is_world):
            hangs = thing.kind != "joint" and all(up @ (other.start - point.r) <= 0.0 for other in thing.points)
            entry = (thing.name, point.r, -up if hangs else up)
            if ground.setdefault(tuple(point.r.tolist()), entry)[0] == thing.name:
                base += [point.r] if thing.kind == "joint" else []
    pieces = _tree(np.array(base)) if 2 <= len(base) <= BASE_POINTS else np.zeros((0, 2, 3))
    return symbols_of(found, list(ground.values()), pieces)


def _tree(points: Array) -> Array:
    """The shortest lines (n − 1, 2, 3) that connect all points: each time the nearest point is added."""
    inside, rest, found = [0], list(range(1, len(points))), []
    while rest:
        apart = np.linalg.norm(points[inside][:, None] - points[rest][None], axis=2)
        i, j = np.unravel_index(int(apart.argmin()), apart.shape)
        found.append((points[inside[i]], points[rest[j]]))
        inside.append(rest.pop(int(j)))
    return np.array(found)


def _floors(model: Model, glyphs: Sequence[tuple[Any, Glyph]]) -> Array:
    """Planes of the world on which bodies roll, with which they are in contact, or which are only drawn."""
    plates = [one for _, glyph in glyphs for one in glyph.symbols if one.kind == "plate" and one.point.body.is_world]
    found = [(one.point.r, one.axis) for one in plates]
    for thing in model.things:
        sides = [side for rule in thing.contacts() for side in (*rule.sides, *rule.planes) if isinstance(side, Plane)]
        found += [(side.r, side.normal) for side in sides if side.body.is_world]
    found += [(floor.r, floor.normal) for floor in model.floors]
    return np.array(found).reshape(-1, 2, 3)
