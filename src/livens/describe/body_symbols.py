"""User functions of bodies, called once with symbols to obtain their formula.

A function is called once, with symbols for the world points, directions and velocities of bodies that it uses; its
result is a `Formula` (formula/formula.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..checks import vector
from ..errors import ModelError
from ..formula.formula import Formula, flatten, with_numbers
from ..formula.functions import casadi
from ..formula.trace import called, line_of
from .body import Body, without_world


class BodySymbol:
    """A body inside a user's function: its points, directions and velocities as symbols in world axes."""

    def __init__(self, trace: Trace, body: Body):
        self._trace, self._body = trace, body

    def handle(self, kind: str, r: Any) -> Any:
        """One of its vectors: a "point", "direction", "velocity" or "angular_velocity" (formula/formula.py)."""
        return self._trace.handle(self._body, kind, r)

    def point(self, *r: Any) -> Any:
        """The world position of the body-fixed point r: `point(1, 0, 0)` or `point((1, 0, 0))`, body axes [m]."""
        return self.handle("point", r[0] if len(r) == 1 else r)

    def direction(self, *u: Any) -> Any:
        """The body-fixed direction u in world axes; its length is that of u."""
        return self.handle("direction", u[0] if len(u) == 1 else u)

    @property
    def position(self) -> Any:
        """The world position of the origin of the body frame [m]."""
        return self.point(0.0, 0.0, 0.0)

    @property
    def rotation(self) -> Any:
        """The rotation matrix, body to world, 3 × 3."""
        return casadi().horzcat(*(self.direction(*e) for e in np.eye(3)))

    def velocity(self, *r: Any) -> Any:
        """The velocity of the body-fixed point r, body axes [m]: `velocity(1, 0, 0)` or `velocity((1, 0, 0))` [m/s]."""
        return self.handle("velocity", r[0] if len(r) == 1 else r)

    @property
    def angular_velocity(self) -> Any:
        """The angular velocity [rad/s]."""
        return self.handle("angular_velocity", np.zeros(3))


def distinct_bodies(bodies: Any, label: str) -> tuple[Body, ...]:
    """The bodies as a tuple; refused if they are not bodies, or not all different."""
    if not isinstance(bodies, list | tuple) or not bodies or not all(isinstance(body, Body) for body in bodies):
        raise ModelError(f"{label} needs a list of bodies such as bodies=[arm], not {bodies!r}.")
    if len({id(body) for body in bodies}) < len(bodies):
        raise ModelError(f"{label} lists a body twice.")
    return tuple(bodies)


class Expected(NamedTuple):
    """The result that is expected of a user's function."""

    answer: str = "an expression of its symbols (such as lv.dot(u, v) − c), or a list of them"
    results: int = 0  # how many numbers; 0: one or more, each of which must depend on a body
    no_velocity: str = (
        "an equation depends on positions, directions and time only"  # why no velocities; "": they are welcome
    )


class Trace:
    """The first argument of a user's function: `b[body]` gives the symbols of a body."""

    def __init__(self, bodies: Sequence[Body], label: str, no_velocity: str):
        self.bodies, self.label, self.no_velocity = without_world(bodies), label, no_velocity
        self.listed = list(bodies)
        self.found: dict[tuple[int, str, tuple[float, ...]], Any] = {}
        self.numbers: list[tuple[Any, float]] = []  # symbols and values

    def number(self, value: float) -> Any:
        """A number that stays a number of the formula of its own, whatever its value is."""
        self.numbers.append((casadi().SX.sym(f"c{len(self.numbers)}"), float(value)))
        return self.numbers[-1][0]

    def __getitem__(self, body: Body) -> BodySymbol:
        if not any(body is mine for mine in self.listed):
            name = repr(body.name) if isinstance(body, Body) else repr(body)
            raise ModelError(f"{self.label} uses body {name}, which is not among its bodies.")
        return BodySymbol(self, body)

    def handle(self, body: Body, kind: str, r: Any) -> Any:
        ca = casadi()
        at = vector(r, f"{kind} on body {body.name!r} in {self.label}")
        if kind.endswith("velocity") and self.no_velocity:
            raise ModelError(f"{self.label} uses a velocity of body {body.name!r}, but {self.no_velocity}.")
        if body.is_world:
            return ca.SX(ca.DM(np.zeros(3) if kind.endswith("velocity") else at))
        slot = next(k for k, mine in enumerate(self.bodies) if mine is body)
        key = (slot, kind, tuple(at.tolist()))
        if key not in self.found:
            self.found[key] = ca.SX.sym(f"x{len(self.found)}", 3)
        return self.found[key]


