"""Draw the gallery of examples: python docs/gallery/draw.py (make gallery) writes a picture of each, and index.md.

A motion is drawn as `motion.to_png` does; examples of other kinds have a figure of their own below. With names of
examples as arguments, only these are drawn.
"""

from __future__ import annotations

import io
import os
import runpy
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.figure
import matplotlib.ticker
import numpy as np
from PIL import Image

import livens as lv
import livens.discrete as ld

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
SIZE, COLORS, COLUMNS = (300, 220), 64, 3

# theme → examples, and for motions the arguments of to_png
GALLERY: dict[str, dict[str, dict[str, Any]]] = {
    "Linkages and machines": {
        "jansen_leg": {"t": 0.4, "camera": "front", "traces": ["F"]},
        "crank_torque": {"t": 0.05, "camera": "front", "traces": False},
        "crossing_four_bar": {"t": 0.4, "camera": (0.2, 0.3, 1.0)},
        "stewart_platform": {"t": 0.75, "traces": False},
        "planetary_gear": {"t": 0.1, "camera": (0.3, -0.4, 1.0), "traces": False},
        "screw_jack": {"t": 0.5},
        "atwood_machine": {"t": 1.0, "camera": "front"},
        "step_assembly": {"t": 0.35, "traces": False},
    },
    "Pendulums, tops and rolling": {
        "chain_modes": {"t": 0.0, "camera": "front"},
        "kapitza_pendulum": {"t": 1.0, "camera": "front"},
        "tautochrone": {"t": 0.42, "camera": (0.4, -1.0, 0.5)},
        "foucault_pendulum": {},
        "wilberforce_pendulum": {"t": 6.0},
        "heavy_top": {},
        "steady_precession": {"t": 0.5},
        "levitron": {"t": 1.0},
        "tumbling_wrench": {},
        "euler_disc": {"t": 0.1},
        "ball_on_turntable": {"t": 5.0, "traces": ["ball"]},
        "chaplygin_sleigh": {"camera": "top"},
        "hammer_on_a_spring": {},
    },
    "Contact and friction": {
        "newtons_cradle": {},
        "billiards": {},
        "bouncing_ball": {},
        "sliding_block": {"t": 0.8},
        "rope_loop": {"t": 0.9, "camera": "front"},
        "stick_and_stop": {"t": 0.05},
        "dry_friction": {},
    },
    "Beams and cables": {
        "rolled_beam": {"camera": (0.5, -1.0, 0.4), "traces": False},
        "flying_spaghetti": {"t": 3.0, "follow": True, "traces": False},
        "spin_up": {"t": 6.0, "camera": (0.2, -0.5, 1.0), "follow": True, "traces": False},
        "hanging_cable": {"camera": "front", "traces": False},
    },
    "Control, identification and studies": {
        "furuta_pendulum": {"t": 0.2},
        "robot_arm": {"t": 1.2, "camera": "front", "traces": ["link2"]},
        "servo_arm": {"camera": "front"},
        "half_car": {"t": 1.0, "camera": "front", "traces": False},
        "tuned_absorber": {"t": 0.1, "traces": False},
        "identification": {"t": 0.3, "camera": "front"},
        "aim": {},
        "parameter_study": {},
    },
    "Space": {
        "satellite": {"traces": False},
        "thrusters": {},
        "hohmann_transfer": {"camera": "top"},
        "gravity_gradient": {"t": 600.0, "follow": True, "traces": False},
        "two_body_orbit": {"camera": "top"},
        "outer_solar_system": {},
        "trebuchet": {"t": 0.6, "follow": True},
    },
    "Any Lagrangian, and schemes": {
        "falling_block": {},
        "hanging_cloth": {},
        "snap_through": {},
        "stiff_springs": {},
        "slow_decay": {},
        "newmark_is_variational": {},
        "compare_schemes": {},
    },
}


