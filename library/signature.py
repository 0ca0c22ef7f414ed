"""The type of an argument as text: read from a value, joined with others, and turned into numba's and C's terms.

    f, i, b     float, integer, truth value
    Cf82        array in C order of floats of 8 bytes with 2 dimensions; Af82: the same with any strides
    (…)         tuple; the name of a NamedTuple's class stands before it, such as livens.kernels.arrays:Bodies(Cf81…)

In memory a scalar or array is a string and a tuple is a pair (class, parts).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

Part = Any  # str, or (class, tuple of parts)


def of(value: Any) -> Part:
    """The type of a value.

    >>> of((1.0, 2, True, np.zeros((2, 3))))
    ('', ('f', 'i', 'b', 'Cf82'))
    """
    if isinstance(value, tuple):
        kind = type(value)
        return "" if kind is tuple else f"{kind.__module__}:{kind.__qualname__}", tuple(map(of, value))
    if isinstance(value, np.ndarray):
        layout = "C" if value.flags.c_contiguous else "A"
        return f"{layout}{value.dtype.kind}{value.dtype.itemsize}{value.ndim}"
    if isinstance(value, (bool, np.bool_)):
        return "b"
    if isinstance(value, (int, np.integer)):
        return "i"
    if isinstance(value, (float, np.floating)):
        return "f"
    raise TypeError(f"a kernel cannot take {value!r}")


WIDTH = {"b": 0, "i": 1, "f": 2}  # a wider scalar takes the values of a narrower one


def joined(one: Part, other: Part) -> Part | None:
    """The type that takes the values of both, or None: scalars are widened, everything else must be equal.

    >>> joined(("", ("i", "Cf81")), ("", ("f", "Cf81")))
    ('', ('f', 'Cf81'))
    """
    if isinstance(one, str) or isinstance(other, str):
        if one == other:
            return one
        if one in WIDTH and other in WIDTH:
            return max(one, other, key=WIDTH.__getitem__)
        return None
    if one[0] != other[0] or len(one[1]) != len(other[1]):
        return None
    parts = tuple(joined(a, b) for a, b in zip(one[1], other[1], strict=True))
    return None if None in parts else (one[0], parts)


def merged(seen: list[Part]) -> list[Part]:
    """As few types as possible that take all that were seen; those with contiguous arrays first."""
    found: list[Part] = []
    for part in seen:
        for k, other in enumerate(found):
            both = joined(part, other)
            if both is not None:
                found[k] = both
                break
        else:
            found.append(part)
    return sorted(found, key=lambda part: text(part).count("A"))


def text(part: Part) -> str:
    """For call.c: without the names of classes."""
    return part if isinstance(part, str) else f"({''.join(map(text, part[1]))})"


def words(part: Part) -> int:
    """How many words the arguments take in call.c: an array five and its shape and strides, a number one."""
    if not isinstance(part, str):
        return sum(map(words, part[1]))
    return 5 + 2 * int(part[3]) if part[0] in "CA" else 1


def cls(name: str) -> type:
    """The class of a NamedTuple by the name that `of` gives it."""
    module, _, qualified = name.partition(":")
    return getattr(import_module(module), qualified)
