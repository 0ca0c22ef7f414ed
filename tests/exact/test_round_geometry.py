"""Ellipsoids and cylinders that touch other shapes: the gap is the largest separation over all directions.

With the support functions h of two shapes and d between their centres, the distance is max (n·d − h₁(n) − h₂(−n)). The
gap and the normal of the narrow phase must give this value, and no other direction a larger one.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from tests.helpers.contacts import found_contacts
from tests.helpers.frames import Frame, G

PAIRS = [
    *(("ellipsoid", other) for other in ("ball", "capsule", "box", "ellipsoid", "cylinder")),
    ("cylinder", "ball"),
]


def shape(kind, s):
    """A shape and its support function, of directions (n, 3) in its axes."""
    match kind:
        case "ball":
            return lv.Ball(s[0], mass=1.0), lambda n: np.full(len(n), s[0])
        case "capsule":
            return lv.Capsule(s[0], 2.0 * s[1], mass=1.0), lambda n: s[0] + s[1] * np.abs(n[:, 2])
        case "box":
            return lv.Box(*(2.0 * s), mass=1.0), lambda n: np.abs(n) @ s
        case "ellipsoid":
            return lv.Ellipsoid(*s, mass=1.0), lambda n: np.linalg.norm(n * s, axis=1)
        case _:
            cylinder = lv.Cylinder(s[0], 2.0 * s[1], mass=1.0)
            return cylinder, lambda n: s[0] * np.hypot(n[:, 0], n[:, 1]) + s[1] * np.abs(n[:, 2])


@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
@pytest.mark.parametrize("apart", [0.03, 1e-4, -1e-4])
def test_gap_is_the_largest_separation(pair, apart):
    rng = np.random.default_rng(11)
    for _ in range(4):
        made = [shape(kind, rng.uniform(0.2, 1.0, 3)) for kind in pair]
        turn = [lv.Pose.from_axis_angle(rng.normal(size=3), rng.uniform(0, 3)).B for _ in range(2)]
        directions = rng.normal(size=(4_000, 3))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)

        def separation(n, d, made=made, turn=turn):
            return n @ d - made[0][1](n @ turn[0]) - made[1][1](-n @ turn[1])

        u = directions[0]
        low, high = 0.0, 6.0
        for _ in range(50):  # about where they are apart by this distance
            middle = 0.5 * (low + high)
            low, high = (middle, high) if separation(directions, middle * u).max() < apart else (low, middle)
        m = lv.Model()
        one = m.add(lv.Body(made[0][0], rotation=turn[0], name="one"))
        two = m.add(lv.Body(made[1][0], at=high * u, rotation=turn[1], name="two"))
        m.add(lv.Contact(one, two))
        [point] = found_contacts(m, 0.2)
        n = point.normal if point.first == "one" else -point.normal
        assert separation(n[None], high * u)[0] == pytest.approx(point.gap, abs=1e-12)
        close = n + 1e-3 * rng.normal(size=(4_000, 3))
        close /= np.linalg.norm(close, axis=1, keepdims=True)
        assert separation(directions, high * u).max() <= point.gap + 1e-12
        assert separation(close, high * u).max() <= point.gap + 1e-12


@pytest.mark.parametrize("frame", [Frame(0), Frame(1)], ids=["plain", "turned"])
def test_ball_leaves_a_cylinder(frame):
    """A ball that rolls down a fixed cylinder without slip leaves it at cos θ = 10/17."""
    m, R, r = frame.model(), 0.5, 0.1
    drum = frame.body(
        m,
        lv.Cylinder(R * frame.unit, frame.unit, mass=1.0),
        (0, 0, 0),
        name="drum",
        turn=lv.Pose.from_axis_angle((1, 0, 0), 0.5 * np.pi).B,
    )
    m.add(lv.Rigid(m.world.point(frame.place((0, 0, 0))), drum.center))
    at = (R + r) * np.array([np.sin(0.1), 0.0, np.cos(0.1)])
    ball = frame.ball(m, r, at, name="ball")
    m.add(lv.Contact(drum, ball, friction=5.0))
    motion = lv.simulate(m, h=1e-3, until=1.5)
    x = frame.back(motion.position(ball))
    away = np.hypot(x[:, 0], x[:, 2]) - R - r
    push = np.linalg.norm(motion.contact_force(drum, ball), axis=1)
    k = int(np.argmax(push[1:] == 0.0)) + 1
    assert np.abs(away[:k]).max() < 1e-10
    assert (push[k:] == 0.0).all()
    cosine = x[k, 2] / (R + r)
    start = np.cos(0.1)  # 10/17 of it, from rest there
    assert cosine == pytest.approx(10.0 / 17.0 * start, abs=3e-3)
    assert np.ptp((motion.energy + motion.dissipated)[:k]) < 1e-5 * G * frame.unit**2


def test_an_ellipsoid_rests_on_a_box():
    frame = Frame(1)
    m = frame.model()
    frame.box(m, (2, 2, 1), (0, 0, 0.5), name="table")
    egg = frame.body(m, lv.Ellipsoid(*(frame.unit * np.array([0.3, 0.2, 0.1])), mass=1.0), (0.1, 0.2, 1.1), name="egg")
    m.add(lv.Contacts([frame.floor(m)], friction=0.5))
    motion = lv.simulate(m, h=5e-3, until=1.0)
    x = frame.back(motion.position(egg))
    assert np.abs(x - x[0]).max() < 1e-12


@pytest.mark.parametrize("kinds", [("cylinder", "ellipsoid"), ("ellipsoid", "ellipsoid")], ids=" and ".join)
def test_gap_of_thin_round_shapes_is_the_largest_separation(kinds):
    """Rims that are nearly parallel to a face, and flat ellipsoids: the normal is hard to find there."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        sizes = [rng.uniform(0.1, 0.3, 3) for _ in range(2)]
        if kinds[0] == "ellipsoid":
            sizes = [s * (1.0, 1.0, rng.choice([0.1, 1.0])) for s in sizes]
        one, two = (shape(kind, s) for kind, s in zip(kinds, sizes, strict=True))
        turn = Rotation.random(2, random_state=rng).as_matrix()
        n, u, apart = unit(rng.normal(size=(2_000, 3))), unit(rng.normal(size=3)), rng.choice([1e-3, 0.02, 0.1])

        def separation(n, d, one=one, two=two, turn=turn):
            return n @ d - one[1](n @ turn[0]) - two[1](-n @ turn[1])

        low, high = 0.0, 3.0
        for _ in range(20):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if separation(n, middle * u).max() < apart else (low, middle)
        for k in range(8):  # directions near the best one
            best = n[np.argsort(-separation(n, high * u))[:20]]
            n = unit(np.concatenate([best, np.repeat(best, 20, axis=0) + 0.2 * 0.3**k * rng.normal(size=(400, 3))]))
        m = lv.Model()
        m.add(lv.Body(one[0], rotation=turn[0], name="one"))
        m.add(lv.Body(two[0], at=high * u, rotation=turn[1], name="two"))
        m.add(lv.Contact(m["one"], m["two"]))
        [point] = found_contacts(m, 0.5)
        normal = point.normal if point.first == "one" else -point.normal
        assert separation(n, high * u).max() <= point.gap + 1e-12
        assert separation(normal[None], high * u)[0] == pytest.approx(point.gap, abs=1e-12)


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)
