"""The wheel, installed into an empty folder: what it contains, and that it runs with numpy alone and with all extras.

`make install-check` does the same with environments into which pip installs everything from a package index.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import livens

pytest.importorskip("hatchling", reason="no hatchling: pip install hatchling")
ROOT = Path(__file__).parents[1]
ENDINGS = {".py", ".pyi", ".typed", ".json", ".js", ".html", ".toml", ".so", ".pyd"}


def built(kind, folder):
    """A wheel or a source archive of this tree; with the compiled library if there is a current one."""
    environment = dict(os.environ, LIVENS_LIBRARY="" if livens._jit.BACKEND == "library" else "0")
    line = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), "-t", kind]
    run = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder into which pip has installed the wheel and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    line = ["install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--target", str(folder), str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *line], check=True)
    return folder


def test_the_wheel_contains_what_belongs_to_it(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    package = ROOT / "src" / "livens"
    there = {
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("_compiled.")
    }
    assert {name for name in names if "/_compiled." not in name} == there
    assert {Path(name).suffix for name in names} <= ENDINGS
    library = any("/_compiled." in name for name in names)
    assert ("py3-none-any" in wheel.name) == (not library)  # pure, or for a platform


def test_the_source_archive_contains_what_a_build_needs(tmp_path):
    with tarfile.open(built("sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "hatch_build.py", "library/build.py", "src/livens/__init__.py", "LICENSE"} <= names
    assert not [name for name in names if name.startswith((".venv", "docs/_build", ".cache", "dist/"))]


EXAMPLE = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
CHECKED = "\nassert motion.defect_position.max() < 1e-11\nprint(lv.__file__)\n"
DEMO = "import sys; from livens.cli.main import main; sys.exit(main(['demo', 'hammer', '--output', 'out']))"


def run(script, folder, paths, cwd):
    """A script in a new interpreter that finds modules in `paths` only."""
    begin = f"import sys; sys.path[:0] = {[str(path) for path in paths]!r}\n"
    line = [sys.executable, "-I", "-S", "-c", begin + script]
    done = subprocess.run(line, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert str(folder) in done.stdout or "hammer" in done.stdout
    return done.stdout


@pytest.fixture
def numpy_alone(tmp_path):
    """A folder with numpy and nothing else."""
    import numpy

    folder, home = tmp_path / "numpy alone", Path(numpy.__file__).parents[1]
    folder.mkdir()
    for name in ("numpy", "numpy.libs"):
        if (home / name).exists():
            (folder / name).symlink_to(home / name)
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege on Windows")
def test_the_first_example_runs_with_numpy_alone(installed, numpy_alone, tmp_path):
    run(EXAMPLE + CHECKED, installed, [installed, numpy_alone], tmp_path)
    assert (tmp_path / "arm.html").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege on Windows")
def test_the_demonstration_runs_with_numpy_alone(installed, numpy_alone, tmp_path):
    text = run(DEMO, installed, [installed, numpy_alone], tmp_path)
    assert "energy [J]" in text


def test_example_and_demonstration_run_with_all_extras(installed, tmp_path):
    """The packages of the environment of the tests, which has the extras."""
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    run(EXAMPLE + CHECKED, installed, [installed, *packages], tmp_path)
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    text = run(DEMO, installed, [installed, *packages], tmp_path)
    assert "energy [J]" in text
    assert (tmp_path / "out" / "hammer.nc").exists()
