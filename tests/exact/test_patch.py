"""Friction of a small patch, which sliding and spinning share, against a tight solution; the tippe top."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import livens as lv
from tests.helpers.frames import FRAMES, Frame, G


@FRAMES
def test_a_ball_slides_and_spins(frame):
    """With the slip c, the spin w about the normal and r = ⅔ of the patch's radius, force and torque are
    −µ m g (c, r² w)/√(c² + r² w²); second order in h."""
    R, mu, patch = 0.1, 0.3, 0.03
    r = 2.0 / 3.0 * patch

    def rates(_, y):
        v, w = y[:3], y[3:]
        c = np.array([v[0] - R * w[1], v[1] + R * w[0], 0.0])
        s = np.sqrt(c @ c + (r * w[2]) ** 2)
        F = -mu * G * c / s
        return [*F, *((np.cross((0, 0, -R), F) - (0, 0, mu * G * r * r * w[2] / s)) / (0.4 * R * R))]

    errors = []
    for h in (4e-3, 2e-3):
        m = frame.model()
        ball = frame.ball(m, R, (0, 0, R), velocity=(1, 0.2, 0), spin=(2, 1, 40))
        m.add(lv.Contact(frame.floor(m), ball, friction=mu, patch=patch * frame.unit))
        motion = lv.simulate(m, h=h, until=0.2)
        known = solve_ivp(rates, (0, 0.2), [1, 0.2, 0, 2, 1, 40], rtol=1e-11, atol=1e-12, t_eval=motion.t).y.T
        errors.append(np.abs(motion.velocity(ball) @ frame.B / frame.unit - known[:, :3]).max())
        assert np.abs(motion.angular_velocity(ball) @ frame.B - known[:, 3:]).max() < 10.0 * h**2
        assert np.ptp(motion.energy + motion.dissipated) < 1e-12 * frame.unit**2
    assert errors[1] < 2e-6
    assert errors[0] / errors[1] > 3.7


@FRAMES
def test_a_tripod_slides_and_turns(frame):
    """Coulomb friction at three feet whose slip turns: second order, against a solution with a short step. (Four feet
    would be statically indeterminate.)"""
    u = frame.unit
    feet = [(0.2, 0.0, -0.03), (-0.1, 0.15, -0.03), (-0.1, -0.12, -0.03)]
    touch = lv.Compound([(lv.PointMass(1.0), lv.Pose(u * np.array(foot))) for foot in feet])

    def end(h):
        m = frame.model()
        body = lv.Body(
            lv.MassProperties(1.0, np.array([0.01, 0.014, 0.02]) * u * u), at=frame.place((0, 0, 0.03)), name="tripod",
            rotation=frame.B, velocity=frame.vector((1.2, 0.3, 0)), body_rates=(0, 0, 6.0), collision=touch,
        )  # fmt: skip
        m.add(body)
        m.add(lv.Contact(frame.floor(m), body, friction=0.2))
        motion = lv.simulate(m, h=h, until=0.3)
        return np.append(frame.back(motion.position(body))[-1], motion.body_rates(body)[-1, 2])

    exact = end(2.5e-4)
    one, two = (np.abs(end(h) - exact).max() for h in (8e-3, 4e-3))
    assert two < 3e-4
    assert one / two > 3.4


@pytest.mark.parametrize("wrong", [{"patch": -1.0}, {"patch": 0.1, "spinning": 0.1}, {"patch": np.nan}])
def test_wrong_patches_are_refused(wrong):
    m = lv.Model()
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 1)))
    with pytest.raises(lv.ModelError, match="patch"):
        lv.Contact(m.world.plane((0, 0, 0)), ball, friction=0.3, **wrong)


# ── tippe top ──

MASS, BIG, SMALL, LOW, HIGH = 6e-3, 0.015, 0.005, 0.003, 0.016  # kg, radii and places of both balls [m]
MOMENTS = np.array([8e-7, 8e-7, 7e-7])


def tippe_top(frame, patch, until, tilt=0.1, h=2e-4):
    """Leine & Glocker 2003 (European Journal of Mechanics A 22, 193), their numbers: 180 rad/s, µ = 0.3."""
    u = frame.unit
    m = frame.model()
    balls = [(BIG, LOW), (SMALL, HIGH)]
    touch = lv.Compound([(lv.Ball(r * u, mass=1.0), lv.Pose((0, 0, z * u))) for r, z in balls])
    turn = lv.Pose.from_axis_angle((1, 0, 0), tilt).B
    top = m.add(
        lv.Body(
            lv.MassProperties(MASS, MOMENTS * u * u), at=frame.place((0, 0, BIG - LOW * np.cos(tilt))), name="top",
            rotation=frame.B @ turn, body_rates=(0, 0, 180.0), collision=touch,
        )
    )  # fmt: skip
    m.add(lv.Contact(frame.floor(m), top, friction=0.3, patch=patch * u))
    motion = lv.simulate(m, h=h, until=until, every=10)
    axis = np.einsum("ij,njk->nik", frame.B.T, motion.rotation(top))[:, :, 2]
    spin = np.einsum("ij,njk,nk->ni", frame.B.T, motion.rotation(top), motion.body_rates(top) * MOMENTS)
    jellett = np.einsum("ni,ni->n", spin, (0, 0, BIG) - LOW * axis)  # L · (contact point → centre)
    return motion, axis[:, 2], jellett


def test_a_tippe_top_with_a_patch_inverts():
    motion, up, _ = tippe_top(Frame(1), 5e-4, 3.0)
    assert up[0] > 0.99
    assert up[-1] < -0.9  # it stands on its stem
    assert np.ptp(motion.energy + motion.dissipated) < 1e-3 * motion.kinetic[0]


def test_a_tippe_top_with_point_friction_does_not():
    """It rolls after a short slip; Jellett's integral is kept in any case, as all forces act at the contact point."""
    _, up, jellett = tippe_top(Frame(1), 0.0, 1.0)
    assert up.min() > 0.9
    assert np.ptp(jellett) < 1e-12 * jellett[0]
