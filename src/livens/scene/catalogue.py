"""The contents of a scene, from the constructors: *the keys of a table are the arguments of its class*.

A joint, force or shape is a table with its class in `type` and its arguments by name; a file creates no other objects.
Each argument is of a kind (number, point, formula, …), which follows from its annotation or its name; for each kind
schema.py defines the valid values, build.py reads them and describe.py writes them. A new public class in
`describe.joints`, `describe.forces` or `describe.shapes` needs no entry here.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any, NamedTuple

from .. import exported
from ..describe.mass import MassProperties
from ..describe.model import Body
from ..describe.shapes.solid import Solid

BY_NAME = {  # if the annotation is not specific enough
    "at": "place",
    "axes": "axes",
    "color": "color",
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
    "Numbers": "numbers",
    "Point": "point",
    "Pose": "pose",
    "Sequence[Body]": "bodies",
    "Sequence[Plane]": "planes",
    "Sequence[tuple[Body, Body]]": "pairs",
    "Sequence[float]": "sequence",
    "Sequence[Sequence[float]]": "table",
    "Side": "side",
    "Shape": "shape",
    "Signal": "signals",
    "Surface": "surface",
    "Thing": "joint",
    "bool": "choice",
    "float": "number",
    "int": "whole",
    "str": "word",
}
NAMES_IN_FILES = {"fn": "formula"}  # arguments that have another name in files
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
            continue  # the name of a thing is the key of its table
        kind = BY_NAME.get(name) or BY_ANNOTATION.get(_annotation(parameter))
        if kind is None:
            raise TypeError(
                f"argument {name!r} of {thing.__name__} has the annotation {parameter.annotation!r}, which is none of "
                f"{', '.join(BY_ANNOTATION)}."
            )
        default = None if name == "bodies" else parameter.default  # the bodies of a formula can be omitted
        found[NAMES_IN_FILES.get(name, name)] = Key(name, kind, default)
    return found


def _annotation(parameter: inspect.Parameter) -> str:
    """The annotation as text; a class gives its name."""
    given = parameter.annotation
    text = given.__name__ if isinstance(given, type) else str(given)
    return text.removesuffix(" | None")


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
    """True if text in it may use names, which `where` defines."""
    return any(key.kind in ("formula", "signal", "signals", "drive") for key in keys(thing).values())
