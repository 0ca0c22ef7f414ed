"""Functions that users write, as formulas: traced once, kept as data, differentiated exactly by CasADi.

A function is called once, with symbols in the place of world points and directions of bodies. What it computes is a
`Formula`: a list of elementary operations on registers, (name, o, i, j) for w[o] ← name(w[i], w[j]), which can be
stored in a file, played back on other symbols (x = a + B r), and differentiated. The functions `dot`, `norm`,
`sin`, … of this module work on symbols and on numbers alike.
"""

from __future__ import annotations

import inspect
import traceback
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import Array, vector
from .errors import MissingExtra, ModelError
from .model import Body


def casadi() -> Any:
    """The package that differentiates, imported when it is needed."""
    try:
        return import_module("casadi")
    except ImportError as error:
        raise MissingExtra(f"user-written physics needs casadi ({error}): pip install 'livens[symbolic]'") from None


# ── functions of symbols and numbers ──


def _is_symbol(x: Any) -> bool:
    return type(x).__module__.startswith("casadi")


def _mixed(x: Any) -> bool:
    return _is_symbol(x) or (
        isinstance(x, list | tuple | np.ndarray) and any(_mixed(y) for y in x if not isinstance(y, float | int))
    )


def _column(x: Any) -> Any:
    return x if _is_symbol(x) else casadi().vertcat(*np.ravel(np.asarray(x, dtype=object)).tolist())


def _function(name: str) -> Callable[..., Any]:
    def function(*x: Any) -> Any:
        if any(_mixed(y) for y in x):
            return getattr(casadi(), name)(*(_column(y) if np.ndim(y) and not _is_symbol(y) else y for y in x))
        return getattr(np, name)(*x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}(x), of symbols in user-written physics or of numbers."
    return function


sin, cos, tan = _function("sin"), _function("cos"), _function("tan")
asin, acos, atan, atan2 = _function("asin"), _function("acos"), _function("atan"), _function("atan2")
sinh, cosh, tanh = _function("sinh"), _function("cosh"), _function("tanh")
sqrt, exp, log = _function("sqrt"), _function("exp"), _function("log")


def dot(u: Any, v: Any) -> Any:
    """u · v, of symbols or numbers."""
    return casadi().dot(_column(u), _column(v)) if _mixed(u) or _mixed(v) else np.dot(u, v)


def cross(u: Any, v: Any) -> Any:
    """u × v, of symbols or numbers."""
    return casadi().cross(_column(u), _column(v)) if _mixed(u) or _mixed(v) else np.cross(u, v)


def norm(u: Any) -> Any:
    """|u|, of symbols or numbers; it has no gradient where u = 0.

    >>> norm((3.0, 4.0)).item()
    5.0
    """
    return sqrt(dot(u, u))


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
    "IF_ELSE_ZERO": lambda ca, x, y: ca.if_else_zero(x, y),
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
    ca = casadi()
    name_of = {getattr(ca, f"OP_{name}"): name for name in [*PLAY, "CONST"]}
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


class Formula:
    """What a user's function computes from places and directions of bodies and the time: `results` numbers.

    handles: the bodies' numbers in the list the user gave; kinds: "point" or "direction"; places: their coordinates in
    the body frame (n, 3). operations, registers, constants: as in `Flat`; the inputs are the handles' world coordinates
    and the time.
    """

    kind, name = "formula", "formula"

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
        self.timed = bool((self.registers[:, 1:] == inputs - 1).any())

    def __call__(self, x: Sequence[Any], t: Any) -> list[Any]:
        """The results for handles at the symbols x, each a column of three, and time t."""
        ca = casadi()
        w: dict[int, Any] = {3 * k + i: column[i] for k, column in enumerate(x) for i in range(3)}
        w[3 * len(x)] = t
        lines = zip(self.operations, self.registers.tolist(), self.constants.tolist(), strict=True)
        for name, (o, i, j), constant in lines:
            w[o] = ca.SX(constant) if name == "CONST" else PLAY[name](ca, w[i], w.get(j))
        first = 3 * len(x) + 1
        return [w.get(first + k, ca.SX(0.0)) for k in range(self.results)]


# ── tracing ──


