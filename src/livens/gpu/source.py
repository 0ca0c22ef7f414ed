"""The text of the kernel that runs members of one structure on a graphics card, one thread per member.

A thread calls the same `prepare` and `rollout` as a core does. What differs is the place of their arrays:

    integers, truth values     the structure: constants of the kernel, in constant memory
    numbers of all members     copied once per block into the memory that its threads share
    numbers of each member     copied from `varied`, a row per number, a column per member, into arrays of the thread
    state and scratch          arrays of the thread; states that are kept are copied into `records`

Every array of a thread has a shape that is known when the kernel is compiled, so that addresses are constants, and
neighbouring threads read neighbouring addresses. A loop over a kind of thing that the model does not contain has no
passes, and the compiler deletes it. The price is one compilation per structure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..checks import Array
from ..kernels.arrays import State, System, Work

SHARED_BYTES = 40_000  # in the memory that the threads of a block share, at most
CONSTANT_BYTES = 60_000  # in constant memory, at most
NEVER = 2**62  # the rollout itself keeps no states

ARGUMENTS = "shared, varied, starts, records, outcome, table, signals, h, steps, every"


class KernelSource(NamedTuple):
    """The text of a kernel, its constants, and the order of its numbers."""

    text: str
    constants: dict[str, Any]  # name in the text → array of integers
    shared: tuple[str, ...]  # paths of the numbers that all members share, such as "bodies.mass"
    varied: tuple[str, ...]  # paths of the numbers that differ
    width: int  # numbers in a state


def leaves(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The arrays and numbers of a tuple of tuples, with their paths.

    >>> [path for path, _ in leaves(State(*range(10)))][:4]
    ['a', 'B', 'p', 'L']
    """
    if isinstance(part, tuple):
        for name, one in zip(part._fields, part, strict=True):  # type: ignore[attr-defined]
            yield from leaves(one, f"{path}.{name}" if path else name)
    else:
        yield path, part


def kernel_source(system: System, state: State, work: Work, varied: frozenset[str], stages: int) -> KernelSource:
    """The kernel for members with the structure of `system`, whose numbers at the paths `varied` differ."""
    writer = _Writer(varied, in_block=_bytes_shared(system, varied) <= SHARED_BYTES)
    built = writer.system(system, "system")
    before = [*writer.lines, "cuda.syncthreads()"]
    inside = [*writer.own_lines, f"system = {built}"]
    made: dict[int, str] = {}
    for name, arrays in (("state", state), ("work", work)):
        names = []
        for field, array in zip(arrays._fields, arrays, strict=True):
            if id(array) not in made:
                made[id(array)] = f"{name}_{field}"
                inside += _array(f"{name}_{field}", array)
                inside += _loops(array.shape, f"{name}_{field}[{{index}}] = {_zero(array)}")
            names.append(made[id(array)])
        inside.append(f"{name} = {type(arrays).__name__}({', '.join(names)})")
    inside += ["for b in range(work.B.shape[0]):", *(f"    work.B[b, {i}, {i}] = 1.0" for i in range(3))]
    width = 0
    keep = []
    for field, array in zip(state._fields, state, strict=True):
        number = f"{width} + {_flat(array.shape)}"
        inside += _loops(array.shape, f"state_{field}[{{index}}] = starts[{number}, k]")
        keep += _loops(array.shape, f"records[slot, {number}, k] = state_{field}[{{index}}]")
        width += array.size
    nowhere = ", ".join(f"cuda.local.array({(1,) * (array.ndim + 1)}, float64)" for array in state)
    inside += [
        f"nowhere = State({nowhere})",
        "mine = signals[k if signals.shape[0] > 1 else 0]",
        f"rows = {stages} if mine.shape[0] > 1 else 0",
        "prepare(system, state, work, mine, h)",
        "status, slot, n = 0, 0, 0",
        "while n < steps and status == 0:",
        "    some = min(every, steps - n)",
        f"    status, taken = rollout(system, state, work, h, table, mine[rows * n :], n, some, {NEVER}, nowhere)",
        "    n += taken",
        "    if status == 0:",
        *(f"        {line}" for line in keep),
        "        slot += 1",
        "outcome[0, k], outcome[1, k], outcome[2, k] = status, n, work.fault[0]",
        "outcome[3, k], outcome[4, k] = work.tally[0], work.tally[1]",
    ]
    text = "\n".join(
        [
            f"def kernel({ARGUMENTS}):",
            "    k = cuda.grid(1)",
            *(f"    {line}" for line in before),
            "    if k < outcome.shape[1]:",
            *(f"        {line}" for line in inside),
            "",
        ]
    )
    return KernelSource(text, writer.constants, tuple(writer.shared), tuple(writer.different), width)


