"""Scenes as TOML: text to document and back.

Reading: Python's TOML parser, on text whose size and depth are limited first, so that every file is read quickly.
Writing: one table for each thing, short tables and lists on one line, numbers with all their digits. A scene that was
read from a file is written with the comments, the order and the layout of that file (tomlkit).
"""

from __future__ import annotations

import math
import re
import tomllib
import warnings
from typing import Any

from ..errors import ModelError, ModelWarning, require

NESTED = 16  # tables and lists within each other
MOST = 20_000  # bodies, joints, forces and shapes
WIDE = 100  # characters of a line, if possible
LONG = 10**6  # characters of a text whose comments are kept: tomlkit is slow
FIRST, THINGS = ("run", "parameters"), ("shapes", "bodies", "joints", "forces")
BARE = re.compile(r"[A-Za-z0-9_-]+")
PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
LONG_KEY = re.compile(rf"""(?<![\w"'.-]){PART}(?:[ \t]*+\.[ \t]*+{PART}){{{NESTED},}}""", re.A)


def parse(text: str, name: str = "the scene") -> dict[str, Any]:
    """The document in a TOML text, or one sentence with the line at fault."""
    if LONG_KEY.search(text):
        raise ModelError(f"{name} has a key of more than {NESTED} parts.")
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise ModelError(f"{name} has more than {NESTED} tables and lists within each other.") from None
    except ValueError as error:  # a TOMLDecodeError, or a number of thousands of digits
        reason = (str(error).splitlines() or [""])[0][:200].rstrip(".")
        raise ModelError(f"{name} is not TOML: {reason[:1].lower()}{reason[1:]}.") from None
    limit(document, name)
    return document


def limit(document: Any, name: str = "the scene") -> None:
    """Refuse what is too deep or too much, without recursion."""
    level, tables, depth = [document], 0, 0
    while level:
        tables += sum(isinstance(value, dict) for value in level)
        if depth > NESTED:
            raise ModelError(f"{name} has more than {NESTED} tables and lists within each other.")
        inner = (value.values() if isinstance(value, dict) else value for value in level)
        level, depth = [x for values in inner for x in values if isinstance(x, dict | list)], depth + 1
    if tables > 4 * MOST:
        raise ModelError(f"{name} has {tables} tables, and {4 * MOST} is the limit.")


# ── writing ──


def updated(text: str, document: dict[str, Any]) -> str:
    """The TOML text with the values of `document`; comments, order and layout of what is unchanged stay."""
    if len(text) > LONG:
        warnings.warn(
            f"the comments of the scene are not written: its text has more than {LONG} characters.",
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
    lines = [f"{_key(name)} = {_value(value)}" for name, value in document.items() if not isinstance(value, dict)]
    for name, table in sorted(document.items(), key=lambda item: item[0] not in FIRST):
        if isinstance(table, dict):
            each = name in THINGS and table and all(isinstance(entry, dict) for entry in table.values())
            for path, entry in {(name, key): table[key] for key in table}.items() if each else [((name,), table)]:
                lines += _table(path, entry)
    return "\n".join(lines) + "\n"


def _table(path: tuple[str, ...], table: dict[str, Any]) -> list[str]:
    """A table with its header; tables in it that are too wide for a line come after it."""
    wide = {
        name: value
        for name, value in table.items()
        if isinstance(value, dict) and len(name) + len(_value(value)) > WIDE
    }
    head = ["", f"[{'.'.join(map(_key, path))}]"]
    own = [f"{_key(name)} = {_value(value)}" for name, value in table.items() if name not in wide]
    inner = [line for name, value in wide.items() for line in _table((*path, name), value)]
    return [*head, *own, *inner]


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _string(name)


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
        raise ModelError(f"a scene cannot hold {value!r}.")
    entries = [_value(entry) for entry in value]
    line = f"[{', '.join(entries)}]"
    if len(line) <= WIDE:
        return line
    return "[\n" + "".join(f"  {entry},\n" for entry in entries) + "]"


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\u{ord(found[0]):04x}", escaped) + '"'


def _lines(text: str) -> str:
    """A text of several lines as it is, where nothing in it needs to be escaped."""
    return (
        f'"""\n{text}"""'
        if re.fullmatch(r'[^\x00-\x09\x0b-\x1f\x7f\\"]*\n[^\x00-\x09\x0b-\x1f\x7f\\"]*', text)
        else _string(text)
    )
