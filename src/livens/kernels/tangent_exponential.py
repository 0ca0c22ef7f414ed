"""Derivatives of rotations B = exp(Θ̂) B₀ and of the rate of Θ, with the coefficients of exponential.py, s = |Θ|²:

δφ = δΘ + d Θ × δΘ + e Θ × (Θ × δΘ) + exp(Θ̂) δφ₀,       d = (1 − cos t)/t²,  e = (t − sin t)/t³,  t = |Θ|        (1)

Θ̇ = Ω − ½ Θ × Ω + κ Θ × (Θ × Ω),     κ = (1 − ½t cot ½t)/t²,
δΘ̇ = δΩ − ½ (δΘ × Ω + Θ × δΩ) + κ (δΘ × (Θ × Ω) + Θ × (δΘ × Ω) + Θ × (Θ × δΩ)) + 2κ′ Θ·δΘ Θ × (Θ × Ω).           (2)
"""

from __future__ import annotations

import math

from .._jit import njit
from .exponential import rotation_coefficients
from .trigonometry import sine_and_cosine
from .vectors import cross, dot


@njit
def derivative_coefficients(s):
    """d, e, κ and κ′ = dκ/ds of (1) and (2) for s = t²."""
    c, d, curve = rotation_coefficients(s)
    if s > 0.25:
        t = math.sqrt(s)
        sine, cosine = sine_and_cosine(0.5 * t)
        slope = 0.25 * (cosine / sine - 0.5 * t / (sine * sine)) / t  # of ½t cot ½t
        return d, (1.0 - c) / s, curve, -(slope + curve) / s
    e = 1.0 - s / 110.0 * (1.0 - s / 156.0 * (1.0 - s / 210.0))
    e = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * e))) / 6.0
    slope = 3.0 / 1209600.0 + s * (4.0 / 47900160.0 + s * (3455.0 / 1307674368000.0 + s * (6.0 / 74724249600.0)))
    return d, e, curve, 1.0 / 720.0 + s * (2.0 / 30240.0 + s * slope)


@njit
def rotation_change(theta, d, e, x):
    """(1) without its last term: the change of the rotation for the change x of Θ."""
    u = cross(theta, x)
    w = cross(theta, u)
    return x[0] + d * u[0] + e * w[0], x[1] + d * u[1] + e * w[1], x[2] + d * u[2] + e * w[2]


@njit
def rate_of_rotation(theta, curve, omega):
    """Θ̇ of (2)."""
    u = cross(theta, omega)
    w = cross(theta, u)
    return (
        omega[0] - 0.5 * u[0] + curve * w[0],
        omega[1] - 0.5 * u[1] + curve * w[1],
        omega[2] - 0.5 * u[2] + curve * w[2],
    )


@njit
def rate_change(theta, curve, slope, omega, x, y):
    """(2) for the changes x of Θ and y of Ω."""
    u = cross(theta, omega)
    w, z, first = cross(theta, u), cross(x, omega), rate_of_rotation(theta, curve, y)
    turned, again = cross(x, u), cross(theta, z)
    c = 2.0 * slope * dot(theta, x)
    return (
        first[0] - 0.5 * z[0] + curve * (turned[0] + again[0]) + c * w[0],
        first[1] - 0.5 * z[1] + curve * (turned[1] + again[1]) + c * w[1],
        first[2] - 0.5 * z[2] + curve * (turned[2] + again[2]) + c * w[2],
    )
