"""Rules about names that a machine can check, read from the source text."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "livens"
PACKAGES = sorted(path.name for path in SOURCE.iterdir() if path.is_dir() and list(path.glob("*.py")))
TO_DO = {"analysis", "describe", "formats", "formula", "look", "run"}  # a constant there still has two meanings
SLOTS = {"account", "held", "lam", "pivot", "power", "trial"}  # arrays with named slots: kernels/arrays.py


def constants(path):
    """Name and value of the constants that a module defines."""
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, ast.unparse(node.value or ast.Constant(None))
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for name, value in zip(target.elts, node.value.elts, strict=True):
                    yield ast.unparse(name), ast.unparse(value)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_constant_has_one_meaning_in_its_package(package):
    if package in TO_DO:
        pytest.skip("still to do")
    found = defaultdict(dict)
    for path in sorted((SOURCE / package).rglob("*.py")):
        for name, value in constants(path):
            if name.isupper():
                found[name].setdefault(value, path.relative_to(SOURCE))
    assert {name: values for name, values in found.items() if len(values) > 1} == {}


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
