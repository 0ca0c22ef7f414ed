"""Files that livens writes: motions and studies as netCDF, and the journals of both.

Files are damaged as bytes, without their seal or with a new seal, so that HDF5 reads them; and by their content:
attributes, arrays and the model are changed, with correct digests and checksums.
"""

from __future__ import annotations

import io
import json
import tempfile
import warnings
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import livens as lv
from livens.record import journal as run_journal
from livens.record import netcdf
from livens.storage import append_log, untrusted_hdf5
from livens.storage.atomic import CHECKSUM_MARK, add_checksum
from livens.study import designs, journal, results
from livens.study.members import Outcome

from . import Input
from .harness import apart_here, command, seldom
from .scenes import altered
from .spoil import FLOATS, NUMBERS, of_bytes

NEEDS = "h5netcdf"
HEADS = {"run.nc.journal": run_journal.HEAD, "study.nc.journal": journal.HEAD}
FACTS = {"scheme": "Livens(order=2)", "h": 0.01}
VALUES = {"k": [1.0, 2.0, 3.0], "m": [1.0, 2.0]}


def pendulum() -> lv.Model:
    m = lv.Model(gravity=(0, 0, -9.81), name="pendulum")
    bob = m.add(lv.Body(lv.Box(0.1, 0.1, 1.0, density=1000), at=(0, 0, -0.5), name="bob"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bob.point(0, 0, 0.5), axis=(0, 1, 0), name="pin"))
    m.add(lv.Load(bob.center, force=lv.Expression("[sin(t), 0, 0]"), name="wind"))
    return m


@cache
def seeds() -> list[Input]:
    motion = lv.simulate(pendulum(), h=0.01, until=0.1)
    top = lv.Model(name="top")
    top.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        motion.save(folder / "motion.nc")
        lv.simulate(top, h=0.1, until=1.0).save(folder / "top.nc")
        now = (motion.steps, 2 * motion.steps, motion.seconds, *motion.tally)
        run_journal.RunJournal.begin(
            folder / "run.nc.journal", netcdf.describe(motion), motion.record, len(motion), now, motion.state
        ).close()
        made, total = designs.design(VALUES), results.Results(6)
        kept = [Outcome(k, (("x", ()), ("path", (2, 3))), np.arange(7.0).tobytes()) for k in range(5)]
        kept.append(Outcome(5, None, b"it fell"))
        draft = journal.Journal(folder / "study.nc.journal", FACTS)
        draft.add(kept)
        draft.close()
        for outcome in kept:
            total.add(outcome)
        results.write(total.dataset(made, {}, {"study": json.dumps(FACTS)}), folder / "study.nc")
        return [Input(p.name, p.read_bytes()) for p in sorted(folder.iterdir())]


def spoilt(random: Random, seeds: list[Input]) -> Input:
    name, data = random.choice(seeds)
    same = [other.data for other in seeds if other.name.endswith(name[-5:])]
    if name.endswith(".journal"):
        return Input(
            name, of_bytes(random, data, same) if random.random() < 0.3 else reframed(random, name, data, same)
        )
    if name != "study.nc" and random.random() < 0.3:
        return Input(name, retold(random, data))
    if random.random() < 0.9 and CHECKSUM_MARK in data:
        data = data[: data.rindex(CHECKSUM_MARK)]
    data = of_bytes(random, data, same)
    return Input(name, data if random.random() < 0.5 else sealed(data))


def sealed(data: bytes) -> bytes:
    with tempfile.NamedTemporaryFile() as file:
        path = Path(file.name)
        path.write_bytes(data)
        add_checksum(path)
        return path.read_bytes()


def reframed(random: Random, name: str, data: bytes, same: list[bytes]) -> bytes:
    """A journal with records changed, copied, moved or deleted, each with a correct checksum."""
    head = HEADS[name]
    with tempfile.NamedTemporaryFile() as file:
        path = Path(file.name)
        path.write_bytes(data)
        found = [(kind, content) for kind, content, _ in append_log.records(path, head)]
    for _ in range(random.choice((1, 1, 2, 4))):
        i, j = random.randrange(len(found)), random.randrange(len(found))
        kind, content = found[i]
        how = random.randrange(6)
        if how <= 2:
            told = content[:1] in (b"{", b"[") and random.random() < 0.8
            found[i] = kind, reworded(random, content) if told else of_bytes(random, content, same)
        elif how == 3:
            found.insert(j, found[i])
        elif how == 4:
            found[i], found[j] = found[j], found[i]
        else:
            found[i] = random.choice((b"F", b"S", b"N", b"L", b"M", b"E", b"?")), content
    return head + b"".join(append_log.pack_record(kind, content) for kind, content in found)


