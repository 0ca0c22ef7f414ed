"""Two poses and their products in both orders, with sliders: SE(3) does not commute.

P Q = (a_P + B_P a_Q, B_P B_Q)        Q P = (a_Q + B_Q a_P, B_Q B_P)                                     (1)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...describe.pose import Pose
from ..picture import colors
from ..picture.themes import Theme, theme_of
from .panel import on_user_change
from .server import HERE, Viewer, begin, serve
from .sizes import sizes
from .stage import Stage

START = {"P": ((0.0, 0.0, 90.0), (0.8, 0.0, 0.0)), "Q": ((90.0, 0.0, 0.0), (0.4, 0.8, 0.3))}
TINTS = {"P": colors.BLUE, "Q": colors.ORANGE, "P Q": colors.GREEN, "Q P": colors.PURPLE}


def products(P: Pose, Q: Pose) -> dict[str, Pose]:
    """Both poses and, by (1), their products.

    >>> from livens import Pose
    >>> p = products(Pose((1, 0, 0)), Pose.from_axis_angle((0, 0, 1), np.pi / 2))
    >>> p["P Q"].a.round(12).tolist(), p["Q P"].a.round(12).tolist()
    ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    """
    return {"P": P, "Q": Q, "P Q": P @ Q, "Q P": Q @ P}


def differences(P: Pose, Q: Pose) -> tuple[float, float]:
    """How far the two products are from each other: angle [degrees] and distance [m]."""
    between = (P @ Q).inverse() @ (Q @ P)
    return float(np.degrees(between.to_axis_angle()[1])), float(np.linalg.norm((P @ Q).a - (Q @ P).a))


def pose_playground(
    *,
    theme: str | None = None,
    port: int | None = None,
    host: str = HERE,
    block: bool | None = None,
    open_browser: bool | None = None,
) -> Viewer:
    """A page with sliders for two poses P and Q that shows both of them and the products P Q and Q P.

    The arguments are those of `lv.view`. Needs the extra `view`.

    >>> import livens as lv
    >>> with lv.pose_playground(block=False, open_browser=False) as page:
    ...     page.inside.poses["P Q"].a.round(3).tolist(), page.inside.poses["Q P"].a.round(3).tolist()
    ([0.0, 0.4, 0.3], [1.2, 0.8, 0.3])
    """
    look = theme_of(theme)
    with serve("poses", port, host, look) as viewer:
        viewer.inside = Playground(viewer.server, look)
    return begin(viewer, host, block, open_browser)


class Playground:
    """The page: sliders for Euler angles (zyx) and places, a frame with a coloured block for each pose."""

    def __init__(self, server: Any, theme: Theme):
        self.server = server
        room = sizes(np.full(3, -2.0), np.full(3, 2.0), np.zeros(3))  # a metre is a unit of the page
        Stage(server, room, theme)
        server.initial_camera.position = 0.55 * room.camera
        server.scene.world_axes.visible = True
        self.nodes = {name: self._node(name) for name in TINTS}
        self.sliders = {name: self._sliders(name) for name in START}
        self.text = server.gui.add_markdown("")
        self.update()

    def _node(self, name: str) -> Any:
        root = f"/m/{name.replace(' ', '')}"
        frame = self.server.scene.add_frame(root, axes_length=0.6, axes_radius=0.02)
        block = {"dimensions": (0.4, 0.25, 0.12), "color": TINTS[name], "opacity": 0.75, "position": (0.2, 0.125, 0.06)}
        self.server.scene.add_box(f"{root}/block", **block)
        self.server.scene.add_label(f"{root}/name", name)
        return frame

    def _sliders(self, name: str) -> list[Any]:
        angles, place = START[name]
        with self.server.gui.add_folder(name):
            turns = [
                self.server.gui.add_slider(f"{what} [°]", -180.0, 180.0, 1.0, angle)
                for what, angle in zip(("roll", "pitch", "yaw"), angles, strict=True)
            ]
            moves = [
                self.server.gui.add_slider(f"{axis} [m]", -2.0, 2.0, 0.01, x)
                for axis, x in zip("xyz", place, strict=True)
            ]
        for slider in [*turns, *moves]:
            on_user_change(slider, lambda _: self.update())
        return [*turns, *moves]

    def pose(self, name: str) -> Pose:
        """The pose of the sliders of P or Q."""
        roll, pitch, yaw, *place = (float(slider.value) for slider in self.sliders[name])
        return Pose.from_euler((yaw, pitch, roll), at=place)

    def update(self) -> None:
        """Draw the poses of the sliders."""
        P, Q = self.pose("P"), self.pose("Q")
        self.poses = products(P, Q)
        with self.server.atomic():
            for name, pose in self.poses.items():
                self.nodes[name].wxyz, self.nodes[name].position = pose.to_quaternion(), pose.a
            angle, distance = differences(P, Q)
            self.text.content = f"**P Q** and **Q P** are {angle:.1f}° and {distance:.2f} m apart."
