"""Execution of the members: threads of this process, any executor of concurrent.futures, or a Dask cluster.

Members are submitted in batches, at most a few batches per worker at a time. Thus the cost of submission is small,
memory does not grow with the number of members, and little work is lost when a study stops.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ..errors import LivensError, ModelError, require
from .members import MemberTask, Outcome, TimedOutcomes

# intended duration of a batch [s]: longer where a submission costs more
THREAD_BATCH, PROCESS_BATCH, CLUSTER_BATCH, DEVICE_BATCH = 0.05, 0.25, 1.0, 20.0
MAX_BATCH, MAX_DEVICE_BATCH = 1000, 2**17  # members in a batch
BATCHES_PER_WORKER = 3  # submitted, including the one that the worker computes
WORKER_DIED = (
    "a worker process died, and its executor cannot be used any more. If the study has a store, the finished members "
    "are saved: call again with a new executor."
)


@runtime_checkable
class DaskClient(Protocol):
    """The methods of a Dask client that a study uses."""

    def get_executor(self, **options: Any) -> Executor: ...
    def nthreads(self) -> dict[str, int]: ...


@runtime_checkable
class Submits(Protocol):
    """An object with the method `submit` of an executor."""

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Any: ...


class Workers(NamedTuple):
    """An executor, the number of workers that are available now, and the intended duration of a batch [s]."""

    executor: Executor
    available: Callable[[], int]
    batch_seconds: float
    largest: int = MAX_BATCH


@contextmanager
def open_workers(executor: Any, cluster: str | None, on_device: bool = False) -> Iterator[Workers]:
    """The workers of `executor`, of a Dask client or of the cluster at an address; one thread that feeds a device;
    without these, threads that end with the block."""
    if on_device:
        with ThreadPoolExecutor(1, thread_name_prefix="device") as thread:
            yield Workers(thread, lambda: 1, DEVICE_BATCH, MAX_DEVICE_BATCH)
    elif cluster is not None:
        if executor is not None:
            raise ModelError("an ensemble runs on an executor or on a cluster: give one of them.")
        with _client(cluster) as client:
            yield _dask_workers(client)
    elif executor is None:
        with ThreadPoolExecutor(cores(), thread_name_prefix="member") as threads:
            yield Workers(threads, cores, THREAD_BATCH)
    elif isinstance(executor, DaskClient):
        yield _dask_workers(executor)
    elif isinstance(executor, Submits):
        seconds = THREAD_BATCH if isinstance(executor, ThreadPoolExecutor) else PROCESS_BATCH
        # executors have no public attribute for the number of workers
        yield Workers(executor, lambda: getattr(executor, "_max_workers", cores()), seconds)  # type: ignore[arg-type]
    else:
        raise ModelError(
            "executor must be one of concurrent.futures, a Dask client or None for threads, "
            f"not {type(executor).__name__}."
        )


def stream(
    workers: Workers, task: MemberTask, members: Iterable[tuple[int, dict[str, Any]]]
) -> Generator[list[Outcome]]:
    """The outcomes of all `members` (number, parameters), in the order in which they are finished."""
    if isinstance(workers.executor, ProcessPoolExecutor):
        _check_picklable(task)
    todo, done = iter(members), SimpleQueue[Future[TimedOutcomes]]()
    submitted: dict[Future[TimedOutcomes], list[tuple[int, dict[str, Any]]]] = {}
    size = 1

    def submit(batch: list[tuple[int, dict[str, Any]]]) -> None:
        try:
            future = workers.executor.submit(partial(task, batch))  # Dask would inspect arguments
        except BrokenExecutor:
            raise LivensError(WORKER_DIED) from None
        except RuntimeError as error:
            raise LivensError(f"the executor accepts no members: {error}.") from None
        submitted[future] = batch
        future.add_done_callback(done.put)

    try:
        while True:
            room = BATCHES_PER_WORKER * max(1, workers.available())
            while len(submitted) < room and (batch := list(islice(todo, size))):
                submit(batch)
            if not submitted:
                return
            future = done.get()
            batch = submitted.pop(future)
            try:
                outcomes, seconds = future.result()
            except BrokenExecutor:
                raise LivensError(WORKER_DIED) from None
            except Exception as error:
                if not _is_killed_worker(error):
                    raise
                if len(batch) > 1:  # find the member that kills its worker
                    for member in batch:
                        submit([member])
                    continue
                seconds = workers.batch_seconds
                outcomes = [Outcome(batch[0][0], None, b"the workers that ran it died, one after another.")]
            size = max(1, min(workers.largest, int(workers.batch_seconds * len(batch) / max(seconds, 1e-9)), 4 * size))
            yield outcomes
    except KeyboardInterrupt:
        for future in [future for future in submitted if not future.cancel()]:  # running batches are finished first
            if future.exception() is None:
                yield future.result().outcomes
        raise
    finally:
        for future in submitted:
            future.cancel()


def cores() -> int:
    """The number of cores that this process may use."""
    # macOS and Windows have no sched_getaffinity
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _is_killed_worker(error: Exception) -> bool:
    """Whether this is Dask's error for a task whose workers died repeatedly; without Dask it cannot be."""
    scheduler = sys.modules.get("distributed.scheduler")
    return scheduler is not None and isinstance(error, scheduler.KilledWorker)


def _dask_workers(client: DaskClient) -> Workers:
    known = {"at": -CLUSTER_BATCH, "count": 0}  # workers come and go: the scheduler is queried from time to time

    def count() -> int:
        if time.monotonic() - known["at"] > CLUSTER_BATCH:
            known.update(at=time.monotonic(), count=sum(client.nthreads().values()))
        return int(known["count"])

    return Workers(client.get_executor(pure=False), count, CLUSTER_BATCH)


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """A Dask client of the scheduler at `address`, such as "tcp://10.0.0.1:8786"."""
    distributed = require("distributed", "clusters need dask.distributed", "livens[cluster]")
    try:
        client = distributed.Client(address)
    except (OSError, ValueError) as error:
        raise LivensError(f"no Dask scheduler answers at {address}: {error}.") from None
    with client:
        yield client


def _check_picklable(task: MemberTask) -> None:
    """Raise a ModelError if a function cannot be sent to another process."""
    for what, function in (("make_model", task.make_model), ("keep", task.keep)):
        try:
            pickle.dumps(function)
        except Exception:
            raise ModelError(
                f"{what} cannot be sent to another process: define the function with def at module level, or use "
                "threads or a Dask client, which accept any function."
            ) from None
