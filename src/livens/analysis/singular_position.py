"""Singular positions: where the joints of a mechanism with loops allow more velocities than near by.

There the gradients G of the constraint equations, scaled with the masses and with their own lengths, lose rank. A
mechanism such as a four-bar that lies flat can leave the position on several branches, so that mass matrix and
linearisation in joint coordinates mean nothing.
"""

from __future__ import annotations

import numpy as np

from ..compile.compiled import Compiled
from ..compile.states import copied
from ..compile.system import inverse_masses
from ..errors import ModelError
from ..kernels.arrays import State

SINGULAR = 1e-9  # smallest singular value of the scaled gradients over the largest
MOST = 2000  # equations that are examined: singular values take their cube


def refuse_singular(compiled: Compiled, state: State, t: float = 0.0) -> None:
    """Raise a ModelError if a mechanism stands in a singular position at a state."""
    system = compiled.system
    fit = compiled.assembly(copied(state), t)
    if not 0 < len(fit.hard) <= MOST:
        return
    fit.evaluate_jacobian()
    G = fit.jacobian()[fit.hard] * np.sqrt(inverse_masses(system.bodies))
    G = G / np.linalg.norm(G, axis=1, keepdims=True)
    values = np.linalg.svd(G, compute_uv=False)
    more = int((values < SINGULAR * values.max(initial=0.0)).sum()) + max(0, G.shape[0] - G.shape[1])
    if more:
        raise ModelError(
            f"model {compiled.model.name!r} stands in a singular position, where its joints allow {more} more "
            f"{'velocity' if more == 1 else 'velocities'} than near by: joint coordinates do not determine its motion "
            "there. Move it a little."
        )
