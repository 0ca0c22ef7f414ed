"""livens new, convert, check and schema, and the options that all commands with a simulation share."""

from __future__ import annotations

import argparse
import csv
import io
import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import exported_names
from ..describe.model import Point
from ..errors import FileError, ModelWarning
from ..record.table import same_header
from ..storage.atomic import check_output, replacing

if TYPE_CHECKING:
    from ..compile.compiled import Adjustment
    from ..record.trajectory import Trajectory
    from ..run.stiffness import Stiffness

STARTER = Path(__file__).parents[1] / "scene" / "starter.toml"
NEW = """\
The file is an example scene: a double pendulum with a spring, with comments that explain the other options.

  livens new swing.toml
  livens run swing.toml -o swing.nc
"""
CONVERT = """\
The file may be URDF (.urdf), MJCF (.xml) or a scene (.toml); the ending of OUT selects the format to write:

  livens convert robot.urdf robot.toml
  livens convert hopper.xml hopper.toml
  livens convert swing.toml swing.xml
"""
CHECK = """\
Checks whether FILE, a scene, a robot (URDF, MJCF) or a Python file that defines `model`, can be simulated, and prints
its degrees of freedom, redundant constraints, stiffness and a suggested step:

  livens check swing.toml
  livens check top.py
"""


def step(text: str) -> float | str:
    """A step [s], or "auto"."""
    return "auto" if text == "auto" else float(text)


def order(text: str) -> int:
    """An order that one of the schemes has."""
    from ..step import CLASSES  # loads numba, which --help does not need

    orders = sorted({n for kind in CLASSES.values() for n in kind.orders})
    if not text.isdigit() or int(text) not in orders:
        raise argparse.ArgumentTypeError(f"choose from {', '.join(str(n) for n in orders)}")
    return int(text)


def add_run_options(command: argparse.ArgumentParser, end: bool) -> None:
    """Options for scheme, order and step, and for the end if the command has one."""
    if end:
        command.add_argument("--until", type=float, metavar="T", help="end of the motion [s]")
    command.add_argument("--h", type=step, metavar="H", help="step [s], or auto")
    command.add_argument("--order", type=order, metavar="N", help="order, for schemes with several orders")
    command.add_argument("--scheme", choices=exported_names("step"), help="scheme (default: Livens)")
    add_outside(command)


def add_outside(command: argparse.ArgumentParser) -> None:
    """The option that lets a scene use files outside its folder."""
    command.add_argument(
        "--allow-outside", action="store_true", help="allow a scene to read and write files outside its folder"
    )


def add_scene_commands(commands: Any) -> None:
    """The parsers of new, convert, check and schema."""
    style = argparse.RawDescriptionHelpFormatter
    new = commands.add_parser("new", help="write an example scene", epilog=NEW, formatter_class=style)
    new.add_argument("file", metavar="NAME.toml")
    new.set_defaults(command=_new)

    convert = commands.add_parser(
        "convert", help="write a robot (URDF, MJCF) as a scene, or a model as MJCF", epilog=CONVERT,
        formatter_class=style,
    )  # fmt: skip
    convert.add_argument("file", metavar="FILE", help="FILE.urdf, FILE.xml, FILE.toml or FILE.py")
    convert.add_argument("output", metavar="OUT", help="OUT.toml, a scene, or OUT.xml, MJCF")
    add_outside(convert)
    convert.set_defaults(command=_convert, h=None, order=None, scheme=None)

    check = commands.add_parser(
        "check",
        help="degrees of freedom, stiffness and a suggested step of a model",
        epilog=CHECK,
        formatter_class=style,
    )
    check.add_argument(
        "file", metavar="FILE", help="FILE.toml, a scene; FILE.urdf or FILE.xml; FILE.py that defines `model`"
    )
    add_outside(check)
    check.set_defaults(command=_check, h=None, order=None, scheme=None)

    schema = commands.add_parser("schema", help="print the JSON Schema of scenes, for completion and checks in editors")
    schema.add_argument("-o", "--output", metavar="FILE.json", help="write it to a file")
    schema.add_argument("--force", action="store_true", help="replace an existing file that livens did not write")
    schema.set_defaults(command=_schema)


def _new(options: argparse.Namespace) -> None:
    file = Path(options.file)
    if file.suffix != ".toml":
        raise FileError(f"{file} must end in .toml to be a scene.")
    if file.exists():
        raise FileError(f"{file} exists already and is not overwritten: choose another name.")
    with replacing(file, "scene") as temporary:
        temporary.write_bytes(STARTER.read_bytes())
    print(f"{file} is written: edit it, then run  livens check {file}  or  livens run {file}")


def _convert(options: argparse.Namespace) -> None:
    from ..formats.mjcf_export import write_mjcf
    from ..scene.document import write_scene
    from .source import Source

    output = Path(options.output)
    if output.suffix not in (".toml", ".xml"):
        raise FileError(f"{output} must end in .toml for a scene or in .xml for MJCF.")
    if output.exists():
        raise FileError(f"{output} exists already and is not overwritten: choose another name.")
    model = Source(options).model
    if output.suffix == ".xml":
        write_mjcf(model, output)
    else:
        write_scene(model, output)
    print(f"{output} is written: {model!r}")


