"""Runs of many models with one structure on a graphics card, in chunks that its memory holds.

A chunk takes its numbers to the card, runs, and brings back the states that are kept; quantities of a motion are
computed from these states on the CPU, as for a run there. Models with controllers are refused, and so are models with
contact. A member that fails is run once more on the CPU, for the message that a single run gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..checks import Array
from ..compile.compiled import Compiled
from ..compile.states import copied
from ..compile.structure import structural_change, with_members
from ..compile.system import scratch
from ..errors import LivensError, ModelError
from ..kernels import status
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from ..run.follow import follow
from ..run.loop import Run, refuse_backward_stages, refuse_contact, room
from ..run.plan import Plan
from ..step import Scheme
from .card import REMEDY, Card, Cuda, OutOfMemory
from .simulator import Simulator, is_simulated
from .source import CONSTANT_BYTES, KernelSource, kernel_source, leaves

STATUS, TAKEN, FAULT, TALLY = 0, 1, 2, 3  # rows of an outcome
ROWS = 5
PART_OF_MEMORY = 0.6  # of the free memory of the card, that a chunk may take
LARGEST_CHUNK = 2**20  # members
LOCAL_BYTES = 400_000  # arrays of one thread, at most


def opened(device: Any) -> Card | Simulator:
    """The device with this name, or that a Cuda describes."""
    if device == "cuda":
        device = Cuda()
    if not isinstance(device, Cuda):
        raise ModelError(f'the device must be "cuda" or lv.Cuda(…), not {device!r}; {REMEDY}.')
    return Simulator() if is_simulated() else device.open()


def refuse_scheme(scheme: Scheme) -> None:
    """Raise a ModelError if a scheme needs more scratch than a thread of a graphics card has."""
    if scheme.exact_energy:
        raise ModelError(
            f"{scheme!r} does not run on a graphics card, whose threads have no room for its matrix: "
            "use lv.Livens() there, or leave out device=."
        )


def follow_on_device(
    card: Card | Simulator, how: Plan, members: Sequence[Compiled]
) -> Iterator[tuple[int, Trajectory | Exception]]:
    """The number of every compiled model with its motion by the plan, or with the error that ended it; in any order."""
    todo = list(range(len(members)))
    while todo:
        first = members[todo[0]]
        alike = [k for k in todo if k == todo[0] or not structural_change(first, members[k])]
        todo = sorted(set(todo) - set(alike))
        try:
            chunks = Chunks(card, how, [members[k] for k in alike])
        except LivensError as error:
            for k in alike:
                yield k, error
            continue
        for n, motion in chunks.motions():
            yield alike[n], _single(how, members[alike[n]]) if motion is None else motion


def _single(how: Plan, compiled: Compiled) -> Trajectory | Exception:
    try:
        return follow(how, compiled)
    except Exception as error:  # functions of the user may raise anything
        return error


class Chunks:
    """The runs of members of one structure, chunk after chunk."""

    def __init__(self, card: Card | Simulator, how: Plan, members: Sequence[Compiled]):
        self.card, self.how, self.members, one = card, how, members, members[0]
        refuse_backward_stages(one, how.scheme)
        refuse_contact(one, how.scheme)
        if one.system.contacts.capacity:
            raise ModelError(f"models with contact cannot run on a graphics card: {REMEDY}.")
        self.state = copied(one.state)._replace(memory=np.zeros(how.scheme.memory(one.system)))
        self.run = Run(one, how.scheme, how.h, 0.0, how.every, room(self.state, 0, how.every))
        if self.run.table.controlled:
            raise ModelError(f"models with controllers cannot run on a graphics card: {REMEDY}.")
        self.work = scratch(one.system, how.scheme.scratch)
        self._check_size()
        self.slots = -(-how.steps // how.every)

    def _check_size(self) -> None:
        constants = sum(x.nbytes for _, x in leaves(self.run.system) if _is_structure(x))
        local = sum(x.nbytes for x in (*self.state, *self.work))
        if constants > CONSTANT_BYTES or local > LOCAL_BYTES:
            bodies = len(self.run.system.bodies.mass) - 1
            raise ModelError(f"a model of {bodies} bodies is too large for one thread of a graphics card: {REMEDY}.")

    def motions(self) -> Iterator[tuple[int, Trajectory | None]]:
        """The number of every member and its motion; None for one that failed."""
        begin, size = 0, self._size()
        while begin < len(self.members):
            some = self.members[begin : begin + size]
            try:
                found = Chunk(self, some)
            except OutOfMemory:
                if len(some) == 1:
                    raise
                size = len(some) // 2
                continue
            for k in range(len(some)):
                yield begin + k, found.motion(k)
            begin += len(some)

    def _size(self) -> int:
        numbers = sum(x.size for x in self.state) * (self.slots + 1) + 100
        numbers += sum(x.size for _, x in leaves(self.run.system) if not _is_structure(x) and isinstance(x, np.ndarray))
        return max(1, min(LARGEST_CHUNK, int(PART_OF_MEMORY * self.card.free_bytes() / (8 * numbers))))


class Chunk:
    """The runs of the members of one chunk."""

    def __init__(self, runs: Chunks, members: Sequence[Compiled]):
        self.how, self.members, n = runs.how, members, len(members)
        scheme, h, steps, every = runs.how
        shared, varied = _numbers(members)
        state = runs.state
        source = kernel_source(runs.run.system, state, runs.work, frozenset(varied), len(scheme.weights))
        kernel = _kernel(runs, source)
        starts = np.zeros((n, source.width))
        first = 0
        for field, one in enumerate(state[:-1]):  # the memory of a scheme is empty at the start
            starts[:, first : first + one.size] = np.reshape([member.state[field] for member in members], (n, -1))
            first += one.size
        inputs = [
            np.concatenate([np.zeros(0), *(shared[path].ravel() for path in source.shared)]),
            np.ascontiguousarray(np.concatenate([np.zeros((n, 0)), *(varied[p] for p in source.varied)], axis=1).T),
            np.ascontiguousarray(starts.T),
            np.ascontiguousarray(scheme.table, dtype=np.float64),
            _signals(runs, members),
        ]
        records = np.zeros((runs.slots, source.width, n))
        self.outcome = np.zeros((ROWS, n), dtype=np.int64)
        numbers = [np.float64(h), np.int64(steps), np.int64(every)]
        order = [0, 1, 2, 5, 6, 3, 4]  # as in source.ARGUMENTS
        self.seconds = runs.card.launch(kernel, n, inputs, [records, self.outcome], order, numbers) / n
        self.records = _as_states(starts, records, state)
        self.t = np.append(h * np.arange(0, steps + 1, every, dtype=np.float64), [h * steps] * (steps % every > 0))

    def motion(self, k: int) -> Trajectory | None:
        """The motion of member k, or None if it failed."""
        scheme, h, steps, every = self.how
        if self.outcome[STATUS, k] != status.OK or self.outcome[TAKEN, k] != steps:
            return None
        one, record = self.members[k], State(*(x[k] for x in self.records))
        tally = (int(self.outcome[TALLY, k]), int(self.outcome[TALLY + 1, k]))
        if one.left_out:
            run = Run(one, scheme, h, 0.0, every, record)
            try:
                run.check_left_out(State(*(x[-1] for x in record)), steps)
            except LivensError:
                return None
        return Trajectory(one, scheme, h, every, self.t, record, steps, self.seconds, tally)


_kernels: dict[tuple[Any, ...], Any] = {}  # of this process


def _kernel(runs: Chunks, source: KernelSource) -> Any:
    constants = tuple(x.tobytes() for x in source.constants.values())
    key = (runs.card.__class__, id(runs.card), source.text, constants, runs.run.rollout)
    if key not in _kernels:
        _kernels[key] = runs.card.kernel(source, runs.run.prepare, runs.run.rollout)
    return _kernels[key]


def _is_structure(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.dtype.kind != "f"


def _numbers(members: Sequence[Compiled]) -> tuple[dict[str, Array], dict[str, Array]]:
    """The numbers of the systems by path: those that all members share, and those that differ, a row per member."""
    shared: dict[str, Array] = {}
    varied: dict[str, Array] = {}
    for path, part in leaves(with_members([one.system for one in members])):
        if isinstance(part, np.ndarray) and part.dtype.kind == "f":
            if len(part) > 1 and not (part == part[:1]).all():
                varied[path] = part.reshape(len(part), -1)
            else:
                shared[path] = part[0]
    return shared, varied


def varied_paths(members: Sequence[Compiled]) -> frozenset[str]:
    """The numbers of the systems that differ between members."""
    return frozenset(_numbers(members)[1])


def _signals(runs: Chunks, members: Sequence[Compiled]) -> Array:
    """The tables of the signals: one for all members, or one for each."""
    tables: dict[int, Array] = {}
    for one in members:
        key = id(one.compiled_signals)
        if key not in tables:
            scheme, h, steps, every = runs.how
            run = Run(one, scheme, h, 0.0, every, runs.run.record)
            tables[key] = run.signals(0, steps)
    return np.ascontiguousarray(with_members([tables[id(one.compiled_signals)] for one in members]))


def _as_states(starts: Array, records: Array, state: State) -> State:
    """The states of all members and times, member after member."""
    n, slots = len(starts), len(records)
    fields, first = [], 0
    for x in state:
        out = np.empty((n, slots + 1, *x.shape))
        out[:, 0] = starts[:, first : first + x.size].reshape(n, *x.shape)
        out[:, 1:] = records[:, first : first + x.size].transpose(2, 0, 1).reshape(n, slots, *x.shape)
        fields.append(out)
        first += x.size
    return State(*fields)
