"""The kernels in the source text of livens, and those that Python calls.

A kernel is a function at the top of a module with the decorator `njit` or `inline`. Python calls it if its name occurs
outside the body of a kernel: then it is called there, or passed on to where it is called. (Kernels for users' own
schemes are called in exercises.py; trace.py adds them.)
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

DECORATORS = ("njit", "inline")


@dataclass(frozen=True, order=True)
class Kernel:
    """A kernel, such as ("kernels.spin", "drift", "njit")."""

    module: str  # without `livens.`
    name: str
    decorator: str

    @property
    def path(self) -> str:
        """Such as "kernels.spin.drift"."""
        return f"{self.module}.{self.name}"


def _decorator(node: ast.AST) -> str:
    if isinstance(node, ast.FunctionDef):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Name) and decorator.id in DECORATORS:
                return decorator.id
    return ""


def _module(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def kernels(source: Path) -> dict[str, Kernel]:
    """All kernels below the folder `source` of the package, by path."""
    found = [
        Kernel(_module(path, source), node.name, _decorator(node))
        for path in sorted(source.rglob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and _decorator(node)
    ]
    return {kernel.path: kernel for kernel in found}


def _names(tree: ast.Module, path: Path, source: Path) -> dict[str, str]:
    """Names in a module → what they stand for, such as "kernels.spin.drift" or "kernels.spin"."""
    package = path.relative_to(source).parent.parts
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) + 1 - node.level], *([node.module] if node.module else [])]
            names |= {alias.asname or alias.name: ".".join([*base, alias.name]) for alias in node.names}
        elif isinstance(node, ast.FunctionDef) and _decorator(node):
            names[node.name] = f"{_module(path, source)}.{node.name}"
    return names


def called_by_python(source: Path) -> dict[str, set[str]]:
    """Path of a kernel → the modules in which Python calls it or passes it on."""
    known, callers = kernels(source), dict[str, set[str]]()
    for path in sorted(source.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names, module = _names(tree, path, source), _module(path, source)

        def visit(node: ast.AST, names: dict[str, str] = names, module: str = module) -> None:
            if _decorator(node):
                return
            meant = ""
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                meant = names.get(node.id, "")
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                meant = f"{names.get(node.value.id, '')}.{node.attr}"
            if meant in known:
                callers.setdefault(meant, set()).add(module)
            for child in ast.iter_child_nodes(node):
                visit(child)

        visit(tree)
    return callers
