"""The demonstrations of `livens demo`: one file of this folder each, with a `DEMO` of the class Demo.

The name of a demonstration is that of its file, with hyphens. To add one, write a file with a function that returns a
Trajectory and with a `DEMO`; the table DEMOS lists the folder.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from .demo import Demo

OTHERS = ("__main__", "demo")  # files that are no demonstrations


def _listed() -> dict[str, Demo]:
    names = [module.name for module in iter_modules(__path__) if module.name not in OTHERS]
    found = {name.replace("_", "-"): import_module(f"{__name__}.{name}").DEMO for name in names}
    return dict(sorted(found.items(), key=lambda item: (item[1].position, item[0])))


DEMOS = _listed()
