"""Sine, cosine and arctangent from additions, multiplications and divisions alone.

The functions of a C library differ in the last bit between systems, and from those of a graphics card. These do not,
so that motions have the same bits everywhere. Errors are about one unit in the last place.

    atan t = atan c + atan u,   u = (t − c)/(1 + c t),   c = 0, ¼, ½, ¾ or 1, whichever is nearest to t ≤ 1        (1)
    x = k π/2 + r,  |r| ≤ π/4;   sin r and cos r by their series                                                   (2)

Numbers such as atan c and π/2 are sums of two or three parts, as far as one double is not enough.
"""

from __future__ import annotations

import math

from .._jit import njit

QUARTER_LOW = 6.123233995736766e-17  # π/2 − the double nearest to it
HALF_LOW = 1.2246467991473532e-16  # π − the double nearest to it
ATAN_1_4, ATAN_1_4_LOW = 0.24497866312686414, 1.0698755618734451e-17
ATAN_1_2, ATAN_1_2_LOW = 0.4636476090008061, 2.2698777452961687e-17
ATAN_3_4, ATAN_3_4_LOW = 0.6435011087932844, 1.5834785051444286e-17
ATAN_1, ATAN_1_LOW = 0.7853981633974483, 3.061616997868383e-17
# their sum is π/2, and products of the first two with k < 2²⁰ are exact
PART_1, PART_2, PART_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
LARGEST_ANGLE = 1e15  # [rad]: larger ones have no digits after the point
A3, A5, A7, A9, A11, A13, A15, A17, A19 = (1.0 / k for k in range(3, 20, 2))
S2, S4, S6, S8, S10, S12, S14, S16 = (1.0 / (k * (k + 1)) for k in range(2, 17, 2))
C1, C3, C5, C7, C9, C11, C13, C15 = (1.0 / (k * (k + 1)) for k in range(1, 16, 2))


@njit
def arc_tangent(y, x):
    """The angle of the direction (x, y), from −π to π [rad], by (1); 0 for (0, 0)."""
    ax, ay = abs(x), abs(y)
    steep = ay > ax
    far, near = (ay, ax) if steep else (ax, ay)
    if far == 0.0:
        return 0.0
    t = near / far
    if t < 0.125:
        c, high, low = 0.0, 0.0, 0.0
    elif t < 0.375:
        c, high, low = 0.25, ATAN_1_4, ATAN_1_4_LOW
    elif t < 0.625:
        c, high, low = 0.5, ATAN_1_2, ATAN_1_2_LOW
    elif t < 0.875:
        c, high, low = 0.75, ATAN_3_4, ATAN_3_4_LOW
    else:
        c, high, low = 1.0, ATAN_1, ATAN_1_LOW
    u = (near - c * far) / (far + c * near) if c > 0.0 else t
    z = u * u
    series = A3 - z * (A5 - z * (A7 - z * (A9 - z * (A11 - z * (A13 - z * (A15 - z * (A17 - z * A19)))))))
    angle = high + (low + (u - u * z * series))
    if steep:
        angle = 0.5 * math.pi - (angle - QUARTER_LOW)
    if x < 0.0:
        angle = math.pi - (angle - HALF_LOW)
    return -angle if y < 0.0 else angle


@njit
def sine_and_cosine(x):
    """sin x and cos x by (2), for |x| up to LARGEST_ANGLE; above a million [rad] digits are lost."""
    k = math.floor(x / (0.5 * math.pi) + 0.5)
    r = ((x - k * PART_1) - k * PART_2) - k * PART_3
    z = r * r
    s = 1.0 - z * S10 * (1.0 - z * S12 * (1.0 - z * S14 * (1.0 - z * S16)))
    s = r - r * z * S2 * (1.0 - z * S4 * (1.0 - z * S6 * (1.0 - z * S8 * s)))
    c = 1.0 - z * C9 * (1.0 - z * C11 * (1.0 - z * C13 * (1.0 - z * C15)))
    c = 1.0 - z * C1 * (1.0 - z * C3 * (1.0 - z * C5 * (1.0 - z * C7 * c)))
    quarter = k - 4.0 * math.floor(0.25 * k)
    if quarter == 0.0:
        return s, c
    if quarter == 1.0:
        return c, -s
    if quarter == 2.0:
        return -s, -c
    return -c, s
