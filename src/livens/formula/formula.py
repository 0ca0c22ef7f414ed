"""Functions that users write, as formulas: traced once, kept as data, differentiated exactly by CasADi.

A function is called once, with symbols in the place of world points, directions and velocities of bodies. What it
computes is a `Formula`: a list of elementary operations on registers, (name, o, i, j) for w[o] ← name(w[i], w[j]), that
can be stored in a file, played back on other symbols (x = a + B r), and differentiated. Functions of symbols such as
`dot`, `norm` and `sin` stand in symbols.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import Array, vector
from ..describe.model import Body
from ..errors import ModelError
from .functions import casadi as casadi
from .trace import called, line_of

# ── a formula and how it is played ──

PLAY: dict[str, Callable[[Any, Any, Any], Any]] = {
    "ADD": lambda ca, x, y: x + y,
    "SUB": lambda ca, x, y: x - y,
    "MUL": lambda ca, x, y: x * y,
    "DIV": lambda ca, x, y: x / y,
    "NEG": lambda ca, x, y: -x,
    "SQ": lambda ca, x, y: x * x,
    "TWICE": lambda ca, x, y: 2.0 * x,
    "INV": lambda ca, x, y: 1.0 / x,
    "ASSIGN": lambda ca, x, y: x,
    "POW": lambda ca, x, y: x**y,
    "CONSTPOW": lambda ca, x, y: x**y,
    "LT": lambda ca, x, y: x < y,
    "LE": lambda ca, x, y: x <= y,
    "EQ": lambda ca, x, y: x == y,
    "NE": lambda ca, x, y: x != y,
    "NOT": lambda ca, x, y: ca.logic_not(x),
    "AND": lambda ca, x, y: ca.logic_and(x, y),
    "OR": lambda ca, x, y: ca.logic_or(x, y),
    "IF_ELSE_ZERO": lambda ca, x, y: ca.if_else(x, y, 0.0),
}
ONE = "SQRT SIN COS EXP LOG TAN ASIN ACOS ATAN SINH COSH TANH ASINH ACOSH ATANH FABS SIGN FLOOR CEIL EXPM1 LOG1P ERF"
TWO = "ATAN2 COPYSIGN FMOD REMAINDER FMIN FMAX HYPOT"


def _by_name(name: str, operands: int) -> Callable[[Any, Any, Any], Any]:
    return lambda ca, x, y: getattr(ca, name.lower())(*(x, y)[:operands])


PLAY |= {name: _by_name(name, 1) for name in ONE.split()} | {name: _by_name(name, 2) for name in TWO.split()}


class Flat(NamedTuple):
    """A CasADi function as instructions. Registers: inputs first, then results, then intermediate values."""

    operations: list[str]
    registers: NDArray[np.int64]  # of the result and the operands (n, 3)
    constants: Array  # numbers of CONST (n,)
    size: int  # registers needed


def flatten(function: Any) -> Flat:
    """The instructions of a CasADi SX function. Inputs are read where they stand, and results are computed where they
    belong; results that are always zero have no instruction."""
    ca, name_of = casadi(), _names()
    starts_in = np.cumsum([0, *(function.nnz_in(k) for k in range(function.n_in()))])
    starts_out = starts_in[-1] + np.cumsum([0, *(function.numel_out(k) for k in range(function.n_out()))])
    where_out = [function.sparsity_out(k).find() for k in range(function.n_out())]
    holds: dict[int, int] = {}  # CasADi's register → the value it holds: an input's register, or ~instruction
    steps: list[tuple[str, int, list[int], float]] = []
    results: list[tuple[int, int]] = []  # register of a result, and the value that belongs there
    for k in range(function.n_instructions()):
        op, out, into = function.instruction_id(k), function.instruction_output(k), function.instruction_input(k)
        if op == ca.OP_INPUT:
            holds[out[0]] = int(starts_in[into[0]]) + into[1]
        elif op == ca.OP_OUTPUT:
            results.append((int(starts_out[out[0]]) + int(where_out[out[0]][out[1]]), holds[into[0]]))
        elif op not in name_of:
            names = {getattr(ca, n): n[3:] for n in dir(ca) if n.startswith("OP_")}
            raise ModelError(f"the operation {names.get(op, op)} of CasADi cannot be used in user-written physics.")
        else:
            constant = function.instruction_constant(k) if op == ca.OP_CONST else 0.0
            steps.append((name_of[op], out[0], [holds[i] for i in into], constant))
            holds[out[0]] = ~(len(steps) - 1)
    place: dict[int, int] = {}  # value → the result's register it is computed in
    copies: list[tuple[int, int]] = []
    for register, value in results:
        if value < 0 and value not in place:
            place[value] = register
        else:
            copies.append((register, value))
    temporary = int(starts_out[-1])

    def register_of(value: int) -> int:
        return value if value >= 0 else place.get(value, temporary + steps[~value][1])

    lines = []
    for k, (_, _, into, _) in enumerate(steps):
        i, j = [*(register_of(value) for value in into), 0, 0][:2]
        lines.append((register_of(~k), i, j))
    lines += [(register, register_of(value), 0) for register, value in copies]
    return Flat(
        operations=[name for name, *_ in steps] + ["ASSIGN"] * len(copies),
        registers=np.array(lines, dtype=np.int64).reshape(-1, 3),
        constants=np.array([constant for *_, constant in steps] + [0.0] * len(copies)),
        size=temporary + max([out + 1 for _, out, _, _ in steps], default=0),
    )


KINDS = ("point", "direction", "velocity", "angular_velocity")  # what a formula may ask of a body, in world axes


@cache
def _names() -> dict[int, str]:
    """CasADi's numbers of the operations → their names."""
    return {getattr(casadi(), f"OP_{name}"): name for name in [*PLAY, "CONST"]}


