"""livens: simulation of rigid multibody systems with structure-preserving (variational) integrators.

Public names are listed once, in `__init__.pyi`, and are imported at first use: `import livens` is fast, and numba is
loaded by the first simulation.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

__version__ = "0.2.0"


def _homes() -> dict[str, str]:
    """Public name → the module that defines it, from the stub."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    return {
        alias.name: f"{__name__}.{node.module}"
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.level == 1
        for alias in node.names
    }


_HOME = _homes()


# public names are imported at first use
def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # a public name is an attribute of its module
    value = globals()[name] = getattr(importlib.import_module(_HOME[name]), name)
    return value


def exported_names(package: str) -> list[str]:
    """The public names that a package defines, such as "step"; nothing is imported."""
    return [name for name, home in _HOME.items() if home.startswith(f"{__name__}.{package}.")]


def exported(package: str) -> dict[str, Any]:
    """Public name → object, for all public names of a package, such as "describe.joints": the catalogue of a kind."""
    return {name: __getattr__(name) for name in exported_names(package)}  # imports those not used yet


def __dir__() -> list[str]:
    return sorted([*_HOME, "__version__"])
