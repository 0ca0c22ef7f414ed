"""A recorded motion in the browser: lv.view(motion)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...checks import Array
from ...describe.model import Body, Point
from ...errors import ModelError
from ...record.trajectory import Trajectory
from ..picture.instants import between, chosen, instant
from ..picture.parts import bounds, parts
from ..picture.sizes import Sizes, in_words, sizes
from .charts import Charts
from .clock import Clock, watchable
from .curves import curves, thinned
from .forces import Reactions
from .page import HERE, Viewer, begin, repeat, serve
from .panel import add_follow, add_layers, add_side, by_hand, clock_text, fine, traces_of
from .picture import Picture
from .stage import Stage
from .traces import path_until

LOOKED_AT = 400  # states from which the size of a motion is found
TRACED = 1500  # states in a trace
CHARTED = 250  # states in a chart: about one for each pixel of its width


def view(
    motion: Trajectory,
    *,
    trace: Sequence[Point | Body] | None = None,
    speed: float | None = None,
    port: int | None = None,
    host: str = HERE,
    block: bool | None = None,
    open_browser: bool | None = None,
) -> Viewer:
    """Show `motion` in the browser: play, scrub, follow, and see what its bodies, springs and joints do.

    trace: points or bodies whose traces can be shown (all centres of mass if None). speed: seconds of the motion per
    second of watching (None: real time, or what makes it watchable). port: None finds a free one. host: the page can be
    seen from this machine only; "0.0.0.0" lets everyone in who can reach it. block: serve until Ctrl-C (None: yes in a
    script, no at a prompt or in a notebook). open_browser: None opens one where there is a screen. Needs the extra
    `view`.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81), name="throw")
    >>> stick = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), velocity=(1, 0, 5), body_rates=(0.1, 4, 0.1)))
    >>> with lv.view(lv.simulate(m, h=1e-2, until=1.0), block=False, open_browser=False) as page:
    ...     page.url.startswith("http://127.0.0.1:")
    True
    """
    if not isinstance(motion, Trajectory):
        raise ModelError(f"view shows a motion such as lv.simulate(…) gives, not {motion!r}; a model runs in lv.live.")
    if len(motion.model.bodies) < 2:
        raise ModelError(f"model {motion.model.name!r} has no bodies: there is nothing to show.")
    with serve(motion.model.name, port, host) as viewer:
        viewer.inside = Player(viewer.server, motion, trace, speed)
        viewer.stops.append(repeat(viewer.inside.frame))
    return begin(viewer, host, block, open_browser)


def sizes_of(motion: Trajectory, these: Any) -> Sizes:
    """How large the motion is: the box in which it stays, from some of its states."""
    some = thinned(motion, chosen(len(motion), LOOKED_AT))
    now = instant(motion.system, some.record, 0.0)
    return sizes(*bounds(these, now.x, now.R), motion.model.gravity)


class Player:
    """The page of a recorded motion: its clock, its picture, its charts and its controls."""

    def __init__(self, server: Any, motion: Trajectory, trace: Sequence[Point | Body] | None, speed: float | None):
        self.server, self.motion = server, motion
        self.clock = Clock(float(motion.t[0]), float(motion.t[-1]))
        self.clock.speed = watchable(self.clock.end - self.clock.start) if speed is None else float(speed)
        sizes = sizes_of(motion, parts(motion.model))
        self.stage = Stage(server, sizes, len(motion.model.bodies) - 1)
        self.picture = Picture(server, motion.model, sizes, self.forces)
        some = thinned(motion, chosen(len(motion), CHARTED))
        self.traces = traces_of(server, self.picture, trace)
        k = chosen(len(motion), min(self.traces.most, TRACED))
        then = instant(motion.system, thinned(motion, k).record, 0.0)
        self.path: Array = np.array([self.traces.places.at(x, R) for x, R in zip(then.x, then.R, strict=True)])
        self.path_t = motion.t[k]
        self.shown: float | None = None
        self.slow = 0.0  # wall time of the last update of slider and charts
        self.reactions: Reactions | None = None
        server.on_client_connect(lambda _: self.refresh())
        self._controls()
        with add_side(server).add_tab("charts"):
            self.charts = Charts(server, curves(some), some.t)

    def forces(self) -> Array:
        """The forces in the joints at the stored state that is shown."""
        if self.reactions is None:
            self.motion.full  # noqa: B018  compiled once
            self.reactions = Reactions(self.motion, self.picture.parts.joint)
        return self.reactions.at(thinned(self.motion, np.array([self.number()])))

    def number(self) -> int:
        """The number of the stored state at or before the time that is shown."""
        return max(0, int(np.searchsorted(self.motion.t, self.clock.t + 1e-12 * abs(self.clock.t), side="right")) - 1)

    def refresh(self) -> None:
        """Draw everything once more."""
        self.shown, self.slow = None, 0.0

    def frame(self, wall: float) -> None:
        """One picture: where the clock is, if it has moved."""
        t = self.clock.tick(wall)
        if t != self.shown and self.server.get_clients():
            self.picture.draw(between(self.motion.system, self.motion.record, self.motion.t, t))
        self._slow(wall, t)
        self.shown = t

    def _slow(self, wall: float, t: float) -> None:
        """What need not move thirty times a second."""
        if wall - self.slow < 0.12 or (t == self.shown and self.slow and self.settled):
            return
        self.settled = t == self.shown
        self.slow = wall
        with self.server.atomic():
            self.text.content = clock_text(t, self.clock.end)
            self.scrub.value = t
            self.button.label = "pause" if self.clock.playing else "play"
        self.charts.until(t)
        if self.traces.node.visible:
            self.traces.draw(path_until(self.path, self.path_t, t))

    settled = False

    # ── controls ──

    def _controls(self) -> None:
        gui, clock = self.server.gui, self.clock
        m = self.motion
        self.text = gui.add_html(clock_text(clock.t, clock.end))
        self.button = gui.add_button("play", color="blue")
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

        def hurry(value: float) -> None:
            clock.tick(time.perf_counter())
            clock.speed = max(0.0, float(value))

        by_hand(self.button, play)
        by_hand(self.scrub, seek)
        by_hand(steps, step)
        by_hand(speed, hurry)
        by_hand(loop, lambda on: setattr(clock, "loop", bool(on)))
        by_hand(reset, lambda _: seek(clock.start))
        add_follow(self.server, self.picture)
        add_layers(self.server, self.stage, self.picture, self.traces, self.refresh)
        cell = in_words(self.picture.sizes.cell)
        about = f"{m.scheme!r}, h = {m.h:.6g} s, {m.steps:,} steps; a cell of the ground is {cell}"
        gui.add_markdown(f"<small>{about}</small>")
