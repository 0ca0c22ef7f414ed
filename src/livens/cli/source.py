"""The model of a command: from a scene (TOML), a robot (URDF, MJCF) or a Python file that defines `model`."""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path
from typing import Any

from ..describe.event import Event
from ..describe.model import Model
from ..errors import FileError, LivensError, ModelError
from ..formats.mjcf import read_mjcf
from ..formats.urdf import read_urdf
from ..scene.document import Scene, read_scene
from ..step import CLASSES, Livens, Scheme
from ..storage.xml import read_markup


class Source:
    """The model in a file and the settings of its run; command-line options override those of the file."""

    def __init__(self, options: argparse.Namespace):
        file = Path(options.file)
        self.scene: Scene | None = None
        if file.suffix == ".toml":
            self.scene = read_scene(file, allow_outside=options.allow_outside)
        self.model = self.scene.model() if self.scene else model_of(file, options.allow_outside)
        self.run: dict[str, Any] = self.scene.run if self.scene else {}
        for name in ("h", "until", "every"):
            if (value := vars(options).get(name)) is not None:
                self.run[name] = value
        if (scheme := scheme_of(options)) is not None:
            self.run["scheme"] = scheme
        self.file = file

    def needed(self, *names: str) -> dict[str, Any]:
        """The settings of the run, or a ModelError if one of `names` is missing."""
        examples = {
            "h": "give a step, such as --h 1e-3 or --h auto",
            "until": "give an end, such as --until 10",
        }
        for name in names:
            if name not in self.run:
                raise ModelError(f"to simulate {self.file}, {examples[name]}.")
        return self.run

    @property
    def events(self) -> list[Event]:
        """The events of a scene."""
        return self.scene.events(self.model) if self.scene else []

    @property
    def trace(self) -> list[Any] | None:
        """The points whose paths a page shows; None: the default of the page."""
        return list(self.scene.tracers(self.model).values()) or None if self.scene else None


def scheme_of(options: argparse.Namespace) -> Scheme | None:
    """The scheme of --scheme and --order; None if neither is given."""
    name, order = options.scheme, options.order
    if name is None:
        return None if order is None else Livens(order)
    kind = CLASSES[name]
    if order is not None and not kind.orders:
        several = " and ".join(name for name, kind in CLASSES.items() if kind.orders)
        raise ModelError(f"--order is an option of {several}; {name} has one order only.")
    return kind(**({} if order is None else {"order": order}))


def model_of(file: Path, allow_outside: bool = False) -> Model:
    """The model in a URDF, MJCF or Python file."""
    if not file.is_file():
        raise FileError(f"{file} does not exist.")
    if file.suffix in (".urdf", ".xml", ".mjcf"):
        urdf = file.suffix == ".urdf" or read_markup(file).tag == "robot"
        return (read_urdf if urdf else read_mjcf)(file, allow_outside=allow_outside)
    if file.suffix != ".py":
        raise FileError(
            f"{file} must be a scene (.toml), a Python file (.py) that defines `model`, a robot (.urdf or .xml), or a "
            "saved motion (.nc)."
        )
    return _defined(file)


def _defined(file: Path) -> Model:
    """The model that a Python file defines; an exception in the file becomes a ModelError with its line."""
    folder = str(file.parent.resolve())
    sys.path.insert(0, folder)
    try:
        names = runpy.run_path(str(file), run_name="model")
        model = names.get("model")
        model = model() if callable(model) else model
    except (SystemExit, Exception) as error:
        raise _in(file, error) from None
    finally:
        sys.path.remove(folder)
    if "model" not in names:
        raise ModelError(f"{file} does not define `model`.")
    if not isinstance(model, Model):
        raise ModelError(f"`model` in {file} must be a livens Model or a function that returns one, not {model!r}.")
    return model


def _in(file: Path, error: BaseException) -> ModelError:
    """The error as a ModelError, with the last line of `file` in its traceback."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).name == file.name:
            line = trace.tb_lineno
        trace = trace.tb_next
    text = (str(error).splitlines() or [""])[0]
    kind = "" if isinstance(error, LivensError) else f"{type(error).__name__}: "
    return ModelError(f"{file}, line {line}: {kind}{text}" if line else f"{file}: {kind}{text}")
