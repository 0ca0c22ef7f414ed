"""Initial rates of joints; the rates of the other joints are known in closed form."""

import numpy as np
import pytest

import livens as lv

X, Y, Z = np.eye(3)


def still(model):
    """The first instant of a motion."""
    return lv.simulate(model, h=1e-4, until=1e-4)


def close(found, expected, most=1e-13):
    assert np.abs(np.asarray(found) - expected).max() <= most * max(1.0, np.abs(expected).max())


def crank_and_slider(**rate):
    """Haug's slider-crank in space, at rest except for the rates of joints."""
    m = lv.Model()
    A, C = np.array([0.0, 0.1, 0.12]), np.array([0.2, 0.0, 0.0])
    B = A + 0.08 * Z
    u, v = (C - B) / 0.3, np.array([0.0, 2.0, -1.0]) / np.sqrt(5.0)
    R = np.stack([u, v, np.cross(u, v)], axis=1)
    crank = m.add(lv.Body(lv.MassProperties(0.12, (1e-4, 1e-4, 1e-5)), at=(A + B) / 2, name="crank"))
    rod = m.add(lv.Body(lv.MassProperties(0.5, (4e-4, 4e-3, 4e-3)), at=(B + C) / 2, rotation=R, name="rod"))
    slider = m.add(lv.Body(lv.MassProperties(2.0, (1e-4, 1e-4, 1e-4)), at=C, name="slider"))
    m.add(lv.Revolute(m.world.point(A), crank.point_at(A), axis=X, name="hinge"))
    m.add(lv.Spherical(crank.point_at(B), rod.point_at(B), name="ball"))
    m.add(lv.Universal(slider.point(0, 0, 0), rod.point_at(C), axis_a=X, axis_b=v, name="cross"))
    m.add(lv.Prismatic(m.world.point(C), slider.point(0, 0, 0), axis=X, name="guide"))
    for name, value in rate.items():
        m[name].start_rate = value
    return m


@pytest.mark.parametrize("rate", [{"hinge": 6.0}, {"guide": 0.24}, {"hinge": 6.0, "guide": 0.24}])
def test_a_loop_in_space_follows_one_of_its_joints(rate):
    """The published velocities for a crank at 6 rad/s (E. J. Haug, 1989, scaled)."""
    motion = still(crank_and_slider(**rate))
    close(motion.angular_velocity("crank")[0], 6 * X, 1e-12)
    close(motion.angular_velocity("rod")[0], [1.92, -0.96, 0.48], 1e-12)
    close(motion.velocity("slider")[0], [0.24, 0, 0], 1e-12)


def test_redundant_constraints_do_not_matter():
    """A planar four-bar with hinges in space; its velocities by two equations for the end of the rocker."""
    B, C, D = np.array([0.0, 0.3]), np.array([0.72, 0.67]), np.array([1.0, 0.0])
    vB = 10.0 * 0.3 * np.array([1.0, 0.0])  # about y, from z to x
    vC = np.linalg.solve([C - B, C - D], [vB @ (C - B), 0.0])
    m = lv.Model(gravity=(0, 0, -9.81))
    bars = {}
    for name, a, b in (("crank", np.zeros(2), B), ("coupler", B, C), ("rocker", D, C)):
        x, z = b - a
        turn = lv.Pose.from_axis_angle(Y, -np.arctan2(z, x)).B
        middle = (a + b) / 2
        shape = lv.Box(np.hypot(x, z), 0.03, 0.05, density=2700)
        bars[name] = m.add(lv.Body(shape, at=(middle[0], 0, middle[1]), rotation=turn, name=name))
    places = {"A": (m.world, bars["crank"], (0.0, 0.0)), "B": (bars["crank"], bars["coupler"], B),
              "C": (bars["coupler"], bars["rocker"], C), "D": (m.world, bars["rocker"], D)}  # fmt: skip
    for name, (a, b, (x, z)) in places.items():
        m.add(lv.Revolute(a.point_at(x, 0, z), b.point_at(x, 0, z), axis=Y, name=name))
    m["A"].start_rate = 10.0
    with pytest.warns(lv.ModelWarning, match="redundant"):
        motion = still(m)
    assert motion.freedom == 1
    close(motion.velocity(bars["rocker"].point_at(C[0], 0, C[1]))[0], [vC[0], 0, vC[1]], 1e-12)
    assert motion.defect_velocity[0] < 1e-13


def test_free_bodies_recoil():
    """Two wheels on one axle in space: their spins are opposite, by their moments, and sum to the rate."""
    m = lv.Model()
    one = m.add(lv.Body(lv.MassProperties(1.0, (2.0, 2.0, 2.0)), name="one"))
    two = m.add(lv.Body(lv.MassProperties(1.0, (2.0, 2.0, 3.0)), at=Z, name="two"))
    m.add(lv.Revolute(one.point_at(Z), two.point(0, 0, 0), axis=Z, start_rate=5.0, name="axle"))
    motion = still(m)
    close(motion.body_rates("one")[0], -3.0 * Z)
    close(motion.body_rates("two")[0], 2.0 * Z)
    assert np.abs(motion.angular_momentum).max() < 1e-13


def arm(shoulder=None, elbow=None):
    """Two slender rods of 1 m and 1 kg in a row along x, hinged about y."""
    m = lv.Model()
    rod = lv.MassProperties(1.0, (1e-9, 1 / 12, 1 / 12))
    upper = m.add(lv.Body(rod, at=(0.5, 0, 0), name="upper"))
    lower = m.add(lv.Body(rod, at=(1.5, 0, 0), name="lower"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), upper.point(-0.5, 0, 0), axis=Y, start_rate=shoulder, name="shoulder"))
    m.add(lv.Revolute(upper.point(0.5, 0, 0), lower.point(-0.5, 0, 0), axis=Y, start_rate=elbow, name="elbow"))
    return m


