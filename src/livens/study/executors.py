"""Who runs the members: threads here, any executor of concurrent.futures, or a Dask cluster.

Members go out in batches, and only a few batches ahead of the workers. So the cost of handing them over does not show,
memory does not grow with the number of members, and little is lost when all stops.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from queue import SimpleQueue
from typing import Any, NamedTuple

from ..errors import LivensError, ModelError, require
from .members import Elapsed, Job, Outcome

HERE, NEAR, FAR = 0.05, 0.25, 1.0  # aimed duration of a batch for threads, processes, a cluster: as it is dear [s]
MOST = 1000  # members in a batch
AHEAD = 3  # batches for each worker, the one it works on among them
DEAD = (
    "a worker process died, and its executor with it: if the study has a store, what is finished is there; call again "
    "with a new executor."
)


class Crew(NamedTuple):
    """An executor, how many workers it has at the moment, and how long a batch for them should last [s]."""

    executor: Executor
    workers: Callable[[], int]
    pace: float


@contextmanager
def crew(executor: Any, cluster: str | None) -> Iterator[Crew]:
    """Those who run the members: `executor`, a Dask client, the cluster at an address, or threads that end here."""
    if cluster is not None:
        if executor is not None:
            raise ModelError("an ensemble runs on an executor or on a cluster: give one of them.")
        with _client(cluster) as client:
            yield _of_dask(client)
    elif executor is None:
        with ThreadPoolExecutor(cores(), thread_name_prefix="member") as threads:
            yield Crew(threads, cores, HERE)
    elif hasattr(executor, "get_executor"):
        yield _of_dask(executor)
    elif hasattr(executor, "submit"):
        pace = HERE if isinstance(executor, ThreadPoolExecutor) else NEAR
        yield Crew(executor, lambda: getattr(executor, "_max_workers", cores()), pace)
    else:
        raise ModelError(
            "executor must be one of concurrent.futures, a Dask client or None for threads, "
            f"not {type(executor).__name__}."
        )


def stream(crew: Crew, job: Job, members: Iterable[tuple[int, dict[str, Any]]]) -> Generator[list[Outcome]]:
    """The outcomes of all `members` (number, parameters), in whatever order they are finished."""
    if isinstance(crew.executor, ProcessPoolExecutor):
        _check_travels(job)
    todo, done = iter(members), SimpleQueue[Future[Elapsed]]()
    flying: dict[Future[Elapsed], list[tuple[int, dict[str, Any]]]] = {}
    size = 1

    def send(batch: list[tuple[int, dict[str, Any]]]) -> None:
        try:
            future = crew.executor.submit(partial(job, batch))  # Dask would look into arguments
        except BrokenExecutor:
            raise LivensError(DEAD) from None
        except RuntimeError as error:
            raise LivensError(f"the executor takes no members: {error}.") from None
        flying[future] = batch
        future.add_done_callback(done.put)

    try:
        while True:
            while len(flying) < AHEAD * max(1, crew.workers()) and (batch := list(islice(todo, size))):
                send(batch)
            if not flying:
                return
            future = done.get()
            batch = flying.pop(future)
            try:
                outcomes, seconds = future.result()
            except BrokenExecutor:
                raise LivensError(DEAD) from None
            except Exception as error:
                if type(error).__name__ != "KilledWorker":  # Dask's: a task whose workers died again and again
                    raise
                if len(batch) > 1:  # find out which member it is
                    for member in batch:
                        send([member])
                    continue
                seconds = crew.pace
                outcomes = [Outcome(batch[0][0], None, b"the workers that ran it died, one after another.")]
            size = max(1, min(MOST, int(crew.pace * len(batch) / max(seconds, 1e-9)), 4 * size))
            yield outcomes
    except KeyboardInterrupt:
        for future in [future for future in flying if not future.cancel()]:  # those in flight end first
            if future.exception() is None:
                yield future.result().outcomes
        raise
    finally:
        for future in flying:
            future.cancel()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _of_dask(client: Any) -> Crew:
    known = {"at": -FAR, "workers": 0}  # the scheduler is asked once in a while: workers come and go

    def workers() -> int:
        if time.monotonic() - known["at"] > FAR:
            known.update(at=time.monotonic(), workers=sum(client.nthreads().values()))
        return int(known["workers"])

    return Crew(client.get_executor(pure=False), workers, FAR)


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


def _check_travels(job: Job) -> None:
    """Refuse functions that cannot be sent to another process."""
    for what, function in (("makes models", job.make), ("says what to keep", job.keep)):
        try:
            pickle.dumps(function)
        except Exception:
            raise ModelError(
                f"the function that {what} cannot be sent to another process: define it with def at the top of a "
                "module, or use threads or a Dask client, which take any function."
            ) from None
