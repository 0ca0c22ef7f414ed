"""States carried to other models: kinematics by name, impulses of new joints, angles over many turns."""

import warnings

import numpy as np
import pytest

import livens as lv

SEEDS = range(4)


def placed(seed):
    rng = np.random.default_rng(seed)
    return rng, lv.Pose.from_quaternion(rng.normal(size=4)).B, rng.normal(size=3)


def tensor(rng):
    Q = lv.Pose.from_quaternion(rng.normal(size=4)).B
    return Q @ np.diag((2.0, 2.5, 3.0)) @ Q.T


def pair(seed, joints=True, extra=False, scale=1.0, heavy=1.0):
    """Two bodies in a chain of hinges, in a random position, with body frames away from their centres of mass."""
    rng, R, x = placed(seed)
    m = lv.Model(gravity=R @ (0, 0, -9.81 * scale), name="pair")
    bodies = []
    for k in range(2):
        J, c = scale**2 * tensor(rng), scale * rng.normal(size=3)
        frame = lv.Pose.from_quaternion(rng.normal(size=4)).B
        matter = lv.MassProperties((2.0 + k) * heavy, heavy * J, c)
        at = scale * (x + R @ (k + 0.5, 0, 0))
        bodies.append(m.add(lv.Body(matter, at=at, rotation=frame, name=f"b{k}")))
    if extra:
        m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(9, 9, 9), velocity=(0, 0, 1), name="new"))
    if joints:
        ends = (m.world, bodies[0]), (bodies[0], bodies[1])
        for k, (a, b) in enumerate(ends):
            at = scale * (x + R @ (k, 0, 0))
            rate = (25.0, -40.0)[k]
            m.add(lv.Revolute(a.point_at(at), b.point_at(at), R @ (0, 1, 0), start_rate=rate, name=f"h{k}"))
    return m


