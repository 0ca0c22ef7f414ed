"""Draw the pictures of the README and the front page: python docs/pictures/draw.py (make pictures).

motions.gif    four demonstrations side by side, as a loop of three seconds
first.gif      the motion of the first example of the README
energy.png     energy error of lv.Livens and of a Runge–Kutta method at equal cost
"""

from __future__ import annotations

import sys
import warnings
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import livens as lv
from livens.demos import DEMOS
from livens.look.picture.view import view_of
from livens.look.plot import STYLES, drawn, thinned
from livens.look.render import pictures
from livens.look.render.files import write_film

HERE = Path(__file__).parent
SHOWN = {"gyroscope": 1.0, "four-bar": 1.0, "bricard": 1.0, "springs": 1.0}  # and their speeds
SECONDS, RATE, PANEL = 3.0, 16.0, (240, 200)


def frames(motion: lv.Trajectory, speed: float, size: tuple[int, int], count: int, **options: Any) -> list[Any]:
    """Pictures of a motion at equal times; a motion that ends earlier begins again."""
    span = float(motion.t[-1] - motion.t[0])
    times = motion.t[0] + (np.arange(count) * speed / RATE) % span
    states = [int(np.abs(motion.t - t).argmin()) for t in times]
    return list(islice(pictures(motion, states, size, view_of(motion, **options)), count))


def motions(path: Path) -> None:
    """Four demonstrations side by side."""
    count = round(SECONDS * RATE)
    panels = [frames(DEMOS[name].run(), speed, PANEL, count) for name, speed in SHOWN.items()]
    strips = [np.concatenate(row, axis=1) for row in zip(*panels, strict=True)]
    write_film(strips, count, RATE, path, path)


def first_example(path: Path) -> None:
    """The arm of the README."""
    m = lv.Model(gravity=(0, 0, -9.81), name="arm")
    arm = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    fore = m.add(lv.Body(lv.Box(0.8, 0.1, 0.1, density=1000), at=(1.4, 0, 0), name="fore"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="shoulder"))
    m.add(lv.Spherical(arm.point(0.5, 0, 0), fore.point(-0.4, 0, 0), name="elbow"))
    motion = lv.simulate(m, lv.Livens(), h=1e-3, until=10.0)
    count = round(SECONDS * RATE)
    write_film(frames(motion, 1.0, (360, 300), count, traces=[fore.point(0.4, 0, 0)]), count, RATE, path, path)


def energy(path: Path) -> None:
    """Relative energy error of a double pendulum over 200 s, with equal numbers of evaluations of the forces."""
    m = DEMOS["double-pendulum"].run().model
    until, step = 200.0, 0.005
    runs = [(lv.Livens(2), step), (lv.RungeKutta(4), 4 * step)]
    curves = []
    for scheme, h in runs:
        motion = lv.simulate(m, scheme, h=h, until=until)
        scale = max(float(motion.kinetic.max()), float(np.ptp(motion.potential)))
        curves.append((f"{scheme!r}, h = {h:g} s", motion.t, np.abs(motion.energy - motion.energy[0]) / scale + 1e-16))

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for (name, t, error), (line, color, _) in zip(curves, STYLES, strict=False):
            axes.semilogy(*thinned(t, error), linestyle=line, color=color, label=name)
        axes.set_xlabel("time [s]")
        axes.set_ylabel("energy error, relative")
        axes.set_title("double pendulum, chaotic; one evaluation of the forces per 0.005 s")
        axes.legend()

    figure = drawn(draw)
    figure.set_size_inches(6.3, 3.0)
    figure.savefig(path, dpi=110, metadata={"Software": "written by livens"})


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    motions(folder / "motions.gif")
    first_example(folder / "first.gif")
    energy(folder / "energy.png")
