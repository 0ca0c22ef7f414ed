"""Scenes as TOML: text to document and back.

Reading: Python's TOML parser; size and depth of the text are limited first, so that every file is read quickly.
Writing: one table for each body, joint and force, short tables and lists on one line, numbers with all their digits. A
scene that was read from a file is written with the comments, the order and the layout of that file (tomlkit).
"""

from __future__ import annotations

import math
import re
import tomllib
import warnings
from typing import Any

from ..errors import ModelError, ModelWarning, require

MAX_DEPTH = 16  # of nested tables and lists
MAX_THINGS = 20_000  # bodies, joints, forces and shapes
LINE_LENGTH = 100  # characters, if possible
MAX_COMMENTED = 10**6  # characters of a text whose comments are kept: tomlkit is slow
LISTS_OF_TABLES = ("events",)  # written as [[events]]
FIRST_TABLES, THING_TABLES = ("run", "parameters"), ("shapes", "bodies", "joints", "forces")
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
KEY_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
LONG_KEY = re.compile(rf"""(?<![\w"'.-]){KEY_PART}(?:[ \t]*+\.[ \t]*+{KEY_PART}){{{MAX_DEPTH},}}""", re.A)


def parse(text: str, name: str = "the scene") -> dict[str, Any]:
    """The document in a TOML text, or a ModelError with the line of the error."""
    if LONG_KEY.search(text):
        raise ModelError(f"{name} has a key of more than {MAX_DEPTH} parts.")
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise ModelError(f"{name} has more than {MAX_DEPTH} nested tables and lists.") from None
    except ValueError as error:  # a TOMLDecodeError, or a number of thousands of digits
        reason = (str(error).splitlines() or [""])[0][:200].rstrip(".")
        raise ModelError(f"{name} is not TOML: {reason[:1].lower()}{reason[1:]}.") from None
    limit(document, name)
    return document


def limit(document: Any, name: str = "the scene") -> None:
    """Raise a ModelError if the document is too deep or too large, without recursion."""
    level, tables, depth = [document], 0, 0
    while level:
        tables += sum(isinstance(value, dict) for value in level)
        if depth > MAX_DEPTH:
            raise ModelError(f"{name} has more than {MAX_DEPTH} nested tables and lists.")
        inner = (value.values() if isinstance(value, dict) else value for value in level)
        level, depth = [x for values in inner for x in values if isinstance(x, dict | list)], depth + 1
    if tables > 4 * MAX_THINGS:
        raise ModelError(f"{name} has {tables} tables; the limit is {4 * MAX_THINGS}.")


# ── writing ──


def updated(text: str, document: dict[str, Any]) -> str:
    """The TOML text with the values of `document`; comments, order and layout of unchanged values are kept."""
    if len(text) > MAX_COMMENTED:
        warnings.warn(
            f"the comments of the scene are not written: its text has more than {MAX_COMMENTED} characters.",
            ModelWarning, stacklevel=4,
        )  # fmt: skip
        return text_of(document)
    tomlkit = require("tomlkit", "writing a scene with its comments needs tomlkit", "tomlkit")
    tree = tomlkit.parse(text)
    _update(tree, document)
    written = str(tomlkit.dumps(tree))
    return written if tomllib.loads(written) == document else text_of(document)


def _update(table: Any, values: dict[str, Any]) -> None:
    for name in [name for name in table if name not in values]:
        del table[name]
    for name, value in values.items():
        if name in table and isinstance(value, dict) and isinstance(table[name], dict):
            _update(table[name], value)
        elif name not in table or _value(table[name].unwrap()) != _value(value):
            table[name] = value


def text_of(document: dict[str, Any]) -> str:
    """The document as TOML."""
    listed = {name: document[name] for name in LISTS_OF_TABLES if _tables(document.get(name))}
    plain = {name: x for name, x in document.items() if not isinstance(x, dict) and name not in listed}
    lines = [f"{_key(name)} = {_value(value)}" for name, value in plain.items()]
    for name, table in sorted(document.items(), key=lambda item: item[0] not in FIRST_TABLES):
        if isinstance(table, dict):
            each = name in THING_TABLES and table and all(isinstance(entry, dict) for entry in table.values())
            for path, entry in {(name, key): table[key] for key in table}.items() if each else [((name,), table)]:
                lines += _table(path, entry)
    for name, tables in listed.items():
        for table in tables:
            _, head, *rest = _table((name,), table)
            lines += ["", f"[{head}]", *rest]
    return "\n".join(lines) + "\n"


def _tables(value: Any) -> bool:
    """Whether a value is a list of tables, which `[[name]]` can write: an empty list has no table that names it."""
    return isinstance(value, list) and bool(value) and all(isinstance(entry, dict) for entry in value)


def _table(path: tuple[str, ...], table: dict[str, Any]) -> list[str]:
    """A table with its header. The first inner table that is too long for a line follows it, and so do all inner tables
    after that one: the order of the inner tables, which numbers the points of a formula, is that of `table`."""
    inner_tables = {name: value for name, value in table.items() if isinstance(value, dict)}
    long = (k for k, (name, value) in enumerate(inner_tables.items()) if len(name) + len(_value(value)) > LINE_LENGTH)
    first = next(long, len(inner_tables))
    wide = dict(list(inner_tables.items())[first:])
    head = ["", f"[{'.'.join(map(_key, path))}]"]
    own = [f"{_key(name)} = {_value(value)}" for name, value in table.items() if name not in wide]
    inner = [line for name, value in wide.items() for line in _table((*path, name), value)]
    return [*head, *own, *inner]


def _key(name: str) -> str:
    return name if BARE_KEY.fullmatch(name) else _string(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _lines(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(name)} = {_value(entry)}" for name, entry in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if not isinstance(value, list):
        raise ModelError(f"a scene cannot store {value!r}.")
    entries = [_value(entry) for entry in value]
    line = f"[{', '.join(entries)}]"
    if len(line) <= LINE_LENGTH:
        return line
    return "[\n" + "".join(f"  {entry},\n" for entry in entries) + "]"


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\u{ord(found[0]):04x}", escaped) + '"'


def _lines(text: str) -> str:
    """A text of several lines without escapes, if none is needed; otherwise a string on one line."""
    return (
        f'"""\n{text}"""'
        if re.fullmatch(r'[^\x00-\x09\x0b-\x1f\x7f\\"]*\n[^\x00-\x09\x0b-\x1f\x7f\\"]*', text)
        else _string(text)
    )
