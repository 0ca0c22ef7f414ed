"""A model as plain data (what JSON knows), and back, without losing a bit.

One convention carries every joint and force: *a thing's constructor arguments are its attributes*. So a thing is
stored as the name of its class and its arguments, read off the constructor's signature, and made again by calling
the constructor, which checks everything once more. Only joints and forces of this package are made;
nothing is unpickled or evaluated. What JSON does not know stands in an object with one key:

    {"point": [body, [x, y, z]]}   {"body": name}   {"thing": name}   {"array": […]}   {"tuple": […]}
    {"float": "inf"}   {"class": name, "arguments": {…}}   {"function": name}

Of a shape its mass properties and its triangles are kept, shapes that are equal only once. A Python function cannot
be stored: what comes back refuses to be called, naming the thing it belongs to.
"""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Hashable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from .errors import ModelError
from .mass import MassProperties
from .model import Body, Model, Point
from .solid import Solid
from .surface import Surface


class Forgotten:
    """Stands where a Python function stood when the model was stored; calling it says what to do."""

    def __init__(self, function: str, what: str, owner: str):
        self.__qualname__, self.what, self.owner = function, what, owner

    def __call__(self, *arguments: Any) -> Any:
        raise ModelError(
            f"{self.what} of {self.owner!r} was the Python function {self.__qualname__!r}, which a file cannot hold: "
            f"set model[{self.owner!r}].{self.what} to that function before going on."
        )


def to_dict(model: Model) -> dict[str, Any]:
    """`model` as dictionaries, lists, strings and numbers that JSON holds without loss.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81), name="drop")
    >>> ball = m.add(lv.Body(lv.PointMass(1.0), name="ball"))
    >>> spring = m.add(lv.Spring(m.world.point(0, 0, 1), ball.point(0, 0, 0), stiffness=10.0, length=0.5))
    >>> to_dict(m)["things"][0]["arguments"]["stiffness"], from_dict(to_dict(m))["spring1"].length
    (10.0, 0.5)
    """
    names = Counter(thing.name for thing in [*model.bodies, *model.joints, *model.forces])
    if twice := [name for name, count in names.items() if count > 1]:
        raise ModelError(f"the model has more than one thing named {twice[0]!r}.")
    shapes: list[dict[str, Any]] = []
    number: dict[Any, int] = {}
    bodies = []
    for body in model.bodies[1:]:
        key = body.shape if isinstance(body.shape, Hashable) else id(body.shape)
        if key not in number:
            number[key] = len(shapes)
            shapes.append(_shape(body.shape))
        bodies.append(
            {
                "name": body.name,
                "shape": number[key],
                "at": body.pose.a.tolist(),
                "rotation": body.pose.B.tolist(),
                "velocity": body.velocity.tolist(),
                "body_rates": body.body_rates.tolist(),
            }
        )
    return {
        "name": model.name,
        "gravity": model.gravity.tolist(),
        "shapes": shapes,
        "bodies": bodies,
        "things": [_thing(thing, model) for thing in [*model.joints, *model.forces]],
    }


def from_dict(data: dict[str, Any]) -> Model:
    """The model that `to_dict` described; a description that is wrong raises ModelError, KeyError or TypeError."""
    model = Model(gravity=data["gravity"], name=data["name"])
    shapes = [_solid(shape) for shape in data["shapes"]]
    for body in data["bodies"]:
        model.add(Body(**{**body, "shape": shapes[body["shape"]]}))
    makers = things()
    described = {thing["arguments"]["name"]: thing for thing in data["things"]}
    made: dict[str, Any] = {}

    def make(thing: dict[str, Any], owner: str) -> Any:
        if thing["class"] not in makers:
            raise ModelError(f"this version of livens knows no {thing['class']!r}.")
        arguments = thing["arguments"]
        return makers[thing["class"]](**{key: back(value, key, owner) for key, value in arguments.items()})

    def find(name: str) -> Any:
        if name not in made:
            made[name] = make(described[name], name)
        return made[name]

    def back(value: Any, what: str, owner: str) -> Any:
        if isinstance(value, list):
            return [back(x, what, owner) for x in value]
        match value:
            case {"point": [str(name), r]}:
                return model[name].point(r)
            case {"body": str(name)}:
                return model[name]
            case {"thing": str(name)}:
                return find(name)
            case {"array": entries}:
                return np.array(back(entries, what, owner))
            case {"tuple": entries}:
                return tuple(back(entries, what, owner))
            case {"float": str(text)}:
                return float(text)
            case {"function": str(name)}:
                return Forgotten(name, what, owner)
            case {"class": _, "arguments": _}:
                return make(value, owner)
            case dict():
                raise ModelError(f"{what} of {owner!r} is described by {sorted(value)}, which means nothing here.")
        return value

    for name in described:
        model.add(find(name))
    return model


@cache
def things() -> dict[str, type]:
    """Name → class of everything that acts on bodies: the only classes that are ever made from a file."""
    homes = ("forces", "joints", "gears", "rolling", "user", "acting", "symbolic")
    modules = [f"livens.{name}" for name in homes if find_spec(f"livens.{name}")]
    kinds = ("joint", "force", "formula")
    return {
        name: thing
        for module in modules
        for name, thing in vars(import_module(module)).items()
        if inspect.isclass(thing) and thing.__module__ == module and getattr(thing, "kind", "") in kinds
    }


def _thing(thing: Any, model: Model) -> dict[str, Any]:
    kind = type(thing)
    if things().get(kind.__name__) is not kind:
        raise ModelError(f"{thing.name!r} cannot be stored: {kind.__name__} is not a joint or force of livens.")
    names = list(inspect.signature(kind).parameters)
    return {
        "class": kind.__name__,
        "arguments": {name: _plain(getattr(thing, name), f"{name} of {thing.name!r}", model) for name in names},
    }


def _plain(value: Any, what: str, model: Model) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Point):
        return {"point": [value.body.name, value.r.tolist()]}
    if isinstance(value, Body):
        return {"body": value.name}
    if isinstance(value, np.ndarray):
        return {"array": _plain(value.tolist(), what, model)}
    if isinstance(value, tuple):
        return {"tuple": _plain(list(value), what, model)}
    if isinstance(value, list):
        return [_plain(x, what, model) for x in value]
    if value in model:
        return {"thing": value.name}
    if type(value).__name__ in things():
        return _thing(value, model)
    if callable(value):
        return {"function": getattr(value, "__qualname__", type(value).__name__)}
    raise ModelError(f"{what} cannot be stored: {value!r} is neither a number, an array, a point nor a part of livens.")


def _shape(shape: Any) -> dict[str, Any]:
    matter, surface = shape.mass_properties, shape.surface
    return {
        "mass": matter.mass,
        "inertia": matter.inertia.tolist(),
        "center": matter.center.tolist(),
        "vertices": surface.vertices.tolist(),
        "triangles": surface.triangles.tolist(),
    }


def _solid(shape: dict[str, Any]) -> Solid:
    vertices = np.array(shape["vertices"], dtype=np.float64).reshape(-1, 3)
    triangles = np.array(shape["triangles"], dtype=np.int32).reshape(-1, 3)
    if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(vertices):
        raise ModelError(f"a surface names vertex {int(triangles.max())}, but has {len(vertices)} vertices.")
    return Solid(MassProperties(shape["mass"], shape["inertia"], shape["center"]), Surface(vertices, triangles))
