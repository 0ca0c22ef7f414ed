"""A motion in a notebook cell: the page of `lv.view` where viser is installed, the stand-alone page where it is not."""

from __future__ import annotations

import tempfile
import weakref
from html import escape
from pathlib import Path

from ..page import write_page
from ..trajectory import Trajectory
from .page import Viewer, installed
from .playback import view

_open: weakref.WeakKeyDictionary[Trajectory, Viewer] = weakref.WeakKeyDictionary()


class Cell:
    """The stand-alone page of a motion as a notebook shows it: it needs no server and stays in the saved notebook."""

    def __init__(self, motion: Trajectory, height: int):
        with tempfile.TemporaryDirectory() as folder:
            write_page(motion, Path(folder) / "motion.html")
            self.page = (Path(folder) / "motion.html").read_text(encoding="utf-8")
        self.height = height

    def _repr_html_(self) -> str:
        size = f'width="100%" height="{self.height}" style="border:1px solid #ddd"'
        return f'<iframe srcdoc="{escape(self.page)}" {size}></iframe>'


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
        return Cell(motion, height)
    if motion in _open:
        _open[motion].close()
    viewer = view(motion, block=False, open_browser=False)
    viewer.height = height
    _open[motion] = viewer
    return viewer
