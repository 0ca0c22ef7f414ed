"""livens run and livens resume: simulate, save the motion, and continue a run that was stopped."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FileError, LivensError, ModelError, StepFailed
from ..storage.atomic import check_output
from .scene import add_outside, add_run_options, check_tracers, write_tracers

if TYPE_CHECKING:
    from ..describe.model import Model, Point
    from .source import Source

MOTIONS = (".nc", ".journal")  # endings of files with motions
FILE = "FILE.toml, a scene; FILE.urdf or FILE.xml (MJCF), a robot; FILE.py that defines `model`; FILE.nc to continue"
RUN = """\
FILE.toml is a scene; its [run] gives scheme, step and end, and options override [run]:

  livens new plank.toml
  livens run plank.toml -o plank.nc
  livens run plank.toml --h auto --order 4 --until 20

FILE.py is a Python file that defines `model`, a livens Model or a function that returns one:

  import livens as lv

  model = lv.Model(gravity=(0, 0, -9.81))
  model.add(lv.Body(lv.Box(1, 0.3, 0.1, density=700), body_rates=(0.1, 4, 0.1), name="plank"))

  livens run plank.py --h 1e-3 --until 10 -o plank.nc
  livens run plank.py --h 1e-2 --until 10 --order 4 --every 10

FILE.nc is a saved motion, which is continued with its own scheme, step and interval:

  livens run plank.nc --until 20 -o longer.nc

A run with -o plank.nc is checkpointed in plank.nc.journal every minute (--checkpoint 10: every ten seconds). After
Ctrl-C or SIGTERM the run writes a last checkpoint within a quarter of a second; a killed process loses at most one
minute of computing time. Then

  livens resume plank.nc

continues to the end, with bitwise identical results. The journal is deleted when plank.nc is complete.
"""
RESUME = """\
Continues a run that was stopped or killed to its end; the result is bitwise identical to an uninterrupted run:

  livens run plank.toml --until 1e5 -o plank.nc        (Ctrl-C, SIGTERM, SIGKILL, a full disk, …)
  livens info plank.nc.journal                         time reached; view and report also read it
  livens resume plank.nc

A model with Python functions, such as controllers, needs the file that defines them, because a journal cannot store
functions; the internal memory of a controller is lost. A run with --h auto continues with the step that it had chosen.
With the file of the scene, the paths of its tracers are written as a table at the end, as by livens run:

  livens resume arm.nc --model arm.py

