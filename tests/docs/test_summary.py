"""The committed summary of the reference is that of the docstrings."""

import importlib.util
from pathlib import Path

import livens as lv

FOLDER = Path(__file__).parents[2] / "docs" / "reference"


def written():
    spec = importlib.util.spec_from_file_location("write_summary", FOLDER / "write_summary.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.page()


def test_the_summary_is_current():
    """After a change of docstrings or signatures: python docs/reference/write_summary.py."""
    assert (FOLDER / "summary.md").read_text(encoding="utf-8") == written()


def test_every_public_class_and_function_is_in_it():
    text = written()
    public = [name for name in dir(lv) if not name.startswith("_") and callable(getattr(lv, name))]
    assert len(public) > 100
    assert not [name for name in public if f"`lv.{name}" not in text]
    assert "| `motion.at(t)` | The motion at any times t [s]" in text
