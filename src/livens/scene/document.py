"""Scenes: a checked document, the model that it describes, and its simulation."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..checks import file_path
from ..describe.event import Event, named
from ..describe.model import Model, Point
from ..describe.shapes.solid import Solid
from ..errors import FileError, ModelError, require
from ..step import Scheme
from ..storage.atomic import MARK, replacing
from ..storage.bytes import read_limited
from .build import Build
from .catalogue import keys, schemes
from .describe import to_dict
from .events import describe_events, read_events
from .paths import at, dotted
from .solids import MAX_SOLID_BYTES, inside, read_solid
from .text import MAX_THINGS, limit, parse, text_of, updated
from .values import plain, with_values

if TYPE_CHECKING:
    from ..record.trajectory import Trajectory

MAX_BYTES = 16_000_000  # of the text of a scene


class Scene:
    """A scene: `document` is the checked content of its file. Files that it refers to are read from `folder`.

    >>> import livens as lv
    >>> scene = lv.Scene({
    ...     "livens": 2, "gravity": [0, 0, -9.81], "run": {"h": 1e-2, "until": 1.0},
    ...     "bodies": {"stone": {"mass": 2.0, "inertia": [0.1, 0.1, 0.1], "velocity": [1, 0, 0]}},
    ... })
    >>> scene.simulate().position("stone")[-1].round(6).tolist()
    [1.0, 0.0, -4.905]
    >>> scene.with_values({"bodies.stone.mass": 3.0}).model()["stone"].mass_properties.mass
    3.0
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        folder: str | os.PathLike[str] | None = None,
        allow_outside: bool = False,
        text: str | None = None,
    ):
        """text: the TOML text from which `document` was read; its comments are written again by `save`."""
        if not isinstance(document, Mapping):
            raise ModelError(f"a scene is a table such as {{'livens': 2, …}}, not {type(document).__name__}.")
        limit(dict(document))
        self.document = deepcopy(dict(document))
        self.folder = None if folder is None else Path(folder)
        self.allow_outside, self.text = allow_outside, text
        _checker()(self.document)
        count = sum(len(self.document.get(name, ())) for name in ("shapes", "bodies", "joints", "forces", "events"))
        if count > MAX_THINGS:
            raise ModelError(
                f"the scene has {count} bodies, joints, forces, shapes and events; the limit is {MAX_THINGS}."
            )

    def model(self) -> Model:
        """A new model of the scene."""
        return self._build().model()

    def events(self, model: Model) -> list[Event]:
        """The events of the scene, for `model`, a model of the scene."""
        return read_events(self.document, self._build(), model)

    def with_values(self, values: Mapping[str, Any]) -> Scene:
        """The scene with other values at dotted paths, such as {"bodies.hammer.mass": 3.0}."""
        return Scene(with_values(self.document, values), self.folder, self.allow_outside, self.text)

    def simulate(
        self,
        scheme: Scheme | None = None,
        *,
        h: float | str | None = None,
        until: float | None = None,
        every: int | None = None,
        **options: Any,
    ) -> Trajectory:
        """The motion, with the scheme, step, end and interval of [run]; arguments override [run]. Other `options` are
        those of `lv.simulate`: events, progress, start, checkpoint, checkpoint_every."""
        from ..run.simulate import simulate

        given = {"scheme": scheme, "h": h, "until": until, "every": every}
        run = {"scheme": None, **self.run, **{name: value for name, value in given.items() if value is not None}}
        for name in ("h", "until"):
            if name not in run:
                raise ModelError(f"the scene does not define {name}: add it to [run], or give {name}=…")
        model = self.model()
        return simulate(model, **run, **{"events": self.events(model), **options})

    @property
    def run(self) -> dict[str, Any]:
        """The values of scheme, h, until and every in [run]."""
        table, build = self.document.get("run", {}), self._build()
        build.read_parameters()
        found: dict[str, Any] = {}
        for name in ("h", "until"):
            if name in table:
                found[name] = "auto" if table[name] == "auto" else build.number(table[name], f"run.{name}")
        if "every" in table:
            found["every"] = table["every"]
        if "scheme" in table:
            options = dict(table["scheme"])
            maker = schemes()[options.pop("type")]
            with at("run.scheme"):
                found["scheme"] = maker(**build.arguments(options, keys(maker), "run.scheme"))
        return found

    @property
    def output(self) -> Path | None:
        """The output file of [run]: a file.nc in the folder of the scene."""
        name = self.document.get("run", {}).get("output")
        if name is None:
            return None
        with at("run.output"):
            if not name.endswith(".nc"):
                raise FileError(f"the name of the output file must end in .nc, not {name[:60]!r}.")
            if self.folder is None:
                raise FileError("the folder of the scene is not known: use Scene(document, folder=…).")
            return inside(self.folder, name, self.allow_outside)

    def tracers(self, model: Model) -> dict[str, Point]:
        """The tracers of [run]: points of `model` whose paths are written, by name."""
        build = self._build()
        build.read_parameters()
        build.made = model
        table = self.document.get("run", {}).get("tracers", {})
        return {name: build.point(point, f"run.tracers.{dotted(name)}") for name, point in table.items()}

    def save(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Write the scene as TOML; one that was read from a file keeps the comments and the order of that file. force:
        replace a file that livens did not write, such as the one that the scene was read from."""
        _write(_marked(self.document) if self.text is None else updated(self.text, self.document), path, force)

    def _build(self) -> Build:
        known: dict[str, Solid] = {}
        left = [MAX_SOLID_BYTES]

        def read(table: dict[str, Any], path: str) -> Solid:
            if self.folder is None:
                raise FileError("the folder of the scene is not known: use Scene(document, folder=…).")
            key = json.dumps(table, sort_keys=True)
            if key not in known:
                known[key] = read_solid(table, self.folder, self.allow_outside)
                left[0] -= inside(self.folder, table["file"], self.allow_outside).stat().st_size
                if left[0] < 0:
                    raise FileError(f"the files of the scene have more than {MAX_SOLID_BYTES} bytes in total.")
            return known[key]

        return Build(self.document, read)

    def __repr__(self) -> str:
        things = ", ".join(f"{len(self.document.get(k, ()))} {k}" for k in ("bodies", "joints", "forces"))
        return f"Scene({self.document.get('name', 'model')!r}: {things})"


def _checker() -> Callable[[Any], None]:
    """The function that raises an error for documents that are not scenes; it imports pydantic."""
    require("pydantic", "scenes need pydantic", "pydantic")
    from .schema import check

    return check


def read_scene(path: str | os.PathLike[str], *, allow_outside: bool = False, max_bytes: int = MAX_BYTES) -> Scene:
    """The scene in a TOML file (docs/reference/scenes.md). Files that it refers to must be in its folder, unless
    `allow_outside` is True; nothing in it is executed.

    >>> import livens as lv, tempfile
    >>> m = lv.Model(gravity=(0, 0, -9.81), name="drop")
    >>> ball = m.add(lv.Body(lv.Ball(0.1, mass=2.0), velocity=(1 / 3, 0, 0), name="ball"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lv.write_scene(m, folder + "/drop.toml", h=1e-2, until=1.0)
    ...     scene = lv.read_scene(folder + "/drop.toml")
    >>> scene.model()["ball"].velocity.tolist() == ball.velocity.tolist(), scene.run
    (True, {'h': 0.01, 'until': 1.0})
    """
    try:
        file = file_path(path)
    except TypeError:
        raise FileError(f"{path!r} is not the name of a file.") from None
    try:
        text = read_limited(file, max_bytes).decode("utf-8-sig")  # some editors write a byte-order mark
    except UnicodeDecodeError:
        raise FileError(f"{file} is not text in UTF-8.") from None
    except ValueError:
        raise FileError(f"{str(file)!r} is not the name of a file.") from None
    document = parse(text, str(file))
    return Scene(document, file.resolve().parent, allow_outside, text)


def write_scene(
    model: Model,
    path: str | os.PathLike[str],
    *,
    scheme: Scheme | None = None,
    events: Sequence[Event] = (),
    force: bool = False,
    **run: Any,
) -> None:
    """Write `model` as a TOML scene with all digits: reading it gives a bitwise identical model. `scheme`, `h`,
    `until`, `every` and `output` are written to [run], `events` to [[events]]. A Python function cannot be written and
    is an error: use lv.Expression for signals, and text for `when` of events. The traced functions of lv.Energy,
    lv.Force and lv.Constraint are written as formulas. force: replace a file that livens did not write."""
    if not isinstance(model, Model):
        raise ModelError(f"the first argument of write_scene must be a Model, not {model!r}.")
    table = {name: plain(value) for name, value in run.items()}
    if scheme is not None:
        if type(scheme) not in schemes().values():
            raise ModelError(f"the scheme must be one such as lv.Livens(order=2), not {scheme!r}.")
        table = {"scheme": {"type": type(scheme).__name__, **asdict(scheme)}, **table}
    document = to_dict(model)
    if table:
        document = {**document, "run": table}
    if events:
        document = {**document, "events": describe_events(named(events), model)}
    Scene(document)  # raises an error if it could not be read again
    _write(_marked(document), path, force)


def _marked(document: dict[str, Any]) -> str:
    return f"# {MARK}\n{text_of(document)}"


def _write(text: str, path: str | os.PathLike[str], force: bool) -> None:
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise ModelError("a name in the model cannot be encoded in UTF-8.") from None
    with replacing(path, "scene", force) as temporary:
        temporary.write_bytes(data)
