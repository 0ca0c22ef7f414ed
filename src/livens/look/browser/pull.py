"""A hand that pulls: a spring from a body to a target that the user drags in the picture or types into a form."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..picture import colors
from ..picture.instants import Instant
from ..picture.sizes import HALF
from .changed_model import Pull, pull_stiffness
from .loop import Loop
from .panel import NAMES, by_hand
from .picture import Picture

NOBODY = "nobody"


class Hand:
    """Choose a body in the form or click on it; then move the target."""

    def __init__(self, server: Any, loop: Loop, picture: Picture):
        self.server, self.loop, self.picture, self.sizes = server, loop, picture, picture.sizes
        self.bodies = {body.name: body for body in picture.model.bodies[1:]}
        gui = server.gui
        with gui.add_folder("pull"):
            self.who = gui.add_dropdown("body", (NOBODY, *list(self.bodies)[:NAMES]), hint="or click on it")
            self.strength = gui.add_number("spring [N/m]", 0.0, min=0.0)
            self.place = gui.add_vector3("target [m]", (0.0, 0.0, 0.0), step=_step(1.0 / self.sizes.scale))
        self.line = server.scene.add_line_segments(
            "/m/pull", np.zeros((1, 2, 3)), colors.linear(colors.VERMILION), thickness=0.015, visible=False
        )
        self.target = server.scene.add_transform_controls(
            "/m/target", scale=0.3 * HALF, disable_rotations=True, depth_test=False, visible=False
        )
        by_hand(self.who, self.take)
        by_hand(self.strength, lambda _: self._pull())
        by_hand(self.place, self.move)
        self.target.on_update(lambda _: self.move(tuple(self.sizes.back(self.target.position).tolist()), dragged=True))
        for node, members in picture.clickable:
            node.on_click(lambda event, members=members: self._clicked(members, event))

    def take(self, name: str) -> None:
        """Hold a body where its centre of mass is, or let go (NOBODY)."""
        held = name != NOBODY
        self.line.visible = self.target.visible = held
        if not held:
            self.loop.ask(lambda: self.loop.stepper.change(pull=None))
            return
        model, now = self.loop.stepper.base, self.loop.latest
        number = [body.name for body in model.bodies].index(name)
        size = 2.0 * HALF / self.sizes.scale
        reach = float(self.picture.parts.reach[number] * self.sizes.scale)
        self.target.scale = max(0.3 * HALF, 1.7 * reach)  # its arrows come out of the body
        self.strength.value = pull_stiffness(self.bodies[name], model, size, now.h)
        self.move(tuple(now.state.a[number].tolist()))
        self._pull()

    def move(self, place: Any, dragged: bool = False) -> None:
        """Bring the target to `place` [m]."""
        x, y, z = (float(c) for c in place)
        self.place.value = (x, y, z)
        if not dragged:
            self.target.position = tuple(float(c) for c in self.sizes(np.array([x, y, z])))
        self.loop.ask(lambda: self.loop.stepper.pull_to((x, y, z)))

    def draw(self, now: Instant) -> None:
        """The spring as it is."""
        pull = self.loop.stepper.wanted.pull
        if pull is not None and self.line.visible:
            number = [body.name for body in self.picture.model.bodies].index(pull.body)
            self.line.points = self.sizes(np.array([[now.c[number], pull.target]]))

    def _pull(self) -> None:
        name, k = self.who.value, float(self.strength.value)
        if name == NOBODY:
            return
        r = tuple(self.bodies[name].mass_properties.center.tolist())
        pull = Pull(name, r, self.place.value, k)
        self.loop.ask(lambda: self.loop.stepper.change(pull=pull))

    def _clicked(self, members: Any, event: Any) -> None:
        number = int(members[event.instance_index or 0])
        name = self.picture.model.bodies[number].name
        if name in list(self.bodies)[:NAMES]:
            self.who.value = name
            self.take(name)


def _step(size: float) -> float:
    return float(10.0 ** np.floor(np.log10(0.02 * size)))