def test_unspecified_rates_follow_from_an_impulse():
    """The impulse leaves the lower rod without angular momentum about the elbow: (1/2) ω₁ + (1/3) ω₂ = 0."""
    motion = still(arm(shoulder=1.0))
    close(motion.body_rates("upper")[0], Y)
    close(motion.body_rates("lower")[0], -1.5 * Y)
    motion = still(arm(shoulder=1.0, elbow=0.0))
    close(motion.body_rates("lower")[0], Y)


def test_given_velocities_are_changed_by_the_smallest_amount():
    """The whole arm rotates at 2 rad/s; an impulse at the elbow adds 3 rad/s there."""
    m = arm(elbow=3.0)
    for body, x in ((m["upper"], 0.5), (m["lower"], 1.5)):
        body.velocity, body.body_rates = np.array([0, 0, -2.0 * x]), 2.0 * Y
    motion = still(m)
    # Torques ∓Q at the elbow: (4/3) Δ₁ + (1/2) Δ₂ = −Q, (1/2) Δ₁ + (1/3) Δ₂ = Q, Δ₂ − Δ₁ = 3, with a reaction that
    # carries the rod along: M Δ = Q (−1, 1) for M of the double pendulum in absolute angles.
    M = np.array([[4 / 3, 1 / 2], [1 / 2, 1 / 3]])
    change = np.linalg.solve(M, [-1.0, 1.0])
    change *= 3.0 / (change[1] - change[0])
    close(motion.body_rates("upper")[0], (2.0 + change[0]) * Y)
    close(motion.body_rates("lower")[0], (2.0 + change[1]) * Y)


def test_rates_of_displacements_and_screws():
    m = lv.Model()
    shape = lv.MassProperties(2.0, (2.0, 2.0, 3.0))
    slide, nut, sleeve = (m.add(lv.Body(shape, at=(k, 0, 0), name=n)) for k, n in enumerate(("slide", "nut", "sleeve")))
    ends = {body.name: (m.world.point_at(k, 0, 0), body.point(0, 0, 0)) for k, body in enumerate((slide, nut, sleeve))}
    m.add(lv.Prismatic(*ends["slide"], axis=Z, start_rate=0.5, name="p"))
    m.add(lv.Screw(*ends["nut"], axis=Z, pitch=0.1, start_rate=2 * np.pi, name="s"))
    m.add(lv.Cylindrical(*ends["sleeve"], axis=Z, start_rate=-4.0, name="c"))
    motion = still(m)
    close(motion.velocity("slide")[0], 0.5 * Z)
    close(motion.velocity("nut")[0], 0.1 * Z)
    close(motion.body_rates("nut")[0], 2 * np.pi * Z)
    close(motion.body_rates("sleeve")[0], -4.0 * Z)
    close(motion.velocity("sleeve")[0], 0.0 * Z)


def test_gears_and_prescribed_motions_are_satisfied():
    """A geared pair: the second wheel follows; a driven hinge keeps its own rate."""
    m = lv.Model()
    shape = lv.MassProperties(1.0, (1.0, 1.0, 1.0))
    hinges = []
    for k, drive in enumerate((None, None, lambda t: 0.25 * t)):
        wheel = m.add(lv.Body(shape, at=(k, 0, 0), name=f"wheel{k}"))
        hinges.append(m.add(lv.Revolute(m.world.point_at(k, 0, 0), wheel.point(0, 0, 0), axis=Z, drive=drive)))
    m.add(lv.Coupling(hinges[0], hinges[1], ratio=-2.0))
    hinges[0].start_rate = 3.0
    motion = still(m)
    close(motion.body_rates("wheel0")[0], 3.0 * Z)
    close(motion.body_rates("wheel1")[0], -6.0 * Z)
    close(motion.body_rates("wheel2")[0], 0.25 * Z, 1e-10)


def test_contradicting_rates_are_errors():
    with pytest.raises(lv.ModelError, match=r"no velocity satisfies all joints.*given for 'hinge', 'guide': give"):
        still(crank_and_slider(hinge=6.0, guide=0.25))
    m = lv.Model()
    wheel = m.add(lv.Body(lv.Ball(1.0, mass=1.0)))
    with pytest.raises(lv.ModelError, match="has both drive and start_rate"):
        lv.Revolute(m.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=Z, drive=lambda t: t, start_rate=1.0)
    with pytest.raises(lv.ModelError, match="start_rate of a Revolute"):
        lv.Revolute(m.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=Z, start_rate=float("nan"))


def test_scenes_store_start_rates(tmp_path):
    lv.write_scene(arm(shoulder=1.0, elbow=0.25), tmp_path / "arm.toml")
    assert "start_rate = 0.25" in (tmp_path / "arm.toml").read_text()
    model = lv.read_scene(tmp_path / "arm.toml").model()
    assert [joint.start_rate for joint in model.joints] == [1.0, 0.25]
    close(still(model).body_rates("lower")[0], 1.25 * Y)


def test_start_rates_are_exported_to_mjcf(tmp_path):
    """The keyframe of an exported MJCF model has the resulting rates: −2.5 at an elbow without a given rate."""
    mujoco = pytest.importorskip("mujoco")
    lv.write_mjcf(arm(shoulder=1.0), tmp_path / "arm.xml")
    key = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml")).key_qvel[0]
    close(key, [1.0, -2.5])
