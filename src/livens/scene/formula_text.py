"""A traced formula as text: instructions on registers become lines in infix notation (formula/expression.py).

Values that are used more than once, or are nested too deeply, get a line and a name:

    v1 = x0[0] - x1[0]
    v2 = x0[2] - x1[2]
    40.0*(v1**2 + v2**2)

Text is used only if reading it gives bitwise identical instructions; otherwise the formula is written as a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..formula.expression import evaluate
from ..formula.formula import Formula, flatten, with_numbers
from ..formula.functions import casadi
from ..formula.grammar import MAX_LENGTH, exponents, names_in, parsed

INFIX = {  # notation of an operation, and its precedence
    "ADD": ("{0} + {1}", 1),
    "SUB": ("{0} - {1}", 1),
    "MUL": ("{0}*{1}", 2),
    "DIV": ("{0}/{1}", 2),
    "TWICE": ("2.0*{0}", 2),
    "INV": ("1.0/{0}", 2),
    "NEG": ("-{0}", 2),
    "SQ": ("{0}**2.0", 3),
    "POW": ("{0}**{1}", 3),
    "CONSTPOW": ("{0}**{1}", 3),
    "ASSIGN": ("{0}", 4),
    "LT": ("{0} < {1}", 0),
    "LE": ("{0} <= {1}", 0),
    "EQ": ("{0} == {1}", 0),
    "NE": ("{0} != {1}", 0),
}
CALLED = "SQRT SIN COS EXP LOG TAN ASIN ACOS ATAN SINH COSH TANH SIGN FLOOR CEIL"
CALLS = {name: f"{name.lower()}({{0}})" for name in CALLED.split()} | {
    "FABS": "abs({0})",
    "FMIN": "min({0}, {1})",
    "FMAX": "max({0}, {1})",
    "ATAN2": "atan2({0}, {1})",
    "IF_ELSE_ZERO": "where({0}, {1}, 0.0)",
}
TWO_OPERANDS = {
    name for name, form in [*CALLS.items(), *((name, form) for name, (form, _) in INFIX.items())] if "{1}" in form
}
MAX_NESTED = 8  # operations in one line


class Written(NamedTuple):
    """A value as text, its operator precedence, and its depth."""

    text: str
    binds: int
    depth: int


def text_of(formula: Formula, first: int = 0, numbers: Sequence[str] = ()) -> str | None:
    """The formula as text, with its handles called x0, x1, …, numbered from `first`, and its first constants called as
    in `numbers`; None if the text cannot express it."""
    if set(formula.operations) - set(INFIX) - set(CALLS) - {"CONST"}:
        return None
    names = [f"x{first + k}" for k in range(len(formula.handles))]
    text = "\n".join(_lines(formula, names, numbers))
    return text if len(text) <= MAX_LENGTH and _same(formula, text, names, numbers) else None


def _lines(formula: Formula, names: list[str], numbers: Sequence[str]) -> list[str]:
    """One line for each named value, and a last line with the results."""
    inputs = 3 * len(formula.handles)
    values: list[tuple[str, list[int], float]] = []  # operation, operands (values, or ~register of an input), number
    holds = {register: ~register for register in range(inputs + 1)}
    steps = zip(formula.operations, formula.registers.tolist(), formula.constants.tolist(), strict=True)
    for name, (o, i, j), number in steps:
        operands = [] if name == "CONST" else [holds[i], *([holds[j]] if name in TWO_OPERANDS else [])]
        values.append((name, operands, number))
        holds[o] = len(values) - 1
    zero = Written("0.0", 4, 0)
    results = [holds.get(inputs + 1 + k) for k in range(formula.results)]
    uses = [0] * len(values)
    for k in [*(k for _, operands, _ in values for k in operands), *(k for k in results if k is not None)]:
        if k >= 0:
            uses[k] += 1
    lines: list[str] = []
    texts: dict[int, Written] = {~r: Written(f"{names[r // 3]}[{r % 3}]", 4, 0) for r in range(inputs)}
    texts[~inputs] = Written("t", 4, 0)
    own = iter(numbers)
    for k, (name, operands, number) in enumerate(values):
        called = next(own, None) if name == "CONST" else None
        written = Written(called, 4, 0) if called else _written(name, [texts[x] for x in operands], number)
        if name != "CONST" and (uses[k] > 1 or written.depth > MAX_NESTED):
            lines.append(f"v{len(lines) + 1} = {written.text}")
            written = Written(f"v{len(lines)}", 4, 0)
        texts[k] = written
    ends = [zero if k is None else texts[k] for k in results]
    return [*lines, ends[0].text if len(ends) == 1 else f"[{', '.join(end.text for end in ends)}]"]


def _written(name: str, operands: list[Written], number: float) -> Written:
    if name == "CONST":
        return Written(repr(number), 4 if number >= 0.0 and not str(number).startswith("-") else 0, 0)
    depth = 1 + max(x.depth for x in operands)
    if name in CALLS:
        return Written(CALLS[name].format(*(x.text for x in operands)), 4, depth)
    form, binds = INFIX[name]
    left = binds in (1, 2) and len(operands) == 2  # a - b - c is (a - b) - c; other cases need brackets
    sides = [
        x.text if x.binds >= binds + (0 if left and side == 0 else 1) or x.binds == 4 else f"({x.text})"
        for side, x in enumerate(operands)
    ]
    return Written(form.format(*sides), 0 if name == "NEG" else binds, depth)


def _same(formula: Formula, text: str, names: list[str], numbers: Sequence[str]) -> bool:
    """Whether the text, when read, uses all handles and numbers and gives the same instructions."""
    ca, steps = casadi(), parsed(text)
    if not {*names, *numbers} <= set(names_in(steps)) or set(numbers) & exponents(steps):
        return False
    x, t = [ca.SX.sym(name, 3) for name in names], ca.SX.sym("t")
    known: dict[str, Any] = {name: tuple(x[k][i] for i in range(3)) for k, name in enumerate(names)}
    c = [ca.SX.sym(name) for name in numbers]
    value = evaluate(steps, {**known, **dict(zip(numbers, c, strict=True)), "t": t}, text)
    rows = [ca.SX(row) for row in (value if isinstance(value, tuple) else (value,))]
    flat = flatten(ca.Function("g", [ca.vertcat(ca.SX(0, 1), *x), t, ca.vertcat(ca.SX(0, 1), *c)], rows))
    flat = with_numbers(flat, 3 * len(x) + 1, formula.numbers[: len(c)].tolist())
    return (
        flat.operations == formula.operations
        and np.array_equal(flat.registers, formula.registers)
        and np.array_equal(flat.constants, formula.constants)
    )
