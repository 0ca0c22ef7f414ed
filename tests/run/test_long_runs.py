"""The small size of `python -m benchmarks.long_runs`: the errors have the size of round-off."""

import numpy as np
import pytest

import livens as lv
from benchmarks import long_runs as soak


def test_round_off_of_a_free_body_is_a_random_walk_unless_sums_are_compensated(tmp_path):
    steps, model = 200_000, soak.free_body()
    plain = soak.run(model, lv.Livens(), 1e-2, steps, tmp_path / "plain.nc")
    largest = soak.numbers(plain)["largest"]
    for name in ("energy", "angular momentum", "BᵀB − I"):
        assert 0.0 < largest[name] <= 8 * np.sqrt(steps) * 2.0**-53
    assert largest["place"] <= steps * 2.0**-53
    careful = soak.run(model, lv.Livens(compensated=True), 1e-2, steps, tmp_path / "compensated.nc")
    smaller = soak.numbers(careful)["largest"]
    assert smaller["place"] <= 4 * 2.0**-53  # of h p/m itself: the same in every step
    for name in ("angular momentum", "BᵀB − I"):
        assert smaller[name] <= 0.3 * largest[name]
    soak.draw(plain, careful, tmp_path / "soak.png")
    assert (tmp_path / "soak.png").stat().st_size > 10_000


def test_finished_parts_are_not_run_again(tmp_path):
    first = soak.run(soak.free_body(), lv.Livens(), 1e-2, 1000, tmp_path / "free-body.nc")
    again = soak.run(soak.free_body(), lv.Livens(), 1e-2, 1000, tmp_path / "free-body.nc")
    assert again.seconds == first.seconds


def test_joints_and_energy_error_of_a_double_pendulum_stay_bounded(tmp_path):
    motion = soak.run(soak.double_pendulum(), lv.Livens(compensated=True), 2e-3, 50_000, tmp_path / "double.nc")
    found = soak.numbers(motion)
    assert found["largest"]["|g| [m]"] <= 1e-12
    assert found["largest"]["|G v| [m/s]"] <= 1e-13
    assert 1e-6 < found["energy band"] < 1e-2
    assert abs(found["energy slope, bands per run"]) <= 6 * found["its standard error"]


@pytest.mark.parametrize(("power", "error"), [(0.5, np.sqrt), (1.0, np.abs)])
def test_the_exponent_of_growth(power, error):
    assert soak.growth(1e-16 * error(np.arange(2000.0))) == pytest.approx(power, abs=1e-6)
