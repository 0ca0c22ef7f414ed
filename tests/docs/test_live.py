"""The code of the live page, run as in the browser: numpy only, kernels as plain Python, the same numbers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "browser").glob("*.ipynb"))

NUMPY_ONLY = """
import sys
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder

class OnlyNumpy(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] in sys.stdlib_module_names | {"numpy", "livens", "demos", "session"}:
            return PathFinder.find_spec(name, path, target)

sys.meta_path[:] = [BuiltinImporter, FrozenImporter, OnlyNumpy]
"""

STATES = """
import json
import session

def states():
    found = {}
    for name in ("body", "hammer", "springs"):
        for k, values in enumerate([{}, *session.DEMOS[name].presets.values()]):
            run = session.open_demo(name, values)
            run.step(60)
            found[f"{name} {k}"] = [float(x).hex() for x in (*run.poses(), *run.curve())]
    run = session.open_demo("springs", {"c": 2.0})  # dampers: the kernel of mechanisms
    run.step(60)
    found["damped"] = [float(x).hex() for x in (*run.poses(), *run.curve())]
    return found

print(json.dumps(states()))
"""


def python(text, *paths):
    """The output of a new interpreter."""
    start = f"import sys; sys.path[:0] = {[str(ROOT / 'src'), *map(str, paths)]!r}\n"
    run = subprocess.run([sys.executable, "-c", start + text], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_plain_and_compiled_kernels_are_bitwise_identical():
    """Every preset of every demo that moves, 60 steps."""
    pages = ROOT / "docs" / "live" / "page"
    plain, compiled = (json.loads(python(text, pages)) for text in (NUMPY_ONLY + STATES, STATES))
    assert len(plain) == 16
    assert plain == compiled


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_with_numpy_alone(path):
    """Top to bottom; the last cell of each is a check."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code")
    assert "assert " in code[-1]
    assert any(".show()" in cell for cell in code)
    python(NUMPY_ONLY + "\n".join(code))


def test_there_are_four_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["hammer", "poses", "single_body", "springs"]
