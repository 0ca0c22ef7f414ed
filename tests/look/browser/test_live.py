"""A simulation whose parameters change while it runs: the stepper and the loop, without a page."""

import time

import numpy as np
import pytest

import livens as lv
from livens.look.browser.changed_model import Pull, changed_model, parameters, pull_stiffness
from livens.look.browser.loop import Loop
from livens.look.browser.stepper import Stepper
from livens.step import COMPARED, SCHEMES
from tests.helpers.mechanisms import chain, crank_rocker, every_joint, slider_crank

EPS = np.finfo(float).eps


def bob(stiffness=100.0, damping=0.0):
    """A ball that hangs on a spring."""
    m = lv.Model(gravity=(0, 0, -10.0), name="bob")
    ball = m.add(lv.Body(lv.Ball(0.1, mass=2.0), name="ball"))
    m.add(lv.Spring(m.world.point(0, 0, 1), ball.center, stiffness, length=1.0, damping=damping, name="spring"))
    return m


def same(state, other):
    return all(np.array_equal(x, y) for x, y in zip(state, other, strict=True))


@pytest.mark.parametrize("scheme", [*SCHEMES, *COMPARED], ids=repr)
def test_chunks_of_any_length_are_bitwise_identical_to_the_simulation(scheme):
    m = crank_rocker()
    run = Stepper(m, scheme, 1e-3)
    for steps in (1, 7, 30, 12):
        run.step(steps)
    assert same(run.state, lv.simulate(m, scheme, h=1e-3, until=0.05).state)
    assert run.t == pytest.approx(0.05, abs=8 * EPS)


def test_a_change_keeps_positions_momenta_and_time_and_the_energy_changes_with_the_parameters():
    run = Stepper(bob(), lv.Livens(), 1e-3)
    run.step(300)
    before, t = run.now(), run.t
    x = float(before.position("ball")[0, 2])
    run.change(stiffness={"spring": 400.0})
    after = run.now()
    assert run.t == t
    for one, other in ((before.record.a, after.record.a), (before.record.p, after.record.p)):
        assert np.array_equal(one, other)
    assert after.energy[0] - before.energy[0] == pytest.approx(0.5 * 300.0 * x**2, rel=1e-12)
    run.change(gravity=(0, 0, 0))
    assert run.now().energy[0] - after.energy[0] == pytest.approx(-2.0 * 10.0 * x, rel=1e-12)
    run.step(10)
    assert run.t == pytest.approx(t + 0.01)


def test_a_changed_spring_swings_at_its_new_rate():
    run = Stepper(bob(), lv.Livens(), 1e-3)
    run.change(gravity=(0, 0, 0), stiffness={"spring": 800.0})  # ω = 20 rad/s
    run.change(pull=Pull("ball", (0, 0, 0), (0, 0, -0.1), 0.0))
    run.state.a[1, 2] = -0.05
    z = []
    for _ in range(63):
        run.step(10)
        z.append(run.now().position("ball")[0, 2])
    t = 1e-2 * np.arange(1, 64)
    assert np.abs(np.array(z) + 0.05 * np.cos(20.0 * t)).max() < 0.05 * (20e-3) ** 2 / 24 * 20 * 0.63 * 2  # ω h → phase


def test_damping_can_be_switched_on_and_off_while_it_runs():
    run = Stepper(bob(), lv.Livens(), 1e-3)
    run.step(200)
    E = run.now().energy[0]
    run.change(damping={"spring": 5.0})  # one more equation
    run.step(500)
    assert run.now().energy[0] < E - 0.1
    E = run.now().energy[0]
    run.change(damping={"spring": 0.0})
    run.step(500)
    assert run.now().energy[0] == pytest.approx(E, abs=1e-3)


def test_angles_of_new_springs_are_computed_from_the_poses():
    """The hinge has turned; a spring that is added now acts with the present angle."""
    m = lv.Model()
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), angular_velocity=(0, 0, 1.0), name="arm"))
    arm.velocity[:] = (0, 0.5, 0)
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 0, 1), name="hinge"))
    run = Stepper(m, lv.Livens(), 1e-3)
    run.step(1000)
    T = run.now().kinetic[0]
    run.change(stiffness={"hinge": 2.0})
    assert run.now().potential[0] == pytest.approx(0.5 * 2.0 * 1.0**2, rel=1e-5)
    run.step(3)
    run.change(damping={"hinge": 0.1})  # the angle does not change
    assert run.now().potential[0] == pytest.approx(0.5 * 2.0 * 1.003**2, rel=1e-4)
    assert run.now().kinetic[0] == pytest.approx(T, rel=0.1)


