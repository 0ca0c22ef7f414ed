"""The coefficients of rotations against their power series in exact arithmetic."""

from fractions import Fraction
from math import factorial

import numpy as np
import pytest

from livens.kernels.exponential import rotation_coefficients

EPS = np.finfo(float).eps


def exact(s):
    """sin t/t, (1 − cos t)/t² and (1 − ½t cot ½t)/t² for s = t², by thirty terms; t cot ½t = sin t/(1 − cos t)."""
    s = Fraction(s)
    c, d = (sum((-s) ** k / Fraction(factorial(2 * k + n)) for k in range(30)) for n in (1, 2))
    return c, d, (1 - c / (2 * d)) / s if s else Fraction(1, 12)


@pytest.mark.parametrize("t", [0.0, 1e-12, 1e-4, 0.03, 0.1, 0.2, 0.3, 0.4, 0.4999999, 0.5])
def test_series_are_exact_to_round_off(t):
    found = rotation_coefficients(t * t)
    assert all(abs(Fraction(x) - y) <= 2 * EPS * y for x, y in zip(found, exact(t * t), strict=True))


@pytest.mark.parametrize("t", [0.5000001, 0.6, 1.0, 2.0, 3.0, np.pi])
def test_closed_forms(t):
    """The third coefficient is a difference, and the first vanishes at half a turn."""
    c, d, curve = (abs(Fraction(x) - y) for x, y in zip(rotation_coefficients(t * t), exact(t * t), strict=True))
    assert max(c, d) <= 2 * EPS
    assert curve <= 4 * EPS / t**2
