"""One controller for several joints, and sensors with noise and delay."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv


def two_arms(gravity=0.0):
    m = lv.Model(gravity=(0, -gravity, 0), name="arms")
    last = m.world.point(0, 0, 0)
    for k in range(2):
        arm = m.add(lv.Body(lv.MassProperties(1.0, (0.02, 0.1, 0.1)), at=(k + 0.5, 0, 0), name=f"arm {k}"))
        m.add(lv.Revolute(last, arm.point(-0.5, 0, 0), axis=(0, 0, 1), name=f"hinge {k}"))
        last = arm.point(0.5, 0, 0)
    return m


def test_a_controller_equals_its_motors():
    """The motion is that of two motors with the same functions, to the bit; the function is called once a tick."""
    calls = []

    def law(t, now):
        calls.append(t)
        return [-5.0 * now.coordinate("hinge 0")[0] - 0.3, 2.0 * np.sin(t) - 0.1 * now.rate("hinge 1")[0]]

    one, two = two_arms(), two_arms()
    one.add(lv.Controller(law, inputs=[one["hinge 0"], one["hinge 1"]], rate=50.0, name="law"))
    two.add(lv.Motor(two["hinge 0"], lambda t, now: -5.0 * now.coordinate("hinge 0")[0] - 0.3, rate=50.0))
    two.add(lv.Motor(two["hinge 1"], lambda t, now: 2.0 * np.sin(t) - 0.1 * now.rate("hinge 1")[0], rate=50.0))
    first, second = (lv.simulate(m, h=5e-3, until=0.4) for m in (one, two))
    assert np.array_equal(first.q, second.q)
    assert calls == pytest.approx(np.arange(20) / 50.0)
    assert first.effort("hinge 0") == pytest.approx(second.effort("hinge 0"))


def test_computed_torque_follows_a_path():
    """With the inverse dynamics as the law, both joints follow their paths within the error of holding: O(1/rate)."""
    m = two_arms(gravity=9.81)
    arm = lv.JointSpace(m)
    path = lambda t: (np.array([np.sin(t), 0.5 * t]), np.array([np.cos(t), 0.5]), np.array([-np.sin(t), 0.0]))  # noqa: E731

    def law(t, now):
        q, v, a = path(t)
        return arm.inverse_dynamics(now.q, now.v, a + 100.0 * (q - now.q) + 20.0 * (v - now.v))

    m["hinge 0"].start_rate, m["hinge 1"].start_rate = 1.0, 0.5
    m.add(lv.Controller(law, inputs=[m["hinge 0"], m["hinge 1"]], rate=500.0))
    motion = lv.simulate(m, h=1e-3, until=0.5)
    expected = np.stack([path(t)[0] for t in motion.t])
    assert np.abs(motion.q - expected).max() < 2e-3


def test_which_coordinate():
    m = lv.Model()
    body = m.add(lv.Body(lv.MassProperties(1.0, (1.0, 2.0, 3.0)), name="body"))
    cross = m.add(lv.Universal(m.world.point(0, 0, 0), body.center, axis_a=(1, 0, 0), axis_b=(0, 1, 0), name="cross"))
    m.add(lv.Controller(lambda t, now: [0.0, 4.0], inputs=[(cross, "angle_a"), (cross, "angle_b")], rate=100.0))
    motion = lv.simulate(m, h=1e-2, until=0.1)
    assert motion.coordinate(cross)[-1] == pytest.approx([0.0, 0.5 * 4.0 / 2.0 * 0.01], rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("wrong", [[1.0], 3.0, [1.0, np.nan], None, ["a", "b"]])
def test_a_wrong_answer_is_refused(wrong):
    m = two_arms()
    m.add(lv.Controller(lambda t, now: wrong, inputs=[m["hinge 0"], m["hinge 1"]], rate=100.0, name="law"))
    with pytest.raises(lv.LivensError, match=r"'law' must give 2 numbers"):
        lv.simulate(m, h=1e-2, until=0.1)


def test_wrong_descriptions_are_refused():
    m = two_arms()
    with pytest.raises(lv.ModelError, match=r"fn\(t, now\)"):
        lv.Controller(lambda t: 0.0, inputs=[m["hinge 0"]], rate=100.0)
    with pytest.raises(lv.ModelError, match="list of joints"):
        lv.Controller(lambda t, now: 0.0, inputs=m["hinge 0"], rate=100.0)
    with pytest.raises(lv.ModelError, match="joint with a coordinate"):
        lv.Controller(lambda t, now: 0.0, inputs=[m["arm 0"]], rate=100.0)
    with pytest.raises(lv.ModelError, match="rate"):
        lv.Controller(lambda t, now: 0.0, inputs=[m["hinge 0"]], rate=-1.0)
    with pytest.raises(lv.ModelError, match="sensor measures"):
        lv.Sensor(3.0)
    with pytest.raises(lv.ModelError, match="not negative"):
        lv.Sensor(m["hinge 0"], noise=-1.0)
    with pytest.raises(lv.ModelError, match="seed"):
        lv.Sensor(m["hinge 0"], seed=0.5)


class Moment:
    """A moment of a motion, as far as a sensor looks."""

    def __init__(self, t, x):
        self.t, self.x = np.array([t]), x


def test_noise_has_its_deviation_and_repeats_itself():
    sensor, other = (lv.Sensor(lambda now: now.x, noise=0.2, seed=seed) for seed in (7, 8))
    times = np.arange(4000) * 1e-3
    errors = np.array([sensor(Moment(t, 5.0)) - 5.0 for t in times])
    again = np.array([sensor(Moment(t, 5.0)) - 5.0 for t in times[::-1]])[::-1]
    assert np.array_equal(errors, again)
    assert errors.std() == pytest.approx(0.2, rel=0.05)
    assert abs(errors.mean()) < 0.2 * 4.0 / np.sqrt(4000)
    assert abs(np.corrcoef(errors[1:], errors[:-1])[0, 1]) < 4.0 / np.sqrt(4000)
    assert abs(np.corrcoef(errors, [other(Moment(t, 5.0)) for t in times])[0, 1]) < 4.0 / np.sqrt(4000)


def test_delay():
    """Values of a ramp are late by the delay; before, they are the first one; a new run begins anew."""
    sensor = lv.Sensor(lambda now: now.x, delay=0.03)
    for _ in range(2):
        found = [sensor(Moment(t, t)) for t in np.arange(10) * 0.01]
        assert found == pytest.approx([0, 0, 0, 0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06])


def test_a_run_with_noise_repeats_itself_after_a_stop():
    def model():
        m = two_arms()
        angle = lv.Sensor(m["hinge 0"], noise=0.05, seed=2)
        m.add(lv.Controller(lambda t, now: [-3.0 * angle(now), 0.1], [m["hinge 0"], m["hinge 1"]], rate=100.0))
        return m

    whole = lv.simulate(model(), h=5e-3, until=0.4)
    part = lv.simulate(model(), h=5e-3, until=0.2)
    assert np.array_equal(lv.resume(part, until=0.4).q[-1], whole.q[-1])
    assert np.abs(whole.q[-1]).max() > 1e-4


# ── loads as inputs ──


def ship(axes, law, rate=50.0):
    R = Rotation.random(random_state=5).as_matrix()
    m = lv.Model()
    body = m.add(lv.Body(lv.Box(2, 1, 1, mass=3.0), rotation=R, name="ship"))
    thruster = lv.Load(body.center, force=(0, 2.0, 0), torque=(0.1, 0, 0), axes=axes, name="thruster")
    m.add(lv.Controller(law, inputs=[thruster], rate=rate, name="pilot"))
    return m, R


@pytest.mark.parametrize("axes", ["world", "body"])
def test_a_load_is_an_input(axes):
    """A number of 1.5 for a second, then none: v = F t/m, held between the ticks; the work is that of the force."""
    m, R = ship(axes, lambda t, now: [1.5 if t < 0.99 else 0.0])
    m["thruster"].torque[:] = 0.0
    motion = lv.simulate(m, h=1e-2, until=2.0)
    push = np.array([0, 3.0, 0]) if axes == "world" else R @ (0, 3.0, 0)
    assert motion.velocity("ship")[-1] == pytest.approx(push / 3.0, abs=1e-13)
    assert motion.position("ship")[-1] == pytest.approx(push / 3.0 * 1.5, abs=1e-12)
    assert motion.work == pytest.approx(motion.energy - motion.energy[0], abs=1e-12)


def test_torques_of_a_load_turn_the_body():
    m, _ = ship("body", lambda t, now: [-4.0 * (now.body_rates("ship")[0, 0] - 0.5)])
    m["thruster"].force[:] = 0.0
    motion = lv.simulate(m, h=1e-2, until=20.0)
    J = m["ship"].mass_properties.inertia[0, 0]
    k = 1.0 - 0.4 * 0.02 / J  # per tick: the torque 0.1 · 4 (0.5 − ω), held for 1/50 s
    assert motion.body_rates("ship")[-1, 0] == pytest.approx(0.5 * (1.0 - k**1000), rel=1e-9)


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_controlled_loads_are_saved_resumed_and_left_out_of_linearisations(tmp_path):
    def law(t, now):
        return [np.sin(3.0 * t) + 0.1 * now.position("ship")[0, 1]]

    whole = lv.simulate(ship("body", law)[0], h=1e-2, until=1.0)
    part = lv.simulate(ship("body", law)[0], h=1e-2, until=0.25)  # between two ticks
    assert lv.resume(part, until=1.0).position("ship")[-1].tolist() == whole.position("ship")[-1].tolist()
    whole.save(tmp_path / "ship.nc")
    again = lv.load(tmp_path / "ship.nc")
    assert again.record.effort.tolist() == whole.record.effort.tolist()
    lin = lv.linearize(ship("world", law)[0], at=None)
    assert lin.A[6:] == pytest.approx(0.0 * lin.A[6:], abs=1e-12)


def test_wrong_loads_are_refused():
    m = lv.Model()
    body = m.add(lv.Body(lv.Ball(0.1, mass=1.0), name="b"))
    with pytest.raises(lv.ModelError, match="'push', an input of controller 'pilot', needs a constant force or torque"):
        lv.Controller(lambda t, now: 0.0, [lv.Load(body.center, name="push")], rate=10.0, name="pilot")
    with pytest.raises(lv.ModelError, match="needs a constant force"):
        lv.Controller(lambda t, now: 0.0, [lv.Load(body.center, force=lambda t: (t, 0, 0))], rate=10.0, name="p")
    with pytest.raises(lv.ModelError, match="must be a number, or a controller"):
        lv.Load(body.center, force=(1, 0, 0), effort=lambda t, now: 1.0)
    with pytest.raises(lv.ModelError, match="must be a number, or a controller"):
        lv.Load(body.center, force=(1, 0, 0), effort=lambda t: 1.0, rate=10.0)
    with pytest.raises(lv.ModelError, match="its force and torque must be constant"):
        lv.Load(body.center, force=lambda t: (1, 0, 0), effort=lambda t, now: 1.0, rate=10.0)
    load = m.add(lv.Load(body.center, force=(1, 2, 0), effort=-2.0))
    assert lv.dynamics(m).acceleration("b")[0] == pytest.approx([-2, -4, 0])
    assert load.effort == -2.0


@pytest.mark.parametrize("count", [1, 12])
def test_one_controller_for_many_inputs(count):
    """Wheels under constant efforts: their rates after half a second are efforts · time / inertias."""
    m, axis = lv.Model(), np.eye(3)
    for k in range(12):
        wheel = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.2, 0.25)), at=(k, 0, 0), name=f"wheel {k}"))
        m.add(lv.Revolute(m.world.point(k, 0, 0), wheel.center, axis=axis[k % 3], name=f"axle {k}"))
    efforts, ticks = np.linspace(1.0, 2.0, count), []
    law = lv.Controller(
        lambda t, now: ticks.append(t) or efforts, inputs=[m[f"axle {k}"] for k in range(count)], rate=1e3
    )  # fmt: skip
    m.add(law)
    motion = lv.simulate(m, h=1e-3, until=0.5, every=500)
    inertia = np.array([0.1, 0.2, 0.25])[np.arange(count) % 3]
    assert motion.v[-1, :count] == pytest.approx(0.5 * efforts / inertia)
    assert motion.v[-1, count:] == pytest.approx(0.0)
    assert len(set(ticks)) == len(ticks)  # the function is called once a tick, whatever the number of inputs


def test_a_late_sensor_forgets_another_state_at_the_same_time():
    """A run does not depend on what a sensor measured before, at the time of its start, in another position."""

    def run(measured_before):
        m = two_arms(gravity=9.81)
        angle = lv.Sensor(m["hinge 0"], noise=1e-3, delay=0.02, seed=3)
        if measured_before:
            angle(lv.dynamics(m))
        m.add(lv.Controller(lambda t, now: [-40.0 * angle(now)], inputs=[m["hinge 0"]], rate=200.0))
        return lv.simulate(m, h=1e-3, until=0.1, start=lv.JointSpace(m).state([0.4, -0.2])).q

    assert np.array_equal(run(False), run(True))


def test_part_of_a_controller():
    """A model with some of the motors of a controller takes their numbers alone, also in another order."""
    m = lv.Model()
    hinges = []
    for k in range(3):
        wheel = m.add(lv.Body(lv.MassProperties(1.0, (1.0, 1.0, 1.0)), at=(2 * k, 0, 0), name=f"wheel{k}"))
        at = m.world.point(2 * k, 0, 0), wheel.center
        hinges.append(m.add(lv.Revolute(*at, axis=(0, 0, 1), name=f"hinge{k}")))
    law = lv.Controller(lambda t, now: [1.0, 2.0, 3.0], inputs=hinges, rate=100.0, name="law")
    for motor in (law.motors[2], law.motors[0]):
        m.add(motor)
    motion = lv.simulate(m, h=1e-2, until=1.0)
    assert motion.v[-1] == pytest.approx([1.0, 0.0, 3.0])


def test_constant_loads_and_thrusters_beside_each_other():
    m = lv.Model()
    ship = m.add(lv.Body(lv.MassProperties(2.0, (1.0, 1.0, 1.0)), name="ship"))
    m.add(lv.Load(ship.center, force=(1.0, 0, 0), torque=(0, 0, 0.5), name="wind"))
    jet = lv.Load(ship.center, force=(0, 2.0, 0))
    m.add(lv.Controller(lambda t, now: [0.5 if t < 0.5 else -0.5], inputs=[jet], rate=10.0))
    motion = lv.simulate(m, h=1e-2, until=1.0)
    assert motion.velocity("ship")[-1] == pytest.approx([0.5, 0.0, 0.0], abs=1e-12)
    assert motion.velocity("ship")[50, 1] == pytest.approx(0.25)
    assert motion.angular_velocity("ship")[-1, 2] == pytest.approx(0.5)
