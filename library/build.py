"""The steps of the build, in order. Importing this module imports numba: see __main__.py for its settings."""

from __future__ import annotations

import gc
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from livens.backend import library
from livens.backend.sources import PACKAGE

from . import discover, link, parallel, trace
from .entries import Entry, compile_with_numba, compiled
from .exercises import EXERCISES
from .facts import facts_of

Report = Callable[[str], None]


def compiled_entries(report: Report) -> list[Entry]:
    """An entry for each kernel that Python calls, and for each set of types in which the exercises call it."""
    known, callers = discover.kernels(PACKAGE), discover.called_by_python(PACKAGE)
    functions = trace.functions(known.values())
    seen = trace.traced(functions, callers, EXERCISES)
    report(f"{len(callers)} of {len(known)} kernels are called by Python; the exercises have run")
    for path in [path for path, parts in seen.items() if not parts]:
        where = ", ".join(sorted(callers[path]))
        report(f"left out: {path} (called in {where}), because no exercise calls it: add one to library/exercises.py")
    made = compile_with_numba(known, functions)
    gc.disable()  # numba makes many objects and drops few: a fifth of its time
    entries = [compiled(path, made[path], part) for path, parts in seen.items() for part in parts]
    gc.freeze()
    gc.enable()
    report(f"{len(entries)} entries as LLVM code")
    return entries


def is_large(path: str) -> bool:
    """True for the kernels that are half of the work: contact, and members of ensembles."""
    return "contact" in path or "members" in path


def build(folder: Path, report: Report) -> None:
    """Write the library for this machine and its facts to `folder`."""
    entries = compiled_entries(report)
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch)
        for name, code in objects(entries).items():
            (here / name).write_bytes(code)
        (here / "table.h").write_text(link.table(entries), encoding="utf-8")
        report("object files")
        link.link(here, here / library.FILE)
        module = (here / library.FILE).read_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / library.FACTS).unlink(missing_ok=True)  # without it the library is not loaded
    for name, content in (
        (library.FILE, module),
        (library.FACTS, json.dumps(facts_of(module), indent=1).encode() + b"\n"),
    ):
        new = folder / f"{name}.{os.getpid()}"
        new.write_bytes(content)
        new.replace(folder / name)  # a process that has loaded the old file keeps it
    report(f"{folder / library.FILE}, {len(module) / 1e3:.0f} kB")


def objects(entries: list[Entry], triple: str | None = None) -> dict[str, bytes]:
    """The object files, by name: one with the large kernels, one with the others."""
    numbered = list(enumerate(entries))
    groups = [[(k, e) for k, e in numbered if is_large(e.kernel) == large] for large in (True, False)]
    codes = parallel.in_processes(lambda group: link.object_code(group, triple), groups)
    return dict(zip(link.OBJECTS, codes, strict=True))


def build_objects(triples: list[str], folder: Path, report: Report) -> None:
    """Write object files and table.h for other platforms to folder/TRIPLE; call.c is compiled and linked there."""
    entries = compiled_entries(report)
    for triple in triples:
        here = folder / triple
        here.mkdir(parents=True, exist_ok=True)
        for name, code in objects(entries, triple).items():
            (here / name).write_bytes(code)
            report(f"{here / name}")
        (here / "table.h").write_text(link.table(entries), encoding="utf-8")


def _processor_time() -> float:
    """Of this process and of those that it has started and that have ended [s]."""
    return sum(os.times()[:4])


def clock() -> Report:
    """Print a line with the processor time so far."""
    begin = _processor_time()

    def report(text: str) -> None:
        print(f"library: {_processor_time() - begin:5.0f} s  {text}", flush=True)

    return report
