"""livens run and livens resume: simulate, keep what was computed, and go on after whatever stopped it."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FileError, LivensError, ModelError, StepFailed
from .scene import add_outside, add_run_options, write_tracers

if TYPE_CHECKING:
    from ..describe.model import Model, Point
    from .source import Source

MOTIONS = (".nc", ".journal")  # how the files end that hold motions
FILE = "FILE.toml, a scene; FILE.urdf or FILE.xml (MJCF), a robot; FILE.py that defines `model`; FILE.nc to go on with"
RUN = """\
FILE.toml is a scene; its [run] says scheme, step and end, and options here count more:

  livens new plank.toml
  livens run plank.toml -o plank.nc
  livens run plank.toml --h auto --order 4 --until 20

FILE.py is a Python file that defines `model`, a livens Model or a function that returns one:

  import livens as lv

  model = lv.Model(gravity=(0, 0, -9.81))
  model.add(lv.Body(lv.Box(1, 0.3, 0.1, density=700), body_rates=(0.1, 4, 0.1), name="plank"))

  livens run plank.py --h 1e-3 --until 10 -o plank.nc
  livens run plank.py --h 1e-2 --until 10 --order 4 --every 10

FILE.nc is a motion saved before, which goes on with its own scheme, step and interval:

  livens run plank.nc --until 20 -o longer.nc

A run with -o plank.nc that takes longer than a minute keeps what it has computed in plank.nc.journal, each minute
(--checkpoint 10: each ten seconds). Ctrl-C and SIGTERM let it finish its steps of this quarter of a second and write
there what is missing; a process that is killed loses a minute at most. Then

  livens resume plank.nc

goes on to the end, to the same bits; the journal vanishes when plank.nc is complete.
"""
RESUME = """\
Goes on with a run that was stopped or killed, to the end that it was given, bit for bit as if it had not been stopped:

  livens run plank.toml --until 1e5 -o plank.nc        (Ctrl-C, SIGTERM, SIGKILL, a full disk, …)
  livens info plank.nc.journal                         how far it came; view and report take it, too
  livens resume plank.nc

A model with Python functions, such as controllers, needs the file that defines them, since a journal cannot hold
functions; a controller that remembers what it was asked begins without its memory. A run with --h auto goes on with the
step that it had chosen. With a scene's own file its points are written as a table at the end, as livens run does:

  livens resume arm.nc --model arm.py

