"""Invariants with joints: no energy drift, momenta, time reversal, energy balance, constraint violations."""

import numpy as np
import pytest

import livens as lv
from tests.helpers import mechanisms, runs

EPS = np.finfo(float).eps


def drift(t, x):
    """The rise of a straight line fitted to x(t) over the whole time, in standard deviations of x; at most √12."""
    return abs(np.polyfit(t - t.mean(), x, 1)[0]) * np.ptp(t) / x.std()


def double_pendulum():
    """Two asymmetric links on crossed hinges, with small initial velocities."""
    m = lv.Model(gravity=mechanisms.DOWN, name="double pendulum")
    link = lv.MassProperties(1.0, (0.02, 0.09, 0.08))
    one = m.add(lv.Body(link, at=(0.3, 0, -0.4), rotation=mechanisms.frame((3, 0, -4), mechanisms.Y), name="one"))
    two = m.add(lv.Body(link, at=(0.6, 0, -1.3), rotation=mechanisms.frame((0, 0, -1), mechanisms.Y), name="two"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), one.point_at(0, 0, 0), axis=(0, 1, 0), name="shoulder"))
    m.add(lv.Revolute(one.point_at(0.6, 0, -0.8), two.point_at(0.6, 0, -0.8), axis=(1, 2, 0.5), name="elbow"))
    return m


LOOPS = (double_pendulum, mechanisms.crank_rocker, mechanisms.slider_crank)
EACH = pytest.mark.parametrize("build", LOOPS, ids=lambda build: build.__name__)
STEPS = 200_000


@EACH
@pytest.mark.parametrize(("order", "h"), [(2, 1e-3), (4, 5e-3)])
def test_the_energy_does_not_drift(build, order, h):
    """Bounded over many steps, and smaller by 2ᵖ with half the step."""
    n = STEPS if order == 2 else STEPS // 4
    motion = runs.run(build(), order, h=h, until=n * h, every=20)
    error = motion.energy - motion.energy[0]
    assert drift(motion.t, error) < 0.3
    assert np.abs(error).max() < 30 * error.std()
    coarse = runs.run(build(), order, h=2 * h, until=0.1 * n * h, every=2)
    assert error.std() < 1.5 * 2.0**-order * np.std(coarse.energy - coarse.energy[0])


def test_the_energy_of_an_overconstrained_loop_does_not_drift():
    motion = runs.run(mechanisms.bricard(), h=2e-3, until=100.0, every=5)
    assert drift(motion.t, motion.energy) < 0.3


@pytest.mark.parametrize("order", [2, 4, 6])
@pytest.mark.parametrize(
    "build", [*LOOPS, mechanisms.bricard, mechanisms.gimbal_gyroscope, mechanisms.rolling_disc, mechanisms.every_joint],
    ids=lambda build: build.__name__,
)  # fmt: skip
def test_the_motion_is_reversible(build, order):
    """A hundred steps and back: each stage satisfies its joints to the tolerance of violations."""
    missed = lv.reversibility(build(), lv.Livens(order), h=2e-3, steps=100)
    assert missed < 200 * len(lv.Livens(order).weights) * 1e-12


def test_damping_is_not_reversible():
    """The measure can fail."""
    assert lv.reversibility(mechanisms.rot_spring01(), lv.Livens(), h=2e-3, steps=100) > 0.1


