"""Every theory page is in the contents and ends with links to its implementation and its tests."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
THEORY = ROOT / "docs" / "theory"
PAGES = sorted(page.stem for page in THEORY.glob("*.md") if page.stem != "index")


def sections(page):
    """(heading, text) of the page's sections, code blocks left out."""
    text = re.sub(r"^```.*?^```$", "", (THEORY / f"{page}.md").read_text(encoding="utf-8"), flags=re.M | re.S)
    return [tuple(part.split("\n", 1)) for part in re.split(r"^## ", text, flags=re.M)[1:]]


def linked(text):
    return re.findall(r"\{src\}`([^`]+)`", text)


def test_contents_list_every_page_once():
    index = (THEORY / "index.md").read_text(encoding="utf-8")
    listed = re.search(r"```\{toctree\}(.*?)```", index, re.S)[1].split()[1:]
    assert len(set(listed)) == len(listed) == 17
    assert set(PAGES) <= set(listed)
    assert re.findall(r"^\| \[[^]]+\]\(([a-z-]+)\.md\)", index, re.M) == listed


@pytest.mark.parametrize("page", PAGES)
def test_pages_end_with_implementation_and_tests(page):
    (code, files), (proof, tests) = sections(page)[-2:]
    assert (code, proof) == ("Implementation", "Tests")
    assert any(path.startswith("src/livens/") for path in linked(files))
    assert any(path.startswith("tests/") for path in linked(tests))
    assert all((ROOT / path).is_file() for path in linked(files) + linked(tests))