def _schema(options: argparse.Namespace) -> None:
    text = schema_text()
    if options.output is None:
        print(text, end="")
        return
    with replacing(options.output, "schema", options.force) as temporary:
        temporary.write_text(text, encoding="utf-8")


def schema_text() -> str:
    """The JSON Schema of scenes as text."""
    from ..scene.schema import json_schema

    return json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"


def _check(options: argparse.Namespace) -> None:
    from ..compile.compiled import Compiled
    from ..run.event_runs import refuse_auto_step, values_at_start
    from ..run.stiffness import stiffness_of
    from .source import Source

    source = Source(options)
    model = source.model
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # the table contains the same facts
        begin = Compiled.of(model)
        end = source.run.get("until")
        found = stiffness_of(begin, until=np.inf if end is None else end)
    facts = {"model": f"{model!r}, gravity {model.gravity.tolist()} m/s²"}
    facts["freedom"] = f"{begin.freedom} degree{'s' * (begin.freedom != 1)} of freedom"
    repeat = ", ".join(f"{count} in {name!r}" for name, count in begin.redundant.items())
    facts["redundant"] = f"redundant constraint equations: {repeat}" if repeat else "no redundant constraints"
    facts["start"] = _adjusted(begin.adjustment)
    facts["stiffest"] = (
        f"{found.frequency:.4g} rad/s, {found.frequency / (2 * np.pi):.3g} Hz, most of it in body {found.body!r}"
        if found.frequency
        else "no spring is stiff enough to limit the step"
    )
    facts["spin"] = (
        f"up to {found.spin:.3g} rad/s at or soon after the start, body {found.spinning!r}"
        if found.spin
        else "no body rotates at the start"
    )
    if np.isfinite(found.largest):
        facts["largest h"] = _largest(found)
        steps = ", ".join(f"{found.step(order):g} s at order {order}" for order in (2, 4))
        facts["suggested h"] = f'{steps}; h = "auto" reduces it if the energy error is too large'
    else:
        facts["suggested h"] = "any: the initial state does not limit it"
    if values := values_at_start(source.events, begin):
        refuse_auto_step(source.run.get("h", 1.0))
        facts["events"] = ", ".join(f"{name!r} (value {value:.4g} at the start)" for name, value in values.items())
    if {"h", "until"} <= set(source.run):
        facts["run"] = _run_line(source.run, found.largest)
    width = max(map(len, facts))
    for key, value in facts.items():
        print(f"{key:<{width}}  {value}")


def _largest(found: Stiffness) -> str:
    limits = [f"order 2 is stable below 2/ω = {2.0 / found.frequency:.3g} s"] if found.frequency else []
    limits += [f"a body rotates by 1 rad in {1.0 / found.spin:.3g} s"] if found.spin else []
    return f"{found.largest:.3g} s: {', '.join(limits)}"


def _adjusted(by: Adjustment) -> str:
    if max(by.moved, by.turned, by.adjusted, by.respun) <= 1e-9:
        return "positions and velocities satisfy the joints"
    return (
        f"adjusted to satisfy the joints: moved by up to {by.moved:.2g} m and {by.turned:.2g} rad, velocities changed "
        f"by up to {by.adjusted:.2g} m/s and {by.respun:.2g} rad/s"
    )


def _run_line(run: dict[str, Any], largest: float) -> str:
    from ..run.plan import plan

    scheme = run.get("scheme")
    how = f"{'Livens(order=2)' if scheme is None else repr(scheme)} to t = {run['until']:g} s"
    if run["h"] == "auto":
        return f"{how}, h chosen automatically"
    steps = plan(scheme, run["h"], run["until"], run.get("every", 1)).steps
    doubt = " (too large to be stable)" if run["h"] > largest else ""
    return f"{how}, h = {run['h']:g} s{doubt}, {steps:,} steps"


def write_tracers(motion: Trajectory, tracers: dict[str, Point], path: Path, force: bool = False) -> None:
    """Write the positions of points over time [s, m] as a CSV table."""
    columns = [motion.t[:, None], *(motion.position(point) for point in tracers.values())]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_header(tracers))
    table.writerows(np.concatenate(columns, axis=1).tolist())
    with replacing(path, "table", force, ours=same_header(_header(tracers))) as temporary:
        temporary.write_text(text.getvalue(), encoding="utf-8")


def check_tracers(tracers: dict[str, Point], path: Path, force: bool) -> None:
    """Raise a FileError if the table of `write_tracers` would replace a file that must stay."""
    if tracers:
        check_output(path, "table", force, ours=same_header(_header(tracers)))


def _header(tracers: dict[str, Point]) -> list[str]:
    return ["t", *(f"{name}.{axis}" for name in tracers for axis in "xyz")]