class BodySymbol:
    """A body inside a user's function: its points and directions as symbols in the world."""

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


class Trace:
    """What a user's function is given for b: `b[body]`."""

    def __init__(self, bodies: Sequence[Body], label: str):
        self.bodies, self.label = [body for body in bodies if body.name != "world"], label
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
        if body.name == "world":
            return ca.SX(ca.DM(at))
        slot = next(k for k, mine in enumerate(self.bodies) if mine is body)
        key = (slot, kind, tuple(at.tolist()))
        if key not in self.found:
            self.found[key] = ca.SX.sym(f"x{len(self.found)}", 3)
        return self.found[key]


def traced(fn: Callable[..., Any], bodies: Sequence[Body], label: str) -> Formula:
    """The formula of fn(b, t) or fn(b); whatever cannot be one is refused."""
    ca = casadi()
    b, t = Trace(bodies, label), ca.SX.sym("t")
    arguments = (b, t) if _takes_time(fn) else (b,)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # NumPy functions that CasADi understands are welcome
            value = fn(*arguments)
            rows = _rows(value, label)
    except (ModelError, MissingExtra):
        raise
    except Exception as error:
        raise ModelError(f"{label} cannot be traced{_line(fn, error)}: {_sentence(error)}.") from error
    for row in rows:
        if _is_nan(row):
            raise ModelError(
                f"{label} gives NaN whatever the bodies do{_line(fn, None)}: functions of `math` and float() cannot "
                "see symbols; use lv.sin, lv.sqrt, … instead."
            )
        if not ca.depends_on(row, ca.vertcat(ca.SX(0, 1), *b.found.values())):
            raise ModelError(f"{label} gives {row}, which depends on none of its bodies{_line(fn, None)}.")
    flat = flatten(ca.Function("g", [ca.vertcat(ca.SX(0, 1), *b.found.values()), t], rows))
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


def _rows(value: Any, label: str) -> list[Any]:
    """The equations a function returned: a symbol, a vector, or a list of these."""
    ca = casadi()
    if isinstance(value, list | tuple | np.ndarray):
        if np.ndim(np.empty(0) if isinstance(value, list | tuple) else value) > 1 or not len(value):
            raise ModelError(f"{label} must give one equation or a list of them, not {type(value).__name__} {value!r}.")
        return [row for part in value for row in _rows(part, label)]
    if isinstance(value, bool | str) or not isinstance(value, ca.SX | ca.DM | float | int | np.floating | np.integer):
        raise ModelError(
            f"{label} must give an expression of its symbols (such as lv.dot(u, v) − c), or a list of them, "
            f"not {type(value).__name__}{'' if value is None else f' {value!r}'}."
        )
    column = ca.SX(value)
    if 1 not in column.shape or 0 in column.shape:
        raise ModelError(
            f"{label} must give numbers or vectors, not a matrix of {column.shape[0]} × {column.shape[1]}."
        )
    column = ca.densify(column)
    return [column[k] for k in range(column.numel())]


def _is_nan(row: Any) -> bool:
    """True if a NaN stands in the expression itself."""
    ca = casadi()
    f = ca.Function("f", [ca.vertcat(ca.SX(0, 1), *ca.symvar(row))], [row])
    constants = [f.instruction_constant(k) for k in range(f.n_instructions()) if f.instruction_id(k) == ca.OP_CONST]
    return any(np.isnan(c) for c in constants)


def _line(fn: Any, error: Exception | None) -> str:
    """Where in the user's file it happened: ', line 12 of crank.py'."""
    code = getattr(fn, "__code__", None)
    if code is None:
        return ""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == code.co_filename] if error else []
    number = frames[-1].lineno if frames else code.co_firstlineno
    return f" (line {number} of {Path(code.co_filename).name})"


def _sentence(error: Exception) -> str:
    """What an error says, in its last line, without the place in CasADi where it arose."""
    if "not iterable" in str(error):
        return "symbols are taken apart by x[0], x[1], x[2]"
    lines = [
        line.strip().rpartition("hpp:")[2].lstrip("0123456789: ") for line in str(error).splitlines() if line.strip()
    ]
    return (lines[-1] if lines else type(error).__name__).rstrip(".")
