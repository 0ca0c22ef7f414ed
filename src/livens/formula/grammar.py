"""The grammar of formulas as text, and their parser: text becomes a list of instructions for a stack.

    formula   = { name "=" value (";" or end of line) } value
    value     = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
    sum       = product { ("+" | "-") product }
    product   = signed { ("*" | "/") signed }
    signed    = ("-" | "+") signed | power
    power     = part [ "**" signed ]
    part      = atom { "[" whole number "]" }
    atom      = number | name | name "(" values ")" | "(" value ")" | "[" values "]"

Length and depth are limited: whatever the text, reading it takes no more than a moment.
"""

from __future__ import annotations

import math
import re
from difflib import get_close_matches
from typing import Any, NamedTuple

from ..errors import ModelError

LENGTH = 20_000  # characters
DEPTH = 40  # brackets and signs within each other

TOKEN = re.compile(
    r"(?P<space>[ \t\r]+|\#[^\n]*)"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<end>[;\n])"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/<>=()\[\],])"
)
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
CONSTANTS = {"pi": math.pi, "inf": math.inf}
ARGUMENTS = {  # of each function
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "sqrt", "exp", "log"), 1),
    **dict.fromkeys(("abs", "sign", "floor", "ceil", "norm"), 1),
    **dict.fromkeys(("atan2", "min", "max", "dot", "cross"), 2),
    "where": 3,
}


class Token(NamedTuple):
    """A piece of the text and where it stands."""

    kind: str
    text: str
    column: int


class Step(NamedTuple):
    """One instruction for the stack."""

    does: str
    what: Any = None


def names_in(steps: list[Step]) -> list[str]:
    """The names that must be given, in the order they appear."""
    known, found = set(CONSTANTS), dict[str, None]()
    for does, what in steps:
        if does == "store":
            known.add(what)
        elif does == "name" and what not in known:
            found[what] = None
    return list(found)


def taken(name: str) -> bool:
    """Whether a name has a meaning of its own, so that nothing else can be called by it."""
    return name in CONSTANTS or name in ARGUMENTS or name == "t"


def short(text: Any) -> str:
    """The text as a sentence may quote it."""
    text = str(text).strip()
    return repr(text if len(text) <= 60 else text[:57] + "…")


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
        return ModelError(f"{short(self.text)}, {where}: {why}.")

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
            if taken(name):
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
        if sign := self.takes(*COMPARISONS):
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
            elif token.text in ARGUMENTS:
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
        if token.text not in ARGUMENTS:
            near = get_close_matches(token.text, ARGUMENTS, 1)
            hint = f"did you mean {near[0]!r}" if near else f"there are {', '.join(ARGUMENTS)}"
            raise self.wrong(f"there is no function {token.text[:40]!r}: {hint}", token.column)
        wanted = ARGUMENTS[token.text]
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
