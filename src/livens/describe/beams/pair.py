"""The sections of a beam that its elasticity and its constraints join, and the strains at rest between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...checks import Array, finite, positive
from ...errors import ModelError
from ..body import Body
from ..body_symbols import distinct_bodies
from .strain import reference_rows

SHEAR, STRETCH = (0, 1), (2,)  # those of the six strains that may be constraints (joints/beam_constraint.py)


def held_strains(shearable: bool, extensible: bool) -> tuple[int, ...]:
    """The numbers of the strains that are constraints."""
    return (*(() if shearable else SHEAR), *(() if extensible else STRETCH))


def neighbours(bodies: Any, label: str) -> tuple[Body, ...]:
    """The sections of a beam: two bodies or more, without the world."""
    every = distinct_bodies(bodies, label)
    if len(every) < 2 or any(body.is_world for body in every):
        raise ModelError(f"{label} needs two bodies or more, and not the world: join its end to the world instead.")
    return every


def checked_reference(reference: Any, bodies: Sequence[Body], label: str) -> Array:
    """The rows (n, 7) of a reference, or those of the bodies at the start."""
    n = len(bodies) - 1
    if reference is not None:
        rows = finite(reference, (n, 7), f"reference of {label}")
        if rows[:, 0].min() <= 0.0:
            raise ModelError(f"reference of {label} has a length that is not positive.")
        return rows
    x, B = np.stack([body.pose.a for body in bodies]), np.stack([body.pose.B for body in bodies])
    lengths = np.linalg.norm(np.diff(x, axis=0), axis=1)
    if lengths.min() <= 0.0:
        raise ModelError(f"{label} has two neighbouring sections at one place: give its reference.")
    return reference_rows(x, B, lengths)


def checked_outline(outline: Any, label: str) -> tuple[float, ...] | None:
    """The radius of a round section, or the two sides of a rectangle [m]; None: there is none."""
    if outline is None:
        return None
    sizes = tuple(outline) if isinstance(outline, Sequence | np.ndarray) and not isinstance(outline, str) else ()
    if len(sizes) not in (1, 2):
        raise ModelError(f"outline of {label} must be the radius of a circle, or two sides of a rectangle.")
    return tuple(positive(size, f"outline of {label}", "m") for size in sizes)
