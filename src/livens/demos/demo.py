"""The description of one demonstration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ..record.trajectory import Trajectory

THUMBNAIL = (320, 240)  # pixels


def _report(motion: Trajectory) -> str:
    return str(motion.report())


def _invariants(motion: Trajectory) -> Any:
    return motion.plot()


class Demo(NamedTuple):
    """One demonstration: a line of text, the function that simulates it, its figure and its text."""

    line: str
    run: Callable[[], Trajectory]
    figure: Callable[[Trajectory], Any] = _invariants
    drawn: str = "the conserved quantities over time"
    words: Callable[[Trajectory], str] = _report
    moment: float | None = None  # time of the thumbnail [s]; None: the end; negative: the figure is the thumbnail
    page: Callable[..., Any] | None = None  # serves an interactive page
    near: bool = False  # the thumbnail shows the bodies from near
    position: int = 100  # in lists of demonstrations

    def thumbnail(self, motion: Trajectory, path: Path) -> None:
        """Write a small picture of the motion, or of the figure, over one that may be there."""
        if self.moment is not None and self.moment < 0.0:
            figure = self.figure(motion)
            figure.savefig(path, dpi=THUMBNAIL[0] / figure.get_size_inches()[0])
        else:
            motion.to_png(path, t=self.moment, size=THUMBNAIL, follow=self.near, force=True)
