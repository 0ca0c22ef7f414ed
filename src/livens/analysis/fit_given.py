"""What an identification is given: measured times and quantities, and the numbers that are varied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, finite, nearest
from ..compile.compiled import Compiled
from ..describe.body import Body, Point
from ..describe.model import Model
from ..describe.thing import Thing
from ..errors import ModelError
from ..run.parameters import Numbers
from ..scene.values import parts_of
from .consistent_inertias import UPPER
from .sensitivity import Of, is_start, start_column
from .tangent_run import start_columns

BOUND = 1e-9  # distance from a bound, in parts of the size of a number, that counts as none


class Unknown(NamedTuple):
    """A number that is varied: its name, first guess, bounds, and the size of its vector."""

    name: str
    guess: float
    low: float
    high: float
    size: float
    together: int = 0  # how many numbers of an inertia are varied together, if it is one of them

    def held(self, x: float) -> bool:
        """True if a bound holds the number at x."""
        return bool(min(x - self.low, self.high - x) <= BOUND * max(abs(x), self.size))


class Reading(NamedTuple):
    """A measured quantity: its name, the function of the motion that gives it, values and standard deviations."""

    name: str
    of: Of
    values: Array  # (n, components)
    sigma: Array  # (n, components)


def times_of(data: Mapping[Any, ArrayLike]) -> Array:
    if not isinstance(data, Mapping) or "t" not in data:
        raise ModelError(
            'data is a dictionary with the times "t" and measured values, such as {"t": t, "hinge": angles}.'
        )
    t = finite(data["t"], np.shape(data["t"]), "t")
    if t.ndim != 1 or not len(t) or t.min() < 0.0 or t.max() <= 0.0:
        raise ModelError("the measured times are a row of numbers from 0 on, with at least one above 0.")
    return t


def readings_of(model: Model, data: Mapping[Any, ArrayLike], sigma: Any, of: Of | None) -> list[Reading]:
    times_of(data)
    found = []
    for key, given in data.items():
        if isinstance(key, str) and key == "t":
            continue
        try:
            values = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.array([np.inf])
        if np.isinf(values).any():
            raise ModelError(f"the measured values of {key!r} must be numbers, or NaN where there are none.")
        values = values.reshape(len(values), -1) if values.ndim else values.reshape(1, 1)
        thing: Any = key if isinstance(key, Point) else model.find(key) or key
        read = _function(model, key, thing, of)
        name = key if isinstance(key, str) else f"point of {key.body.name}" if isinstance(key, Point) else thing.name
        found.append(Reading(name, read, values, _deviations(key, name, sigma, values)))
    if not found:
        raise ModelError("data has times but no measured values.")
    return found


def _function(model: Model, key: Any, thing: Any, of: Of | None) -> Of:
    if isinstance(key, str) and key == "of":
        if of is None:
            raise ModelError('data has values of "of": give the function of the motion, of=lambda motion: ….')
        return of
    if isinstance(thing, Point | Body):
        return lambda motion: motion.position(thing)
    if isinstance(thing, Thing) and thing.coordinates:
        return lambda motion: motion.coordinate(thing.name)
    if isinstance(key, str) and key not in model.names:
        raise ModelError(
            f"the model has nothing named {key!r}, which was measured; {nearest(key, model.names, 'it has')}"
        )
    raise ModelError(f"measured values are those of a joint with a coordinate, a body or a point, not of {key!r}.")


def _deviations(key: Any, name: str, sigma: Any, values: Array) -> Array:
    given = sigma.get(key, sigma.get(name)) if isinstance(sigma, Mapping) else sigma
    if given is None:
        if isinstance(sigma, Mapping):
            raise ModelError(f"sigma has no standard deviation of {name!r}.")
        return np.full_like(values, np.nan)
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"standard deviations are positive numbers, not {given!r}.") from None
    if found.ndim == 1 and len(found) == len(values):
        found = found[:, None]
    try:
        whole = np.broadcast_to(found, values.shape).astype(np.float64)
    except ValueError:
        raise ModelError(f"sigma of {name!r} has the shape {found.shape}, its values {values.shape}.") from None
    if not (np.isfinite(whole).all() and (whole > 0.0).all()):
        raise ModelError(f"standard deviations are positive numbers, not {given!r}.")
    return whole


def unknowns_of(model: Model, vary: Mapping[str, Any] | Sequence[str]) -> list[Unknown]:
    if not isinstance(vary, Mapping | Sequence) or isinstance(vary, str) or not len(vary):
        raise ModelError('vary is a dictionary such as {"bodies.arm.mass": 2.0}, with at least one name.')
    numbers, found = Numbers(model), []
    starts = (
        start_columns(compiled := Compiled.of(model, quiet=True), compiled.state) if any(map(is_start, vary)) else None
    )
    for name, given, together in _each_number(vary, numbers):
        if starts is not None and is_start(name):
            column, space = start_column(name, starts), starts.space
            value, size = float(np.concatenate(space.read(compiled.state))[column]) if space else 0.0, 1.0
        else:
            value, size = numbers.value(name)
        parts = [value, -np.inf, np.inf] if given is None else [given, -np.inf, np.inf]
        if isinstance(given, tuple | list):
            parts = list(given)
        try:
            guess, low, high = (value if x is None else float(x) for x in parts)
        except (TypeError, ValueError):
            guess, low, high = np.nan, np.nan, np.nan
        if not low < guess < high or not np.isfinite(guess):
            raise ModelError(
                f"{name!r}: give a first guess, or (guess, lowest, highest) with the guess between the bounds, not "
                f"{given!r}."
            )
        found.append(Unknown(name, guess, low, high, size or 1.0, together))
    return found


def _each_number(vary: Mapping[str, Any] | Sequence[str], numbers: Numbers) -> Iterator[tuple[str, Any, int]]:
    """Names and guesses, those of an inertia as three moments or six numbers: (name, guess, how many these are)."""
    for name in vary:
        given = vary[name] if isinstance(vary, Mapping) else None
        parts = parts_of(name) if isinstance(name, str) else []
        if not (len(parts) == 3 and parts[0] == "bodies" and parts[2] == "inertia"):
            yield name, given, 0
            continue
        known = numbers.document["bodies"].get(parts[1], {}).get("inertia") if given is None else given
        shape = np.shape(known)
        if given is not None and (shape not in ((3,), (3, 3)) or not np.array_equal(np.transpose(given), given)):
            raise ModelError(
                f"{name!r}: give a first guess of the three moments or of the symmetric tensor (3, 3), or None, not "
                f"{given!r}."
            )
        places = [(k,) for k in range(3)] if shape != (3, 3) else list(UPPER)
        for place in places:
            guess = None if given is None else float(np.asarray(given)[place])
            yield f"{name}.{'.'.join(map(str, place))}", guess, len(places)
