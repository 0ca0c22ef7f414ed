"""Marks of a served page: names of bodies, loads as arrows, and on the ground, before the motion, a scale bar with its
unit, the axes of the world and an arrow of each kind of load with its value.

The arrow of a load F is as long as that of the largest load of the motion, ARROW_LENGTH, times |F| / largest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...checks import Array
from ..picture.arrows import ARROW_LENGTH, Arrows, arrows_of
from ..picture.colors import linear
from ..picture.instants import Instant
from ..picture.lengths import in_words, nice
from ..picture.picture import Picture
from ..picture.themes import Theme
from .beams import legend
from .layers import THICK, Layer, arrow_ends
from .sizes import HALF, Sizes

SHAFT, HEAD, POINT = 0.012, 0.035, 0.09  # radii and length of the parts of an arrow [units]
BAR, TRIAD = 0.5, 0.14  # lengths of the scale bar, at most, and of an axis, in halves of the motion's largest side


def arrow_node(scene: Any, name: str, color: Any) -> Any:
    """An empty node of arrows."""
    return scene.add_arrows(
        name, np.zeros((1, 2, 3)), linear(color), shaft_radius=SHAFT, head_radius=HEAD, head_length=POINT
    )


def loads(scene: Any, picture: Picture, sizes: Sizes, theme: Theme, whole: Sequence[Arrows]) -> Layer:
    """Forces and torques of loads. whole: those of all times, whose largest has the full length."""
    most = {one.kind: one.most for one in whole}
    nodes = {kind: arrow_node(scene, f"/m/loads/{kind}", vars(theme)[kind]) for kind in most}

    def update(now: Instant) -> None:
        drawn = {one.kind: one for one in arrows_of(picture, np.array([now.t]), now.R[None])}
        for kind, node in nodes.items():
            ends = np.zeros((0, 2, 3))
            if kind in drawn:
                begin = sizes(drawn[kind].points.at(now.x, now.R)).astype(np.float64)
                ends = arrow_ends(begin, drawn[kind].values[0] * (ARROW_LENGTH * HALF / most[kind]))
            node.points = ends.astype(np.float32)

    return Layer(True, list(nodes.values()), update)


def names(scene: Any, picture: Picture, sizes: Sizes) -> Layer:
    """The name of every body at its frame. A served page has no event for a pointer above a body, only for a click."""
    bodies = picture.model.bodies[1:]
    nodes = [scene.add_label(f"/m/names/{k}", body.name, anchor="bottom-center") for k, body in enumerate(bodies)]

    def update(now: Instant) -> None:
        for node, x in zip(nodes, sizes(now.x[1:]), strict=True):
            node.position = _tuple(x)

    return Layer(False, nodes, update)


def scale_and_axes(
    scene: Any, sizes: Sizes, theme: Theme, whole: Sequence[Arrows], gravity: bool, strain: float = 0.0
) -> Layer:
    """The scale bar, the axes of the world, gravity, the arrows of the legend, and, if `strain` is not zero, the
    colours of strains up to it. They do not move."""
    corner, right, near = _corner(sizes)
    length = nice(BAR * HALF / sizes.scale)
    end = corner + length * sizes.scale * right
    tick = 0.03 * HALF * near
    bar = np.array([(corner, end), (corner - tick, corner + tick), (end - tick, end + tick)])
    nodes = [_lines(scene, "/m/scale/bar", bar, theme.ink)]
    nodes.append(scene.add_label("/m/scale/length", in_words(length), position=_tuple(end), anchor="center-left"))
    base = corner - 1.5 * TRIAD * HALF * right
    for name, color, e in zip("xyz", (theme.x, theme.y, theme.z), np.eye(3), strict=True):
        tip = base + TRIAD * HALF * e
        nodes.append(_lines(scene, f"/m/scale/{name}", np.array([(base, tip)]), color))
        where = _tuple(base + 1.25 * (tip - base))
        nodes.append(scene.add_label(f"/m/scale/name {name}", name, position=where, anchor="center-center"))
    if gravity:
        tip = base - 0.6 * TRIAD * HALF * sizes.up
        nodes.append(_lines(scene, "/m/scale/g", np.array([(base, tip)]), theme.ink))
        where = _tuple(base + 1.5 * (tip - base))
        nodes.append(scene.add_label("/m/scale/name g", "g", position=where, anchor="center-center"))
    for k, one in enumerate(whole, start=1):
        begin = corner + 0.16 * k * HALF * near
        stop = begin + one.scale / one.most * ARROW_LENGTH * HALF * right
        node = arrow_node(scene, f"/m/scale/{one.kind}", vars(theme)[one.kind])
        node.points = np.array([(begin, stop)], dtype=np.float32)
        text = f"{one.scale:g} {one.unit}"
        nodes += [node, scene.add_label(f"/m/scale/value {k}", text, position=_tuple(stop), anchor="center-left")]
    if strain > 0.0:
        nodes += legend(scene, corner + 1.0 * HALF * right, right, strain, theme)
    return Layer(True, nodes, lambda now: None)


def _corner(sizes: Sizes) -> tuple[Array, Array, Array]:
    """The lower corner of the motion that is nearest to the left of the first view [units], the direction to the right
    there, and the one to the viewer, both level."""
    near = sizes.camera - sizes.up * float(sizes.up @ sizes.camera)
    near = near / max(float(np.linalg.norm(near)), 1e-12)
    right = np.cross(sizes.up, near)
    wide, deep = (float(np.abs(e) @ sizes.half) for e in (right, near))
    return sizes.ground - min(wide, 0.8 * HALF) * right + min(deep, HALF) * near, right, near


def _lines(scene: Any, name: str, ends: Array, color: Any) -> Any:
    return scene.add_line_segments(name, ends.astype(np.float32), linear(color), thickness=THICK)


def _tuple(x: Array) -> tuple[float, float, float]:
    a, b, c = (float(part) for part in x)
    return a, b, c
