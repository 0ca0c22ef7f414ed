"""A copy of a model with other parameters: gravity, stiffness, damping, and a spring that pulls a body to a target.

The original model does not change. The copy shares its bodies and its functions, so users' functions that refer to them
remain valid.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ...checks import Array, not_negative, vector
from ...describe.forces.spring import Spring
from ...describe.model import Body, Model
from ...errors import ModelError

PULL_SPRING = "pull"  # the name of the spring that pulls; "pull'", … if the model has such a name already
PULL_PHASE = 0.3  # of the oscillation on that spring in a step, at most [rad]


class Pull(NamedTuple):
    """A spring of rest length zero from a point of a body to a point of the world: body, r [m], target [m], k [N/m]."""

    body: str
    r: tuple[float, float, float]
    target: tuple[float, float, float]
    stiffness: float


@dataclass(frozen=True)
class Parameters:
    """Parameters that may change while a simulation runs; springs, dampers and joints by their names."""

    gravity: tuple[float, float, float]  # [m/s²]
    stiffness: Mapping[str, float] = field(default_factory=dict)  # [N/m] or [N m/rad]
    damping: Mapping[str, float] = field(default_factory=dict)  # [N s/m] or [N m s/rad]
    pull: Pull | None = None

    def with_(
        self,
        stiffness: Mapping[str, float] | None = None,
        damping: Mapping[str, float] | None = None,
        **changes: Any,
    ) -> Parameters:
        """A copy with changes: `gravity`, `pull`, or `stiffness` and `damping` of some names.

        >>> Parameters((0, 0, 0), {"a": 1.0, "b": 2.0}).with_(stiffness={"b": 3.0}).stiffness
        {'a': 1.0, 'b': 3.0}
        """
        k, c = {**self.stiffness, **(stiffness or {})}, {**self.damping, **(damping or {})}
        return replace(self, stiffness=k, damping=c, **changes)


def parameters(model: Model) -> Parameters:
    """The parameters of `model`; joints with one stiffness or damping for each coordinate are not among them.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, density=1000)))
    >>> _ = m.add(lv.Spring(m.world.point(0, 0, 1), ball.point(0, 0, 0), stiffness=5.0, name="spring"))
    >>> parameters(m)
    Parameters(gravity=(0.0, 0.0, -9.81), stiffness={'spring': 5.0}, damping={'spring': 0.0}, pull=None)
    """
    things = [*model.joints, *model.forces]
    stiffness = {thing.name: float(thing.stiffness) for thing in things if isinstance(thing.stiffness, float | int)}
    damping = {thing.name: float(thing.damping) for thing in things if isinstance(thing.damping, float | int)}
    return Parameters(_three(model.gravity), stiffness, damping)


def changed_model(model: Model, wanted: Parameters) -> Model:
    """A copy of `model` with the parameters `wanted`."""
    now = parameters(model)
    memo: dict[int, Any] = {id(body): body for body in model.bodies}
    for joint in model.joints:  # unchanged joints are shared: controllers may refer to them
        same = all(new.get(joint.name) == old.get(joint.name) for new, old in _both(wanted, now))
        if same and not joint.joints:
            memo[id(joint)] = joint
    for thing in [*model.joints, *model.forces]:
        memo |= {id(value): value for value in vars(thing).values() if callable(value)}
    other: Model = copy.deepcopy(model, memo)
    other.gravity = vector(wanted.gravity, "gravity")
    for what, (new, old) in zip(("stiffness", "damping"), _both(wanted, now), strict=True):
        for name in new:
            if name not in old:
                raise ModelError(f"{name!r} has no {what}; {', '.join(old) or 'nothing'} has.")
            if new[name] != old[name]:
                setattr(other[name], what, not_negative(new[name], f"{what} of {name!r}"))
    if wanted.pull is not None:
        pull = wanted.pull
        name = PULL_SPRING
        while name in other._by_name:
            name += "'"
        end = other[pull.body].point(pull.r)
        other.add(Spring(other.world.point(pull.target), end, pull.stiffness, length=0.0, name=name))
    return other


def pull_stiffness(body: Body, model: Model, size: float, h: float) -> float:
    """A stiffness [N/m] for pulling `body`: at an extension of a quarter of `size` [m] the force is three times the
    weight of all bodies; without gravity the body oscillates once a second. The step h [s] limits it (PULL_PHASE)."""
    total = sum(b.mass_properties.mass for b in model.bodies[1:])
    mass = body.mass_properties.mass
    weight = total * float(np.linalg.norm(model.gravity))
    k = 12.0 * weight / size if weight > 0.0 else mass * (2.0 * np.pi) ** 2
    return float(f"{min(k, mass * (PULL_PHASE / h) ** 2):.2g}")


def _both(wanted: Parameters, now: Parameters) -> tuple[tuple[Mapping[str, float], Mapping[str, float]], ...]:
    return (wanted.stiffness, now.stiffness), (wanted.damping, now.damping)


def _three(x: Array) -> tuple[float, float, float]:
    return float(x[0]), float(x[1]), float(x[2])
