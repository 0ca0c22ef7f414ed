"""The derivative of a step of any scheme in joint coordinates, by differences of the step.

They are of eighth order with three spacings; of the two neighbouring results that agree best the first is taken: about
eleven digits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

from ..checks import Array
from .linear_inputs import Inputs
from .rotation_coordinates import RotationCoordinates

STENCIL = ((1, 4.0 / 5.0), (2, -1.0 / 5.0), (3, 4.0 / 105.0), (4, -1.0 / 280.0))  # first derivative, eighth order
SPACINGS = (2e-2, 2e-3, 2e-4)  # of the sizes of changes


def step_matrices(
    step: Callable[[Array], Array],
    rotations: RotationCoordinates,
    x: Array,
    inputs: Inputs,
    sizes: Array,
    efforts: Array,
) -> tuple[Array, Array]:
    """A and B of a step, which maps x = (q, v) to its end; sizes: of changes of x, efforts: of inputs."""
    end, columns = step(x), [np.zeros((0, len(x)))]

    def moved(k: int, s: float) -> Array:
        by = np.zeros(len(x))
        by[k] = s * sizes[k]
        return rotations.difference(step(rotations.moved(x, by)), end)

    def pushed(k: int, s: float) -> Array:
        with inputs.changed(k, s * efforts[k]):
            return rotations.difference(step(x), end)

    A = [_derivative(partial(moved, k))[None] / sizes[k] for k in range(len(x))]
    B = [_derivative(partial(pushed, k))[None] / efforts[k] for k in range(len(efforts))]
    return np.concatenate([*columns, *A]).T, np.concatenate([*columns, *B]).T


def _derivative(f: Callable[[float], Array]) -> Array:
    """f′(0)."""

    def at(e: float) -> Array:
        parts = [weight * (f(n * e) - f(-n * e)) / e for n, weight in STENCIL]
        return np.asarray(sum(parts[1:], parts[0]))

    tries = [at(e) for e in SPACINGS]
    gaps = [float(np.abs(one - two).max(initial=0.0)) for one, two in pairwise(tries)]
    return tries[int(np.argmin(gaps))]
