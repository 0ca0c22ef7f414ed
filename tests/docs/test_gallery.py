"""The gallery contains every example once, with its picture, and its page is that of `make gallery`."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "gallery"
MOST_BYTES = 800_000  # of all pictures


def gallery():
    spec = importlib.util.spec_from_file_location("gallery", FOLDER / "draw.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_in_the_gallery_once():
    names = [name for some in gallery().GALLERY.values() for name in some]
    assert sorted(names) == sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
    assert len(names) >= 40


def test_the_page_is_up_to_date():
    assert (FOLDER / "index.md").read_text(encoding="utf-8") == gallery().page()


def test_every_example_has_a_picture_and_they_are_small():
    pictures = list(FOLDER.glob("*.png"))
    assert {path.stem for path in pictures} == {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert all(path.read_bytes()[:4] == b"\x89PNG" for path in pictures)
    assert sum(path.stat().st_size for path in pictures) < MOST_BYTES
