"""Inverse kinematics: closed forms of planar arms, limits, ball joints, loops, targets that cannot be reached."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv


def planar_arm(rng, unit=1.0, lengths=(1.0, 0.8), limits=(None, None)):
    """An arm of two bars in a random plane: (model, tip, axes of the plane as columns)."""
    R = Rotation.random(random_state=rng).as_matrix()
    m, at, before = lv.Model(), np.zeros(3), None
    for k, (length, limit) in enumerate(zip(lengths, limits, strict=True)):
        l = unit * length
        bar = m.add(
            lv.Body(lv.Box(l, 0.1 * unit, 0.1 * unit, mass=1.0), at=at + R @ (l / 2, 0, 0), rotation=R, name=f"b{k}")
        )
        base = m.world.point(0, 0, 0) if before is None else before
        m.add(lv.Revolute(base, bar.point(-l / 2, 0, 0), axis=R[:, 2], limits=limit, name=f"j{k}"))
        before, at = bar.point(l / 2, 0, 0), at + R @ (l, 0, 0)
    return m, before, R


def elbow(x, y, lengths, sign):
    """The angles of an arm of two bars whose tip is at (x, y)."""
    a, b = lengths
    q2 = sign * np.arccos((x * x + y * y - a * a - b * b) / (2 * a * b))
    return np.array([np.arctan2(y, x) - np.arctan2(b * np.sin(q2), a + b * np.cos(q2)), q2])


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e4])
def test_two_bars_against_the_closed_form(unit):
    rng = np.random.default_rng(1)
    for _ in range(5):
        sign = rng.choice([-1.0, 1.0])
        m, tip, R = planar_arm(rng, unit)
        angle, far = rng.uniform(-2, 2), rng.uniform(0.4, 1.7)
        x, y = far * np.cos(angle), far * np.sin(angle)
        found = lv.inverse_kinematics(m, {tip: unit * (R @ (x, y, 0))}, start=[angle, 0.7 * sign])
        assert np.cos(found.q) == pytest.approx(np.cos(elbow(x, y, (1.0, 0.8), sign)), abs=1e-9)
        assert np.sin(found.q) == pytest.approx(np.sin(elbow(x, y, (1.0, 0.8), sign)), abs=1e-9)


def test_limits_choose_the_elbow():
    rng = np.random.default_rng(2)
    for sign, limit in ((1.0, (0.0, 3.0)), (-1.0, (-3.0, 0.0))):
        m, tip, R = planar_arm(rng, limits=(None, limit))
        found = lv.inverse_kinematics(m, {tip: R @ (0.5, 0.9, 0)}, start=[0.3, -1.0 * sign])
        assert found.q == pytest.approx(elbow(0.5, 0.9, (1.0, 0.8), sign), abs=1e-9)
        ignored = lv.inverse_kinematics(m, {tip: R @ (0.5, 0.9, 0)}, start=[1.5, -1.0 * sign], limits=False)
        assert ignored.q == pytest.approx(elbow(0.5, 0.9, (1.0, 0.8), -sign), abs=1e-9)


def test_a_target_out_of_reach():
    """The nearest position stretches the arm towards it: 1.8 m of 2.5 m."""
    m, tip, R = planar_arm(np.random.default_rng(3))
    target = 2.5 * R @ (np.cos(0.4), np.sin(0.4), 0)
    with pytest.raises(lv.ModelError, match=re.escape("by 0.7 m. nearest=True gives this position.")):
        lv.inverse_kinematics(m, {tip: target})
    found = lv.inverse_kinematics(m, {tip: target}, start=[0.2, 0.5], nearest=True)
    assert found.q == pytest.approx([0.4, 0.0], abs=1e-4)
    m, tip, R = planar_arm(np.random.default_rng(3), limits=((-0.5, 0.5), (-0.2, 0.2)))
    with pytest.raises(lv.ModelError, match="at a limit"):
        lv.inverse_kinematics(m, {tip: R @ (-1, 0, 0)})


def test_ball_joints_and_a_free_body():
    rng = np.random.default_rng(4)
    m = lv.Model()
    a = m.add(lv.Body(lv.Box(1, 0.2, 0.1, mass=1.0), at=(0.5, 0, 0), name="a"))
    b = m.add(lv.Body(lv.Box(1, 0.2, 0.1, mass=1.0), at=(1.5, 0, 0), name="b"))
    free = m.add(lv.Body(lv.Box(1, 0.2, 0.1, mass=1.0), at=(5, 0, 0), name="free"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), a.point(-0.5, 0, 0), start=(0.1, 0.2, -0.3), name="hip"))
    m.add(lv.Spherical(a.point(0.5, 0, 0), b.point(-0.5, 0, 0), name="knee"))
    for _ in range(4):
        u = rng.normal(size=3)
        pose = lv.Pose(0.4 * rng.normal(size=3), Rotation.random(random_state=rng).as_matrix())
        place = rng.uniform(0.3, 1.8) * u / np.linalg.norm(u)
        found = lv.inverse_kinematics(m, {b.point(0.5, 0, 0): place, "free": pose})
        assert found.position(b.point(0.5, 0, 0))[0] == pytest.approx(place, abs=1e-9)
        assert found.position(free)[0] == pytest.approx(pose.a, abs=1e-9)
        assert found.rotation(free)[0] == pytest.approx(pose.B, abs=1e-9)
        assert found.defect_position[0] < 1e-12
    m["hip"].limits = np.array([-np.inf, 0.2])
    with pytest.raises(lv.ModelError, match=r"only with Spherical 'hip' at [\d.]+, beyond its limits"):
        lv.inverse_kinematics(m, {b.point(0.5, 0, 0): (-1.9, 0, 0)})


def test_a_closed_loop():
    """A parallelogram: the coupler's middle moves on a circle; a target off it is refused."""
    m = lv.Model(planar="xz")
    left = m.add(lv.Body(lv.Box(0.1, 0.1, 1, mass=1.0), at=(0, 0, 0.5), name="left"))
    right = m.add(lv.Body(lv.Box(0.1, 0.1, 1, mass=1.0), at=(2, 0, 0.5), name="right"))
    top = m.add(lv.Body(lv.Box(2, 0.1, 0.1, mass=1.0), at=(1, 0, 1), name="top"))
    for k, (one, two, x) in enumerate(
        ((m.world, left, (0, 0, 0)), (m.world, right, (2, 0, 0)), (left, top, (0, 0, 1)), (right, top, (2, 0, 1)))
    ):
        m.add(lv.Revolute(one.point_at(*x), two.point_at(*x), axis=(0, 1, 0), name=f"j{k}"))
    found = lv.inverse_kinematics(m, {top.center: (1 + np.sin(0.8), 0, np.cos(0.8))})
    assert found.coordinate("j0")[0] == pytest.approx(0.8, abs=1e-9)
    assert found.defect_position[0] < 1e-12
    with pytest.raises(lv.ModelError, match="the targets are not reached"):
        lv.inverse_kinematics(m, {top.center: (1.0, 0, 0.8)})
    m["j2"].limits = np.array([-0.5, 0.5])  # of a coordinate that depends on the first
    with pytest.raises(lv.ModelError, match=r"only with Revolute 'j2' at -0\.8, beyond its limits"):
        lv.inverse_kinematics(m, {top.center: (1 + np.sin(0.8), 0, np.cos(0.8))})


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ({}, "one entry at least"),
        ([1, 2], "targets are a table"),
        ({"nobody": (0, 0, 0)}, "the model has nothing named 'nobody'"),
        ({"world": (0, 0, 0)}, "a point or a body of the model that moves"),
        ({"j0": (0, 0, 0)}, "a point or a body of the model that moves"),
        ({"b0": (0, 0)}, "the target of 'b0' must be 3 numbers"),
        ({"b0": (0, 0, float("inf"))}, "is not finite"),
    ],
)
def test_refusals(targets, words):
    m, tip, _ = planar_arm(np.random.default_rng(5))
    with pytest.raises(lv.ModelError, match=words):
        lv.inverse_kinematics(m, targets)
    with pytest.raises(lv.ModelError, match="a point has no rotation"):
        lv.inverse_kinematics(m, {tip: lv.Pose()})
    with pytest.raises(lv.ModelError, match="start must be"):
        lv.inverse_kinematics(m, {tip: (1, 0, 0)}, start=[1.0])
