"""What numba need not do when it makes LLVM code for a library. The code is the same; half of the time is saved.

1. For every function, numba joins its code with that of all functions that it calls, optimises the whole and emits
   machine code. Here a function keeps its own code only; LLVM joins and optimises all code once (link.py).
2. Numba analyses an inlined function at each of its calls, and copies it block by block, each block with all variables
   of the function. Here it is analysed once, and the variables are not copied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from numba.core import cgutils, ir
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.inline_closurecall import InlineWorker


def take_shortcuts() -> None:
    """Change numba in this process."""
    JITCodeLibrary.add_ir_module = _keep_text
    JITCodeLibrary.finalize = _finalize
    JITCodeLibrary.get_pointer_to_function = lambda library, name: library._ensure_finalized() or 0
    JITCPUCodegen.set_env = lambda codegen, name, environment: None
    ir.Scope.__deepcopy__ = _copied_scope
    InlineWorker.run_untyped_passes = _analysed_once(InlineWorker.run_untyped_passes)


def modules(library: Any) -> tuple[str, ...]:
    """The LLVM code of a compiled function, and of all functions that it needs."""
    found: dict[Any, None] = {}
    waiting = [library]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found[one] = None
            waiting.extend(one._linking_libraries)
    return tuple(text for one in found for text in one.texts)


def _keep_text(library: Any, module: Any) -> None:
    library.texts = [*getattr(library, "texts", []), cgutils.normalize_ir_text(str(module))]


def _finalize(library: Any) -> None:
    library.texts = getattr(library, "texts", [])
    library._finalized = True


def _copied_scope(scope: Any, memo: dict[int, Any]) -> Any:
    """A copy of the table of variables, with the same variables."""
    new = memo[id(scope)] = ir.Scope(scope.parent, scope.loc)
    new.localvars._con = dict(scope.localvars._con)
    new.redefined = scope.redefined.copy()
    new.var_redefinitions = defaultdict(set, {name: set(all) for name, all in scope.var_redefinitions.items()})
    return new


def _analysed_once(plain: Callable[..., Any]) -> Callable[..., Any]:
    done: dict[tuple[Any, bool], Any] = {}

    def run_untyped_passes(worker: Any, function: Any, enable_ssa: bool = False) -> Any:
        worker.flags.enable_ssa = enable_ssa  # as the method does
        if (function, enable_ssa) not in done:
            done[function, enable_ssa] = plain(worker, function, enable_ssa)
        return done[function, enable_ssa]

    return run_untyped_passes
