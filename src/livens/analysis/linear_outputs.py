"""The outputs of a linearisation, y(x, u), and their derivatives C and D.

Coordinates and points have exact derivatives (rates_of_changes.py), and inputs do not change them at once. Functions of
a motion of one state are differentiated by differences of sixth order: at states that are moved by small parts of unit
changes of x (moved_states.py), and at inputs that are changed by small parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from inspect import isfunction
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from ..checks import Array, accepts, nearest
from ..compile.compiled import Compiled
from ..compile.joint_space import Space
from ..describe.body import Body, Point
from ..describe.controller import Sensor
from ..describe.model import Model
from ..describe.thing import Thing
from ..errors import ModelError
from ..record.trajectory import Trajectory
from .linear_inputs import Inputs
from .linear_system import with_unit
from .moved_states import SMALL, derivative, moved, refuse_not_numbers
from .rates_of_changes import CoordinateOutput, ExactOutput, PointOutput, RatesOfChanges

INPUT_PART = 1e-2  # of the input that accelerates as much as the motion does: spacing in differences
Output = ExactOutput | Callable[[Trajectory], Array]


class Place(NamedTuple):
    """The state, as unit changes and as a motion."""

    exact: RatesOfChanges
    inputs: Inputs
    driven: Compiled
    now: Callable[[], Trajectory]  # the motion of this state alone, with the inputs as they are
    sizes: Array  # of changes of x (2m,)
    efforts: Array  # sizes of inputs


def output_matrices(place: Place, given: Sequence[Any] | None) -> tuple[list[str], Array, Array]:
    """The names of all outputs, C and D."""
    k, names = len(place.inputs.names), list[str]()
    C, D = [np.zeros((0, len(place.sizes)))], [np.zeros((0, k))]
    for known, read in _outputs(place.exact.space.space, place.inputs.original, given):
        if isinstance(read, ExactOutput):
            C.append(read(place.exact))
            D.append(np.zeros((len(C[-1]), k)))
        else:
            C.append(_by_states(place, read))
            D.append(_by_inputs(place, read))
        single = len(known) == len(C[-1])
        for name in known if single else [f"{known[0]}.{n}" for n in range(len(C[-1]))]:
            names.append(_distinct(name, names))
    return names, np.concatenate(C), np.concatenate(D)


# ── which ──


def _outputs(space: Space, model: Model, given: Sequence[Any] | None) -> Iterator[tuple[list[str], Output]]:
    """The names of the numbers of every output with their units, and its exact derivative or, where that is not known,
    its function of a motion of one state; the unit of a function is not known."""
    if given is None:
        yield from ((_names(space, [k]), CoordinateOutput([k])) for k in space.independent.tolist())
        return
    if not isinstance(given, Sequence) or isinstance(given, str | tuple):
        raise ModelError(f"outputs are a list, such as [{given!r}].")
    for x in given:
        thing, part = x if isinstance(x, tuple) and len(x) == 2 else (x, None)
        thing = _measured(model, thing)
        named = [k for k, one in enumerate(space.every) if part is None and isinstance(x, str) and one.name == x]
        if isinstance(thing, Thing) and thing.coordinates:
            yield _of_joint(space, thing, part)
        elif isinstance(thing, Point | Body) and part is None:
            yield _of_point(model, thing)
        elif named:
            yield _names(space, named), CoordinateOutput(named)
        elif callable(thing):
            if not accepts(thing, 1):
                raise ModelError(
                    f"an output is a function of the motion, such as lambda now: now.energy, not {thing!r}."
                )
            name = thing.__name__.replace("<lambda>", "output") if isfunction(thing) else "output"
            yield [name], partial(_value, thing)
        elif isinstance(x, str):
            _ = model[x]  # an error that names the nearest
            raise ModelError(f"{x!r} has no coordinate: an output is a joint with one, a point, a body or a function.")
        else:
            raise ModelError(f"an output is a joint with a coordinate, a point, a body or a function, not {x!r}.")


def _names(space: Space, some: Sequence[int]) -> list[str]:
    return [with_unit(space.every[k].name, space.every[k].unit) for k in some]


def _measured(model: Model, x: Any) -> Any:
    """What a sensor measures, or the thing of a name."""
    thing = model.find(x) or x
    if not isinstance(thing, Sensor):
        return thing
    if thing.delay > 0.0:
        raise ModelError(
            f"a sensor with a delay of {thing.delay:g} s measures the past, which does not follow from the state: "
            "linearize with a sensor without delay, and add the delay to the linear system."
        )
    return _measured(model, thing.of)


def _of_joint(space: Space, joint: Thing, part: str | None) -> tuple[list[str], Output]:
    """The coordinates of a joint, or one of them."""
    parts = [q.part for q in joint.coordinates]
    if part is not None and part not in parts:
        raise ModelError(f"{joint.label} has no coordinate {part!r}; {nearest(str(part), parts)}")
    chosen = [q for q in joint.coordinates if part in (None, q.part)]
    number = {id(one.q): k for k, one in enumerate(space.every)}
    some = [number.get(id(q), -1) for q in chosen]
    known = [with_unit(q.name, q.unit) for q in chosen]
    if min(some) >= 0:
        return known, CoordinateOutput(some)
    return known, partial(_coordinates, joint.name, [joint.coordinates.index(q) for q in chosen])


def _of_point(model: Model, what: Point | Body) -> tuple[list[str], Output]:
    name = what.name if isinstance(what, Body) else f"point of {what.body.name}"
    place = what if isinstance(what, Point) else what.point(0.0, 0.0, 0.0)
    if place.body is not model.world and place.body not in model:
        raise ModelError(f"the output {what!r} is not of this model.")
    return [with_unit(f"{name}.{part}", "m") for part in "xyz"], PointOutput(place)


def _coordinates(joint: str, some: list[int], now: Trajectory) -> Array:
    return np.ravel(now.coordinate(joint))[some]


def _value(function: Callable[[Trajectory], Any], now: Trajectory) -> Array:
    found = function(now)
    try:
        return np.ravel(found).astype(np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"an output must give a number or an array of numbers, not {found!r}.") from None


def _distinct(name: str, names: Sequence[str]) -> str:
    """A name that is not among others: the same with a number, if it is."""
    free = (f"{name} {k}" for k in count(2))
    return name if name not in names else next(one for one in free if one not in names)


# ── differences ──


def _by_states(place: Place, f: Callable[[Trajectory], Array]) -> Array:
    """∂f/∂x of a function of a motion of one state."""
    motion = place.now()
    columns = [np.zeros((0, len(f(motion))))]
    for k, size in enumerate(place.sizes.tolist()):
        change = np.stack([place.exact.dq[..., k], place.exact.dp[..., k]])[None]
        at = partial(_moved_value, place, f, motion, change)
        columns.append(derivative(at, SMALL * size, size)[None])
    found = np.concatenate(columns).T
    refuse_not_numbers(found, lambda: f(motion))
    return found


def _moved_value(place: Place, f: Callable[[Trajectory], Array], motion: Trajectory, change: Array, c: float) -> Array:
    return f(moved(motion, place.driven, c, change))


def _by_inputs(place: Place, f: Callable[[Trajectory], Array]) -> Array:
    """∂f/∂u of a function of a motion of one state."""
    columns = [np.zeros((0, len(f(place.now()))))]
    for k, size in enumerate(place.efforts.tolist()):
        columns.append(derivative(partial(_pushed_value, place, f, k), INPUT_PART * size, size)[None])
    return np.concatenate(columns).T


def _pushed_value(place: Place, f: Callable[[Trajectory], Array], k: int, u: float) -> Array:
    with place.inputs.changed(k, u):
        return f(place.now())
