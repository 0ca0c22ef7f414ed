"""lv.EnergyMomentum on random models: all joints, loops, rolling, springs, dampers and attraction."""

import numpy as np
import pytest

import livens as lv
from benchmarks.random_models import describe
from benchmarks.random_models.description import build

pytestmark = pytest.mark.filterwarnings("ignore::livens.ModelWarning")


@pytest.mark.parametrize("seed", range(30))
def test_the_energy_balance_is_exact(seed):
    """At half of the step that resolves the stiffest vibration at the start, to the round-off of energies and steps."""
    model = build(describe(seed))
    h, steps = 0.5 * min(lv.stiffness(model).step(), 0.01), 100
    motion = lv.simulate(model, lv.EnergyMomentum(), h=h, until=steps * h)
    balance = motion.energy - motion.work + motion.dissipated
    size = max(np.abs(motion.kinetic).max(), np.abs(motion.potential).max(), motion.dissipated.max())
    assert np.abs(balance - balance[0]).max() <= 2e-14 * np.sqrt(steps) * size
    assert motion.defect_position.max() <= 1e-11
    assert motion.defect_velocity.max() <= 1e-9
