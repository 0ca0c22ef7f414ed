"""LLVM: all entries in two object files. The C compiler: the object files and call.c as one Python module.

Only the entries are visible outside; a function that several kernels call is once in each object file. The code is
for the oldest processor of its kind (x86-64, ARMv8.0): without fast math a newer one gives the same bits, at the same
speed.
"""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

from . import signature
from .entries import Entry

HERE = Path(__file__).parent
CPU = {"x86_64": "x86-64", "amd64": "x86-64"}  # by the first part of a triple; others: LLVM's generic processor
TRIPLE = {"win32": "x86_64-w64-windows-gnu"}  # for gcc; LLVM's own is for Microsoft's compiler
OBJECTS = ("large_kernels.o", "kernels.o")
SPEED = 3  # LLVM's level of optimisation
GROUPS = ("contact", "tangent")
LARGE = 300  # instructions from which on functions of GROUPS are not inlined: LLVM would take minutes longer
WRAPPED = ("exp", "log", "pow", "fmod", "hypot")  # call.c chooses their version


def symbol(k: int) -> str:
    """The name of the k-th entry in the object file."""
    return f"livens_{k}"


def _module(entries: list[tuple[int, Entry]], triple: str, layout: str) -> llvm.ModuleRef:
    """One LLVM module with the numbered entries; everything else in it is internal."""
    first, *others = dict.fromkeys(text for _, entry in entries for text in entry.modules)
    whole = llvm.parse_assembly(first)
    for text in others:
        whole.link_in(llvm.parse_assembly(text))
    names = {entry.symbol: symbol(k) for k, entry in entries}
    for function in whole.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in names else "internal"
            if any(word in function.name for word in GROUPS) and _instructions(function) > LARGE:
                function.add_function_attribute("noinline")
            function.name = names.get(function.name, function.name)
    whole.triple, whole.data_layout = triple, layout
    return whole


def _instructions(function: llvm.ValueRef) -> int:
    return sum(1 for block in function.blocks for _ in block.instructions)


def object_code(entries: list[tuple[int, Entry]], triple: str | None = None) -> bytes:
    """The object file of the numbered entries for a platform such as "aarch64-unknown-linux-gnu" (None: this one)."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple = triple or TRIPLE.get(sys.platform) or llvm.get_process_triple()
    machine = llvm.Target.from_triple(triple).create_target_machine(
        cpu=CPU.get(triple.split("-")[0], ""), opt=3, reloc="pic", codemodel="default"
    )
    module = _module(entries, triple, str(machine.target_data))
    options = llvm.create_pipeline_tuning_options(speed_level=SPEED)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


def table(entries: list[Entry]) -> str:
    """table.h for call.c."""
    numbered = list(enumerate(entries))
    declared = "".join(f"extern int {symbol(k)}(int64_t *, void **, Word *, Word *);\n" for k, _ in numbered)
    rows = "".join(
        f'    {{"{e.kernel}", "{signature.text(e.arguments)}", "{e.result}", {symbol(k)}}},\n' for k, e in numbered
    )
    words = max(max(signature.words(e.arguments), len(e.result)) for e in entries)
    return f"{declared}#define WORDS {words}\nstatic const Entry ENTRIES[] = {{\n{rows}}};\n"


def _compiler() -> list[str]:
    """The C compiler: $CC, or cc (Windows: gcc of MinGW-w64, or clang)."""
    return shlex.split(os.environ.get("CC", "gcc" if sys.platform == "win32" else "cc"))


def _platform_options() -> list[str]:
    if sys.platform == "darwin":
        return ["-undefined", "dynamic_lookup"]
    if sys.platform == "win32":
        return [str(Path(sys.base_prefix) / "libs" / "python3.lib")]
    wraps = platform.libc_ver()[0] == "glibc" and platform.machine() == "x86_64"
    return ["-fPIC", "-s", *(f"-Wl,--wrap={name}" for name in WRAPPED if wraps), "-lm"]


def link(folder: Path, target: Path) -> None:
    """Compile call.c with table.h in `folder`, and link it with the object files there to the module `target`."""
    include = [f"-I{path}" for path in (sysconfig.get_path("include"), np.get_include(), folder)]
    files = [str(HERE / "call.c"), *(str(folder / name) for name in OBJECTS)]
    command = [*_compiler(), "-O2", "-shared", *include, *files, "-o", str(target), *_platform_options()]
    try:
        subprocess.run(command, check=True)
    except FileNotFoundError:
        raise SystemExit(f"library: there is no C compiler {command[0]!r}; set CC, or install one.") from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(
            f"library: the C compiler failed with code {error.returncode}: {shlex.join(command)}"
        ) from None
