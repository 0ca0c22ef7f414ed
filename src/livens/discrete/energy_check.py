"""The energy check of a run of a Lagrangian system, by the rule of run/energy_check.py.

The error of the energy balance, e = E − E₀ − work + lost, is constant up to the error of the scheme. Its width is
compared with the largest energy exchanged: that of ½ p·v, which is the kinetic energy if it is quadratic, of the
changes of E − ½ p·v, of the work and of the energy lost. A scheme that neither is variational nor conserves
the energy exactly may dissipate on purpose: then only growth counts, max e(t) − e(s) over s < t.
"""

from __future__ import annotations

import warnings
from contextlib import suppress

import numpy as np

from ..checks import Array
from ..errors import LivensError, ModelWarning
from ..run.energy_check import ENERGY_TOLERANCE, FEWEST_STATES, ROUND_OFF, STATES, energy_error_text
from .run import Run
from .scheme import scheme_of


def energy_error(run: Run) -> float:
    """The width or the growth of e relative to the largest energy exchanged, from some of the stored states."""
    some = run.thinned(max(1, -(-len(run) // STATES)))
    e, T = some.imbalance, 0.5 * np.einsum("ij,ij->i", some.p, some.v)
    V = some.energy - T
    scale = max(
        float(np.abs(T).max()), float(np.ptp(V)), float(np.abs(some.work).max()), float(np.abs(some.lost).max())
    )
    scheme = scheme_of(run.scheme)
    width = float(np.ptp(e)) if scheme.variational or scheme.exact_energy else _growth(e)
    return width / scale if width > ROUND_OFF * max(scale, float(np.abs(V).max())) else 0.0


def _growth(e: Array) -> float:
    return float((e - np.minimum.accumulate(e)).max())


def warn_of_energy_error(run: Run) -> None:
    """Warn, once, if the energy error of a finished run is above the tolerance."""
    if len(run) < FEWEST_STATES:
        return
    with suppress(LivensError):  # a state at which the equations of motion are singular has no energy error
        error = energy_error(run)
        if error > ENERGY_TOLERANCE:
            warnings.warn(
                f"{run.scheme!r}: {energy_error_text(error)}; h = {run.h:g} s is too long for this motion: "
                f"try h = {run.h / 4:.1g}.",
                ModelWarning,
                stacklevel=3,
            )
