"""A model before any run in the browser, with a slider for each coordinate of its joints: lv.view(model).

Sliders are those of independent coordinates; joints that close loops follow. A position that a loop cannot reach is not
taken, and a sentence says so.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...analysis.joint_space import JointSpace
from ...checks import Array
from ...compile.compiled import Compiled
from ...compile.states import as_record
from ...describe.model import Model
from ...describe.term import CoordinateSpring
from ...errors import ModelError
from ...record.instant import Instant as OneState
from ...record.trajectory import Trajectory
from ...step.livens import Livens
from ..picture.extent import extent
from ..picture.instants import instants
from ..picture.picture import picture_of
from ..picture.themes import theme_of
from ..picture.view import View, view_of
from .drawing import Drawing
from .panel import add_follow, add_layers, on_user_change
from .sizes import Sizes, sizes
from .stage import Stage
from .traces import Traces

MOST_SLIDERS = 60
TRIED = 12  # coordinates whose ends are tried for the size of the picture
MOVING = ("velocities", "angular momenta", "reaction forces")  # layers of a motion
FIRST = np.array([0])


def start_of(model: Model) -> Trajectory:
    """The start of a model, as a motion of one state."""
    compiled = Compiled.of(model)
    return OneState(compiled, Livens(), 1.0, 0.0, as_record(compiled.state))


class Posing:
    """The page of a model: its picture, and the sliders of its joints."""

    def __init__(self, server: Any, start: Trajectory, options: View):
        self.server, self.model = server, start.model
        self.now = start
        self.picture = picture_of(start.model, options.traces)
        self.note = ""
        try:
            self.space: JointSpace | None = JointSpace(start.compiled)
        except ModelError as error:  # such as a thin rod on a ball joint, which has no third coordinate
            self.space, self.note = None, f"Without sliders: {error}"
        self.names, self.columns = self._named()
        self.q: Array = np.zeros(0) if self.space is None else self.space.start
        self.ranges = [self._range(k) for k in self.columns]
        room = self._room()
        self.theme = theme_of(options.theme)
        self.stage = Stage(server, room, self.theme, self.picture)
        self.drawing = Drawing(server, self.picture, room, self.theme, self._no_forces)
        for name in MOVING:
            self.drawing.layers.pop(name, None)
        self.sliders: list[Any] = []
        self._controls()
        server.on_client_connect(lambda _: self.draw())
        self.draw()

    def _named(self) -> tuple[list[str], list[int]]:
        """The coordinates that have sliders: those of joints, not of free bodies."""
        if self.space is None:
            return [], []
        joints = {joint.name for joint in self.model.joints}
        found = [(name, k) for k, name in enumerate(self.space.names) if self._joint(name) in joints][:MOST_SLIDERS]
        return [name for name, _ in found], [k for _, k in found]

    def _joint(self, name: str) -> str:
        """The joint of a coordinate: its name, without the part of it."""
        return name if any(joint.name == name for joint in self.model.joints) else name.rpartition(".")[0]

    def _range(self, k: int) -> tuple[float, float]:
        """From where to where a slider goes: the limits of the joint, or half a turn, or the size of the model."""
        assert self.space is not None
        one, q = self.space.space.every[self.space.space.independent[k]], float(self.q[k])
        springs = [term for thing in self.model.things for term in thing.terms() if isinstance(term, CoordinateSpring)]
        stops = [term.limits for term in springs if term.coordinate is one.q and term.limits is not None]
        corners = extent(self.picture, *self._places(self.now))
        wide = np.pi if one.unit == "rad" else float(np.max(corners[1] - corners[0]))
        low, high = (float(x) for x in stops[0]) if stops else (q - wide, q + wide)
        low, high = max(low, q - 2.0 * wide), min(high, q + 2.0 * wide)  # limits may be far away, or infinite
        low, high = float(f"{low:.4g}"), float(f"{high:.4g}")
        return min(low, q), max(high, q, low + 1e-9)

    def _places(self, motion: Trajectory) -> tuple[Array, Array]:
        now = instants(motion, FIRST)
        return now.x, now.R

    def _room(self) -> Sizes:
        """The sizes of a box that holds the start, and the ends of the first sliders."""
        found = [self._places(self.now)]
        for (low, high), k in list(zip(self.ranges, self.columns, strict=True))[:TRIED]:
            for value in (low, high):
                q = self.q.copy()
                q[k] = value
                if (motion := self._at(q)) is not None:
                    found.append(self._places(motion))
        if self.space is not None:
            self._at(self.q)
        x, R = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        return sizes(*extent(self.picture, x, R), self.model.gravity)

    def _at(self, q: Array) -> Trajectory | None:
        """The model at the coordinates q; None where the joints cannot be satisfied."""
        assert self.space is not None
        try:
            return self.space.forward_kinematics(q)
        except ModelError as error:
            self.note = str(error)
            return None

    def _no_forces(self) -> Array:
        return np.zeros((len(self.picture.joints), 3))

    # ── the page ──

    def move(self, name: str, value: float) -> None:
        """Move a coordinate to a value; the others stay, or, in loops, follow."""
        q = self.q.copy()
        q[self.columns[self.names.index(name)]] = value
        self.note = ""
        motion = self._at(q)
        if motion is not None:
            self.q, self.now = q, motion
        else:
            self._at(self.q)
        self.draw()

    def reset(self) -> None:
        """Return to the start of the model."""
        assert self.space is not None
        self.note, self.q = "", self.space.start
        self.now = self.space.forward_kinematics(self.q)
        for slider, k in zip(self.sliders, self.columns, strict=True):
            slider.value = float(self.q[k])
        self.draw()

    def draw(self) -> None:
        """Draw the model where it is, and write its coordinates."""
        now = instants(self.now, FIRST)
        self.drawing.draw(now._replace(x=now.x[0], R=now.R[0], c=now.c[0], v=now.v[0], l=now.l[0]))
        if self.names:
            numbers = ", ".join(f"{x:.4g}" for x in self.q)
            text = f"`q = [{numbers}]`\n\n`lv.forward_kinematics(model, q).state` starts a run there."
        else:
            text = "" if self.space is None else "This model has no joint with a coordinate."
        self.text.content = f"{self.note}\n\n{text}" if self.note else text

    def _controls(self) -> None:
        gui = self.server.gui
        with gui.add_folder("joints"):
            for name, k, (low, high) in zip(self.names, self.columns, self.ranges, strict=True):
                unit = "" if self.space is None else self.space.units[k]
                slider = gui.add_slider(
                    f"{name} [{unit}]", min=low, max=high, step=(high - low) / 1000, initial_value=float(self.q[k])
                )
                on_user_change(slider, partial(self.move, name))
                self.sliders.append(slider)
            if self.names:
                on_user_change(gui.add_button("reset", color="gray", hint="to the start"), lambda _: self.reset())
            self.text = gui.add_markdown("")
        add_follow(self.server, self.drawing)
        traces = Traces(self.server, self.picture, self.drawing.sizes, self.theme)
        add_layers(self.server, self.stage, self.drawing, traces, self.draw)


def posing(server: Any, model: Model, camera: Any, title: str | None, theme: str | None) -> Posing:
    """The page of a model on a server."""
    start = start_of(model)
    options = view_of(start, camera, False, title, theme=theme)
    page = Posing(server, start, options)
    if camera is not None:
        page.stage.look_from(options.turn, options.lift)
    return page
