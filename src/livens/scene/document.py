"""Scenes: a document that is known to be one, the model it describes, and how to simulate it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..describe.model import Model, Point
from ..describe.shapes.solid import Solid
from ..errors import FileError, ModelError, require
from ..step import Scheme
from ..storage.atomic import replacing
from ..storage.bytes import contents
from .build import Build
from .catalogue import keys, schemes
from .describe import to_dict
from .paths import at, dotted
from .solids import BYTES, inside, read_solid
from .text import MOST, limit, parse, text_of, updated
from .values import plain, with_values

if TYPE_CHECKING:
    from ..record.trajectory import Trajectory

MAX_BYTES = 16_000_000  # of a scene's text


class Scene:
    """A scene: `document` is what its file says, checked. Files that it names are read from `folder`.

    >>> import livens as lv
    >>> scene = lv.Scene({
    ...     "livens": 1, "gravity": [0, 0, -9.81], "run": {"h": 1e-2, "until": 1.0},
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
            raise ModelError(f"a scene is a table such as {{'livens': 1, …}}, not {type(document).__name__}.")
        limit(dict(document))
        self.document = deepcopy(dict(document))
        self.folder = None if folder is None else Path(folder)
        self.allow_outside, self.text = allow_outside, text
        _checker()(self.document)
        count = sum(len(self.document.get(name, ())) for name in ("shapes", "bodies", "joints", "forces"))
        if count > MOST:
            raise ModelError(f"the scene has {count} bodies, joints, forces and shapes, and {MOST} is the limit.")

    def model(self) -> Model:
        """The model, made anew."""
        return self._build().model()

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
        """The motion, with the scheme, step, end and interval of [run] where none is given here; other `options` are
        those of `lv.simulate`: progress, start, checkpoint, checkpoint_every."""
        from ..run.simulate import simulate

        given = {"scheme": scheme, "h": h, "until": until, "every": every}
        run = {"scheme": None, **self.run, **{name: value for name, value in given.items() if value is not None}}
        for name in ("h", "until"):
            if name not in run:
                raise ModelError(f"the scene does not say {name}: write it under [run], or give {name}=…")
        return simulate(self.model(), **run, **options)

    @property
    def run(self) -> dict[str, Any]:
        """What [run] says of scheme, h, until and every."""
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
        """Where [run] wants the motion: a file.nc in the scene's folder."""
        name = self.document.get("run", {}).get("output")
        if name is None:
            return None
        with at("run.output"):
            if not name.endswith(".nc"):
                raise FileError(f"a motion is saved in a file that ends in .nc, not in {name[:60]!r}.")
            if self.folder is None:
                raise FileError("a motion can be saved only where the scene's folder is known.")
            return inside(self.folder, name, self.allow_outside)

    def tracers(self, model: Model) -> dict[str, Point]:
        """The points of `model` whose paths [run] wants, by name."""
        build = self._build()
        build.read_parameters()
        build.made = model
        table = self.document.get("run", {}).get("tracers", {})
        return {name: build.point(point, f"run.tracers.{dotted(name)}") for name, point in table.items()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scene as TOML; one that was read from a file keeps the comments and the order of that file."""
        _write(text_of(self.document) if self.text is None else updated(self.text, self.document), path)

    def _build(self) -> Build:
        known: dict[str, Solid] = {}
        left = [BYTES]

        def read(table: dict[str, Any], path: str) -> Solid:
            if self.folder is None:
                raise FileError("a file can be read only where the scene's folder is known: Scene(document, folder=…).")
            key = json.dumps(table, sort_keys=True)
            if key not in known:
                known[key] = read_solid(table, self.folder, self.allow_outside)
                left[0] -= inside(self.folder, table["file"], self.allow_outside).stat().st_size
                if left[0] < 0:
                    raise FileError(f"the files of the scene have more than {BYTES} bytes together.")
            return known[key]

        return Build(self.document, read)

    def __repr__(self) -> str:
        things = ", ".join(f"{len(self.document.get(k, ()))} {k}" for k in ("bodies", "joints", "forces"))
        return f"Scene({self.document.get('name', 'model')!r}: {things})"


def _checker() -> Callable[[Any], None]:
    """What refuses documents that are no scenes; pydantic is imported here, when it is needed."""
    require("pydantic", "scenes need pydantic", "pydantic")
    from .schema import check

    return check


def read_scene(path: str | os.PathLike[str], *, allow_outside: bool = False, max_bytes: int = MAX_BYTES) -> Scene:
    """The scene in a TOML file (docs/reference/scenes.md). Files that it names must lie in its folder, unless others
    are allowed; nothing in it is run as a program.

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
        file = Path(path)
    except TypeError:
        raise FileError(f"{path!r} is not the name of a file.") from None
    try:
        text = contents(file, max_bytes).decode("utf-8-sig")  # some editors put a mark in front
    except UnicodeDecodeError:
        raise FileError(f"{file} is not text in UTF-8.") from None
    except ValueError:
        raise FileError(f"{str(file)!r} is not the name of a file.") from None
    document = parse(text, str(file))
    return Scene(document, file.resolve().parent, allow_outside, text)


def write_scene(model: Model, path: str | os.PathLike[str], *, scheme: Scheme | None = None, **run: Any) -> None:
    """Write `model` as a TOML scene, with all digits: reading it gives the same model, bit for bit. `scheme`, `h`,
    `until`, `every` and `output` go under [run]. Python functions have no words and are refused by name: write signals
    as lv.Expression; what lv.Energy, lv.Force and lv.Constraint traced is written as formulas."""
    if not isinstance(model, Model):
        raise ModelError(f"write_scene takes a Model first, not {model!r}.")
    table = {name: plain(value) for name, value in run.items()}
    if scheme is not None:
        if type(scheme) not in schemes().values():
            raise ModelError(f"the scheme must be one such as lv.Livens(order=2), not {scheme!r}.")
        table = {"scheme": {"type": type(scheme).__name__, **asdict(scheme)}, **table}
    document = to_dict(model)
    if table:
        document = {**document, "run": table}
    Scene(document)  # it can be read again
    _write(text_of(document), path)


def _write(text: str, path: str | os.PathLike[str]) -> None:
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise ModelError("a name in the model is not text that UTF-8 holds.") from None
    with replacing(path) as temporary:
        temporary.write_bytes(data)
