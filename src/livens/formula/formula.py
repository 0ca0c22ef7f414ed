"""Formulas: functions that users write, as lists of elementary operations.

A formula is a list of elementary operations on registers, (name, o, i, j) for w[o] ← name(w[i], w[j]). It can be stored
in a file, evaluated on other symbols (x = a + B r), and differentiated exactly by CasADi. Functions of symbols such as
`dot`, `norm` and `sin` are in functions.py; describe/body_symbols.py makes a formula from a user's function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import Array
from ..errors import ModelError
from .functions import casadi

UNARY = "SQRT SIN COS EXP LOG TAN ASIN ACOS ATAN SINH COSH TANH ASINH ACOSH ATANH FABS SIGN FLOOR CEIL EXPM1 LOG1P ERF"
BINARY = "ATAN2 COPYSIGN FMOD REMAINDER FMIN FMAX HYPOT"


def _by_name(name: str, operands: int) -> Callable[[Any, Any, Any], Any]:
    # CasADi is imported at first use: its functions are found by name
    return lambda ca, x, y: getattr(ca, name.lower())(*(x, y)[:operands])


OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
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
    **{name: _by_name(name, 1) for name in UNARY.split()},
    **{name: _by_name(name, 2) for name in BINARY.split()},
}


class Flat(NamedTuple):
    """A CasADi function as instructions. Registers: inputs first, then results, then intermediate values."""

    operations: list[str]
    registers: NDArray[np.int64]  # of the result and the operands (n, 3)
    constants: Array  # numbers of CONST (n,)
    size: int  # registers needed


def flatten(function: Any) -> Flat:
    """The instructions of a CasADi SX function. Inputs and results have fixed registers and are not copied; a result
    that is always zero has no instruction."""
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
            names = {number: name[3:] for name, number in vars(ca).items() if name.startswith("OP_")}
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


def with_numbers(flat: Flat, first: int, values: Sequence[float]) -> Flat:
    """`flat` with numbers in place of its inputs from register `first` on, each a CONST of its own; results move to
    their places."""
    n = len(values)
    if not n:
        return flat
    place = np.arange(flat.size)
    place[first + n :] -= n
    place[first : first + n] = flat.size - n + np.arange(n)
    own = np.column_stack([place[first : first + n], np.zeros((n, 2), dtype=np.int64)])
    registers = np.concatenate([own, place[flat.registers]])
    return Flat(["CONST"] * n + flat.operations, registers, np.concatenate([values, flat.constants]), flat.size)


HANDLE_KINDS = (
    "point",
    "direction",
    "velocity",
    "angular_velocity",
)  # quantities of a body, in world axes


@cache
def _names() -> dict[int, str]:
    """CasADi's number of an operation → its name."""
    numbers = vars(casadi())
    return {numbers[f"OP_{name}"]: name for name in [*OPERATIONS, "CONST"]}


class Formula:
    """A user's function of quantities of bodies and of the time, with `results` numbers as its value.

    handles: the number of the body of each quantity, in the user's list without the world; kinds: of HANDLE_KINDS;
    places: the coordinates of the point or direction in the body frame (n, 3). operations, registers, constants: as in
    `Flat`; the inputs are three numbers for each handle, in world axes, and the time.
    """

    kind, name = "formula", "formula"
    own_numbers: int = 0  # how many of the first CONST are numbers with names, of which each keeps its place
    names: tuple[str, ...] = ()  # of these numbers, if they are arguments of a function
    source: Any = None  # if it was made from text: (text, meanings of its names), see scene/build.py

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
        if unknown := set(self.operations) - set(OPERATIONS) - {"CONST"}:
            raise ModelError(f"a formula cannot contain the operation {sorted(unknown)[0]!r}.")
        if self.registers.min(initial=0) < 0 or self.results < 1 or not np.isfinite(self.places).all():
            raise ModelError("a formula has places, registers or a number of results that are not possible.")
        if not set(self.kinds) <= set(HANDLE_KINDS) or len(self.kinds) != len(self.handles):
            raise ModelError(f"a formula uses {', '.join(HANDLE_KINDS)} of bodies, not {self.kinds!r}.")
        self.varies = bool((self.registers[:, 1:] == inputs - 1).any())
        self.velocity_dependent = not {"velocity", "angular_velocity"}.isdisjoint(self.kinds)

    def __call__(self, x: Sequence[Any], t: Any, numbers: Sequence[Any] | None = None) -> list[Any]:
        """The results for the symbols x of the handles, each a column of three, and the time t. `numbers` replaces the
        constants of the formula."""
        ca = casadi()
        w: dict[int, Any] = {3 * k + i: column[i] for k, column in enumerate(x) for i in range(3)}
        w[3 * len(x)] = t
        values = iter(self.numbers.tolist() if numbers is None else numbers)
        for name, (o, i, j) in zip(self.operations, self.registers.tolist(), strict=True):
            w[o] = ca.SX(next(values)) if name == "CONST" else OPERATIONS[name](ca, w[i], w.get(j))
        first = 3 * len(x) + 1
        return [w.get(first + k, ca.SX(0.0)) for k in range(self.results)]

    @property
    def numbers(self) -> Array:
        """The constants of the formula, in the order in which they are used."""
        return self.constants[[name == "CONST" for name in self.operations]]
