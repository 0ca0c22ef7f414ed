"""Designs: the members of an ensemble, as every combination of values (a grid) or as a list of samples.

A design gives its axes and their lengths, and the parameters of a member by its number. In a grid the last parameter
varies fastest. A dictionary of values is a grid.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import finite
from ..errors import ModelError, require

RESERVED = ("member", "error")  # names of the result
MAX_AXES = 32  # of a result; NumPy arrays have at most 64
MAX_MEMBERS = 10**8


class Grid:
    """Every combination of the given values: each parameter is an axis of the result.

    Values are numbers or texts. `lv.ensemble` also accepts the dictionary itself.

    >>> grid = Grid({"mass": [1.0, 2.0], "stiffness": [10.0, 20.0, 30.0]})
    >>> len(grid), grid[4]
    (6, {'mass': 2.0, 'stiffness': 20.0})
    """

    def __init__(self, values: Mapping[str, ArrayLike]):
        self.values = _columns(values)
        self.axes = {name: len(column) for name, column in self.values.items()}
        members = math.prod(self.axes.values())
        if len(self.axes) > MAX_AXES or members > MAX_MEMBERS:
            raise ModelError(
                f"a grid of {len(self.axes)} parameters has {members:,} members, and at most {MAX_AXES} parameters and "
                f"{MAX_MEMBERS:,} members are possible: draw some of them with lv.Samples."
            )
        self.facts: dict[str, Any] = {"design": "grid"}

    def __len__(self) -> int:
        return int(np.prod(list(self.axes.values())))

    def __getitem__(self, member: int) -> dict[str, Any]:
        places = np.unravel_index(member, tuple(self.axes.values()))
        return {name: column[k].item() for (name, column), k in zip(self.values.items(), places, strict=True)}

    def along(self, name: str) -> tuple[str, ...]:
        """The axes along which a parameter varies."""
        return (name,)


class Samples:
    """A list of members along the axis `member`: member k has the k-th value of every parameter.

    >>> drawn = np.random.default_rng(1).normal(1.0, 0.1, size=(100, 2))
    >>> len(Samples({"mass": drawn[:, 0], "length": drawn[:, 1]}))
    100
    """

    def __init__(self, values: Mapping[str, ArrayLike], facts: Mapping[str, Any] | None = None):
        """facts: how the samples were drawn; they are stored with the result."""
        self.values = _columns(values)
        sizes = {name: len(column) for name, column in self.values.items()}
        if len(set(sizes.values())) > 1:
            raise ModelError(f"samples need the same number of values for every parameter, got {sizes}.")
        self.axes = {"member": next(iter(sizes.values()))}
        self.facts: dict[str, Any] = {"design": "samples", **(facts or {})}
        for name, fact in self.facts.items():
            if not isinstance(name, str) or not isinstance(fact, str | int | float):
                raise ModelError(f"a fact about samples is a text or a number with a name, not {name!r}: {fact!r}.")

    def __len__(self) -> int:
        return self.axes["member"]

    def __getitem__(self, member: int) -> dict[str, Any]:
        return {name: column[member].item() for name, column in self.values.items()}

    def along(self, name: str) -> tuple[str, ...]:
        """The axes along which a parameter varies."""
        return ("member",)

    @classmethod
    def sobol(cls, bounds: Mapping[str, ArrayLike], n: int, seed: int = 0) -> Samples:
        """n points of a scrambled Sobol sequence between the bounds (lower, upper); a power of two is best for n.

        >>> np.sort(Samples.sobol({"mass": (0.0, 4.0), "stiffness": (10, 90)}, n=4).values["mass"]).astype(int).tolist()
        [0, 1, 2, 3]
        """
        return cls._drawn("Sobol", bounds, n, seed)

    @classmethod
    def latin_hypercube(cls, bounds: Mapping[str, ArrayLike], n: int, seed: int = 0) -> Samples:
        """n points between the bounds (lower, upper), one in each of n equal intervals of every parameter.

        >>> np.sort(Samples.latin_hypercube({"mass": (0.0, 4.0)}, n=4).values["mass"]).astype(int).tolist()
        [0, 1, 2, 3]
        """
        return cls._drawn("LatinHypercube", bounds, n, seed)

    @classmethod
    def _drawn(cls, kind: str, bounds: Mapping[str, ArrayLike], n: int, seed: int) -> Samples:
        """Points of the sequence `kind` of SciPy, with the facts that reproduce them."""
        qmc = require("scipy.stats.qmc", "drawing samples needs scipy", "scipy")
        for name, value, least in (("n", n, 1), ("seed", seed, 0)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ModelError(f"{name} must be a whole number, at least {least}, got {value!r}.")
        _named(bounds)
        ends = np.array([finite(pair, (2,), f"the bounds of {name!r}") for name, pair in bounds.items()])
        for name, (low, high) in zip(bounds, ends.tolist(), strict=True):
            if not low < high:
                raise ModelError(f"the bounds of {name!r} must be (lower, upper), got ({low:g}, {high:g}).")
        sequences = {"Sobol": qmc.Sobol, "LatinHypercube": qmc.LatinHypercube}
        unit = sequences[kind](len(ends), seed=np.random.default_rng(seed)).random(n)
        points = ends[:, 0] + (ends[:, 1] - ends[:, 0]) * unit
        box = json.dumps(dict(zip(bounds, ends.tolist(), strict=True)))
        facts = {"design": kind, "seed": int(seed), "bounds": box}
        return cls({name: points[:, k] for k, name in enumerate(bounds)}, facts)


Design = Grid | Samples


def design(parameters: Any) -> Design:
    """The design itself, or the grid of a dictionary."""
    if isinstance(parameters, Grid | Samples):
        return parameters
    if isinstance(parameters, Mapping):
        return Grid(parameters)
    raise ModelError(
        "the parameters of an ensemble are a dictionary of values, an lv.Grid or lv.Samples, "
        f"not {type(parameters).__name__}."
    )


def _columns(values: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
    _named(values)
    return {name: _column(name, given) for name, given in values.items()}


def _column(name: str, given: ArrayLike) -> NDArray[Any]:
    column = np.array(given)
    if column.ndim != 1 or not len(column) or column.dtype.kind not in "biufU":
        raise ModelError(f"parameter {name!r} needs a list of numbers or of texts, not {given!r}.")
    if column.dtype.kind == "U" and not all(isinstance(x, str) for x in given):  # type: ignore[union-attr]
        raise ModelError(f"parameter {name!r} mixes texts and numbers: {given!r}.")
    if column.dtype.kind == "f":
        return finite(column, column.shape, f"parameter {name!r}")
    return column


def _named(values: Any) -> None:
    if not isinstance(values, Mapping) or not values:
        raise ModelError("an ensemble needs at least one named parameter.")
    for name in values:
        if not isinstance(name, str) or not name or "/" in name or "\0" in name or name in RESERVED:
            raise ModelError(f"{name!r} cannot be the name of a parameter.")
