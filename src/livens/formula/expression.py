"""Formulas as text, for files: "0.5*k*dot(x1 - x2, x1 - x2)", "0.3*sin(2*pi*t)". They are never run as Python.

A value is a number or a vector of numbers, [x, y, z]. A vector is a tuple, so that numbers and CasADi symbols are
treated in the same way, entry by entry.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..checks import Array, number
from ..errors import ModelError
from ..kernels.signal_table import fill_from_tapes
from . import functions
from .grammar import ARGUMENTS, CONSTANTS, Step, names_in, parsed, short, taken
from .jet import Jet, jet_of_time
from .recorder import Recorder, Tape

COMPARISON_FUNCTIONS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
SCALAR: dict[str, Callable[..., Any]] = {
    "sin": functions.sin,
    "cos": functions.cos,
    "tan": functions.tan,
    "asin": functions.asin,
    "acos": functions.acos,
    "atan": functions.atan,
    "atan2": functions.atan2,
    "sinh": functions.sinh,
    "cosh": functions.cosh,
    "tanh": functions.tanh,
    "sqrt": functions.sqrt,
    "exp": functions.exp,
    "log": functions.log,
    "abs": functions.fabs,
    "sign": functions.sign,
    "floor": functions.floor,
    "ceil": functions.ceil,
    "min": functions.fmin,
    "max": functions.fmax,
    "where": functions.where,
}


class Expression:
    """A function of time t [s] and of named numbers, as text: a signal that files can store.

    numbers: values of the other names in the text. Operators + - * / **, comparisons, [x, y, z], v[0], the functions
    sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, sqrt, exp, log, abs, sign, floor, ceil, min, max, dot,
    cross, norm, where(condition, x, y), and pi.

    >>> import livens as lv
    >>> push = lv.Expression("[a*sin(2*t), 0, 0]", a=3.0)
    >>> [round(float(x), 6) for x in push(0.25)]
    [1.438277, 0.0, 0.0]
    """

    def __init__(self, text: str, **numbers: float):
        self.text = text
        self.steps = parsed(text)
        self.numbers = {name: number(value, f"{name} in {short(text)}") for name, value in numbers.items()}
        if meant := [name for name in numbers if taken(name)]:
            raise ModelError(f"{short(text)}: {meant[0]!r} is reserved: use another name.")
        _refuse_unknown(self, {"t", *self.numbers})

    def __call__(self, t: float) -> Any:
        """The value at the time t [s]: a number, or a tuple of numbers."""
        return evaluate(self.steps, {**self.numbers, "t": t}, self.text)

    def tape(self, rates: bool = False) -> Tape:
        """Its instructions (recorder.py): the entries of its value, or, with `rates`, value, rate and acceleration of a
        number, differentiated exactly (jet.py)."""
        recorder = Recorder()
        found = evaluate(self.steps, {**self.numbers, "t": jet_of_time(recorder)}, self.text)
        entries = [x if isinstance(x, Jet) else Jet(x) for x in (found if isinstance(found, tuple) else (found,))]
        if not rates:
            return recorder.tape([entry.value for entry in entries])
        if isinstance(found, tuple):
            raise ModelError(f"{short(self.text)} is a vector, where a number is needed.")
        return recorder.tape(list(entries[0].parts))

    @property
    def size(self) -> tuple[int, ...]:
        """() for a number, (k,) for a vector of k numbers."""
        found = self(0.0)
        return (len(found),) if isinstance(found, tuple) else ()

    def table(self, t: Array) -> Array:
        """Its values at the times t [s]: (n,), or (n, k) for a vector of k numbers."""
        return _tabulated(self.tape(), t).reshape(len(t), *self.size)

    def derivatives(self, t: Array) -> Array:
        """Value, rate [1/s] and acceleration [1/s²] of a number at the times t: (n, 3), exactly (jet.py)."""
        return _tabulated(self.tape(rates=True), t)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


def _tabulated(tape: Tape, t: Array) -> Array:
    """The results of a tape at the times t: (n, results)."""
    table = np.empty((len(t), tape.results))
    whole = np.array([[0, len(tape.code), tape.results, 0]], dtype=np.int64)
    with np.errstate(all="ignore"):
        fill_from_tapes(tape.code, tape.constant, whole, t, np.zeros(tape.registers), table)
    return table


def _refuse_unknown(expression: Expression, known: set[str]) -> None:
    for name in names_in(expression.steps):
        if name not in known:
            raise ModelError(unknown(name, sorted(known), expression.text))


def unknown(name: str, known: list[str], text: str) -> str:
    """The message for a name that is not defined."""
    near = get_close_matches(name, [*known, *CONSTANTS], 1)
    hint = f"did you mean {near[0]!r}?" if near else f"the names are {', '.join([*known, *CONSTANTS])}."
    return f"{short(text)} uses {name[:40]!r}, which is not defined: {hint}"


def evaluate(steps: list[Step], names: Mapping[str, Any], text: str) -> Any:
    """The value of a formula: a number or symbol, or a tuple of them. `names` maps to numbers, symbols or tuples."""
    stack: list[Any] = []
    own: dict[str, Any] = {name: np.float64(value) for name, value in CONSTANTS.items()}
    try:
        with np.errstate(all="ignore"):
            for does, what in steps:
                if does == "number":
                    stack.append(np.float64(what))
                elif does == "name":
                    stack.append(own[what] if what in own else _entries(names[what]))
                elif does == "store":
                    own[what] = stack.pop()
                elif does == "negative":
                    stack.append(_each(operator.neg, stack.pop()))
                elif does == "entry":
                    stack.append(_entry(stack.pop(), what))
                elif does == "vector":
                    stack[len(stack) - what :] = [_vector(stack[len(stack) - what :])]
                elif does == "call":
                    count = ARGUMENTS[what]
                    stack[len(stack) - count :] = [_call(what, stack[len(stack) - count :])]
                else:
                    two, one = stack.pop(), stack.pop()
                    stack.append(_binary(does, one, two))
    except ModelError as error:
        raise ModelError(f"{short(text)}: {error}") from None
    return stack.pop()


def _entries(value: Any) -> Any:
    return np.float64(value) if isinstance(value, float | int) else value


def _each(function: Callable[..., Any], *values: Any) -> Any:
    if not isinstance(values[0], tuple):
        return function(*values)
    return tuple(function(*entries) for entries in zip(*values, strict=True))


def _entry(value: Any, k: int) -> Any:
    if not isinstance(value, tuple) or k >= len(value):
        what = f"a vector of {len(value)}" if isinstance(value, tuple) else "a number"
        raise ModelError(f"{what} has no entry [{k}].")
    return value[k]


def _vector(values: list[Any]) -> Any:
    if any(isinstance(value, tuple) for value in values):
        raise ModelError("the entries of a vector must be numbers, not vectors.")
    return tuple(values)


def _call(name: str, values: list[Any]) -> Any:
    sizes = [len(value) if isinstance(value, tuple) else 0 for value in values]
    if name not in SCALAR:
        if len(set(sizes)) > 1 or not all(sizes) or (name == "cross" and sizes[0] != 3):
            raise ModelError(f"{name} takes {'vectors' if len(values) > 1 else 'a vector'} of equal length.")
        u, v = values[0], values[-1]
        if name == "cross":
            return tuple(u[i] * v[j] - u[j] * v[i] for i, j in ((1, 2), (2, 0), (0, 1)))
        return _dot(u, v) if name == "dot" else functions.sqrt(_dot(u, v))
    if any(sizes):
        raise ModelError(f"{name} takes numbers, not vectors.")
    return SCALAR[name](*values)


def _dot(u: tuple[Any, ...], v: tuple[Any, ...]) -> Any:
    total = u[0] * v[0]
    for x, y in zip(u[1:], v[1:], strict=True):
        total = total + x * y
    return total


def _binary(sign: str, one: Any, two: Any) -> Any:
    sizes = [len(value) if isinstance(value, tuple) else 0 for value in (one, two)]
    if sign in "+-":
        if sizes[0] != sizes[1]:
            raise ModelError("only numbers, or vectors of equal length, can be added and subtracted.")
        return _each(operator.add if sign == "+" else operator.sub, one, two)
    if sign == "*" and not all(sizes):
        if sizes[0]:
            return tuple(x * two for x in one)
        return tuple(one * x for x in two) if sizes[1] else one * two
    if sign == "*":
        raise ModelError("vectors are multiplied by dot(u, v) or cross(u, v).")
    if sizes[1] or (sizes[0] and sign != "/"):
        raise ModelError(f"{sign!r} takes numbers, not vectors.")
    if sign == "/":
        return _each(lambda x: x / two, one)
    if sign == "**":
        return one**two
    return functions.truth(COMPARISON_FUNCTIONS[sign](one, two))
