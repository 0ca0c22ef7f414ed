"""From a document to a model: each table becomes an object by a call of its class, which checks it again.

Only joints, forces and shapes of this package are created; formulas are parsed (grammar.py); nothing is unpickled or
evaluated. Errors begin with the path in the document: "joints.elbow: axis of Revolute 'elbow' has length zero: …".
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..describe.body import Body
from ..describe.mass import MassProperties
from ..describe.model import Model
from ..describe.pose import Pose
from ..describe.shapes.solid import Solid
from ..describe.surface import Surface
from ..describe.thing import Thing
from ..errors import ModelError
from .catalogue import body_keys, has_formula, keys, shapes, things
from .paths import at, dotted, refusal
from .reading import Reading, Written, slotted

Table = dict[str, Any]
Read = Callable[[Table, str], Any]  # table with a file name → its solid


def from_dict(document: Table, read: Read | None = None) -> Model:
    """The model of a document. `read` gives the solid for a table with a file name."""
    return Build(document, read).model()


class Build(Reading):
    """Builds a model from a document. Each kind of value has a method of its name, here or in Reading."""

    def __init__(self, document: Table, read: Read | None):
        super().__init__(document.get("parameters", {}))
        self.document, self.read = document, read
        self.shared: dict[str, Any] = {}

    def model(self) -> Model:
        document = self.document
        self.read_parameters()
        gravity = self.vector(document.get("gravity", [0.0, 0.0, 0.0]), "gravity")
        with at("planar"):
            self.made = Model(gravity, document.get("name", "model"), document.get("planar", ""))
        for floor in self.planes(document.get("floors", []), "floors"):
            with at("floors"):
                self.made.add(floor)
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
            table["at"] = (shape.place if isinstance(shape, Solid) else Pose()).a.tolist()
        return Body(shape, name=name, **self.arguments(table, body_keys(), path))

    def thing(self, table: Table, kind: str, name: str, path: str) -> Thing:
        table = dict(table)
        maker = things(kind).get(table.pop("type"))
        if maker is None:
            raise ModelError("this version of livens has no such joint or force.")
        self.where = self.meanings(table.pop("where", {}), path) if has_formula(maker) else {}
        self.owner = name
        arguments = self.arguments(table, keys(maker), path)
        if "bodies" in keys(maker) and any(key.kind == "formula" for key in keys(maker).values()):
            arguments["bodies"] = self.formula_bodies(arguments)
        made: Thing = maker(name=name, **arguments)
        if self.document.get("livens") == 1 and "start" not in arguments:
            made.count_from_points()
        for argument, given in arguments.items():
            if isinstance(given, Written):  # the attribute is then the formula that its function gave
                slots = made.formula_bodies
                # all of `where`, in its order: formulas of one thing share it, and each sees its names in this order
                names = {name: slotted(meaning, slots) for name, meaning in {**self.where, **given.given}.items()}
                # attributes of a thing have the names of its arguments
                getattr(made, argument).source = (given.text, names)
        return made

    def arguments(self, table: Table, known: dict[str, Any], path: str) -> dict[str, Any]:
        found = {}
        for name, value in table.items():
            here = f"{path}.{dotted(name)}"
            if name not in known:
                raise refusal(here, "there is no such key.")
            with at(here):
                read = getattr(self, known[name].kind)  # a method for each kind of argument
                found[known[name].argument] = read(value, here)
        return found

    def formula_bodies(self, arguments: dict[str, Any]) -> list[Body]:
        """The bodies of a formula: those listed, or else those that its names refer to."""
        if arguments.get("bodies") is not None:
            return list(arguments["bodies"])
        point = [arguments["point"].body] if "point" in arguments else []
        meant = [meaning[0] for meaning in self.where.values() if isinstance(meaning, tuple)]
        return list(dict.fromkeys([*point, *meant]))

    # ── shapes ──

    def shape(self, value: Any, path: str) -> Any:
        if isinstance(value, str):
            if value not in self.shared:
                near = get_close_matches(value, self.shared, 1)
                hint = f"did you mean {near[0]!r}?" if near else "shapes are defined under [shapes]."
                raise refusal(path, f"there is no shape {value[:60]!r}: {hint}")
            return self.shared[value]
        with at(path):
            if "file" in value:
                return self.from_file(value, path)
            table = dict(value)
            maker = shapes().get(table.pop("type"))
            if maker is None:
                raise ModelError("this version of livens has no such shape.")
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
        """Shapes with their poses. Names of shapes are refused, so that a short text cannot describe very many."""
        if any(isinstance(part["shape"], str) for part in value):
            raise refusal(path, "each part needs a shape of its own, not the name of a shape.")
        return [
            (self.shape(part["shape"], f"{path}.{k}.shape"), self.pose(part, f"{path}.{k}"))
            for k, part in enumerate(value)
        ]