class Formula:
    """What a user's function computes from what bodies do and the time: `results` numbers.

    handles: the bodies' numbers in the list the user gave, without the world; kinds: of KINDS; places: the coordinates
    of the point or direction in the body frame (n, 3). operations, registers, constants: as in `Flat`; the inputs are
    the handles' three numbers in world axes each, and the time.
    """

    kind, name = "formula", "formula"
    source: Any = None  # the text it came from, if it did: (text, what its names stand for), see scene/build.py

    def __init__(
        self,
        handles: Sequence[int],
        kinds: Sequence[str],
        places: ArrayLike,
        operations: Sequence[str],
        registers: ArrayLike,
        constants: ArrayLike,
        results: int,
    ):
        self.handles, self.kinds, self.operations = list(handles), list(kinds), list(operations)
        self.places = np.array(places, dtype=np.float64).reshape(len(self.handles), 3)
        self.registers = np.array(registers, dtype=np.int64).reshape(len(self.operations), 3)
        self.constants = np.array(constants, dtype=np.float64).reshape(len(self.operations))
        self.results = int(results)
        inputs = 3 * len(self.handles) + 1
        if unknown := set(self.operations) - set(PLAY) - {"CONST"}:
            raise ModelError(f"a formula knows no operation {sorted(unknown)[0]!r}.")
        if self.registers.min(initial=0) < 0 or self.results < 1 or not np.isfinite(self.places).all():
            raise ModelError("a formula needs places, registers and results that exist.")
        if not set(self.kinds) <= set(KINDS) or len(self.kinds) != len(self.handles):
            raise ModelError(f"a formula asks bodies for {', '.join(KINDS)}, not {self.kinds!r}.")
        self.timed = bool((self.registers[:, 1:] == inputs - 1).any())
        self.moving = not {"velocity", "angular_velocity"}.isdisjoint(self.kinds)

    def __call__(self, x: Sequence[Any], t: Any, numbers: Sequence[Any] | None = None) -> list[Any]:
        """The results for handles at the symbols x, each a column of three, and time t; `numbers` may stand in the
        place of its own."""
        ca = casadi()
        w: dict[int, Any] = {3 * k + i: column[i] for k, column in enumerate(x) for i in range(3)}
        w[3 * len(x)] = t
        values = iter(self.numbers.tolist() if numbers is None else numbers)
        for name, (o, i, j) in zip(self.operations, self.registers.tolist(), strict=True):
            w[o] = ca.SX(next(values)) if name == "CONST" else PLAY[name](ca, w[i], w.get(j))
        first = 3 * len(x) + 1
        return [w.get(first + k, ca.SX(0.0)) for k in range(self.results)]

    @property
    def numbers(self) -> Array:
        """The constants in it, in the order they are used."""
        return self.constants[[name == "CONST" for name in self.operations]]


# ── tracing ──


class BodySymbol:
    """A body inside a user's function: its points, directions and velocities as symbols in world axes."""

    def __init__(self, trace: Trace, body: Body):
        self._trace, self._body = trace, body

    def point(self, *r: Any) -> Any:
        """Where the body-fixed point r is: `point(1, 0, 0)` or `point((1, 0, 0))`, body axes [m]."""
        return self._trace.handle(self._body, "point", r[0] if len(r) == 1 else r)

    def direction(self, *u: Any) -> Any:
        """The body-fixed direction u in world axes; its length is that of u."""
        return self._trace.handle(self._body, "direction", u[0] if len(u) == 1 else u)

    @property
    def position(self) -> Any:
        """Where the origin of the body frame is [m]."""
        return self.point(0.0, 0.0, 0.0)

    @property
    def rotation(self) -> Any:
        """The rotation matrix, body to world, 3 × 3."""
        return casadi().horzcat(*(self.direction(*e) for e in np.eye(3)))

    def velocity(self, *r: Any) -> Any:
        """The velocity of the body-fixed point r, body axes [m]: `velocity(1, 0, 0)` or `velocity((1, 0, 0))` [m/s]."""
        return self._trace.handle(self._body, "velocity", r[0] if len(r) == 1 else r)

    @property
    def angular_velocity(self) -> Any:
        """The angular velocity [rad/s]."""
        return self._trace.handle(self._body, "angular_velocity", np.zeros(3))


