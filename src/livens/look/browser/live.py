"""A simulation that runs while it is shown, with controls: lv.live(model)."""

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
from ..picture.arrows import Arrows, arrows_of
from ..picture.colors import hexadecimal
from ..picture.extent import extent
from ..picture.instants import instant
from ..picture.lengths import in_words
from ..picture.picture import Picture, picture_of
from ..picture.themes import Theme, theme_of
from .charts import Charts, Memory
from .curves import curves
from .drawing import Drawing
from .forces import Reactions
from .live_panel import add_parameters, add_run
from .loop import Loop, Moment
from .panel import add_follow, add_layers, add_side, clock_text
from .pull import PullControl
from .server import HERE, Viewer, begin, repeat, serve
from .sizes import Sizes, sizes
from .stage import Stage
from .stepper import Stepper
from .traces import Traces

CHART_PERIOD = 0.2  # between two evaluations of energies and momenta [s]
AHEAD, SAMPLES = 10.0, 65  # the time [s] over which loads decide the length of arrows, and how often they are read


def live(
    model: Model,
    scheme: Scheme | None = None,
    *,
    h: float,
    start: State | None = None,
    t0: float = 0.0,
    speed: float | None = None,
    run: bool = True,
    traces: Sequence[Point | Body] | None = None,
    theme: str | None = None,
    port: int | None = None,
    host: str = HERE,
    block: bool | None = None,
    open_browser: bool | None = None,
) -> Viewer:
    """Simulate `model` with steps of h [s] while it is shown in the browser: pause, step, reset, change gravity,
    springs, dampers, step and scheme, and pull bodies with a spring.

    start, t0: a state such as `motion.state` and its time [s]. speed: seconds of the motion per second of watching
    (None: real time, or faster if a step is longer than 1/30 s). run: begin at once. The model itself is never changed.
    Controllers must refer to joints by name if their springs are changed on the page. The other arguments are those of
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
        raise ModelError(f"live runs a model, not {model!r}; lv.view shows a motion.")
    picture = picture_of(model, traces)
    scheme = Livens() if scheme is None else scheme
    say_compiling(model, scheme)
    stepper = Stepper(model, scheme, h, start, t0)
    stepper.step(0)  # compile, or load, before the page opens
    loop = Loop(stepper, default_speed(h) if speed is None else positive(speed, "speed"))
    look = theme_of(theme)
    with serve(model.name, port, host, look) as viewer:
        viewer.inside = Page(viewer.server, loop, picture, look)
        viewer.stops += [repeat(viewer.inside.frame), loop.stop]
        loop.run(run)
        loop.start()
    return begin(viewer, host, block, open_browser)


def default_speed(h: float) -> float:
    """Real time for steps up to 1/30 s; one step per frame for longer ones, such as those of planets.

    >>> default_speed(1e-3), default_speed(3600.0)
    (1.0, 108000.0)
    """
    return 1.0 if 30.0 * h <= 1.0 else 30.0 * h


def sizes_at(picture: Picture, x: Array, R: Array) -> Sizes:
    """Sizes for a motion of which only the initial state is known. A mechanism that is anchored to the world may hang
    down by its whole length, and swing to each side as far as it is now, or 0.4 of its length. A free one may move by
    its own size."""
    model, anchors = picture.model, picture.anchors.r
    low, high = extent(picture, x[None], R[None])
    if not len(anchors):
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        grown = np.maximum(1.5 * half, half.max())
        return sizes(middle - grown, middle + grown, model.gravity)
    middle = anchors.mean(axis=0)
    away, reach, g = x[1:] - middle, picture.reach[1:], float(np.linalg.norm(model.gravity))
    far = float((np.linalg.norm(away, axis=1) + reach).max())
    up = -model.gravity / g if g > 0.0 else np.zeros(3)
    height = away @ up
    aside = float((np.linalg.norm(away - height[:, None] * up, axis=1) + reach).max())
    above, aside = max(0.3 * far, float((height + reach).max())), max(0.4 * far, aside)
    room = aside * np.sqrt(1.0 - up**2)  # of a disc across the vertical, along each axis
    low = np.minimum(low, middle - room + np.minimum(above * up, -far * up))
    high = np.maximum(high, middle + room + np.maximum(above * up, -far * up))
    return sizes(low, high, model.gravity)


def coming_loads(picture: Picture, t: float, R: Array) -> list[Arrows]:
    """The loads over the next AHEAD seconds, whose largest has the full length; none if a function of time fails."""
    times = t + np.linspace(0.0, AHEAD, SAMPLES)
    try:
        return arrows_of(picture, times, np.broadcast_to(R, (SAMPLES, *R.shape)))
    except Exception:  # of the user: the loop reports it when the time has come
        return []


class Page:
    """The page of a running simulation: it shows the latest moment of the loop, and queues changes for the loop."""

    def __init__(self, server: Any, loop: Loop, picture: Picture, theme: Theme):
        self.server, self.loop, self.theme = server, loop, theme
        first = loop.latest
        now = instant(first.begin.system, first.state, first.t)
        self.sizes = sizes_at(picture, now.x, now.R)
        self.stage = Stage(server, self.sizes, theme, picture)
        self.drawing = Drawing(
            server, picture, self.sizes, theme, self.forces, loads=coming_loads(picture, first.t, now.R)
        )
        self.traces = Traces(server, picture, self.sizes, theme)
        self.memory, self.slow, self.charted = Memory(), 0.0, 0.0
        self.reactions: tuple[Any, Reactions] | None = None
        self.shown: Moment | None = None
        self.drawn: float | None = None  # the time of the last picture
        self.text = server.gui.add_html(clock_text(first.t, 10.0))
        self.run = add_run(server, loop, self.traces.forget)
        self.pull = PullControl(server, loop, self.drawing)
        self.numbers = add_parameters(server, loop)
        add_follow(server, self.drawing)
        add_layers(server, self.stage, self.drawing, self.traces, lambda: None)
        server.gui.add_markdown(f"<small>a cell of the ground is {in_words(self.sizes.cell)}</small>")
        with add_side(server).add_tab("charts"):
            self.charts = Charts(server, curves(first.motion()), np.array([first.t]), theme, still=False)

    def forces(self) -> Array:
        """The forces in the joints at the moment that is shown."""
        moment = self.loop.latest if self.shown is None else self.shown
        motion = moment.motion()
        if self.reactions is None or self.reactions[0] is not moment.begin:
            joints = [moment.model[joint.name] for joint in self.drawing.picture.joints]
            self.reactions = moment.begin, Reactions(motion, joints)
        return self.reactions[1].at(motion)

    def frame(self, wall: float) -> None:
        """Draw the latest moment; charts and text less often. Without a client only the traces are updated."""
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
                self.drawing.draw(now)
            self.pull.draw(now)
        if wall - self.slow > 0.12:
            self.slow = wall
            with self.server.atomic():
                self.text.content = clock_text(moment.t, max(10.0, abs(moment.t)), note(moment, self.theme))
                self.run.label = "pause" if moment.running else "run"
            self.numbers(moment)
            if self.traces.node.visible and watched:
                self.traces.draw()
        if moved and wall - self.charted > CHART_PERIOD:
            self.charted = wall
            all_curves = self.memory.add(moment.t, curves(moment.motion()))
            self.charts.replace(all_curves, np.array(self.memory.t))


def note(moment: Moment, theme: Theme) -> str:
    """The state of the run in words."""
    if moment.message:
        return f'<span style="color:{hexadecimal(theme.warn)}">{escape(moment.message)}</span>'
    if not moment.running:
        return "paused"
    reach = f", up to {moment.possible:.3g} possible" if moment.possible else ""
    return f'<span id="livens-factor">real-time factor {moment.factor:.2f}</span>{reach}'
