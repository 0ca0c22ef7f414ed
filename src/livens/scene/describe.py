"""From a model to a document: dictionaries, lists, words and numbers, as in TOML and JSON, without loss.

Values that equal their default are left out. Large shapes that several bodies share are written once, under `shapes`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable
from itertools import chain, count
from typing import Any

import numpy as np

from ..describe.body import Body, Plane, Point
from ..describe.mass import MassProperties
from ..describe.model import Model
from ..describe.pose import Pose
from ..describe.shapes.compound import Compound
from ..describe.shapes.solid import Solid
from ..describe.surface import Surface
from ..describe.thing import Thing
from ..errors import ModelError
from ..formula.expression import Expression
from ..formula.formula import Formula
from ..formula.grammar import taken
from .catalogue import keys, shapes, things
from .formula_text import text_of
from .reading import Forgotten

FORMAT = 2
Document = dict[str, Any]


def to_dict(model: Model, forget: bool = False) -> Document:
    """`model` as a document. A Python function cannot be written: it is refused by name, or, with `forget`, only named.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81), name="drop")
    >>> ball = m.add(lv.Body(lv.PointMass(1.0), name="ball"))
    >>> spring = m.add(lv.Spring(m.world.point(0, 0, 1), ball.point(0, 0, 0), stiffness=10.0, length=0.5))
    >>> to_dict(m)["forces"]["spring1"]["stiffness"]
    10.0
    """
    return _Describe(model, forget).document()


class _Describe:
    """Writes a model as a document; each kind of value has a method of its name."""

    def __init__(self, model: Model, forget: bool):
        self.model, self.forget = model, forget
        self.shared: dict[str, Any] = {}
        self.named: dict[Any, str] = {}
        self.where: dict[str, Any] = {}
        self.formula_bodies: tuple[Body, ...] = ()

    def document(self) -> Document:
        model = self.model
        names = [body.name for body in model.bodies] + [thing.name for thing in [*model.joints, *model.forces]]
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            raise ModelError(f"the model has more than one thing named {twice[0]!r}.")
        uses = Counter(_same(body.shape) for body in model.bodies[1:])
        bodies = {body.name: self.body_table(body, uses[_same(body.shape)] > 1) for body in model.bodies[1:]}
        parts = {
            "shapes": self.shared,
            "bodies": bodies,
            "joints": {joint.name: self.thing(joint, "joint") for joint in model.joints},
            "forces": {force.name: self.thing(force, "force") for force in model.forces},
        }
        head: Document = {"livens": FORMAT, "name": model.name, "gravity": model.gravity.tolist()}
        head |= {"planar": model.planar} if model.planar else {}
        head |= {"floors": self.planes(model.floors, "floors")} if model.floors else {}
        return {**head, **{name: part for name, part in parts.items() if part}}

    def body_table(self, body: Body, shared: bool) -> Document:
        shape = body.shape
        if isinstance(shape, MassProperties):
            table = self.matter(shape, "")
        elif shared and isinstance(self.shaped(shape), Solid | Compound):
            table = {"shape": self.reference(shape)}
        else:
            table = {"shape": self.shape(shape, f"shape of body {body.name!r}")}
        if body.collision is not None:
            table["collision"] = self.shape(body.collision, f"collision of body {body.name!r}")
        if body.color is not None:
            table["color"] = body.color.tolist()
        if body.opacity != 1.0:
            table["opacity"] = body.opacity
        moves = {"velocity": body.velocity.tolist(), "body_rates": body.body_rates.tolist()}
        return {**table, **self.pose(body.pose, ""), **{k: v for k, v in moves.items() if repr(v) != "[0.0, 0.0, 0.0]"}}

    def thing(self, thing: Thing, kind: str) -> Document:
        """A joint or force: its class, its arguments, and the meaning of the names in its formulas."""
        made = type(thing)
        if things(kind).get(made.__name__) is not made:
            raise ModelError(f"{thing.name!r} cannot be stored: {made.__name__} is not a joint or force of livens.")
        self.where, self.formula_bodies = {}, thing.formula_bodies
        table = {"type": made.__name__, **self.arguments(thing, thing.name)}
        return {**table, "where": self.where} if self.where else table

    def arguments(self, thing: Any, owner: str) -> Document:
        table: Document = {}
        made: type = type(thing)
        for name, (argument, kind, default) in keys(made).items():
            value = getattr(thing, argument)  # attributes of a thing have the names of its arguments
            if value is None:
                continue
            write = getattr(self, kind)  # a method for each kind of argument
            plain = write(value, f"{argument} of {owner!r}")
            if plain != {} and repr(plain) != repr(
                list(map(float, default)) if isinstance(default, tuple) else default
            ):
                table[name] = plain
        return table

    # ── kinds ──

    def number(self, value: Any, what: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, float | int | np.floating | np.integer):
            raise ModelError(f"{what} cannot be stored: {value!r} is not a number.")
        return float(value) if math.isfinite(value) else str(float(value))

    def whole(self, value: Any, what: str) -> int:
        return int(value)

    def word(self, value: Any, what: str) -> str:
        return str(value)

    def choice(self, value: Any, what: str) -> bool:
        return bool(value)

    axes = word

    def vector(self, value: Any, what: str) -> Any:
        return [self.number(x, what) for x in np.asarray(value).tolist()]

    sequence = vector

    def table(self, value: Any, what: str) -> Any:
        return [self.vector(row, what) for row in value]

    def numbers(self, value: Any, what: str) -> Any:
        """A number, or one for each coordinate; zeros are one zero."""
        return self.vector(value, what) if np.any(value) and np.ndim(value) else self.number(np.max(value), what)

    def limits(self, value: Any, what: str) -> Any:
        """(lower, upper), or such a pair for each coordinate."""
        if not isinstance(value, tuple):
            return self.vector(value, what)
        return [self.vector((-np.inf, np.inf) if pair is None else pair, what) for pair in value]

    def inertia(self, value: Any, what: str) -> Any:
        J = np.asarray(value)
        return (np.diag(J) if not np.any(J - np.diag(np.diag(J))) else J).tolist()

    def point(self, value: Any, what: str) -> Document:
        if not isinstance(value, Point):
            raise ModelError(f"{what} cannot be stored: {value!r} is not a point.")
        return {"body": value.body.name, "point": value.r.tolist()}

    def body(self, value: Any, what: str) -> str:
        return str(value.name)

    joint = body

    def bodies(self, value: Any, what: str) -> list[str]:
        return [body.name for body in value]

    def plane(self, value: Any, what: str) -> Document:
        return {"body": value.body.name, "point": value.r.tolist(), "normal": value.normal.tolist()}

    def planes(self, value: Any, what: str) -> list[Document]:
        return [self.plane(plane, what) for plane in value]

    def side(self, value: Any, what: str) -> Any:
        return self.plane(value, what) if isinstance(value, Plane) else self.body(value, what)

    def pairs(self, value: Any, what: str) -> list[list[str]]:
        return [self.bodies(pair, what) for pair in value]

    def signals(self, value: Any, what: str) -> Any:
        """A constant, an expression, or a function that is named or refused."""
        if isinstance(value, Expression):
            for name, number in value.numbers.items():
                self.explain(name, number, what)
            return value.text
        if callable(value):
            function = _function_name(value)
            if self.forget:
                return {"function": function}
            raise ModelError(
                f"{what} is the Python function {function!r}, which a scene cannot contain: write it as "
                'lv.Expression("0.5*sin(3*t)").'
            )
        return self.vector(value, what) if np.ndim(value) else self.number(value, what)

    signal = drive = signals

    def formula(self, value: Formula, what: str) -> Any:
        """Its original text, or else text made from its instructions, or else the instructions."""
        names = [body.name for body in self.formula_bodies]
        if value.source is not None:
            said, given = value.source
            for name, meaning in given.items():
                if isinstance(meaning, tuple):
                    slot, kind, r = meaning
                    meaning = self.handle(names[slot] if slot >= 0 else "world", kind, r)
                self.explain(name, meaning, what)
            return said
        own = dict(zip(value.names, value.numbers.tolist(), strict=False))
        first = len(self.where)
        clash = any(taken(name) or self.where.get(name, number) != number for name, number in own.items())
        clash = clash or not own.keys().isdisjoint(f"x{first + k}" for k in range(len(value.handles)))
        words = None if clash else text_of(value, first, value.names)
        if words is None:  # then without names of numbers
            own, words = {}, text_of(value, first)
        if words is None:
            return {
                "handles": value.handles,
                "kinds": value.kinds,
                "places": value.places.tolist(),
                "operations": value.operations,
                "registers": value.registers.tolist(),
                "constants": value.constants.tolist(),
                "results": value.results,
            }
        for name, number in own.items():
            self.explain(name, number, what)
        for k, (slot, kind, r) in enumerate(zip(value.handles, value.kinds, value.places, strict=True)):
            self.explain(f"x{first + k}", self.handle(names[slot], kind, r), what)
        return words

    def handle(self, body: str, kind: str, r: Any) -> Document:
        return {"body": body, kind: True if kind == "angular_velocity" else np.asarray(r).tolist()}

    def explain(self, name: str, meaning: Any, what: str) -> None:
        """Add a name to `where`."""
        if self.where.setdefault(name, meaning) != meaning:
            raise ModelError(f"{what} uses the name {name!r} with another meaning than the other formulas: rename it.")

    # ── shapes ──

    def shaped(self, shape: Any) -> Any:
        """The shape, or a Solid if its class is not part of livens."""
        own = shapes().get(type(shape).__name__) is type(shape)
        return shape if own else Solid(shape.mass_properties, shape.surface)

    def shape(self, shape: Any, what: str) -> Document:
        shape = self.shaped(shape)
        return {"type": type(shape).__name__, **self.arguments(shape, what)}

    def reference(self, shape: Any) -> str:
        """The name of a shared shape under `shapes`."""
        key = _same(shape)
        if key not in self.named:
            name = (isinstance(shape, Solid) and shape.name) or f"shape{len(self.shared) + 1}"
            free = (x for x in chain([name], (f"{name} {k}" for k in count(2))) if x not in self.shared)
            self.named[key] = next(free)
            self.shared[self.named[key]] = self.shape(shape, f"shape {name!r}")
        return self.named[key]

    def matter(self, value: MassProperties, what: str) -> Document:
        return self.arguments(value, what)

    def surface(self, value: Surface, what: str) -> Document:
        return {"vertices": value.vertices.tolist(), "triangles": value.triangles.tolist()}

    def pose(self, value: Pose, what: str) -> Document:
        table = {"at": value.a.tolist(), "rotation": value.B.tolist()}
        rest = {"at": [0.0] * 3, "rotation": np.eye(3).tolist()}
        return {name: entry for name, entry in table.items() if repr(entry) != repr(rest[name])}

    def parts(self, value: Any, what: str) -> list[Document]:
        return [{"shape": self.shape(shape, what), **self.pose(pose, what)} for shape, pose in value]


def _function_name(value: Any) -> str:
    """The name of a Python function; objects that can be called have none, and give that of their class."""
    if isinstance(value, Forgotten):
        return value.function
    # an object that can be called need not have a name
    return str(getattr(value, "__qualname__", type(value).__name__))


def _same(shape: Any) -> Any:
    """A key that equal shapes share."""
    return shape if isinstance(shape, Hashable) else id(shape)
