"""Marks on a picture: title, time, scale bar with its unit, axes of the world, scales of arrows and strains.

A length l at the distance of the camera's target has l f h / (2 far) pixels on a screen of h pixels height.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...checks import Array
from ..picture.arrows import ARROW_LENGTH, Arrows
from ..picture.beams import strain_in_words
from ..picture.colors import of_extension
from ..picture.lengths import in_words, nice
from ..picture.themes import Theme, unit
from .letters import LETTER_GAP, LETTER_HEIGHT, LETTER_WIDTH, write
from .raster import Camera, F

GRAVITY_LENGTH, GRAVITY_DASHES = (
    0.6,
    range(5),
)  # of the arrow of gravity, in lengths of the axes, and its dashes and gaps
BAR_LENGTH = 0.18  # largest length of the scale bar, in widths of the picture


def add_marks(
    image: Array,
    camera: Camera,
    theme: Theme,
    title: str,
    t: float,
    end: float,
    world: Array,
    gravity: bool,
    arrows: list[Arrows],
    half: float,
    strain: float | None = None,
    springs: bool = False,
) -> None:
    """Draw all marks into an image (height, width, 3) of whole pixels; `camera` has that size. world: the rotation from
    world axes to upright ones; gravity: there is some; half: half the largest side of the motion [m]; strain: the
    largest of the beams, None if no beam is coloured by it; springs: there are some, coloured by their extension."""
    ink = unit(theme.ink)
    height, width = image.shape[:2]
    scale = max(1, round(min(height, width) / 320))
    if min(height, width) < 120:  # no room for words
        return
    line, edge = scale * (LETTER_HEIGHT + 4), 4 * scale
    most = (width - 2 * edge) // (scale * (LETTER_WIDTH + LETTER_GAP))
    clock = time_text(t, end)
    write(image, _fitting(title, most - len(clock) - 2), edge, edge, scale, ink)
    write(image, clock, width - edge - scale * (LETTER_WIDTH + LETTER_GAP) * len(clock), edge, scale, ink)
    metre = camera.height / 2 * F / camera.far  # pixels per metre
    length = nice(BAR_LENGTH * width / metre)
    size = round(0.05 * min(height, width)) + 4 * scale
    bottom = height - edge - 2 * scale
    _triad(image, camera, theme, world, gravity, edge + size, bottom - size, size, scale)
    left = edge + 2 * size + 8 * scale
    _bar(image, left, bottom, round(length * metre), scale, in_words(length), ink)
    for k, one in enumerate(arrows):
        long = round(one.scale / one.most * ARROW_LENGTH * half * metre)
        color = unit(theme.force if one.kind == "force" else theme.torque)
        _arrow(image, left, bottom - (k + 1) * 2 * line, long, scale, f"{one.scale:g} {one.unit}", color)
    if strain is not None:
        _strain_scale(image, width - edge, bottom, scale, strain, theme)
    elif springs:
        _spring_colors(image, width - edge, bottom, scale, theme)


def time_text(t: float, end: float) -> str:
    """The time with as many decimals as the length of the motion needs.

    >>> time_text(1.5, 10.0), time_text(2e-4, 1e-3), time_text(5e6, 1e7)
    ('t = 1.50 s', 't = 0.000200 s', 't = 5000000 s')
    """
    decimals = int(np.clip(3 - np.floor(np.log10(abs(end) if end else 1.0)), 0, 9))
    return f"t = {t:.{decimals}f} s"


def _fitting(text: str, most: int) -> str:
    return text if len(text) <= most else text[: max(0, most - 2)] + ".."


def _box(image: Array, x0: int, x1: int, y0: int, y1: int, color: Any) -> None:
    image[max(0, y0) : max(0, y1), max(0, x0) : max(0, x1)] = color


def _bar(image: Array, x: int, y: int, length: int, scale: int, text: str, ink: Any) -> None:
    thick = max(1, scale)
    _box(image, x, x + length, y - thick, y, ink)
    for end in (x, x + length - thick):
        _box(image, end, end + thick, y - 3 * scale, y, ink)
    write(image, text, x, y - 4 * scale - scale * LETTER_HEIGHT, scale, ink)


def _arrow(image: Array, x: int, y: int, length: int, scale: int, text: str, color: Any) -> None:
    thick = max(1, scale)
    _box(image, x, x + length, y - thick, y, color)
    for k in range(3 * scale):
        _box(image, x + length - k - 1, x + length - k, y - thick - k // 2, y + k // 2, color)
    write(image, text, x, y - 4 * scale - scale * LETTER_HEIGHT, scale, color)


def _strain_scale(image: Array, right: int, bottom: int, scale: int, strain: float, theme: Theme) -> None:
    """The colours of strains from −largest to largest, with these numbers, in the lower corner at the right."""
    ink, ends = unit(theme.ink), [strain_in_words(sign * strain).replace("-", "−") for sign in (-1.0, 1.0)]
    title, letter = "strain", scale * (LETTER_WIDTH + LETTER_GAP)
    length = letter * (len(ends[0]) + len(ends[1]) + len(title) + 4)
    left, high = right - length, scale * (LETTER_HEIGHT - 1)
    part = np.linspace(-strain, strain, length)
    colors = of_extension(part, strain, theme.short, theme.calm, theme.long) / 255.0
    if left < 0:  # no room
        return
    image[bottom - high : bottom, left:right] = colors
    above = bottom - high - 3 * scale - scale * LETTER_HEIGHT
    write(image, ends[0], left, above, scale, ink)
    write(image, title, left + (length - letter * len(title)) // 2, above, scale, ink)
    write(image, ends[1], right - letter * len(ends[1]) + scale * LETTER_GAP, above, scale, ink)


def _spring_colors(image: Array, right: int, bottom: int, scale: int, theme: Theme) -> None:
    """The colours of springs with their words, in the lower corner at the right, if there is room."""
    letter, words = scale * (LETTER_WIDTH + LETTER_GAP), ("short", "rest", "long")
    square, top = scale * (LETTER_HEIGHT - 2), bottom - scale * LETTER_HEIGHT
    x = right - letter * (len("".join(words)) + 2 * len(words) + len(words) - 1)
    if x < image.shape[1] // 2:
        return
    for word in words:
        _box(image, x, x + square, top + scale, top + scale + square, unit(vars(theme)[word]))
        write(image, word, x + 2 * letter - scale * LETTER_GAP, top, scale, unit(theme.ink))
        x += letter * (len(word) + 3)


def _triad(
    image: Array, camera: Camera, theme: Theme, world: Array, gravity: bool, x: int, y: int, size: int, scale: int
) -> None:
    """The axes of the world as they lie in the picture, from back to front, and the direction of gravity, dashed."""
    axes = [("x", theme.x, world[:, 0]), ("y", theme.y, world[:, 1]), ("z", theme.z, world[:, 2])]
    axes.sort(key=lambda axis: float(axis[2] @ camera.d))
    down = [("g", theme.ink, np.array([0.0, 0.0, -GRAVITY_LENGTH]))] if gravity else []
    for name, code, e in down + axes:
        dx, dy, color = size * float(e @ camera.right), -size * float(e @ camera.up), unit(code)
        for k, s in enumerate(np.linspace(0.0, 1.0, 4 * size)):
            if name != "g" or k * len(GRAVITY_DASHES) // (4 * size) in GRAVITY_DASHES[::2]:
                i, j = round(x + s * dx), round(y + s * dy)
                _box(image, i, i + scale, j, j + scale, color)
        away = 1.35 if name != "g" else 1.7  # the letter
        tip = round(x + away * dx - scale * LETTER_WIDTH / 2), round(y + away * dy - scale * LETTER_HEIGHT / 2)
        write(image, name, *tip, scale, color)
