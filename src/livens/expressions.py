"""Formulas as text, for files: "0.5*k*dot(x1 - x2, x1 - x2)", "0.3*sin(2*pi*t)". Parsed here, never run as Python.

    formula   = { name "=" value (";" or end of line) } value
    value     = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
    sum       = product { ("+" | "-") product }
    product   = signed { ("*" | "/") signed }
    signed    = ("-" | "+") signed | power
    power     = part [ "**" signed ]
    part      = atom { "[" whole number "]" }
    atom      = number | name | name "(" values ")" | "(" value ")" | "[" values "]"

A value is a number or a vector, which is written [x, y, z] and has numbers only in it. Text becomes a list of
instructions for a stack; a vector is a tuple, so that numbers and the symbols of CasADi are treated alike, entry by
entry. Length and depth are limited: whatever the text, reading it takes no more than a moment.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from . import symbols
from .checks import number
from .errors import ModelError

LENGTH = 20_000  # characters
DEPTH = 40  # brackets and signs within each other

TOKEN = re.compile(
    r"(?P<space>[ \t\r]+|\#[^\n]*)"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<end>[;\n])"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/<>=()\[\],])"
)
COMPARE = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
CONSTANTS = {"pi": np.pi, "inf": np.inf}
ONE = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "sqrt", "exp", "log"]
SCALAR: dict[str, tuple[int, Callable[..., Any]]] = {
    **{name: (1, getattr(symbols, name)) for name in ONE},
    "atan2": (2, symbols.atan2),
    "abs": (1, symbols.fabs),
    "sign": (1, symbols.sign),
    "floor": (1, symbols.floor),
    "ceil": (1, symbols.ceil),
    "min": (2, symbols.fmin),
    "max": (2, symbols.fmax),
    "where": (3, symbols.where),
}
VECTOR = {"dot": 2, "cross": 2, "norm": 1}
FUNCTIONS = (*SCALAR, *VECTOR)


class Token(NamedTuple):
    """A piece of the text and where it stands."""

    kind: str
    text: str
    column: int


class Step(NamedTuple):
    """One instruction for the stack."""

    does: str
    what: Any = None


class Expression:
    """A function of time t [s], or of other names, as text: a signal that files can hold.

    numbers: what the other names in it stand for. Operators + - * / **, comparisons, [x, y, z], v[0], the functions
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
        self.numbers = {name: number(value, f"{name} in {_short(text)}") for name, value in numbers.items()}
        _refuse_unknown(self, {"t", *self.numbers})

    def __call__(self, t: float) -> Any:
        """Its value at the time t [s]: a number, or a tuple of numbers."""
        return evaluate(self.steps, {**self.numbers, "t": t}, self.text)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


def names_in(steps: list[Step]) -> list[str]:
    """The names that must be given, in the order they appear."""
    known, found = set(CONSTANTS), dict[str, None]()
    for does, what in steps:
        if does == "store":
            known.add(what)
        elif does == "name" and what not in known:
            found[what] = None
    return list(found)


def _refuse_unknown(expression: Expression, known: set[str]) -> None:
    for name in names_in(expression.steps):
        if name not in known:
            raise ModelError(unknown(name, sorted(known), expression.text))


def unknown(name: str, known: list[str], text: str) -> str:
    """The sentence about a name that means nothing."""
    near = get_close_matches(name, [*known, *CONSTANTS], 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join([*known, *CONSTANTS])}."
    return f"{_short(text)} uses {name[:40]!r}, which is not given: {hint}"


def _short(text: Any) -> str:
    """The text as a sentence may quote it."""
    text = str(text).strip()
    return repr(text if len(text) <= 60 else text[:57] + "…")


# ── from text to instructions ──


def parsed(text: str) -> list[Step]:
    """The instructions of a formula, or a refusal that says where it is wrong."""
    if not isinstance(text, str) or not text.strip():
        raise ModelError("a formula is text such as '0.5*sin(3*t)', and cannot be empty.")
    if len(text) > LENGTH:
        raise ModelError(f"a formula has at most {LENGTH} characters, and this one has {len(text)}.")
    return _Parser(text).formula()


