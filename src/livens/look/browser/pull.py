"""A spring that pulls a body to a target, which the user drags in the picture or types into a form."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..picture.colors import linear
from ..picture.instants import Instant
from .changed_model import Pull, pull_stiffness
from .drawing import Drawing
from .loop import Loop
from .panel import NAMES, on_user_change
from .sizes import HALF

NO_BODY = "none"


class PullControl:
    """Choose a body in the form or click on it; then move the target."""

    def __init__(self, server: Any, loop: Loop, drawing: Drawing):
        self.server, self.loop, self.drawing, self.sizes = server, loop, drawing, drawing.sizes
        self.bodies = {body.name: body for body in drawing.model.bodies[1:]}
        gui = server.gui
        with gui.add_folder("pull"):
            self.body = gui.add_dropdown("body", (NO_BODY, *list(self.bodies)[:NAMES]), hint="or click on it")
            self.stiffness = gui.add_number("spring [N/m]", 0.0, min=0.0)
            self.position = gui.add_vector3("target [m]", (0.0, 0.0, 0.0), step=_step(1.0 / self.sizes.scale))
        self.line = server.scene.add_line_segments(
            "/m/pull", np.zeros((1, 2, 3)), linear(drawing.theme.force), thickness=0.015, visible=False
        )
        self.target = server.scene.add_transform_controls(
            "/m/target", scale=0.3 * HALF, disable_rotations=True, depth_test=False, visible=False
        )
        on_user_change(self.body, self.hold)
        on_user_change(self.stiffness, lambda _: self._pull())
        on_user_change(self.position, self.move)
        self.target.on_update(lambda _: self.move(tuple(self.sizes.back(self.target.position).tolist()), dragged=True))
        for node, members in drawing.clickable:
            node.on_click(lambda event, members=members: self._clicked(members, event))

    def hold(self, name: str) -> None:
        """Hold a body at its centre of mass, or release it (NO_BODY)."""
        held = name != NO_BODY
        self.line.visible = self.target.visible = held
        if not held:
            self.loop.submit(lambda: self.loop.stepper.change(pull=None))
            return
        model, now = self.loop.stepper.base, self.loop.latest
        number = [body.name for body in model.bodies].index(name)
        size = 2.0 * HALF / self.sizes.scale
        reach = float(self.drawing.picture.reach[number] * self.sizes.scale)
        self.target.scale = max(0.3 * HALF, 1.7 * reach)  # its arrows are longer than the body
        self.stiffness.value = pull_stiffness(self.bodies[name], model, size, now.h)
        self.move(tuple(now.state.a[number].tolist()))
        self._pull()

    def move(self, position: Any, dragged: bool = False) -> None:
        """Bring the target to `position` [m]."""
        x, y, z = (float(c) for c in position)
        self.position.value = (x, y, z)
        if not dragged:
            self.target.position = tuple(float(c) for c in self.sizes(np.array([x, y, z])))
        self.loop.submit(lambda: self.loop.stepper.pull_to((x, y, z)))

    def draw(self, now: Instant) -> None:
        """Draw the spring."""
        pull = self.loop.stepper.wanted.pull
        if pull is not None and self.line.visible:
            number = [body.name for body in self.drawing.model.bodies].index(pull.body)
            self.line.points = self.sizes(np.array([[now.c[number], pull.target]]))

    def _pull(self) -> None:
        name, k = self.body.value, float(self.stiffness.value)
        if name == NO_BODY:
            return
        r = tuple(self.bodies[name].mass_properties.center.tolist())
        pull = Pull(name, r, self.position.value, k)
        self.loop.submit(lambda: self.loop.stepper.change(pull=pull))

    def _clicked(self, members: Any, event: Any) -> None:
        number = int(members[event.instance_index or 0])
        name = self.drawing.model.bodies[number].name
        if name in list(self.bodies)[:NAMES]:
            self.body.value = name
            self.hold(name)


def _step(size: float) -> float:
    return float(10.0 ** np.floor(np.log10(0.02 * size)))