@pytest.mark.parametrize("mechanism", [slider_crank, every_joint, lambda: chain(3)])
def test_schemes_and_steps_change_under_any_mechanism(mechanism):
    run = Stepper(mechanism(), lv.Livens(), 1e-3)
    run.step(20)
    for scheme, h in ((lv.Livens(4), 2e-3), (lv.Livens(2), 5e-4)):
        run.change(scheme=scheme, h=h)
        run.step(10)
        assert run.now().defect_position.max() < 1e-11
    assert run.t == pytest.approx(0.02 + 0.02 + 0.005)
    run.reset()
    assert run.t == 0.0


def test_a_refused_change_leaves_the_run_as_it_was():
    run = Stepper(bob(damping=1.0), lv.Livens(), 1e-3)
    run.step(10)
    for wrong in (
        {"scheme": lv.Livens(4)},
        {"h": -1.0},
        {"stiffness": {"spring": -1.0}},
        {"gravity": (0, 0)},
        {"damping": {"ball": 1.0}},
    ):
        with pytest.raises(lv.ModelError):
            run.change(**wrong)
        run.step(1)
    assert run.scheme == lv.Livens()
    assert run.t == pytest.approx(0.015)
    assert parameters(run.model) == parameters(bob(damping=1.0))


def test_a_failed_step_restores_the_state_before_it():
    m = lv.Model()
    m.add(lv.Body(lv.Box(1, 2, 3, density=1), body_rates=(1, 50, 1), name="top"))
    run = Stepper(m, lv.Livens(), 1e-3)
    run.step(5)
    run.change(h=0.1)
    before = run.now().record
    with pytest.raises(lv.StepFailed, match="'top'"):
        run.step(3)
    assert same(run.now().record, before)
    run.change(h=1e-3)
    run.step(5)


def test_the_model_of_the_user_does_not_change():
    m = bob(damping=1.0)
    before = (parameters(m), len(m.forces), m.gravity.tolist())
    run = Stepper(m, lv.Livens(), 1e-3)
    run.change(gravity=(1, 2, 3), stiffness={"spring": 1.0}, pull=Pull("ball", (0, 0, 0), (1, 0, 0), 5.0))
    run.step(5)
    assert (parameters(m), len(m.forces), m.gravity.tolist()) == before
    assert changed_model(m, parameters(m)).bodies[1] is m.bodies[1]


def test_controllers_and_prescribed_motions_continue_after_a_change():
    m = lv.Model()
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 0, 1), name="hinge"))
    servo = lambda t, now: 200.0 * (0.5 - now.coordinate(hinge)[0]) - 100.0 * now.rate(hinge)[0]  # noqa: E731
    m.add(lv.Motor(hinge, servo, rate=100.0))
    run = Stepper(m, lv.Livens(), 1e-3)
    for steps in (3, 10, 27, 960):
        run.step(steps)
    assert same(run.state, lv.simulate(m, lv.Livens(), h=1e-3, until=1.0).state)
    run.change(gravity=(0, 0, -9.81))
    for _ in range(30):
        run.step(100)
    assert run.now().coordinate("hinge")[0] == pytest.approx(0.5, abs=1e-2)


def test_the_pull_moves_a_body_to_its_target():
    run = Stepper(bob(stiffness=0.0, damping=0.0), lv.Livens(), 1e-3)
    run.change(gravity=(0, 0, 0), pull=Pull("ball", (0, 0, 0), (1, 0, 0), 8.0))  # ω = 2 rad/s
    run.step(785)  # a quarter of its period: at the target, with the initial energy
    now = run.now()
    assert now.position("ball")[0, 0] == pytest.approx(1.0, abs=1e-3)
    assert now.kinetic[0] == pytest.approx(0.5 * 8.0, rel=1e-5)
    run.pull_to((3.0, 0, 0))  # the target moves at once, without compiling
    assert run.now().potential[0] == pytest.approx(0.5 * 8.0 * 2.0**2, rel=1e-2)
    run.change(pull=None)
    assert run.now().potential[0] == 0.0
    ball = bob()["ball"]
    assert pull_stiffness(ball, bob(), 1.0, 1e-3) == pytest.approx(12 * 20.0, rel=0.05)
    assert pull_stiffness(ball, bob(), 1e-6, 1e-3) <= 1.05 * 2.0 * (0.3 / 1e-3) ** 2  # the limit of the step


