"""STEP: netgen reads it in a separate process, and crashes on a quarter of these files."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from random import Random

import scipy.sparse.csgraph  # imported once here instead of in every copy of the process
import scipy.spatial  # noqa: F401

from livens.describe.shapes import cad

from . import Input
from .harness import apart_forked
from .spoil import of_bytes, of_words

NEEDS = "netgen"


@cache
def seeds() -> list[Input]:
    from netgen.occ import Box, Compound, Cylinder, Pnt, Y

    brick, rod = Box(Pnt(0, 0, 0), Pnt(20, 10, 10)), Cylinder(Pnt(0, 0, 0), Y, r=1, h=5)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "part.step"
        made = []
        for shape in (brick, rod, Compound([brick, rod])):
            shape.WriteStep(str(file))
            made.append(Input("part.step", file.read_bytes()))
    return made


def spoilt(random: Random, seeds: list[Input]) -> Input:
    data, same = random.choice(seeds).data, [seed.data for seed in seeds]
    if random.random() < 0.2:
        return Input("part.step", of_bytes(random, data, same))
    text = of_words(random, data.decode("latin-1"), [other.decode("latin-1") for other in same])
    return Input("part.step", text.encode("latin-1", "replace"))


def attempt(file: Path) -> str:
    cad.run_sandboxed = apart_forked(cad.answer)
    cad.read_step(file, density=1000.0, unit="mm")
    return "solids"
