"""The derivative of a segment of a run against differences of it, the tangent of the motion, and closed forms."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from livens.analysis.segment import Segment
from tests.helpers.problems import lopsided, turned

STENCIL = ((1, 4.0 / 5.0), (2, -1.0 / 5.0), (3, 4.0 / 105.0), (4, -1.0 / 280.0))  # first derivative, eighth order


def arm(seed, damped=True):
    """Two lopsided bodies on a hinge and a slide with springs and dampers, a motor on each and a thruster, in a random
    orientation and unit."""
    rng = np.random.default_rng(seed)
    R = Rotation.random(random_state=seed).as_matrix()
    l, mass, t = 10.0 ** rng.uniform(-2, 2, size=3)
    force = mass * l / t**2
    m = lv.Model(gravity=R @ (0.3, 0, -9.81) * l / t**2)
    some = [lopsided(seed + k) for k in range(2)]
    some = [lv.MassProperties(one.mass * mass, one.inertia * mass * l**2, one.center * l) for one in some]
    one = m.add(lv.Body(some[0], at=l * (R @ (0.5, 0, 0)), rotation=turned(seed), name="one"))
    two = m.add(lv.Body(some[1], at=l * (R @ (1.4, 0, 0)), rotation=turned(seed + 5), name="two"))
    x = l * (R @ (1.0, 0, 0))
    hinge = m.add(
        lv.Revolute(m.world.point(0, 0, 0), one.point_at(0, 0, 0), axis=R @ (0.1, 1, 0), stiffness=3 * force * l,
                    damping=damped * 0.4 * force * l * t, name="hinge")
    )  # fmt: skip
    slide = m.add(
        lv.Prismatic(one.point_at(*x), two.point_at(*x), axis=R @ (1, 0, 1), stiffness=40 * force / l,
                     damping=damped * 0.7 * force * t / l, name="slide")
    )  # fmt: skip
    m.add(lv.Motor(hinge, 0.3 * force * l, name="turn"))
    m.add(lv.Motor(slide, lambda time: force * np.sin(time / t), name="push"))
    m.add(lv.Load(two.point(0.1 * l, 0, 0), force=(force, 0, 0), axes="body", name="thrust"))
    return m, l, t, force


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("order", [2, 4])
def test_differences(seed, order):
    """A and B to 1e-9 of the largest change of the same kind."""
    m, l, t, force = arm(seed, damped=order == 2)  # order 4 takes stages backwards
    space = lv.JointSpace(m, driven=True)
    signals = space.compiled.signals(0.01 * t)
    columns = [*(one.first for one in signals.motors), signals.loads[0].first + 1]
    segment = Segment(space, lv.Livens(order=order), 0.01 * t, 5, columns)
    x, u = np.array([0.3, 0.1 * l, 0.8 / t, -0.4 * l / t]), np.zeros(3)
    unit = np.array([1.0, l, 1.0 / t, l / t, force * l, force, force])

    def end(z):
        state = segment(space.damped_state(z[:2], z[2:4], 0.2 * t), 0.2 * t, z[4:]).state
        return np.concatenate(space.read(state))

    found = segment(space.damped_state(x[:2], x[2:], 0.2 * t), 0.2 * t, u)
    both = np.concatenate([found.A, found.B], axis=1)
    assert both.shape == (4, 7)
    for k in range(7):
        e = 3e-3 * unit * np.eye(7)[k]
        z = np.concatenate([x, u])
        slope = sum(w * (end(z + n * e) - end(z - n * e)) for n, w in STENCIL) / 3e-3 / unit[:4]
        size = np.abs(both[:, k] * unit[k] / unit[:4]).max()
        assert both[:, k] * unit[k] / unit[:4] == pytest.approx(slope, abs=1e-9 * size)


@pytest.mark.parametrize("seed", range(2))
def test_segments_join_to_the_tangent_of_the_motion(seed):
    """The product of the maps of three segments is the tangent of the whole motion."""
    m, l, t, _ = arm(seed)
    space = lv.JointSpace(m, driven=True)
    h = 0.01 * t
    segment = Segment(space, lv.Livens(), h, 4)
    state, product = space.damped_state([0.2, 0.1 * l], [1.0 / t, 0.0]), np.eye(4)
    motion = lv.simulate(m, h=h, until=12 * h, start=state)
    for k in range(3):
        mapped = segment(state, 4 * k * h)
        state, product = mapped.state, mapped.A @ product
    unit = np.array([1.0, l, 1.0 / t, l / t])
    change = np.outer(1.0 / unit, unit)
    assert product * change == pytest.approx(motion.tangent().A[-1] * change, abs=1e-11)
    assert np.concatenate(space.read(state)) / unit == pytest.approx(
        np.concatenate([motion.q[-1], motion.v[-1]]) / unit, abs=1e-12
    )


@pytest.mark.parametrize("seed", range(3))
def test_linearised_step_of_an_oscillator(seed):
    """A cart with spring, damper and motor: half kick, drift, half kick, the damper by the trapezoidal rule:
    v⁺ = v − h/2 (w x + c v − u), x₁ = x + h v⁺, (1 + h c/2) v₁ = v⁺ − h/2 (w x₁ − u), per unit of mass."""
    rng = np.random.default_rng(seed)
    R, h, w, c = Rotation.random(random_state=seed).as_matrix(), 0.1, *rng.uniform(0.5, 3.0, 2)
    m = lv.Model()
    cart = m.add(lv.Body(lopsided(seed), at=R @ (0.3, 0, 0), rotation=turned(seed), name="cart"))
    mass = cart.mass_properties.mass
    rail = m.add(
        lv.Prismatic(m.world.point(0, 0, 0), cart.point_at(0, 0, 0), axis=R @ (1, 2, 0), stiffness=mass * w,
                     damping=mass * c, name="rail")
    )  # fmt: skip
    lin = lv.linearize(m, at=[0.2], inputs=[rail], h=h)
    kick = np.array([[1.0, 0.0, 0.0], [-0.5 * h * w, 1.0 - 0.5 * h * c, 0.5 * h / mass], [0.0, 0.0, 1.0]])
    drift = np.array([[1.0, h, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    end = np.array([[1.0, 0.0, 0.0], [-0.5 * h * w, 1.0, 0.5 * h / mass], [0.0, 0.0, 1.0]])
    end[1] /= 1.0 + 0.5 * h * c
    whole = end @ drift @ kick
    assert pytest.approx(whole[:2, :2], abs=1e-13) == lin.A
    assert lin.B[:, 0] == pytest.approx(whole[:2, 2], abs=1e-13 / mass)
