"""Controls that a recorded and a running motion share: the clock's text, what is shown, whom the picture follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...describe.model import Body, Point
from ..picture import colors
from ..picture.parts import traced
from .page import in_notebook
from .picture import Picture
from .stage import Stage
from .traces import Traces

NAMES = 200  # bodies offered by name, at most
HINTS = {
    "frames": "x red, y green, z blue",
    "points": "at which joints and forces act",
    "joints": "their points and axes",
    "velocities": "of the centres of mass; the longest so far has the same length always",
    "angular momenta": "of each body about its centre of mass",
    "reaction forces": "on the second body of each joint",
    "traces": "where points have been",
    "fine light": "shadows, gloss, a ground that fades: slow where the browser has no graphics hardware",
}
LEGEND = {
    "springs": (("shortened", colors.BLUE), ("resting", colors.GREY), ("stretched spring", colors.VERMILION)),
    "velocities": (("velocity", colors.GREEN),),
    "angular momenta": (("angular momentum", colors.PURPLE),),
    "reaction forces": (("reaction force", colors.VERMILION),),
}


def clock_text(t: float, scale: float, note: str = "") -> str:
    """The time as the page shows it; `scale` [s] says how many digits it needs.

    >>> clock_text(1.5, 10.0)
    '<div id="livens-clock" style="font:600 20px sans-serif;padding:2px 12px">t = 1.500 s</div>'
    """
    digits = int(np.clip(3 - np.floor(np.log10(max(abs(scale), 1e-12) / 10.0)), 0, 9))
    style = "font:600 20px sans-serif;padding:2px 12px"
    small = f'<div style="font:400 12px sans-serif">{note}</div>' if note else ""
    return f'<div id="livens-clock" style="{style}">t = {t:.{digits}f} s{small}</div>'


def fine(value: float) -> float:
    """The step of a number in a form: a hundredth of it, as a power of ten.

    >>> fine(1.0), fine(2e-4), fine(0.0)
    (0.01, 1e-06, 0.001)
    """
    return float(f"1e{round(float(np.floor(np.log10(value)))) - 2}") if value > 0.0 else 0.001


def digits(step: float) -> int:
    """How many digits behind the point a step needs."""
    return max(0, round(-float(np.floor(np.log10(step)))))


def by_hand(field: Any, act: Callable[[Any], None]) -> None:
    """Call `act` with the value of a field or with the name of a button when a user changes it, not when we do."""

    def changed(event: Any) -> None:
        if event.client is not None:
            act(event.target.value)

    (field.on_click if hasattr(field, "on_click") else field.on_update)(changed)


def traces_of(server: Any, picture: Picture, wanted: Sequence[Point | Body] | None) -> Traces:
    """The traces of the points and bodies `wanted`, or of all centres of mass."""
    bodies = picture.model.bodies
    places = traced(picture.model, bodies[1:] if wanted is None else wanted)
    return Traces(server, places, colors.of_bodies(len(bodies))[places.body - 1], picture.sizes)


def add_side(server: Any) -> Any:
    """A panel on the left for charts; in the cell of a notebook, where there is little room, it waits at the edge."""
    panel = server.gui.add_panel()
    panel.dock_left()
    panel.set_width(270)
    if in_notebook():
        panel.minimize()
    return panel


def add_follow(server: Any, picture: Picture) -> None:
    """Let the picture follow a body."""
    bodies = picture.model.bodies[1 : NAMES + 1]
    choice = server.gui.add_dropdown("follow", ("nothing", *(body.name for body in bodies)))

    names = [body.name for body in bodies]
    by_hand(choice, lambda name: picture.follow(None if name == "nothing" else 1 + names.index(name)))


def add_layers(server: Any, stage: Stage, picture: Picture, traces: Traces, refresh: Callable[[], None]) -> None:
    """A box to tick for every layer."""

    def box(label: str, on: bool, act: Callable[[bool], None]) -> None:
        by_hand(server.gui.add_checkbox(label, on, hint=HINTS.get(label)), act)

    def trace(on: bool) -> None:
        traces.node.visible = on
        refresh()

    with server.gui.add_folder("show"):
        for label, layer in picture.layers.items():
            box(label, layer.on, partial(picture.show, label))
        box("traces", False, trace)
        box("fine light", stage.fine, stage.light)
        server.gui.add_html(legend(picture.layers))


def legend(layers: Iterable[str]) -> str:
    """What the colours of those layers mean that have any.

    >>> "stretched" in legend(["bodies", "springs"]), "stretched" in legend(["bodies"])
    (True, False)
    """
    square = '<span style="color:{}">■</span> {}'
    rows = [LEGEND[label] for label in layers if label in LEGEND]
    lines = [", ".join(square.format(colors.hexadecimal(color), word) for word, color in row) for row in rows]
    return f'<div style="font:400 12px sans-serif;padding:4px 12px;color:#666">{"<br>".join(lines)}</div>'
