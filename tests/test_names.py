"""Rules for names, read from the source text: nothing is imported here."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "livens"
PACKAGES = sorted(path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists())
ENTRIES = {"DEMO"}  # every file of a catalogue defines its entry under this name
SLOTS = {"account", "held", "lam", "pivot", "power", "trial"}  # arrays with named slots: kernels/arrays.py
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")


def constants(path):
    """Name and source text of each constant that a module assigns at its top level."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            pairs = [(target, node.value)]
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [ast.Starred()]
            if isinstance(target, ast.Tuple) and not any(isinstance(value, ast.Starred) for value in values):
                pairs = zip(target.elts, node.value.elts, strict=True)
            elif isinstance(target, ast.Tuple):
                pairs = [(name, node.value) for name in target.elts]
            for name, value in pairs:
                if isinstance(name, ast.Name) and CONSTANT.fullmatch(name.id) and name.id not in ENTRIES:
                    yield name.id, ast.unparse(value)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_constant_has_one_meaning_in_a_package(package):
    """Two modules of a package may assign the same name only from the same source text."""
    found = defaultdict(dict)
    for path in sorted((SOURCE / package).rglob("*.py")):
        for name, text in constants(path):
            found[name][str(path.relative_to(SOURCE))] = text
    twice = {name: texts for name, texts in found.items() if len(set(texts.values())) > 1}
    assert not twice


def slots(node):
    """The index expressions of a subscript that choose a slot: all of `account`, the first of the others."""
    name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return (parts if name == "account" else parts[:1]) if name in SLOTS else []


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_number_indexes_an_array_of_named_slots(path):
    if path.is_relative_to(SOURCE / "discrete"):
        return  # `lam` is a list of symbols there
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Subscript):
            for part in slots(node):
                number = isinstance(part, ast.Constant) and isinstance(part.value, int)
                assert not number, f"line {node.lineno}: {ast.unparse(node)}"