def first_line(name: str) -> str:
    """What an example shows: the first sentence of its docstring."""
    return (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").partition('"""')[2].splitlines()[0].rstrip(".")


def page() -> str:
    """The page of the gallery."""
    count = sum(len(some) for some in GALLERY.values())
    lines = [
        "# Gallery of examples",
        "",
        f"{count} scripts of at most 60 lines, one idea each. `python examples/NAME.py` runs one; its function",
        "`check()` compares numbers of the motion with a closed form, a published value or a law, and `make test`",
        "calls it. `make gallery` draws the pictures.",
    ]
    for theme, some in GALLERY.items():
        lines += ["", f"## {theme}", "", "| " * COLUMNS + "|", "|---" * COLUMNS + "|"]
        cells = [f"![{name}]({name}.png)<br>{{src}}`examples/{name}.py`<br>{first_line(name)}" for name in some]
        cells += [""] * (-len(cells) % COLUMNS)
        rows = [cells[k : k + COLUMNS] for k in range(0, len(cells), COLUMNS)]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


# ── figures of examples that are not motions of rigid bodies ──


def over_time(axes: Any, example: dict[str, Any]) -> None:
    run = example["main"]()
    axes.plot(run.t, run.q[:, 0])
    axes.set(xlabel="time [s]", ylabel="position [m]")


def decay(axes: Any, example: dict[str, Any]) -> None:
    for scheme, line in ((ld.Midpoint(), "-"), (ld.GeneralizedAlpha(radius=0.5), "--")):
        run = example["main"](scheme, 1e-4, until=400.0)
        axes.plot(run.t, np.abs(run.energy / run.energy[0]), line, label=type(scheme).__name__)
    axes.set(xlabel="time [s]", ylabel="energy / initial")
    axes.legend()


def stiff(axes: Any, example: dict[str, Any]) -> None:
    run = example["main"]()
    energies = np.asarray(example["stiff_energies"](run))
    axes.plot(run.t, energies if len(energies) == len(run.t) else energies.T)
    axes.set(xlabel="time [s]", ylabel="energy of stiff springs [J]")


def planets(axes: Any, example: dict[str, Any]) -> None:
    run = example["main"](ld.Trapezoidal(), years=250)
    x = run.q.reshape(len(run.t), -1, 3)
    for k in range(1, x.shape[1]):
        axes.plot(*(x[:, k] - x[:, 0])[:, :2].T, linewidth=0.8)
    axes.set(xlabel="x [au]", ylabel="y [au]", aspect="equal")


def turning(axes: Any, example: dict[str, Any]) -> None:
    x, y, _ = example["main"](until=150.0).position("bob").T
    axes.plot(x, y, linewidth=0.6)
    axes.set(xlabel="north [m]", ylabel="west [m]", aspect="equal")


def newmark(axes: Any, example: dict[str, Any]) -> None:
    for beta, gamma in ((0.0, 0.5), (0.25, 0.5), (0.28, 0.55)):
        run = example["main"](beta, gamma, until=200.0)
        axes.plot(run.t, run.energy, linewidth=0.9, label=f"β = {beta:g}, γ = {gamma:g}")
    axes.set(xlabel="time [s]", ylabel="energy [J]")
    axes.legend()


def rubber(axes: Any, example: dict[str, Any]) -> None:
    run = example["main"]()
    for moment in (0, 115, 160):
        x = run.q[moment].reshape(-1, 3)
        axes.plot(x[:, 0] + 0.004 * moment, x[:, 2], ".", markersize=4, label=f"{run.t[moment]:.2f} s")
    axes.set(xlabel="x [m]", ylabel="height [m]", aspect="equal")
    axes.legend()


def cloth(axes: Any, example: dict[str, Any]) -> None:
    run = example["main"](24, until=1.5)
    x = run.q[-1].reshape(24, 24, 3)
    for lines in (x, x.transpose(1, 0, 2)):
        axes.plot((lines[..., 1] + 0.3 * lines[..., 0]).T, (lines[..., 2]).T, color="#0072b2", linewidth=0.5)
    axes.set(xlabel="y [m]", ylabel="z [m]", aspect="equal")


def periods(axes: Any, example: dict[str, Any]) -> None:
    runs = example["main"]()
    dots = axes.scatter(runs.amplitude, runs.period, c=runs.length, s=10)
    axes.figure.colorbar(dots, label="length [m]")
    axes.set(xlabel="amplitude [rad]", ylabel="period [s]")


def schemes(axes: Any, example: dict[str, Any]) -> None:
    found = example["main"](h=(0.05, 0.02, 0.01, 0.005))
    by_scheme: dict[str, list[tuple[float, float]]] = {}
    for row in found.rows:
        by_scheme.setdefault(str(row.scheme), []).append((row.h, row.error_q))
    for name, points in sorted(by_scheme.items(), key=lambda row: -row[1][0][1]):
        axes.loglog(*np.array(points).T, ".-", label=name)
    axes.set(xlabel="step [s]", ylabel="error", ylim=(1e-21, 1.0), yticks=[1e-12, 1e-8, 1e-4, 1.0])
    axes.xaxis.set_minor_formatter(mpl.ticker.NullFormatter())
    axes.legend(loc="lower center", ncols=2, fontsize=5, handlelength=1.0, labelspacing=0.2, frameon=False)


FIGURES = {
    "dry_friction": over_time, "snap_through": over_time, "slow_decay": decay, "stiff_springs": stiff,
    "outer_solar_system": planets, "newmark_is_variational": newmark, "falling_block": rubber, "hanging_cloth": cloth,
    "parameter_study": periods, "foucault_pendulum": turning, "compare_schemes": schemes,
}  # fmt: skip


def drawn(name: str, options: dict[str, Any]) -> Image.Image:
    """The picture of an example."""
    example = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="example")
    if name in FIGURES:
        with mpl.rc_context({"font.size": 7, "axes.linewidth": 0.6, "figure.facecolor": "#f4f3ef"}):
            figure = mpl.figure.Figure(figsize=(SIZE[0] / 100, SIZE[1] / 100), layout="constrained")
            FIGURES[name](figure.subplots(), example)
            kept = io.BytesIO()
            figure.savefig(kept, dpi=100, format="png")
        return Image.open(kept)
    path = Path("picture.png").absolute()
    made = example["main"]()
    motion: lv.Trajectory = made[0] if isinstance(made, tuple) else made
    motion.to_png(path, size=SIZE, **{"title": "", **options}, force=True)
    return Image.open(path)


def main(names: list[str]) -> None:
    with warnings.catch_warnings(action="ignore"), tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # examples may write files
        for some in GALLERY.values():
            for name, options in some.items():
                if not names or name in names:
                    rare = {
                        "method": Image.Quantize.MAXCOVERAGE,
                        "kmeans": 2,
                        "dither": Image.Dither.NONE,
                    }  # keeps them
                    picture = drawn(name, options).convert("RGB").quantize(COLORS, **rare)
                    picture.save(HERE / f"{name}.png", optimize=True)
                    print(name)
    (HERE / "index.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
