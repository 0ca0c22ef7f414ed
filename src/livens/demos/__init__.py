"""The demonstrations of the command line: a table of name, one line, and the function that builds and simulates it.

To add one, write a function that returns a Trajectory and give it a line in DEMOS; `livens demo` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ..record.trajectory import Trajectory
from . import bodies, loops, pendulums, poses, schemes, springs

SMALL = (320, 240)  # pixels of a thumbnail


def _report(motion: Trajectory) -> str:
    return str(motion.report())


def _invariants(motion: Trajectory) -> Any:
    return motion.plot()


class Demo(NamedTuple):
    """What a demonstration shows in a line, the function that simulates it, its figure, its words, its best moment."""

    line: str
    run: Callable[[], Trajectory]
    figure: Callable[[Trajectory], Any] = _invariants
    drawn: str = "what it conserves, drawn"
    words: Callable[[Trajectory], str] = _report
    moment: float | None = None  # time of the thumbnail [s], the end if None; the figure itself if negative
    page: Callable[..., Any] | None = None  # serves a page of its own, where someone is there to look
    near: bool = False  # the thumbnail shows the bodies from near

    def thumbnail(self, motion: Trajectory, path: Path) -> None:
        """A small picture of the motion, or of the figure where that says more."""
        if self.moment is not None and self.moment < 0.0:
            figure = self.figure(motion)
            figure.savefig(path, dpi=SMALL[0] / figure.get_size_inches()[0])
        else:
            motion.to_png(path, t=self.moment, size=SMALL, follow=self.near)


DEMOS = {
    "single-body": Demo(
        "a handle in orbit, spun about its middle axis, turns over again and again",
        bodies.turn_handle,
        lambda motion: motion.plot("polhode", "handle"),
        "its angular momentum on sphere and ellipsoid",
        moment=4.0,
    ),
    "hammer": Demo("a hammer from CAD, thrown spinning about the axis it cannot keep", bodies.throw_hammer, moment=1.3),
    "heavy-top": Demo(
        "a fast heavy top on a ball joint, which falls aside, rises again and walks around",
        bodies.spin_top,
        lambda motion: motion.plot("trajectory", motion.model["top"].center),
        "the path of its centre of mass",
        moment=0.46,
    ),
    "springs": Demo(
        "a plank on two springs and a ball on a third: energy wanders, none is lost",
        springs.hang_plank,
        lambda motion: motion.plot("energy"),
        "where the energy is",
        moment=1.1,
    ),
    "net": Demo(
        "a net of balls and springs with a heavy ball in its middle",
        springs.drop_net,
        lambda motion: motion.plot("energy"),
        "where the energy is",
        moment=0.35,
    ),
    "double-pendulum": Demo(
        "two bars on hinges, tame at first, then over the top",
        pendulums.swing_two,
        lambda motion: motion.plot("trajectory", *pendulums.ends(motion.model)),
        "the paths of elbow and tip",
        moment=0.62,
    ),
    "chain": Demo(
        "a chain let go at one end, whose tip outruns free fall",
        pendulums.drop_chain,
        lambda motion: motion.plot("trajectory", *pendulums.ends(motion.model)[-2:]),
        "the paths of its last two links",
        moment=0.8,
    ),
    "four-bar": Demo(
        "a parallelogram of bars that passes through its singular position",
        loops.turn_four_bar,
        lambda motion: motion.plot("phase", "left foot"),
        "the crank's angle against its rate",
        moment=0.36,
    ),
    "bricard": Demo(
        "five rods and six hinges that should be stiff by counting, and move",
        loops.fold_bricard,
        lambda motion: motion.plot("trajectory", *(motion.model[f"rod{k}"].center for k in (1, 3, 5))),
        "the paths of three rods",
        moment=0.55,
    ),
    "slider-crank": Demo(
        "a crank that drives a slider through a rod in space",
        loops.turn_slider_crank,
        lambda motion: motion.plot("reactions", "ball", "guide"),
        "the forces in its joints",
        moment=0.75,
    ),
    "gyroscope": Demo(
        "a rotor in gimbals with a weight on one side, which walks around the vertical",
        loops.spin_gyroscope,
        lambda motion: motion.plot("trajectory", motion.model["rotor"].point(0.14, 0, 0)),
        "the path of the end of its axle",
        moment=0.5,
    ),
    "schemes": Demo(
        "schemes of order 2, 4 and 6, Newmark and generalised-α: what accuracy costs",
        schemes.compare,
        schemes.figure,
        "error against step and against time",
        schemes.words,
        moment=-1.0,
    ),
    "pose-playground": Demo(
        "two poses to move by hand, and their products in both orders, which differ",
        poses.place,
        poses.figure,
        "both products, step by step",
        poses.words,
        page=poses.play,
    ),
}
