"""Figures of the report, readable without colours: livens in solid black, other programs with dashes and markers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .goal import OURS, TARGETS

LOOK = {  # program: (colour, marker)
    OURS: ("#000000", "o"),
    "MuJoCo": ("#c05000", "s"),
    "Exudyn": ("#4080c0", "^"),
    "Pinocchio": ("#70a040", "D"),
    "SciPy": ("#a05090", "v"),
    "CasADi": ("#808080", "P"),
}
DASHES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1))]
LEVELS = [10.0 ** (-k / 2) for k in range(3, 16)]  # errors at which the cheapest setting of a program is selected


def _figure() -> tuple[Any, Any]:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "livens", "font.size": 9, "axes.grid": True,
                         "grid.color": "#dddddd", "grid.linewidth": 0.6})  # fmt: skip
    return plt.subplots(figsize=(6.4, 4.2), layout="constrained")


def _save(figure: Any, path: Path) -> None:
    import matplotlib.pyplot as plt

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def shown(curves: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All curves of livens, and of every other program the settings that are its cheapest at some error."""
    kept = [curve for curve in curves if curve["program"] == OURS and curve["points"]]
    rest = [curve for curve in curves if curve["program"] != OURS and curve["points"]]
    for group in sorted({(curve["program"], curve["other"]) for curve in rest}):
        mine = [curve for curve in rest if (curve["program"], curve["other"]) == group]
        cheapest = set()
        for level in LEVELS:
            costs = {
                k: min(p["seconds"] for p in curve["points"] if p["error"] <= level)
                for k, curve in enumerate(mine)
                if any(p["error"] <= level for p in curve["points"])
            }
            if costs:
                cheapest.add(min(costs, key=costs.__getitem__))
        kept += [mine[k] for k in sorted(cheapest)]
    return kept


def work_precision(problem: dict[str, Any], path: Path) -> None:
    """Error over time for one problem."""
    figure, axes = _figure()
    count: dict[str, int] = {}
    for curve in shown(problem["curves"]):
        program = curve["program"]
        color, marker = LOOK[program]
        k = count.get(program, 0)
        count[program] = k + 1
        points = sorted(curve["points"], key=lambda p: p["rung"])
        axes.plot(
            [1e3 * p["seconds"] for p in points], [p["error"] for p in points], color=color, marker=marker,
            linestyle=DASHES[k % len(DASHES)], linewidth=1.6 if program == OURS else 1.1, markersize=4,
            markerfacecolor=color if program == OURS else "white", label=f"{program}, {curve['setting']}",
        )  # fmt: skip
    for target in TARGETS:
        axes.axhline(target, color="#999999", linewidth=0.8, zorder=0)
    axes.set(xscale="log", yscale="log", xlabel="time [ms]", ylabel="final error", title=problem["title"])
    axes.set_ylim(top=1.0)
    figure.legend(loc="outside right upper", fontsize=7.5, handlelength=3.2, frameon=False)
    _save(figure, path)


def growth(curves: dict[str, Any], path: Path) -> None:
    """Time per step over the number of bodies."""
    figure, axes = _figure()
    names = {"livens": OURS, "mujoco": "MuJoCo", "exudyn": "Exudyn", "pinocchio": "Pinocchio"}
    for curve, found in curves.items():
        if not found.get("bodies"):
            continue
        shape, program = curve.split(", ")
        color, marker = LOOK[names[program]]
        style = {"chain": "-", "tree": "--", "grid": ":"}[shape]
        power = f", N^{found['exponent']:.2f}" if "exponent" in found else ""
        axes.plot(
            found["bodies"], found["microseconds"], color=color, marker=marker, linestyle=style, markersize=4,
            markerfacecolor=color if program == "livens" else "white", label=f"{shape}, {names[program]}{power}",
        )  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="bodies", ylabel="time per step [µs]", title="Scaling")
    figure.legend(loc="outside right upper", fontsize=7.5, handlelength=3.2, frameon=False)
    _save(figure, path)
