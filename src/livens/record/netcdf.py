"""A motion as a netCDF-4 file, with its model: a run can be continued from the file alone.

    time (time)                        s                        every stored time
    body (body)                                                 names, the world first
    a, B, p, L, … (time, body, …)      m, 1, kg m/s, kg m²/s    the states, bitwise as in the kernels
    axes (body, axis, principal)       1                        principal axes Q as columns in the user's body frame
    model (byte)                                                the model as JSON, see scene/

The states are about the centres of mass c in principal axes; in the user's body frame B_user = B Qᵀ and
a_user = a − B_user c. Attributes hold the scheme, the step and the counts. `digest` is the SHA-256 of all that is
read back, and the file ends with a checksum (atomic.py): a damaged file is rejected; a file that another program has
copied or extended is accepted.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import Array, file_path
from ..compile.compiled import Compiled
from ..describe.model import Model
from ..errors import FileError, LivensError, MissingExtra, ModelError, require
from ..kernels.arrays import OLD_LEAD, State
from ..kernels.contact.arrays import LOG_WIDTH
from ..scene import from_dict, to_dict
from ..step import CLASSES
from ..storage import untrusted_hdf5
from ..storage.atomic import DeferredErrorFile, add_checksum, checksum_matches, replacing
from .contacts import checked_log
from .file_layout import COMMENT, VARIABLES
from .journal import HEAD, Found, journal_of
from .phase_files import arrays_of_phase, events_of, has_events, in_phase, with_events, without_phase
from .trajectory import Trajectory

FORMAT = 2  # release 0.1 reads and writes 1
SIGNATURE = b"\x89HDF\r\n\x1a\n"
ABSENT = {"half_turns": np.nan}  # values of fields that a file does not have: release 0.1 did not count half turns


def save(motion: Trajectory, path: str | os.PathLike[str], force: bool = False) -> None:
    """Write `motion` and its model as netCDF to `path`; the file is complete, or the old one is unchanged.
    force: replace a file that livens did not write.

    >>> import livens as lv, tempfile
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> stone = m.add(lv.Body(lv.Ball(0.1, density=2500), velocity=(1, 0, 0), name="stone"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lv.simulate(m, lv.Livens(), h=1e-2, until=0.5).save(folder + "/stone.nc")
    ...     motion = lv.load(folder + "/stone.nc")
    >>> lv.resume(motion, until=1.0).position("stone")[-1].round(6).tolist()
    [1.0, 0.0, -4.905]
    """
    h5netcdf = _h5netcdf()
    first, *later = motion.phases
    facts, arrays = _facts(first), _arrays(first)
    for k, phase in enumerate(later, start=2):
        arrays |= {in_phase(name, k): array for name, array in _arrays(phase).items()}
    if has_events(motion):
        arrays["events"] = _bytes(events_of(motion, [_facts(phase) for phase in later]))
    with replacing(path, "motion", force) as temporary:
        with DeferredErrorFile(temporary) as disk, h5netcdf.File(disk, "w") as file:
            _write(file, motion, facts, arrays)
        add_checksum(temporary)
    untrusted_hdf5.mark_as_checked(path)


def _arrays(motion: Trajectory) -> dict[str, Any]:
    """The variables of a motion, or of one of its phases."""
    return {
        "time": motion.t,
        **motion.record._asdict(),
        "axes": motion.system.bodies.axes,
        "impacts": motion.impact_log,
        "model": _bytes(to_dict(motion.model, forget=True)),
    }


def _bytes(document: Any) -> Array:
    return np.frombuffer(json.dumps(document, allow_nan=False, ensure_ascii=False).encode(), dtype=np.uint8)


def _facts(motion: Trajectory) -> dict[str, Any]:
    """The attributes of a file; the model must be unchanged since the motion was computed."""
    motion.compiled.check_unchanged("a file with both would contradict itself. Change it back, or simulate again.")
    facts = {
        "scheme": json.dumps({"class": type(motion.scheme).__name__, **asdict(motion.scheme)}),
        "h": motion.h,
        "every": motion.every,
        "steps": motion.steps,
        "seconds": motion.seconds,
        "tally": json.dumps(motion.tally),
        "left_out": json.dumps(sorted(motion.compiled.left_out)),
    }
    return facts | ({"wanted": motion.wanted} if motion.wanted > motion.steps else {})


def has_functions(model: Model) -> bool:
    """Whether the model contains a Python function, which a file cannot hold."""
    try:
        to_dict(model)
    except ModelError:
        return True
    return False


def describe(motion: Trajectory) -> dict[str, Any]:
    """The facts that are constant during a run: the first record of its journal."""
    facts = _facts(motion)
    return {
        "source": f"livens {_version()}",
        **{name: facts[name] for name in ("scheme", "h", "every", "left_out")},
        "start": float(motion.t[0]),
        "fields": [[name, list(x.shape[1:])] for name, x in motion.record._asdict().items()],
        "axes": motion.system.bodies.axes.tolist(),
        "model": to_dict(motion.model, forget=True),
    }


def load(path: str | os.PathLike[str]) -> Trajectory:
    """The motion in the file at `path`, as `save` wrote it; `livens.resume` continues it.

    >>> import livens as lv
    >>> lv.load("nowhere.nc")
    Traceback (most recent call last):
    ...
    livens.errors.FileError: nowhere.nc does not exist.
    """
    file = file_path(path)
    with _refusing(file):
        return _motion(*(_from_journal(file) if _is_journal(file) else _from_netcdf(file)))


def read_journal(path: Path) -> Found:
    """The contents of the journal of a run."""
    with _refusing(path):
        return Found(path)


def _h5netcdf() -> Any:
    return require("h5netcdf", "files need h5netcdf", "h5netcdf h5py")


def _version() -> str:
    from .. import __version__

    return __version__


# ── writing ──


def _write(file: Any, motion: Trajectory, facts: dict[str, Any], arrays: dict[str, Any]) -> None:
    file.attrs["title"] = f"motion of {motion.model.name}"
    file.attrs["source"] = f"livens {_version()}"
    file.attrs["livens_format"] = FORMAT
    for key, value in facts.items():
        file.attrs[key] = value
    file.attrs["comment"] = COMMENT
    file.attrs["digest"] = _digest(facts, arrays)
    _names(file, [body.name for body in motion.model.bodies])
    for name, array in arrays.items():
        if array.size:
            _variable(file, name, array)


def _variable(file: Any, name: str, array: Array) -> None:
    own = ("time", *(f"{name}_{k}" for k in range(1, array.ndim)))
    dimensions, unit, meaning = VARIABLES.get(name, (own, None, f"{name} of the state"))
    if (plain := without_phase(name)) != name:  # sizes may differ from those of the first phase
        dimensions, (_, unit, meaning) = tuple(f"{name}_{k}" for k in range(array.ndim)), VARIABLES[plain]
    for dimension, size in zip(dimensions, array.shape, strict=True):
        if dimension not in file.dimensions:
            file.dimensions[dimension] = size
    variable = file.create_variable(name, dimensions, data=array)
    variable.attrs["long_name"] = meaning
    if unit:
        variable.attrs["units"] = unit


def _names(file: Any, names: list[str]) -> None:
    import h5py

    file.dimensions["body"] = len(names)
    labels = np.array(names, dtype=object)
    file.create_variable("body", ("body",), dtype=h5py.string_dtype(), data=labels).attrs["long_name"] = "name"


def _digest(facts: dict[str, Any], arrays: dict[str, Any]) -> str:
    """SHA-256 of a motion; arrays without entries are not stored and do not count."""
    total = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        if array.size:
            total.update(f"{name} {array.dtype.str} {array.shape}".encode())
            total.update(array.data)
    return total.hexdigest()


# ── reading ──


@contextmanager
def _refusing(file: Path) -> Iterator[None]:
    """Convert every error of reading into one sentence."""
    try:
        yield
    except (FileError, MissingExtra):
        raise
    except RecursionError:
        raise FileError(f"{file} is damaged or incomplete: its model refers to itself.") from None
    except Exception as error:  # h5py raises almost any exception for a damaged file
        reason = (str(error).strip("'\" ").splitlines() or [type(error).__name__])[0].rstrip(".")
        fault = "holds a model that cannot be made" if isinstance(error, LivensError) else "is damaged or incomplete"
        raise FileError(f"{file} {fault}: {reason}.") from None


def _is_journal(file: Path) -> bool:
    try:
        with open(file, "rb") as stream:
            return stream.read(len(HEAD)) == HEAD
    except OSError:
        return False


def _from_journal(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    found = Found(file)
    told = found.facts
    facts = {
        **{name: told[name] for name in ("scheme", "left_out")},
        "h": float(told["h"]),
        "every": int(told["every"]),
        "steps": found.steps,
        "wanted": found.wanted,
        "seconds": found.seconds,
        "tally": json.dumps(found.tally),
    }
    arrays = {
        **{name: found.arrays[name] for name in State._fields if name in found.arrays},
        "time": float(told["start"]) + facts["h"] * found.numbers,
        "axes": np.array(told["axes"], dtype=np.float64),
        "impacts": found.impacts,
        "model": told["model"],
    }
    return facts, arrays


def _from_netcdf(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    h5netcdf, size = _h5netcdf(), _check_bytes(file)
    untrusted_hdf5.check(file)
    with h5netcdf.File(file, "r") as stored:
        _check_format(stored, file)
        kinds = {"scheme": str, "h": float, "every": int, "steps": int, "seconds": float, "tally": str, "left_out": str}
        facts = {name: kind(stored.attrs[name]) for name, kind in kinds.items()}
        if "wanted" in stored.attrs:
            facts["wanted"] = int(stored.attrs["wanted"])
        known = {"time", *State._fields, "axes", "impacts", "model", "events"}
        arrays = {
            name: _array(stored.variables[name], np.uint8 if plain in ("model", "events") else np.float64, size)
            for name, plain in ((name, without_phase(name)) for name in stored.variables)
            if plain in known
        }
        if stored.attrs["digest"] != _digest(facts, arrays):
            raise ValueError("what it holds does not match its digest")
    documents = {name: json.loads(x.tobytes()) for name, x in arrays.items() if x.dtype == np.uint8}
    return facts, {**arrays, **documents}


def _check_bytes(file: Path) -> int:
    """The size of a file that HDF5 may open."""
    try:
        with open(file, "rb") as stream:
            if stream.read(len(SIGNATURE)) != SIGNATURE:
                raise FileError(f"{file} is not a motion saved by livens (it is not a netCDF-4 file).")
        if checksum_matches(file) is False:
            raise FileError(f"{file} is damaged: its checksum is wrong.")
        return file.stat().st_size
    except FileError:
        raise
    except FileNotFoundError:
        stopped = journal_of(file)
        if stopped.exists():
            raise FileError(
                f"{file} is unfinished: {stopped} holds the motion so far; continue with `livens resume {file}`."
            ) from None
        raise FileError(f"{file} does not exist.") from None
    except OSError as error:
        raise FileError(f"{file} cannot be read: {(error.strerror or 'it is unreadable').lower()}.") from None


def _check_format(stored: Any, file: Path) -> None:
    if "livens_format" not in stored.attrs:
        raise FileError(f"{file} is not a motion saved by livens (it is another netCDF or HDF5 file).")
    written = int(stored.attrs["livens_format"])
    if written > FORMAT:
        raise FileError(
            f"{file} was written by {stored.attrs['source']} in format {written}, and livens {_version()} "
            f"reads formats up to {FORMAT}: update livens."
        )


def _array(variable: Any, kind: type, limit: int) -> Any:
    if variable.dtype != np.dtype(kind):
        raise ValueError(f"variable {variable.name!r} holds {variable.dtype}")
    if variable.dtype.itemsize * int(np.prod(variable.shape, dtype=object)) > limit:
        raise ValueError(f"variable {variable.name!r} claims to be larger than the file")
    return np.ascontiguousarray(variable[...])


def _motion(facts: dict[str, Any], arrays: dict[str, Any]) -> Trajectory:
    """The motion of a file, of one phase or of several."""
    if "events" not in arrays:
        return _phase(facts, arrays)
    later = [_phase(told, arrays_of_phase(arrays, k)) for k, told in enumerate(arrays["events"]["phases"], start=2)]
    return with_events([_phase(facts, arrays), *later], arrays["events"])


def _phase(facts: dict[str, Any], arrays: dict[str, Any]) -> Trajectory:
    if not (0.0 < facts["h"] < np.inf and facts["every"] > 0 <= facts["steps"] and 0.0 <= facts["seconds"] < np.inf):
        raise ValueError("its step or its counts are none")
    options = json.loads(facts["scheme"])
    kind = options.pop("class")
    if kind not in CLASSES:
        raise ModelError(f"its scheme {kind!r} is unknown to livens {_version()}")
    model = from_dict(arrays["model"])
    compiled = Compiled.restored(model, frozenset(json.loads(facts["left_out"])))
    scheme = CLASSES[kind](**options)
    state = compiled.state._replace(memory=np.zeros(scheme.memory(compiled.system)))
    t = arrays["time"]
    forces_only = (len(t), 6 * len(compiled.system.bodies.mass))  # release 0.1 carried no multipliers
    complete = state.memory.shape == forces_only[1:]
    if scheme.carries == "accelerations" and np.shape(arrays.get("memory", ())) == forces_only and not complete:
        arrays = {name: x for name, x in arrays.items() if name != "memory"}
    arrays = _with_all_leads(arrays)
    record = State(
        **{
            name: arrays.get(name, np.full((len(t), *shape), ABSENT.get(name, 0.0))).reshape(len(t), *shape)
            for name, shape in ((name, x.shape) for name, x in state._asdict().items())
        }
    )
    carries = "contacts" if compiled.system.contacts.capacity else scheme.carries
    record = _turned(record, carries, arrays["axes"], compiled.system.bodies.axes)
    first, second = json.loads(facts["tally"])
    motion = Trajectory(
        compiled,
        scheme,
        facts["h"],
        facts["every"],
        t,
        record,
        facts["steps"],
        facts["seconds"],
        (int(first), int(second)),
    )
    motion.wanted = max(motion.steps, facts.get("wanted", 0))
    motion.impact_log = checked_log(motion, arrays.get("impacts", np.zeros((0, LOG_WIDTH))))
    return motion


def _with_all_leads(arrays: dict[str, Any]) -> dict[str, Any]:
    """Release 0.1 carried two differences of multipliers, now there are three: the oldest is repeated."""
    lam = arrays.get("lam")
    if lam is None or np.ndim(lam) != 3 or lam.shape[1] != OLD_LEAD:
        return arrays
    return arrays | {"lam": np.concatenate([lam, lam[:, -1:]], axis=1)}


def _turned(record: State, carries: str, old: Array, new: Array) -> State:
    """The record in principal axes `new`: another eigensolver may give other signs or another order."""
    if np.array_equal(old, new):
        return record
    R = np.swapaxes(old, 1, 2) @ new
    memory = np.zeros_like(record.memory)  # remainders are smaller than the round-off of this
    if carries == "contacts":  # points and impulses in world axes
        memory = record.memory
    if carries in ("accelerations", "mean velocities"):  # linear ones in world axes, angular ones in principal axes
        vectors = 1 if carries == "accelerations" else 3  # of each body
        memory, end = record.memory.copy(), 6 * vectors * len(R)
        carried = memory[:, :end].reshape(len(memory), -1, 2, 3)
        carried[:, :, 1] = np.einsum("kji,tkj->tki", np.concatenate([R] * vectors), carried[:, :, 1])
        memory[:, :end] = carried.reshape(len(memory), end)
    return record._replace(B=record.B @ R, L=np.einsum("kji,tkj->tki", R, record.L), memory=memory)
