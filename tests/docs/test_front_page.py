"""The front page of the book and the README present livens in the same order."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def headings(path):
    return re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), re.M)


def test_the_sections_have_the_same_order():
    assert headings(ROOT / "docs" / "index.md") == headings(ROOT / "README.md")


def test_the_readme_has_at_most_100_lines():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100
