"""The small size of `python -m benchmarks.long_runs`: what it measures is of the size that round-off has."""

import numpy as np
import pytest

from benchmarks import long_runs


def test_a_free_body_makes_a_random_walk_of_roundings(tmp_path):
    steps = 200_000
    motion = long_runs.run(long_runs.free_body(), 1e-2, steps, tmp_path / "free-body.nc")
    largest = long_runs.numbers(motion)["largest"]
    for name in ("energy", "angular momentum", "BᵀB − I"):
        assert 0.0 < largest[name] <= 8 * np.sqrt(steps) * 2.0**-53
    assert largest["place"] <= steps * 2.0**-53
    long_runs.draw(motion, tmp_path / "soak.png")
    assert (tmp_path / "soak.png").stat().st_size > 10_000


def test_a_double_pendulum_stays_closed_and_in_its_band(tmp_path):
    steps = 50_000
    found = long_runs.numbers(long_runs.run(long_runs.double_pendulum(), 2e-3, steps, tmp_path / "double-pendulum.nc"))
    assert found["largest"]["|g| [m]"] <= 1e-12
    assert found["largest"]["|G v| [m/s]"] <= 1e-13
    assert 1e-6 < found["energy band"] < 1e-2
    assert abs(found["energy slope, bands per run"]) <= 6 * found["its standard error"]


@pytest.mark.parametrize(("power", "error"), [(0.5, np.sqrt), (1.0, np.abs)])
def test_the_power_of_growth(power, error):
    assert long_runs.growth(1e-16 * error(np.arange(2000.0))) == pytest.approx(power, abs=1e-6)
