"""The coefficients of the rotation exp(Θ̂) and of the rate of its rotation vector Θ, |Θ| = t:

    exp(Θ̂) = I + sin t/t Θ̂ + (1 − cos t)/t² Θ̂²,      Θ̇ = Ω − ½ Θ × Ω + (1 − ½t cot ½t)/t² Θ × (Θ × Ω)              (1)

Their power series in t² need no root, no division and no trigonometric function, and have no difference of nearly
equal numbers. Up to half a radian a few terms are exact to round-off.
"""

from __future__ import annotations

import math

from .._jit import njit
from .trigonometry import LARGEST_ANGLE, sine_and_cosine

# reciprocals of k (k + 1), the ratios of successive terms of sin t/t and (1 − cos t)/t²
R6, R20, R42, R72, R110, R156, R210 = (1.0 / (k * (k + 1)) for k in range(2, 15, 2))
R30, R56, R90, R132, R182 = (1.0 / (k * (k + 1)) for k in range(5, 14, 2))
R24 = 1.0 / 24.0


@njit
def rotation_coefficients(s):
    """The three coefficients of (1) for s = t²."""
    if s > LARGEST_ANGLE * LARGEST_ANGLE:
        return math.nan, math.nan, math.nan
    if s > 0.25:
        t = math.sqrt(s)
        sine, cosine = sine_and_cosine(0.5 * t)
        return 2.0 * sine * cosine / t, 2.0 * sine * sine / s, (1.0 - 0.5 * t * cosine / sine) / s
    c = 1.0 - s * R72 * (1.0 - s * R110 * (1.0 - s * R156 * (1.0 - s * R210)))
    c = 1.0 - s * R6 * (1.0 - s * R20 * (1.0 - s * R42 * c))
    d = 1.0 - s * R56 * (1.0 - s * R90 * (1.0 - s * R132 * (1.0 - s * R182)))
    d = 0.5 - s * R24 * (1.0 - s * R30 * d)
    curve = 1.0 / 1209600.0 + s * (1.0 / 47900160.0 + s * (691.0 / 1307674368000.0 + s * (1.0 / 74724249600.0)))
    curve = 1.0 / 12.0 + s * (1.0 / 720.0 + s * (1.0 / 30240.0 + s * curve))
    return c, d, curve