def kinematics(motion, name, k=-1):
    body = motion.model[name]
    point = body.point(0.3, -0.2, 0.1)
    return np.concatenate([motion.position(point)[k], motion.velocity(point)[k], motion.rotation(body)[k].ravel()])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_transfer_to_the_same_model_changes_no_bit(seed):
    motion = lv.simulate(pair(seed), h=1e-3, until=0.5, every=100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state = lv.transfer(motion, to=pair(seed))
    apart = [np.abs(x - y).max(initial=0.0) for x, y in zip(state[:4], motion.state[:4], strict=True)]
    assert max(apart) < 1e-12 * max(np.abs(x).max() for x in motion.state[:4])
    assert state.half_turns.tobytes() == motion.state.half_turns.tobytes()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("seed", SEEDS)
def test_released_bodies_keep_their_motion(seed, scale):
    """All joints are removed, a body is added before: every point goes on with its velocity."""
    motion = lv.simulate(pair(seed, scale=scale), h=1e-3, until=0.3)
    to = pair(seed, joints=False, extra=True, scale=scale)
    after = lv.simulate(to, h=1e-3, until=0.1, start=lv.transfer(motion, to=to))
    for name in ("b0", "b1"):
        assert kinematics(after, name, 0) == pytest.approx(kinematics(motion, name), abs=1e-10 * max(1.0, scale))
    assert after.position("new")[0].tolist() == [9, 9, 9]
    assert after.velocity("new")[0].tolist() == [0, 0, 1]


@pytest.mark.parametrize("seed", SEEDS)
def test_other_mass_properties_keep_positions_and_velocities(seed):
    """Another mass, inertia and centre; the frames of the bodies move on."""
    motion = lv.simulate(pair(seed), h=1e-3, until=0.3)
    rng, _, _ = placed(seed + 100)
    to = pair(seed)
    for name in ("b0", "b1"):
        to[name].shape = lv.MassProperties(7.0, 5.0 * tensor(rng), rng.normal(size=3))
    start = lv.transfer(motion.state, to=to, of=motion)
    after = lv.simulate(to, h=1e-3, until=0.1, start=start)
    for name in ("b0", "b1"):
        assert kinematics(after, name, 0) == pytest.approx(kinematics(motion, name), abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_clutch_conserves_angular_momentum(seed):
    """Two flywheels on one axis are locked where they are: ω = (J₁ω₁ + J₂ω₂)/(J₁ + J₂), and the loss is that of an
    inelastic impact, ½ J₁J₂/(J₁ + J₂) (ω₁ − ω₂)²."""
    rng, R, x = placed(seed)
    J, omega = rng.uniform(0.5, 3.0, 2), rng.normal(size=2) * 10.0

    def wheels(motion=None):
        m = lv.Model()
        for k in (0, 1):
            B = R if motion is None else motion.rotation(f"w{k}")[-1]
            matter = lv.MassProperties(1.0, (J[k], J[k], J[k]))
            wheel = m.add(lv.Body(matter, at=x, rotation=B, angular_velocity=R @ (0, 0, omega[k]), name=f"w{k}"))
            m.add(lv.Revolute(m.world.point(x), wheel.point(0, 0, 0), R @ (0, 0, 1), name=f"axle{k}"))
        if motion is not None:
            m.add(lv.FixedOrientation(m["w0"], m["w1"], name="clutch"))
        return m

    free = lv.simulate(wheels(), h=1e-3, until=1.3)
    locked = wheels(free)
    with pytest.warns(lv.ModelWarning, match=r"impulses changed them by up to .* rad/s"):
        start = lv.transfer(free, to=locked)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=lv.ModelWarning)
        after = lv.simulate(locked, h=1e-3, until=0.5, start=start)
    together = (J @ omega) / J.sum()
    for k in (0, 1):
        assert after.rate(f"axle{k}") == pytest.approx(together, abs=1e-10)
    loss = 0.5 * J[0] * J[1] / J.sum() * (omega[0] - omega[1]) ** 2
    assert free.kinetic[-1] - after.kinetic[0] == pytest.approx(loss, rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_caught_bar_turns_about_its_end(seed):
    """A free bar whose end is caught by a ball joint: ω = (J ω₀ + m r × v₀)/(J + m r²), in the plane of its motion."""
    rng, R, x = placed(seed)
    v, w, l = rng.normal(), rng.normal(), 1.3
    J = 2.0 * l**2 / 12.0

    def bar(held):
        m = lv.Model()
        matter = lv.MassProperties(2.0, (1e-3, J, J))
        body = m.add(
            lv.Body(matter, at=x, rotation=R, velocity=R @ (0, v, 0), angular_velocity=R @ (0, 0, w), name="bar")
        )
        if held:
            m.add(lv.Spherical(m.world.point(x + R @ (-l / 2, 0, 0)), body.point(-l / 2, 0, 0), name="hook"))
        return m

    with pytest.warns(lv.ModelWarning, match="impulses changed them"):
        state = lv.transfer(lv.dynamics(bar(held=False)), to=bar(held=True))
    omega = (J * w + 2.0 * (l / 2) * v) / (J + 2.0 * (l / 2) ** 2)
    assert lv.dynamics(bar(held=True), state).angular_velocity("bar")[0] == pytest.approx(R @ (0, 0, omega), abs=1e-12)


def test_angles_over_many_turns_go_on_whatever_acts_on_them():
    """A hinge on which nothing acted gets a spring, and loses it again."""
    motion = lv.simulate(pair(3), h=1e-3, until=4.0, every=1000)
    angle = motion.coordinate("h1")[-1]
    assert abs(angle) > 2 * np.pi
    sprung = pair(3)
    sprung["h1"].stiffness = 1e-3
    start = lv.transfer(motion, to=sprung)
    assert start.angle == pytest.approx([angle], abs=1e-9)
    again = lv.simulate(sprung, h=1e-3, until=1e-3, start=start)
    back = lv.transfer(again, to=pair(3))
    assert lv.dynamics(pair(3), back).coordinate("h1")[0] == pytest.approx(again.coordinate("h1")[-1], abs=1e-9)


def test_controllers_go_on_by_name():
    def crane(names):
        m = pair(1)
        for name in names:
            m.add(lv.Motor(m["h0"], lambda t, now, name=name: 0.1 * len(name), rate=100.0, name=name))
        return m

    motion = lv.simulate(crane(["a", "bb"]), h=1e-3, until=0.1)
    state = lv.transfer(motion, to=crane(["ccc", "bb", "a"]))
    assert state.effort == pytest.approx([0.0, 0.2, 0.1])


def test_impossible_transfers_are_refused():
    motion = lv.simulate(pair(0), h=1e-3, until=0.4)
    with pytest.raises(lv.ModelError, match="a state has no names: give the motion itself, or the state with of="):
        lv.transfer(motion.state, to=pair(0))
    with pytest.raises(
        lv.ModelError, match=r"not to None: give the model as to=, as in lv.transfer\(motion, to=model\)"
    ):
        lv.transfer(motion, to=None)
    with pytest.raises(lv.ModelError, match="must be 3 x 3 numbers, got shape"):
        lv.transfer(motion.state._replace(a=np.zeros((2, 3))), to=pair(0), of=motion)
    locked = pair(0)
    locked.add(lv.FixedOrientation(locked["b0"], locked["b1"], name="lock"))
    locked["h0"].start_rate = locked["h1"].start_rate = None
    with pytest.raises(lv.ModelError, match=r"'lock'.*Describe the bodies of joints that are new"):
        lv.transfer(motion, to=locked)