class _Writer:
    """Writes the lines that make a System in a thread."""

    def __init__(self, varied: frozenset[str], in_block: bool):
        self.varied, self.in_block = varied, in_block
        self.lines: list[str] = []
        self.own_lines: list[str] = []
        self.constants: dict[str, Any] = {}
        self.shared: list[str] = []
        self.different: list[str] = []
        self.shared_numbers = self.different_numbers = 0

    def system(self, part: Any, path: str) -> str:
        """An expression for a part of the system."""
        if isinstance(part, tuple):
            inner = (self.system(one, f"{path}.{name}") for name, one in zip(part._fields, part, strict=True))  # type: ignore[attr-defined]
            return f"{type(part).__name__}({', '.join(inner)})"
        name = path.replace(".", "_")
        if isinstance(part, (bool, np.bool_)):
            return repr(bool(part))
        if isinstance(part, (int, np.integer)):
            return repr(int(part))
        if isinstance(part, np.ndarray) and part.size == 0:
            self.lines += _array(name, part)
        elif isinstance(part, np.ndarray) and part.dtype.kind != "f":
            self.constants[f"{name}_constant"] = np.ascontiguousarray(part)
            self.lines.append(f"{name} = cuda.const.array_like({name}_constant)")
        else:
            self._numbers(path.removeprefix("system."), name, np.asarray(part, dtype=np.float64))
        return name

    def _numbers(self, path: str, name: str, array: Array) -> None:
        """Copies of numbers that all members share, or of those of each member."""
        if path in self.varied:
            self.different.append(path)
            first, source, lines = self.different_numbers, "varied", self.own_lines
            self.different_numbers += array.size
        else:
            self.shared.append(path)
            first, source, lines = self.shared_numbers, "shared", self.lines
            self.shared_numbers += array.size
        member = ", k" if source == "varied" else ""
        if not array.shape:
            lines.append(f"{name} = {source}[{first}{member}]")
        elif source == "shared" and self.in_block:
            self.lines.append(f"{name} = cuda.shared.array({array.shape}, float64)")
            index = _index_of(array.shape)
            self.lines.append(f"for i in range(cuda.threadIdx.x, {array.size}, cuda.blockDim.x):")
            self.lines.append(f"    {name}[{index}] = shared[{first} + i]")
        else:
            lines += _array(name, array)
            lines += _loops(array.shape, f"{name}[{{index}}] = {source}[{first} + {_flat(array.shape)}{member}]")


def _bytes_shared(system: System, varied: frozenset[str]) -> int:
    arrays = [x for path, x in leaves(system) if path not in varied and isinstance(x, np.ndarray)]
    return sum(x.nbytes for x in arrays if x.dtype.kind == "f")


def _array(name: str, array: Any) -> list[str]:
    """The line that makes an array of the thread; no dimension of such an array may be zero."""
    kind = "float64" if array.dtype.kind == "f" else "int64"
    shape = tuple(max(1, n) for n in array.shape)
    cut = f"[{', '.join(f':{n}' for n in array.shape)}]" if array.size == 0 else ""
    return [f"{name} = cuda.local.array({shape}, {kind}){cut}"]


def _zero(array: Any) -> str:
    return "0.0" if array.dtype.kind == "f" else "0"


def _loops(shape: tuple[int, ...], line: str) -> list[str]:
    """The line for every element of an array, whose indices replace {index}."""
    if 0 in shape:
        return []
    names = [f"i{axis}" for axis in range(len(shape))]
    heads = [f"{'    ' * axis}for i{axis} in range({n}):" for axis, n in enumerate(shape)]
    return [*heads, "    " * len(shape) + line.replace("{index}", ", ".join(names))]


def _flat(shape: tuple[int, ...]) -> str:
    """The number of an element with the indices i0, i1, …

    >>> _flat((3,)), _flat((2, 3))
    ('i0', '(i0) * 3 + i1')
    """
    text = "i0"
    for axis, n in enumerate(shape[1:], 1):
        text = f"({text}) * {n} + i{axis}"
    return text


def _index_of(shape: tuple[int, ...]) -> str:
    """The indices of element number i.

    >>> _index_of((4,)), _index_of((2, 3))
    ('i', 'i // 3, i % 3')
    """
    found, after = [], 1
    for axis in reversed(range(len(shape))):
        whole = "i" if after == 1 else f"i // {after}"
        found.append(whole if axis == 0 else f"{whole} % {shape[axis]}")
        after *= shape[axis]
    return ", ".join(reversed(found))