def reworded(random: Random, content: bytes) -> bytes:
    """A record of JSON with values changed, if it is still JSON."""
    try:
        return json.dumps(changed(random, json.loads(content))).encode()
    except ValueError:
        return content


def changed(random: Random, told: Any) -> Any:
    """JSON with values changed or replaced completely."""
    if random.random() < 0.05 or not told or not isinstance(told, dict | list):
        return random.choice((None, [], {}, 1, "x", [[]], [1, 2], {"x": 1}))
    return altered(random, told)


@cache
def told(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Attributes and arrays of a motion, the model as JSON."""
    with tempfile.NamedTemporaryFile(suffix=".nc") as file:
        Path(file.name).write_bytes(data)
        facts, arrays = netcdf._from_netcdf(Path(file.name))
    return facts, {**arrays, "model": json.dumps(arrays["model"])}


def retold(random: Random, data: bytes) -> bytes:
    """A motion with changed content and a correct digest."""
    import h5netcdf

    facts, arrays = (dict(part) for part in told(data))
    arrays["model"] = json.loads(arrays["model"])
    for _ in range(random.choice((1, 1, 2, 4))):
        how = random.randrange(3)
        if how == 0:
            name = random.choice(list(facts))
            if isinstance(facts[name], str):
                facts[name] = json.dumps(changed(random, json.loads(facts[name])))
            else:
                value = random.choice((*NUMBERS[:9], -1)) if isinstance(facts[name], int) else random.choice(FLOATS)
                facts[name] = type(facts[name])(value)
        elif how == 1:
            arrays["model"] = changed(random, arrays["model"])
        else:
            name = random.choice([name for name in arrays if name != "model"])
            arrays[name] = reshaped(random, arrays[name])
    text = json.dumps(arrays["model"]).encode()
    arrays["model"] = np.frombuffer(text, dtype=np.uint8)
    buffer = io.BytesIO()
    with warnings.catch_warnings(), h5netcdf.File(buffer, "w", invalid_netcdf=True) as stored:
        warnings.simplefilter("ignore")
        stored.attrs["livens_format"], stored.attrs["source"] = 1, "livens"
        for name, value in facts.items():
            stored.attrs[name] = value
        stored.attrs["digest"] = netcdf._digest(facts, arrays)
        for name, array in arrays.items():
            if array.size:
                own = tuple(f"{name}{k}" for k in range(array.ndim))
                stored.dimensions.update(zip(own, array.shape, strict=True))
                stored.create_variable(name, own, data=array)
    return buffer.getvalue()


def reshaped(random: Random, array: np.ndarray) -> np.ndarray:
    """An array with other numbers, fewer of them, or another shape."""
    how = random.randrange(5)
    if how == 0 or not array.size:
        return array[: random.randrange(len(array) + 1)].copy()
    if how == 1:
        return array.ravel().copy()
    if how == 2:
        return np.concatenate([array, array])
    array = array.copy()
    array.flat[random.randrange(array.size) if how == 3 else slice(None)] = random.choice(FLOATS)
    return array


def attempt(file: Path) -> str:
    untrusted_hdf5.run_sandboxed = apart_here(untrusted_hdf5.answer)
    if file.name == "study.nc":
        results.read(file)
        return "study"
    if file.name == "study.nc.journal":
        return study(file)
    if seldom(file):
        command("info", file)
    motion = lv.load(file)
    _ = motion.end, motion.state, repr(motion)
    return "motion"


def study(file: Path) -> str:
    """Continue a journal as lv.ensemble does."""
    found = results.Results(6)
    draft = journal.Journal(file, FACTS)
    try:
        for outcome in draft.outcomes(6):
            found.add(outcome)
    finally:
        draft.close()
    found.dataset(designs.design(VALUES), {}, FACTS)
    return "study"
