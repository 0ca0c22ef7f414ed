"""Contact of faces, edges and rims: what lies, falls flat and stacks, in random orientation, place and unit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import livens as lv
from tests.helpers.frames import FRAMES, G


@FRAMES
@pytest.mark.parametrize("rule", ["sequence", "together"])
def test_a_box_that_lands_flat_bounces_straight_up(frame, rule):
    """Four corners hit at once: the box rises to e² of its height and does not turn."""
    m = frame.model()
    box = frame.box(m, (0.3, 0.4, 0.2), (0, 0, 0.6))
    m.add(lv.Contact(frame.floor(m), box, restitution=0.5, impacts=rule))
    fall = np.sqrt(2.0 * 0.5 / G)
    motion = lv.simulate(m, h=5e-3, until=1.9 * fall)
    z = frame.back(motion.position(box))[:, 2] - 0.1
    after = motion.t > fall
    s = motion.t[after] - fall
    assert np.abs(z[after] - (0.5 * G * fall * s - 0.5 * G * s**2)).max() < 1e-12
    assert np.ptp(motion.rotation(box), axis=0).max() < 1e-12
    assert len(motion.impacts) == 4
    assert np.ptp(motion.impacts.t) == 0.0


@FRAMES
@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_a_cylinder_falls_flat(frame, friction):
    """It begins on its rim, tilted, and comes to rest on its end; the floor is not passed, and energy does not grow."""
    m = frame.model()
    r, half, tilt = 0.2, 0.05, 0.3
    turn = lv.Pose.from_axis_angle((0.6, 0.8, 0.0), tilt).B
    height = half * np.cos(tilt) + r * np.sin(tilt)
    shape = lv.Cylinder(r * frame.unit, 2.0 * half * frame.unit, mass=2.0)
    body = frame.body(m, shape, (0, 0, height), turn=turn)
    m.add(lv.Contact(frame.floor(m), body, friction=friction))
    motion = lv.simulate(m, h=4e-3, until=2.0)
    axis = motion.rotation(body)[:, :, 2] @ frame.direction((0, 0, 1))
    low = frame.back(motion.position(body))[:, 2] - half * np.abs(axis) - r * np.sqrt(np.maximum(0.0, 1.0 - axis**2))
    assert low.min() > -1e-6 * r
    assert abs(axis[-1]) > 1.0 - 1e-9
    energy = motion.energy - motion.energy[0]
    assert energy.max() < 1e-3 * abs(energy[-1])
    assert np.abs(motion.velocity(body)[-20:]).max() < (1e-9 if friction else 1.0) * frame.unit


@FRAMES
def test_gap(frame):
    """The distances of a falling ball from the floor and from a box, in closed form."""
    m = frame.model()
    ball = frame.ball(m, 0.1, (0, 0, 1.1), name="ball")
    box = frame.box(m, (0.2, 0.4, 0.2), (0.5, 0, 2.0), name="box")
    floor = frame.floor(m)
    m.add(lv.Contacts(planes=[floor]))
    motion = lv.simulate(m, h=1e-2, until=0.4)
    fall = 0.5 * G * motion.t**2
    assert np.abs(motion.gap(ball, floor) / frame.unit - (1.0 - fall)).max() < 1e-12
    assert np.abs(motion.gap(m.world, box) / frame.unit - (1.9 - fall)).max() < 1e-12
    assert np.abs(motion.gap("ball", "box") / frame.unit - (np.hypot(0.4, 0.8) - 0.1)).max() < 1e-12
    with pytest.raises(lv.ModelError, match="no contact is declared"):
        motion.gap(ball, ball)


@FRAMES
def test_a_stack_of_thirty_boxes_does_not_creep(frame):
    m = frame.model()
    rng = np.random.default_rng(4)
    boxes = [frame.box(m, (1, 1, 1), (*rng.uniform(-0.05, 0.05, 2), k + 0.5), name=f"box {k}") for k in range(30)]
    m.add(lv.Contacts(planes=[frame.floor(m)], friction=0.5))
    motion = lv.simulate(m, h=1e-2, until=1.0)
    moved = max(np.abs(frame.back(motion.position(box)) - frame.back(motion.position(box)[:1])).max() for box in boxes)
    assert moved < 1e-10
    assert min(motion.gap(one, two).min() for one, two in itertools.pairwise(boxes)) > -1e-10 * frame.unit
    weight = motion.contact_force(m.world, boxes[0])[-1] @ frame.direction((0, 0, 1))
    assert weight == pytest.approx(30 * G * frame.unit, rel=1e-9)


@FRAMES
@pytest.mark.parametrize(("tip", "squeeze"), [("face", 1.001), ("ball", 1.001), ("ball", 0.9)])
def test_a_box_between_two_jaws(frame, tip, squeeze):
    """Jaws on slides press with F on a box: it falls with g − 2 μ F/m, or is held exactly. Of faces only what holds is
    unique: the loads of the corners, and with them the torque of sliding friction, are not."""
    m = frame.model()
    mu, mass = 0.4, 0.5
    F = squeeze * mass * G / (2.0 * mu)
    box = frame.box(m, (0.06, 0.05, 0.08), (0, 0, 0), mass=mass, name="box")
    for s, name in ((1, "right"), (-1, "left")):
        at = (s * 0.04, 0, 0)
        made = frame.box(m, (0.02, 0.05, 0.1), at, mass=0.1, name=name) if tip == "face" else None
        jaw = made or frame.ball(m, 0.01, at, mass=0.1, name=name)
        m.add(lv.Prismatic(m.world.point(*frame.place(at)), jaw.point(0, 0, 0), axis=frame.direction((1, 0, 0))))
        m.add(lv.Load(jaw.center, force=frame.vector((-s * F, 0, 0))))
        m.add(lv.Contact(jaw, box, friction=mu))
    motion = lv.simulate(m, h=2e-3, until=0.05)
    x = frame.back(motion.position(box))
    a = G - 2.0 * mu * F / mass if squeeze < 1.0 else 0.0
    assert np.abs(x - np.outer(-0.5 * a * motion.t**2, (0, 0, 1))).max() < 1e-10
    assert np.ptp(motion.energy - motion.work + motion.dissipated) < 1e-9 * mass * G * 0.01 * frame.unit**2
