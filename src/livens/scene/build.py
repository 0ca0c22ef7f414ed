"""From a document to a model: every table becomes an object by calling its class, which checks it once more.

Only joints, forces and shapes of this package are made; formulas are parsed (expressions.py); nothing is unpickled or
evaluated. Errors begin with the path in the document: "joints.elbow: axis of Revolute 'elbow' has length zero: …".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..errors import LivensError, MissingExtra, ModelError
from ..expressions import Expression, Step, evaluate, names_in, parsed, unknown
from ..mass import HUGE, MassProperties
from ..model import Body, Model, Point
from ..pose import Pose
from ..surface import Surface
from ..symbolic import KINDS, Formula, moving
from .catalogue import body_keys, has_formula, keys, shapes, things

Table = dict[str, Any]
Read = Callable[[Table, str], Any]  # a table that names a file → its solid


class Forgotten:
    """Stands where a Python function stood when a motion was stored; calling it says what to do."""

    def __init__(self, function: str, what: str, owner: str):
        self.function, self.what, self.owner = function, what, owner

    def __call__(self, *arguments: Any) -> Any:
        raise ModelError(
            f"{self.what} of {self.owner!r} was the Python function {self.function!r}, which a file cannot hold: "
            f"set model[{self.owner!r}].{self.what} to that function before going on."
        )


class Written:
    """A formula as the function that livens traces: its names stand for numbers and for what bodies do."""

    kind = "formula"  # so that no error speaks of a line of Python

    def __init__(self, text: str, steps: list[Step], given: dict[str, Any]):
        self.text, self.steps, self.given = text, steps, given

    def __call__(self, b: Any, t: Any) -> Any:
        names = {name: _seen(b, meaning) for name, meaning in self.given.items()}
        return evaluate(self.steps, {**names, "t": t}, self.text)


def _seen(b: Any, meaning: Any) -> Any:
    if not isinstance(meaning, tuple):
        return meaning
    body, kind, r = meaning
    column = b[body].angular_velocity if kind == "angular_velocity" else getattr(b[body], kind)(r)
    return tuple(column[i] for i in range(3))


def from_dict(document: Table, read: Read | None = None) -> Model:
    """The model of a document. `read` gives the solid that a table with a file describes."""
    return Build(document, read).model()


@contextmanager
def at(path: str) -> Iterator[None]:
    """Let every refusal say where in the document it arose."""
    try:
        yield
    except MissingExtra:
        raise
    except LivensError as error:
        raise error if hasattr(error, "path") else refusal(path, str(error), type(error)) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise refusal(path, f"it cannot be made of this ({reason}).") from None


def refusal(path: str, sentence: str, kind: type = ModelError) -> LivensError:
    """An error that names its path once."""
    error: LivensError = kind(f"{path}: {sentence}")
    error.path = path  # type: ignore[attr-defined]
    return error


def dotted(*names: str | int) -> str:
    """A path as TOML writes keys: joints.elbow, bodies."ball 1".at."""
    return ".".join(name if re.fullmatch(r"[\w-]+", name, re.A) else f'"{name}"' for name in map(str, names))


class Build:
    """A document being read; each kind of value has a method of its name."""

    def __init__(self, document: Table, read: Read | None):
        self.document, self.read = document, read
        self.parameters: dict[str, float] = {}
        self.where: dict[str, Any] = {}
        self.shared: dict[str, Any] = {}
        self.made = Model()

    def model(self) -> Model:
        document = self.document
        self.read_parameters()
        gravity = self.vector(document.get("gravity", [0.0, 0.0, 0.0]), "gravity")
        self.made = Model(gravity, document.get("name", "model"))
        for name, table in document.get("shapes", {}).items():
            self.shared[name] = self.shape(table, dotted("shapes", name))
        for name, table in document.get("bodies", {}).items():
            path = dotted("bodies", name)
            with at(path):
                self.made.add(self.body_of(table, name, path))
        for place, kind in (("joints", "joint"), ("forces", "force")):
            for name, table in document.get(place, {}).items():
                path = dotted(place, name)
                with at(path):
                    self.made.add(self.thing(table, kind, name, path))
        return self.made

    def read_parameters(self) -> None:
        """Numbers by name; each may use those above it."""
        for name, value in self.document.get("parameters", {}).items():
            self.parameters[name] = self.number(value, dotted("parameters", name))

    def body_of(self, table: Table, name: str, path: str) -> Body:
        table = dict(table)
        if "mass" in table or "inertia" in table:
            if "shape" in table:
                raise ModelError("a body has a shape, or else mass, inertia and center: give one of the two.")
            if missing := {"mass", "inertia"} - set(table):
                raise ModelError(f"a body without a shape needs mass and inertia, and {missing.pop()} is missing.")
            shape = self.matter({k: table.pop(k) for k in keys(MassProperties) if k in table}, path)
        elif "shape" in table:
            shape = self.shape(table.pop("shape"), f"{path}.shape")
        else:
            raise ModelError("a body needs a shape, or mass and inertia.")
        if table.get("at") == "drawn":
            table["at"] = getattr(shape, "place", Pose()).a.tolist()
        return Body(shape, name=name, **self.arguments(table, body_keys(), path))

    def thing(self, table: Table, kind: str, name: str, path: str) -> Any:
        table = dict(table)
        maker = things(kind).get(table.pop("type"))
        if maker is None:
            raise ModelError("this version of livens knows no such joint or force.")
        self.where = self.meanings(table.pop("where", {}), path) if has_formula(maker) else {}
        self.owner = name
        arguments = self.arguments(table, keys(maker), path)
        if "fn" in arguments:
            arguments["bodies"] = self.users(arguments)
        made = maker(name=name, **arguments)
        for argument, given in arguments.items():
            if isinstance(given, Written):
                slots = moving(made.bodies)
                getattr(made, argument).source = (given.text, {k: _slotted(v, slots) for k, v in given.given.items()})
        return made

    def arguments(self, table: Table, known: dict[str, Any], path: str) -> dict[str, Any]:
        found = {}
        for name, value in table.items():
            here = f"{path}.{dotted(name)}"
            if name not in known:
                raise refusal(here, "there is no such key.")
            with at(here):
                found[known[name].argument] = getattr(self, known[name].kind)(value, here)
        return found

    def users(self, arguments: dict[str, Any]) -> list[Body]:
        """The bodies of a formula: those listed, or else those that are spoken of."""
        if arguments.get("bodies") is not None:
            return list(arguments["bodies"])
        point = [arguments["point"].body] if "point" in arguments else []
        meant = [meaning[0] for meaning in self.where.values() if isinstance(meaning, tuple)]
        return list(dict.fromkeys([*point, *meant]))

    def meanings(self, table: Table, path: str) -> dict[str, Any]:
        """What names stand for: numbers, or (body, kind, place)."""
        found: dict[str, Any] = {}
        for name, value in table.items():
            here = f"{path}.where.{dotted(name)}"
            if not isinstance(value, dict):
                found[name] = self.number(value, here)
                continue
            asked = [kind for kind in KINDS if kind in value]
            if len(asked) > 1:
                raise refusal(here, f"it is a {asked[0]} or a {asked[1]}, not both.")
            kind = asked[0] if asked else "point"
            body = self.body(value["body"], f"{here}.body")
            r = value.get(kind, [0.0, 0.0, 0.0])
            found[name] = (body, kind, self.local(body, r, f"{here}.{kind}") if r is not True else np.zeros(3))
        return found

    # ── kinds ──

    def number(self, value: Any, path: str) -> float:
        """A number, or an expression of the parameters that gives one."""
        if isinstance(value, str):
            with at(path):
                value = self.evaluated(value)
        if isinstance(value, bool | tuple) or not isinstance(value, float | int):
            raise refusal(path, "it must be a number, or an expression that gives one.")
        if HUGE < abs(value) < math.inf:
            raise refusal(path, "it is too large to compute with: check its unit.")
        return float(value)

    def evaluated(self, text: str) -> Any:
        steps = parsed(text)
        for name in names_in(steps):
            if name not in self.parameters:
                raise ModelError(unknown(name, sorted(self.parameters), text))
        return evaluate(steps, self.parameters, text)

    def whole(self, value: Any, path: str) -> int:
        return int(value)

    def word(self, value: Any, path: str) -> str:
        return str(value)

    axes = word

    def vector(self, value: Any, path: str) -> Any:
        return [self.number(x, f"{path}.{k}") for k, x in enumerate(value)]

    place = limits = vector

    def inertia(self, value: Any, path: str) -> Any:
        return [
            self.vector(x, f"{path}.{k}") if isinstance(x, list) else self.number(x, path) for k, x in enumerate(value)
        ]

    def rotation(self, value: Any, path: str) -> Any:
        """A matrix, or a table for one of the makers of Pose."""
        if isinstance(value, list):
            return [self.vector(row, f"{path}.{k}") for k, row in enumerate(value)]
        with at(path):
            match value:
                case {"quaternion": q, **rest} if not rest:
                    return Pose.from_quaternion(self.vector(q, f"{path}.quaternion")).B
                case {"axis": axis, "angle": angle, **rest} if not rest:
                    turn = self.number(angle, f"{path}.angle")
                    return Pose.from_axis_angle(self.vector(axis, f"{path}.axis"), turn).B
                case {"euler": angles, **rest} if set(rest) <= {"order"}:
                    return Pose.from_euler(self.vector(angles, f"{path}.euler"), str(rest.get("order", "zyx"))).B
            raise ModelError(
                "a rotation is a 3 × 3 matrix, { axis, angle } in radians, { quaternion }, or { euler, order } in "
                "degrees."
            )

    def pose(self, value: Any, path: str) -> Pose:
        place = self.vector(value.get("at", [0.0, 0.0, 0.0]), f"{path}.at")
        return Pose(place, self.rotation(value["rotation"], f"{path}.rotation") if "rotation" in value else None)

    def body(self, value: Any, path: str) -> Body:
        thing = self.named(value, "body", path)
        if not isinstance(thing, Body):
            raise refusal(path, f"{value!r} is a {type(thing).__name__}, not a body.")
        return thing

    def bodies(self, value: Any, path: str) -> list[Body]:
        return [self.body(name, f"{path}.{k}") for k, name in enumerate(value)]

    def joint(self, value: Any, path: str) -> Any:
        return self.named(value, "joint", path)

    def named(self, name: str, kind: str, path: str) -> Any:
        """What has this name so far; its class says whether it will do."""
        try:
            return self.made[name]
        except ModelError:
            among = [thing.name for thing in (self.made.bodies if kind == "body" else self.made.joints)]
        near = get_close_matches(name, among, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"a {kind} stands above what acts on it."
        raise refusal(path, f"there is no {kind} {name[:60]!r} so far: {hint}")

    def point(self, value: Any, path: str) -> Point:
        body = self.body(value["body"], f"{path}.body")
        if "point_at" in value:
            if "point" in value:
                raise refusal(path, "give point (body axes) or point_at (a place in the world), not both.")
            return body.point_at(self.vector(value["point_at"], f"{path}.point_at"))
        return Point(body, np.array(self.local(body, value.get("point", [0.0, 0.0, 0.0]), f"{path}.point")))

    def local(self, body: Body, value: Any, path: str) -> Any:
        if value == "center":
            return body.center.r
        return body.point(self.vector(value, path)).r

    def signal(self, value: Any, path: str) -> Any:
        """A number, or a function of time."""
        if isinstance(value, dict):
            return Forgotten(value["function"], path.rpartition(".")[2], self.owner)
        return self.timed(value) if isinstance(value, str) else self.number(value, path)

    def drive(self, value: Any, path: str) -> Any:
        """A function of time, which may be a constant."""
        made = self.signal(value, path)
        return made if callable(made) else Expression(repr(made))

    def signals(self, value: Any, path: str) -> Any:
        """Three numbers, or a function of time that gives three: one text, or a list with texts in it."""
        if isinstance(value, list) and any(isinstance(x, str) for x in value):
            for x in value:
                if isinstance(x, str):
                    parsed(x)
            value = f"[{', '.join(x if isinstance(x, str) else repr(float(x)) for x in value)}]"
        return self.vector(value, path) if isinstance(value, list) else self.signal(value, path)

    def timed(self, text: str) -> Any:
        """An expression of time, or its value where time does not occur in it."""
        names = self.meant(text, [])
        numbers = {name: value for name, value in names.items() if name != "t"}
        made = Expression(text, **numbers)
        if "t" in names_in(made.steps):
            return made
        value = made(0.0)
        return [float(x) for x in value] if isinstance(value, tuple) else float(value)

    def formula(self, value: Any, path: str) -> Any:
        """A function to be traced, or a formula as instructions."""
        if isinstance(value, dict):
            return Formula(**value)
        return Written(value, parsed(value), self.meant(value, list(KINDS)))

    def meant(self, text: str, kinds: list[str]) -> dict[str, Any]:
        """The names in a text, in the order of `where`, and what they stand for."""
        used = names_in(parsed(text))
        known = {**self.parameters, **self.where}
        for name in used:
            if name != "t" and name not in known:
                raise ModelError(unknown(name, sorted({*known, "t"}), text))
            if isinstance(known.get(name), tuple) and not kinds:
                raise ModelError(f"{name!r} is a {known[name][1]} of a body, and a signal knows numbers and time only.")
        return {name: meaning for name, meaning in known.items() if name in used}

    # ── shapes ──

    def shape(self, value: Any, path: str) -> Any:
        if isinstance(value, str):
            if value not in self.shared:
                near = get_close_matches(value, self.shared, 1)
                hint = f"did you mean {near[0]!r}?" if near else "it would stand under [shapes]."
                raise refusal(path, f"there is no shape {value[:60]!r}: {hint}")
            return self.shared[value]
        with at(path):
            if "file" in value:
                return self.from_file(value, path)
            table = dict(value)
            maker = shapes().get(table.pop("type"))
            if maker is None:
                raise ModelError("this version of livens knows no such shape.")
            return maker(**self.arguments(table, keys(maker), path))

    def from_file(self, value: Table, path: str) -> Any:
        if self.read is None:
            raise ModelError("files can be read only where the scene's folder is known.")
        table = dict(value)
        for key in ("density", "unit"):
            if key in table and not (key == "unit" and table[key] in ("m", "cm", "mm", "in")):
                table[key] = self.number(table[key], f"{path}.{key}")
        return self.read(table, path)

    def matter(self, value: Any, path: str) -> MassProperties:
        return MassProperties(**self.arguments(value, keys(MassProperties), path))

    def surface(self, value: Any, path: str) -> Surface:
        """Triangles, or those of a shape."""
        if isinstance(value, str) or "type" in value:
            return self.shape(value, path).surface
        vertices = np.array(value["vertices"], dtype=np.float64).reshape(-1, 3)
        triangles = np.array(value["triangles"], dtype=np.int32).reshape(-1, 3)
        if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(vertices):
            raise refusal(path, f"it names vertex {int(triangles.max())}, but has {len(vertices)} vertices.")
        if not np.isfinite(vertices).all():
            raise refusal(path, "it has vertices that are not finite.")
        return Surface(vertices, triangles)

    def parts(self, value: Any, path: str) -> list[Any]:
        return [
            (self.shape(part["shape"], f"{path}.{k}.shape"), self.pose(part, f"{path}.{k}"))
            for k, part in enumerate(value)
        ]


def _slotted(meaning: Any, slots: Sequence[Body]) -> Any:
    """What a name stands for, with the number of the body among those that move, or −1 for the world."""
    if not isinstance(meaning, tuple):
        return meaning
    body, kind, r = meaning
    return (slots.index(body) if body in slots else -1, kind, r)