def test_reset_restores_the_initial_state_exactly_with_the_present_parameters():
    m = bob()
    motion = lv.simulate(m, h=1e-3, until=0.5)
    run = Stepper(m, lv.Livens(), 1e-3, start=motion.state, t0=0.5)
    run.step(50)
    run.change(gravity=(0, 0, -1.0), damping={"spring": 2.0})
    run.step(50)
    run.reset()
    assert run.t == 0.5
    assert np.array_equal(run.state.a, motion.state.a)
    assert np.array_equal(run.state.p, motion.state.p)
    assert run.model.gravity.tolist() == [0, 0, -1.0]


# ── the loop ──


def test_the_loop_follows_a_clock_and_applies_changes_between_steps():
    loop = Loop(Stepper(bob(), lv.Livens(), 1e-2))
    loop.stepper.step(0)
    assert loop.cycle(0.0) == 0  # it does not run yet
    loop.run(True)
    walls = np.arange(0.0, 1.0001, 0.02)
    taken = sum(loop.cycle(wall) for wall in walls)
    assert taken == pytest.approx(100, abs=2)
    assert loop.latest.factor == pytest.approx(1.0, abs=0.03)
    loop.submit(lambda: loop.stepper.change(gravity=(0, 0, 0)))
    loop.submit(lambda: loop.stepper.change(h=-1.0))
    loop.cycle(1.02)
    assert "h must be" in loop.latest.message
    assert loop.stepper.model.gravity.tolist() == [0, 0, 0]
    loop.submit(lambda: loop.stepper.change(h=1e-3))
    loop.cycle(1.04)
    assert loop.latest.message == ""
    assert loop.pace.h == 1e-3


def test_a_failure_pauses_the_loop_with_a_message():
    m = lv.Model()
    m.add(lv.Body(lv.Box(1, 2, 3, density=1), body_rates=(1, 50, 1), name="top"))
    loop = Loop(Stepper(m, lv.Livens(), 0.1))
    loop.run(True)
    for wall in (0.0, 0.2, 0.4):
        loop.cycle(wall)
    assert not loop.latest.running
    assert "'top'" in loop.latest.message
    assert loop.latest.t == 0.0


def test_an_error_in_a_users_function_pauses_the_loop_too():
    m = bob()
    m.add(lv.Load(m["ball"].center, force=lambda t: (1.0 / (t < 0.05), 0, 0), name="wind"))
    loop = Loop(Stepper(m, lv.Livens(), 1e-2))
    loop.run(True)
    for k in range(20):
        loop.cycle(0.01 * k)
    assert not loop.latest.running
    assert "ZeroDivisionError" in loop.latest.message


def test_a_chain_of_100_bodies_costs_less_than_real_time():
    """A second of the motion at h = 1e-3 takes less than a second of this thread (other processes do not count)."""
    run = Stepper(chain(100), lv.Livens(), 1e-3)
    run.step(10)
    begin = time.thread_time()
    for _ in range(15):
        run.step(33)
    assert time.thread_time() - begin < 15 * 33e-3


def test_a_thread_steps_in_real_time_and_ends():
    loop = Loop(Stepper(bob(), lv.Livens(), 1e-3))
    loop.stepper.step(1)
    loop.start()
    loop.run(True)
    deadline = time.perf_counter() + 60.0  # on a busy machine the factor is that of a process that waits
    while not 0.9 < loop.latest.factor < 1.1 and time.perf_counter() < deadline:
        time.sleep(0.05)
    assert 0.9 < loop.latest.factor < 1.1
    loop.stop()
    t = loop.stepper.t
    time.sleep(0.05)
    assert loop.stepper.t == t
