"""The results of a study: a labelled Dataset, and the file in which it is stored.

The result does not depend on the order in which members finish. All members must return the same variables; the member
with the lowest number defines them, and members that differ have failed.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from collections.abc import Mapping
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import file_path
from ..errors import FileError, MissingExtra, require
from ..storage import untrusted_hdf5
from ..storage.atomic import DeferredErrorFile, add_checksum, checksum_matches, replacing
from .designs import Design
from .members import Layout, Outcome

if TYPE_CHECKING:
    import xarray


class Group:
    """Members with the same layout: their numbers and their kept values."""

    def __init__(self) -> None:
        self.members, self.data = array("q"), bytearray()


class Results:
    """The finished members of a study with `total` members."""

    def __init__(self, total: int):
        self.done = np.zeros(total, dtype=bool)
        self.groups: dict[Layout, Group] = {}
        self.errors: dict[int, str] = {}

    def add(self, outcome: Outcome) -> None:
        """Add the outcome of a member; a second outcome of the same member is identical and ignored."""
        member, layout, data = outcome
        if self.done[member]:
            return
        self.done[member] = True
        if layout is None:
            self.errors[member] = data.decode()
            return
        group = self.groups.setdefault(layout, Group())
        group.members.append(member)
        group.data += data

    def dataset(self, design: Design, units: Mapping[str, str], facts: Mapping[str, Any]) -> xarray.Dataset:
        """The results with labels: parameters as coordinates; NaN and a message in `error` for members that failed."""
        xarray = _xarray()
        axes, errors = tuple(design.axes), dict(self.errors)
        shape = tuple(design.axes.values())
        variables = {}
        expected = min(self.groups, key=lambda layout: min(self.groups[layout].members), default=())
        for layout, group in self.groups.items():
            if layout != expected:
                message = f"keep returned {_words(layout)}; other members returned {_words(expected)}."
                errors |= dict.fromkeys(group.members, message)
        names = {*design.values, *axes, *(name for name, _ in expected)}
        for name, values in self._values(expected).items():
            own = tuple(_free(f"{name}_{k}", names) for k in range(1, values.ndim))
            variables[name] = ((*axes, *own), values.reshape(*shape, *values.shape[1:]), _units(units, name))
        why = np.full(len(design), "", dtype=object)
        for member, text in errors.items():
            why[member] = text
        variables["error"] = (axes, why.reshape(shape), {"long_name": "error message, empty if the member succeeded"})
        coordinates = {name: (design.along(name), x, _units(units, name)) for name, x in design.values.items()}
        return xarray.Dataset(variables, coordinates, {**facts, "failed": len(errors)})

    def _values(self, layout: Layout) -> dict[str, Any]:
        """The arrays of a layout, with one entry for each member of the study."""
        if layout not in self.groups:
            return {}
        group = self.groups[layout]
        members = np.frombuffer(group.members, dtype=np.int64)
        table = np.frombuffer(group.data, dtype="<f8").reshape(len(members), -1)
        values, first = {}, 0
        for name, shape in layout:
            last = first + int(np.prod(shape))
            full = np.full((len(self.done), *shape), np.nan)
            full[members] = table[:, first:last].reshape(len(members), *shape)
            values[name], first = full, last
        return values


def write(dataset: xarray.Dataset, path: Path) -> None:
    """Write the finished study as netCDF, atomically."""
    with replacing(path, "motion") as temporary:
        with DeferredErrorFile(temporary) as disk, _local_dask():
            dataset.to_netcdf(disk, engine="h5netcdf")
        add_checksum(temporary)
    untrusted_hdf5.mark_as_checked(path)


def _local_dask() -> Any:
    """A context in which this process writes the file; without it xarray uses the cluster of a Dask client."""
    dask = sys.modules.get("dask")
    return nullcontext() if dask is None else dask.config.set(scheduler="synchronous")


def read(path: Path) -> xarray.Dataset:
    """Read a study that `write` has written."""
    if checksum_matches(path) is False:
        raise FileError(f"{path} is damaged: its checksum is wrong.")
    try:
        untrusted_hdf5.check(path)
        dataset = _xarray().load_dataset(path, engine="h5netcdf")
        json.loads(dataset.attrs["study"])
        dataset["error"] = dataset["error"].astype(object)
    except MissingExtra:
        raise
    except Exception:  # h5py raises almost any exception for a damaged file
        raise FileError(f"{path} is not a study written by livens: choose another name for the store.") from None
    return dataset


def check_extras(store: object) -> None:
    """Raise a MissingExtra before the study starts if its results could not be stored."""
    _xarray()
    if store is not None and find_spec("h5netcdf") is None:
        raise MissingExtra("the store of a study needs h5netcdf: pip install h5netcdf h5py")


def check_store(path: str | os.PathLike[str]) -> Path:
    """The path of the store, or a FileError if it cannot be written."""
    store = file_path(path)
    if store.suffix != ".nc":
        raise FileError(f"a study is stored as netCDF: name it {store.stem or 'study'}.nc, not {store.name!r}.")
    try:
        if store.is_dir():
            raise FileError(f"{store} cannot be written: it is a folder.")
        for file in (store, store.with_name(store.name + ".journal")):
            if file.exists() and not file.is_file():
                raise FileError(f"{file} cannot be written: it is no regular file.")
        if not store.parent.is_dir():
            raise FileError(f"{store} cannot be written: the folder {store.parent} does not exist.")
    except OSError as error:  # a folder is closed
        raise FileError(f"{store} cannot be written: {(error.strerror or str(error)).lower()}.") from None
    return store


def _units(units: Mapping[str, str], name: str) -> dict[str, str]:
    return {"units": units[name]} if name in units else {}


def _free(name: str, taken: set[str]) -> str:
    """The name, with underscores added until it is not taken."""
    return _free(f"{name}_", taken) if name in taken else name


def _words(layout: Layout) -> str:
    return ", ".join(f"{name} {shape}" if shape else name for name, shape in layout) or "nothing"


def _xarray() -> Any:
    return require("xarray", "ensembles need xarray", "livens[data]")
