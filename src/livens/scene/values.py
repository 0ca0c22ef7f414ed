"""Values of a document by their dotted paths, as TOML keys: "bodies.hammer.mass", 'forces."cord 2".stiffness'.

A number in a path is an index of a list: "bodies.hammer.velocity.2".
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from copy import deepcopy
from difflib import get_close_matches
from typing import Any

import numpy as np

from ..checks import number
from ..errors import ModelError


def with_values(document: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the document with other values at some paths; the tables of the paths must exist."""
    document = deepcopy(document)
    for path, value in values.items():
        *outer, last = parts_of(path)
        here: Any = document
        for k, name in enumerate(outer):
            here = _within(here, name, path, ".".join(outer[:k]))
        if isinstance(here, list):
            _within(here, last, path, ".".join(outer))
            here[int(last)] = plain(value)
        elif isinstance(here, dict):
            if outer == ["parameters"] or outer[2:] == ["where"]:
                _within(here, last, path, ".".join(outer))  # a misspelt name would have no effect
            here[last] = plain(value)
        else:
            raise ModelError(f"the scene has no {path!r}: {'.'.join(outer)} is a value without parts.")
    return document


def parts_of(path: str) -> list[str]:
    """The keys of a dotted path."""
    try:
        table: Any = tomllib.loads(f"{path} = 0")
    except (tomllib.TOMLDecodeError, RecursionError):
        raise ModelError(
            f"{path!r} is not a path such as bodies.hammer.mass; put names with other characters in quotes."
        ) from None
    names: list[str] = []
    while isinstance(table, dict):
        if len(table) != 1:
            raise ModelError(f"{path!r} is not a path such as bodies.hammer.mass.")
        [(name, table)] = table.items()
        names.append(name)
    return names


def plain(value: Any) -> Any:
    """A NumPy value as a Python value."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def spread(text: str) -> list[float]:
    """The numbers of "lo:hi:n", n of them from lo to hi, or of "1,2,5".

    >>> spread("1:3:5"), spread("0.1,0.4")
    ([1.0, 1.5, 2.0, 2.5, 3.0], [0.1, 0.4])
    """
    try:
        if ":" not in text:
            return [number(float(x), "a value") for x in text.split(",")]
        low, high, count = text.split(":")
        if not 1 <= int(count) <= 1_000_000:
            raise ValueError
        ends = number(float(low), "the first value"), number(float(high), "the last value")
        return [float(x) for x in np.linspace(*ends, int(count))]
    except ValueError:
        raise ModelError(f"{text!r} is neither lo:hi:n, such as 1:3:5, nor a list such as 1,2,5.") from None


def _within(here: Any, name: str, path: str, so_far: str) -> Any:
    if isinstance(here, list) and name.isdecimal() and int(name) < len(here):
        return here[int(name)]
    if isinstance(here, dict) and name in here:
        return here[name]
    known = (
        list(here) if isinstance(here, dict) else [str(k) for k in range(len(here))] if isinstance(here, list) else []
    )
    near = get_close_matches(name, known, 1)
    hint = (
        f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known[:12])}." if known else "it has no parts."
    )
    raise ModelError(f"the scene has no {path!r}: {f'in {so_far} ' if so_far else ''}there is no {name!r}; {hint}")
