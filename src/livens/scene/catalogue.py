"""What a scene may hold, read off the constructors: *the keys of a table are the arguments of its class*.

A joint, force or shape is a table with its class in `type` and its arguments by name; nothing else is ever made from a
file. Each argument is of a kind (number, point, formula, …), which its annotation or its name tells; for each kind
schema.py knows what is valid, build.py how it is read and describe.py how it is written.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any, NamedTuple

from .. import exported
from ..describe.mass import MassProperties
from ..describe.model import Body
from ..describe.shapes.solid import Solid

BY_NAME = {  # where the annotation says too little
    "at": "place",
    "axes": "axes",
    "effort": "signal",
    "inertia": "inertia",
    "joint": "joint",
    "limits": "limits",
    "parts": "parts",
    "rotation": "rotation",
}
BY_ANNOTATION = {
    "Any": "anything",
    "ArrayLike": "vector",
    "Axial": "joint",
    "Body": "body",
    "Callable[..., Any] | Formula": "formula",
    "Drive": "drive",
    "MassProperties": "matter",
    "Point": "point",
    "Pose": "pose",
    "Sequence[Body]": "bodies",
    "Shape": "shape",
    "Signal": "signals",
    "Surface": "surface",
    "bool": "choice",
    "float": "number",
    "int": "whole",
    "str": "word",
}
SPOKEN = {"fn": "formula"}  # arguments that a file calls by a plainer name
NEEDED = inspect.Parameter.empty


class Key(NamedTuple):
    """One argument: its name in Python, its kind, and its default, NEEDED if there is none."""

    argument: str
    kind: str
    default: Any

    @property
    def needed(self) -> bool:
        return self.default is NEEDED


@cache
def keys(thing: type) -> dict[str, Key]:
    """The keys of a table that describes an object of this class."""
    found = {}
    for name, parameter in inspect.signature(thing).parameters.items():
        if name == "name" and thing is not Solid:
            continue  # the name of a thing is the name of its table
        annotation = str(parameter.annotation).removesuffix(" | None")
        kind = BY_NAME.get(name) or BY_ANNOTATION[annotation]
        default = None if name == "bodies" else parameter.default  # those that a formula speaks of
        found[SPOKEN.get(name, name)] = Key(name, kind, default)
    return found


@cache
def things(kind: str) -> dict[str, type]:
    """Name → class of every "joint", or of every "force"."""
    return exported(f"describe.{kind}s")


@cache
def shapes() -> dict[str, type]:
    """Name → class of every shape."""
    found = {name: shape for name, shape in exported("describe.shapes").items() if inspect.isclass(shape)}
    return {**found, "MassProperties": MassProperties}


@cache
def schemes() -> dict[str, type]:
    """Name → class of every scheme."""
    return exported("step")


def body_keys() -> dict[str, Key]:
    """The keys of a body: its shape, or else its mass, inertia and centre; its pose and its motion."""
    both = {**keys(MassProperties), **keys(Body)}
    return {name: key._replace(default=None) if key.needed else key for name, key in both.items()}


def has_formula(thing: type) -> bool:
    """Whether text in it may use names, which `where` explains."""
    return any(key.kind in ("formula", "signal", "signals", "drive") for key in keys(thing).values())