To carry a motion beyond its end:  livens run plank.nc --until 2e5 -o plank.nc
"""


def add_run_commands(commands: Any) -> None:
    """The parsers of run and resume."""
    style = argparse.RawDescriptionHelpFormatter
    run = commands.add_parser(
        "run", help="simulate a model, or carry a saved motion on", epilog=RUN, formatter_class=style
    )
    run.add_argument("file", metavar="FILE", help=FILE)
    run.add_argument("--every", type=int, metavar="K", help="keep every K-th state (1)")
    run.add_argument("-o", "--output", metavar="OUT.nc", help="where to save the motion")
    add_run_options(run, end=True)
    _add_checkpoint(run)
    run.set_defaults(command=_run)

    resume = commands.add_parser(
        "resume", help="go on with a run that was stopped or killed", epilog=RESUME, formatter_class=style
    )
    resume.add_argument("file", metavar="OUT.nc", help="what the run was to write; its journal stands beside it")
    resume.add_argument("--model", metavar="FILE", help="FILE.py or FILE.toml that the model came from")
    _add_checkpoint(resume)
    add_outside(resume)
    resume.set_defaults(command=_resume, h=None, order=None, scheme=None)


def _add_checkpoint(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--checkpoint", type=float, default=60.0, metavar="S", help="seconds of computing that may be lost (60)"
    )


def _run(options: argparse.Namespace) -> None:
    from .source import Source

    if options.output is not None:
        _check_folder(Path(options.output))
    output, tracers = options.output, {}
    if Path(options.file).suffix not in MOTIONS:
        source = Source(options)
        if source.scene is not None:
            output = output or source.scene.output
            tracers = source.scene.tracers(source.model)
    keeping = {"checkpoint": output, "checkpoint_every": options.checkpoint}
    try:
        motion = (
            _continue(options, keeping) if Path(options.file).suffix in MOTIONS else simulate_source(source, **keeping)
        )
    except StepFailed as error:
        if output is not None:
            _rescue(error.trajectory, output)
        raise
    _tell(motion, output, tracers)


def _resume(options: argparse.Namespace) -> None:
    from ..record.journal import journal_of
    from ..record.netcdf import has_functions, load
    from ..run.checkpoint import Checkpoints
    from ..run.simulate import resume
    from .source import Source

    output = Path(options.file)
    if output.suffix == ".journal":
        output = output.with_suffix("")
    journal = journal_of(output)
    motion, tracers = load(journal if journal.exists() else output), {}
    if options.model is not None:
        source = Source(argparse.Namespace(**{**vars(options), "file": options.model}))
        tracers = source.scene.tracers(source.model) if source.scene else {}
        motion = motion.with_model(_checked(source.model, motion.model, output, options.model))
    if motion.wanted > motion.steps:
        if options.model is None and has_functions(motion.model):
            raise ModelError(
                f"the model of {output} has Python functions, which no file can hold: name the file that defines them, "
                f"livens resume {output} --model FILE.py."
            )
        try:
            motion = resume(motion, checkpoint=output, checkpoint_every=options.checkpoint)
        except StepFailed as error:
            _rescue(error.trajectory, str(output))
            raise
    elif journal.exists():  # stopped while the file was written
        with Checkpoints(output) as checkpoints:
            checkpoints.continue_from(motion)
            checkpoints.finish(motion)
    else:
        raise ModelError(
            f"{output} is complete: it ends at t = {motion.t[-1]:g} s, as asked. "
            f"To carry it on: livens run {output} --until T -o {output}."
        )
    _tell(motion, str(output), tracers)


def simulate_source(source: Source, **keeping: Any) -> Any:
    """The motion that a file describes."""
    from ..run.simulate import simulate

    run = {"scheme": None, **source.needed("h", "until")}
    return simulate(source.model, **run, **keeping)


# ── parts ──


def _continue(options: argparse.Namespace, keeping: dict[str, Any]) -> Any:
    from ..record.netcdf import load
    from ..run.simulate import resume

    if options.until is None:
        raise ModelError(f"to carry {options.file} on a later end is needed, such as --until 20.")
    given = [f"--{name}" for name in ("h", "order", "every", "scheme") if getattr(options, name) is not None]
    if given:
        raise ModelError(
            f"a saved motion goes on with its own scheme, step and interval: leave out {', '.join(given)}."
        )
    return resume(load(options.file), options.until, **keeping)


def _checked(model: Model, stored: Model, output: Path, file: str) -> Model:
    """The model of a file, if it is the one that is stored, but for functions."""
    from ..scene import to_dict

    if to_dict(model, forget=True) != to_dict(stored, forget=True):
        raise ModelError(f"{file} does not describe the model that is in {output}: it has been changed, or is another.")
    return model


def _tell(motion: Any, output: str | None, tracers: dict[str, Point]) -> None:
    print(motion.report())
    if output is None:
        print("The motion is not saved; -o FILE.nc keeps it.")
        return
    print(f"saved in {output}")
    if tracers:
        table = Path(output).with_suffix(".csv")
        write_tracers(motion, tracers, table)
        print(f"paths of {', '.join(tracers)} in {table}")


def _rescue(motion: Any, output: str) -> None:
    """Keep what a failed run has computed."""
    try:
        motion.save(output)
        text = f"the motion up to t = {motion.t[-1]:.6g} s is in {output}."
    except LivensError as error:
        text = str(error)
    print(f"livens: {text}", file=sys.stderr, flush=True)


def _check_folder(output: Path) -> None:
    """Before a long run: can the result be written at all?"""
    folder = output.resolve().parent
    if not folder.is_dir():
        raise FileError(f"{output} cannot be written: the folder {folder} does not exist.")
    if output.is_dir() or not os.access(folder, os.W_OK):
        raise FileError(f"{output} cannot be written: {'it is a folder' if output.is_dir() else 'permission denied'}.")
