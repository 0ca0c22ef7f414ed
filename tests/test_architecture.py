"""The rules of CONTRIBUTING that a program can check, read from the source text: nothing is imported here.

The packages have an order. A module imports only packages before its own, at the top of the file and inside functions.
The exceptions are listed: methods of a motion, a scene, a comparison and a linear system (`motion.plot()`) import a
later package when they are called.
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
ORDER = [  # a package imports only packages before it
    "errors",
    "backend",
    "_jit",
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
    "gpu",
    "analysis",
    "formats",
    "discrete",
    "study",
    "look",
    "demos",
    "cli",
    "__main__",
]
FACADES = {  # module → the later packages that its methods import when they are called
    "record.trajectory": {"analysis"},
    "record.showing": {"look", "run"},
    "scene.document": {"run"},
    "discrete.comparison": {"look"},
    "analysis.linear_system": {"look"},
    "analysis.fit": {"look"},
}
LAZY = {  # modules that import inside functions to start quickly: a command imports what it uses, and numba is last
    "cli.main",
    "cli.run",
    "cli.scene",
    "cli.sweep",
    "scene.catalogue",
}
ANNOTATIONS = {  # module → the later packages that it imports for annotations only
    "errors": {"record"},
    "record.trajectory": {"analysis"},
    "scene.document": {"record"},
}


def module_of(path):
    """The dotted name of a module, without `livens.`; the name of a package is that of its folder."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


def imports(path):
    """The modules of livens that a file imports, each with its position: "top", "function" or "annotation"."""
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
def test_a_module_imports_only_earlier_packages(module):
    """At the top, in functions and in annotations. `from livens import …` imports the version and the catalogue of
    public names from the root, which imports no module by name."""
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
    """Strongly connected components of a graph with more than one node (Tarjan)."""
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


def test_there_are_no_import_cycles():
    """Imports inside functions count too, except those of the façades."""
    edges = {
        module: {t for t, place in targets if t and t != module and (place == "top" or place == "function")}
        for module, targets in EDGES.items()
    }
    for module in FACADES:
        edges[module] = {t for t, place in EDGES[module] if t and place == "top"}
    assert not components(edges)


def test_only_facades_import_inside_functions():
    """Modules of livens are imported at the top of a file, where a reader looks for them; large libraries need not."""
    found = {module for module, targets in EDGES.items() if any(p == "function" and t for t, p in targets)}
    assert found <= {*FACADES, *LAZY}, found - {*FACADES, *LAZY}


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_a_file_has_at_most_400_lines(path):
    assert len(path.read_text().splitlines()) <= 400


@pytest.mark.parametrize("path", sorted(SOURCE.glob("kernels/**/*.py")), ids=module_of)
def test_kernels_use_arrays_only(path):
    assert {name.partition(".")[0] for name, _ in imports(path)} <= {"_jit", "kernels"}
    for node in ast.walk(ast.parse(path.read_text())):
        assert not isinstance(node, ast.Raise), f"line {node.lineno} raises; return a status"
        assert not (isinstance(node, ast.Call) and ast.unparse(node.func) == "print"), f"line {node.lineno} prints"


REFLECTION = re.compile(r"\b(getattr|hasattr)\b")


def test_few_getattr():
    """A test for an attribute means that a type is missing: at most 40 are left, each with its reason in a comment on
    its line or on the line above."""
    count, unexplained = 0, []
    for path in FILES:
        lines = path.read_text(encoding="utf-8").splitlines()
        for k, line in enumerate(lines):
            if REFLECTION.search(line):
                count += 1
                if "#" not in line and not lines[k - 1].strip().startswith("#"):
                    unexplained.append(f"{path.relative_to(SOURCE)}:{k + 1}")
    assert count <= 40
    assert not unexplained


def concrete_things():
    """The names of the classes of joints and forces, from their files; Joint is their common base."""
    paths = [path for kind in ("joints", "forces") for path in (SOURCE / "describe" / kind).glob("*.py")]
    nodes = [node for path in paths for node in ast.parse(path.read_text(encoding="utf-8")).body]
    return {node.name for node in nodes if isinstance(node, ast.ClassDef)} - {"Joint"}


CONCRETE = concrete_things()
CLASS_NAME = re.compile(r"type\(.*\)\.__(qual)?name__")


def names_within(node):
    """All names and attributes in an expression."""
    parts = list(ast.walk(node))
    return {part.id for part in parts if isinstance(part, ast.Name)} | {
        part.attr for part in parts if isinstance(part, ast.Attribute)
    }


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_no_test_of_a_class_of_things(path):
    """Things answer through their methods. Only describe and compile may test for a concrete joint or force, and nobody
    compares the name of a class."""
    package = module_of(path).split(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare):
            assert not any(CLASS_NAME.fullmatch(ast.unparse(side)) for side in [node.left, *node.comparators]), (
                f"line {node.lineno} compares the name of a class"
            )
        tested = set()
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            tested = names_within(node.args[1])
        elif isinstance(node, ast.MatchClass):
            tested = names_within(node.cls)
        assert package in ("describe", "compile") or not tested & CONCRETE, f"line {node.lineno} tests for a class"


def test_no_machine_paths_and_no_package_registries_in_tracked_files():
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode:
        pytest.skip("not a git checkout")
    private = re.compile(r"(?<![\w.])/(work|root|home|Users)/|pypi[.]org|pythonhosted[.]|anaconda[.]org|npmjs[.]")
    tracked = [ROOT / name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]
    found = {str(path.relative_to(ROOT)) for path in tracked if private.search(path.read_text(errors="ignore"))}
    assert not found
