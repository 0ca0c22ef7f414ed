"""Extreme mechanisms: far from the origin, after many rotations, of tiny mass, in special positions, changed models."""

import numpy as np
import pytest

import livens as lv

BOX = lv.Box(1, 0.1, 0.1, density=1000)
EPS = np.finfo(float).eps
G = (0, 0, -9.81)


def arm(**options):
    m = lv.Model(gravity=G)
    b = m.add(lv.Body(BOX, at=(0.5, 0, 0), name="arm"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), b.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge", **options))
    return m


def test_a_pair_may_fall_four_kilometres():
    """Joints are satisfied to the round-off of distant positions."""
    m = lv.Model(gravity=G)
    a = m.add(lv.Body(BOX, at=(0.5, 0, 0)))
    b = m.add(lv.Body(BOX, at=(1.5, 0, 0), angular_velocity=(0, 3, 0)))
    m.add(lv.Spherical(a.point(0.5, 0, 0), b.point(-0.5, 0, 0)))
    with pytest.warns(lv.ModelWarning, match="the initial velocities did not satisfy"):
        motion = lv.simulate(m, h=1e-3, until=30, every=1000)
    depth = np.abs(motion.position(a)[-1, 2])
    assert depth > 4000
    assert motion.defect_position.max() < 32 * EPS * depth
    assert np.ptp(motion.angular_velocity(b)[:, 1]) < 3.0  # it swings as it would at home


def test_drives_and_gears_turn_ten_thousand_times():
    m = lv.Model()
    wheels = [m.add(lv.Body(lv.Cylinder(0.1, 0.02, density=1000), at=(x, 0, 0))) for x in (0, 1)]
    hinges = [m.add(lv.Revolute(m.world.point_at(*w.pose.a), w.point(0, 0, 0), axis=(0, 0, 1))) for w in wheels]
    hinges[0].drive = lambda t: 300 * t
    m.add(lv.Coupling(*hinges, ratio=-2.0))
    with pytest.warns(lv.ModelWarning, match="the initial velocities did not satisfy"):
        motion = lv.simulate(m, h=1e-3, until=210, every=1000)
    angle = motion.coordinate(hinges[1])
    assert np.abs(angle + 600 * motion.t).max() < 32 * EPS * 600 * 210
    assert motion.defect_position.max() < 32 * EPS * 600 * 210


def test_a_rack_far_from_its_initial_position():
    m = lv.Model()
    pinion = m.add(lv.Body(lv.Cylinder(0.1, 0.02, density=1000), at=(1e4, 0, 0), body_rates=(0, 0, 3)))
    rack = m.add(lv.Body(BOX, at=(1e4, 1, 0), velocity=(0.3, 0, 0)))
    turn = m.add(lv.Revolute(m.world.point(1e4, 0, 0), pinion.point(0, 0, 0), axis=(0, 0, 1)))
    slide = m.add(lv.Prismatic(m.world.point(1e4, 1, 0), rack.point(0, 0, 0), axis=(1, 0, 0)))
    m.add(lv.Coupling(turn, slide, ratio=0.1))
    motion = lv.simulate(m, h=1e-3, until=2.0)
    late = (3 * 1e-3) ** 2 / 6  # sin θ = hω: the clock of the step
    assert np.abs(motion.coordinate(slide) - 0.3 * motion.t).max() < 0.6 * late + 32 * EPS * 1e4


@pytest.mark.parametrize("mass", [1e-3, 1e-6, 1e-9])
def test_a_pin_of_very_small_mass(mass):
    """Geometry, not mass, decides which equations are redundant: the bars move as if they were joined directly."""
    m, direct = lv.Model(gravity=G), lv.Model(gravity=G)
    for model in (m, direct):
        for x, name in ((0.5, "a"), (1.5, "b")):
            model.add(lv.Body(BOX, at=(x, 0, 0), name=name))
        model.add(lv.Spherical(model.world.point(0, 0, 0), model["a"].point(-0.5, 0, 0)))
    pin = m.add(lv.Body(lv.PointMass(mass), at=(1, 0, 0)))
    m.add(lv.Spherical(m["a"].point(0.5, 0, 0), pin.point(0, 0, 0)))
    m.add(lv.Spherical(pin.point(0, 0, 0), m["b"].point(-0.5, 0, 0)))
    direct.add(lv.Spherical(direct["a"].point(0.5, 0, 0), direct["b"].point(-0.5, 0, 0)))
    one, two = (lv.simulate(model, h=1e-3, until=0.5) for model in (m, direct))
    assert one.freedom == two.freedom == 6
    assert np.abs(one.position("b") - two.position("b")).max() < mass  # of 10 kg bars


def test_a_beam_that_starts_stretched_stops_the_run():
    """Its third hinge is redundant at the start only: the run stops with an error."""
    m = lv.Model(gravity=G)
    a, b = (m.add(lv.Body(BOX, at=(x, 0, 0))) for x in (0.5, 1.5))
    for left, right in (
        (m.world.point(0, 0, 0), a.point(-0.5, 0, 0)),
        (a.point(0.5, 0, 0), b.point(-0.5, 0, 0)),
        (b.point(0.5, 0, 0), m.world.point(2, 0, 0)),
    ):
        m.add(lv.Revolute(left, right, axis=(0, 1, 0)))
    with pytest.warns(lv.ModelWarning), pytest.raises(lv.StepFailed, match=r"has come apart by .* Start it away from"):
        lv.simulate(m, h=1e-3, until=0.5)


def test_reactions_include_the_efforts_of_controllers():
    m = arm()
    weight = 9.81 * m["arm"].mass_properties.mass
    m.add(lv.Motor(m["hinge"], lambda t, now: -0.5 * weight, rate=100.0))  # holds the arm level
    motion = lv.simulate(m, h=1e-3, until=0.1)
    assert np.abs(motion.angular_acceleration("arm")[1:]).max() < 1e-9
    assert np.abs(motion.reaction("hinge")[1:] - (0, 0, weight)).max() < 1e-9


def test_rotations_are_counted_at_every_step_not_at_stored_states():
    m = lv.Model()
    wheel = m.add(lv.Body(lv.Cylinder(0.1, 0.02, density=1000)))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=(0, 0, 1)))
    J = wheel.mass_properties.inertia[2, 2]
    m.add(lv.Motor(hinge, lambda t: J * 200 * np.sin(2 * np.pi * t)))
    motion = lv.simulate(m, h=1e-3, until=4, every=1000)
    exact = 200 / (2 * np.pi) * motion.t  # at whole seconds
    late = (1e-3 * 400 / (2 * np.pi)) ** 2 / 6  # sin θ = hω at the fastest: the clock of the step
    assert np.abs(motion.coordinate(hinge) - exact).max() < late * exact[-1]


