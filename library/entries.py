"""Numba: a function of two lists for each kernel and its types, as LLVM code.

An entry reads addresses, shapes and numbers from the lists `words` and `floats` (call.c writes them), rebuilds the
arrays and NamedTuples, calls the kernel, and writes its results to the heads of the lists:

    def entry(words, floats):
        r = kernel(Bodies(view(words[0], (words[1],), (8,)), …), floats[0], …)
        words[0] = r[0]

Numba neither optimises nor emits machine code here: LLVM does both once, for the whole library (link.py).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numba.np.numpy_support import from_dtype

from livens.backend.numba_jit import OPTIONS

from . import signature
from .discover import Kernel

WORDS, FLOATS = types.CPointer(types.int64), types.CPointer(types.float64)
BARE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # Python does not call these functions


def stop_at_llvm_code() -> None:
    """Keep numba from emitting machine code for this process, which is a third of its time."""
    JITCodeLibrary._finalize_specific = lambda library: None
    JITCodeLibrary.get_pointer_to_function = lambda library, name: library._ensure_finalized() or 0
    JITCPUCodegen.set_env = lambda codegen, name, environment: None


@dataclass(frozen=True)
class Entry:
    """A compiled entry: the kernel, its arguments and results as call.c reads them, and LLVM code with its symbol."""

    kernel: str
    arguments: signature.Part
    result: str
    symbol: str
    code: str


def compile_with_numba(kernels: dict[str, Kernel], functions: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """Path → numba's dispatcher of each kernel, which replaces the plain function in all modules of livens."""
    stop_at_llvm_code()
    inline = {path: "always" if kernel.decorator == "inline" else "never" for path, kernel in kernels.items()}
    made = {path: numba.njit(f, inline=inline[path], **OPTIONS, **BARE) for path, f in functions.items()}
    of_function = {id(function): made[path] for path, function in functions.items()}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "livens":
            for key, value in list(vars(module).items()):
                if id(value) in of_function:
                    setattr(module, key, of_function[id(value)])
    return made


def _view(dtype: Any, layout: str) -> Any:
    """A function of address, shape and strides: the array there."""

    @intrinsic
    def view(_: Any, address: Any, shape: Any, strides: Any) -> Any:
        array = types.Array(dtype, len(shape), layout)

        def generate(context: Any, builder: Any, __: Any, args: Any) -> Any:
            made = make_array(array)(context, builder)
            size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(dtype)))
            populate_array(
                made,
                data=builder.inttoptr(args[0], context.get_data_type(dtype).as_pointer()),
                shape=cgutils.unpack_tuple(builder, args[1], len(shape)),
                strides=cgutils.unpack_tuple(builder, args[2], len(shape)),
                itemsize=size,
                meminfo=None,
            )
            return made._getvalue()

        return array(address, shape, strides), generate

    return view


class _Arguments:
    """The source text that rebuilds the arguments, and the names it uses."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.word = self.number = 0

    def take_word(self) -> str:
        self.word += 1
        return f"words[{self.word - 1}]"

    def text(self, part: signature.Part) -> str:
        if not isinstance(part, str):
            name = part[0].rpartition(":")[2] or "tuple"
            if part[0]:
                self.names[name] = signature.cls(part[0])
                return f"{name}({', '.join(map(self.text, part[1]))})"
            return f"({' '.join(self.text(p) + ',' for p in part[1])})"
        if part == "f":
            self.number += 1
            return f"floats[{self.number - 1}]"
        if part == "b":
            return f"{self.take_word()} != 0"
        if part == "i":
            return self.take_word()
        return self._array(part)

    def _array(self, part: str) -> str:
        layout, kind, size, count = part[0], part[1], int(part[2]), int(part[3])
        name = f"view_{part[:3]}"
        self.names.setdefault(name, _view(from_dtype(np.dtype(f"{kind}{size}")), layout))
        address, shape = self.take_word(), [self.take_word() for _ in range(count)]
        if layout == "A":
            strides = [self.take_word() for _ in range(count)]
        else:
            strides = [" * ".join([str(size), *shape[k + 1 :]]) for k in range(count)]
        return f"{name}({address}, ({' '.join(s + ',' for s in shape)}), ({' '.join(s + ',' for s in strides)}))"


def _results(kind: Any) -> tuple[str, str]:
    """The letters of a kernel's results, and the statements that write them."""
    if kind == types.none:
        return "", ""
    single = not isinstance(kind, types.BaseTuple)
    letters, lines, count = "", "", {"words": 0, "floats": 0}
    for k, one in enumerate([kind] if single else kind.types):
        value = "r" if single else f"r[{k}]"
        letter = "f" if isinstance(one, types.Float) else "b" if isinstance(one, types.Boolean) else "i"
        if letter == "i" and not isinstance(one, types.Integer):
            raise TypeError(f"a kernel cannot return {one}")
        where = "floats" if letter == "f" else "words"
        lines += f"    {where}[{count[where]}] = {f'1 if {value} else 0' if letter == 'b' else value}\n"
        count[where] += 1
        letters += letter
    return letters, lines


def compiled(path: str, kernel: Any, arguments: signature.Part) -> Entry:
    """The entry of a kernel for these types."""
    source = _Arguments()
    call = f"r = kernel({', '.join(map(source.text, arguments[1]))})"
    given = tuple(map(numba_type, arguments[1]))
    kernel.compile(given)
    letters, writes = _results(kernel.overloads[given].signature.return_type)
    text = f"def entry(words, floats):\n    {call}\n{writes}    return 0\n"
    scope: dict[str, Any] = {"kernel": kernel, **source.names}
    exec(text, scope)
    function = numba.njit(types.int64(WORDS, FLOATS), **OPTIONS, **BARE)(scope["entry"])
    made = function.overloads[(WORDS, FLOATS)]
    return Entry(path, arguments, letters, made.fndesc.llvm_func_name, made.library.get_llvm_str())


def numba_type(part: signature.Part) -> Any:
    """The type as numba knows it."""
    if not isinstance(part, str):
        parts = [numba_type(p) for p in part[1]]
        if part[0]:
            return types.BaseNamedTuple.from_types(parts, signature.cls(part[0]))
        return types.BaseTuple.from_types(parts)
    if part in signature.WIDTH:
        return {"f": types.float64, "i": types.int64, "b": types.boolean}[part]
    return types.Array(from_dtype(np.dtype(f"{part[1]}{part[2]}")), int(part[3]), part[0])
