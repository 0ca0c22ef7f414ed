"""The picture: everything that is drawn of a model, in layers that are shown or hidden, moved from instant to instant.

One message per layer and frame, whatever the number of bodies: bodies of one shape are one batch. All places pass
through Sizes. Everything hangs below one node; following a body moves that node, so the camera stays the user's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..checks import Array
from ..model import Model
from ..pose import quaternions
from ..tessellate import ball
from . import colors
from .instants import Instant
from .meshes import coils, groups
from .parts import parts
from .sizes import HALF, Sizes

TINY = 0.02  # bodies smaller than this, in units of the page, get a dot of this radius
THICK = 0.012  # of lines
INNER = ("frames", "centres of mass", "points", "joints", "reaction forces")  # inside bodies: they turn translucent


class Layer(NamedTuple):
    """What can be shown and hidden together: nodes of the scene, and how they follow an instant."""

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


class Picture:
    """The model in the scene of a server. `forces`: gives the forces [N] in the joints now, when they are shown."""

    def __init__(self, server: Any, model: Model, sizes: Sizes, forces: Callable[[], Array] | None = None):
        self.server, self.model, self.sizes, self.forces = server, model, sizes, forces
        self.parts = parts(model)
        self.lock = threading.RLock()
        self.followed: int | None = None
        self.now: Instant | None = None
        self.extension = 1e-300
        server.scene.add_frame("/m", show_axes=False)
        self.layers = self._layers()
        for label, layer in self.layers.items():
            self.show(label, layer.on)

    def draw(self, now: Instant) -> None:
        """Bring all layers that are shown to the instant `now`, in one batch of messages."""
        with self.lock, self.server.atomic():
            self.now = now
            for layer in self.layers.values():
                if layer.nodes[0].visible:
                    layer.update(now)
            if self.followed is not None:
                root = self.server.scene.get_handle_by_name("/m")
                root.position = tuple(float(x) for x in -self.sizes(now.c[self.followed]))

    def show(self, label: str, on: bool) -> None:
        """Show or hide a layer."""
        with self.lock, self.server.atomic():
            layer = self.layers[label]
            for node in layer.nodes:
                node.visible = on
            if on and self.now is not None:
                layer.update(self.now)
            if label in INNER or label == "bodies":
                seen = any(
                    name in self.layers and self.layers[name].nodes[0].visible for name in INNER if name != "joints"
                )
                for node in self.layers["bodies"].nodes if "bodies" in self.layers else ():
                    node.opacity = 0.35 if seen else None

    def follow(self, body: int | None) -> None:
        """Keep the centre of mass of a body in the middle of the picture, or stand still (None)."""
        with self.lock:
            self.followed = body
            self.server.scene.get_handle_by_name("/m").position = (0.0, 0.0, 0.0)
            if self.now is not None:
                self.draw(self.now)

    # ── the layers ──

    def _layers(self) -> dict[str, Layer]:
        p, found = self.parts, {}
        if len(p.centers):
            found["bodies"] = self._bodies()
            found["frames"] = self._frames()
            found["centres of mass"] = self._dots("centers", lambda now: now.c[1:], colors.BLACK, on=False)
        if len(p.points):
            found["points"] = self._dots("points", lambda now: p.points.at(now.x, now.R), colors.VERMILION, on=False)
        if len(p.springs[0]) or len(p.dampers[0]):
            found["springs"] = self._springs()
        if len(p.rods[0]):
            found["rods"] = self._lines("rods", lambda now: _segments(p.rods, now), colors.BLACK, 1.5 * THICK)
        if len(p.joints):
            found["joints"] = self._joints()
        if len(p.centers):
            found["velocities"] = self._arrows("velocities", lambda now: now.c[1:], lambda now: now.v[1:], colors.GREEN)
            found["angular momenta"] = self._arrows(
                "spins", lambda now: now.c[1:], lambda now: now.l[1:], colors.PURPLE
            )
        if len(p.joints) and self.forces is not None:
            forces = self.forces
            found["reaction forces"] = self._arrows(
                "forces", lambda now: p.joints.at(now.x, now.R), lambda now: forces(), colors.VERMILION
            )
        return found

    def _bodies(self) -> Layer:
        scene, s = self.server.scene, self.sizes.scale
        all_groups = groups(self.model)
        tint = colors.of_bodies(len(self.model.bodies) - 1)
        small = np.flatnonzero(self.parts.reach * s < TINY)[1:]  # the world is not drawn
        members, nodes = [], []
        for number, group in enumerate(all_groups):
            members.append(group.members)
            nodes.append(
                scene.add_batched_meshes_simple(
                    f"/m/bodies/{number}",
                    group.surface.vertices * s,
                    group.surface.triangles,
                    *_still(len(group.members)),
                    batched_colors=colors.linear(tint[group.members - 1]),
                )
            )
        if len(small):
            dot = ball(TINY)
            members.append(small)
            nodes.append(
                scene.add_batched_meshes_simple(
                    "/m/bodies/dots",
                    dot.vertices,
                    dot.triangles,
                    *_still(len(small)),
                    batched_colors=colors.linear(tint[small - 1]),
                )
            )

        def update(now: Instant) -> None:
            for k, node in zip(members, nodes, strict=True):
                node.batched_wxyzs = quaternions(now.R[k]).astype(np.float32)
                node.batched_positions = self.sizes(now.c[k] if node.name.endswith("dots") else now.x[k])

        return Layer(True, nodes, update)

    def _frames(self) -> Layer:
        count = len(self.model.bodies) - 1
        reach = np.clip(self.parts.reach[1:] * self.sizes.scale, 0.05 * HALF, 0.25 * HALF)
        node = self.server.scene.add_batched_axes(
            "/m/frames", *_still(count), batched_scales=reach.astype(np.float32), axes_length=1.0, axes_radius=0.018
        )

        def update(now: Instant) -> None:
            node.batched_wxyzs = quaternions(now.R[1:]).astype(np.float32)
            node.batched_positions = self.sizes(now.x[1:])

        return Layer(False, [node], update)

    def _dots(self, name: str, places: Callable[[Instant], Array], color: tuple[int, int, int], on: bool) -> Layer:
        node = self.server.scene.add_point_cloud(
            f"/m/{name}", np.zeros((1, 3)), color, point_size=0.03, point_shape="circle", precision="float32"
        )

        def update(now: Instant) -> None:
            node.points = self.sizes(places(now))

        return Layer(on, [node], update)

    def _lines(
        self, name: str, ends: Callable[[Instant], Array], color: tuple[int, int, int], thickness: float = THICK
    ) -> Layer:
        node = self.server.scene.add_line_segments(
            f"/m/{name}", np.zeros((1, 2, 3)), colors.linear(color), thickness=thickness
        )

        def update(now: Instant) -> None:
            node.points = self.sizes(ends(now))

        return Layer(True, [node], update)

    def _springs(self) -> Layer:
        p = self.parts
        beside = (
            self._lines("dampers", lambda now: _segments(p.dampers, now), colors.GREY) if len(p.dampers[0]) else None
        )
        if not len(p.springs[0]):
            assert beside is not None
            return beside
        count = coils(np.zeros((len(p.length), 3)), np.ones((len(p.length), 3)), 1.0).shape[1]
        shape = (len(p.length) * count, 2, 3)
        node = self.server.scene.add_line_segments(
            "/m/springs", np.zeros(shape), np.zeros(shape, dtype=np.uint8), thickness=THICK
        )

        def update(now: Instant) -> None:
            ends = _segments(p.springs, now)
            extension = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) - p.length
            self.extension = max(self.extension, float(np.abs(extension).max(initial=0.0)))
            lines = coils(ends[:, 0], ends[:, 1], 0.025 * HALF / self.sizes.scale)
            tint = colors.linear(colors.of_extension(extension, self.extension))
            node.points = self.sizes(lines.reshape(-1, 2, 3))
            node.colors = np.broadcast_to(tint[:, None, None], (*lines.shape[:2], 2, 3)).reshape(-1, 2, 3).copy()
            if beside is not None:
                beside.update(now)

        return Layer(True, [node, *(beside.nodes if beside else [])], update)

    def _joints(self) -> Layer:
        p, s = self.parts, self.sizes.scale
        dots = self._dots("joints", lambda now: p.joints.at(now.x, now.R), colors.BLACK, on=True)
        if not len(p.axes[0]):
            return dots
        half = 0.07 * HALF / s

        def ends(now: Instant) -> Array:
            x, u = p.axes[0].at(now.x, now.R), p.axes[1].along(now.R)
            return np.stack([x - half * u, x + half * u], axis=1)

        axes = self._lines("axes", ends, colors.BLACK, 1.3 * THICK)

        def update(now: Instant) -> None:
            dots.update(now)
            axes.update(now)

        return Layer(True, dots.nodes + axes.nodes, update)

    def _arrows(
        self,
        name: str,
        places: Callable[[Instant], Array],
        vectors: Callable[[Instant], Array],
        color: tuple[int, int, int],
    ) -> Layer:
        gauge = Gauge()
        node = self.server.scene.add_arrows(
            f"/m/{name}",
            np.zeros((1, 2, 3)),
            colors.linear(color),
            shaft_radius=0.012,
            head_radius=0.035,
            head_length=0.09,
        )

        def update(now: Instant) -> None:
            begin = self.sizes(places(now)).astype(np.float64)
            node.points = arrows(begin, gauge(vectors(now))).astype(np.float32)

        return Layer(False, [node], update)


def arrows(begin: Array, vectors: Array, shortest: float = 1e-3) -> Array:
    """Begin and end of arrows (k, 2, 3) [units of the page]; what is too short to have a direction is left out.

    >>> import numpy as np
    >>> arrows(np.ones((2, 3)), np.array([[0, 0, 1.0], [0, 0, 0]])).tolist()
    [[[1.0, 1.0, 1.0], [1.0, 1.0, 2.0]]]
    """
    long = np.linalg.norm(vectors, axis=1) > shortest
    return np.stack([begin[long], begin[long] + vectors[long]], axis=1)


def _segments(pair: tuple[Any, Any], now: Instant) -> Array:
    return np.stack([pair[0].at(now.x, now.R), pair[1].at(now.x, now.R)], axis=1)


def _still(count: int) -> tuple[Array, Array]:
    """Quaternions and places to begin with."""
    return np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.zeros((count, 3))
