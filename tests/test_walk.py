"""A walk through the package: which functions and files the README's first example enters, and what it compiles.

A reader who follows the example reads each function once, in the order in which it is entered; "file changes" counts
how often the next function is in another file. Compiled kernels count where Python calls them.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import livens as lv
from livens.compile import compiled as compiling

ROOT = Path(__file__).parents[1]
TRACE = """
import importlib, json, pkgutil, sys
import livens
for module in pkgutil.walk_packages(livens.__path__, "livens."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
folder = livens.__path__[0]
comprehensions = ("<lambda>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")
order, seen, compiled = [], set(), 0

def enter(frame, event, argument):
    global compiled
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(folder) and code.co_name not in comprehensions:
        compiled += code.co_name == "compile_model"
        if (code.co_filename, code.co_qualname) not in seen:
            seen.add((code.co_filename, code.co_qualname))
            order.append(code.co_filename)

def example():
    exec(compile(EXAMPLE, "README.md", "exec"), {})

sys.setprofile(enter)
example()
sys.setprofile(None)
changes = sum(one != two for one, two in zip(order, order[1:]))
json.dump([len(order), len(set(order)), changes, compiled], open(sys.argv[1], "w"))
"""


def first_example():
    """The first Python block of the README, up to the report, with fewer steps."""
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)[1]
    lines = block[: block.index("print(motion.report())") + len("print(motion.report())")]
    assert "until=10.0" in lines
    return lines.replace("until=10.0", "until=0.02")


def test_the_walk_of_the_first_example(tmp_path):
    """The limits are those of the present structure: a change that lengthens the walk shows here."""
    code = f"EXAMPLE = {first_example()!r}\n{TRACE}"
    run = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "walk.json"],
        env={**os.environ, "PYTHONPATH": str(Path(lv.__file__).parents[1]), "NUMBA_DISABLE_JIT": "0"},
        capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    functions, files, changes, compiled = json.loads((tmp_path / "walk.json").read_text())
    assert compiled == 1
    assert (functions <= 275, files <= 50, changes <= 184) == (True, True, True), (functions, files, changes)


@pytest.fixture
def compilations(monkeypatch):
    """Counts the calls of compile_model."""
    calls, real = [], compiling.compile_model
    monkeypatch.setattr(compiling, "compile_model", lambda *arguments: calls.append(1) or real(*arguments))
    return calls


def test_a_model_is_compiled_once(compilations, tmp_path):
    """For its run, its controller, its report, its coordinates, its reactions, its picture and its file."""
    m = lv.Model(gravity=(0, 0, -9.81))
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Motor(hinge, lambda t, now: -10.0 * now.coordinate("hinge")[0] - now.velocity(arm)[0, 2], rate=100.0))
    motion = lv.simulate(m, h=1e-2, until=0.5)
    motion.report()
    motion.coordinate("hinge")
    motion.reaction("hinge")
    motion.save(tmp_path / "arm.nc")
    motion.to_html(tmp_path / "arm.html")
    lv.resume(motion, until=1.0)
    assert len(compilations) == 1
