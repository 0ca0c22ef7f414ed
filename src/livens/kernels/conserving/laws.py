"""Forces along measures: minus the divided difference of an energy, −(V(s₁) − V(s₀))/(s₁ − s₀), without cancellation.

A ROTATION of a ball joint, θ, has its forces along u = 1 − cos θ. With x = ½ (θ₀ + θ₁) and y = ½ (θ₁ − θ₀),

    u₁ − u₀ = 2 sin x sin y,      ½ k (θ₁² − θ₀²)/(u₁ − u₀) = k (x/sin x)(y/sin y)                               (1)
"""

from __future__ import annotations

from ..._jit import njit
from ..coordinates import overshoot
from ..kinds import ROTATION
from ..trigonometry import sine_and_cosine
from .arrays import ATTRACTION_LAW, COORDINATE_LAW, SPRING_LAW
from .measures import stretch

SMALL_TURN = 1e-3  # rad; below it a derivative is that at zero
SMALLEST_SINE = 1e-6  # of an angle that is not half a turn


@njit
def follow_rotation(stiffness, stop, limit, s0, s1):
    """The force along u of a ROTATION_ANGLE by (1), and its derivative with respect to u₁; likewise of its stop."""
    x, y = 0.5 * (s0 + s1), 0.5 * (s1 - s0)
    f, df = stretch(x)
    g, dg = stretch(y)
    sine, cosine = sine_and_cosine(s1)
    sine = max(sine, SMALLEST_SINE)
    F = -stiffness * f * g
    slope = -stiffness * (0.5 * (df * g + f * dg) / sine if s1 > SMALL_TURN else 1.0 / 6.0)
    o0, o1 = max(0.0, s0 - limit), max(0.0, s1 - limit)
    if stop > 0.0 and o0 + o1 > 0.0:
        across, _ = sine_and_cosine(x)
        along, _ = sine_and_cosine(y)
        across = max(across, SMALLEST_SINE)
        if o0 > 0.0 and o1 > 0.0:
            secant = 0.5 * stop * (o0 + o1) * g / across
        else:
            secant = 0.25 * stop * (o1 * o1 - o0 * o0) / (across * along)
        F -= secant
        if abs(y) > SMALL_TURN:
            slope -= (stop * o1 / sine - secant) / (2.0 * across * along)
        else:
            slope -= 0.5 * stop * (1.0 - o1 * cosine / sine) / (sine * sine)
    return F, slope


@njit
def follow_law(springs, pairs, coordinates, law, k, s0, s1, signals, before, row):
    """The force along a measure and its derivative with respect to s₁: minus the divided difference of the energy."""
    if law == SPRING_LAW:
        if springs.length[k] == 0.0:
            return -springs.stiffness[k], 0.0
        return -springs.stiffness[k] * (0.5 * (s0 + s1) - springs.length[k]), -0.5 * springs.stiffness[k]
    if law == ATTRACTION_LAW:
        F = -pairs.strength[k] / (s0 * s1)
        return F, -F / s1
    F = slope = 0.0
    if law == COORDINATE_LAW and coordinates.kind[k] == ROTATION:
        F, slope = follow_rotation(coordinates.stiffness[k], coordinates.stop[k], coordinates.limit[k, 1], s0, s1)
    elif law == COORDINATE_LAW:
        F, slope = (
            -coordinates.stiffness[k] * (0.5 * (s0 + s1) - coordinates.rest[k]),
            -0.5 * coordinates.stiffness[k],
        )
        if coordinates.stop[k] > 0.0:
            o0, o1, stop = overshoot(coordinates, k, s0), overshoot(coordinates, k, s1), coordinates.stop[k]
            if o0 * o1 > 0.0 and abs((o1 - o0) - (s1 - s0)) <= 1e-9 * abs(o0 + o1):  # beyond the same stop
                F, slope = F - 0.5 * stop * (o0 + o1), slope - 0.5 * stop
            elif o0 != 0.0 or o1 != 0.0:
                secant = 0.5 * stop * (o1 * o1 - o0 * o0) / (s1 - s0)
                F, slope = F - secant, slope - (stop * o1 - secant) / (s1 - s0)
        if coordinates.signal[k] >= 0:
            F += 0.5 * (signals[before, coordinates.signal[k]] + signals[row, coordinates.signal[k]])
    return F, slope
