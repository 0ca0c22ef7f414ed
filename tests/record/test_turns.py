"""Angles of joints over many turns, however few states are stored: counted in the steps, carried in files."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import livens as lv
from livens.kernels.turns import count_half_turns, face_dials
from livens.run.loop import FIRST_CHUNK
from livens.step import SCHEMES

FILES = Path(__file__).with_name("files")
EVERY = 250


def double_pendulum(seed=0, joint=lv.Revolute, rates=(8.0, -35.0)):
    """It turns over and over, in a random position and orientation; nothing acts on its hinges."""
    rng = np.random.default_rng(seed)
    R, place = lv.Pose.from_quaternion(rng.normal(size=4)).B, rng.normal(size=3)
    m = lv.Model(gravity=R @ (0, 0, -9.81), name="double pendulum")
    last = m.world.point(place)
    for k, rate in enumerate(rates):
        frame = lv.Pose.from_quaternion(rng.normal(size=4)).B
        body = m.add(lv.Body(lv.Box(1, 0.1, 0.2, density=300), at=place + R @ (k + 0.5, 0, 0), rotation=frame))
        ends = last, body.point_at(place + R @ (k, 0, 0))
        m.add(joint(*ends, axis=R @ (0, 1, 0), start_rate=rate, name=f"hinge{k}"))
        last = body.point_at(place + R @ (k + 1, 0, 0))
    return m


@pytest.mark.parametrize("scheme", [*SCHEMES, lv.Livens(compensated=True), lv.Newmark()], ids=repr)
def test_a_sparsely_stored_motion_has_the_angles_of_a_densely_stored_one(scheme):
    """With every step stored, neighbouring angles differ by much less than half a turn: np.unwrap is right there."""
    run = {"h": 4e-3, "until": 6.0}
    dense = lv.simulate(double_pendulum(), scheme, **run)
    sparse = lv.simulate(double_pendulum(), scheme, **run, every=EVERY)
    for hinge in ("hinge0", "hinge1"):
        angle = dense.coordinate(hinge)
        assert np.allclose(angle, np.unwrap(angle), rtol=0, atol=1e-9)
        assert np.abs(np.diff(angle)).max() < 0.5
        assert np.ptp(angle) > 2 * np.pi
        assert np.array_equal(sparse.coordinate(hinge), angle[::EVERY])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("joint", [lv.Revolute, lv.Cylindrical])
def test_a_free_wheel_turns_by_its_rate_times_the_time(seed, joint):
    """Exact: q = ω t, in any orientation, forwards and backwards, for thousands of turns; also with nothing stored."""
    rng = np.random.default_rng(seed)
    axis, rate = rng.normal(size=3), float(rng.choice([-1.0, 1.0]) * rng.uniform(50.0, 400.0))
    m = lv.Model()
    frame = lv.Pose.from_quaternion(rng.normal(size=4)).B
    wheel = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=rng.normal(size=3), rotation=frame))
    m.add(joint(m.world.point_at(wheel.pose.a), wheel.point(0, 0, 0), axis=axis, start_rate=rate, name="axle"))
    motion = lv.simulate(m, lv.Livens(), h=1e-3, until=50.0, every=50_000)
    angle = motion.coordinate("axle") if joint is lv.Revolute else motion.coordinate("axle")[:, 0]
    turned = np.arcsin(1e-3 * rate) / 1e-3 * motion.t  # a step turns a ball by θ, sin θ = h ω
    assert len(motion) == 2
    assert angle == pytest.approx(turned, abs=1e-6 * abs(rate))


@pytest.mark.filterwarnings("ignore:the compiled library does not contain")  # kernels that only kernels call
@pytest.mark.parametrize("turned", [2.9, -2.9, 0.3, -1.2])
def test_fast_and_slow_changes_in_a_step_are_counted_alike(turned):
    """More than half a turn between two bodies in a step, by the rates: the kernels, against a known angle."""
    m = double_pendulum()
    compiled = lv.simulate(m, h=1e-3, until=1e-3).compiled
    system, h = compiled.system, 0.5
    state = compiled.state
    axis, bodies = system.dials.axis, system.bodies
    facing, half_turns = np.zeros((2, 3)), np.zeros(2)
    B, L = state.B.copy(), np.zeros_like(state.L)
    u = compiled.model["hinge0"].axis
    for k in (1, 2):  # the first body turns forwards, the second backwards, both about the axis
        spin = (1.5 - k) * 2.0 * turned / h
        L[k] = bodies.inertia[k] * (B[k].T @ (spin * u))
    angles = np.array([turned, -2.0 * turned])
    rates = np.einsum("dk,dk->d", axis[:, 1], L[system.dials.body[:, 1]])
    rates -= np.einsum("dk,dk->d", axis[:, 0], L[system.dials.body[:, 0]])
    assert rates == pytest.approx(angles / h)
    face_dials(system.dials, B, L, half_turns, facing)
    for n in range(1, 400):
        for k in (1, 2):
            B[k] = lv.Pose.from_axis_angle(u, (3 - 2 * k) * turned * n).B @ state.B[k]
        count_half_turns(system.dials, h, B, L, half_turns, facing)
        assert half_turns == pytest.approx(np.floor(n * angles / np.pi))


def test_controllers_see_the_angle_over_many_turns():
    """On a hinge on which nothing acts, in a run with a controller on another joint."""
    seen = []
    m = double_pendulum()
    far = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(9, 9, 9)))
    slide = m.add(lv.Prismatic(m.world.point(9, 9, 9), far.point(0, 0, 0), axis=(1, 0, 0)))
    m.add(lv.Motor(slide, lambda t, now: seen.append(now.coordinate("hinge0")[0]) or 0.0, rate=50.0))
    motion = lv.simulate(m, lv.Livens(), h=4e-3, until=6.0, every=5)
    assert np.array(seen) == pytest.approx(motion.coordinate("hinge0")[:-1], abs=1e-12)
    assert np.ptp(seen) > 2 * np.pi


def test_resumed_and_saved_motions_count_on(tmp_path):
    run = {"h": 4e-3, "every": 100}
    whole = lv.simulate(double_pendulum(), **run, until=8.0)
    lv.simulate(double_pendulum(), **run, until=4.0).save(tmp_path / "half.nc")
    half = lv.load(tmp_path / "half.nc")
    again = lv.resume(half, until=8.0)
    assert again.record.half_turns.tobytes() == whole.record.half_turns.tobytes()
    assert np.array_equal(again.coordinate("hinge0"), whole.coordinate("hinge0"))
    later = lv.simulate(double_pendulum(), **run, until=4.0, start=half.state)
    assert np.array_equal(later.coordinate("hinge1"), whole.coordinate("hinge1")[10:])
    assert whole.steps * 3 > FIRST_CHUNK  # in several chunks


# ── files of release 0.1 ──


def test_a_file_of_release_0_1_is_read_and_continued():
    """It has no half turns: angles are unwrapped from the stored states, which are close enough together here."""
    old = lv.load(FILES / "release_0_1.nc")
    assert np.isnan(old.record.half_turns).all()
    new = lv.simulate(old.model, old.scheme, h=old.h, until=old.t[-1], every=old.every)
    longer = lv.simulate(old.model, old.scheme, h=old.h, until=3.0, every=old.every)
    for hinge in ("shoulder", "elbow"):
        assert old.coordinate(hinge) == pytest.approx(new.coordinate(hinge), abs=1e-9)
        assert lv.resume(old, until=3.0).coordinate(hinge) == pytest.approx(longer.coordinate(hinge), abs=1e-9)
    assert np.ptp(new.coordinate("elbow")) > 2 * np.pi
    further = lv.simulate(old.model, h=old.h, until=1.0, start=old.state)
    assert not np.isnan(further.record.half_turns).any()


def test_a_journal_of_release_0_1_is_resumed(tmp_path):
    shutil.copy(FILES / "release_0_1_stopped.nc.journal", tmp_path / "out.nc.journal")
    old = lv.load(tmp_path / "out.nc.journal")
    assert (old.steps, old.wanted) == (200, 300)
    whole = lv.resume(old, checkpoint=tmp_path / "out.nc", checkpoint_every=1e-9)
    assert whole.steps == 300
    assert not (tmp_path / "out.nc.journal").exists()
    direct = lv.simulate(old.model, old.scheme, h=old.h, until=3.0, every=old.every)
    assert lv.load(tmp_path / "out.nc").record.a == pytest.approx(direct.record.a, abs=1e-9)
