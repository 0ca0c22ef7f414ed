"""Controls of both recorded and running motions: the text of the clock, the layers, the body that is followed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ..picture.colors import hexadecimal
from ..picture.themes import Theme
from .drawing import Drawing
from .server import in_notebook
from .stage import Stage
from .traces import Traces

NAMES = 200  # bodies in lists of names, at most
HINTS = {
    "frames": "x red, y green, z blue",
    "points": "at which joints and forces act",
    "joints": "their points and axes",
    "velocities": "of the centres of mass; the longest so far has a fixed length",
    "angular momenta": "of each body about its centre of mass",
    "reaction forces": "on the second body of each joint",
    "traces": "paths of points",
    "fine light": "shadows, gloss, a ground that fades: slow where the browser has no graphics hardware",
}
LEGEND = {  # words, and the names of their colours in themes
    "springs": (("shortened", "short"), ("resting", "rest"), ("stretched spring", "long")),
    "velocities": (("velocity", "velocity"),),
    "angular momenta": (("angular momentum", "torque"),),
    "reaction forces": (("reaction force", "force"),),
}


def clock_text(t: float, scale: float, note: str = "") -> str:
    """The time as HTML; `scale` [s] determines the number of digits.

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
    """The number of decimals of a step."""
    return max(0, round(-float(np.floor(np.log10(step)))))


def on_user_change(field: Any, act: Callable[[Any], None]) -> None:
    """Call `act` with the value of a field or the name of a button when a user, not the program, changes it."""

    def changed(event: Any) -> None:
        if event.client is not None:
            act(event.target.value)

    # in viser buttons have on_click, other fields on_update
    (field.on_click if hasattr(field, "on_click") else field.on_update)(changed)


def add_keys(server: Any, keys: Mapping[str, tuple[str, Callable[[Any], None]]]) -> None:
    """Keys of the page: letter → what it does in words, and the function. viser has letters and digits, and no space
    bar; its list of commands (Ctrl-K) shows them."""
    for letter, (words, act) in keys.items():
        command = server.gui.add_command(words, hotkey=letter)
        command.on_trigger(act)


def add_side(server: Any) -> Any:
    """A panel on the left for charts; in the cell of a notebook, where space is small, it is minimised."""
    panel = server.gui.add_panel()
    panel.dock_left()
    panel.set_width(270)
    if in_notebook():
        panel.minimize()
    return panel


def add_follow(server: Any, drawing: Drawing) -> None:
    """Let the picture follow a body."""
    bodies = drawing.model.bodies[1 : NAMES + 1]
    choice = server.gui.add_dropdown("follow", ("nothing", *(body.name for body in bodies)))

    names = [body.name for body in bodies]
    on_user_change(choice, lambda name: drawing.follow(None if name == "nothing" else 1 + names.index(name)))


def add_layers(server: Any, stage: Stage, drawing: Drawing, traces: Traces, refresh: Callable[[], None]) -> None:
    """A checkbox for every layer."""

    def box(label: str, on: bool, act: Callable[[bool], None]) -> None:
        on_user_change(server.gui.add_checkbox(label, on, hint=HINTS.get(label)), act)

    def trace(on: bool) -> None:
        traces.node.visible = on
        refresh()

    with server.gui.add_folder("show"):
        for label, layer in drawing.layers.items():
            box(label, layer.on, partial(drawing.show, label))
        box("traces", bool(traces.node.visible), trace)
        box("fine light", stage.fine, stage.light)
        server.gui.add_html(legend(drawing.layers, drawing.theme))


def legend(layers: Iterable[str], theme: Theme) -> str:
    """A legend for those layers that have colours with a meaning.

    >>> from livens.look.picture.themes import THEMES
    >>> [("stretched" in legend(layers, THEMES["dark"])) for layers in (["bodies", "springs"], ["bodies"])]
    [True, False]
    """
    square = '<span style="color:{}">■</span> {}'
    rows = [LEGEND[label] for label in layers if label in LEGEND]
    lines = [", ".join(square.format(hexadecimal(vars(theme)[color]), word) for word, color in row) for row in rows]
    style = f"font:400 12px sans-serif;padding:4px 12px;color:{hexadecimal(theme.soft)}"
    return f'<div style="{style}">{"<br>".join(lines)}</div>'
