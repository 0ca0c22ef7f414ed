"""The picture of a model in the scene of a server: layers that are shown or hidden and follow the motion.

All layers are below one node. Following a body moves that node, so the user keeps control of the camera.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from ...checks import Array
from ..picture.arrows import Arrows
from ..picture.instants import Instant
from ..picture.picture import Links, Picture
from ..picture.themes import Theme
from . import layers, marks
from .beams import beams
from .layers import Layer
from .sizes import Sizes

INNER = ("frames", "centres of mass", "points", "reaction forces")  # inside bodies, which turn translucent for them


class Drawing:
    """A picture in the scene of a server. `forces` returns the forces [N] in the joints, when they are shown,
    `contacts` the lines of contacts at a time [s]; `loads` are those of the whole motion, `strain` the largest of its
    beams, if known."""

    def __init__(
        self,
        server: Any,
        picture: Picture,
        sizes: Sizes,
        theme: Theme,
        forces: Callable[[], Array],
        contacts: Callable[[float], dict[str, Array]] | None = None,
        loads: Sequence[Arrows] = (),
        strain: float = 0.0,
    ):
        self.server, self.picture, self.model, self.sizes = server, picture, picture.model, sizes
        self.theme, self.strain = theme, strain
        self.lock = threading.RLock()
        self.followed: int | None = None
        self.now: Instant | None = None
        self.root = server.scene.add_frame("/m", show_axes=False)
        self.layers = self._layers(forces)
        if contacts is not None:
            self.layers["contacts"] = layers.contacts(server.scene, contacts, sizes, theme)
        if loads:
            self.layers["loads"] = marks.loads(server.scene, picture, sizes, theme, loads)
        self.layers["scale and axes"] = marks.scale_and_axes(
            server.scene, sizes, theme, loads, bool(picture.model.gravity.any()), strain
        )
        if len(picture.model.bodies) > 1:
            self.layers["names"] = marks.names(server.scene, picture, sizes)
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
                self.root.position = tuple(float(x) for x in -self.sizes(now.c[self.followed]))

    def show(self, label: str, on: bool) -> None:
        """Show or hide a layer."""
        with self.lock, self.server.atomic():
            layer = self.layers[label]
            if on and self.now is not None:
                layer.update(self.now)
            for node in layer.nodes:
                node.visible = on
            inside = any(self.layers[name].nodes[0].visible for name in INNER if name in self.layers)
            for node in self.layers["bodies"].nodes:
                node.opacity = 0.35 if inside else None

    def follow(self, body: int | None) -> None:
        """Keep the centre of mass of a body in the middle of the picture, or nothing (None)."""
        with self.lock:
            self.followed = body
            self.root.position = (0.0, 0.0, 0.0)
            if self.now is not None:
                self.draw(self.now)

    def _layers(self, forces: Callable[[], Array]) -> dict[str, Layer]:
        p, s, scene, theme = self.picture, self.sizes, self.server.scene, self.theme
        shapes, members = layers.bodies(scene, p, s)
        self.clickable = list(zip(shapes.nodes, members, strict=True))
        if p.beams:
            shapes = layers.together(shapes, beams(scene, p.beams, s, theme, self.strain))

        def centers(now: Instant) -> Array:
            return now.c[1:]

        def ends(links: Links) -> layers.Of:
            return lambda now: links.ends(now.x, now.R)

        def joints(now: Instant) -> Array:
            return p.joint_points.at(now.x, now.R)

        found = {"bodies": shapes, "frames": layers.frames(scene, p.reach, s)}
        size = layers.dot_size(p.reach, s)
        found["centres of mass"] = layers.dots(scene, "centers", centers, theme.ink, s, size)
        if len(p.points):
            points = layers.dots(scene, "points", lambda now: p.points.at(now.x, now.R), theme.force, s, size)
            found["points"] = points
        stretched = [layers.springs(scene, p, s, theme)] if len(p.springs) else []
        if len(p.dampers):
            stretched.append(layers.lines(scene, "dampers", ends(p.dampers), theme.rest, s))
        if stretched:
            found["springs"] = layers.together(*stretched)
        if len(p.rods):
            found["rods"] = layers.lines(scene, "rods", ends(p.rods), theme.ink, s, 1.5 * layers.THICK)
        if len(p.joints):
            pins = [layers.dots(scene, "joints", joints, theme.ink, s, size, on=True)]
            found["joints"] = layers.together(*pins, *([layers.axes(scene, p, s, theme)] if len(p.axes) else []))
        if len(p.symbols):
            found["symbols"] = layers.together(*(layers.symbols(scene, p, s, theme, still) for still in (False, True)))
        found["velocities"] = layers.arrows(scene, "velocities", centers, lambda now: now.v[1:], theme.velocity, s)
        found["angular momenta"] = layers.arrows(scene, "spins", centers, lambda now: now.l[1:], theme.torque, s)
        if len(p.joints):
            found["reaction forces"] = layers.arrows(scene, "forces", joints, lambda now: forces(), theme.force, s)
        return found
