"""Check the colours of pages and figures: python docs/figures/check_contrast.py

WCAG 2.2 asks for a contrast of 4.5 between text and its background, and of 3 for lines. The colours are those
of the themes, which pages, the live page, pictures, films and the viewer share, of traces, the site, its code, and the
lines of figures. The exit status is 1 if a pair has too little.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from livens.look.picture.colors import BODIES, contrast, readable
from livens.look.picture.themes import THEMES
from livens.look.plot import STYLES

ROOT = Path(__file__).parents[2]
TEXT, LINE = 4.5, 3.0
TEXTS = ("ink", "soft", "warn", "x", "y", "z", "force", "torque")  # also written
LINES = ("line", "accent", "ground", "grid", "velocity", "short", "rest", "long")
SITE = {"light": "#ffffff", "dark": "#14181e"}  # the backgrounds of the theme of the site
CODE = {"light": "#f3f4f5", "dark": "#29313d"}  # and of its code


class Pair(NamedTuple):
    """A colour on a background, and the contrast that it needs."""

    where: str
    look: str
    name: str
    color: tuple[float, ...]
    paper: tuple[float, ...]
    least: float

    @property
    def found(self) -> float:
        return contrast(self.color, self.paper)

    @property
    def good(self) -> bool:
        return self.found >= self.least - 0.005


def rgb(code: str) -> tuple[float, ...]:
    """The numbers of a code such as #1e1e1e; an opacity after them is left out.

    >>> rgb("#ff8000"), rgb("#fff")
    ((255, 128, 0), (255, 255, 255))
    """
    digits = code.lstrip("#")
    digits = "".join(2 * d for d in digits) if len(digits) == 3 else digits
    return tuple(int(digits[k : k + 2], 16) for k in (0, 2, 4))


def pairs() -> Iterator[Pair]:
    for look, theme in THEMES.items():
        for paper, color in (("paper", theme.paper), ("card", theme.card)):
            for name in TEXTS:
                yield Pair("themes", look, f"{name} on {paper}", vars(theme)[name], color, TEXT)
            for name in LINES:
                yield Pair("themes", look, f"{name} on {paper}", vars(theme)[name], color, LINE)
            for k, curve in enumerate(theme.curves):
                yield Pair("themes", look, f"curve {k + 1} and its name on {paper}", curve, color, TEXT)
        yield Pair("themes", look, "on, on accent", theme.on, theme.accent, TEXT)
        for k, color in enumerate(BODIES):
            yield Pair("traces", look, f"body {k + 1}", tuple(readable(color, theme.paper)), theme.paper, LINE)
    style = (ROOT / "docs" / "_static" / "livens.css").read_text(encoding="utf-8")
    for look, paper in SITE.items():
        block = re.search(rf'html\[data-theme="{look}"\] \{{([^}}]*)\}}', style)[1]  # type: ignore[index]
        for name, code in re.findall(r"--pst-color-([\w-]+): (#\w+)", block):
            least = TEXT if name != "secondary" else LINE
            yield Pair("site", look, name, rgb(code), rgb(paper), least)
    yield from code_pairs()
    for k, (_, code, _) in enumerate(STYLES):
        yield Pair("figures", "light", f"line {k + 1}", rgb(code), (255, 255, 255), LINE)


def code_pairs() -> Iterator[Pair]:
    """The colours of code in the book, by the styles that docs/conf.py names."""
    from pygments.styles import get_style_by_name

    configuration = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    for look, paper in CODE.items():
        name = re.search(rf'"pygments_{look}_style": "([\w-]+)"', configuration)[1]  # type: ignore[index]
        colors = {token: style["color"] for token, style in get_style_by_name(name) if style["color"]}
        for token, code in colors.items():
            yield Pair("code", look, str(token), rgb(code), rgb(paper), TEXT)


def main() -> None:
    found = list(pairs())
    for pair in found:
        sign = "" if pair.good else "   TOO LITTLE"
        print(f"{pair.where:<10} {pair.look:<6} {pair.name:<32} {pair.found:6.2f} of {pair.least}{sign}")
    sys.exit(not all(pair.good for pair in found))


if __name__ == "__main__":
    main()
