"""Every ```python block of the README runs as it stands, each on its own in an empty folder.

A line `<!-- not run: why -->` right above a block leaves it out.
"""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text()
BLOCKS = re.findall(r"(?:<!-- not run: (.*?) -->\n)?```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize(("why_not", "code"), BLOCKS, ids=range(len(BLOCKS)))
def test_readme_block(why_not, code, tmp_path, monkeypatch):
    if why_not:
        pytest.skip(why_not)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})


def test_the_readme_has_examples():
    assert BLOCKS
