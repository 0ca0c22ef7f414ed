"""What is drawn, in layers: each a few nodes of the scene that follow an instant with one message per node.

Bodies of one shape are one batch, whatever their number. All places pass through Sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...checks import Array
from ...describe.model import Model
from ...describe.pose import quaternions
from ...describe.tessellate import ball
from ..picture import colors
from ..picture.instants import Instant
from ..picture.meshes import coils, groups
from ..picture.parts import Parts
from ..picture.sizes import HALF, Sizes

CROWD, MANY = 10, 20_000  # so many bodies of a shape, so many triangles: the page draws distant ones with fewer
THICK = 0.012  # of lines

Color = tuple[int, int, int]
Of = Callable[[Instant], Array]


class Layer(NamedTuple):
    """What can be shown and hidden together: shown at first? its nodes, and how they follow an instant."""

    on: bool
    nodes: list[Any]
    update: Callable[[Instant], None]


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
    """Begin and end of arrows (k, 2, 3) [units of the page]; what is too short to have a direction is left out.

    >>> import numpy as np
    >>> arrow_ends(np.ones((2, 3)), np.array([[0, 0, 1.0], [0, 0, 0]])).tolist()
    [[[1.0, 1.0, 1.0], [1.0, 1.0, 2.0]]]
    """
    long = np.linalg.norm(vectors, axis=1) > shortest
    return np.stack([begin[long], begin[long] + vectors[long]], axis=1)


def ends(pair: tuple[Any, Any]) -> Of:
    """Where two lists of points are, as segments (n, 2, 3)."""
    return lambda now: np.stack([pair[0].at(now.x, now.R), pair[1].at(now.x, now.R)], axis=1)


def tiny(count: int) -> float:
    """The radius of the dot that a body gets which is smaller [units of the page]: a row of `count` dots has gaps.

    >>> tiny(1), tiny(100), tiny(1000)
    (0.03, 0.012, 0.008)
    """
    return float(np.clip(0.6 * HALF / count, 0.008, 0.03))


def thickened(vertices: Array, least: float) -> Array:
    """A shape none of whose half sides along its axes is less than `least`: what is thin can be seen from far.

    >>> import numpy as np
    >>> thickened(np.array([[-1, -1e-3, 0], [1, 1e-3, 0.2]]), 0.01).round(6).tolist()
    [[-1.0, -0.01, 0.0], [1.0, 0.01, 0.2]]
    """
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    half, middle = 0.5 * (high - low), 0.5 * (high + low)
    wider = np.divide(least, half, out=np.ones(3), where=half > 0.0)
    return middle + (vertices - middle) * np.maximum(1.0, wider)


# ── the layers ──


def bodies(scene: Any, model: Model, reach: Array, sizes: Sizes) -> tuple[Layer, list[Any]]:
    """The shapes, and dots for bodies too small to see; and the numbers of the bodies in each node."""
    tint = colors.linear(colors.of_bodies(len(model.bodies) - 1))
    members: list[Any] = []
    nodes: list[Any] = []

    def add(name: str, vertices: Array, triangles: Any, k: Any) -> None:
        members.append(k)
        lod = "auto" if len(k) >= CROWD and len(k) * len(triangles) > MANY else "off"
        still, tints = _still(len(k)), tint[k - 1]
        nodes.append(scene.add_batched_meshes_simple(name, vertices, triangles, *still, batched_colors=tints, lod=lod))

    for number, group in enumerate(groups(model)):
        vertices = thickened(group.surface.vertices * sizes.scale, 0.5 * THICK)
        add(f"/m/bodies/{number}", vertices, group.surface.triangles, group.members)
    dot = ball(tiny(len(reach) - 1), sides=16)
    small = np.flatnonzero(reach * sizes.scale < tiny(len(reach) - 1))[1:]  # the world is not drawn
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


def dots(scene: Any, name: str, places: Of, color: Color, sizes: Sizes, size: float, on: bool = False) -> Layer:
    """Points as dots."""
    node = scene.add_point_cloud(
        f"/m/{name}", np.zeros((1, 3)), color, point_size=size, point_shape="circle", precision="float32"
    )

    def update(now: Instant) -> None:
        node.points = sizes(places(now))

    return Layer(on, [node], update)


def lines(scene: Any, name: str, segments: Of, color: Color, sizes: Sizes, thickness: float = THICK) -> Layer:
    """Straight lines."""
    node = scene.add_line_segments(f"/m/{name}", np.zeros((1, 2, 3)), colors.linear(color), thickness=thickness)

    def update(now: Instant) -> None:
        node.points = sizes(segments(now))

    return Layer(True, [node], update)


def springs(scene: Any, parts: Parts, sizes: Sizes) -> Layer:
    """Springs as coils, coloured by how much they are stretched compared with the most that was ever seen."""
    count = len(parts.length)
    each = coils(np.zeros((count, 3)), np.ones((count, 3)), 1.0).shape[1]
    shape = (count * each, 2, 3)
    node = scene.add_line_segments("/m/springs", np.zeros(shape), np.zeros(shape, dtype=np.uint8), thickness=THICK)
    most = 0.0

    def update(now: Instant) -> None:
        nonlocal most
        x = ends(parts.springs)(now)
        extension = np.linalg.norm(x[:, 1] - x[:, 0], axis=1) - parts.length
        most = max(most, float(np.abs(extension).max()))
        tint = colors.linear(colors.of_extension(extension, most))
        node.points = sizes(coils(x[:, 0], x[:, 1], 0.025 * HALF / sizes.scale).reshape(shape))
        node.colors = np.repeat(tint, 2 * each, axis=0).reshape(shape)

    return Layer(True, [node], update)


def axes(scene: Any, parts: Parts, sizes: Sizes) -> Layer:
    """The axes of joints."""
    half = 0.07 * HALF / sizes.scale

    def segments(now: Instant) -> Array:
        x, u = parts.axes[0].at(now.x, now.R), parts.axes[1].along(now.R)
        return np.stack([x - half * u, x + half * u], axis=1)

    return lines(scene, "axes", segments, colors.BLACK, sizes, 1.3 * THICK)


def arrows(scene: Any, name: str, places: Of, vectors: Of, color: Color, sizes: Sizes) -> Layer:
    """Vectors at places, the longest so far of a readable length."""
    gauge = Gauge()
    node = scene.add_arrows(
        f"/m/{name}", np.zeros((1, 2, 3)), colors.linear(color), shaft_radius=0.012, head_radius=0.035, head_length=0.09
    )

    def update(now: Instant) -> None:
        begin = sizes(places(now)).astype(np.float64)
        node.points = arrow_ends(begin, gauge(vectors(now))).astype(np.float32)

    return Layer(False, [node], update)


def together(*layers: Layer) -> Layer:
    """Several layers as one."""

    def update(now: Instant) -> None:
        for layer in layers:
            layer.update(now)

    return Layer(layers[0].on, [node for layer in layers for node in layer.nodes], update)


def _still(count: int) -> tuple[Array, Array]:
    """Quaternions and places to begin with."""
    return np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.zeros((count, 3))