def listed(bodies: Any, label: str) -> tuple[Body, ...]:
    """A list of different bodies, or a refusal."""
    if not isinstance(bodies, list | tuple) or not bodies or not all(isinstance(body, Body) for body in bodies):
        raise ModelError(f"{label} needs a list of bodies such as bodies=[arm], not {bodies!r}.")
    if len({id(body) for body in bodies}) < len(bodies):
        raise ModelError(f"{label} lists a body twice.")
    return tuple(bodies)


def moving(bodies: Sequence[Body]) -> tuple[Body, ...]:
    """The bodies without the world, as the slots of a formula number them."""
    return tuple(body for body in bodies if body.name != "world")


class Wanted(NamedTuple):
    """What a user's function must give."""

    answer: str = "an expression of its symbols (such as lv.dot(u, v) − c), or a list of them"
    results: int = 0  # how many numbers; 0: one or more, each of which must depend on a body
    still: str = "an equation is one of places, directions and time"  # why no velocities; "": they are welcome


class Trace:
    """What a user's function is given for b: `b[body]`."""

    def __init__(self, bodies: Sequence[Body], label: str, still: str):
        self.bodies, self.label, self.still = moving(bodies), label, still
        self.listed = list(bodies)
        self.found: dict[tuple[int, str, tuple[float, ...]], Any] = {}

    def __getitem__(self, body: Body) -> BodySymbol:
        if not any(body is mine for mine in self.listed):
            name = repr(body.name) if isinstance(body, Body) else repr(body)
            raise ModelError(f"{self.label} uses body {name}, which is not among its bodies.")
        return BodySymbol(self, body)

    def handle(self, body: Body, kind: str, r: Any) -> Any:
        ca = casadi()
        at = vector(r, f"{kind} on body {body.name!r} in {self.label}")
        if kind.endswith("velocity") and self.still:
            raise ModelError(f"{self.label} asks for a velocity of body {body.name!r}, but {self.still}.")
        if body.name == "world":
            return ca.SX(ca.DM(np.zeros(3) if kind.endswith("velocity") else at))
        slot = next(k for k, mine in enumerate(self.bodies) if mine is body)
        key = (slot, kind, tuple(at.tolist()))
        if key not in self.found:
            self.found[key] = ca.SX.sym(f"x{len(self.found)}", 3)
        return self.found[key]


def traced(fn: Callable[..., Any], bodies: Sequence[Body], label: str, wanted: Wanted | None = None) -> Formula:
    """The formula of fn(b, t) or fn(b); whatever cannot be one is refused, with the line at fault."""
    ca = casadi()
    wanted = wanted or Wanted()
    b, t = Trace(bodies, label, wanted.still), ca.SX.sym("t")
    arguments = (b, t) if _takes_time(fn) else (b,)
    rows = called(fn, arguments, label, wanted.answer)
    if wanted.results and len(rows) != wanted.results:
        given = f"{len(rows)} number{'s' * (len(rows) > 1)}"
        raise ModelError(f"{label} must give {wanted.answer}, not {given}{line_of(fn)}.")
    x = ca.vertcat(ca.SX(0, 1), *b.found.values())
    for row in rows:
        if not (wanted.results == 3 or ca.depends_on(row, x)):
            raise ModelError(f"{label} gives {row}, which depends on none of its bodies{line_of(fn)}.")
    try:
        function = ca.Function("g", [x, t], rows)
    except RuntimeError as error:  # of another trace, kept by a user
        raise ModelError(f"{label} has symbols in it that are not of its bodies{line_of(fn)}.") from error
    flat = flatten(function)
    if np.isnan(flat.constants).any():
        raise ModelError(f"{label} gives NaN whatever the bodies do{line_of(fn)}.")
    return Formula(
        handles=[slot for slot, _, _ in b.found],
        kinds=[kind for _, kind, _ in b.found],
        places=[at for _, _, at in b.found],
        operations=flat.operations,
        registers=flat.registers,
        constants=flat.constants,
        results=len(rows),
    )


def _takes_time(fn: Callable[..., Any]) -> bool:
    """Whether fn wants the time: a second argument without a default, or one named t."""
    try:
        parameters = list(inspect.signature(fn).parameters.values())[1:2]
    except (TypeError, ValueError):  # built in: nothing is known
        return True
    return any(p.name == "t" or (p.default is p.empty and p.kind is not p.KEYWORD_ONLY) for p in parameters)
