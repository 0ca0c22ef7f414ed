"""Two poses and their products: A @ B is first B, then A, in world axes; B @ A is the other order."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

import livens as lv

from ..look.plot.style import STYLES, drawn
from .demo import Demo

if TYPE_CHECKING:
    from matplotlib.figure import Figure

A = lv.Pose.from_axis_angle((0, 0, 1), pi / 2, at=(0, 1, 0))  # a quarter turn about z, and a step along y
B = lv.Pose.from_axis_angle((1, 0, 0), pi / 3, at=(2, 0, 0))  # a sixth of a turn about x, and two steps along x
POSES = {"A": A, "B": B, "A @ B": A @ B, "B @ A": B @ A}


def place() -> lv.Trajectory:
    """Four equal corner pieces, at rest, in the poses A, B, A @ B and B @ A.

    A turns and moves aside, B turns about another axis and moves ahead. The two orders lead to different poses: the
    translation that comes first is rotated by the rotation that comes second.

    >>> motion = place()
    >>> [motion.position(name)[-1].round(12).tolist() for name in ("A @ B", "B @ A")]
    [[0.0, 3.0, 0.0], [2.0, 0.5, 0.866025403784]]
    """
    model = lv.Model(name="poses and products")
    long, mid, short = (
        (lv.Box(0.7, 0.1, 0.1, mass=1.0), lv.Pose((0.35, 0, 0))),
        (lv.Box(0.1, 0.5, 0.1, mass=1.0), lv.Pose((0, 0.25, 0))),
        (lv.Box(0.1, 0.1, 0.3, mass=1.0), lv.Pose((0, 0, 0.15))),
    )
    piece = lv.Compound([long, mid, short])
    for name, pose in POSES.items():
        model.add(lv.Body(piece, at=pose.a, rotation=pose.B, name=name))
    return lv.simulate(model, lv.Livens(), h=0.1, until=1.0)


def play() -> Any:
    """Sliders for two poses, in the browser, until Ctrl-C."""
    return lv.pose_playground(block=True)


def words(motion: lv.Trajectory) -> str:
    """The poses as (a | B), and the distance and angle between the products."""
    lines = []
    for name, pose in POSES.items():
        lines.append(f"{name}: a = {_row(pose.a)} m, B =")
        lines += [f"    {_row(row)}" for row in pose.B]
    between = (A @ B).inverse() @ (B @ A)
    angle = np.arccos(np.clip((np.trace(between.B) - 1) / 2, -1, 1))
    apart = np.linalg.norm((A @ B).a - (B @ A).a)
    return "\n".join([*lines, f"the products are {apart:.4g} m and {np.degrees(angle):.4g}° apart."])


def figure(motion: lv.Trajectory) -> Any:
    """Each product step by step: from the world's axes by the pose on the right, then by the pose on the left."""
    return drawn(_draw)


def _row(x: Any) -> str:
    return "(" + ", ".join(f"{v:6.3f}" for v in np.asarray(x).round(12) + 0.0) + ")"


def _draw(figure: Figure) -> None:
    figure.set_size_inches(6.3, 3.3)
    for k, (names, title) in enumerate(
        ((("1", "B", "A @ B"), "A @ B: first B, then A"), (("1", "A", "B @ A"), "B @ A: first A, then B"))
    ):
        axes = figure.add_subplot(1, 2, k + 1, projection="3d", computed_zorder=False)
        axes.view_init(elev=24, azim=-58)
        axes.set_title(title)
        path = []
        for name in names:
            pose = POSES.get(name, lv.Pose())
            path.append(pose.a)
            _triad(axes, pose, name)
        axes.plot(*np.array(path).T, color="#999999", linewidth=0.8, zorder=1)
        axes.tick_params(labelsize=7, pad=0)
        axes.set_xlim(-0.5, 3.0)
        axes.set_ylim(-0.5, 3.5)
        axes.set_zlim(-0.2, 1.8)
        axes.set_box_aspect((3.5, 4.0, 2.0), zoom=1.0)
        for axis, letter in zip((axes.xaxis, axes.yaxis, axes.zaxis), "xyz", strict=True):
            axis.set_pane_color((0.97, 0.97, 0.965, 1.0))
            axis.set_label_text(letter, fontsize=8)
            axis.set_ticks(range(3 if letter == "x" else 4 if letter == "y" else 2))


def _triad(axes: Any, pose: lv.Pose, name: str) -> None:
    """The body's axes: x solid, y dashed, z dotted."""
    for k, (length, (style, color, _)) in enumerate(zip((0.9, 0.7, 0.5), STYLES, strict=False)):
        line = np.stack([pose.a, pose.point(length * np.eye(3)[k])])
        axes.plot(*line.T, linestyle=style, color=color, linewidth=1.8, zorder=3)
        axes.text(
            *pose.point((length + 0.15) * np.eye(3)[k]), "xyz"[k], fontsize=7, color=color, ha="center", va="center"
        )
    axes.text(*(pose.a - (0.0, 0.0, 0.28)), name, fontsize=9, ha="center", zorder=5)


DEMO = Demo(
    "two poses with sliders, and their products in both orders, which differ",
    place,
    figure,
    "both products, step by step",
    words,
    page=play,
    position=27,
)
