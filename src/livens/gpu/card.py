"""A graphics card: its memory, and the launch of a kernel on it, through NVIDIA's own packages for Python."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import LivensError, ModelError, require
from ..step.scheme import Prepare, Rollout
from .compiler import BLOCK, EXTRA, machine_code
from .source import KernelSource

REMEDY = "leave out device= to run the ensemble on the cores of this machine"


class OutOfMemory(LivensError):
    """The memory of the graphics card is too small for so many members at a time."""


@dataclass(frozen=True)
class Cuda:
    """A graphics card of NVIDIA that runs the members of an ensemble, one thread per member, in double precision.

    number: which card, from 0. fma: allow fused multiply-add instructions. They are some per cent faster, but then the
    results are not those of the CPU bit for bit. `lv.ensemble(…, device="cuda")` is `device=lv.Cuda()`.

    >>> Cuda()
    Cuda(number=0, fma=False)
    """

    number: int = 0
    fma: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.number, bool) or not isinstance(self.number, int) or self.number < 0:
            raise ModelError(f"the number of a graphics card is 0, 1, …, not {self.number!r}.")
        if not isinstance(self.fma, bool):
            raise ModelError(f"fused multiply-add is fma=True or False, not {self.fma!r}.")

    def open(self) -> Card:
        """The card, ready for kernels, or a LivensError that says why there is none."""
        return Card(self)


class Card:
    """A card in use."""

    def __init__(self, which: Cuda):
        self.driver: Any = require("cuda.bindings.driver", "a graphics card needs NVIDIA's cuda-bindings", EXTRA)
        core: Any = require("cuda.core", "a graphics card needs NVIDIA's cuda-core", EXTRA)
        self.fma = which.fma
        try:
            self.check(self.driver.cuInit(0))
            count = self.check(self.driver.cuDeviceGetCount())
        except Exception as error:  # the driver is missing, too old, or there is no card: many classes
            raise LivensError(f"no graphics card of NVIDIA can be used here ({error}): {REMEDY}.") from None
        if which.number >= count:
            raise LivensError(f"this machine has {count} graphics cards, and no number {which.number}: {REMEDY}.")
        self.device = core.Device(which.number)
        self.device.set_current()
        self.core = core
        ability = self.device.compute_capability
        self.architecture = (int(ability.major), int(ability.minor))

    def check(self, answer: tuple[Any, ...]) -> Any:
        """The result of a call of the driver, or an error."""
        code, *result = answer
        if code == self.driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            raise OutOfMemory("the memory of the graphics card is too small for one member.")
        if code != self.driver.CUresult.CUDA_SUCCESS:
            raise LivensError(f"the graphics card reports {code.name}.")
        return result[0] if result else None

    def free_bytes(self) -> int:
        """Free memory of the card."""
        self.device.set_current()
        return int(self.check(self.driver.cuMemGetInfo()))

    def kernel(self, source: KernelSource, prepare: Prepare, rollout: Rollout) -> Any:
        """The compiled kernel on the card."""
        made = machine_code(source, prepare, rollout, self.architecture, self.fma)
        return self.core.ObjectCode.from_cubin(made.code).get_kernel(made.entry)

    def launch(
        self, kernel: Any, members: int, inputs: list[Any], outputs: list[Any], order: list[int], numbers: list[Any]
    ) -> float:
        """Run a kernel: the seconds that it took. Its arguments are arrays, inputs and outputs in the given order, then
        numbers."""
        self.device.set_current()  # of this thread
        with self._memory(inputs + outputs) as places:
            for place, array in zip(places, inputs, strict=False):
                if array.nbytes:
                    self.check(self.driver.cuMemcpyHtoD(place, array.ctypes.data, array.nbytes))
            described = [_described(place, array) for place, array in zip(places, inputs + outputs, strict=True)]
            stream = self.device.default_stream
            config = self.core.LaunchConfig(grid=-(-members // BLOCK), block=BLOCK)
            arguments = [x for k in order for x in described[k]]
            begin = time.perf_counter()
            self.core.launch(stream, config, kernel, *arguments, *numbers)
            stream.sync()
            seconds = time.perf_counter() - begin
            for place, array in zip(places[len(inputs) :], outputs, strict=True):
                self.check(self.driver.cuMemcpyDtoH(array.ctypes.data, place, array.nbytes))
        return seconds

    @contextmanager
    def _memory(self, arrays: list[Any]) -> Iterator[list[int]]:
        """Memory of the card for arrays; it is freed after the block."""
        places: list[int] = []
        try:
            for array in arrays:
                places.append(int(self.check(self.driver.cuMemAlloc(max(8, array.nbytes)))))
            yield places
        finally:
            for place in places:
                self.driver.cuMemFree(place)


def _described(place: int, array: Any) -> list[Any]:
    """An array as kernels of numba take it: two unused pointers, elements, bytes of one, address, shape, strides."""
    return [np.int64(x) for x in (0, 0, array.size, array.itemsize, place, *array.shape, *array.strides)]
