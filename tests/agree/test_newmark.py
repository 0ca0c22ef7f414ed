"""Newmark and generalised-α for rigid bodies: files, restarts and controllers as for Livens, and their errors."""

import numpy as np
import pytest

import livens as lv
from tests.helpers import mechanisms, problems

SCHEMES = (lv.Newmark(), lv.GeneralizedAlpha(0.7))


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize("build", [problems.hung, mechanisms.crank_rocker, lambda: mechanisms.chain(3)])
def test_a_run_in_two_parts_is_bitwise_identical_also_through_a_file(scheme, build, tmp_path):
    model = build()
    whole = lv.simulate(model, scheme, h=1e-3, until=0.2)
    half = lv.simulate(model, scheme, h=1e-3, until=0.1)
    half.save(tmp_path / "half.nc")
    for first in (half, lv.load(tmp_path / "half.nc")):
        assert first.scheme == scheme
        both = lv.resume(first, until=0.2)
        for one, other in zip(both.record, whole.record, strict=True):
            assert np.array_equal(one, other)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_the_heavy_top_converges_to_the_livens_motion(scheme):
    """The reference is of sixth order; the tests of tops compare it with published numbers."""
    model = mechanisms.heavy_top()
    exact = lv.simulate(model, lv.Livens(6), h=1e-3, until=0.2)
    errors = []
    for h in (5e-4, 2.5e-4):
        motion = lv.simulate(model, scheme, h=h, until=0.2)
        errors.append(np.abs(motion.position("top")[-1] - exact.position("top")[-1]).max())
        errors[-1] = max(errors[-1], np.abs(motion.rotation("top")[-1] - exact.rotation("top")[-1]).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1), errors


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_long_chains(scheme):
    """Accelerations contain round-off of the positions of forty bodies divided by h²; the motion is right."""
    exact = lv.simulate(mechanisms.chain(40), lv.Livens(6), h=1e-3, until=0.1)
    errors = []
    for h in (2e-3, 1e-3):
        motion = lv.simulate(mechanisms.chain(40), scheme, h=h, until=0.1)
        errors.append(np.abs(motion.record.a[-1] - exact.record.a[-1]).max())
        assert motion.defect_position.max() < 1e-12
        assert motion.tally[0] < 10 * motion.steps
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1), errors


def test_a_controller_is_called():
    def build():
        m = lv.Model()
        arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
        hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 0, 1), name="hinge"))
        m.add(lv.Motor(hinge, lambda t, now: 40.0 * (0.5 - now.coordinate("hinge")[0]), rate=100.0, name="servo"))
        return m

    fine = lv.simulate(build(), lv.Livens(), h=1e-3, until=0.5).coordinate("hinge")[-1]
    assert lv.simulate(build(), lv.Newmark(), h=1e-3, until=0.5).coordinate("hinge")[-1] == pytest.approx(
        fine, rel=1e-5
    )


def test_energy_and_momentum_errors_of_the_compared_schemes():
    """A tumbling body for 2,000 s: the Livens scheme conserves angular momentum and energy to round-off; Newmark does
    not conserve the momentum, and generalised-α loses energy."""
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    livens, newmark, alpha = (
        lv.simulate(m, scheme, h=0.05, until=2000.0, every=40)
        for scheme in (lv.Livens(), lv.Newmark(), lv.GeneralizedAlpha(0.5))
    )
    spread = [np.ptp(motion.angular_momentum, axis=0).max() for motion in (livens, newmark, alpha)]
    assert spread[0] < 1e-11
    assert min(spread[1:]) > 1e-3
    losses = [motion.energy[0] - motion.energy[-1] for motion in (livens, newmark, alpha)]
    assert abs(losses[0]) < 1e-11
    assert losses[2] > 1e-3
    assert losses[2] > 5 * abs(losses[1])


def test_newmark_is_not_symplectic_for_rotations_and_livens_is():
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    assert lv.symplecticity(m, lv.Livens(), h=0.1) < 1e-9
    assert lv.symplecticity(m, lv.Newmark(), h=0.1) > 1e-5


def test_errors_of_wrong_arguments():
    hung = mechanisms.chain(2)
    with pytest.raises(lv.ModelError, match="β = 0 cannot hold joints"):
        lv.simulate(hung, lv.Newmark(beta=0.0), h=1e-3, until=0.1)
    with pytest.raises(lv.ModelError, match="dissipation acts at the end"):
        lv.simulate(hung, lv.Newmark(dissipation="step"), h=1e-3, until=0.1)
    with pytest.raises(lv.ModelError, match="0 ≤ β ≤ 1 and 0 < γ"):
        lv.Newmark(beta=-0.1)
    with pytest.raises(lv.ModelError, match="spectral radius must be from 0 to 1"):
        lv.GeneralizedAlpha(1.2)
    m = lv.Model()
    ball = m.add(lv.Body(lv.PointMass(1.0), at=(1, 0, 0), name="ball"))
    m.add(lv.Spring(m.world.point(0, 0, 0), ball.point(0, 0, 0), stiffness=1e8, length=0.9))
    with pytest.raises(lv.StepFailed, match="found no solution") as failure:
        lv.simulate(m, lv.Newmark(), h=1e-2, until=1.0)
    assert len(failure.value.trajectory.t) == 1
