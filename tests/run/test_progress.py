"""Progress: the remaining time does not count the compilation before the first steps."""

import re

import pytest

import livens as lv
from livens.run import failures, progress
from livens.run.progress import Progress


def test_compiling_is_not_counted_in_the_remaining_time(monkeypatch, capsys):
    """80 s of compiling, then 100 steps in a second: 9 s are left after the second update."""
    wall = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: wall[0])
    bar = Progress("arm", 1000, show=True)
    wall[0] = 80.0
    bar.update(0)
    assert "left" not in capsys.readouterr().err
    wall[0] = 81.0
    bar.update(100)
    said = capsys.readouterr().err
    assert "arm:  10%  100 steps/s  9 s left" in said
    wall[0] = 90.0
    bar.update(1000)
    assert "100%  100 steps/s  0 s left" in capsys.readouterr().err
    bar.close()


@pytest.mark.parametrize("digits", [1.0, 0.999, 2.0, 3.5, 9.99])
def test_a_suggested_step_is_never_zero_nor_larger(digits):
    for power in range(-12, 7):
        x = digits * 10.0**power
        for value in (x, x * (1 + 2e-16), x * (1 - 2e-16)):
            found = float(f"{failures._round_down(value):.0e}")
            assert 0.5 * value <= found <= value * (1 + 1e-9)


def test_advice_at_powers_of_ten():
    """0.5 h over the angle per step is exactly a power of ten here."""
    for spin, h in ((500.0, 0.01), (50.0, 0.1)):
        m = lv.Model()
        m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), body_rates=(0.0, spin, 0.0), name="top"))
        with pytest.raises(lv.StepFailed) as failed:
            lv.simulate(m, h=h, until=1.0)
        step = float(re.search(r"try h ≤ (\S+) s\.", str(failed.value))[1])
        assert step == pytest.approx(0.5 / spin, rel=0.51)
        assert step > 0.0
