"""Derivatives of rotations against differences, for angles on both sides of where the series end."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from livens.kernels.tangent_exponential import (
    derivative_coefficients,
    rate_change,
    rate_of_rotation,
    rotation_change,
)

STENCIL = ((1, 4.0 / 5.0), (2, -1.0 / 5.0), (3, 4.0 / 105.0), (4, -1.0 / 280.0))  # first derivative, eighth order
SIZES = [0.0, 1e-9, 0.03, 0.4999, 0.5001, 1.3, 3.0]


def directional(f, e=1e-2):
    return sum(w * (f(n * e) - f(-n * e)) for n, w in STENCIL) / e


@pytest.mark.parametrize("size", SIZES)
def test_the_change_of_a_rotation(size):
    rng = np.random.default_rng(int(1e3 * size))
    theta, x = rng.normal(size=(2, 3))
    theta *= size / np.linalg.norm(theta)
    d, e, _, _ = derivative_coefficients(float(theta @ theta))
    B = Rotation.from_rotvec(theta)
    expected = directional(lambda c: (Rotation.from_rotvec(theta + c * x) * B.inv()).as_rotvec())
    assert np.array(rotation_change(tuple(theta), d, e, tuple(x))) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("size", SIZES)
def test_the_change_of_the_rate(size):
    rng = np.random.default_rng(int(1e3 * size) + 1)
    theta, omega, x, y = rng.normal(size=(4, 3))
    theta *= size / np.linalg.norm(theta)

    def rate(c):
        here = theta + c * x
        _, _, curve, _ = derivative_coefficients(float(here @ here))
        return np.array(rate_of_rotation(tuple(here), curve, tuple(omega + c * y)))

    _, _, curve, slope = derivative_coefficients(float(theta @ theta))
    found = rate_change(tuple(theta), curve, slope, tuple(omega), tuple(x), tuple(y))
    assert np.array(found) == pytest.approx(directional(rate, 1e-3 if size > 2.0 else 5e-3), abs=1e-11)
