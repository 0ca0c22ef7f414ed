"""Convex hulls of points as shapes."""

import numpy as np
import pytest

import livens as lv


def test_a_hull_of_the_corners_of_a_box_is_the_box():
    rng = np.random.default_rng(3)
    sides, turn, shift = rng.uniform(0.2, 2.0, 3), lv.Pose.from_axis_angle(rng.normal(size=3), 1.1), rng.normal(size=3)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * sides / 2
    inside = rng.uniform(-0.5, 0.5, (20, 3)) * sides
    found = lv.convex_hull(np.concatenate([corners, inside]) @ turn.B.T + shift, density=700.0).mass_properties
    box = lv.Box(*sides, density=700.0).mass_properties
    assert found.mass == pytest.approx(box.mass, rel=1e-12)
    assert found.center == pytest.approx(shift, abs=1e-12)
    assert np.abs(turn.B.T @ found.inertia @ turn.B - box.inertia).max() < 1e-11 * box.inertia.max()


FLAT = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]


@pytest.mark.parametrize("points", ["abc", [(0, 0, 0)], [(0, 0)], [(0, 0, np.nan)] * 5, FLAT])
def test_points_without_volume_are_refused(points):
    with pytest.raises(lv.ModelError):
        lv.convex_hull(points, density=1.0)
