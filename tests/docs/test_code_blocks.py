"""Code of the documentation outside notebooks is run.

Notebook cells ({code-cell}) are run by `make docs`; here are the plain blocks, and every `livens …` that a page shows.
"""

import ast
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest

from livens.cli import main as cli

ROOT = Path(__file__).parents[2]
PAGES = [path for path in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in path.parts] + [ROOT / "README.md"]
EXAMPLE = re.compile(r"`(livens [a-z][^`]*)`|^    (livens [a-z].*)$", re.MULTILINE)


def blocks(path, language="python"):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def commands(path):
    """The arguments of each command that a page shows; text after two blanks is a comment."""
    lines = (line or block for line, block in EXAMPLE.findall(path.read_text(encoding="utf-8")))
    return [shlex.split(re.split(r"  +|…|\n", line)[0])[1:] for line in lines]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_python_blocks_parse(path):
    for block in blocks(path):
        ast.parse(block)


def test_documented_commands_exist(capsys):
    parser, known = cli._parser(), 0
    for path in PAGES:
        for arguments in commands(path):
            if arguments == ["--help"] or "--help" in arguments:
                continue
            try:
                parser.parse_args(arguments)
            except SystemExit:
                said = capsys.readouterr().err
                # a page may name a command without the file it takes
                assert "required" in said, f"{path.name}: livens {' '.join(arguments)}: {said}"
            known += 1
    assert known > 30


def test_the_page_about_scenes_runs(tmp_path, monkeypatch, capsys):
    """The commands at its head that end by themselves, and its block of Python."""
    page = ROOT / "docs" / "reference" / "scenes.md"
    monkeypatch.chdir(tmp_path)
    shown = [arguments for arguments in commands(page) if arguments[0] in ("new", "check", "run", "schema")]
    assert [arguments[0] for arguments in shown[:3]] == ["new", "check", "run"]
    for arguments in shown[:3]:
        assert cli.main(arguments) == 0
    assert (tmp_path / "swing.nc").exists()
    [block] = blocks(page)
    names: dict[str, object] = {}
    exec(compile(block, page.name, "exec"), names)
    assert (tmp_path / "copy.toml").exists()
    capsys.readouterr()


def test_the_page_about_clusters_runs(tmp_path, monkeypatch):
    """Every block of the page, with local clusters instead of an address, SLURM and Kubernetes."""
    distributed = pytest.importorskip("distributed")
    page = ROOT / "docs" / "how-to" / "cluster.md"
    monkeypatch.chdir(tmp_path)
    local = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": None}

    class Elsewhere(distributed.LocalCluster):
        def __init__(self, **asked):
            super().__init__(**local)

        def scale(self, n=1, jobs=0):  # one worker for any number of jobs
            return super().scale(1 if jobs else n)

    for name, kind in (("dask_jobqueue", "SLURMCluster"), ("dask_kubernetes.operator", "KubeCluster")):
        module = ModuleType(name)
        setattr(module, kind, Elsewhere)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "dask_kubernetes", ModuleType("dask_kubernetes"))

    [study] = [cell for cell in blocks(page, r"\{code-cell\} python") if "def thrown" in cell]
    names: dict[str, object] = {}
    exec(study.partition("with LocalCluster")[0].replace("np.arange(5.0, 25.0)", "[5.0, 6.0]"), names)
    by_address, slurm, kubernetes = blocks(page)
    with distributed.LocalCluster(**local, protocol="tcp://", host="127.0.0.1") as cluster:
        exec(by_address.replace("tcp://10.0.0.1:8786", cluster.scheduler_address), names)
    places = [names["runs"].place]
    for block in (slurm, kubernetes):
        (tmp_path / "throws.nc").unlink()
        exec(block, names)
        places.append(names["runs"].place)
    assert places[0].shape == (3, 2, 3)
    assert all((place == places[0]).all() for place in places)
