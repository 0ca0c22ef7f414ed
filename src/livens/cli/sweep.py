"""livens sweep: an ensemble of simulations of a scene, with many values of some of its entries.

A value is identified by its path in the scene, such as bodies.hammer.mass. The final state of each motion is kept: the
positions of the tracers of the scene [m], the coordinates of its joints [rad or m], the energy [J] and its error [J].
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..describe.event import Event
from ..describe.model import Model, Point
from ..errors import ModelError

if TYPE_CHECKING:
    from ..record.trajectory import Trajectory
    from ..scene.document import Scene

SWEEP = """\
PATH is the dotted key of a value in the scene. VALUES are LOW:HIGH:COUNT, evenly spaced, or a list:

  livens sweep scene.toml --vary bodies.hammer.mass=1:10:100 -o study.nc
  livens sweep scene.toml --vary forces.cord.stiffness=10,20,50 --vary gravity.2=-9.81,-1.62 -o study.nc

Several --vary options give every combination of their values, or with --sobol or --latin N points between bounds:

  livens sweep scene.toml --vary bodies.hammer.mass=1:10 --vary gravity.2=-10:0 --sobol 256 --seed 1 -o study.nc

The final state of each motion is kept: positions of the tracers [m], angles [rad] and displacements [m] of joints, the
energy and its largest error [J]. The file is netCDF, for xarray. The same command continues an interrupted study.
"""


class Variation:
    """A function that makes the model of a scene with other values; it can be sent to other processes."""

    def __init__(self, scene: Scene):
        self.scene = scene

    def __call__(self, **values: Any) -> Model:
        return self.scene.with_values(values).model()


class VariationEvents:
    """A function that makes the events of a scene with other values, for its model."""

    def __init__(self, scene: Scene):
        self.scene = scene

    def __call__(self, model: Model, **values: Any) -> list[Event]:
        return self.scene.with_values(values).events(model)


class FinalState:
    """A function that returns the values of the final state of a motion; it can be sent to other processes."""

    def __init__(self, tracers: dict[str, Point], coordinates: dict[str, tuple[str, int]]):
        self.tracers = {name: (point.body.name, point.r.tolist()) for name, point in tracers.items()}
        self.coordinates = coordinates

    def __call__(self, motion: Trajectory) -> dict[str, Any]:
        balance = motion.energy - motion.work + motion.dissipated
        kept: dict[str, Any] = {"energy": motion.energy[-1], "energy_error": np.abs(balance - balance[0]).max()}
        for name, (joint, k) in self.coordinates.items():
            kept[name] = np.atleast_1d(motion.coordinate(joint)[-1])[k]
        for name, (body, r) in self.tracers.items():
            kept[name] = motion.position(motion.model[body].point(r))[-1]
        return kept


def add_sweep_command(commands: Any, add_run_options: Any) -> None:
    """The parser of sweep."""
    sweep = commands.add_parser(
        "sweep",
        help="simulate a scene for many values of its entries",
        epilog=SWEEP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sweep.add_argument("file", metavar="SCENE.toml")
    sweep.add_argument("--vary", action="append", required=True, metavar="PATH=VALUES", help="may be repeated")
    sweep.add_argument("--sobol", type=int, metavar="N", help="N points of a Sobol sequence instead of a grid")
    sweep.add_argument("--latin", type=int, metavar="N", help="N points of a Latin hypercube instead of a grid")
    sweep.add_argument("--seed", type=int, default=0, help="of the random points (default: 0)")
    sweep.add_argument("--every", type=int, metavar="K", help="evaluate the energy every K-th step (default: 1)")
    sweep.add_argument("--cluster", metavar="ADDRESS", help="address of a Dask scheduler, such as tcp://10.0.0.1:8786")
    sweep.add_argument(
        "-o", "--output", metavar="OUT.nc", help="file for the study; finished members are saved immediately"
    )
    add_run_options(sweep, end=True)
    sweep.set_defaults(command=_sweep)


def _sweep(options: argparse.Namespace) -> None:
    from ..run.event_runs import refuse_auto_step
    from ..run.simulate import simulate
    from ..scene.document import read_scene
    from ..study import ensemble
    from .source import Source

    if Path(options.file).suffix != ".toml":
        raise ModelError(
            f"livens sweep needs a scene, FILE.toml, not {options.file}; for other models use lv.ensemble in Python."
        )
    source = Source(options)
    run = source.needed("h", "until")
    if run["h"] == "auto" and source.events:
        refuse_auto_step("auto")
    if run["h"] == "auto":  # one step for all members: that of the scene itself
        motion = simulate(source.model, run.get("scheme"), h="auto", until=run["until"], every=run.get("every", 1))
        run["h"] = motion.h
        print(f"all members have the same step: {motion.chosen}")
    scene = read_scene(options.file, allow_outside=options.allow_outside)
    design = design_of(options)
    for path in design.values:
        if path.split(".")[0] == "run":
            raise ModelError(f"{path} cannot be varied: all members of a study have the same scheme, step and end.")
        scene.with_values({path: design[0][path]})  # raises an error for a wrong path
    tracers = scene.tracers(source.model)
    coordinates, units = coordinates_of(source.model)
    units = {**units, "energy": "J", "energy_error": "J"}
    if twice := [name for name in tracers if name in units]:
        raise ModelError(f"the tracer {twice[0]!r} has the same name as another value of the study: rename it.")
    units.update(dict.fromkeys(tracers, "m"))
    data = ensemble(
        Variation(scene), design, run.get("scheme"), h=run["h"], until=run["until"], every=run.get("every", 1),
        keep=FinalState(tracers, coordinates), events=VariationEvents(scene), units=units, cluster=options.cluster,
        store=options.output,
    )  # fmt: skip
    print(summary(data, units))
    print(f"saved in {options.output}" if options.output else "The study is not saved; use -o FILE.nc to save it.")
    if int(data.attrs["failed"]) == data.error.size:
        raise ModelError(f"all members failed, the first with: {data.error.values.ravel()[0]}")


def design_of(options: argparse.Namespace) -> Any:
    """The design that --vary, --sobol and --latin describe."""
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
        raise ModelError("--sobol and --latin exclude each other: choose one.")
    if options.sobol is None and options.latin is None:
        return Grid({path: spread(numbers) for path, numbers in values.items()})
    bounds = {}
    for path, numbers in values.items():
        if numbers.count(":") != 1:
            raise ModelError(f"--sobol and --latin need two bounds: --vary {path}=LOW:HIGH, not {numbers!r}.")
        bounds[path] = spread(f"{numbers}:2")
    drawn = Samples.sobol if options.sobol is not None else Samples.latin_hypercube
    return drawn(bounds, options.sobol if options.sobol is not None else options.latin, seed=options.seed)


def coordinates_of(model: Model) -> tuple[dict[str, tuple[str, int]], dict[str, str]]:
    """Names for the coordinates of all joints, such as elbow_angle → joint "elbow", coordinate 0; and their units."""
    found, units = {}, {}
    for joint in model.joints:
        for k, coordinate in enumerate(joint.coordinates):
            part = coordinate.part or ("angle" if coordinate.is_angle else "displacement")
            name = f"{joint.name}_{part}"
            found[name], units[name] = (joint.name, k), "rad" if coordinate.is_angle else "m"
    return found, units


def summary(data: Any, units: dict[str, str]) -> str:
    """A study in a few lines: its axes, failures, and the range of each value."""
    axes = ", ".join(f"{size} × {name}" if name != "member" else f"{size} samples" for name, size in data.sizes.items()
                     if name in data.coords or name == "member")  # fmt: skip
    lines = [f"{data.error.size:,} members ({axes}), {int(data.attrs['failed']):,} failed"]
    width = max(map(len, units))
    for name in units:
        if name in data and np.isfinite(data[name].values).any():
            low, high = float(data[name].min()), float(data[name].max())
            lines.append(f"  {name:<{width}}  from {low:.6g} to {high:.6g} {units[name]}")
    return "\n".join(lines)
