"""What a motion can be shown as and written to: figures, pages, pictures, films, files.

These methods of a Trajectory import the packages that do the work when they are called. `camera`, `traces`, `title`,
`speed`, `follow` and `theme` mean the same in all of them (look/picture/view.py).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ..describe.model import Body, Point
from ..errors import LivensError

if TYPE_CHECKING:
    import xarray

    from .trajectory import Trajectory

Name = str | os.PathLike[str]  # of a file
Camera = str | ArrayLike | None
Traces = Sequence[Point | Body | str] | bool | None


class Showing:
    """Methods of a motion (trajectory.py) that show it or write it to a file."""

    def at(self: Any, t: ArrayLike) -> Trajectory:
        """The motion at any times t [s] between its first and its last: a number, or several.

        The scheme takes a step of the missing length from the stored state before: the result has the order of the
        scheme, satisfies the joints, and at a stored time is the stored state.
        """
        from ..run.dense import at

        return at(self, t)

    def plot(
        self: Any,
        kind: Name | None = None,
        *what: Any,
        path: Name | None = None,
        force: bool = False,
    ) -> Any:
        """Draw the motion with matplotlib; write the figure to `path` if given, and return it.

        `kind` is "invariants" (the default), "energy", "phase", "polhode", "trajectory", "reactions", or a quantity
        against time: "coordinate", "rate" or "effort" of joints, "position", "velocity" or "acceleration" of bodies and
        points. `what` names the joints, bodies or points; by default all of them, or the first ones.
        """
        from ..look.plot import plot

        return plot(self, kind, *what, path=path, force=force)

    def to_html(
        self: Any,
        path: Name,
        traces: Traces = None,
        camera: Camera = None,
        title: str | None = None,
        speed: float | None = None,
        follow: bool = False,
        force: bool = False,
        theme: str | None = None,
    ) -> None:
        """Write the motion as one HTML page that plays it in 3-D in any browser, without a network.

        traces: points and bodies that leave traces; True: all centres of mass, False: none (None: all, of at most 50
        bodies). camera: "corner", "front", "back", "left", "right", "top", or the direction to the eye in world axes.
        title: left out, the name of the model. speed: of the playback relative to real time. follow: the camera moves
        with the centre of mass. theme: "light" or "dark"; left out, that of the reader's system.
        """
        from ..look.page.page import write_page

        write_page(self, path, follow, traces, camera, title, speed, force, theme)

    def to_png(
        self: Any,
        path: Name,
        t: float | None = None,
        size: tuple[int, int] = (960, 720),
        follow: bool = False,
        traces: Traces = None,
        camera: Camera = None,
        title: str | None = None,
        contacts: bool = False,
        force: bool = False,
        theme: str | None = None,
    ) -> None:
        """Write a picture of the bodies at `t` [s] (default: the end) as PNG; with `follow` the camera is near the
        bodies, with `contacts` it shows normals, forces and friction cones of contacts. traces, camera and title as in
        `to_html`; theme: "light" (None) or "dark"."""
        from ..look.render import write_png

        write_png(self, path, t, size, follow, traces, camera, title, contacts, force, theme)

    def to_video(
        self: Any,
        path: Name,
        speed: float | None = None,
        rate: float = 30.0,
        size: tuple[int, int] = (640, 480),
        follow: bool = False,
        traces: Traces = None,
        camera: Camera = None,
        title: str | None = None,
        contacts: bool = False,
        force: bool = False,
        theme: str | None = None,
    ) -> None:
        """Write a film: mp4, webm, … through ffmpeg (extra `film`), gif through Pillow, apng without either.

        It plays at `speed` times real time with `rate` frames per second. traces, camera and title as in `to_html`,
        theme and contacts as in `to_png`.
        """
        from ..look.render import write_video

        write_video(self, path, speed, rate, size, follow, traces, camera, title, contacts, force, theme)

    def to_gltf(self: Any, path: Name, rate: float | None = None, force: bool = False) -> None:
        """Write the motion as an animated binary glTF 2.0 file (.glb) in metres, with at most `rate` poses a second."""
        from ..look.gltf import write_gltf

        write_gltf(self, path, rate, force)

    def show(self: Any, height: int = 560, server: bool | None = None) -> Any:
        """The motion for a notebook cell, `height` pixels high: the page of `lv.view` where viser is installed, else,
        or with server=False, the stand-alone page of `embed`."""
        from ..look.browser.notebook import show

        return show(self, height, server)

    def embed(
        self: Any,
        height: int = 420,
        follow: bool = False,
        traces: Traces = None,
        speed: float | None = None,
        camera: Camera = None,
        title: str | None = None,
        theme: str | None = None,
    ) -> Any:
        """The motion for a notebook cell as a page of its own, `height` pixels high, that plays without a server and
        stays in the saved notebook and in sites made of it. The other arguments are those of `to_html`."""
        from ..look.browser.notebook import embed

        return embed(self, height, follow, traces, speed, camera, title, theme)

    def _repr_html_(self: Any) -> str:
        """The player, in a notebook; the line of `repr` where there is nothing to show."""
        line = f"<p><code>{escape(repr(self))}</code></p>"
        try:
            return str(self.embed()._repr_html_()) + line
        except LivensError:
            return line

    def to_csv(self: Any, path: Name, force: bool = False) -> None:
        """Write the motion as a table: times, joint coordinates and rates, poses and velocities of the bodies, and
        energies, one column each, with units in the first row."""
        from .table import write_csv

        write_csv(self, path, force)

    def to_xarray(self: Any) -> xarray.Dataset:
        """The motion as a labelled xarray Dataset with units."""
        from .labelled_arrays import to_xarray

        return to_xarray(self)

    def save(self: Any, path: Name, force: bool = False) -> None:
        """Write the motion and its model as netCDF; the file is written completely or not at all. Here and in all
        methods that write a file, force=True replaces a file that livens did not write."""
        from .netcdf import save

        save(self, path, force)
