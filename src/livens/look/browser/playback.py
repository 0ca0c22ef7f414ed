"""A recorded motion in the browser, or a model with sliders for its joints: lv.view(motion), lv.view(model)."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...checks import Array
from ...describe.model import Body, Model
from ...errors import ModelError
from ...record.trajectory import Trajectory
from ..picture.arrows import arrows_of
from ..picture.beams import largest_strain
from ..picture.contacts import ContactPicture
from ..picture.extent import extent
from ..picture.instants import between, chosen, instants
from ..picture.lengths import in_words
from ..picture.phases import lasting
from ..picture.picture import Picture, picture_of
from ..picture.readings import readings
from ..picture.themes import theme_of
from ..picture.view import Traces as TraceChoice
from ..picture.view import View, view_of
from .charts import Charts
from .clock import Clock
from .curves import at_states, curves
from .drawing import Drawing
from .forces import Reactions
from .panel import NAMES, add_follow, add_keys, add_layers, add_side, clock_text, fine, on_user_change
from .posing import posing
from .server import HERE, Viewer, begin, repeat, serve
from .sizes import HALF, Sizes, sizes
from .stage import Stage
from .traces import Traces, path_until

MEASURED_STATES = 400  # from which the size of a motion is found
TRACED_STATES = 1500
CHARTED_STATES = 250  # about one for each pixel of the width of a chart
WHOLE = "the whole motion"


def view(
    motion: Trajectory | Model,
    *,
    traces: TraceChoice = None,
    camera: Any = None,
    title: str | None = None,
    speed: float | None = None,
    follow: Body | str | None = None,
    theme: str | None = None,
    port: int | None = None,
    host: str = HERE,
    block: bool | None = None,
    open_browser: bool | None = None,
) -> Viewer:
    """Show `motion` in the browser: play, scrub, follow a body, show vectors, traces and charts. A model instead of a
    motion is shown before any run, with a slider for each coordinate of its joints.

    Charts are those of the energy and the momenta, or of a body or joint, chosen from a list or by a click on the body.
    traces: points or bodies that leave traces, shown at once; True: all centres of mass (None: the same, when they are
    switched on). camera and title as in `motion.to_html`. speed: seconds of the motion per second of watching (None:
    real time, or ten seconds in all if that is too short or too long). follow: a body. theme: "light" (None) or "dark".
    port: None finds a free one. host: the default serves this machine only; "0.0.0.0" serves everyone who can reach it.
    block: serve until Ctrl-C (None: yes in a script, no at a prompt or in a notebook). open_browser: None opens one if
    there is a screen.
    Needs the extra `view`.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81), name="throw")
    >>> stick = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), velocity=(1, 0, 5), body_rates=(0.1, 4, 0.1)))
    >>> with lv.view(lv.simulate(m, h=1e-2, until=1.0), block=False, open_browser=False) as page:
    ...     page.url.startswith("http://127.0.0.1:")
    True
    >>> with lv.view(m, block=False, open_browser=False) as page:
    ...     page.inside.names
    []
    """
    if isinstance(motion, Model):
        with serve(motion.name if title is None else title, port, host, theme_of(theme)) as viewer:
            viewer.inside = page = posing(viewer.server, motion, camera, title, theme)
            if follow is not None:
                page.drawing.follow(page.now._number(follow))
        return begin(viewer, host, block, open_browser)
    if not isinstance(motion, Trajectory):
        raise ModelError(f"view shows a model, or a motion such as lv.simulate(…) gives, not {motion!r}.")
    options = view_of(motion, camera, True if traces is None else traces, title, speed, theme=theme)
    picture = picture_of(lasting(motion), options.traces)
    with serve(options.title, port, host, theme_of(theme)) as viewer:
        viewer.inside = player = Player(
            viewer.server, motion, picture, options, traced=traces is not None and bool(traces)
        )
        if camera is not None:
            player.stage.look_from(options.turn, options.lift)
        if follow is not None:
            player.drawing.follow(motion._number(follow))
        player.clock.play(True, time.perf_counter())
        viewer.stops.append(repeat(viewer.inside.frame))
    return begin(viewer, host, block, open_browser)


def sizes_of(motion: Trajectory, picture: Picture) -> Sizes:
    """The sizes of the box that holds the motion, from some of its states."""
    now = instants(motion, chosen(len(motion), MEASURED_STATES))
    return sizes(*extent(picture, now.x, now.R), motion.model.gravity)


class Player:
    """The page of a recorded motion: its clock, its picture, its charts and its controls."""

    def __init__(self, server: Any, motion: Trajectory, picture: Picture, options: View, traced: bool):
        self.server, self.motion = server, motion
        self.clock = Clock(float(motion.t[0]), float(motion.t[-1]))
        self.clock.speed = options.speed
        sizes = sizes_of(motion, picture)
        theme = theme_of(options.theme)
        self.stage = Stage(server, sizes, theme, picture)
        touch = ContactPicture(motion, HALF / sizes.scale)
        k = chosen(len(motion), CHARTED_STATES)
        self.some = at_states(motion, k)
        then = instants(motion, k)
        loads, strain = arrows_of(picture, motion.t[k], then.R), largest_strain(picture.beams, then.x, then.R)
        near = touch.near if touch.exists else None
        self.drawing = Drawing(server, picture, sizes, theme, self.forces, near, loads, strain)
        self.traces = Traces(server, picture, sizes, theme)
        self.traces.node.visible = traced
        k = chosen(len(motion), min(self.traces.most, TRACED_STATES))
        then = instants(motion, k)
        self.path: Array = picture.traces.at(then.x, then.R)
        self.path_t = motion.t[k]
        self.shown: float | None = None
        self.slow = 0.0  # wall time of the last update of slider and charts
        self.reactions: Reactions | None = None
        server.on_client_connect(lambda _: self.refresh())
        self._controls()
        with add_side(server).add_tab("charts"):
            self._chart_list()
            self.charts = Charts(server, curves(self.some), self.some.t, theme)

    def forces(self) -> Array:
        """The forces in the joints at the stored state that is shown."""
        now = at_states(self.motion, np.array([self.number()]))
        if (
            self.reactions is None or self.reactions.compiled is not now.compiled
        ):  # the first time, and in another phase
            now.full  # noqa: B018  compiled once
            self.reactions = Reactions(now, self.drawing.picture.joints)
        return self.reactions.at(now)

    def number(self) -> int:
        """The number of the stored state at or before the time that is shown."""
        return max(0, int(np.searchsorted(self.motion.t, self.clock.t + 1e-12 * abs(self.clock.t), side="right")) - 1)

    def refresh(self) -> None:
        """Let the next frame draw everything."""
        self.shown, self.slow = None, 0.0

    def frame(self, wall: float) -> None:
        """Draw the time of the clock, if it has changed."""
        t = self.clock.tick(wall)
        if t != self.shown and self.server.get_clients():
            self.drawing.draw(between(self.motion.system, self.motion.record, self.motion.t, t))
        self._slow(wall, t)
        self.shown = t

    def _slow(self, wall: float, t: float) -> None:
        """Update text, slider, charts and traces, less often than the picture."""
        if wall - self.slow < 0.12 or (t == self.shown and self.slow and self.settled):
            return
        self.settled = t == self.shown
        self.slow = wall
        with self.server.atomic():
            self.text.content = clock_text(t, self.clock.end)
            self.scrub.value = t
            self.button.label = "pause" if self.clock.playing else "play"
        self.charts.at(t)
        if self.traces.node.visible:
            self.traces.draw(path_until(self.path, self.path_t, t))

    settled = False

    # ── charts ──

    def _chart_list(self) -> None:
        """A list of what the charts show: the whole motion, a joint or a body; a click on a body chooses it, too."""
        model = self.drawing.picture.model
        self.things: dict[str, Any] = {WHOLE: None}
        self.things |= {f"{joint.name} ({type(joint).__name__})": joint for joint in model.joints[:NAMES]}
        self.things |= {body.name: body for body in model.bodies[1 : NAMES + 1]}
        self.list = self.server.gui.add_dropdown("charts of", tuple(self.things), hint="or click on a body")
        on_user_change(self.list, self.chart)
        names = [body.name for body in model.bodies]
        for node, members in self.drawing.clickable:
            node.on_click(lambda event, members=members: self.chart(names[int(members[event.instance_index or 0])]))

    def chart(self, name: str) -> None:
        """Show the charts of a thing of the list."""
        thing = self.things.get(name)
        self.list.value = name if name in self.things else WHOLE
        self.charts.show(curves(self.some) if thing is None else readings(self.some, thing))
        self.refresh()

    # ── controls ──

    def _controls(self) -> None:
        gui, clock = self.server.gui, self.clock
        m = self.motion
        self.text = gui.add_html(clock_text(clock.t, clock.end))
        self.button = gui.add_button("play", color="blue", hint="key P")
        end = max(clock.end, clock.start + 1e-9)
        self.scrub = gui.add_slider(
            "time [s]", min=clock.start, max=end, step=(end - clock.start) / 1000, initial_value=clock.t
        )
        steps = gui.add_button_group("step", ("−10", "−1", "+1", "+10"), hint="stored states back or on")
        speed = gui.add_number(
            "speed", clock.speed, min=0.0, step=fine(clock.speed), hint="seconds of the motion per second"
        )
        loop = gui.add_checkbox("loop", clock.loop)
        reset = gui.add_button("reset", hint="back to the start", color="gray")

        def play(_: Any) -> None:
            clock.play(not clock.playing, time.perf_counter())
            self.refresh()

        def seek(t: float) -> None:
            clock.seek(float(t), time.perf_counter())
            self.refresh()

        def step(name: str) -> None:
            k = self.number() + int(name.replace("−", "-"))
            seek(m.t[int(np.clip(k, 0, len(m) - 1))])

        def set_speed(value: float) -> None:
            clock.tick(time.perf_counter())
            clock.speed = max(0.0, float(value))

        on_user_change(self.button, play)
        add_keys(self.server, {"P": ("play or pause", play), "R": ("to the start", lambda _: seek(clock.start))})
        on_user_change(self.scrub, seek)
        on_user_change(steps, step)
        on_user_change(speed, set_speed)
        on_user_change(loop, lambda on: setattr(clock, "loop", bool(on)))
        on_user_change(reset, lambda _: seek(clock.start))
        add_follow(self.server, self.drawing)
        add_layers(self.server, self.stage, self.drawing, self.traces, self.refresh)
        cell = in_words(self.drawing.sizes.cell)
        about = f"{m.scheme!r}, h = {m.h:.6g} s, {m.steps:,} steps; a cell of the ground is {cell}"
        gui.add_markdown(f"<small>{about}</small>")
