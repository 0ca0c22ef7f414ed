"""The small size of `python -m benchmarks.long_runs`: what it measures is of the size that round-off has."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def soak(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    yield importlib.import_module("benchmarks.long_runs")
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]


def test_a_free_body_makes_a_random_walk_of_roundings(soak, tmp_path):
    steps = 200_000
    motion = soak.run(soak.free_body(), 1e-2, steps, tmp_path / "free-body.nc")
    largest = soak.numbers(motion)["largest"]
    for name in ("energy", "angular momentum", "BᵀB − I"):
        assert 0.0 < largest[name] <= 8 * np.sqrt(steps) * 2.0**-53
    assert largest["place"] <= steps * 2.0**-53
    soak.draw(motion, tmp_path / "soak.png")
    assert (tmp_path / "soak.png").stat().st_size > 10_000


def test_a_double_pendulum_stays_closed_and_in_its_band(soak, tmp_path):
    steps = 50_000
    found = soak.numbers(soak.run(soak.double_pendulum(), 2e-3, steps, tmp_path / "double-pendulum.nc"))
    assert found["largest"]["|g| [m]"] <= 1e-12
    assert found["largest"]["|G v| [m/s]"] <= 1e-13
    assert 1e-6 < found["energy band"] < 1e-2
    assert abs(found["energy slope, bands per run"]) <= 6 * found["its standard error"]


@pytest.mark.parametrize(("power", "error"), [(0.5, np.sqrt), (1.0, np.abs)])
def test_the_power_of_growth(soak, power, error):
    assert soak.growth(1e-16 * error(np.arange(2000.0))) == pytest.approx(power, abs=1e-6)
