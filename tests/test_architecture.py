"""The rules of CONTRIBUTING that a machine can check, read from the source text: nothing is imported here."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "livens"
FILES = sorted(SOURCE.rglob("*.py"))

STAGES = [  # imports run only along the arrows: a stage may import itself and the stages above it
    "_jit errors checks apart",
    "pose surface tessellate mass shapes solid cad mesh model "  # describe
    "joints gears rolling symbols grammar expressions tracing symbolic user acting forces signals going",
    "frames structure constraints tapes formulas system "  # → compile, and its layout
    "kernels.bags kernels.kinds kernels.opcodes",
    "kernels integrators",  # → step
    "nulls start reactions progress plan simulation trajectory statics atomic hdf5 files study discrete "  # → record
    "scene frequency band auto framing run_journal survival failures labelled imports",
    "invariants hamiltonian symmetry report plot page gltf render viewer demos "  # → look
    "cli sources scene_commands run_commands sweep __init__ __main__",
]
STAGE = {module: number for number, modules in enumerate(STAGES) for module in modules.split()}


def stage(name, otherwise=None):
    """The stage of a module, by its first two names or its first."""
    first, second = (*name.split("."), "")[:2]
    return STAGE.get(f"{first}.{second}", STAGE.get(first, otherwise))


def each_file(test):
    return pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))(test)


def imports(path):
    """The package's own names that a file imports, without `livens.`, each with: inside a function?"""
    package = ["livens", *path.relative_to(SOURCE).parent.parts]

    def visit(node, inside):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join(base + ([node.module] if node.module else []))
            targets = [f"{base}.{alias.name}" for alias in node.names]
        else:
            targets = []
        for target in targets:
            first, _, rest = target.partition(".")
            if first == "livens":
                yield rest or "__init__", inside
        inside = inside or isinstance(node, ast.FunctionDef)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inside)

    return list(visit(ast.parse(path.read_text()), False))


@each_file
def test_imports_run_along_the_arrows(path):
    """Inside a function one stage further is allowed: `motion.plot()` fetches `plot` when it is called."""
    module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    here = stage(module)
    assert here is not None, f"give {module} a place in STAGES"
    public = STAGE["__init__"]  # where `from livens import Body` would find Body
    against = {name for name, inside in imports(path) if stage(name, public) > here + inside}
    assert not against, f"{module} must not import {against}"


@each_file
def test_a_file_is_one_idea(path):
    assert len(path.read_text().splitlines()) <= 400


@pytest.mark.parametrize("path", sorted(SOURCE.glob("kernels/*.py")), ids=lambda path: path.name)
def test_kernels_know_arrays_only(path):
    known = {name.partition(".")[0] for name, _ in imports(path)}
    assert known <= {"_jit", "kernels"}
    for node in ast.walk(ast.parse(path.read_text())):
        assert not isinstance(node, ast.Raise), f"line {node.lineno} raises; return a status"
        assert not (isinstance(node, ast.Call) and ast.unparse(node.func) == "print"), f"line {node.lineno} prints"


def test_no_machine_paths_and_no_package_registries_in_tracked_files():
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode:
        pytest.skip("not a git checkout")
    private = re.compile(r"(?<![\w.])/(work|root|home|Users)/|pypi[.]org|pythonhosted[.]|anaconda[.]org|npmjs[.]")
    tracked = [ROOT / name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]
    found = {str(path.relative_to(ROOT)) for path in tracked if private.search(path.read_text(errors="ignore"))}
    assert not found
