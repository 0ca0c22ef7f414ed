"""The structure of a compiled model: all that does not change when only numbers of its description do.

Integers and truth values are structure, and so are the shapes of all arrays and the rows that are left out. Models of
one structure are stepped in one call: their systems have one more axis in front, the number of the model
(kernels/members.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kernels.arrays import System
from .compiled import Compiled

CONTENTS = {  # parts of a system, those first that say most
    "bodies": "the number of bodies",
    "damped": "the dampers",
    "rows": "the constraint equations or dampers",
    "blocks": "the constraint equations or dampers",
    "rolls": "the constraint equations",
    "springs": "the springs",
    "pairs": "the bodies that attract each other",
    "loads": "the loads",
    "coordinates": "the springs, stops and motors of joints",
    "dials": "the springs, stops and motors of joints",
    "tapes": "the user-written equations",
    "formulas": "the user-written energies or forces",
    "contacts": "the contacts or the shapes that touch",
}


def structural_change(one: Compiled, other: Compiled) -> str:
    """What differs in the structure of two compiled models, in words; "" if nothing does."""
    if one.left_out != other.left_out:
        return "which constraint equations are redundant"
    mine, theirs = (dict(zip(System._fields, system, strict=True)) for system in (one.system, other.system))
    return next((words for part, words in CONTENTS.items() if not _alike(mine[part], theirs[part])), "")


def _alike(one: Any, other: Any) -> bool:
    """True if two parts of systems have one structure."""
    if one is other:
        return True
    if isinstance(one, tuple):
        return all(map(_alike, one, other))
    if isinstance(one, np.ndarray):
        return one.shape == other.shape and (one.dtype.kind == "f" or bool((one == other).all()))
    return isinstance(one, float) or one == other


def with_members(parts: Sequence[Any]) -> Any:
    """Systems, states or records of one structure as one, with an axis for the members in front; its length is 1 where
    all members are equal."""
    one = parts[0]
    if isinstance(one, tuple):
        made: Any = type(one)
        if all(part is one for part in parts):
            parts = parts[:1]
        return made(*map(with_members, zip(*parts, strict=True)))
    if isinstance(one, np.ndarray):
        if one.dtype.kind != "f":
            return one
        bits = one.tobytes()
        equal = all(part is one or part.tobytes() == bits for part in parts[1:])
        return one[None] if equal else np.stack(parts)
    return np.array(parts) if isinstance(one, float) else one
