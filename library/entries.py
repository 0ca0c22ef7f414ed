"""Numba: a function of one list for each kernel and its types, as LLVM code.

An entry finds its arguments in a list of words, which call.c writes in the form in which kernels read tuples
(by_address.py); `words` and `floats` are two views of it. It writes the results to the head of the list:

    def entry(words, floats):
        r = kernel(read_0(words), read_1(words), …)
        words[0] = r[0]

Numba neither optimises nor emits machine code here: LLVM does both once, for the whole library (link.py).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic
from numba.np.numpy_support import from_dtype

from livens.backend.numba_jit import OPTIONS

from . import by_address, shortcuts, signature
from .discover import Kernel

WORDS, FLOATS = types.CPointer(types.int64), types.CPointer(types.float64)
BARE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # Python does not call these functions


@dataclass(frozen=True)
class Entry:
    """A compiled entry: the kernel, its arguments and results as call.c reads them, its symbol in LLVM code, and this
    code: one module for each function. Entries share modules."""

    kernel: str
    arguments: signature.Part
    result: str
    symbol: str
    modules: tuple[str, ...]


def compile_with_numba(kernels: dict[str, Kernel], functions: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """Path → numba's dispatcher of each kernel, which replaces the plain function in all modules of livens."""
    shortcuts.take_shortcuts()
    by_address.use_addresses()
    inline = {path: "always" if kernel.decorator == "inline" else "never" for path, kernel in kernels.items()}
    made = {path: numba.njit(f, inline=inline[path], **OPTIONS, **BARE) for path, f in functions.items()}
    of_function = {id(function): made[path] for path, function in functions.items()}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "livens":
            for key, value in list(vars(module).items()):
                if id(value) in of_function:
                    setattr(module, key, of_function[id(value)])
    return made


def _reader(kind: Any, offset: int) -> Any:
    """A function of the list: the argument of this type that begins at word `offset`."""

    @intrinsic
    def read(_: Any, words: Any) -> Any:
        def generate(context: Any, builder: Any, __: Any, args: Any) -> Any:
            here = builder.bitcast(builder.gep(args[0], [by_address.LONG(offset)]), by_address.ADDRESS)
            return by_address.value_at(context, builder, kind, here)

        return kind(words), generate

    return read


def _results(kind: Any) -> tuple[str, str]:
    """The letters of a kernel's results, and the statements that write them."""
    if kind == types.none:
        return "", ""
    single = not isinstance(kind, types.BaseTuple)
    letters, lines = "", ""
    for k, one in enumerate([kind] if single else kind.types):
        value = "r" if single else f"r[{k}]"
        letter = "f" if isinstance(one, types.Float) else "b" if isinstance(one, types.Boolean) else "i"
        if letter == "i" and not isinstance(one, types.Integer):
            raise TypeError(f"a kernel cannot return {one}")
        where = "floats" if letter == "f" else "words"
        lines += f"    {where}[{k}] = {f'1 if {value} else 0' if letter == 'b' else value}\n"
        letters += letter
    return letters, lines


def compiled(path: str, kernel: Any, arguments: signature.Part) -> Entry:
    """The entry of a kernel for these types."""
    given = tuple(map(numba_type, arguments[1]))
    offsets = accumulate(map(signature.words, arguments[1]), initial=0)
    readers = {f"read_{k}": _reader(kind, offset) for k, (kind, offset) in enumerate(zip(given, offsets, strict=False))}
    kernel.compile(given)
    letters, writes = _results(kernel.overloads[given].signature.return_type)
    call = f"r = kernel({', '.join(f'{name}(words)' for name in readers)})"
    text = f"def entry(words, floats):\n    {call}\n{writes}    return 0\n"
    scope: dict[str, Any] = {"kernel": kernel, **readers}
    exec(text, scope)
    function = numba.njit(types.int64(WORDS, FLOATS), **OPTIONS, **BARE)(scope["entry"])
    made = function.overloads[(WORDS, FLOATS)]
    return Entry(path, arguments, letters, made.fndesc.llvm_func_name, shortcuts.modules(made.library))


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
