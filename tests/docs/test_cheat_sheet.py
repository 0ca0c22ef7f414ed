"""The cheat sheet: its PDF file is that of the page, on two pages, and its names exist."""

import importlib.util
import re
from pathlib import Path

import livens as lv
import livens.discrete as ld

DOCS = Path(__file__).parents[2] / "docs"


def printer():
    spec = importlib.util.spec_from_file_location("print_cheat_sheet", DOCS / "print_cheat_sheet.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pdf_is_up_to_date_and_has_two_pages():
    data = printer().TARGET.read_bytes()
    assert data.startswith(b"%PDF")
    assert data.endswith(printer().stamp()), "run make cheat-sheet"
    assert len(re.findall(rb"/Type /Page\b", data)) == 2


def test_its_names_exist():
    text = (DOCS / "cheat-sheet.md").read_text(encoding="utf-8")
    for module, names in ((lv, re.findall(r"\blv\.(\w+)", text)), (ld, re.findall(r"\bld\.(\w+)", text))):
        assert names
        assert not [name for name in names if not hasattr(module, name)]
    for name in re.findall(r"\bmotion\.(\w+)", text):
        assert hasattr(lv.Trajectory, name) or name in lv.simulate(ball(), h=0.1, until=0.1).__dict__, name


def ball():
    m = lv.Model()
    m.add(lv.Body(lv.PointMass(1.0), name="ball"))
    return m
