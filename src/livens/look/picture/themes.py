"""The two looks of all pictures, light and dark: the one table from which page, live page, viewer, picture and film
take the colours of everything that is not a body.

    text and the names of curves have a contrast of 4.5 to the paper or more, lines of 3 (WCAG 2.2)             (1)

Bodies have the same colours in both; traces have those of their bodies, changed until (1) holds (colors.readable).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ...errors import ModelError
from .colors import DARK_PAPER, PAPER, hexadecimal

Color = tuple[int, int, int]
SCRIPT_LINES = ("paper", "ink", "ground", "force", "torque", "short", "rest", "long", "calm")  # drawn by scripts


@dataclass(frozen=True)
class Theme:
    """Colours from 0 to 255, by what they are used for."""

    name: str
    paper: Color  # the background
    card: Color  # the background of panels
    ink: Color  # text, joints, axes of joints, rods
    soft: Color  # captions
    line: Color  # borders of controls
    hair: Color  # lines that separate, without meaning of their own
    accent: Color  # what is chosen
    warn: Color  # warnings
    on: Color  # text on the accent
    ground: Color  # symbols of the ground and the base link, springs and dampers of pictures
    grid: Color  # lines of the ground
    grid_weight: float  # their opacity
    shadow: float  # brightness of a shadow, of that of the paper
    x: Color  # axes of the world
    y: Color
    z: Color
    force: Color  # loads, and forces of contacts
    torque: Color
    velocity: Color
    short: Color  # springs: shortened, at rest, stretched
    rest: Color
    long: Color
    calm: Color  # surfaces of beams without strain; where they are strained, they have the colours of springs
    curves: tuple[Color, Color, Color]

    @property
    def dark(self) -> bool:
        """True if the paper is darker than the ink."""
        return sum(self.paper) < sum(self.ink)

    @property
    def number(self) -> int:
        """Its place in lists with one colour for each look: light, dark."""
        return list(THEMES).index(self.name)


THEMES = {
    "light": Theme(
        name="light",
        paper=PAPER,
        card=(255, 255, 255),
        ink=(30, 30, 30),
        soft=(92, 91, 86),
        line=(141, 139, 131),
        hair=(220, 218, 210),
        accent=(0, 114, 178),
        warn=(163, 60, 0),
        on=(255, 255, 255),
        ground=(92, 92, 87),
        grid=(140, 140, 133),
        grid_weight=0.75,
        shadow=0.86,
        x=(179, 38, 30),
        y=(29, 122, 62),
        z=(28, 83, 179),
        force=(176, 74, 0),
        torque=(140, 56, 115),
        velocity=(0, 122, 89),
        short=(0, 114, 178),
        rest=(136, 136, 132),
        long=(213, 94, 0),
        calm=(205, 204, 197),
        curves=((30, 30, 30), (0, 114, 178), (163, 60, 0)),
    ),
    "dark": Theme(
        name="dark",
        paper=DARK_PAPER,
        card=(31, 34, 38),
        ink=(236, 234, 228),
        soft=(179, 177, 170),
        line=(118, 122, 128),
        hair=(56, 60, 66),
        accent=(86, 180, 233),
        warn=(255, 157, 92),
        on=(16, 21, 26),
        ground=(168, 168, 161),
        grid=(128, 135, 143),
        grid_weight=0.5,
        shadow=0.5,
        x=(255, 138, 112),
        y=(95, 208, 138),
        z=(127, 179, 255),
        force=(255, 157, 92),
        torque=(228, 154, 196),
        velocity=(64, 205, 160),
        short=(86, 180, 233),
        rest=(150, 150, 150),
        long=(255, 140, 66),
        calm=(205, 204, 197),
        curves=((236, 234, 228), (86, 180, 233), (255, 157, 92)),
    ),
}


def theme_of(name: Any) -> Theme:
    """The theme "light" or "dark"; None is the light one.

    >>> theme_of("dark").paper, theme_of(None).name
    ((21, 23, 26), 'light')
    """
    if name is None:
        return THEMES["light"]
    if not isinstance(name, str) or name not in THEMES:
        raise ModelError(f"there is no theme {name!r}: choose {' or '.join(map(repr, THEMES))}.")
    return THEMES[name]


def unit(color: Color) -> tuple[float, ...]:
    """A colour from 0 to 1.

    >>> unit((255, 0, 51))
    (1.0, 0.0, 0.2)
    """
    return tuple(part / 255 for part in color)


def style_sheet() -> str:
    """The colours of both themes as custom properties of CSS, under the names of their uses.

    >>> style_sheet().splitlines()[0][:34]
    ':root { --paper: #f4f3ef; --card: '
    """
    rows = {":root": "light", ':root[data-look="dark"]': "dark"}
    return "\n".join(f"{where} {{ {_properties(THEMES[name])} }}" for where, name in rows.items())


def _properties(theme: Theme) -> str:
    found = {one.name: vars(theme)[one.name] for one in fields(theme) if one.type == "Color"}
    found |= {f"curve-{k}": color for k, color in enumerate(theme.curves, start=1)}
    codes = {name: hexadecimal(color) + ("f2" if name == "card" else "") for name, color in found.items()}
    return "; ".join(f"--{name}: {code}" for name, code in codes.items())


def script_values() -> dict[str, dict[str, Any]]:
    """The colours of both themes for the scripts of pages: lines as numbers from 0 to 1, with an opacity, and text as
    codes of CSS."""
    return {name: _values(theme) for name, theme in THEMES.items()}


def _values(theme: Theme) -> dict[str, Any]:
    lines = {name: [*unit(vars(theme)[name]), 1.0] for name in SCRIPT_LINES}
    return {
        **lines,
        "grid": [*unit(theme.grid), theme.grid_weight],
        "axes": [hexadecimal(axis) for axis in (theme.x, theme.y, theme.z)],
        "text": hexadecimal(theme.ink),
        "soft": hexadecimal(theme.soft),
        "curves": [hexadecimal(color) for color in theme.curves],
        "look": theme.number,
    }
