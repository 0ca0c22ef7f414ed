"""A simulation that runs while one watches, and that one can push: lv.live(model)."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from ...checks import Array, positive
from ...describe.model import Body, Model, Point
from ...errors import ModelError
from ...kernels.arrays import State
from ...run.simulate import say_compiling
from ...step import Livens, Scheme
from ..picture.instants import instant
from ..picture.parts import bounds, parts
from ..picture.sizes import Sizes, in_words, sizes
from .charts import Charts, Memory
from .curves import curves
from .forces import Reactions
from .live_panel import add_parameters, add_run
from .loop import Loop, Moment
from .page import HERE, Viewer, begin, repeat, serve
from .panel import add_follow, add_layers, add_side, clock_text, traces_of
from .picture import Picture
from .pull import Hand
from .stage import Stage
from .stepper import Stepper

CHARTS = 0.2  # time between two looks at energies and momenta [s]


def live(
    model: Model,
    scheme: Scheme | None = None,
    *,
    h: float,
    start: State | None = None,
    t0: float = 0.0,
    speed: float | None = None,
    run: bool = True,
    trace: Sequence[Point | Body] | None = None,
    port: int | None = None,
    host: str = HERE,
    block: bool | None = None,
    open_browser: bool | None = None,
) -> Viewer:
    """Simulate `model` with steps of h [s] while it is shown in the browser: pause, step, reset, change gravity,
    springs, dampers, step and scheme, and pull bodies with a spring.

    start, t0: a state such as `motion.state` and its time [s]. speed: seconds of the motion per second of watching
    (None: real time, or faster where steps are longer than a picture). run: begin at once. The model itself is never
    changed; a controller asks for a joint whose spring is changed by its name. The other arguments are those of
    `lv.view`. Needs the extra `view`.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81), name="pendulum")
    >>> bob = m.add(lv.Body(lv.Ball(0.1, density=1000), at=(1, 0, 0), name="bob"))
    >>> _ = m.add(lv.Rod(m.world.point(0, 0, 0), bob.center))
    >>> with lv.live(m, h=1e-3, block=False, open_browser=False) as page:
    ...     page.url.startswith("http://127.0.0.1:")
    True
    """
    if not isinstance(model, Model):
        raise ModelError(f"live runs a model, not {model!r}; a motion is shown by lv.view.")
    if len(model.bodies) < 2:
        raise ModelError(f"model {model.name!r} has no bodies: there is nothing to show.")
    scheme = Livens() if scheme is None else scheme
    say_compiling(model, scheme)
    stepper = Stepper(model, scheme, h, start, t0)
    stepper.step(0)  # compiled, or loaded, before anyone looks
    loop = Loop(stepper, default_speed(h) if speed is None else positive(speed, "speed"))
    with serve(model.name, port, host) as viewer:
        viewer.inside = Page(viewer.server, loop, trace)
        viewer.stops += [repeat(viewer.inside.frame), loop.stop]
        loop.run(run)
        loop.start()
    return begin(viewer, host, block, open_browser)


def default_speed(h: float) -> float:
    """Real time for steps up to a picture's, and one step a picture for longer ones, as of planets.

    >>> default_speed(1e-3), default_speed(3600.0)
    (1.0, 108000.0)
    """
    return 1.0 if 30.0 * h <= 1.0 else 30.0 * h


def sizes_at(model: Model, x: Array, R: Array) -> Sizes:
    """Room for a motion of which only the start is known: what hangs may come as low as it reaches, and as far to every
    side as it is now or a little; what is free may move by as much as it is large."""
    these = parts(model)
    low, high = bounds(these, x[None], R[None])
    hooks = these.points.r[these.points.body == 0]
    if not len(hooks):
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        grown = np.maximum(1.5 * half, half.max())
        return sizes(middle - grown, middle + grown, model.gravity)
    middle = hooks.mean(axis=0)
    away, reach, g = x[1:] - middle, these.reach[1:], float(np.linalg.norm(model.gravity))
    far = float((np.linalg.norm(away, axis=1) + reach).max())
    up = -model.gravity / g if g > 0.0 else np.zeros(3)
    height = away @ up
    aside = float((np.linalg.norm(away - height[:, None] * up, axis=1) + reach).max())
    above, aside = max(0.3 * far, float((height + reach).max())), max(0.4 * far, aside)
    room = aside * np.sqrt(1.0 - up**2)  # of a disc across the vertical, along each axis
    low = np.minimum(low, middle - room + np.minimum(above * up, -far * up))
    high = np.maximum(high, middle + room + np.maximum(above * up, -far * up))
    return sizes(low, high, model.gravity)


class Page:
    """The page of a running simulation: it looks at the loop's latest moment, and asks the loop for changes."""

    def __init__(self, server: Any, loop: Loop, trace: Sequence[Point | Body] | None):
        self.server, self.loop = server, loop
        model, first = loop.stepper.base, loop.latest
        now = instant(first.begin.system, first.state, first.t)
        self.sizes = sizes_at(model, now.x, now.R)
        self.stage = Stage(server, self.sizes, len(model.bodies) - 1)
        self.picture = Picture(server, model, self.sizes, self.forces)
        self.traces = traces_of(server, self.picture, trace)
        self.memory, self.slow, self.charted = Memory(), 0.0, 0.0
        self.reactions: tuple[Any, Reactions] | None = None
        self.shown: Moment | None = None
        self.drawn: float | None = None  # the time of the last picture
        self.text = server.gui.add_html(clock_text(first.t, 10.0))
        self.run = add_run(server, loop, self.traces.forget)
        self.hand = Hand(server, loop, self.picture)
        self.numbers = add_parameters(server, loop)
        add_follow(server, self.picture)
        add_layers(server, self.stage, self.picture, self.traces, lambda: None)
        server.gui.add_markdown(f"<small>a cell of the ground is {in_words(self.sizes.cell)}</small>")
        with add_side(server).add_tab("charts"):
            self.charts = Charts(server, curves(first.motion()), np.array([first.t]), still=False)

    def forces(self) -> Array:
        """The forces in the joints at the moment that is shown."""
        moment = self.loop.latest if self.shown is None else self.shown
        motion = moment.motion()
        if self.reactions is None or self.reactions[0] is not moment.begin:
            joints = [moment.model[joint.name] for joint in self.picture.parts.joint]
            self.reactions = moment.begin, Reactions(motion, joints)
        return self.reactions[1].at(motion)

    def frame(self, wall: float) -> None:
        """One picture of the latest moment; charts and text more rarely. Where nobody looks only traces are kept."""
        moment = self.loop.latest
        moved = self.shown is None or moment.t != self.shown.t
        self.shown = moment
        now = instant(moment.begin.system, moment.state, moment.t)
        if moved:
            self.traces.add(now)
        watched = bool(self.server.get_clients())
        if watched:
            if self.drawn != moment.t:
                self.drawn = moment.t
                self.picture.draw(now)
            self.hand.draw(now)
        if wall - self.slow > 0.12:
            self.slow = wall
            with self.server.atomic():
                self.text.content = clock_text(moment.t, max(10.0, abs(moment.t)), note(moment))
                self.run.label = "pause" if moment.running else "run"
            self.numbers(moment)
            if self.traces.node.visible and watched:
                self.traces.draw()
        if moved and wall - self.charted > CHARTS:
            self.charted = wall
            all_curves = self.memory.add(moment.t, curves(moment.motion()))
            self.charts.replace(all_curves, np.array(self.memory.t))


def note(moment: Moment) -> str:
    """How the run is doing, in words."""
    if moment.message:
        return f'<span style="color:#d55e00">{escape(moment.message)}</span>'
    if not moment.running:
        return "paused"
    reach = f", up to {moment.possible:.3g} possible" if moment.possible else ""
    return f'<span id="livens-factor">real-time factor {moment.factor:.2f}</span>{reach}'
