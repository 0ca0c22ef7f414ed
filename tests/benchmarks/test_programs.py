"""All programs give the same motion: each adapter against the reference, if the program is installed."""

import numpy as np
import pytest

from benchmarks import ours, peers
from benchmarks.references import reference
from benchmarks.tasks import find
from benchmarks.tasks.mechanism import energies, points
from benchmarks.tasks.nets import net
from benchmarks.time_to_accuracy import Effort, climb

CASES = [  # problem, program, setting, rung, error it must be below
    ("free-body", "ours", "order 6", 3, 1e-4),
    ("heavy-top", "ours", "order 4", 8, 1e-5),
    ("chain-2", "ours", "order 2", 10, 2e-3),
    ("andrews", "ours", "order 4", 7, 1e-4),
    ("slider-crank", "ours", "order 6", 4, 1e-2),
    ("double-pendulum", "ours", "Galerkin 6", 2, 1e-4),
    ("free-body", "mujoco", "RK4", 8, 1e-4),
    ("chain-5", "mujoco", "RK4", 7, 1e-5),
    ("chain-5", "mujoco", "RK4, hinges", 7, 1e-5),
    ("andrews", "mujoco", "RK4", 11, 1e-5),
    ("heavy-top", "exudyn", "RK67", 7, 1e-4),
    ("chain-2", "exudyn", "trapezoidal", 10, 2e-3),
    ("chain-5", "exudyn", "tree, hinges, RK67", 5, 1e-5),
    ("slider-crank", "exudyn", "trapezoidal", 12, 3e-2),
    ("heavy-top", "pinocchio", "RK4, Python loop", 11, 1e-3),
    ("andrews", "pinocchio", "RK4, Python loop", 9, 1e-5),
    ("kepler", "scipy", "DOP853", 14, 1e-4),
    ("kepler", "casadi", "CVODES", 10, 1e-3),
]


def adapter(program):
    found, why = (ours, "") if program == "ours" else peers.load(program)
    if found is None:
        pytest.skip(why)
    return found


@pytest.mark.parametrize(("key", "program", "setting", "rung", "below"), CASES, ids=lambda x: str(x))
def test_a_program_agrees_with_the_reference(key, program, setting, rung, below):
    task = find(key)
    entry = next(e for e in adapter(program).entries(task) if e.setting == setting)
    runner = entry.make(task, rung)
    runner.run()
    error = np.linalg.norm(task.read(runner.end()) - reference(key), axis=1).max() / task.size
    assert error < below
    states = runner.states(20)
    again = np.linalg.norm(task.read(states) - task.read(runner.end()), axis=1).max() / task.size
    assert again < 1e-8  # the run whose energy is looked at is the run that was timed
    assert task.drift(states) < 10 * below


def test_the_energy_of_a_mechanism_is_that_of_livens():
    """Springs, gravity and spin, against motion.energy."""
    mechanism = net(3)
    model = ours.model(mechanism)
    motion = ours.simulate(model, ours.lv.Livens(4), 0.1, 10, 1)
    runner = ours.Runner(model, ours.lv.Livens(4), 0.1, 10)
    kinetic, total = energies(mechanism, runner.states(10))
    assert np.abs(kinetic - motion.kinetic).max() < 1e-12 * kinetic.max()
    assert np.abs((total - total[0]) - (motion.energy - motion.energy[0])).max() < 1e-11 * np.abs(total).max()


def test_the_probe_of_the_top_is_its_centre():
    task = find("heavy-top")
    runner = ours.Runner(ours.model(task.mechanism), ours.lv.Livens(), 1e-9, 1)
    runner.run()
    assert np.allclose(points(runner.end(), task.probes), [[0.0, 1.0, 0.0]], atol=1e-8)


def test_refinement_ends_below_the_smallest_target():
    """Order 4 on one rod: errors decrease by 16 for h/2, and refinement stops at the smallest target."""
    task = find("chain-1")
    entry = next(e for e in ours.entries(task) if e.setting == "order 4")
    curve, runners = climb(task, entry, Effort(1e-6, 5.0, 1, 0.0, 10))
    errors = [p.error for p in curve.points]
    assert len(runners) == len(errors)
    assert errors[-1] < 1e-6 <= errors[-2]
    assert np.log2(errors[-3] / errors[-1]) == pytest.approx(4.0, abs=0.5)
    assert all(p.drift is not None for p in curve.points)
