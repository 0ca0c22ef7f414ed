"""Floquet multipliers: whether a periodic motion is stable.

A motion that returns to its start after the period T maps a small change δx of the start to A δx after one period. The
eigenvalues μ of A are its multipliers: changes grow where |μ| > 1. Their logarithms over T are the exponents,

    μ = exp(σ T),        growth rate Re σ,        frequency Im σ  (up to multiples of 2π/T).                         (1)

Of a conservative system they come in pairs μ, 1/μ. If neither loads nor prescribed motions depend on time, one
multiplier is 1: the change along the motion itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..checks import positive
from ..compile.joint_space import space_of
from ..errors import ModelError
from ..record.trajectory import Trajectory
from .moved_states import size_of
from .tangent import Tangent

LEAST = 1e-6  # of a radian, or of the size of the mechanism: motions that are smaller count as this large


def floquet(motion: Trajectory, tolerance: float = 1e-3) -> Floquet:
    """The Floquet multipliers of a periodic motion, from its start to its end: one period.

    tolerance: the largest difference of joint coordinates [rad or m] and rates, over the largest in the motion, between
    the start and the end; whole turns do not count.

    >>> import livens as lv, numpy as np
    >>> m = lv.Model()
    >>> cart = m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), name="cart"))
    >>> rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=(1, 0, 0), name="rail"))
    >>> field = m.add(lv.Energy(lambda b, t: (2.0 + lv.cos(t)) * b[cart].position[0] ** 2 / 2, bodies=[cart]))
    >>> lv.floquet(lv.simulate(m, lv.Livens(order=6), h=0.01, until=2 * np.pi)).stable  # Mathieu's equation at rest
    True
    """
    if not isinstance(motion, Trajectory):
        raise ModelError(f"Floquet multipliers are those of a motion, not of {motion!r}.")
    positive(tolerance, "tolerance")
    tangent = motion.tangent()
    if not tangent.A.shape[1]:
        raise ModelError(f"model {motion.model.name!r} has no degrees of freedom, so its motion has no multipliers.")
    A = tangent.A[-1]
    _check_returns(motion, tolerance)
    return Floquet(tangent, np.linalg.eigvals(A), float(motion.t[-1] - motion.t[0]))


class Floquet:
    """Multipliers of a periodic motion, the largest first; see `lv.floquet`.

    `multipliers` and `exponents` [1/s] (m,); `period` [s]; `tangent`: the tangent of the motion.
    """

    def __init__(self, tangent: Tangent, multipliers: NDArray[np.complex128], period: float):
        order = np.argsort(-np.abs(multipliers), kind="stable")
        self.tangent, self.period = tangent, period
        self.multipliers = np.asarray(multipliers[order], dtype=np.complex128)
        with np.errstate(divide="ignore"):
            self.exponents = np.log(self.multipliers) / period

    @property
    def stable(self) -> bool:
        """True if no change grows: no multiplier is larger than 1 by more than the round-off of a double one."""
        return bool(np.abs(self.multipliers).max(initial=0.0) <= 1.0 + 1e-6)

    def __repr__(self) -> str:
        found = ", ".join(f"{x:.6g}" for x in self.multipliers[:6])
        return f"Floquet({'stable' if self.stable else 'unstable'}; period {self.period:.6g} s; {found})"


def _check_returns(motion: Trajectory, tolerance: float) -> None:
    """Raise a ModelError if a motion does not end where it began. Where all stored values are those of its ends, they
    do not show how far it moves: then changes are relative to a radian, or the size of the mechanism, and to that over
    the period; otherwise to a millionth of these at least."""
    q, v, period = motion.q, motion.v, float(motion.t[-1] - motion.t[0])
    turn = np.round((q[-1] - q[0]) / (2.0 * np.pi)) * 2.0 * np.pi
    angles = np.array([one.unit == "rad" for one in space_of(motion.compiled).every], dtype=np.bool_)
    changes = (q[-1] - q[0] - np.where(angles, turn, 0.0), v[-1] - v[0])
    sizes = np.where(angles, 1.0, size_of(motion.system, motion.record.a)) * (1.0 if len(motion) == 2 else LEAST)
    for change, values, size, of in zip(changes, (q, v), (sizes, sizes / period), ("", "rate of "), strict=True):
        excess = np.abs(change) / np.maximum(size, np.abs(values).max(initial=0.0) or 1e-300)
        k = int(excess.argmax())
        if excess[k] > tolerance:
            raise ModelError(
                f"the motion is not periodic: {of}{motion.names[k]} differs by {change[k]:.2g} after {period:.6g} s. "
                "Simulate exactly one period, from a start that returns."
            )
