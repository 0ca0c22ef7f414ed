"""Long runs: python -m benchmarks.long_runs FOLDER [steps of the free body] [steps of the double pendulum].

10⁹ steps of a free body and 10⁸ of a double pendulum, with plain and with compensated sums, as figures and numbers in
FOLDER; this takes half an hour. The scheme conserves momentum, energy and rotation of a free body exactly, so the
errors are round-off: independent errors grow as √n, a bias grows as n. The double pendulum is chaotic: its energy error
must stay bounded without drift, and its joints must stay closed. The runs write checkpoints to FOLDER:
`livens resume FOLDER/free-body-plain.nc` continues an interrupted run, and a finished run is not repeated.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import livens as lv
from livens.checks import Array
from livens.discrete.compare import drift
from livens.storage.atomic import replacing

from .table import markdown

KEPT = 2000  # stored states of a run


def free_body() -> lv.Model:
    """A body without symmetry that tumbles and flies."""
    model = lv.Model(name="free body")
    inertia, rates = (1.0, 2.0, 2.6), (0.3, 2.0, 0.5)
    model.add(lv.Body(lv.MassProperties(1.0, inertia), velocity=(0.7, -0.4, 0.3), body_rates=rates, name="body"))
    return model


def double_pendulum() -> lv.Model:
    """Two bars, released from the horizontal position."""
    model = lv.Model(gravity=(0, 0, -9.81), name="double pendulum")
    bar = lv.Box(1.0, 0.05, 0.05, density=400)
    bars = [model.add(lv.Body(bar, at=(k + 0.5, 0, 0), name=f"bar{k}")) for k in range(2)]
    model.add(lv.Revolute(model.world.point(0, 0, 0), bars[0].point(-0.5, 0, 0), axis=(0, 1, 0), name="upper"))
    model.add(lv.Revolute(bars[0].point(0.5, 0, 0), bars[1].point(-0.5, 0, 0), axis=(0, 1, 0), name="lower"))
    return model


def measured(motion: lv.Trajectory) -> dict[str, Array]:
    """Errors at every stored state, relative where possible."""
    found = {"BᵀB − I": motion.defect_orthogonality}
    if motion.model.joints:
        found["|g| [m]"], found["|G v| [m/s]"] = motion.defect_position, motion.defect_velocity
        return found
    start, spin = motion.state, motion.angular_momentum
    path = motion.position("body")
    v = start.p[1] / motion.model["body"].mass_properties.mass
    found["energy"] = np.abs(motion.energy / motion.energy[0] - 1.0)
    found["angular momentum"] = np.abs(_own_spin(motion) - spin[0]).max(axis=1) / np.linalg.norm(spin[0])
    found["place"] = np.abs(path - path[0] - motion.t[:, None] * v).max(axis=1) / np.maximum(motion.t, motion.h)
    return found


def _own_spin(motion: lv.Trajectory) -> Array:
    """Angular momentum about the centre of mass, world axes."""
    return np.einsum("nij,nj->ni", motion.record.B[:, 1], motion.record.L[:, 1])


def growth(error: Array) -> float:
    """The exponent of n with which the largest error so far grows, from a tenth of the run to its end."""
    largest = np.maximum.accumulate(error)
    n = np.arange(len(error))
    late = (n >= len(error) // 10) & (largest > 0.0)
    return float(np.polyfit(np.log(n[late]), np.log(largest[late]), 1)[0])


def run(model: lv.Model, scheme: lv.Livens, h: float, steps: int, path: Path) -> lv.Trajectory:
    """Run `steps` steps, store about KEPT states in a file, and read the file if it exists."""
    if path.exists() and (motion := lv.load(path)).steps == steps:
        return motion
    every = max(1, steps // KEPT)
    return lv.simulate(model, scheme, h=h, until=h * steps, every=every, checkpoint=path)


def numbers(motion: lv.Trajectory) -> dict[str, Any]:
    """The stored numbers of a run."""
    errors = measured(motion)
    band, slope, uncertain = drift(motion.t, motion.energy)
    return {
        "steps": motion.steps,
        "h": motion.h,
        "microseconds a step": 1e6 * motion.seconds / motion.steps,
        "energy band": band / float(np.abs(motion.kinetic).max()),
        "energy slope, bands per run": slope,
        "its standard error": uncertain,
        "largest": {name: float(error.max()) for name, error in errors.items()},
        "power of n": {name: growth(error) for name, error in errors.items()},
    }


def draw(plain: lv.Trajectory, motion: lv.Trajectory, path: Path) -> None:
    """The largest error so far over the number of steps (dashed: plain sums), and the energy."""
    import matplotlib.pyplot as plt

    n = np.arange(len(motion)) * motion.every
    figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    before = measured(plain)
    for name, error in measured(motion).items():
        (line,) = axes[0].loglog(n[1:], np.maximum.accumulate(error)[1:], label=name)
        axes[0].loglog(n[1:], np.maximum.accumulate(before[name])[1:], "--", color=line.get_color())
    axes[0].loglog(n[1:], 2.0**-53 * np.sqrt(n[1:]), "k:", label="√n 2⁻⁵³")
    axes[0].set(xlabel="steps", title="largest error so far; dashed: plain sums")
    axes[0].legend(fontsize=7)
    change = (motion.energy - motion.energy[0]) / float(np.abs(motion.kinetic).max())
    axes[1].plot(n, change, linewidth=0.3)
    axes[1].set(xlabel="steps", title="(E − E₀) / largest T")
    with replacing(path, "picture", force=True) as temporary:
        figure.savefig(temporary, dpi=110)
    plt.close(figure)


def rows(run: str, found: dict[str, Any]) -> list[list[str]]:
    """The printed table of a run."""
    slope = f"{found['energy slope, bands per run'] or 0.0:+.4f} ± {found['its standard error'] or 0.0:.4f}"
    facts = [["energy band", f"{found['energy band']:.1e}", f"trend {slope} ranges per run"]]
    for what, size in found["largest"].items():
        facts += [[what.replace("|", "\\|"), f"{size:.1e}", f"grows as n^{found['power of n'][what]:.2f}"]]
    facts += [["time per step", f"{found['microseconds a step']:.3f} µs", ""]]
    return [[run, f"{found['steps']:.0e}", *fact] for fact in facts]


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    free, double = (int(float(x)) for x in (sys.argv[2:] + ["1e9", "1e8"][len(sys.argv) - 2 :])[:2])
    told: dict[str, Any] = {}
    for name, model, h, steps in (
        ("free-body", free_body(), 1e-2, free),
        ("double-pendulum", double_pendulum(), 2e-3, double),
    ):
        motions = {}
        for sums in ("plain", "compensated"):
            scheme = lv.Livens(compensated=sums == "compensated")
            motions[sums] = run(model, scheme, h, steps, folder / f"{name}-{sums}.nc")
            told[f"{name}, {sums} sums"] = numbers(motions[sums])
        draw(motions["plain"], motions["compensated"], folder / f"soak-{name}.png")
    with replacing(folder / "soak.json", "table", force=True) as temporary:
        temporary.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    table = [row for name, found in told.items() for row in rows(name, found)]
    print(markdown(["run", "steps", "what", "largest", ""], table))


if __name__ == "__main__":
    main()
