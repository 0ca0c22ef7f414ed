"""The code blocks of the README and of the overview run in order, unchanged."""

import re
from pathlib import Path

import pytest

from livens.demos import DEMOS

ROOT = Path(__file__).parents[2]


def blocks_of(path):
    return re.findall(r"```python\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), re.DOTALL)


def test_the_code_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    """It has at most 100 lines, and its example writes the page that it names."""
    monkeypatch.chdir(tmp_path)
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100
    for block in blocks_of("README.md"):
        exec(compile(block, "README.md", "exec"), {})
    assert (tmp_path / "arm.html").exists()
    assert "energy" in capsys.readouterr().out


def test_every_demonstration_that_the_readme_shows_exists():
    named = re.findall(r"`livens demo ([a-z-]+)`", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(named) == 12
    assert set(named) <= set(DEMOS)


def test_the_code_of_the_overview_runs(tmp_path, monkeypatch, capsys):
    for package in ("casadi", "netgen"):
        pytest.importorskip(package, reason=f"the overview uses {package}")
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of("docs/overview.md")
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "overview.md", "exec"), names)
    assert (tmp_path / "arm.nc").exists()
    said = capsys.readouterr().out
    assert "energy" in said
    assert "Midpoint()" in said
