"""Compilation of a kernel for a graphics card: numba-cuda makes NVIDIA's intermediate code, nvJitLink machine code.

The machine code is stored on disk under the hash of everything it depends on, and is loaded without numba later. By
default products and sums are rounded one by one, as on a core (-fma=0): then results are those of the CPU bit for bit.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import threading
from contextlib import suppress
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from .. import _jit
from ..backend.library_kernel import LibraryKernel
from ..backend.numba_jit import cache_folder
from ..backend.sources import digest
from ..errors import LivensError, require
from ..kernels import arrays
from ..kernels.contact import arrays as contact_arrays
from ..step.scheme import Prepare, Rollout
from .source import KernelSource

EXTRA = "livens[gpu]"
BLOCK = 64  # threads in a block
_lock = threading.Lock()


class MachineCode(NamedTuple):
    """A compiled kernel: the name of its entry, and the code for one architecture."""

    entry: str
    code: bytes


def machine_code(
    source: KernelSource, prepare: Prepare, rollout: Rollout, architecture: tuple[int, int], fma: bool
) -> MachineCode:
    """The compiled kernel, from disk if it was compiled before. architecture: (9, 0) is NVIDIA's sm_90."""
    key = _key(source, rollout, architecture, fma)
    folder, _ = cache_folder()
    stored = None if folder is None else folder / f"gpu-{key}.cubin"
    if stored is not None and stored.exists():
        found = _unpacked(stored.read_bytes())
        if found is not None:
            return found
    with _lock:
        sys.stderr.write("livens: compiling the kernel of this model for the graphics card, once (about 2 min) …\n")
        made = _link(_intermediate(source, prepare, rollout, architecture), architecture, fma)
    if stored is not None:
        with suppress(OSError):  # without a cache it is compiled again by the next process
            temporary = stored.with_suffix(f".{threading.get_ident()}")
            temporary.write_bytes(_packed(made))
            temporary.replace(stored)
    return made


def kernel_function(source: KernelSource, prepare: Any, rollout: Any, cuda: Any) -> Any:
    """The kernel as a function of Python, for numba-cuda or its simulator."""
    names: dict[str, Any] = {"cuda": cuda, "float64": np.float64, "int64": np.int64}
    for module in (arrays, contact_arrays):
        names |= {name: thing for name, thing in vars(module).items() if isinstance(thing, type)}
    names |= source.constants
    names |= {"prepare": prepare, "rollout": rollout}
    exec(source.text, names)
    return names["kernel"]


def _key(source: KernelSource, rollout: Any, architecture: tuple[int, int], fma: bool) -> str:
    told = json.dumps([source.text, rollout.__module__, architecture, fma, digest()]).encode()
    constants = b"".join(source.constants[name].tobytes() for name in sorted(source.constants))
    return hashlib.sha256(told + constants).hexdigest()[:32]


def _packed(made: MachineCode) -> bytes:
    content = made.entry.encode() + b"\n" + made.code
    return hashlib.sha256(content).digest() + content


def _unpacked(data: bytes) -> MachineCode | None:
    """The machine code in a file, or None if the file is damaged."""
    mark, content = data[:32], data[32:]
    if hashlib.sha256(content).digest() != mark:
        return None
    entry, _, code = content.partition(b"\n")
    return MachineCode(entry.decode(), code)


# ── numba-cuda ──


@cache
def _numba_cuda() -> Any:
    """The module numba.cuda of numba-cuda, which then knows the kernels of livens and the functions of formulas."""
    require("numba_cuda", "compiling for a graphics card needs numba-cuda", EXTRA)
    if _jit.BACKEND == "python":
        raise LivensError("compiling for a graphics card needs numba: pip install 'livens[gpu]'.")
    from numba import cuda
    from numba.cuda import libdevice
    from numba.cuda.dispatcher import CUDADispatcher

    @cache
    def on_card(kernel: LibraryKernel) -> Any:
        return CUDADispatcher(kernel.py_func, {**kernel.targetoptions, "device": True, "debug": False, "opt": True})

    def type_on_card(kernel: LibraryKernel, _context: Any) -> Any:
        return cuda.types.Dispatcher(on_card(kernel))

    import_module("numba.cuda.typing.typeof").typeof_impl.register(LibraryKernel)(type_on_card)
    _register_functions(import_module("numba.cuda.ufuncs").ufunc_db(), cuda, libdevice)
    return cuda


def _register_functions(known: Any, cuda: Any, libdevice: Any) -> None:
    """The functions of formulas (kernels/tape.py) that numba-cuda does not know for numbers."""
    number, made = cuda.types.float64, import_module("numba.cuda.mathimpl")
    for name in ("sqrt", "exp", "floor", "ceil", "expm1", "log1p"):
        one = made.get_unary_impl_for_fn_and_ty(vars(math)[name], number)
        known.setdefault(vars(np)[name], {})["d->d"] = one
    for name, theirs in (("power", math.pow), ("copysign", math.copysign), ("fmod", math.fmod)):
        known.setdefault(vars(np)[name], {})["dd->d"] = made.get_binary_impl_for_fn_and_ty(theirs, number)

    def rint(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        function = context.get_function(libdevice.rint, cuda.typing.signature(number, number))
        return function(builder, arguments)

    def sign(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        x, zero, plus, minus = arguments[0], *(context.get_constant(number, c) for c in (0.0, 1.0, -1.0))
        negative = builder.select(builder.fcmp_ordered("<", x, zero), minus, x)  # 0 and NaN are themselves
        return builder.select(builder.fcmp_ordered(">", x, zero), plus, negative)

    known.setdefault(np.rint, {})["d->d"] = rint
    known.setdefault(np.sign, {})["d->d"] = sign


def _intermediate(source: KernelSource, prepare: Any, rollout: Any, architecture: tuple[int, int]) -> bytes:
    """NVIDIA's intermediate code for optimisation at link time."""
    cuda = _numba_cuda()
    real, whole = cuda.types.float64, cuda.types.int64
    line, table, block = real[::1], real[:, ::1], real[:, :, ::1]
    signature = (line, table, table, block, whole[:, ::1], line, block, real, whole, whole)
    if isinstance(prepare, FunctionType):  # of a scheme that prepares nothing
        prepare = cuda.jit(device=True)(prepare)
    function = kernel_function(source, prepare, rollout, cuda)
    code, _ = cuda.compile(function, signature, cc=architecture, device=False, abi="numba", output="ltoir")
    return bytes(code)


def _link(intermediate: bytes, architecture: tuple[int, int], fma: bool) -> MachineCode:
    """Machine code from intermediate code."""
    linker = require("cuda.bindings.nvjitlink", "compiling for a graphics card needs nvJitLink", EXTRA)
    options = ["-lto", "-arch=sm_{}{}".format(*architecture), f"-fma={int(fma)}"]
    handle = linker.create(len(options), options)
    try:
        linker.add_data(handle, linker.InputType.LTOIR, intermediate, len(intermediate), "livens")
        try:
            linker.complete(handle)
        except linker.nvJitLinkError as error:
            log = bytearray(linker.get_error_log_size(handle))
            linker.get_error_log(handle, log)
            said = log.decode(errors="replace").strip()
            raise LivensError(f"the kernel could not be linked for the graphics card: {error}; {said}") from None
        code = bytearray(linker.get_linked_cubin_size(handle))
        linker.get_linked_cubin(handle, code)
    finally:
        linker.destroy(handle)
    entry = bytes(code).partition(b".text.")[2].partition(b"\0")[0].decode()
    return MachineCode(entry, bytes(code))
