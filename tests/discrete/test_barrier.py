"""Contact by a barrier: no intersections, friction, momentum, interlocked rings, in random orientation and unit."""

from __future__ import annotations

import numpy as np
import pytest

import livens as lv
import livens.discrete as ld
from livens.describe.surface import Surface
from tests.helpers.frames import Frame, G

NEEDS_IPCTK = "the extra barrier (ipctk) is not installed"


def ring(R, r, around=16, across=6):
    """The surface of a torus about the z axis."""
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = 2.0 * np.pi * u / around, 2.0 * np.pi * v / across
    x = np.stack([(R + r * np.cos(b)) * np.cos(a), (R + r * np.cos(b)) * np.sin(a), r * np.sin(b)], axis=-1)
    one, two = (u + 1) % around, (v + 1) % across
    corner = (u * across + v, one * across + v, one * across + two, u * across + two)
    triangles = np.concatenate(
        [np.stack(corner[:3], -1).reshape(-1, 3), np.stack((corner[0], *corner[2:]), -1).reshape(-1, 3)]
    )
    return Surface(x.reshape(-1, 3), triangles.astype(np.int32))


def links(one, two):
    """Gauss's linking number of two closed polygons."""
    total = 0.0
    for p, q in zip(one, np.roll(one, -1, axis=0), strict=True):
        for s, t in zip(two, np.roll(two, -1, axis=0), strict=True):
            a, b, c, d = s - p, s - q, t - q, t - p
            n = [np.cross(x, y) for x, y in ((a, b), (b, c), (c, d), (d, a))]
            n = [x / np.linalg.norm(x) for x in n]
            solid = sum(np.arcsin(np.clip(x @ y, -1, 1)) for x, y in zip(n, n[1:] + n[:1], strict=True))
            total += np.sign(np.cross(t - s, q - p) @ a) * solid
    return total / (4.0 * np.pi)


@pytest.mark.parametrize("slope", [0.2, 0.4])
def test_box_on_an_incline(slope):
    """Below the angle of friction a box creeps slowly; above it has the exact acceleration, to first order in h."""
    pytest.importorskip("ipctk", reason=NEEDS_IPCTK)
    frame, h = Frame(1), 0.01
    n, down = np.array([-np.sin(slope), 0, np.cos(slope)]), np.array([-np.cos(slope), 0, -np.sin(slope)])
    m = frame.model()
    box = frame.box(m, (0.2, 0.2, 0.1), 0.0506 * n, turn=lv.Pose.from_axis_angle((0, 1, 0), -slope).B)
    m.add(lv.Contacts([frame.floor(m, n)], friction=0.3))
    motion = lv.simulate(m, ld.Barrier(distance=1e-3 * frame.unit), h=h, until=0.5)
    moved = (frame.back(motion.position(box)) - frame.back(motion.position(box))[0]) @ down
    a = G * max(0.0, np.sin(slope) - 0.3 * np.cos(slope))
    assert abs(moved[-1] - 0.5 * a * 0.5**2) < 2e-4 + 4.0 * a * 0.5 * h
    height = frame.back(motion.position(box)) @ n - 0.05
    assert height.min() > 0.0
    assert height[-1] < 1e-3


def test_a_collision_keeps_momentum():
    pytest.importorskip("ipctk", reason=NEEDS_IPCTK)
    frame = Frame(2)
    m = lv.Model()
    turn = lv.Pose.from_axis_angle((1, 2, 3), 0.7).B
    frame.box(m, (0.2, 0.2, 0.2), (0, 0, 0), velocity=(1, 0, 0), name="one")
    frame.box(m, (0.3, 0.1, 0.2), (0.5, 0.08, 0.03), mass=2.0, turn=turn, name="two")
    m.add(lv.Contacts(friction=0.4))
    motion = lv.simulate(m, ld.Barrier(), h=0.01, until=0.6)
    size = frame.unit
    assert np.ptp(motion.momentum, axis=0).max() < 1e-6 * size
    assert motion.energy[-1] < 0.9 * motion.energy[0]
    assert np.abs(motion.velocity("two")[-1]).max() > 0.1 * size


def test_interlocked_rings_stay_interlocked():
    """A ring hangs in one that is fixed to the world."""
    pytest.importorskip("ipctk", reason=NEEDS_IPCTK)
    frame = Frame(1)
    m, u = frame.model(), frame.unit
    surface = ring(0.1 * u, 0.015 * u)
    body = lv.Solid(lv.MassProperties(1.0, np.array([5e-3, 5e-3, 1e-2]) * u * u), surface)
    turn = lv.Pose.from_axis_angle((1, 0, 0), 0.5 * np.pi).B
    top = frame.body(m, body, (0, 0, 0), turn=lv.Pose.from_axis_angle((0, 1, 0), 0.5 * np.pi).B, name="top")
    frame.body(m, body, (0.0, 0.01, -0.1), turn=turn, velocity=(0.3, 0.2, 0), name="low")
    m.add(lv.Rigid(m.world.point(frame.place((0, 0, 0))), top.point(0, 0, 0)))
    m.add(lv.Contacts(friction=0.2))
    motion = lv.simulate(m, ld.Barrier(), h=0.01, until=0.4)
    angle = 2.0 * np.pi * np.arange(16) / 16
    middle = 0.1 * u * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)

    def circle(name, k):
        return motion.position(name)[k] + middle @ motion.rotation(name)[k].T

    for k in (0, 20, -1):
        assert abs(links(circle("top", k), circle("low", k))) == pytest.approx(1.0, abs=1e-9)
    assert frame.back(motion.position("low"))[-1, 2] == pytest.approx(-0.17, abs=0.02)  # 2 R − 2 r below the centre
    assert np.abs(motion.position("top") - motion.position("top")[0]).max() == 0.0


def test_what_a_barrier_does_not_take():
    m = lv.Model(gravity=(0, 0, -G))
    box = m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(0, 0, 2)))
    with pytest.raises(lv.ModelError, match=r"no lv\.Contacts"):
        lv.simulate(m, ld.Barrier(), h=0.01, until=0.1)
    m.add(lv.Contacts([m.world.plane((0, 0, 0))]))
    m.add(lv.Revolute(m.world.point(0, 0, 0), box.center, axis=(0, 1, 0)))
    with pytest.raises(lv.ModelError, match="joints"):
        lv.simulate(m, ld.Barrier(), h=0.01, until=0.1)
    for wrong in ({"distance": 0.0}, {"creep": -1.0}):
        with pytest.raises(lv.ModelError):
            ld.Barrier(**wrong)


def test_bodies_that_touch_at_the_start_are_named():
    pytest.importorskip("ipctk", reason=NEEDS_IPCTK)
    m = lv.Model(gravity=(0, 0, -G))
    m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(0, 0, 0.4), name="deep"))
    m.add(lv.Contacts([m.world.plane((0, 0, 0))]))
    with pytest.raises(lv.ModelError, match=r"'deep' is 0\.1 m below a plane"):
        lv.simulate(m, ld.Barrier(), h=0.01, until=0.1)
    m = lv.Model()
    m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), name="one"))
    m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(1, 0.1, 0.2), name="two"))
    m.add(lv.Contacts())
    with pytest.raises(lv.ModelError, match="'one' and 'two' touch at the start"):
        lv.simulate(m, ld.Barrier(), h=0.01, until=0.1)
