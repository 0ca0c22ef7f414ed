"""Every example runs, its check() passes, and it has at most 60 lines."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    example = runpy.run_path(str(path), run_name="example")
    example["check"]()
    assert len(path.read_text().splitlines()) <= 60
    assert example["__doc__"]


def test_there_are_examples():
    assert len(EXAMPLES) >= 40
