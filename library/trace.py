"""The types of the arguments with which Python calls the kernels, from runs in plain Python."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from types import CodeType, FrameType
from typing import Any

from . import signature
from .discover import Kernel

EXERCISES = f"{__package__}.exercises"


def functions(kernels: Iterable[Kernel]) -> dict[str, Callable[..., Any]]:
    """Path → the plain function of each kernel; they must not be compiled."""
    return {k.path: vars(import_module(f"livens.{k.module}"))[k.name] for k in kernels}


def traced(
    kernels: dict[str, Callable[..., Any]], wanted: Iterable[str], exercises: Iterable[Callable[[], object]]
) -> dict[str, list[signature.Part]]:
    """Path → the types of the arguments in calls from Python, for the wanted kernels and those that an exercise calls
    itself. Types in calls by other kernels count where Python never calls a wanted kernel."""
    path_of: dict[CodeType, str] = {function.__code__: path for path, function in kernels.items()}
    outer: dict[str, dict[signature.Part, None]] = {path: {} for path in sorted(wanted)}
    inner: dict[str, dict[signature.Part, None]] = {path: {} for path in outer}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        code, caller = frame.f_code, frame.f_back
        if event != "call" or code not in path_of or caller is None:
            return
        path, by_kernel = path_of[code], caller.f_code in path_of
        if caller.f_globals["__name__"] == EXERCISES:
            outer.setdefault(path, {})
        if path not in outer or (by_kernel and (outer[path] or inner[path])):
            return
        values = tuple(frame.f_locals[name] for name in code.co_varnames[: code.co_argcount])
        (inner if by_kernel else outer)[path][signature.of(values)] = None

    for exercise in exercises:
        sys.setprofile(watch)
        try:
            exercise()
        finally:
            sys.setprofile(None)
    return {path: signature.merged(list(outer[path] or inner[path])) for path in sorted(outer)}