class _Parser:
    """Reads the grammar at the head of this file, one method for each line of it."""

    def __init__(self, text: str):
        self.text, self.depth, self.at = text, 0, 0
        self.steps: list[Step] = []
        self.tokens = self.split()

    def split(self) -> list[Token]:
        tokens, at, inside = [], 0, 0
        while at < len(self.text):
            found = TOKEN.match(self.text, at)
            if not found:
                hint = "; powers are written **" if self.text[at] == "^" else ""
                raise self.wrong(f"{self.text[at]!r} has no meaning here{hint}", at)
            inside += (found[0] in ("(", "[")) - (found[0] in (")", "]"))
            if found.lastgroup != "space" and not (inside > 0 and found[0] == "\n"):
                tokens.append(Token(str(found.lastgroup), found[0], at))
            at = found.end()
        return [*tokens, Token("stop", "", at)]

    def wrong(self, why: str, at: int | None = None) -> ModelError:
        at = self.now.column if at is None else at
        line = self.text.count("\n", 0, at) + 1
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        where = f"column {column}" if line == 1 else f"line {line}, column {column}"
        return ModelError(f"{_short(self.text)}, {where}: {why}.")

    @property
    def now(self) -> Token:
        return self.tokens[self.at]

    def takes(self, *texts: str) -> str:
        """The next token if it is one of `texts`, or nothing."""
        if self.now.kind != "sign" or self.now.text not in texts:
            return ""
        self.at += 1
        return self.tokens[self.at - 1].text

    def needs(self, text: str) -> None:
        if not self.takes(text):
            raise self.wrong(f"{text!r} is missing here")

    def ends(self) -> bool:
        """Skip the ends of lines; true if there was one."""
        begin = self.at
        while self.now.kind == "end":
            self.at += 1
        return self.at > begin

    def formula(self) -> list[Step]:
        self.ends()
        while self.now.kind == "name" and self.tokens[self.at + 1].text == "=":
            name = self.now.text
            if name in CONSTANTS or name in FUNCTIONS or name == "t":
                raise self.wrong(f"{name!r} has a meaning already")
            self.at += 2
            self.value()
            self.steps.append(Step("store", name))
            if not self.ends():
                raise self.wrong("';' or the end of the line is missing here")
        self.value()
        self.ends()
        if self.now.kind != "stop":
            raise self.wrong(f"{self.now.text!r} does not belong here")
        return self.steps

    def value(self) -> None:
        self.sum()
        if sign := self.takes(*COMPARE):
            self.sum()
            self.steps.append(Step(sign))

    def sum(self) -> None:
        self.product()
        while sign := self.takes("+", "-"):
            self.product()
            self.steps.append(Step(sign))

    def product(self) -> None:
        self.signed()
        while sign := self.takes("*", "/"):
            self.signed()
            self.steps.append(Step(sign))

    def signed(self) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            raise self.wrong(f"more than {DEPTH} brackets and signs stand within each other")
        if sign := self.takes("-", "+"):
            self.signed()
            if sign == "-":
                self.steps.append(Step("negative"))
        else:
            self.power()
        self.depth -= 1

    def power(self) -> None:
        self.part()
        if self.takes("**"):
            self.signed()
            self.steps.append(Step("**"))

    def part(self) -> None:
        self.atom()
        while self.takes("["):
            if not self.now.text.isdecimal() or len(self.now.text) > 4:
                raise self.wrong("a whole number such as 0, 1 or 2 is missing here")
            self.steps.append(Step("entry", int(self.now.text)))
            self.at += 1
            self.needs("]")

    def atom(self) -> None:
        token = self.now
        if token.kind == "number":
            self.at += 1
            self.steps.append(Step("number", float(token.text)))
        elif token.kind == "name":
            self.at += 1
            if self.takes("("):
                self.call(token)
            elif token.text in FUNCTIONS:
                raise self.wrong(f"'(' is missing after the function {token.text!r}")
            else:
                self.steps.append(Step("name", token.text))
        elif self.takes("("):
            self.value()
            self.needs(")")
        elif self.takes("["):
            self.steps.append(Step("vector", self.values("]")))
        else:
            raise self.wrong("a number, a name or a bracket is missing here")

    def call(self, token: Token) -> None:
        if token.text not in FUNCTIONS:
            near = get_close_matches(token.text, FUNCTIONS, 1)
            hint = f"did you mean {near[0]!r}" if near else f"there are {', '.join(FUNCTIONS)}"
            raise self.wrong(f"there is no function {token.text[:40]!r}: {hint}", token.column)
        wanted = VECTOR[token.text] if token.text in VECTOR else SCALAR[token.text][0]
        given = self.values(")")
        if given != wanted:
            raise self.wrong(f"{token.text} takes {wanted} value{'s' * (wanted > 1)}, not {given}", token.column)
        self.steps.append(Step("call", token.text))

    def values(self, last: str) -> int:
        count = 1
        self.value()
        while self.takes(","):
            self.value()
            count += 1
        self.needs(last)
        return count


# ── from instructions to values ──


def evaluate(steps: list[Step], names: Mapping[str, Any], text: str) -> Any:
    """The value of a formula: a number or symbol, or a tuple of them. Names stand for numbers, symbols or tuples."""
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
                    count = VECTOR[what] if what in VECTOR else SCALAR[what][0]
                    stack[len(stack) - count :] = [_call(what, stack[len(stack) - count :])]
                else:
                    two, one = stack.pop(), stack.pop()
                    stack.append(_binary(does, one, two))
    except ModelError as error:
        raise ModelError(f"{_short(text)}: {error}") from None
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
        raise ModelError("a vector has numbers in it, not vectors.")
    return tuple(values)


def _call(name: str, values: list[Any]) -> Any:
    sizes = [len(value) if isinstance(value, tuple) else 0 for value in values]
    if name in VECTOR:
        if len(set(sizes)) > 1 or not all(sizes) or (name == "cross" and sizes[0] != 3):
            raise ModelError(f"{name} takes {'vectors' if VECTOR[name] > 1 else 'a vector'} of equal length.")
        u, v = values[0], values[-1]
        if name == "cross":
            return tuple(u[i] * v[j] - u[j] * v[i] for i, j in ((1, 2), (2, 0), (0, 1)))
        return _dot(u, v) if name == "dot" else symbols.sqrt(_dot(u, v))
    if any(sizes):
        raise ModelError(f"{name} takes numbers, not vectors.")
    return SCALAR[name][1](*values)


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
    return symbols.truth(COMPARE[sign](one, two))
