"""Draw the pictures of the README and the front page: python docs/pictures/draw.py (make pictures).

motions.gif    four demonstrations side by side, as a loop of three seconds; motions-dark.gif for dark pages
first.gif      the motion of the first example of the README; first-dark.gif
joints/        one picture for each type of joint
energy.png     energy error of lv.Livens and of a Runge–Kutta method at equal cost; energy-dark.png
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.text import Text

import livens as lv
from livens.demos import DEMOS
from livens.look.picture.themes import THEMES, unit
from livens.look.picture.view import view_of
from livens.look.plot import STYLES, drawn, thinned
from livens.look.render import pictures
from livens.look.render.files import png, write_film
from livens.look.render.scene import Scene

HERE = Path(__file__).parent
SHOWN = {"gyroscope": 1.0, "four-bar": 1.0, "bricard": 1.0, "springs": 1.0}  # and their speeds
SECONDS, RATE, PANEL, JOINT, GAP = 3.0, 16.0, (214, 190), (240, 180), 8
PAGES = {"light": (255, 255, 255), "dark": (13, 17, 23)}  # colours of the pages around them


def frames(motion: lv.Trajectory, speed: float, size: tuple[int, int], count: int, **options: Any) -> list[Any]:
    """Pictures of a motion at equal times; a motion that ends earlier begins again."""
    span = float(motion.t[-1] - motion.t[0])
    times = motion.t[0] + (np.arange(count) * speed / RATE) % span
    states = [int(np.abs(motion.t - t).argmin()) for t in times]
    return list(islice(pictures(motion, states, size, view_of(motion, **options)), count))


def motions(path: Path) -> None:
    """Four demonstrations side by side."""
    count = round(SECONDS * RATE)
    runs = {name: DEMOS[name].run() for name in SHOWN}
    for theme, file in themed(path).items():
        panels = [frames(runs[name], speed, PANEL, count, theme=theme) for name, speed in SHOWN.items()]
        strips = [beside(row, PAGES[theme]) for row in zip(*panels, strict=True)]
        write_film(strips, count, RATE, file, file)


def beside(images: Sequence[Any], page: tuple[int, ...]) -> Any:
    """Images side by side, with gaps in the colour of the page."""
    gap = np.full((images[0].shape[0], GAP, 3), page, dtype=np.uint8)
    return np.concatenate([part for image in images for part in (gap, image)][1:], axis=1)


def themed(path: Path) -> dict[str, Path]:
    """The files of a picture: by theme."""
    return {"light": path, "dark": path.with_stem(f"{path.stem}-dark")}


def first_example(path: Path) -> None:
    """The arm of the README."""
    m = lv.Model(gravity=(0, 0, -9.81), name="arm")
    arm = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    fore = m.add(lv.Body(lv.Box(0.8, 0.1, 0.1, density=1000), at=(1.4, 0, 0), name="fore"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="shoulder"))
    m.add(lv.Spherical(arm.point(0.5, 0, 0), fore.point(-0.4, 0, 0), name="elbow"))
    motion = lv.simulate(m, lv.Livens(), h=1e-3, until=10.0)
    count = round(SECONDS * RATE)
    for theme, file in themed(path).items():
        film = frames(motion, 1.0, (360, 300), count, traces=[fore.point(0.4, 0, 0)], theme=theme)
        write_film(film, count, RATE, file, file)


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

    for theme, file in themed(path).items():
        figure = drawn(draw)
        figure.set_size_inches(6.3, 3.0)
        if theme == "dark":
            darken(figure)
        figure.savefig(file, dpi=110, metadata={"Software": "written by livens"})


def darken(figure: Any) -> None:
    """The colours of the dark theme; the curves keep their line styles."""
    ink, paper, curves = (unit(color) for color in (THEMES["dark"].ink, PAGES["dark"], THEMES["dark"].force))
    figure.set_facecolor(paper)
    axes = figure.axes[0]
    axes.set_facecolor(paper)
    legend = axes.get_legend()
    legend.get_frame().set_facecolor(paper)
    for text in figure.findobj(Text):
        text.set_color(ink)
    axes.tick_params(colors=ink, which="both")
    for side in axes.spines.values():
        side.set_color(ink)
    axes.grid(color=ink, alpha=0.2)
    for lines in (axes.get_lines(), legend.get_lines()):
        for line, color in zip(lines, (ink, curves), strict=True):
            line.set_color(color)


def joint_models() -> dict[str, lv.Model]:
    """A model with one joint for each type, on the world or, for gears, on two wheels."""
    found = {}

    def one(name: str, make: Any, at: Any = (0.4, 0, 0), shape: Any = None, rotation: Any = None) -> None:
        m = lv.Model(gravity=(0, 0, -9.81), name=name)
        shape = lv.Box(0.8, 0.02, 0.02, density=500) if shape is None else shape
        body = m.add(lv.Body(shape, at=at, rotation=rotation, opacity=0.6, name="body"))
        m.add(make(m.world.point(0, 0, 0), body))
        found[name] = m

    one("Revolute", lambda o, b: lv.Revolute(o, b.point_at(0, 0, 0), axis=(0, 1, 0)))
    one("Prismatic", lambda o, b: lv.Prismatic(o, b.point_at(0, 0, 0), axis=(1, 0, 0)), at=(0, 0, 0))
    one("Cylindrical", lambda o, b: lv.Cylindrical(o, b.point_at(0, 0, 0), axis=(1, 0, 0)), at=(0, 0, 0))
    one("Screw", lambda o, b: lv.Screw(o, b.point_at(0, 0, 0), axis=(1, 0, 0), pitch=0.1), at=(0, 0, 0))
    one("Spherical", lambda o, b: lv.Spherical(o, b.point_at(0, 0, 0)))
    one("Universal", lambda o, b: lv.Universal(o, b.point_at(0, 0, 0), axis_a=(0, 1, 0), axis_b=(0, 0, 1)))
    one("Planar", lambda o, b: lv.Planar(o, b.point_at(0, 0, 0), normal=(0, 0, 1)), at=(0, 0, 0.01))
    one("Rigid", lambda o, b: lv.Rigid(o, b.point_at(0, 0, 0)))
    one("Rod", lambda o, b: lv.Rod(o, b.point(-0.4, 0, 0)), at=(0.9, 0, -0.3))
    one("PointOnLine", lambda o, b: lv.PointOnLine(o, b.point_at(0, 0, 0), axis=(0, 1, 0)))
    one("PointOnPlane", lambda o, b: lv.PointOnPlane(o, b.point_at(0, 0, 0), normal=(0, 0, 1)), at=(0.4, 0, 0.01))
    one("FixedOrientation", lambda o, b: lv.FixedOrientation(o.body, b), at=(0.6, 0, 0.2))
    ball, disc = lv.Ball(0.3, density=500), lv.Cylinder(0.3, 0.06, density=500)
    plane, above = {"normal": (0, 0, 1), "radius": 0.3}, (0, 0, 0.3)
    upright = lv.Pose.from_axis_angle((1, 0, 0), np.pi / 2).B
    one("RollingBall", lambda o, b: lv.RollingBall(o, b.center, **plane), above, ball)
    one("RollingDisc", lambda o, b: lv.RollingDisc(o, b.center, axis=(0, 1, 0), **plane), above, disc, upright)
    one("KnifeEdge", lambda o, b: lv.KnifeEdge(o, b.point_at(0.4, 0, 0), across=(0, 1, 0)))
    m = found["Coupling"] = lv.Model(gravity=(0, 0, -9.81), name="Coupling")
    hinges = []
    for x, radius in ((0.0, 0.3), (0.8, 0.5)):
        wheel = m.add(lv.Body(lv.Cylinder(radius, 0.1, density=500), at=(x, 0, 0), opacity=0.45))
        hinges.append(m.add(lv.Revolute(m.world.point(x, 0, 0), wheel.center, axis=(0, 0, 1))))
    m.add(lv.Coupling(*hinges, ratio=-0.6))
    return found


def joints(folder: Path) -> None:
    """A picture of each type of joint, from near: a part of a larger picture, with the joint in the middle."""
    folder.mkdir(exist_ok=True)
    width, height = JOINT
    for name, m in joint_models().items():
        motion, whole = lv.dynamics(m), name.startswith("Rolling") or name == "Coupling"
        zoom = 1.3 if whole else 6.0
        view, large = view_of(motion, traces=False, title=""), (round(zoom * width), round(zoom * height))
        image = next(pictures(motion, [0], large, view))
        scene = Scene(motion, view)
        x, y, _ = scene.camera([0], *large).screen(scene.up @ m.joints[-1].points[-1].start).astype(int)
        x, y = (large[0] // 2, large[1] // 2) if whole else (x, y)
        (folder / f"{name}.png").write_bytes(png(image[y - height // 2 :, x - width // 2 :][:height, :width]))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    motions(folder / "motions.gif")
    first_example(folder / "first.gif")
    energy(folder / "energy.png")
    joints(folder / "joints")
