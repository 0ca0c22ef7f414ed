"""The grammar of formulas as text, and their parser: text becomes a list of instructions for a stack.

    formula   = { name "=" value (";" or end of line) } value
    value     = an expression of Python with + - * / **, one comparison < <= > >= == !=, calls of the functions below,
                vectors [x, y, z] and their entries v[0], numbers and names

Python's own parser (the module `ast`) reads each value; every node of its tree must be in the list above, and nothing
is evaluated as Python. Reserved words of Python, such as `lambda`, are ordinary names. Length, depth and
the number of operations in a line are limited, so that any text is read in a few milliseconds.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, NamedTuple

from ..errors import ModelError

MAX_LENGTH = 20_000  # characters
MAX_DEPTH = 40  # nested brackets and signs
MAX_OPERATORS = 1_000  # in one line

CONSTANTS = {"pi": math.pi, "inf": math.inf}
ARGUMENTS = {  # number of arguments of each function
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "sqrt", "exp", "log"), 1),
    **dict.fromkeys(("abs", "sign", "floor", "ceil", "norm"), 1),
    **dict.fromkeys(("atan2", "min", "max", "dot", "cross"), 2),
    "where": 3,
}
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.A)
FOREIGN = re.compile(r"""[^\w\s+\-*/<>=!()\[\],.#]|(?<![\d.])\.(?!\d)|(?<!\d)\.(?=\D|$)|(?<![<>=!])!(?!=)""")
ASSIGNMENT = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)")
RESERVED = re.compile(rf"\b(?:{'|'.join(keyword.kwlist)})\b")
WORD = re.compile(r"\b[^\W\d]\w*(?=\s*(\()?)")
OPERATOR = re.compile(r"\*\*|[<>=!]=|[-+*/<>]")
SIGNS = re.compile(r"[-+](?:\s*[-+])*")


class Step(NamedTuple):
    """One instruction for the stack."""

    does: str
    what: Any = None


def exponents(steps: list[Step]) -> set[str]:
    """The names that are exponents: n in x**n. They are part of the formula, as in x**2, a square."""
    pairs = pairwise(steps)
    return {what for (does, what), (after, _) in pairs if does == "name" and after == "**"}


def names_in(steps: list[Step]) -> list[str]:
    """The names that must be defined, in the order in which they appear."""
    known, found = set(CONSTANTS), dict[str, None]()
    for does, what in steps:
        if does == "store":
            known.add(what)
        elif does == "name" and what not in known:
            found[what] = None
    return list(found)


def taken(name: str) -> bool:
    """Whether a name is reserved, so that no parameter can have it."""
    return name in CONSTANTS or name in ARGUMENTS or name == "t"


def short(text: Any) -> str:
    """The text, shortened for a message."""
    text = str(text).strip()
    return repr(text if len(text) <= 60 else text[:57] + "…")


def parsed(text: str) -> list[Step]:
    """The instructions of a formula, or a ModelError with the position of the error."""
    if not isinstance(text, str) or not text.strip():
        raise ModelError("a formula is a text such as '0.5*sin(3*t)' and cannot be empty.")
    if len(text) > MAX_LENGTH:
        raise ModelError(f"a formula has {len(text)} characters; the limit is {MAX_LENGTH}.")
    try:
        return list(_Formula(text).steps())
    except RecursionError:
        raise ModelError(f"{short(text)} is nested too deeply: define names for parts of it.") from None


class _Formula:
    """The parser of a text: it finds the lines first, then parses the value of each."""

    def __init__(self, text: str):
        self.text = text
        self.code = re.sub(r"#[^\n]*|[^\S\n]", lambda blank: " " * len(blank[0]), text)  # of the same length
        for found in FOREIGN.finditer(self.code):
            if found[0] != ";":
                hint = "; powers are written **" if found[0] == "^" else ""
                raise self.wrong(f"{found[0]!r} is not allowed here{hint}", found.start())

    def steps(self) -> Iterator[Step]:
        lines = list(self.lines())
        if not lines:
            raise self.wrong("a value is missing", 0)
        for number, (begin, end) in enumerate(lines):
            name = ASSIGNMENT.match(self.code, begin, end)
            last = number == len(lines) - 1
            if last and name:
                raise self.wrong("the last line must be a value, not 'name = value'", begin)
            if not last and not name:
                raise self.wrong("every line before the last must be 'name = value'", begin)
            if name and taken(name[1]):
                raise self.wrong(f"{name[1]!r} is reserved", name.start(1))
            yield from _Value(self, name.end() if name else begin, end).steps()
            if name:
                yield Step("store", name[1])

    def lines(self) -> Iterator[tuple[int, int]]:
        """Start and end of every line that is not empty; brackets may contain line breaks."""
        begin = depth = 0
        for at, letter in enumerate(f"{self.code};"):
            depth += (letter in "([") - (letter in ")]")
            if depth > MAX_DEPTH:
                raise self.wrong(f"more than {MAX_DEPTH} brackets and signs are nested", at)
            if letter == ";" or (letter == "\n" and depth <= 0):
                if self.code[begin:at].strip():
                    yield begin, at
                begin, depth = at + 1, 0

    def wrong(self, why: str, at: int) -> ModelError:
        line = self.text.count("\n", 0, at) + 1
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        where = f"column {column}" if line == 1 else f"line {line}, column {column}"
        return ModelError(f"{short(self.text)}, {where}: {why}.")


