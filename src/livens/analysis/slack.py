"""Equilibria from a start in which cables are slack, so that nothing holds them there and Newton's method fails.

Cables whose stiffness EA is at most SOFT times the load W stretch much, and a search for the least energy finds their
shape from any start. From there EA grows by FACTOR or less to its value, and Newton's method follows:

    EA_k = min(EA, SOFT W FACTORᵏ),      W = Σ m g + Σ |loads|.                                                  (1)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..compile.compiled import Compiled
from ..compile.signals import Signals
from ..describe.model import Model
from ..errors import ModelError
from ..kernels.arrays import State
from .load_path import LoadPath

SOFT, FACTOR = 10.0, 4.0


def follow_loads(path: LoadPath, model: Model, steps: int, search: Callable[[Compiled], State]) -> State:
    """The equilibrium of `path`, the load path of `model`, in this number of load steps or more, or by (1) where cables
    are slack. search: finds the least energy of a model of the same bodies."""
    try:
        return path.find(steps)
    except ModelError:
        force = SOFT * load_of(model)
        if not path.pulls.any() or force <= 0.0:
            raise
    state = search(Compiled.of(softened(model, force) or model, quiet=True))
    while (softer := softened(model, FACTOR * force)) is not None:
        force *= FACTOR
        state = LoadPath(Compiled.of(softer, quiet=True), state).settle()
    return path.settle(state)


def softened(model: Model, force: float) -> Model | None:
    """The model with stiffnesses of cables of at most `force` [N]; None if they are less."""
    things = [*model.joints, *model.forces]
    softer = [thing.softened(force) for thing in things]
    changed = any(one is not other for one, other in zip(things, softer, strict=True))
    return model.with_things(softer) if changed else None


def load_of(model: Model) -> float:
    """W of (1) [N]."""
    weight = sum(body.mass_properties.mass for body in model.bodies[1:]) * float(np.linalg.norm(model.gravity))
    signals = Signals(model)
    table = signals.table(np.zeros(1))[0]
    return weight + float(sum(np.linalg.norm(table[k : k + 3]) for _, _, k in signals.loads))