@pytest.mark.parametrize("order", [2, 4, 6])
def test_a_free_mechanism_conserves_both_momenta(order):
    """Joint forces are internal: a free chain conserves p and the angular momentum about any point to round-off."""
    m = lv.Model(name="floating")
    last, rng = None, np.random.default_rng(3)
    for k, joint in enumerate((None, "ball", "hinge", "guide", "screw", "cross")):
        at = (0.5 * k, 0.1 * k, 0.0)
        matter = lv.MassProperties(1 + 0.2 * k, (0.05, 0.08, 0.1), center=rng.normal(size=3) * 0.1)
        body = m.add(lv.Body(matter, at=at, rotation=mechanisms.turn((1, 2, 3), 0.3 * k), name=f"b{k}"))
        if last is not None:
            a, b = last.point_at(at), body.point_at(at)
            m.add(
                {
                    "ball": lambda: lv.Spherical(a, b),  # noqa: B023
                    "hinge": lambda: lv.Revolute(a, b, axis=(1, 0, 2), stiffness=0.5, rest=1.0),  # noqa: B023
                    "guide": lambda: lv.Prismatic(a, b, axis=(0, 1, 1), stiffness=9.0, rest=0.3),  # noqa: B023
                    "screw": lambda: lv.Screw(a, b, axis=(1, 1, 0), pitch=0.3),  # noqa: B023
                    "cross": lambda: lv.Universal(a, b, axis_a=(1, 0, 0), axis_b=(0, 1, 0)),  # noqa: B023
                }[joint]()
            )
        last = body
    m.add(lv.Motor(m.joints[1], lambda t: 0.5 * np.sin(3 * t)))
    motion = runs.run(m, order, h=5e-3, until=5.0)
    roundings = motion.steps * len(lv.Livens(order).weights)
    P, L = motion.momentum, motion.angular_momentum
    size = np.abs(motion.record.p).max() * max(1.0, np.abs(motion.record.a).max())
    assert size > 0.1
    assert np.abs(P - P[0]).max() <= roundings * EPS * size
    assert np.abs(L - L[0]).max() <= roundings * EPS * size


def account(motion):
    return np.abs(motion.energy - motion.energy[0] - motion.work + motion.dissipated).max()


def busy(what):
    """The crank and rocker with a damper, a load, a motor or a drive."""
    m = mechanisms.crank_rocker()
    match what:
        case "damper":
            m.add(lv.Damper(m.world.point(2, 1, 0), m["rocker"].point(0, 0, 0), rate=3.0))
        case "spring":
            m.add(lv.Spring(m.world.point(2, 1, 0), m["rocker"].point(0, 0, 0), stiffness=20, length=0.5, damping=2.0))
        case "load":
            m.add(lv.Load(m["coupler"].point(0.1, 0, 0), force=lambda t: (3 * np.sin(5 * t), 1, 0), axes="body"))
        case "motor":
            m.add(lv.Motor(m["foot"], lambda t: 2 * np.cos(4 * t)))
        case "drive":
            m = mechanisms.slider_crank(drive=lambda t: 6 * t + 0.4 * (1 - np.cos(3 * t)))
        case "all but a drive":
            for one in ("damper", "spring", "load", "motor"):
                for force in busy(one).forces:
                    m.add(_again(force, m))
    return m


def _again(force, m):
    """The same force on another copy of the mechanism."""

    def point(p):
        return m[p.body.name].point(p.r)

    match force:
        case lv.Damper():
            return lv.Damper(point(force.a), point(force.b), rate=force.rate)
        case lv.Spring():
            return lv.Spring(point(force.a), point(force.b), force.stiffness, force.length, force.damping)
        case lv.Load():
            return lv.Load(point(force.point), force=force.force, axes=force.axes)
        case _:
            return lv.Motor(m[force.joint.name], force.effort)


@pytest.mark.parametrize("what", ["damper", "spring", "load", "motor", "drive", "all but a drive"])
def test_the_energy_balance_is_of_second_order(what):
    gaps = [account(runs.run(busy(what), h=h, until=2.0)) for h in (2e-3, 1e-3)]
    assert abs(runs.order(gaps)[0] - 2) < 0.1, gaps


@pytest.mark.parametrize("what", ["load", "motor", "drive"])
def test_the_energy_balance_with_fourth_order_steps(what):
    """The work is summed stage by stage with the trapezoidal rule of each: it has the order of the scheme."""
    gaps = [account(runs.run(busy(what), 4, h=h, until=2.0)) for h in (1e-2, 5e-3)]
    assert abs(runs.order(gaps)[0] - 4) < 0.4, gaps


def test_joints_are_satisfied_in_long_runs():
    """All joints in one mechanism, twenty thousand steps: no violation grows."""
    motion = runs.run(mechanisms.every_joint(), h=1e-3, until=20.0, every=200)
    assert motion.defect_orthogonality.max() < 1e-11
