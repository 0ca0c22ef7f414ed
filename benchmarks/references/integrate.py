"""One integrator for all references: DOP853 with a tolerance near round-off."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

Array = np.ndarray


def integrate(slope: Callable[[float, Array], Array], y: Array, until: float, rtol: float = 1e-13) -> Array:
    """y at t = until of y' = slope(t, y)."""
    found = solve_ivp(slope, (0.0, until), y, method="DOP853", rtol=rtol, atol=rtol, t_eval=[until])
    if not found.success:
        raise ArithmeticError(found.message)
    return found.y[:, -1]
