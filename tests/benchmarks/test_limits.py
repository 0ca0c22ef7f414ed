"""The claims of docs/limits.md, with small sizes of benchmarks/limits.py."""

import numpy as np
import pytest

import livens as lv
from benchmarks import limits

EPS = np.finfo(float).eps


def numbers(table, column):
    return [float(row[column]) for row in table.rows]


def test_dampers_are_stable_at_any_rate_and_accurate_up_to_ten():
    """Each step multiplies the deviation from the steady velocity by (1 − hc/2m)/(1 + hc/2m)."""
    table = limits.dampers((0.01, 0.1, 1.0, 10.0, 1e3, 1e6))
    error = numbers(table, 1)
    assert max(error[:4]) <= 0.03
    assert 0.5 < error[4] < 1.0
    assert 0.9 < error[5] < 1.1  # twice as far: stable, and wrong
    expected = [abs((1 - x / 2) / (1 + x / 2)) ** 99 for x in (1e3, 1e6)]
    assert numbers(table, 2)[4:] == pytest.approx(expected, rel=0.1)


def test_explicit_schemes_need_short_steps_for_dampers():
    error = numbers(limits.dampers((3.0, 10.0), lv.RungeKutta(8)), 1)
    assert error[0] < 1e-12
    assert error[1] > 1e3


def test_mass_ratios():
    found = {row[0]: row[1:] for row in limits.mass_ratios((1e-6, 1e2, 1e3, 1e9), (1e-3,)).rows}
    assert all(float(bar) <= 1e-5 for bar, _ in found.values())
    assert float(found["1e+02"][1]) <= 2e-3
    assert found["1e+03"][1].startswith("stops")
    assert found["1e+09"][1].startswith("stops")


def test_distances_from_the_origin():
    """The round-off of positions, 1e-16 of the distance, in a few terms."""
    violation = numbers(limits.distances((0.0, 1e3, 1e6), until=0.2), 1)
    assert violation[0] <= 1e-13
    assert violation[1] <= 5e-12
    assert violation[2] <= 5e-9


def test_slender_bodies():
    """Livens at order 6 takes 150 steps of 13 stages, and the momentum along the rod has the round-off of the whole."""
    rows = np.array([[float(cell) for cell in row] for row in limits.slender((1.0, 1e-4, 1e-9)).rows])
    assert (rows[:, 1] <= 3e-3).all()
    assert (rows[:, 2] <= 1e-12 + np.sqrt(150 * 13) * EPS / rows[:, 0]).all()
    assert (rows[:, 3] <= 1e-7).all()
    assert (rows[:, 4] <= 1e-13).all()


def test_the_energy_at_stops_walks_less_with_shorter_steps():
    """A tenth of the long run is enough to show it."""
    long, short = (np.abs(limits.bouncing(h, 200_000) - 1.0).max() for h in (1e-3, 2e-4))
    assert short < 0.01
    assert long > 5.0 * short