To continue a motion beyond its end:  livens run plank.nc --until 2e5 -o plank.nc
"""


def add_run_commands(commands: Any) -> None:
    """The parsers of run and resume."""
    style = argparse.RawDescriptionHelpFormatter
    run = commands.add_parser(
        "run", help="simulate a model, or continue a saved motion", epilog=RUN, formatter_class=style
    )
    run.add_argument("file", metavar="FILE", help=FILE)
    run.add_argument("--every", type=int, metavar="K", help="keep every K-th state (default: 1)")
    run.add_argument("-o", "--output", metavar="OUT.nc", help="file for the motion")
    run.add_argument("--force", action="store_true", help="replace an existing file that livens did not write")
    add_run_options(run, end=True)
    _add_checkpoint(run)
    run.set_defaults(command=_run)

    resume = commands.add_parser(
        "resume", help="continue a run that was stopped or killed", epilog=RESUME, formatter_class=style
    )
    resume.add_argument("file", metavar="OUT.nc", help="output file of the run; its journal is beside it")
    resume.add_argument("--model", metavar="FILE", help="FILE.py or FILE.toml that defines the model")
    _add_checkpoint(resume)
    add_outside(resume)
    resume.set_defaults(command=_resume, h=None, order=None, scheme=None)


def _add_checkpoint(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--checkpoint",
        type=float,
        default=60.0,
        metavar="S",
        help="seconds of computing time between checkpoints (default: 60)",
    )


def _run(options: argparse.Namespace) -> None:
    from .source import Source

    if options.output is not None:
        _check_output(Path(options.output), Path(options.file), options.force)
    output, tracers = options.output, {}
    if Path(options.file).suffix not in MOTIONS:
        source = Source(options)
        if source.scene is not None:
            output = output or source.scene.output
            tracers = source.scene.tracers(source.model)
    if output is not None:
        if tracers and _table_beside(output) == Path(output):
            raise FileError(f"{output} is the name of the table of the tracers: choose another name for the motion.")
        check_tracers(tracers, _table_beside(output), options.force)
    checkpointing = {"checkpoint": output, "checkpoint_every": options.checkpoint, "force": options.force}
    try:
        motion = (
            _continue(options, checkpointing)
            if Path(options.file).suffix in MOTIONS
            else simulate_source(source, **checkpointing)
        )
    except StepFailed as error:
        if output is not None:
            _save_partial(error.trajectory, output)
        raise
    _print_result(motion, output, tracers, options.force)


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
                f"the model of {output} has Python functions, which a file cannot store: give the file that defines "
                f"them, livens resume {output} --model FILE.py."
            )
        try:
            motion = resume(motion, checkpoint=output, checkpoint_every=options.checkpoint)
        except StepFailed as error:
            _save_partial(error.trajectory, str(output))
            raise
    elif journal.exists():  # stopped while the file was written
        with Checkpoints(output) as checkpoints:
            checkpoints.continue_from(motion)
            checkpoints.finish(motion)
    else:
        raise ModelError(
            f"{output} is complete: it ends at t = {motion.t[-1]:g} s, as requested. "
            f"To continue it: livens run {output} --until T -o {output}."
        )
    _print_result(motion, str(output), tracers)


def simulate_source(source: Source, **checkpointing: Any) -> Any:
    """The motion that a file describes."""
    from ..run.simulate import simulate

    run = {"scheme": None, **source.needed("h", "until")}
    return simulate(source.model, **run, events=source.events, **checkpointing)


# ── helpers ──


def _continue(options: argparse.Namespace, checkpointing: dict[str, Any]) -> Any:
    from ..record.netcdf import load
    from ..run.simulate import resume

    if options.until is None:
        raise ModelError(f"to continue {options.file}, give a later end, such as --until 20.")
    given = [f"--{name}" for name in ("h", "order", "every", "scheme") if vars(options)[name] is not None]
    if given:
        raise ModelError(
            f"a saved motion is continued with its own scheme, step and interval: leave out {', '.join(given)}."
        )
    return resume(load(options.file), options.until, **checkpointing)


def _checked(model: Model, stored: Model, output: Path, file: str) -> Model:
    """The model of a file, or a ModelError if it differs from the stored one in more than functions."""
    from ..scene import to_dict

    if to_dict(model, forget=True) != to_dict(stored, forget=True):
        raise ModelError(f"{file} does not describe the model in {output}: it was changed, or it is another model.")
    return model


def _print_result(motion: Any, output: str | None, tracers: dict[str, Point], force: bool = False) -> None:
    print(motion.report())
    if output is None:
        print("The motion is not saved; use -o FILE.nc to save it.")
        return
    print(f"saved in {output}")
    if tracers:
        table = _table_beside(output)
        write_tracers(motion, tracers, table, force)
        print(f"paths of {', '.join(tracers)} in {table}")


def _table_beside(output: str | Path) -> Path:
    """The table of the tracers of a motion."""
    return Path(output).with_suffix(".csv")


def _save_partial(motion: Any, output: str) -> None:
    """Save the computed part of a failed run."""
    try:
        motion.save(output)
        text = f"the motion up to t = {motion.t[-1]:.6g} s is in {output}."
    except LivensError as error:
        text = str(error)
    print(f"livens: {text}", file=sys.stderr, flush=True)


def _check_output(output: Path, source: Path, force: bool) -> None:
    """Before a long run: the file must not be the input, and it must be possible to write it."""
    _check_folder(output)
    if output.exists() and source.exists() and output.samefile(source) and source.suffix not in MOTIONS:
        raise FileError(f"{output} is the input: choose another name for the motion.")
    check_output(output, "motion", force)


def _check_folder(output: Path) -> None:
    """Raise a FileError before a long run if its result could not be written."""
    folder = output.resolve().parent
    if not folder.is_dir():
        raise FileError(f"{output} cannot be written: the folder {folder} does not exist.")
    if output.is_dir() or not os.access(folder, os.W_OK):
        raise FileError(f"{output} cannot be written: {'it is a folder' if output.is_dir() else 'permission denied'}.")