class _Value:
    """The value from `begin` to `end` of a formula."""

    def __init__(self, formula: _Formula, begin: int, end: int):
        self.formula, self.begin = formula, begin
        self.text = formula.code[begin:end]
        if len(OPERATOR.findall(self.text)) > MAX_OPERATORS:
            raise formula.wrong(f"a line has more than {MAX_OPERATORS} operators: define names for parts of it", begin)
        if any(len(run) - run.count(" ") > MAX_DEPTH for run in SIGNS.findall(self.text)):
            raise formula.wrong(f"more than {MAX_DEPTH} brackets and signs are nested", begin)

    def steps(self) -> Iterator[Step]:
        # a reserved word begins with another letter here, so that Python reads a name of the same length
        code = RESERVED.sub(lambda word: f"ǀ{word[0][1:]}", self.text)
        words = {f"ǀ{word[1:]}": word for word in RESERVED.findall(self.text)}
        try:
            tree = ast.parse(f"({code}\n)", mode="eval").body
        except SyntaxError as error:
            fault, at = self.fault(error), self.place(error.lineno or 1, error.offset or 1)
            if fault.endswith("was never closed"):  # Python names the bracket around the text
                at = self.begin + self.unclosed()
                fault = f"{self.formula.code[at]!r} was never closed"
            raise self.formula.wrong(fault, at) from None
        except (MemoryError, ValueError):
            raise self.formula.wrong("it cannot be read", self.begin) from None
        for step in self.walk(tree):
            yield Step("name", words[step.what]) if step.does == "name" and step.what in words else step

    def fault(self, error: SyntaxError) -> str:
        if not self.text.strip():
            return "a value is missing here"
        bare = next((word[0] for word in WORD.finditer(self.text) if word[0] in ARGUMENTS and not word[1]), "")
        if bare:
            return f"'(' is missing after the function {bare!r}"
        reason = (error.msg or "invalid syntax").partition(". ")[0]
        return reason[:1].lower() + reason[1:].rstrip(".")

    def unclosed(self) -> int:
        """The position in the text of the last bracket that is not closed."""
        found: list[int] = []
        for at, letter in enumerate(self.text):
            if letter in "([":
                found.append(at)
            elif letter in ")]" and found:
                found.pop()
        return found[-1] if found else 0

    def place(self, line: int, column: int) -> int:
        """The position in the formula of a line and column, both from 1, of the text in brackets."""
        before = sum(len(part) + 1 for part in self.text.split("\n")[: line - 1])
        return self.begin + min(len(self.text), max(0, before + column - 1 - (line == 1)))

    def wrong(self, why: str, node: ast.expr) -> ModelError:
        text = f"({self.text}\n)".split("\n")[node.lineno - 1]
        column = len(text.encode()[: node.col_offset].decode(errors="ignore")) + 1
        return self.formula.wrong(why, self.place(node.lineno, column))

    def walk(self, node: ast.expr) -> Iterator[Step]:
        """The instructions of a node of Python's tree."""
        match node:
            case ast.BinOp():
                yield from self.operation(node)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                yield from self.walk(node.operand)
                if isinstance(node.op, ast.USub):
                    yield Step("negative")
            case ast.Compare(ops=[sign]) if type(sign) in COMPARISONS:
                yield from self.walk(node.left)
                yield from self.walk(node.comparators[0])
                yield Step(COMPARISONS[type(sign)])
            case ast.Call(func=ast.Name(id=name), keywords=[]):
                yield from self.call(node, name)
            case ast.Name(id=name):
                if name in ARGUMENTS:
                    raise self.wrong(f"'(' is missing after the function {name!r}", node)
                yield Step("name", name)
            case ast.Constant(value=int() | float()) if NUMBER.fullmatch(written := self.written(node)):
                yield Step("number", float(written))
            case ast.List(elts=[_, *_]):
                for entry in node.elts:
                    yield from self.walk(entry)
                yield Step("vector", len(node.elts))
            case ast.Subscript(slice=ast.Constant(value=int(k))) if self.written(node.slice).isdecimal() and k < 10_000:
                yield from self.walk(node.value)
                yield Step("entry", k)
            case ast.Subscript():
                raise self.wrong("the index of a vector is a whole number such as [0], [1] or [2]", node.slice)
            case _:
                raise self.wrong(f"{short(self.written(node))} is not part of the language of formulas", node)

    def operation(self, node: ast.BinOp) -> Iterator[Step]:
        """Operators that follow each other, such as a − b + c, without recursion along their left sides."""
        chain: list[ast.BinOp] = [node]
        while isinstance(chain[-1].left, ast.BinOp):
            chain.append(chain[-1].left)
        yield from self.walk(chain[-1].left)
        for binary in reversed(chain):
            if type(binary.op) not in OPERATORS:
                raise self.wrong("the operators are + - * / **", binary.right)
            yield from self.walk(binary.right)
            yield Step(OPERATORS[type(binary.op)])

    def call(self, node: ast.Call, name: str) -> Iterator[Step]:
        if name not in ARGUMENTS:
            near = get_close_matches(name, ARGUMENTS, 1)
            hint = f"did you mean {near[0]!r}" if near else f"the functions are {', '.join(ARGUMENTS)}"
            raise self.wrong(f"there is no function {name[:40]!r}: {hint}", node)
        wanted, given = ARGUMENTS[name], len(node.args)
        if given != wanted:
            raise self.wrong(f"{name} takes {wanted} value{'s' * (wanted > 1)}, not {given}", node)
        for argument in node.args:
            yield from self.walk(argument)
        yield Step("call", name)

    def written(self, node: ast.expr) -> str:
        return ast.get_source_segment(f"({self.text}\n)", node) or ""
