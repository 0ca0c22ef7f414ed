"""The layers of the scene: each has a few nodes, which an instant updates with one message per node.

Bodies of one shape are one batch, whatever their number. All positions are scaled by Sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...checks import Array
from ...describe.pose import quaternions
from ...describe.tessellate import ball
from ..picture import colors
from ..picture.coils import RADIUS, coils, profile
from ..picture.instants import Instant
from ..picture.picture import AXIS, Picture
from ..picture.symbols import SYMBOL_SIZE
from ..picture.themes import Theme
from .sizes import HALF, Sizes

BATCH_BODIES, BATCH_TRIANGLES = 10, 20_000  # from so many bodies and triangles of a shape, distant ones are simplified
THICK = 0.012  # of lines

Color = tuple[int, int, int]
Of = Callable[[Instant], Array]


class Layer(NamedTuple):
    """Nodes that are shown and hidden together."""

    on: bool  # shown at first
    nodes: list[Any]
    update: Callable[[Instant], None]  # brings the nodes to an instant


class Gauge:
    """Arrows of a readable length: the longest so far has `length` units of the page."""

    def __init__(self, length: float = 0.3 * HALF):
        self.length, self.most = length, 0.0

    def __call__(self, vectors: Array) -> Array:
        """The vectors scaled.

        >>> import numpy as np
        >>> gauge = Gauge(1.0)
        >>> gauge(np.array([[2.0, 0, 0]])).tolist(), gauge(np.array([[1.0, 0, 0]])).tolist()
        ([[1.0, 0.0, 0.0]], [[0.5, 0.0, 0.0]])
        """
        longest = float(np.linalg.norm(vectors, axis=1).max(initial=0.0))
        self.most = max(self.most, longest if np.isfinite(longest) else 0.0)
        return vectors * (self.length / self.most if self.most > 0.0 else 0.0)


def arrow_ends(begin: Array, vectors: Array, shortest: float = 1e-3) -> Array:
    """Begin and end of arrows (k, 2, 3) [units of the page]; vectors too short to have a direction are left out.

    >>> import numpy as np
    >>> arrow_ends(np.ones((2, 3)), np.array([[0, 0, 1.0], [0, 0, 0]])).tolist()
    [[[1.0, 1.0, 1.0], [1.0, 1.0, 2.0]]]
    """
    long = np.linalg.norm(vectors, axis=1) > shortest
    return np.stack([begin[long], begin[long] + vectors[long]], axis=1)


def tiny(count: int) -> float:
    """The radius of the dot that replaces a smaller body [units of the page]: a row of `count` dots has gaps.

    >>> tiny(1), tiny(100), tiny(1000)
    (0.03, 0.012, 0.008)
    """
    return float(np.clip(0.6 * HALF / count, 0.008, 0.03))


def thickened(vertices: Array, least: float) -> Array:
    """The shape, widened so that half its extent along each axis is at least `least`: thin bodies stay visible.

    >>> import numpy as np
    >>> thickened(np.array([[-1, -1e-3, 0], [1, 1e-3, 0.2]]), 0.01).round(6).tolist()
    [[-1.0, -0.01, 0.0], [1.0, 0.01, 0.2]]
    """
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    half, middle = 0.5 * (high - low), 0.5 * (high + low)
    wider = np.divide(least, half, out=np.ones(3), where=half > 0.0)
    return middle + (vertices - middle) * np.maximum(1.0, wider)


# ── the layers ──


def bodies(scene: Any, picture: Picture, sizes: Sizes) -> tuple[Layer, list[Any]]:
    """The shapes, and dots for bodies too small to see; and the numbers of the bodies in each node."""
    tint, reach = colors.linear(picture.colors), picture.reach
    members: list[Any] = []
    nodes: list[Any] = []

    def add(name: str, vertices: Array, triangles: Any, k: Any) -> None:
        members.append(k)
        lod = "auto" if len(k) >= BATCH_BODIES and len(k) * len(triangles) > BATCH_TRIANGLES else "off"
        still, tints = _still(len(k)), tint[k]
        nodes.append(scene.add_batched_meshes_simple(name, vertices, triangles, *still, batched_colors=tints, lod=lod))

    for number, shape in enumerate(shape for shape in picture.shapes if not shape.is_point):
        shown = shape.members[~picture.covered[shape.members]]
        if len(shown):
            vertices = thickened(shape.mesh.vertices * sizes.scale, 0.5 * THICK)
            add(f"/m/bodies/{number}", vertices, shape.mesh.triangles, shown)
    dot = ball(tiny(len(reach) - 1), sides=16)
    small = np.flatnonzero((reach * sizes.scale < tiny(len(reach) - 1)) & ~picture.covered)[1:]  # not the world
    if len(small):
        add("/m/bodies/dots", dot.vertices, dot.triangles, small)

    def update(now: Instant) -> None:
        for k, node in zip(members, nodes, strict=True):
            node.batched_wxyzs = quaternions(now.R[k]).astype(np.float32)
            node.batched_positions = sizes(now.c[k] if node.name.endswith("dots") else now.x[k])

    return Layer(True, nodes, update), members


def frames(scene: Any, reach: Array, sizes: Sizes) -> Layer:
    """The axes of the body frames: x red, y green, z blue."""
    length = np.clip(reach[1:] * sizes.scale, 0.05 * HALF, 0.25 * HALF).astype(np.float32)
    still = _still(len(length))
    node = scene.add_batched_axes("/m/frames", *still, batched_scales=length, axes_length=1.0, axes_radius=0.018)

    def update(now: Instant) -> None:
        node.batched_wxyzs = quaternions(now.R[1:]).astype(np.float32)
        node.batched_positions = sizes(now.x[1:])

    return Layer(False, [node], update)


def dot_size(reach: Array, sizes: Sizes) -> float:
    """The size of dots [units of the page]: small beside the bodies, never too small to see."""
    return float(np.clip(0.05 * np.median(reach[1:]) * sizes.scale, 0.008, 0.03))


def dots(scene: Any, name: str, positions: Of, color: Color, sizes: Sizes, size: float, on: bool = False) -> Layer:
    """Points as dots."""
    node = scene.add_point_cloud(
        f"/m/{name}", np.zeros((1, 3)), color, point_size=size, point_shape="circle", precision="float32"
    )

    def update(now: Instant) -> None:
        node.points = sizes(positions(now))

    return Layer(on, [node], update)


def lines(scene: Any, name: str, segments: Of, color: Color, sizes: Sizes, thickness: float = THICK) -> Layer:
    """Straight lines."""
    node = scene.add_line_segments(f"/m/{name}", np.zeros((1, 2, 3)), colors.linear(color), thickness=thickness)

    def update(now: Instant) -> None:
        node.points = sizes(segments(now))

    return Layer(True, [node], update)


def springs(scene: Any, picture: Picture, sizes: Sizes, theme: Theme) -> Layer:
    """Springs as coils, coloured by their extension in comparison with the largest so far."""
    coil = profile(len(picture.springs))
    each = len(coil) - 1
    shape = (len(picture.springs) * each, 2, 3)
    node = scene.add_line_segments("/m/springs", np.zeros(shape), np.zeros(shape, dtype=np.uint8), thickness=THICK)
    most = 0.0

    def update(now: Instant) -> None:
        nonlocal most
        ends = picture.springs.ends(now.x, now.R)
        extension = picture.springs.extension(ends)
        most = max(most, float(np.abs(extension).max()))
        tint = colors.linear(colors.of_extension(extension, most, theme.short, theme.rest, theme.long))
        x = coils(ends, coil, RADIUS * HALF / sizes.scale)
        node.points = sizes(np.stack([x[:, :-1], x[:, 1:]], axis=2).reshape(shape))
        node.colors = np.repeat(tint, 2 * each, axis=0).reshape(shape)

    return Layer(True, [node], update)


def axes(scene: Any, picture: Picture, sizes: Sizes, theme: Theme) -> Layer:
    """The axes of joints."""
    half = picture.shrink(HALF / sizes.scale) * AXIS * HALF / sizes.scale
    return lines(scene, "axes", lambda now: picture.axes.ends(now.x, now.R, half), theme.ink, sizes, 1.3 * THICK)


def symbols(scene: Any, picture: Picture, sizes: Sizes, theme: Theme, still: bool) -> Layer:
    """Joints by their type, or, if `still`, the ground and the base link."""
    mine = np.isin(np.array(picture.symbols.kinds, dtype=object), ("ground", "base"))[picture.symbols.owner] == still
    size = picture.shrink(HALF / sizes.scale) * SYMBOL_SIZE * HALF / sizes.scale

    def pieces(now: Instant) -> Array:
        return picture.symbols.ends(now.x, now.R, size)[mine]

    color, thick = (theme.ground, 0.6 * THICK) if still else (theme.ink, 0.7 * THICK)
    return lines(scene, "ground symbols" if still else "symbols", pieces, color, sizes, thick)


def arrows(scene: Any, name: str, positions: Of, vectors: Of, color: Color, sizes: Sizes) -> Layer:
    """Vectors at positions; the longest so far has a readable length."""
    gauge = Gauge()
    node = scene.add_arrows(
        f"/m/{name}", np.zeros((1, 2, 3)), colors.linear(color), shaft_radius=0.012, head_radius=0.035, head_length=0.09
    )

    def update(now: Instant) -> None:
        begin = sizes(positions(now)).astype(np.float64)
        node.points = arrow_ends(begin, gauge(vectors(now))).astype(np.float32)

    return Layer(False, [node], update)


def contacts(scene: Any, lines_at: Callable[[float], dict[str, Array]], sizes: Sizes, theme: Theme) -> Layer:
    """Normals, forces and friction cones of contacts: `lines_at` gives their ends [m] by kind at a time [s]."""
    tints = {"normal": theme.ink, "force": theme.force, "cone": theme.ground}
    nodes = {
        kind: scene.add_line_segments(f"/m/contacts/{kind}", np.zeros((1, 2, 3)), colors.linear(tint), thickness=THICK)
        for kind, tint in tints.items()
    }

    def update(now: Instant) -> None:
        for kind, ends in lines_at(now.t).items():
            nodes[kind].points = sizes(ends if len(ends) else np.zeros((1, 2, 3)))

    return Layer(False, list(nodes.values()), update)


def together(*layers: Layer) -> Layer:
    """Several layers as one."""

    def update(now: Instant) -> None:
        for layer in layers:
            layer.update(now)

    return Layer(layers[0].on, [node for layer in layers for node in layer.nodes], update)


def _still(count: int) -> tuple[Array, Array]:
    """Quaternions and positions of bodies that have not been moved yet."""
    return np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.zeros((count, 3))
