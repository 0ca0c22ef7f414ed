"""The rules of CONTRIBUTING that a machine can check, read from the source text: nothing is imported here.

Packages stand in one order, and every import runs down it, at the top of a file and inside functions alike. What runs
up is listed by name: the conveniences of a motion, a scene and a comparison (`motion.plot()`), which fetch a later
package when they are called.
"""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "livens"
FILES = sorted(SOURCE.rglob("*.py"))
ROOT_MODULES = {"__init__", "__main__", "_jit", "checks", "errors"}
ORDER = [  # a package imports those before it only
    "_jit",
    "errors",
    "checks",
    "kernels",
    "storage",
    "formula",
    "describe",
    "compile",
    "step",
    "scene",
    "record",
    "run",
    "analysis",
    "formats",
    "discrete",
    "study",
    "look",
    "demos",
    "cli",
    "__main__",
]
FACADES = {  # module → the later packages that its methods fetch when they are called
    "record.trajectory": {"analysis", "look"},
    "scene.document": {"run"},
    "discrete.comparison": {"look"},
}
LAZY = {  # modules that import inside functions to start quickly: a command fetches what it needs, and numba loads last
    "cli.main",
    "cli.run",
    "cli.scene",
    "cli.sweep",
    "scene.catalogue",
}
ANNOTATIONS = {  # module → the later packages that it names in annotations only
    "errors": {"record"},
    "record.trajectory": {"analysis"},
    "scene.document": {"record"},
}


def module_of(path):
    """The dotted name of a file, without `livens.`; a package's is that of its folder."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


def imports(path):
    """The modules of the package that a file imports, each with the place: "top", "function" or "annotation"."""
    package = path.relative_to(SOURCE).parent.parts
    found = []

    def visit(node, place):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            place = "annotation"
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").split(".")[0] == "livens"):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            own = (node.module or "").removeprefix("livens").lstrip(".") if not node.level else node.module
            base = ".".join([*base, *([own] if own else [])])
            for alias in node.names:
                whole = f"{base}.{alias.name}" if base else alias.name
                found.append((whole if whole in MODULES else base, place))
        elif isinstance(node, ast.Import):
            found.extend((a.name.partition(".")[2], place) for a in node.names if a.name.split(".")[0] == "livens")
        place = "function" if isinstance(node, ast.FunctionDef) and place == "top" else place
        for child in ast.iter_child_nodes(node):
            visit(child, place)

    visit(ast.parse(path.read_text()), "top")
    return found


EDGES = {module: imports(path) for module, path in MODULES.items()}


def test_the_root_holds_five_modules():
    assert {path.stem for path in SOURCE.glob("*.py")} == ROOT_MODULES


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_run_down_the_order_of_packages(module):
    """All of them: at the top, in functions and in annotations. `from livens import …` takes the version and the
    catalogue of public names from the root, which imports nothing by name."""
    here = module.split(".")[0]
    if not here:
        assert not EDGES[module]
        return
    for target, place in EDGES[module]:
        there = target.split(".")[0]
        if not there or there == here:
            continue
        later = ORDER.index(there) > ORDER.index(here)
        allowed = {"top": {}, "function": FACADES, "annotation": {**FACADES, **ANNOTATIONS}}[place].get(module, set())
        assert not later or there in allowed, f"{module} must not import {target} ({place})"


def components(edges):
    """Strongly connected components of a graph, the single ones left out (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in edges[v]:
            if w not in index:
                visit(w)
            if w in stack:
                low[v] = min(low[v], low[w])
        if low[v] == index[v]:
            k = stack.index(v)
            if len(stack) - k > 1:
                found.append(set(stack[k:]))
            del stack[k:]

    for v in edges:
        if v not in index:
            visit(v)
    return found


def test_modules_import_each_other_in_no_circle():
    """Counting imports inside functions too, except those of the façades."""
    edges = {
        module: {t for t, place in targets if t and t != module and (place == "top" or place == "function")}
        for module, targets in EDGES.items()
    }
    for module in FACADES:
        edges[module] = {t for t, place in EDGES[module] if t and place == "top"}
    assert not components(edges)


def test_only_facades_import_inside_functions():
    """Apart from heavy libraries. A package's own modules are imported at the top, where a reader looks for them."""
    found = {module for module, targets in EDGES.items() if any(p == "function" and t for t, p in targets)}
    assert found <= {*FACADES, *LAZY}, found - {*FACADES, *LAZY}


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_a_file_is_one_idea(path):
    assert len(path.read_text().splitlines()) <= 400


@pytest.mark.parametrize("path", sorted(SOURCE.glob("kernels/**/*.py")), ids=module_of)
def test_kernels_know_arrays_only(path):
    assert {name.partition(".")[0] for name, _ in imports(path)} <= {"_jit", "kernels"}
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
