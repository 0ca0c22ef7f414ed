"""Explicit Runge–Kutta: its tableaus, its orders for all models, and the quantities that it does not conserve."""

import numpy as np
import pytest
from scipy.integrate import DOP853

import livens as lv
from benchmarks import index_one
from tests.helpers import mechanisms, problems, runs

UNTIL = 0.25
TOP = (-0.150416822746, -0.724165591637, -0.673022269560)  # [ODE] centre of the heavy top at t = 2, to 2e-11


@pytest.mark.parametrize("order", [4, 8])
def test_the_tableau_satisfies_quadrature_and_the_first_tree_conditions(order):
    """Σ bᵢcᵢᵏ = 1/(k+1) up to the order, and Σ bᵢ aᵢⱼ cⱼᵏ = 1/((k+1)(k+2)): Butcher's tall and bushy trees."""
    table = lv.RungeKutta(order).tableau
    A, b = table[:-1], table[-1]
    c = A.sum(axis=1)
    for k in range(order):
        assert b @ c**k == pytest.approx(1 / (k + 1), abs=1e-13)
    for k in range(order - 1):
        assert b @ (A @ c**k) == pytest.approx(1 / ((k + 1) * (k + 2)), abs=1e-13)


def test_order_eight_is_the_published_scheme():
    """SciPy has the same coefficients."""
    table = lv.RungeKutta(8).tableau
    assert np.array_equal(table[:-1], DOP853.A)
    assert np.array_equal(table[-1], DOP853.B)


@pytest.mark.parametrize("build", [mechanisms.damped, mechanisms.driven], ids=["every joint, damped", "driven"])
def test_every_joint_against_another_program(build):
    """Positions, velocities, accelerations, reactions against SciPy's solution of the equations of motion in index 1;
    the energy balance has the same order; joints are satisfied at position and velocity level."""
    found = index_one.solve(build(), [UNTIL], rtol=1e-11)[0]
    motions = {
        (order, n): lv.simulate(build(), lv.RungeKutta(order), h=UNTIL / n, until=UNTIL)
        for order, n in ((4, 100), (4, 200), (4, 400), (8, 16), (8, 32))
    }
    errors = {key: runs.deviations(motion, found) for key, motion in motions.items()}
    gaps = {k: np.abs(m.energy - m.energy[0] - m.work + m.dissipated).max() for k, m in motions.items()}
    assert np.abs(runs.order([errors[4, 100], errors[4, 200]])[0] - 4).max() < 0.2, errors
    assert runs.order([gaps[4, 200], gaps[4, 400]])[0] > 3.8, gaps
    assert np.max(errors[8, 16]) < 1e-7
    assert np.max(errors[8, 32]) < 1e-9  # as far as the other program is good
    assert runs.order([gaps[8, 16], gaps[8, 32]])[0] > 7.0, gaps
    for motion in motions.values():
        assert motion.defect_position.max() <= runs.DEFECT
        assert motion.defect_velocity.max() <= runs.DEFECT


@pytest.mark.parametrize("build", [mechanisms.crank_rocker, lambda: mechanisms.chain(2), problems.hung])
def test_order_eight(build):
    """Momenta, against a finer run that agrees with the Livens scheme of order 6."""

    def end(scheme, n):
        return lv.simulate(build(), scheme, h=0.5 / n, until=0.5, every=n)

    fine = end(lv.RungeKutta(8), 400)
    assert np.abs(fine.record.a[-1] - end(lv.Livens(6), 2000).record.a[-1]).max() < 1e-12
    errors = [np.abs(end(lv.RungeKutta(8), n).record.p[-1] - fine.record.p[-1]).max() for n in (20, 40)]
    assert runs.order(errors)[0] == pytest.approx(8, abs=0.3), errors


def test_the_heavy_top():
    """[ODE] to 2e-11, with steps of half a radian of spin."""
    model = mechanisms.heavy_top()
    motion = lv.simulate(model, lv.RungeKutta(8), h=2.5e-3, until=2.0, every=800)
    assert np.abs(motion.position(model["top"].center)[-1] - TOP).max() < 5e-10


@pytest.mark.parametrize("build", [mechanisms.driven, problems.hung, lambda: mechanisms.four_bars(2)])
def test_a_run_in_two_parts_is_bitwise_identical_also_through_a_file(build, tmp_path):
    model, scheme = build(), lv.RungeKutta(8)
    whole = lv.simulate(model, scheme, h=5e-3, until=0.2)
    half = lv.simulate(model, scheme, h=5e-3, until=0.1)
    both = lv.resume(half, until=0.2)
    for one, other in zip(both.record, whole.record, strict=True):
        assert np.array_equal(one, other)
    half.save(tmp_path / "half.nc")
    assert lv.load(tmp_path / "half.nc").scheme == scheme


def test_a_free_body_conserves_its_momentum_and_slowly_loses_energy():
    """ℓ is linear in world axes, so it is conserved; the energy decays at the order of the scheme."""
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    loss = []
    for h in (0.2, 0.1):
        motion = lv.simulate(m, lv.RungeKutta(4), h=h, until=500.0, every=50)
        assert np.abs(motion.angular_momentum - motion.angular_momentum[0]).max() < 1e-11
        loss.append(abs(motion.energy[-1] / motion.energy[0] - 1))
    assert loss[1] > 1e-7
    assert runs.order(loss)[0] == pytest.approx(5, abs=0.3), loss  # h⁴, and less by one more in the mean


def test_orders_are_four_and_eight():
    with pytest.raises(lv.ModelError, match="order 4 or 8, not 6"):
        lv.RungeKutta(6)


@pytest.mark.parametrize("order", [4, 8])
def test_rotations_are_counted_or_give_an_error(order):
    """A spring in a hinge depends on the number of rotations: a step of more than half a rotation is an error."""
    m = lv.Model()
    wheel = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), angular_velocity=(0, 0, 10.0), name="wheel"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), wheel.point(0, 0, 0), axis=(0, 0, 1), stiffness=1e-6, name="axle"))
    motion = lv.simulate(m, lv.RungeKutta(order), h=0.3, until=30.0)
    assert np.abs(motion.coordinate("axle") - 1e4 * np.sin(1e-3 * motion.t)).max() < 1e-6
    with pytest.raises(lv.StepFailed, match=r"'wheel' .* turns 10 rad per step, and the limit is about 3.1 rad"):
        lv.simulate(m, lv.RungeKutta(order), h=1.0, until=30.0)
