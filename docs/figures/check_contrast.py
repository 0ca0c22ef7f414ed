"""Check the colours of pages and figures: python docs/figures/check_contrast.py

WCAG 2.2 asks for a contrast of 4.5 between text and its background, and of 3 for lines. The colours are read from the
files that set them: the styles of the stand-alone page and of the live page, the scripts that draw curves, the site,
and the lines of figures. The exit status is 1 if a pair has too little.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from livens.look.picture.colors import BODIES, DARK_PAPER, PAPER, contrast, readable
from livens.look.plot import STYLES

ROOT = Path(__file__).parents[2]
PAGE, LIVE = ROOT / "src" / "livens" / "look" / "page", ROOT / "docs" / "live" / "page"
TEXT, LINE = 4.5, 3.0
SITE = {"light": "#ffffff", "dark": "#14181e"}  # the backgrounds of the theme of the site


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


def variables(path: Path) -> dict[str, dict[str, str]]:
    """The custom properties of a style in its light and dark look; the dark one changes some of the light ones."""
    text = path.read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#\w+)", re.search(pattern, text)[1]))  # type: ignore[index]
        for pattern in (r":root \{([^}]*)\}", r':root\[data-look="dark"\] \{([^}]*)\}')
    )
    return {"light": light, "dark": light | dark}


def strokes(path: Path, name: str) -> dict[str, list[str]]:
    """Lists of colours of a script: NAME = { light: ["#…", …], dark: [ … ] }."""
    text = re.search(name + r" = \{(.*?)\}", path.read_text(encoding="utf-8"))[1]  # type: ignore[index]
    return {look: re.findall(r"#\w+", part) for look, part in re.findall(r"(light|dark): \[(.*?)\]", text)}


def pairs() -> Iterator[Pair]:
    for where, path, script in (
        ("page", PAGE / "page.html", strokes(PAGE / "curves.js", "STROKES")),
        ("live page", LIVE / "look.css", strokes(LIVE / "chart.js", "INKS")),
    ):
        for look, found in variables(path).items():
            papers = {name: rgb(found[name]) for name in ("paper", "card")}
            for paper, color in papers.items():
                for name in ("ink", "soft", "warn"):
                    yield Pair(where, look, f"{name} on {paper}", rgb(found[name]), color, TEXT)
                yield Pair(where, look, f"accent on {paper}", rgb(found["accent"]), color, LINE)
                for k, code in enumerate(script[look]):
                    yield Pair(where, look, f"curve {k + 1} and its name on {paper}", rgb(code), color, TEXT)
    for look, paper in (("light", PAPER), ("dark", DARK_PAPER)):
        for k, color in enumerate(BODIES):
            yield Pair("traces", look, f"body {k + 1}", tuple(readable(color, paper)), paper, LINE)
    style = (ROOT / "docs" / "_static" / "livens.css").read_text(encoding="utf-8")
    for look, paper in SITE.items():
        block = re.search(rf'html\[data-theme="{look}"\] \{{([^}}]*)\}}', style)[1]  # type: ignore[index]
        for name, code in re.findall(r"--pst-color-([\w-]+): (#\w+)", block):
            least = TEXT if name != "secondary" else LINE
            yield Pair("site", look, name, rgb(code), rgb(paper), least)
    for k, (_, code, _) in enumerate(STYLES):
        yield Pair("figures", "light", f"line {k + 1}", rgb(code), (255, 255, 255), LINE)


def main() -> None:
    found = list(pairs())
    for pair in found:
        sign = "" if pair.good else "   TOO LITTLE"
        print(f"{pair.where:<10} {pair.look:<6} {pair.name:<32} {pair.found:6.2f} of {pair.least}{sign}")
    sys.exit(not all(pair.good for pair in found))


if __name__ == "__main__":
    main()
