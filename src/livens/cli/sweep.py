"""livens sweep: a scene simulated for many values of what it says, as an ensemble.

A value is named by its path in the scene, such as bodies.hammer.mass. Of each motion its end is kept: places of the
scene's tracers [m], coordinates of its joints [rad or m], the energy [J], and by how much it wandered.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..describe.model import Model, Point
from ..errors import ModelError

if TYPE_CHECKING:
    from ..record.trajectory import Trajectory
    from ..scene.document import Scene

SWEEP = """\
PATH is the place of a value in the scene, as TOML writes keys. Its values are LOW:HIGH:COUNT, evenly spaced, or a list:

  livens sweep scene.toml --vary bodies.hammer.mass=1:10:100 -o study.nc
  livens sweep scene.toml --vary forces.cord.stiffness=10,20,50 --vary gravity.2=-9.81,-1.62 -o study.nc

Several --vary mean every combination of their values; with --sobol or --latin so many points drawn between bounds:

  livens sweep scene.toml --vary bodies.hammer.mass=1:10 --vary gravity.2=-10:0 --sobol 256 --seed 1 -o study.nc

Of every motion its end is kept: places of the scene's tracers [m], angles [rad] and displacements [m] of joints, the
energy and its largest error [J]. The file is netCDF, for xarray. The same command goes on where it was interrupted.
"""


class Variation:
    """Makes the model of a scene with some of its values replaced; travels to other processes."""

    def __init__(self, scene: Scene):
        self.scene = scene

    def __call__(self, **values: Any) -> Model:
        return self.scene.with_values(values).model()


class End:
    """What is kept of a motion: its end."""

    def __init__(self, tracers: dict[str, Point], joints: dict[str, str]):
        self.tracers = {name: (point.body.name, point.r.tolist()) for name, point in tracers.items()}
        self.joints = joints

    def __call__(self, motion: Trajectory) -> dict[str, Any]:
        books = motion.energy - motion.work + motion.dissipated
        kept: dict[str, Any] = {"energy": motion.energy[-1], "energy_error": np.abs(books - books[0]).max()}
        for name, joint in self.joints.items():
            kept[name] = motion.coordinate(joint)[-1]
        for name, (body, r) in self.tracers.items():
            kept[name] = motion.position(motion.model[body].point(r))[-1]
        return kept


def add_sweep_command(commands: Any, add_run_options: Any) -> None:
    """The parser of sweep."""
    sweep = commands.add_parser(
        "sweep",
        help="simulate a scene for many values of what it says",
        epilog=SWEEP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sweep.add_argument("file", metavar="SCENE.toml")
    sweep.add_argument("--vary", action="append", required=True, metavar="PATH=VALUES", help="may be repeated")
    sweep.add_argument("--sobol", type=int, metavar="N", help="N points of a Sobol sequence instead of a grid")
    sweep.add_argument("--latin", type=int, metavar="N", help="N points of a Latin hypercube instead of a grid")
    sweep.add_argument("--seed", type=int, default=0, help="of the points that are drawn (0)")
    sweep.add_argument("--every", type=int, metavar="K", help="look at the energy every K-th step (1)")
    sweep.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler, such as tcp://10.0.0.1:8786")
    sweep.add_argument("-o", "--output", metavar="OUT.nc", help="where to save the study; finished members are kept")
    add_run_options(sweep, end=True)
    sweep.set_defaults(command=_sweep)


def _sweep(options: argparse.Namespace) -> None:
    from ..scene.document import read_scene
    from ..study import ensemble
    from .source import Source

    if Path(options.file).suffix != ".toml":
        raise ModelError(f"livens sweep takes a scene, FILE.toml, not {options.file}; in Python there is lv.ensemble.")
    source = Source(options)
    run = source.needed("h", "until")
    if run["h"] == "auto":
        raise ModelError("members of a study share one step: give it, such as --h 1e-3 (livens check suggests one).")
    scene = read_scene(options.file, allow_outside=options.allow_outside)
    design = design_of(options)
    for path in design.values:
        if path.split(".")[0] == "run":
            raise ModelError(f"{path} cannot be varied: members of a study share scheme, step and end.")
        scene.with_values({path: design[0][path]})  # a wrong path is told once, here
    tracers = scene.tracers(source.model)
    joints, units = coordinates_of(source.model)
    units = {**units, "energy": "J", "energy_error": "J"}
    if twice := [name for name in tracers if name in units]:
        raise ModelError(f"the tracer {twice[0]!r} has the name of something else that is kept: rename it.")
    units.update(dict.fromkeys(tracers, "m"))
    data = ensemble(
        Variation(scene), design, run.get("scheme"), h=run["h"], until=run["until"], every=run.get("every", 1),
        keep=End(tracers, joints), units=units, cluster=options.cluster, store=options.output,
    )  # fmt: skip
    print(summary(data, units))
    print(f"saved in {options.output}" if options.output else "The study is not saved; -o FILE.nc keeps it.")


def design_of(options: argparse.Namespace) -> Any:
    """The members that --vary, --sobol and --latin describe."""
    from ..scene.values import spread
    from ..study.designs import Grid, Samples

    values: dict[str, str] = {}
    for text in options.vary:
        path, equals, numbers = text.partition("=")
        if not equals or not path.strip() or path.strip() in values:
            raise ModelError(
                f"--vary {text!r} must be PATH=VALUES, such as bodies.hammer.mass=1:10:100, each path once."
            )
        values[path.strip()] = numbers.strip()
    if options.sobol is not None and options.latin is not None:
        raise ModelError("--sobol and --latin are two ways to draw points: choose one.")
    if options.sobol is None and options.latin is None:
        return Grid({path: spread(numbers) for path, numbers in values.items()})
    bounds = {}
    for path, numbers in values.items():
        if numbers.count(":") != 1:
            raise ModelError(f"points are drawn between two bounds: --vary {path}=LOW:HIGH, not {numbers!r}.")
        bounds[path] = spread(f"{numbers}:2")
    drawn = Samples.sobol if options.sobol is not None else Samples.latin_hypercube
    return drawn(bounds, options.sobol if options.sobol is not None else options.latin, seed=options.seed)


def coordinates_of(model: Model) -> tuple[dict[str, str], dict[str, str]]:
    """Names for the coordinates of joints that have one: of which joint, and in which unit."""
    joints, units = {}, {}
    for joint in model.joints:
        if len(joint.coordinates) == 1:
            what, unit = ("angle", "rad") if joint.coordinates[0].is_angle else ("displacement", "m")
            joints[f"{joint.name}_{what}"], units[f"{joint.name}_{what}"] = joint.name, unit
    return joints, units


def summary(data: Any, units: dict[str, str]) -> str:
    """A study in a few lines: its axes, failures, and the range of what was kept."""
    axes = ", ".join(f"{size} × {name}" if name != "member" else f"{size} samples" for name, size in data.sizes.items()
                     if name in data.coords or name == "member")  # fmt: skip
    lines = [f"{data.error.size:,} members ({axes}), {int(data.attrs['failed']):,} failed"]
    width = max(map(len, units))
    for name in units:
        if name in data and np.isfinite(data[name].values).any():
            low, high = float(data[name].min()), float(data[name].max())
            lines.append(f"  {name:<{width}}  from {low:.6g} to {high:.6g} {units[name]}")
    return "\n".join(lines)
