"""Many motions in one call: a function that makes models, values of its parameters, and what to keep of each motion.

Members that are alike in structure share what is compiled; each runs on one core without Python between its steps and
with the interpreter's lock released, so threads are enough on one machine. What a member leaves goes into a journal as
soon as it is known (journal.py): a study that was interrupted, or whose process was killed, goes on where it was.
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

from ..describe.model import Model
from ..errors import FileError, LivensError, ModelError, ModelWarning
from ..record.trajectory import Trajectory
from ..run.plan import Plan, plan
from ..run.progress import Progress
from ..run.simulate import simulate
from ..step import Scheme
from .designs import RESERVED, Design, Grid, Samples, design
from .executors import crew, stream
from .identity import compare, facts_of
from .journal import Journal
from .members import Job, here, one_core
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
    units: Mapping[str, str] | None = None,
    executor: Any = None,
    cluster: str | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> xarray.Dataset:
    """Simulate `make_model(**parameters)` for many parameters and keep of each motion what `keep(motion)` returns.

    parameters: a dictionary of values means every combination of them, one axis of the result for each parameter;
    `lv.Samples` is a list of members along one axis. scheme, h, until and every are those of `lv.simulate`; a large
    `every` saves memory and time where `keep` needs only the end. `keep` returns a dictionary of numbers and arrays,
    of the same shapes for every member; points, bodies and joints of another model stand for those of the same name.
    units: of parameters and kept numbers, stored as attributes.

    executor: None for threads on the cores of this machine; any executor of concurrent.futures (for processes the two
    functions must stand at the top of a module); a Dask client. cluster: the address of a Dask scheduler. The result is
    the same to the bit whoever runs it, on machines of one kind.

    A member that cannot be simulated does not end the study: its numbers are NaN, and `error` says why. With
    store="study.nc" finished members are on disk at once and are not run again when the same call is made after an
    interrupt; the file itself is written when the study is complete.

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
    for name, unit in (units or {}).items():
        if not isinstance(unit, str):
            raise ModelError(f"the unit of {name!r} must be a word such as 'm', not {unit!r}.")
    members, how = design(parameters), plan(scheme, h, until, every)
    _check_functions(make_model, keep, members)
    first = _try_first(make_model, members, how)
    facts = facts_of(members, how, first)
    job = Job(make_model, how, keep, frozenset([*members.values, *members.axes, *RESERVED]), here())
    results, journal = Results(len(members)), None
    if store is not None:
        path = check_store(store)
        draft = path.with_name(path.name + ".journal")
        if path.exists():
            finished = read(path)
            compare(json.loads(finished.attrs["study"]), facts, path)
            _compare_kept(finished, keep, first, how, path)
            draft.unlink(missing_ok=True)  # where a process was killed between writing the one and deleting the other
            return finished
        journal = Journal(draft, facts)
    try:
        if journal is not None:
            compare(journal.facts, facts, journal.path)
            for outcome in journal.found(len(members)):
                results.add(outcome)
        _run(job, members, results, journal, executor, cluster, progress)
        attributes = {**members.facts, "scheme": repr(how.scheme), "h": how.h, "steps": how.steps, "every": how.every}
        data = results.dataset(members, units or {}, {**attributes, "study": json.dumps(facts)})
        if journal is not None:
            write(data, path)
            journal.remove()
            journal = None
    finally:
        if journal is not None:
            journal.close()
    _tell(data, units or {})
    return data


def _run(
    job: Job,
    members: Design,
    results: Results,
    journal: Journal | None,
    executor: Any,
    cluster: str | None,
    progress: bool | None,
) -> None:
    """Run what is not finished."""
    todo = np.flatnonzero(~results.done)
    if not len(todo):
        return
    names = {name for layout in results.rows for name, _ in layout}
    line = Progress("ensemble", len(todo), progress, "members")
    done = 0
    with one_core(), crew(executor, cluster) as workers:
        finished = stream(workers, job, ((int(k), members[int(k)]) for k in todo))
        try:
            for outcomes in finished:
                for outcome in outcomes:
                    kept = {name for name, _ in outcome.layout or ()}
                    if names and outcome.layout is not None and kept != names and journal is not None:
                        raise FileError(_other(journal.path, names, kept))
                    results.add(outcome)
                if journal is not None:
                    journal.add(outcomes)
                done += len(outcomes)
                line.update(done)
        finally:
            finished.close()  # what has not begun does not begin
            line.close()


def _check_functions(make_model: Any, keep: Any, members: Design) -> None:
    """Refuse at once what would make every member fail."""
    for function, what in ((make_model, "the function that makes models"), (keep, "keep")):
        if not callable(function):
            raise ModelError(f"{what} must be a function, not {function!r}.")
    try:
        signature = inspect.signature(make_model)
    except ValueError:  # built-ins that do not say
        return
    try:
        signature.bind(**members[0])
    except TypeError as error:
        raise ModelError(
            f"the function that makes models cannot be called with {list(members.values)}: {error}."
        ) from None


def _try_first(make_model: Callable[..., Model], members: Design, how: Plan) -> Model | None:
    """The first member's model, after one step: kernels are compiled here, and what its start needs is told once."""
    with suppress(Exception):  # the member will say what is wrong with it
        model = make_model(**members[0])
        with suppress(LivensError):
            simulate(model, how.scheme, h=how.h, until=how.h)
        return model if isinstance(model, Model) else None
    return None


def _compare_kept(finished: xarray.Dataset, keep: Any, first: Model | None, how: Plan, path: Any) -> None:
    """Refuse a finished study that keeps something else than `keep` does, as far as a single step tells."""
    there, now = {str(name) for name in finished.data_vars} - {"error"}, None
    if first is not None and there:
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            now = set(keep(simulate(first, how.scheme, h=how.h, until=how.h, progress=False)))
    if now is not None and now != there:
        raise FileError(_other(path, there, now))


def _other(path: Any, there: set[str], now: set[str]) -> str:
    before, after = (", ".join(sorted(map(str, names))) for names in (there, now))
    return (
        f"{path} holds a study that keeps {before}, and now {after} would be kept: choose another name for the store."
    )


def _tell(data: xarray.Dataset, units: Mapping[str, str]) -> None:
    failed = int(data.attrs["failed"])
    if failed:
        why = next(text for text in data.error.values.ravel() if text)
        warnings.warn(
            f"{failed:,} of {data.error.size:,} members failed; the first says: {why}", ModelWarning, stacklevel=3
        )
    if unknown := [name for name in units if name not in data.variables]:
        warnings.warn(f"there is no {unknown[0]!r} to have the unit {units[unknown[0]]!r}.", ModelWarning, stacklevel=3)
