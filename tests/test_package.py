"""The installed package: names, version, types, a fast import, and numpy as the only required package."""

import ast
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest

import livens

FOLDER = Path(livens.__file__).parent


def python(*arguments):
    """The output of a new interpreter."""
    run = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_version():
    assert livens.__version__ == importlib.metadata.version("livens")
    assert livens.__version__ in python("-m", "livens", "--version")


def test_the_version_is_the_same_everywhere():
    """Of the package, of the citation, of the newest part of the changelog, and of the benchmarks."""
    root = Path(__file__).parents[1]
    texts = {
        "CITATION.cff": r"^version: (\S+)$",
        "CHANGELOG.md": r"^## (\S+)",
        "docs/benchmarks.md": r"^Versions: livens ([^,]+),",
    }
    for name, pattern in texts.items():
        text = (root / name).read_text(encoding="utf-8")
        assert re.search(pattern, text, re.MULTILINE)[1] == livens.__version__, name


def test_ships_its_types():
    assert (FOLDER / "py.typed").exists()


def test_every_public_name_exists_and_has_a_docstring():
    stub = ast.parse((FOLDER / "__init__.pyi").read_text())
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.level]  # without those of typing
    names = [a.asname or a.name for node in imports for a in node.names]
    assert len(names) == len(set(names)) > 0
    unexplained = [name for name in names if not getattr(livens, name).__doc__]
    assert not unexplained
    assert set(names) <= set(dir(livens))


def test_no_module_hides_a_public_name():
    """Importing livens.simulate must not turn the function livens.simulate into a module."""
    python("-c", EVERYTHING_FIRST)


EVERYTHING_FIRST = """
import importlib, pkgutil, types, livens

for module in pkgutil.walk_packages(livens.__path__, "livens."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
hidden = [name for name in dir(livens) if isinstance(getattr(livens, name), types.ModuleType)]
assert not hidden, hidden
"""


def test_import_loads_no_large_library():
    heavy = "{'numba', 'scipy', 'matplotlib', 'xarray', 'h5py', 'netgen', 'trimesh', 'casadi', 'viser', 'dask'}"
    assert python("-c", f"import sys, livens; print({heavy} & set(sys.modules))").strip() == "set()"


NUMPY_ONLY = """
import sys
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder

class OnlyNumpy(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] in sys.stdlib_module_names | {"numpy", "livens"}:
            return PathFinder.find_spec(name, path, target)

sys.meta_path[:] = [BuiltinImporter, FrozenImporter, OnlyNumpy]

import numpy as np
import livens as lv

m = lv.Model(gravity=(0, 0, -9.81))
b = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=1000), name="b", body_rates=(0.1, 2, 0.1)))
motion = lv.simulate(m, lv.Livens(), h=1e-2, until=0.5)
n, scale = len(motion.t), np.abs(motion.kinetic).max()
assert n == 51
assert np.ptp(motion.energy) <= 4 * n * np.finfo(float).eps * scale, np.ptp(motion.energy) / scale
fall = motion.position(b)[-1, 2]
assert abs(fall + 9.81 / 2 * 0.5**2) <= 4 * n * np.finfo(float).eps, fall
"""


@pytest.mark.parametrize("start", ["", "import os; os.environ['LIVENS_BACKEND'] = 'python'"])
def test_livens_runs_with_numpy_only(start):
    """All other packages are blocked; as in the browser, where the kernels run as plain Python, and as installed."""
    python("-c", start + NUMPY_ONLY)