def test_a_motion_cannot_be_continued_with_another_model():
    m = arm()
    motion = lv.simulate(m, h=1e-3, until=0.1)
    m.add(lv.Body(BOX, at=(0, 5, 0)))
    with pytest.raises(lv.ModelError, match="has been changed since this motion was computed"):
        lv.resume(motion, until=0.2)


def test_a_start_given_by_the_user_is_checked():
    m = arm()
    state = lv.simulate(m, h=1e-3, until=0.1).state
    with pytest.raises(lv.ModelError, match="is not closed in the given state"):
        lv.simulate(m, h=1e-3, until=0.1, start=state._replace(a=state.a + 0.3 * np.eye(2, 3, -1)))
    with pytest.raises(lv.ModelError, match="a rotation of the start is not orthonormal"):
        lv.simulate(m, h=1e-3, until=0.1, start=state._replace(B=2 * state.B))


def changed_hinge(m):
    m["hinge"].stiffness, m["hinge"].rest = 1e3, 0.7


CHANGES = {
    "gravity": lambda m: setattr(m, "gravity", np.array([0, 0, -1.62])),
    "load": lambda m: setattr(m["push"], "force", np.array([0, 0, 1e3])),
    "function of time": lambda m: setattr(m["wind"], "force", lambda t: (1e3 * t, 0, 0)),
    "spring in a joint": changed_hinge,
    "prescribed motion": lambda m: setattr(m["crank"], "drive", lambda t: 5 * t**2),
    "shape": lambda m: setattr(m["arm"], "shape", lv.Box(2, 1, 1, mass=99.0)),
    "another body": lambda m: m.add(lv.Body(lv.PointMass(1.0), at=(9, 9, 9))),
    "another load": lambda m: m.add(lv.Load(m["arm"].point(0, 0, 0), force=(1e3, 0, 0))),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_motion_owns_what_it_was_computed_from(change):
    """Whatever is done to its model afterwards, its reactions, energies and accelerations stay."""
    m = lv.Model(gravity=(0, 0, -9.81))
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=2.0), at=(0.5, 0, 0), name="arm"))
    fore = m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1.0), at=(1.5, 0, 0), name="fore"))
    m.add(
        lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="crank", drive=lambda t: t**2)
    )
    m.add(lv.Revolute(arm.point(0.5, 0, 0), fore.point(-0.5, 0, 0), axis=(0, 1, 0), stiffness=5.0, name="hinge"))
    m.add(lv.Load(fore.point(0.5, 0, 0), force=(0, 0, -3.0), name="push"))
    m.add(lv.Load(fore.point(0.5, 0, 0), force=lambda t: (np.sin(t), 0, 0), name="wind"))

    def facts(motion):
        return motion.reaction("crank"), motion.reaction_torque("crank"), motion.energy, motion.acceleration("fore")

    one, two = (lv.simulate(m, h=1e-3, until=0.5, every=50) for _ in range(2))
    expected = facts(one)
    CHANGES[change](m)
    for quantity, wanted in zip(facts(two), expected, strict=True):
        assert np.array_equal(quantity, wanted)
