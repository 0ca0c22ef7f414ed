"""The pictures of docs/figures/look: all that `make look` takes, and small."""

import re
from pathlib import Path

FIGURES = Path(__file__).parents[2] / "docs" / "figures"


def test_all_pictures_are_kept_and_small():
    script = (FIGURES / "take_look.py").read_text(encoding="utf-8")
    demos = re.findall(r'"([\w-]+)":', re.search(r"^MOMENTS = \{(.*)\}", script, re.MULTILINE)[1])
    assert len(demos) == 4
    wanted = {
        f"{what}-{where}-{look}"
        for what in ("readme", "front")
        for where in ("desktop", "phone")
        for look in ("light", "dark")
    }
    for name in demos:
        parts = ("page-desktop", "page-phone", "view-desktop", "view-phone", "png")
        wanted |= {f"{name}-{part}-{look}" for part in parts for look in ("light", "dark")}
    found = {path.stem: path.stat().st_size for path in (FIGURES / "look").glob("*.png")}
    assert set(found) == wanted
    assert sum(found.values()) < 1_000_000
