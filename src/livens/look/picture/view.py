"""How a motion is shown, the same for page, picture and film: camera, traces, title, speed, follow, theme.

The camera looks from the direction d, a unit vector from the motion to the eye. In axes whose z is up its angles are

    turn = atan2(d₂, d₁),        lift = asin d₃                                                              (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...checks import direction, positive
from ...describe.model import Body, Point
from ...errors import ModelError
from ...record.trajectory import Trajectory
from .beams import traced_bodies
from .extent import LIFT, TURN, upright
from .themes import theme_of

CAMERAS = {  # turn and lift [rad]
    "corner": (TURN, LIFT),
    "front": (-np.pi / 2, 0.0),
    "back": (np.pi / 2, 0.0),
    "left": (np.pi, 0.0),
    "right": (0.0, 0.0),
    "top": (-np.pi / 2, 1.5),
}
STEEP = 1.5  # largest lift [rad]: above it, the vertical has no direction on the screen
TRACED_BODIES = 50  # models with more have traces only on request
PLAY_TIME = 10.0  # for a motion that is too short or too long to watch in real time [s]
Traces = Sequence[Point | Body | str] | bool | None


@dataclass(frozen=True)
class View:
    """The checked options of a page, picture or film."""

    turn: float = TURN
    lift: float = LIFT
    traces: tuple[Point | Body, ...] = ()
    title: str = ""
    speed: float = 1.0
    follow: bool = False
    theme: str | None = None  # "light" or "dark"; None: pages as the system of the reader, others light


def view_of(
    motion: Trajectory,
    camera: Any = None,
    traces: Traces = None,
    title: str | None = None,
    speed: float | None = None,
    follow: bool = False,
    theme: str | None = None,
) -> View:
    """The options of a view, or an error.

    camera: "corner" (the default), "front", "back", "left", "right", "top", or the direction from the motion to the
    eye, three numbers in world axes. traces: points, and bodies or their names, that leave traces; True: all centres of
    mass, of beams and cables that of the last body; None: the same for at most 50 bodies; False: none. title: left out,
    the name of the model. speed: of the playback relative to real time; left out, real time, or ten seconds in all if
    that is too short or too long. follow: the camera moves with the bodies. theme: "light" or "dark" (themes.py); left
    out, light, and pages as the system of the reader.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, -9.81, 0), name="fall")
    >>> ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0)))
    >>> view = view_of(lv.simulate(m, h=1e-3, until=0.01), camera=(0, 1, 1))
    >>> round(view.lift, 6), view.title, view.speed  # y is up
    (0.785398, 'fall', 0.001)
    """
    turn, lift = _angles(motion, camera)
    bodies = traced_bodies(motion.model)
    if traces is None:
        traces = len(bodies) <= TRACED_BODIES
    chosen = (tuple(bodies) if traces else ()) if isinstance(traces, bool) else _points(motion, traces)
    if title is not None and not isinstance(title, str):
        raise ModelError(f"title must be text, not {title!r}.")
    duration = float(motion.t[-1] - motion.t[0])
    pace = watchable(duration) if speed is None else positive(speed, "speed of the playback")
    return View(
        turn,
        lift,
        chosen,
        motion.model.name if title is None else title,
        pace,
        bool(follow),
        None if theme is None else theme_of(theme).name,
    )


def watchable(duration: float) -> float:
    """The speed at which a motion of `duration` [s] is shown: real time if that takes 0.5 s to 2 min.

    >>> watchable(5.0), watchable(2.4e6), watchable(0.01)
    (1.0, 240000.0, 0.001)
    """
    return 1.0 if 0.5 <= duration <= 120.0 or duration <= 0.0 else float(f"{duration / PLAY_TIME:.2g}")


def _angles(motion: Trajectory, camera: Any) -> tuple[float, float]:
    """Equation (1)."""
    if camera is None:
        return TURN, LIFT
    if isinstance(camera, str):
        if camera not in CAMERAS:
            raise ModelError(
                f"there is no camera {camera!r}; there is {', '.join(CAMERAS)}, or give the direction to the eye."
            )
        return CAMERAS[camera]
    d = upright(motion.model.gravity) @ direction(camera, "direction of the camera")
    lift = float(np.clip(np.arcsin(np.clip(d[2], -1.0, 1.0)), -STEEP, STEEP))
    return (float(np.arctan2(d[1], d[0])) if np.hypot(d[0], d[1]) > 1e-9 else -np.pi / 2), lift


def _points(motion: Trajectory, traces: Any) -> tuple[Point | Body, ...]:
    if isinstance(traces, Sequence) and not isinstance(traces, str):
        found = tuple(motion.model.find(one) if isinstance(one, str) else one for one in traces)
        if all(isinstance(one, Point | Body) for one in found):
            return found
    raise ModelError(f"traces must be points and bodies in a list, True or False, not {traces!r}.")
