"""Sine, cosine and arctangent against the C library, whose error is below one unit in the last place."""

import math

import numpy as np
import pytest

from livens.kernels.trigonometry import arc_tangent, sine_and_cosine


def units(found, expected):
    """The difference in units in the last place."""
    return abs(found - expected) / math.ulp(expected)


@pytest.mark.parametrize("scale", [1e-200, 1e-8, 1.0, 1e150])
def test_arctangent(scale):
    rng = np.random.default_rng(1)
    worst = 0.0
    for angle in rng.uniform(-math.pi, math.pi, 3000):
        y, x = scale * math.sin(angle), scale * math.cos(angle)
        worst = max(worst, units(arc_tangent(y, x), math.atan2(y, x)))
    for y, x in scale * rng.standard_normal((3000, 2)) * 10.0 ** rng.uniform(-6, 6, (3000, 2)):
        worst = max(worst, units(arc_tangent(y, x), math.atan2(y, x)))
    assert worst <= 2.0


@pytest.mark.parametrize(
    ("y", "x"), [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1), (3, 4), (0, 0)]
)
def test_arctangent_of_special_directions(y, x):
    assert arc_tangent(float(y), float(x)) == pytest.approx(math.atan2(y, x), rel=3e-16, abs=0.0)


def test_arctangent_is_continuous_where_its_branches_meet():
    for t in (0.125, 0.375, 0.625, 0.875, 1.0):
        for near in (math.nextafter(t, 0.0), t, math.nextafter(t, 2.0)):
            assert units(arc_tangent(near, 1.0), math.atan2(near, 1.0)) <= 2.0


@pytest.mark.parametrize("largest", [1e-6, 0.7, 7.0, 1e3, 1e6])
def test_sine_and_cosine(largest):
    rng = np.random.default_rng(2)
    for x in rng.uniform(-largest, largest, 3000):
        s, c = sine_and_cosine(x)
        assert abs(s - math.sin(x)) <= 2.0 * math.ulp(max(abs(math.sin(x)), 1e-10))
        assert abs(c - math.cos(x)) <= 2.0 * math.ulp(max(abs(math.cos(x)), 1e-10))


def test_no_number_gives_no_number():
    assert math.isnan(arc_tangent(math.nan, 1.0))
    assert math.isnan(arc_tangent(1.0, math.nan))
