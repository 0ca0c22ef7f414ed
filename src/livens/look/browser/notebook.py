"""A motion in a notebook cell: the page of `lv.view`, which has a server, or the stand-alone page, which needs none."""

from __future__ import annotations

import weakref
from html import escape
from typing import Any

from ...record.trajectory import Trajectory
from ..page.page import page
from ..picture.view import Traces, view_of
from .playback import view
from .server import Viewer, installed

EMBEDDED = 18_000  # poses of all bodies at all times: 0.67 MB
_open: weakref.WeakKeyDictionary[Trajectory, Viewer] = weakref.WeakKeyDictionary()


class Cell:
    """A stand-alone page in a notebook: it needs no server and is part of the saved notebook."""

    def __init__(self, page: str, height: int):
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        size = f'width="100%" height="{self.height}" style="border:1px solid #ddd"'
        return f'<iframe srcdoc="{escape(self.page)}" title="the motion in 3-D" {size}></iframe>'


def embed(
    motion: Trajectory,
    height: int = 420,
    follow: bool = False,
    traces: Traces = None,
    speed: float | None = None,
    camera: Any = None,
    title: str | None = None,
    theme: str | None = None,
) -> Cell:
    """The stand-alone page of `motion` for the output of a cell, `height` pixels high and below a megabyte unless the
    surfaces are larger: of many bodies it keeps fewer times.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> top = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), body_rates=(0.1, 4, 0.1), name="top"))
    >>> cell = lv.simulate(m, h=1e-2, until=1.0).embed(height=300, speed=0.5)
    >>> cell._repr_html_()[:14]
    '<iframe srcdoc'
    """
    return Cell(page(motion, view_of(motion, camera, traces, title, speed, follow, theme), EMBEDDED), height)


def show(motion: Trajectory, height: int = 560, server: bool | None = None) -> Viewer | Cell:
    """`motion` for the output of a cell, `height` pixels high.

    server: True serves the page of `lv.view` from this machine, where the browser must run too; False embeds the
    stand-alone page, which also works in a notebook that is saved, sent or hosted elsewhere; None takes the first where
    viser is installed. Showing a motion again closes its earlier page.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> top = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), body_rates=(0.1, 4, 0.1), name="top"))
    >>> cell = lv.simulate(m, h=1e-2, until=1.0).show(server=False)
    >>> cell._repr_html_()[:14]
    '<iframe srcdoc'
    """
    if not (installed() if server is None else server):
        return embed(motion, height)
    if motion in _open:
        _open[motion].close()
    viewer = view(motion, block=False, open_browser=False)
    viewer.height = height
    _open[motion] = viewer
    return viewer
