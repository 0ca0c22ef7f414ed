"""Inertias of files that no body has: refused, or moved to the nearest possible one on request.

Many robots in use have them. They are checked part by part, before parts that are fixed to each other are added up: a
sum may hide the fault of a part.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from ..checks import Array
from ..describe.mass import HUGE, inertia_change, inertia_fault, nearest_inertia
from ..errors import ModelError, ModelWarning

CHOICES = ("refuse", "repair")
NAMED = 10  # repaired parts that a warning names


class Part(Protocol):
    """A part of a file with an inertia tensor about its centre of mass [kg m²], which may be replaced."""

    inertia: Array


def check_choice(inertia: str) -> None:
    """Raise a ModelError if the argument `inertia` of a reader is none of its choices."""
    if inertia not in CHOICES:
        raise ModelError(f"inertia must be 'refuse' or 'repair', not {inertia!r}.")


def check_inertias(file: Path, kind: str, parts: Mapping[str, Part], inertia: str) -> None:
    """Refuse or repair the impossible inertias of all parts, by name; `kind`: what the file calls a part."""
    check_choice(inertia)
    repairs = []
    for name, part in parts.items():
        fault = inertia_fault(part.inertia)
        if not fault:
            continue
        if inertia == "refuse" or abs(part.inertia).max() > HUGE:
            raise refused(file, kind, name, fault)
        nearest = nearest_inertia(part.inertia)
        repairs.append(f"of {kind} {name!r}, {inertia_change(part.inertia, nearest)}")
        part.inertia = nearest
    warn_of_repairs(file, repairs)


def refused(file: Path, kind: str, name: str, fault: str) -> ModelError:
    """The error for an impossible inertia."""
    return ModelError(
        f"{file.name}: {kind} {name!r}: {fault}. Correct the file, or read it with inertia='repair', which takes the "
        "nearest possible inertia."
    )


def warn_of_repairs(file: Path, repairs: list[str]) -> None:
    """Warn of all repairs of a file at once."""
    if repairs:
        more = [f"and {len(repairs) - NAMED} more"] if len(repairs) > NAMED else []
        text = "; ".join([*repairs[:NAMED], *more])
        warnings.warn(f"{file.name}: impossible inertias were repaired: {text}.", ModelWarning, stacklevel=4)
