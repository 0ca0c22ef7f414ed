"""A function of several inputs, one process each where processes can be copied (Linux), else one after the other."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable
from typing import Any, TypeVar

In, Out = TypeVar("In"), TypeVar("Out")


def in_processes(function: Callable[[In], Out], inputs: list[In]) -> list[Out]:
    """The results of `function`, which runs in copies of this process: it may be a closure; results are pickled."""
    if sys.platform != "linux":
        return [function(one) for one in inputs]
    context = multiprocessing.get_context("fork")
    pipes, processes = [], []
    for one in inputs:
        receive, send = context.Pipe(duplex=False)
        process = context.Process(target=_send, args=(function, one, send))
        process.start()
        send.close()
        pipes.append(receive)
        processes.append(process)
    results = [_received(pipe) for pipe in pipes]
    for process in processes:
        process.join()
    return results


def _send(function: Callable[[Any], Any], one: Any, pipe: Any) -> None:
    pipe.send(function(one))


def _received(pipe: Any) -> Any:
    try:
        return pipe.recv()
    except EOFError:
        raise SystemExit("library: a part of the build has failed.") from None
