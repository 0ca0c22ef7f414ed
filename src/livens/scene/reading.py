"""Values of a document: numbers, vectors, points, signals, formulas. Each kind has a method of its name.

A number may be text, an expression of the parameters. Signals and formulas are parsed (grammar.py); a formula is then
traced like a Python function of a user.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..describe.body import Plane
from ..describe.mass import HUGE
from ..describe.model import Body, Model, Point
from ..describe.pose import Pose
from ..errors import ModelError
from ..formula.expression import Expression, evaluate, unknown
from ..formula.formula import HANDLE_KINDS, Formula
from ..formula.grammar import Step, exponents, names_in, parsed, taken
from .paths import at, dotted, refusal


class Forgotten:
    """Replaces a Python function of a stored motion; a call raises an error that tells how to restore the function."""

    def __init__(self, function: str, what: str, owner: str):
        self.function, self.what, self.owner = function, what, owner

    def __call__(self, *arguments: Any) -> Any:
        raise ModelError(
            f"{self.what} of {self.owner!r} was the Python function {self.function!r}, which a file cannot contain: "
            f"set model[{self.owner!r}].{self.what} to that function before you continue."
        )


class Written:
    """A formula as a function that livens traces: its names are numbers, or points, directions and velocities."""

    kind = "formula"  # errors then name no line of Python

    def __init__(self, text: str, steps: list[Step], given: dict[str, Any]):
        self.text, self.steps, self.given = text, steps, given

    def __call__(self, b: Any, t: Any) -> Any:
        powers = exponents(self.steps)
        names = {name: _seen(b, meaning, name in powers) for name, meaning in self.given.items()}
        return evaluate(self.steps, {**names, "t": t}, self.text)


def _seen(b: Any, meaning: Any, power: bool) -> Any:
    if not isinstance(meaning, tuple):
        return meaning if power else b.number(meaning)  # a power is part of the formula: x**2 is a square
    body, kind, r = meaning
    column = b[body].handle(kind, r)
    return tuple(column[i] for i in range(3))


class Reading:
    """Reads the values of a document; they may refer to the part of the model that is built already."""

    def __init__(self, parameters: dict[str, Any]):
        self.given = parameters
        self.parameters: dict[str, float] = {}
        self.where: dict[str, Any] = {}
        self.owner = ""
        self.made = Model()

    def read_parameters(self) -> None:
        """Numbers by name; each may use the previous ones."""
        for name, value in self.given.items():
            _refuse_taken(name, dotted("parameters", name))
            self.parameters[name] = self.number(value, dotted("parameters", name))

    def meanings(self, table: dict[str, Any], path: str) -> dict[str, Any]:
        """The meaning of names: numbers, or (body, kind, coordinates)."""
        found: dict[str, Any] = {}
        for name, value in table.items():
            here = f"{path}.where.{dotted(name)}"
            _refuse_taken(name, here)
            if not isinstance(value, dict):
                found[name] = self.number(value, here)
                continue
            kinds = [kind for kind in HANDLE_KINDS if kind in value]
            if len(kinds) > 1:
                raise refusal(here, f"it is a {kinds[0]} or a {kinds[1]}, not both.")
            kind = kinds[0] if kinds else "point"
            body = self.body(value["body"], f"{here}.body")
            r = value.get(kind, [0.0, 0.0, 0.0])
            found[name] = (body, kind, self.local(body, r, f"{here}.{kind}") if r is not True else np.zeros(3))
        return found

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

    def choice(self, value: Any, path: str) -> bool:
        return bool(value)

    axes = word

    def color(self, value: Any, path: str) -> Any:
        return value if isinstance(value, str) else self.vector(value, path)

    def vector(self, value: Any, path: str) -> Any:
        return [self.number(x, f"{path}.{k}") for k, x in enumerate(value)]

    place = sequence = vector

    def table(self, value: Any, path: str) -> Any:
        return [self.vector(row, f"{path}.{k}") for k, row in enumerate(value)]

    def numbers(self, value: Any, path: str) -> Any:
        return self.vector(value, path) if isinstance(value, list) else self.number(value, path)

    def limits(self, value: Any, path: str) -> Any:
        return [self.numbers(x, f"{path}.{k}") for k, x in enumerate(value)]

    def inertia(self, value: Any, path: str) -> Any:
        return [
            self.vector(x, f"{path}.{k}") if isinstance(x, list) else self.number(x, path) for k, x in enumerate(value)
        ]

    def rotation(self, value: Any, path: str) -> Any:
        """A matrix, or a table for one of the constructors of Pose."""
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

    def plane(self, value: Any, path: str) -> Plane:
        """A plane of a body: { body, point, normal }, in body axes."""
        body = self.body(value["body"], f"{path}.body")
        normal = self.vector(value.get("normal", [0.0, 0.0, 1.0]), f"{path}.normal")
        with at(path):
            return body.plane(self.vector(value.get("point", [0.0, 0.0, 0.0]), f"{path}.point"), normal=normal)

    def planes(self, value: Any, path: str) -> list[Plane]:
        return [self.plane(table, f"{path}.{k}") for k, table in enumerate(value)]

    def side(self, value: Any, path: str) -> Body | Plane:
        """What touches: the name of a body, or a plane."""
        return self.body(value, path) if isinstance(value, str) else self.plane(value, path)

    def pairs(self, value: Any, path: str) -> list[tuple[Body, Body]]:
        """Pairs of names of bodies."""
        found = [self.bodies(pair, f"{path}.{k}") for k, pair in enumerate(value)]
        return [(one, two) for one, two in found]

    def joint(self, value: Any, path: str) -> Any:
        return self.named(value, "joint", path)

    def named(self, name: str, kind: str, path: str) -> Any:
        """The body or thing of this name that is built already."""
        try:
            return self.made[name]
        except ModelError:
            among = [thing.name for thing in (self.made.bodies if kind == "body" else self.made.joints)]
        near = get_close_matches(name, among, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"a {kind} must be defined before the things that refer to it."
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
        """Three numbers, or a function of time that gives three: a text, or a list that contains texts."""
        if isinstance(value, list) and any(isinstance(x, str) for x in value):
            for x in value:
                if isinstance(x, str):
                    parsed(x)
            value = f"[{', '.join(x if isinstance(x, str) else repr(float(x)) for x in value)}]"
        return self.vector(value, path) if isinstance(value, list) else self.signal(value, path)

    def timed(self, text: str) -> Any:
        """An expression of time, or its value if it does not depend on time."""
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
        return Written(value, parsed(value), self.meant(value, list(HANDLE_KINDS)))

    def meant(self, text: str, kinds: list[str]) -> dict[str, Any]:
        """The names in a text and their meaning, in the order of `where`."""
        used = names_in(parsed(text))
        known = {**self.parameters, **self.where}
        for name in used:
            if name != "t" and name not in known:
                raise ModelError(unknown(name, sorted({*known, "t"}), text))
            if isinstance(known.get(name), tuple) and not kinds:
                raise ModelError(
                    f"{name!r} is a {known[name][1]} of a body, and a signal depends on numbers and time only."
                )
        return {name: meaning for name, meaning in known.items() if name in used}


def _refuse_taken(name: str, path: str) -> None:
    if taken(name):
        raise refusal(path, f"{name!r} already has a meaning in formulas: choose another name.")


def slotted(meaning: Any, slots: Sequence[Body]) -> Any:
    """The meaning of a name, with the number of its body in `slots`, or −1 for the world."""
    if not isinstance(meaning, tuple):
        return meaning
    body, kind, r = meaning
    return (slots.index(body) if body in slots else -1, kind, r)
