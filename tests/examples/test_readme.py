"""The code blocks of the README run in order, unchanged."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"


def test_the_code_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    for package in ("casadi", "netgen"):
        pytest.importorskip(package, reason=f"the README uses {package}")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert (tmp_path / "arm.nc").exists()
    said = capsys.readouterr().out
    assert "energy" in said
    assert "Midpoint()" in said
