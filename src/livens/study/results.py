"""What the members of a study left, gathered: a labelled Dataset, and the file it is kept in.

Members may come in any order and the result is the same. Should they not agree in what they keep, the one with the
lowest number says what is right, and those that differ have failed.
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

from ..errors import FileError, MissingExtra, require
from ..storage import untrusted_hdf5
from ..storage.atomic import Patient, intact, replacing, seal
from .designs import Design
from .members import Layout, Outcome

if TYPE_CHECKING:
    import xarray


class Rows:
    """Members that keep the same: their numbers, and what they kept, one after the other."""

    def __init__(self) -> None:
        self.members, self.data = array("q"), bytearray()


class Results:
    """What has been finished of `total` members."""

    def __init__(self, total: int):
        self.done = np.zeros(total, dtype=bool)
        self.rows: dict[Layout, Rows] = {}
        self.errors: dict[int, str] = {}

    def add(self, outcome: Outcome) -> None:
        """Take in what a member left; what comes a second time is the same and is left out."""
        member, layout, data = outcome
        if self.done[member]:
            return
        self.done[member] = True
        if layout is None:
            self.errors[member] = data.decode()
            return
        rows = self.rows.setdefault(layout, Rows())
        rows.members.append(member)
        rows.data += data

    def dataset(self, design: Design, units: Mapping[str, str], facts: Mapping[str, Any]) -> xarray.Dataset:
        """All of it, labelled: parameters as coordinates, NaN and a sentence in `error` where a member failed."""
        xarray = _xarray()
        axes, errors = tuple(design.axes), dict(self.errors)
        shape = tuple(design.axes.values())
        variables = {}
        right = min(self.rows, key=lambda layout: min(self.rows[layout].members), default=())
        for layout, rows in self.rows.items():
            if layout != right:
                errors |= dict.fromkeys(rows.members, f"keeps {_words(layout)}, where others keep {_words(right)}.")
        names = {*design.values, *axes, *(name for name, _ in right)}
        for name, values in self._values(right).items():
            own = tuple(_free(f"{name}_{k}", names) for k in range(1, values.ndim))
            variables[name] = ((*axes, *own), values.reshape(*shape, *values.shape[1:]), _units(units, name))
        why = np.full(len(design), "", dtype=object)
        for member, text in errors.items():
            why[member] = text
        variables["error"] = (axes, why.reshape(shape), {"long_name": "why the member failed, empty if it did not"})
        coordinates = {name: (design.along(name), x, _units(units, name)) for name, x in design.values.items()}
        return xarray.Dataset(variables, coordinates, {**facts, "failed": len(errors)})

    def _values(self, layout: Layout) -> dict[str, Any]:
        """The arrays of a layout, one row for each member of the study."""
        if layout not in self.rows:
            return {}
        rows = self.rows[layout]
        members = np.frombuffer(rows.members, dtype=np.int64)
        table = np.frombuffer(rows.data, dtype="<f8").reshape(len(members), -1)
        values, first = {}, 0
        for name, shape in layout:
            last = first + int(np.prod(shape))
            full = np.full((len(self.done), *shape), np.nan)
            full[members] = table[:, first:last].reshape(len(members), *shape)
            values[name], first = full, last
        return values


def write(dataset: xarray.Dataset, path: Path) -> None:
    """Write the finished study as netCDF; the file is complete, or not there."""
    with replacing(path) as temporary:
        with Patient(temporary) as disk, _here():
            dataset.to_netcdf(disk, engine="h5netcdf")
        seal(temporary)
    untrusted_hdf5.vouch(path)


def _here() -> Any:
    """xarray would ask a Dask client, where there is one, to write the file on its cluster: it is written here."""
    dask = sys.modules.get("dask")
    return nullcontext() if dask is None else dask.config.set(scheduler="synchronous")


def read(path: Path) -> xarray.Dataset:
    """The study that `write` wrote."""
    if intact(path) is False:
        raise FileError(f"{path} is damaged: its bytes are not those that were written.")
    try:
        untrusted_hdf5.check(path)
        dataset = _xarray().load_dataset(path, engine="h5netcdf")
        json.loads(dataset.attrs["study"])
        dataset["error"] = dataset["error"].astype(object)
    except MissingExtra:
        raise
    except Exception:  # h5py answers damage with almost any exception
        raise FileError(f"{path} is not a study written by livens: choose another name for the store.") from None
    return dataset


def check_extras(store: object) -> None:
    """Refuse to begin what could not be ended."""
    _xarray()
    if store is not None and find_spec("h5netcdf") is None:
        raise MissingExtra("a study is stored by h5netcdf: pip install h5netcdf h5py")


def check_store(path: str | os.PathLike[str]) -> Path:
    """The file that a study is kept in."""
    store = Path(path)
    if store.suffix != ".nc":
        raise FileError(f"a study is stored as netCDF: name it such as {store.stem or 'study'}.nc, not {store.name!r}.")
    if store.is_dir():
        raise FileError(f"{store} cannot be written: it is a folder.")
    if not store.parent.is_dir():
        raise FileError(f"{store} cannot be written: the folder {store.parent} does not exist.")
    return store


def _units(units: Mapping[str, str], name: str) -> dict[str, str]:
    return {"units": units[name]} if name in units else {}


def _free(name: str, taken: set[str]) -> str:
    """The name, with as many bars behind it as make it one that nothing else has."""
    return _free(f"{name}_", taken) if name in taken else name


def _words(layout: Layout) -> str:
    return ", ".join(f"{name} {shape}" if shape else name for name, shape in layout) or "nothing"


def _xarray() -> Any:
    return require("xarray", "ensembles need xarray", "livens[data]")
