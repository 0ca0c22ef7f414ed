"""A kernel whose machine code is in the library.

A call goes to the first entry whose types are those of the arguments. Arrays that are not contiguous, or must not be
written, are copied before the call and back after it. Where no entry suits, or the library has none for this kernel,
the other back end runs the kernel: numba if it is installed, plain Python if not; a warning says so once.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from functools import update_wrapper
from typing import Any

import numpy as np

from .library import Library

Function = Callable[..., Any]


class LibraryKernel:
    """A kernel, as Python calls it; numba can compile functions that call it."""

    __name__: str

    def __init__(self, function: Function, inline: bool, library: Library, otherwise: Callable[[Function, bool], Any]):
        update_wrapper(self, function)
        self.py_func = function
        self.path = f"{function.__module__}.{function.__qualname__}".removeprefix("livens.")
        self.entries = library.entries.get(self.path, [])
        self.targetoptions = {"inline": "always" if inline else "never"}  # numba asks for it
        self._call, self._otherwise, self._inline = library.call, otherwise, inline
        self._other: Function | None = None

    def __call__(self, *args: Any, **named: Any) -> Any:
        if named:
            args = inspect.signature(self.py_func).bind(*args, **named).args
        for entry in self.entries:
            result = self._call(entry, args)
            if result is not NotImplemented:
                return result
        result = self._call_with_copies(args) if self.entries else NotImplemented
        return self._run_elsewhere(args) if result is NotImplemented else result

    def __repr__(self) -> str:
        return f"<kernel {self.path}>"

    def __reduce__(self) -> str:
        return self.__name__  # pickled by name, as a function is

    def _call_with_copies(self, args: tuple[Any, ...]) -> Any:
        """The same on contiguous copies of arrays; NotImplemented if there is nothing to copy, if arrays overlap, or
        if no entry takes the copies either."""
        arrays = list(_arrays(args))
        special = [x for x in arrays if not (x.flags.c_contiguous and x.flags.writeable and x.flags.aligned)]
        others = {id(x): x for x in arrays}.values()
        if not special or any(np.may_share_memory(x, y) for x in special for y in others if x is not y):
            return NotImplemented
        copies = {id(x): np.array(x, order="C") for x in special}
        given = _replaced(args, copies)
        for entry in self.entries:
            result = self._call(entry, given)
            if result is not NotImplemented:
                for x in special:
                    _write_back(x, copies[id(x)], self.path)
                return result
        return NotImplemented

    @property
    def dispatcher(self) -> Function:
        """The kernel of the other back end."""
        if self._other is None:
            self._other = self._otherwise(self.py_func, self._inline)
        return self._other

    @property
    def _numba_type_(self) -> Any:
        """Its type in functions that numba compiles: that of numba's own dispatcher."""
        from numba import types

        return types.Dispatcher(self.dispatcher)

    def _run_elsewhere(self, args: tuple[Any, ...]) -> Any:
        if self._other is None:
            plain, own = self.dispatcher is self.py_func, self.py_func.__module__.startswith("livens.")
            if own:
                missing = "with these types of arguments" if self.entries else "as an entry"
                how = "runs as plain Python" if plain else "is compiled by numba"
                text = f"the compiled library does not contain the kernel {self.path} {missing}; it {how}."
                warnings.warn(text, RuntimeWarning, stacklevel=3)
            elif plain:
                text = f"the kernel {self.path} runs as plain Python; pip install 'livens[jit]' compiles it."
                warnings.warn(text, RuntimeWarning, stacklevel=3)
        return self.dispatcher(*args)


def _arrays(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(value, tuple):
        for part in value:
            yield from _arrays(part)
    elif isinstance(value, np.ndarray):
        yield value


def _replaced(value: Any, copies: dict[int, Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_replaced(part, copies) for part in value)
    return copies.get(id(value), value)


def _write_back(array: Any, copy: Any, kernel: str) -> None:
    if array.flags.writeable:
        array[...] = copy
    elif not np.array_equal(array, copy, equal_nan=array.dtype.kind == "f"):
        raise ValueError(f"the kernel {kernel} writes to an array that is read-only: pass a copy of it.")
