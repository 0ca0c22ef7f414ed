"""The paper: every number is computed by the repository, every citation exists, and it has the form of JOSS."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

PAPER = Path(__file__).parents[2] / "paper"
ROUND_OFF = {"violation", "violation_rate", "bricard_violation", "hammer_error"}
COUNTS = {"joints", "examples", "demos"}  # at least
SECTIONS = ["Summary", "Statement of need", "State of the field", "Software design", "Acknowledgements", "References"]


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location("make_numbers", PAPER / "make_numbers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def value(text):
    """The number that power_of_ten wrote."""
    return float(re.sub(r"\$([\d.]+)\\times10\^\{(-?\d+)\}\$", r"\1e\2", text))


def test_the_numbers_are_those_that_the_repository_computes(maker):
    stored, found = json.loads((PAPER / "numbers.json").read_text(encoding="utf-8")), maker.computed()
    exact = set(stored) - ROUND_OFF - COUNTS
    assert {name: found[name] for name in exact} == {name: stored[name] for name in exact}
    for name in COUNTS:
        assert int(stored[name]) <= int(found[name])
    for name in ROUND_OFF:
        assert 0.2 < value(found[name]) / value(stored[name]) < 5.0


def test_the_paper_is_its_template_with_the_numbers(maker):
    stored = json.loads((PAPER / "numbers.json").read_text(encoding="utf-8"))
    assert (PAPER / "paper.md").read_text(encoding="utf-8") == maker.written(stored)
    template = (PAPER / "template.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\{\{(\w+)\}\}", template)) == set(stored)


def test_sections_length_and_citations():
    text = (PAPER / "paper.md").read_text(encoding="utf-8")
    body = text.split("---", 2)[2]
    assert re.findall(r"^# (.*)$", body, re.MULTILINE) == SECTIONS
    assert 500 < len(body.split()) < 1750  # words, as JOSS asks
    entries = re.findall(r"^@\w+\{(\w+),", (PAPER / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"@(\w+)", body)) == set(entries)
