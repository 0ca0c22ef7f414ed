"""Colours that are distinct for colour-blind readers too (Okabe & Ito 2008), as 0…255."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.model import Model

Bytes = NDArray[np.uint8]

BLACK, GREY = (30, 30, 30), (150, 150, 150)
ORANGE, SKY, GREEN, YELLOW = (230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66)
BLUE, VERMILION, PURPLE = (0, 114, 178), (213, 94, 0), (204, 121, 167)
SLATE = (98, 106, 122)
PAPER, DARK_PAPER = (244, 243, 239), (21, 23, 26)
LINE_CONTRAST = 3.0  # of lines and their background, at least
BODIES = np.array([ORANGE, SKY, GREEN, PURPLE, BLUE, VERMILION, SLATE], dtype=np.uint8)  # yellow is too pale on paper


def of_bodies(count: int) -> Bytes:
    """Colours of bodies 0, 1, … (count, 3); after seven they repeat.

    >>> of_bodies(2).tolist()
    [[230, 159, 0], [86, 180, 233]]
    """
    return BODIES[np.arange(count) % len(BODIES)]


def colors_of(model: Model) -> Bytes:
    """The colours of all bodies (bodies, 3): their own, or those of their numbers; the world is black."""
    found = np.concatenate([np.array([BLACK], dtype=np.uint8), of_bodies(len(model.bodies) - 1)])
    for k, body in enumerate(model.bodies):
        if body.color is not None:
            found[k] = np.round(255.0 * body.color).astype(np.uint8)
    return found


def of_extension(extension: Array, most: float, short: Any = BLUE, rest: Any = GREY, long: Any = VERMILION) -> Bytes:
    """Colours of springs (n, 3): `short` where shortened by `most` [m] or more, `rest` at rest, `long` where stretched.

    >>> import numpy as np
    >>> of_extension(np.array([-1.0, 0.0, 0.5, 2.0]), most=1.0).tolist()
    [[0, 114, 178], [150, 150, 150], [182, 122, 75], [213, 94, 0]]
    """
    part = np.clip(extension / most if most > 0.0 else np.zeros_like(extension), -1.0, 1.0)[:, None]
    far = np.where(part < 0.0, short, long)
    return np.round(rest + np.abs(part) * (far - np.array(rest)) + 1e-9).astype(np.uint8)


def luminance(color: Any) -> float:
    """The relative luminance of a colour, from 0 to 1 (WCAG 2.2)."""
    c = np.asarray(color, dtype=np.float64) / 255.0
    light = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(light @ (0.2126, 0.7152, 0.0722))


def contrast(one: Any, other: Any) -> float:
    """The contrast of two colours, from 1 to 21 (WCAG 2.2).

    >>> round(contrast((0, 0, 0), (255, 255, 255)), 6)
    21.0
    """
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def readable(color: Any, paper: Any, least: float = LINE_CONTRAST) -> Bytes:
    """The colour, darkened on light paper and brightened on dark paper until its contrast is `least`.

    >>> round(contrast(readable(ORANGE, PAPER), PAPER), 1), readable(BLUE, PAPER).tolist()
    (3.0, [0, 114, 178])
    """
    c, end = np.asarray(color, dtype=np.float64), 0.0 if luminance(paper) > 0.18 else 255.0
    for part in np.linspace(0.0, 1.0, 101):
        mixed = np.round(c + part * (end - c)).astype(np.uint8)
        if contrast(mixed, paper) >= least:
            return mixed
    return mixed


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
