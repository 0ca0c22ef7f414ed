"""Colours that are distinct for colour-blind readers too (Okabe & Ito 2008), as 0…255."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...checks import Array

Bytes = NDArray[np.uint8]

BLACK, GREY = (30, 30, 30), (150, 150, 150)
ORANGE, SKY, GREEN, YELLOW = (230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66)
BLUE, VERMILION, PURPLE = (0, 114, 178), (213, 94, 0), (204, 121, 167)
EXTENSION = {"short": BLUE, "rest": GREY, "long": VERMILION}  # of springs
BODIES = np.array([ORANGE, SKY, GREEN, PURPLE, BLUE, VERMILION, YELLOW], dtype=np.uint8)


def of_bodies(count: int) -> Bytes:
    """Colours of bodies 0, 1, … (count, 3); after seven they repeat.

    >>> of_bodies(2).tolist()
    [[230, 159, 0], [86, 180, 233]]
    """
    return BODIES[np.arange(count) % len(BODIES)]


def of_extension(extension: Array, most: float) -> Bytes:
    """Colours of springs (n, 3): blue where shortened, grey at rest, vermilion where stretched by `most` [m] or more.

    >>> import numpy as np
    >>> of_extension(np.array([-1.0, 0.0, 0.5, 2.0]), most=1.0).tolist()
    [[0, 114, 178], [150, 150, 150], [182, 122, 75], [213, 94, 0]]
    """
    part = np.clip(extension / most if most > 0.0 else np.zeros_like(extension), -1.0, 1.0)[:, None]
    rest = np.array(EXTENSION["rest"])
    far = np.where(part < 0.0, EXTENSION["short"], EXTENSION["long"])
    return np.round(rest + np.abs(part) * (far - rest) + 1e-9).astype(np.uint8)


def linear(color: Any) -> Bytes:
    """Colours in linear light, as viser and glTF take them, from sRGB codes.

    >>> linear((0, 114, 255)).tolist()
    [0, 43, 255]
    """
    c = np.asarray(color, dtype=np.float64) / 255.0
    light = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return np.round(255.0 * light).astype(np.uint8)


def hexadecimal(color: Any) -> str:
    """A colour in the notation of HTML.

    >>> hexadecimal(BLUE)
    '#0072b2'
    """
    return "#{:02x}{:02x}{:02x}".format(*color)
