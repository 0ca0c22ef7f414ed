"""Ensembles: many simulations in one call, of a function that makes models, for many values of its parameters.

Members of one structure are run in one compiled call for many members (run/members.py), on one core, without Python
code between their steps and with the global interpreter lock released, so threads are sufficient on one machine. The
result of a member is written to a journal as soon as it is finished (journal.py): a study that was interrupted or
killed is continued from there.
"""

from __future__ import annotations

import inspect
import json
import os
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..describe.event import named
from ..describe.model import Model
from ..errors import FileError, LivensError, ModelError, ModelWarning
from ..gpu.card import Cuda
from ..gpu.members import opened, refuse_scheme
from ..record.trajectory import Trajectory
from ..run.members import say_compiling_members
from ..run.plan import Plan, checked_scheme, plan
from ..run.progress import Progress
from ..run.simulate import simulate
from ..step import Scheme
from .designs import RESERVED, Design, Grid, Samples, design
from .executors import open_workers, stream
from .identity import check_same_study, facts_of
from .journal import Journal
from .members import MemberTask, one_blas_thread, process_name
from .results import Results, check_extras, check_store, read, write

if TYPE_CHECKING:
    import xarray


def ensemble(
    make_model: Callable[..., Model],
    parameters: Mapping[str, ArrayLike] | Grid | Samples,
    scheme: Scheme | None = None,
    *,
    h: float,
    until: float,
    keep: Callable[[Trajectory], Mapping[str, Any]],
    every: int = 1,
    events: Any = (),
    units: Mapping[str, str] | None = None,
    executor: Any = None,
    cluster: str | None = None,
    device: str | Cuda | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> xarray.Dataset:
    """Simulate `make_model(**parameters)` for many parameters and keep the values that `keep(motion)` returns.

    parameters: a dictionary of values is a grid of every combination, with one axis of the result for each parameter;
    `lv.Samples` is a list of members along one axis. scheme, h, until and every are those of `lv.simulate`; a large
    `every` saves memory and time if `keep` needs only the end. `keep` returns a dictionary of numbers and arrays with
    the same shapes for every member; it may refer to points, bodies and joints of another model with the same names.
    units: of parameters and kept values, stored as attributes. events: a list of `lv.Event` for every member, or a
    function events(model, **parameters) that returns one.

    executor: None for threads on the cores of this machine; any executor of concurrent.futures (for processes both
    functions must be defined at module level); a Dask client. cluster: the address of a Dask scheduler. The results of
    all executors are bitwise identical on machines of one kind.

    device: "cuda", or `lv.Cuda(…)`, runs the members on a graphics card of NVIDIA, one thread per member, with the bits
    of the CPU. The kernel is compiled for the structure of the model, once, in about two minutes. Models with contact,
    controllers or events run on cores only.

    A member that fails does not end the study: its values are NaN, and `error` holds the message. With
    store="study.nc" finished members are written to disk immediately, and the same call continues an interrupted
    study; the file itself is written when the study is complete.

    >>> import livens as lv
    >>> def swing(stiffness, mass):
    ...     m = lv.Model()
    ...     ball = m.add(lv.Body(lv.PointMass(mass), at=(1, 0, 0), name="ball"))
    ...     m.add(lv.Spring(m.world.point(0, 0, 0), ball.point(0, 0, 0), stiffness=stiffness, length=0.0))
    ...     return m
    >>> runs = lv.ensemble(swing, {"stiffness": [1.0, 4.0], "mass": [1.0, 4.0]}, h=1e-3, until=np.pi,
    ...                    keep=lambda motion: {"x": motion.position("ball")[-1, 0]}, units={"x": "m"})
    >>> runs.x.sel(stiffness=4.0).values.round(3).tolist(), runs.x.units
    ([1.0, -1.0], 'm')
    """
    check_extras(store)
    if device is not None and (executor is not None or cluster is not None):
        raise ModelError("an ensemble runs on a device, on an executor or on a cluster: give one of them.")
    if device is not None and (callable(events) or len(events)):
        raise ModelError("events are located on cores only: leave out device=, or the events.")
    if device is not None:
        refuse_scheme(checked_scheme(scheme))
    card = None if device is None else opened(device)
    for name, unit in (units or {}).items():
        if not isinstance(unit, str):
            raise ModelError(f"the unit of {name!r} must be a text such as 'm', not {unit!r}.")
    members, how = design(parameters), plan(scheme, h, until, every)
    _check_functions(make_model, keep, members)
    first = _first_model(make_model, members, how)
    if not callable(events):
        events = named(events)
    facts = facts_of(members, how, first, events)
    taken = frozenset([*members.values, *members.axes, *RESERVED])
    task = MemberTask(make_model, how, keep, taken, process_name(), events, card)
    results, journal = Results(len(members)), None
    if store is not None:
        path = check_store(store)
        draft = path.with_name(path.name + ".journal")
        if path.exists():
            finished = read(path)
            check_same_study(json.loads(finished.attrs["study"]), facts, path)
            _compare_kept(finished, keep, first, how, path)
            draft.unlink(missing_ok=True)  # left if a process was killed between writing the file and deleting it
            return finished
        journal = Journal(draft, facts)
    try:
        if journal is not None:
            check_same_study(journal.facts, facts, journal.path)
            for outcome in journal.outcomes(len(members)):
                results.add(outcome)
        _run(task, members, results, journal, executor, cluster, progress)
        attributes = {**members.facts, "scheme": repr(how.scheme), "h": how.h, "steps": how.steps, "every": how.every}
        data = results.dataset(members, units or {}, {**attributes, "study": json.dumps(facts)})
        if journal is not None:
            write(data, path)
            journal.remove()
            journal = None
    finally:
        if journal is not None:
            journal.close()
    _warn(data, units or {})
    return data


def _run(
    task: MemberTask,
    members: Design,
    results: Results,
    journal: Journal | None,
    executor: Any,
    cluster: str | None,
    progress: bool | None,
) -> None:
    """Run the members that are not finished."""
    todo = np.flatnonzero(~results.done)
    if not len(todo):
        return
    names = {name for layout in results.groups for name, _ in layout}
    line = Progress("ensemble", len(todo), progress, "members")
    done = 0
    with one_blas_thread(), open_workers(executor, cluster, task.card is not None) as workers:
        finished = stream(workers, task, ((int(k), members[int(k)]) for k in todo))
        try:
            for outcomes in finished:
                for outcome in outcomes:
                    kept = {name for name, _ in outcome.layout or ()}
                    if names and outcome.layout is not None and kept != names and journal is not None:
                        raise FileError(_other_names(journal.path, names, kept))
                    results.add(outcome)
                if journal is not None:
                    journal.add(outcomes)
                done += len(outcomes)
                line.update(done)
        finally:
            finished.close()  # batches that have not started are cancelled
            line.close()


def _check_functions(make_model: Any, keep: Any, members: Design) -> None:
    """Raise a ModelError for mistakes that would make every member fail."""
    for function, what in ((make_model, "make_model"), (keep, "keep")):
        if not callable(function):
            raise ModelError(f"{what} must be a function, not {function!r}.")
    try:
        signature = inspect.signature(make_model)
    except ValueError:  # built-in functions without a signature
        return
    try:
        signature.bind(**members[0])
    except TypeError as error:
        raise ModelError(f"make_model cannot be called with {list(members.values)}: {error}.") from None


def _first_model(make_model: Callable[..., Model], members: Design, how: Plan) -> Model | None:
    """The model of the first member, after a test of one step: this compiles the kernels and shows warnings once."""
    with suppress(Exception):  # the member reports the error later
        model = make_model(**members[0])
        with suppress(LivensError):
            say_compiling_members(how, simulate(model, how.scheme, h=how.h, until=how.h).compiled)
        return model if isinstance(model, Model) else None
    return None


def _compare_kept(finished: xarray.Dataset, keep: Any, first: Model | None, how: Plan, path: Any) -> None:
    """Raise a FileError if `keep` returns other names, after a single step, than those of the finished study."""
    there, now = {str(name) for name in finished.data_vars} - {"error"}, None
    if first is not None and there:
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            now = set(keep(simulate(first, how.scheme, h=how.h, until=how.h, progress=False)))
    if now is not None and now != there:
        raise FileError(_other_names(path, there, now))


def _other_names(path: Any, there: set[str], now: set[str]) -> str:
    before, after = (", ".join(sorted(map(str, names))) for names in (there, now))
    return f"{path} holds a study of {before}, but keep returns {after}: choose another name for the store."


def _warn(data: xarray.Dataset, units: Mapping[str, str]) -> None:
    failed = int(data.attrs["failed"])
    if failed:
        why = next(text for text in data.error.values.ravel() if text)
        warnings.warn(
            f"{failed:,} of {data.error.size:,} members failed; the first error is: {why}", ModelWarning, stacklevel=3
        )
    if unknown := [name for name in units if name not in data.variables]:
        warnings.warn(
            f"units has {unknown[0]!r}: {units[unknown[0]]!r}, but no value has this name.", ModelWarning, stacklevel=3
        )