def traced(fn: Callable[..., Any], bodies: Sequence[Body], label: str, expected: Expected | None = None) -> Formula:
    """The formula of fn(b, t) or fn(b); a function that has none is refused, with the line at fault. Its arguments with
    numbers as defaults are numbers with names, unless it needs them as numbers, such as coordinates of a point."""
    expected, floats = expected or Expected(), _named_numbers(fn)

    def works(names: dict[str, float]) -> bool:
        try:
            _traced(fn, bodies, label, expected, names)
        except ModelError:
            return False
        return True

    if floats and not works(floats):
        floats = {name: value for name, value in floats.items() if works({name: value})}
    return _traced(fn, bodies, label, expected, floats)


def _traced(
    fn: Callable[..., Any], bodies: Sequence[Body], label: str, expected: Expected, floats: dict[str, float]
) -> Formula:
    ca = casadi()
    b, t = Trace(bodies, label, expected.no_velocity), ca.SX.sym("t")
    arguments = (b, t) if _takes_time(fn) else (b,)
    symbols = {name: b.number(value) for name, value in floats.items()}
    rows = called(partial(fn, **symbols) if symbols else fn, arguments, label, expected.answer)
    used = [name for name, c in symbols.items() if any(ca.depends_on(row, c) for row in rows)]
    b.numbers = [one for one, name in zip(b.numbers, floats, strict=False) if name in used] + b.numbers[len(floats) :]
    if expected.results and len(rows) != expected.results:
        given = f"{len(rows)} number{'s' * (len(rows) > 1)}"
        raise ModelError(f"{label} must give {expected.answer}, not {given}{line_of(fn)}.")
    x = ca.vertcat(ca.SX(0, 1), *b.found.values())
    numbers, values = ca.vertcat(ca.SX(0, 1), *(c for c, _ in b.numbers)), [value for _, value in b.numbers]
    for row in rows:
        if not (expected.results == 3 or ca.depends_on(row, x)):
            given = ca.substitute(row, numbers, ca.SX(values))
            raise ModelError(f"{label} gives {given}, which depends on none of its bodies{line_of(fn)}.")
    try:
        function = ca.Function("g", [x, t, numbers], rows)
    except RuntimeError as error:  # a symbol of another trace
        raise ModelError(f"{label} uses symbols that do not belong to its bodies{line_of(fn)}.") from error
    flat = with_numbers(flatten(function), 3 * len(b.found) + 1, values)
    if np.isnan(flat.constants).any():
        raise ModelError(f"{label} gives NaN for every motion of its bodies{line_of(fn)}.")
    made = Formula(
        handles=[slot for slot, _, _ in b.found],
        kinds=[kind for _, kind, _ in b.found],
        places=[at for _, _, at in b.found],
        operations=flat.operations,
        registers=flat.registers,
        constants=flat.constants,
        results=len(rows),
    )
    made.own_numbers, made.names = len(values), tuple(used)
    return made


def _named_numbers(fn: Callable[..., Any]) -> dict[str, float]:
    """The arguments of a function that have a number as their default, such as k=2.0: numbers of the formula with
    names. Whole numbers, such as k=2, are not: they may be exponents or indices."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):  # built in, without a signature
        return {}
    return {
        p.name: float(p.default)
        for p in parameters
        if isinstance(p.default, float) and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name != "t"
    }


def _takes_time(fn: Callable[..., Any]) -> bool:
    """True if fn takes the time: it has a second argument without a default, or one named t."""
    try:
        parameters = list(inspect.signature(fn).parameters.values())[1:2]
    except (TypeError, ValueError):  # built in, without a signature
        return True
    return any(p.name == "t" or (p.default is p.empty and p.kind is not p.KEYWORD_ONLY) for p in parameters)
