"""Colours of bodies: names, hexadecimal codes, or red, green and blue from 0 to 1 (sRGB)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..checks import Array, number, vector
from ..errors import ModelError

NAMES = {  # those of the default colours of bodies (Okabe & Ito 2008), and the usual ones
    "black": "#1e1e1e",
    "white": "#ffffff",
    "grey": "#969696",
    "gray": "#969696",
    "red": "#c0392b",
    "green": "#009e73",
    "blue": "#0072b2",
    "yellow": "#f0e442",
    "orange": "#e69f00",
    "sky": "#56b4e9",
    "purple": "#cc79a7",
    "vermilion": "#d55e00",
    "brown": "#8e5a1e",
    "silver": "#c0c4c8",
    "gold": "#c9a227",
}


def color_of(given: Any, what: str) -> Array:
    """Red, green and blue from 0 to 1 (3,), of a name, of a code such as "#d55e00", or of three numbers.

    >>> color_of("#ff0080", "color").round(3).tolist(), color_of((0.1, 0.2, 0.3), "color").tolist()
    ([1.0, 0.0, 0.502], [0.1, 0.2, 0.3])
    """
    if isinstance(given, str):
        code = NAMES.get(given.lower(), given)
        if not re.fullmatch(r"#[0-9a-fA-F]{6}", code):
            raise ModelError(
                f"{what} must be one of {', '.join(NAMES)}, a code such as '#d55e00', or red, green and blue from 0 to "
                f"1, not {given!r}."
            )
        return np.array([int(code[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0
    found = vector(given, what)
    if not ((found >= 0.0) & (found <= 1.0)).all():
        raise ModelError(f"{what} must be red, green and blue from 0 to 1, not {given!r}.")
    return found


def opacity_of(given: Any, what: str) -> float:
    """A number from 0 (invisible) to 1."""
    opacity = number(given, what)
    if not 0.0 <= opacity <= 1.0:
        raise ModelError(f"{what} must be from 0 (invisible) to 1, not {given!r}.")
    return opacity
