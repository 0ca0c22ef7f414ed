"""The types of the arguments with which Python calls the kernels, from runs in plain Python."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from types import CodeType, FrameType
from typing import Any

from . import signature
from .discover import Kernel


def functions(kernels: Iterable[Kernel]) -> dict[str, Callable[..., Any]]:
    """Path → the plain function of each kernel; they must not be compiled."""
    return {k.path: vars(import_module(f"livens.{k.module}"))[k.name] for k in kernels}


def traced(
    kernels: dict[str, Callable[..., Any]], wanted: Iterable[str], exercises: Iterable[Callable[[], object]]
) -> dict[str, list[signature.Part]]:
    """Path of each wanted kernel → the types of its arguments, in calls from Python. Types in calls by other kernels
    count where Python never calls it."""
    path_of: dict[CodeType, str] = {function.__code__: path for path, function in kernels.items()}
    wanted = set(wanted)
    outer: dict[str, dict[signature.Part, None]] = {path: {} for path in sorted(wanted)}
    inner: dict[str, dict[signature.Part, None]] = {path: {} for path in sorted(wanted)}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        path = path_of.get(code) if event == "call" else None
        if path not in wanted or path is None:
            return
        caller = frame.f_back
        by_kernel = caller is not None and caller.f_code in path_of
        if by_kernel and (outer[path] or inner[path]):
            return
        values = tuple(frame.f_locals[name] for name in code.co_varnames[: code.co_argcount])
        (inner if by_kernel else outer)[path][signature.of(values)] = None

    for exercise in exercises:
        sys.setprofile(watch)
        try:
            exercise()
        finally:
            sys.setprofile(None)
    return {path: signature.merged(list(outer[path] or inner[path])) for path in outer}
