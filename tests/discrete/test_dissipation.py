"""Forces and dissipation by the discrete Lagrange–d'Alembert principle: slow decay is right, and the energy's account
closes.

Kane, Marsden, Ortiz & West (2000) found that variational schemes follow a small dissipation where others show their
own: numerical damping of γ > ½, of backward Euler or of Runge–Kutta methods does not know how small c is.
"""

import numpy as np
import pytest

import livens.discrete as ld
from tests.helpers import lagrangians
from tests.helpers.general_schemes import SCHEMES, STEPS, VARIATIONAL, name


def rate(t, energy):
    """Of decay [1/s], by a straight line through log E."""
    return -np.polyfit(t, np.log(energy), 1)[0]


def decay(scheme, c, h, until=2000.0):
    given = lagrangians.damped(c)
    run = ld.simulate(given.system, scheme, given.q, given.v, h, until)
    return rate(run.t, run.energy)


@pytest.mark.parametrize("c", [1e-6, 1e-5, 1e-4])
@pytest.mark.parametrize("scheme", [ld.Midpoint(), ld.Newmark(), ld.Galerkin(4), ld.Galerkin(6)], ids=name)
def test_decay_however_slow(scheme, c):
    """E falls as e^(−ct) on average; midpoint and Newmark have c/(1 + h²/4), to first order in c."""
    h = 0.2
    off = decay(scheme, c, h) / c - 1.0
    assert abs(off) < (0.3 * h**2 if scheme.order == 2 else 1e-3)  # 1e-3: of the fit, by what E swings in a period


def test_decay_converges_at_second_order():
    c = 1e-4
    off = [decay(ld.Midpoint(), c, h) / c - 1.0 for h in (0.4, 0.2)]
    assert np.log2(off[0] / off[1]) == pytest.approx(2.0, abs=0.1)
    assert off[1] == pytest.approx(-(0.2**2) / 4.0, rel=0.05)


@pytest.mark.parametrize("c", [1e-6, 1e-5, 1e-4])
def test_schemes_with_damping_of_their_own_are_wrong(c):
    """Twice to thousands of times too fast."""
    h = 0.2
    assert decay(ld.Newmark(0.3025, 0.6), c, h, 200.0) > 50.0 * c
    assert decay(ld.GeneralizedAlpha(0.5), c, h, 200.0) > 1.5 * c
    assert runge_kutta(c, 0.4, 2000.0) > (1.5 if c < 1e-4 else 1.2) * c
    assert backward_euler(c, h, 200.0) > 100.0 * c


def runge_kutta(c, h, until):
    """RK4 on the same oscillator: z ↦ (1 + hA + … + (hA)⁴/24) z."""
    A = h * np.array([[0.0, 1.0], [-1.0, -c]])
    return matrix(sum(np.linalg.matrix_power(A, k) / [1, 1, 2, 6, 24][k] for k in range(5)), h, until)


def backward_euler(c, h, until):
    return matrix(np.linalg.inv(np.eye(2) - h * np.array([[0.0, 1.0], [-1.0, -c]])), h, until)


def matrix(step, h, until):
    z = [np.array([1.0, 0.0])]
    for _ in range(round(until / h)):
        z.append(step @ z[-1])
    return rate(h * np.arange(len(z)), 0.5 * np.sum(np.square(z), axis=1))


def test_a_nonlinear_oscillator_loses_what_it_should():
    """A pendulum with c = 1e-5 over 1000 s: midpoint's loss is off by less than 1 %, that of γ = 0.55 is its own."""
    c, h = 1e-5, 0.05
    drag = lambda q, v: 0.5 * c * v[0] ** 2  # noqa: E731
    system = ld.Lagrangian(lambda q, v: 0.5 * v[0] ** 2 + 9.81 * ld.cos(q[0]), 1, dissipation=drag)
    exact, midpoint, other = (
        ld.simulate(system, scheme, [1.0], [0.0], h, 1000.0)
        for scheme in (ld.Galerkin(6), ld.Midpoint(), ld.Newmark(0.275625, 0.55))
    )
    assert midpoint.lost[-1] == pytest.approx(exact.lost[-1], rel=0.01)
    for run in (exact, midpoint):
        fall = run.energy[:1000].mean() - run.energy[-1000:].mean()  # over 950 s, from mean to mean
        assert fall == pytest.approx(0.95 * exact.lost[-1], rel=0.02)
    assert other.energy[0] - other.energy[-1] > 10.0 * exact.lost[-1]


@pytest.mark.parametrize("build", [lagrangians.double_pendulum, lagrangians.double_pendulum_in_places])
@pytest.mark.parametrize("scheme", VARIATIONAL + SCHEMES[-3:], ids=name)
def test_the_account_of_energy_closes(scheme, build):
    """E − E₀ = work − lost, at the scheme's order or better."""
    given = lagrangians.pushed(build, 1.0)

    def gap(h):
        run = ld.simulate(given.system, scheme, given.q, given.v, h, 1.0)
        assert run.lost[-1] > 0.1
        assert np.abs(run.work).max() > 0.01
        return np.abs(run.energy - run.energy[0] - run.work + run.lost).max()

    h = STEPS[scheme.order] * 1.5
    assert np.log2(gap(h) / gap(h / 2)) > scheme.order - 0.1


def test_a_force_of_time_a_constant_force_and_one_of_all():
    """The three ways to write a force agree."""
    one = ld.simulate(ld.Mechanical([2.0], force=[3.0]), ld.Midpoint(), [0.0], [0.0], 0.1, 1.0)
    two = ld.simulate(ld.Mechanical([2.0], force=lambda t: [3.0 + 0.0 * t]), ld.Midpoint(), [0.0], [0.0], 0.1, 1.0)
    all_ = ld.Mechanical([2.0], force=lambda q, v, t: [3.0])
    three = ld.simulate(all_, ld.Midpoint(), [0.0], [0.0], 0.1, 1.0)
    four = ld.simulate(ld.Mechanical([2.0], force=lambda q, v: [3.0]), ld.Midpoint(), [0.0], [0.0], 0.1, 1.0)
    for run in (one, two, three, four):
        assert run.q[-1, 0] == pytest.approx(0.75, abs=1e-14)
        assert run.work[-1] == pytest.approx(3.0 * 0.75, abs=1e-14)
