"""Discrete gradients: energy exact for any Lagrangian and any step, order 2, symmetric; which momenta are conserved;
work and loss booked exactly; and where the scheme is worse than others."""

import numpy as np
import pytest

import livens as lv
import livens.discrete as ld
from tests.helpers import lagrangians
from tests.helpers.general_schemes import EXACT_ENERGY as BOTH
from tests.helpers.general_schemes import name

EPS = float(np.finfo(float).eps)
STEPS = 100_000


def anharmonic(until=5.0):
    system = ld.Mechanical([1.0], lambda x: 0.5 * x[0] ** 2 + 0.25 * x[0] ** 4)
    return ld.Problem(system, [1.0], [0.3], until, name="anharmonic oscillator")


def elastic_pendulum(omega, until=2.0, angle=1.0):
    """A unit mass on a spring of frequency ω [rad/s] and unit length, in its own direction at rest."""
    length = 1.0 + 9.81 * np.cos(angle) / omega**2
    potential = lambda x: 0.5 * omega**2 * (ld.norm(x) - 1.0) ** 2 + 9.81 * x[1]  # noqa: E731
    q = length * np.array([np.sin(angle), -np.cos(angle)])
    return ld.Problem(ld.Mechanical([1.0, 1.0], potential), q, [0.0, 0.0], until, name="elastic pendulum")


def error(run):
    """The largest error of the energy balance, relative to the largest kinetic energy or what was exchanged."""
    kinetic = 0.5 * np.einsum("ij,ij->i", run.p, run.v)
    return np.abs(run.imbalance).max() / max(np.abs(kinetic).max(), np.ptp(run.energy - kinetic))


def simulated(given, scheme, h, steps, **more):
    return ld.simulate(given.system, scheme, given.q, given.v, h, h * steps, every=max(1, steps // 10_000), **more)


LONG = {
    "anharmonic oscillator": (anharmonic, 0.05),
    "Kepler": (lagrangians.kepler, 0.02),
    "circular orbit": (lambda: lagrangians.kepler(e=0.0), 0.02),
    "double pendulum": (lagrangians.double_pendulum, 0.02),
    "Fermi–Pasta–Ulam, h ω = 1": (lagrangians.stiff_chain, 0.02),
    "relativistic particle": (lagrangians.relativistic, 0.05),
}


@pytest.mark.parametrize("which", LONG)
@pytest.mark.parametrize("scheme", BOTH, ids=name)
def test_energy_is_exact(which, scheme):
    """A hundred thousand steps; the double pendulum's mass depends on q, the relativistic L is not quadratic in v."""
    make, h = LONG[which]
    steps = STEPS if scheme.form == "gonzalez" else STEPS // 10
    assert error(simulated(make(), scheme, h, steps)) < 1e-12


@pytest.mark.parametrize("h", [0.1, 1.0, 10.0, 100.0])
def test_energy_is_exact_at_any_step(h):
    """The oscillator stays where its energy allows it to be, with ω h from 0.1 to 100."""
    given = anharmonic()
    run = simulated(given, ld.DiscreteGradient(), h, 10_000)
    assert error(run) < 1e-12
    ends = np.roots([0.25, 0.0, 0.5, 0.0, -float(run.energy[0])])
    assert np.abs(run.q).max() <= ends[np.abs(ends.imag) < 1e-9].real.max() * (1.0 + 1e-12)


@pytest.mark.parametrize("scheme", BOTH, ids=name)
@pytest.mark.parametrize("which", [lagrangians.spherical_pendulum, lagrangians.double_pendulum_in_places])
def test_energy_is_exact_with_constraints(which, scheme):
    """g = 0 to round-off at every step; velocities violate G v = 0 by O(h²)."""
    given, worst = which(), []
    for h in (0.01, 0.005):
        run = simulated(given, scheme, h, round(10.0 / h))
        assert error(run) < 1e-12
        assert run.defect[:, 0].max() < 1e-14
        worst.append(run.defect[: len(run) // 4, 1].max())
    assert np.log2(worst[0] / worst[1]) == pytest.approx(2.0, abs=0.5)


def test_a_constraint_that_is_not_quadratic():
    """A bead on y = sin x: the reaction is a multiple of the discrete gradient of g."""
    bead = ld.Mechanical([1.0, 1.0], lambda x: 9.81 * x[1], constraints=lambda x: x[1] - ld.sin(x[0]))
    given = ld.Problem(bead, [0.5, np.sin(0.5)], [1.0, np.cos(0.5)], 2.0)
    assert error(simulated(given, ld.DiscreteGradient(), 0.02, 20_000)) < 1e-12
    assert order(given, ld.DiscreteGradient(), 0.005) == pytest.approx(2.0, abs=0.05)


def order(given, scheme, h):
    """Observed at several times, against DOP853."""
    times = given.until * np.array([0.5, 0.75, 1.0])
    errors = []
    for step in (h, h / 2):
        run = ld.simulate(given.system, scheme, given.q, given.v, step, given.until)
        at = np.rint(times / step).astype(int)
        errors.append(np.linalg.norm([run.q[k] - given.at(float(t))[0] for k, t in zip(at, times, strict=True)]))
    return np.log2(errors[0] / errors[1])


@pytest.mark.parametrize("scheme", BOTH, ids=name)
def test_order(scheme):
    for make, until in ((anharmonic, 4.0), (lagrangians.kepler, 4.0), (lagrangians.double_pendulum, 2.0)):
        given = make(until=until)
        assert order(given, scheme, 0.005) == pytest.approx(2.0, abs=0.05)
    assert order(lagrangians.relativistic(4.0), scheme, 0.005) == pytest.approx(2.0, abs=0.05)
    assert order(lagrangians.pushed(lagrangians.double_pendulum, 2.0), scheme, 0.005) == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("scheme", BOTH, ids=name)
@pytest.mark.parametrize("which", [lagrangians.kepler, lagrangians.double_pendulum, lagrangians.relativistic])
def test_symmetric(which, scheme):
    given = which()
    away = ld.simulate(given.system, scheme, given.q, given.v, 0.01, 5.0)
    home = ld.simulate(given.system, scheme, away.q[-1], -away.v[-1], 0.01, 5.0)
    np.testing.assert_allclose(home.q[-1], given.q, atol=1e-10)
    np.testing.assert_allclose(home.v[-1], -given.v, atol=1e-10)


def test_work_and_loss_are_booked_exactly():
    for make in (lagrangians.double_pendulum, lagrangians.double_pendulum_in_places):
        run = simulated(lagrangians.pushed(make), ld.DiscreteGradient(), 0.05, 2_000)
        assert np.abs(run.imbalance).max() < 1e-12 * (np.abs(run.work).max() + run.lost[-1])
        assert (np.diff(run.lost) > 0.0).all()
    drag = lambda q, v: 0.3 * ld.dot(v, v)  # noqa: E731
    L = lambda q, v: -ld.sqrt(1.0 - ld.dot(v, v)) - 0.5 * ld.dot(q, q)  # noqa: E731
    run = ld.simulate(ld.Lagrangian(L, 2, dissipation=drag), ld.DiscreteGradient(), [1.0, 0.2], [0.1, 0.6], 0.1, 5.0)
    assert np.abs(run.imbalance).max() < 1e-13
    assert run.lost[-1] > 0.1


def drifts(run):
    """The change of each momentum, as a part of Σ |p ξ|."""
    found = {}
    for which, momentum in run.momenta.items():
        xi = np.array(run.system.symmetries[which].map(len(run.t))(run.q.T)).T
        found[which] = np.ptp(momentum) / np.abs(run.p * xi).sum(axis=1).max()
    return found


def test_named_momenta_are_conserved():
    """Rotations by Gonzalez' form, also on a circle, where d → 0; translations by both. The mean value changes angular
    momentum, and so does either form if the symmetry is not named."""
    gonzalez, mean = BOTH
    for e in (0.0, 1e-6, 0.3, 0.6):
        given = lagrangians.kepler(e)
        assert drifts(simulated(given, gonzalez, 0.02, 20_000))["angular momentum"] < 1e-12
    assert drifts(simulated(given, mean, 0.02, 2_000))["angular momentum"] > 1e-6
    unnamed = ld.Mechanical([1.0, 1.0], lambda x: -1.0 / ld.norm(x))
    run = ld.simulate(unnamed, gonzalez, given.q, given.v, 0.02, 40.0)
    assert np.ptp(run.q[:, 0] * run.p[:, 1] - run.q[:, 1] * run.p[:, 0]) > 1e-6
    planets = lagrangians.solar_system()
    assert max(drifts(simulated(planets, gonzalez, 80.0, 1_000)).values()) < 1e-12
    by_mean = drifts(simulated(planets, mean, 80.0, 200))
    assert max(by_mean[f"momentum {k}"] for k in "xyz") < 1e-12


def test_a_cyclic_coordinate_with_a_mass_that_depends_on_positions():
    """The angle of a planar orbit in polar coordinates."""
    L = lambda q, v: 0.5 * (v[0] ** 2 + q[0] ** 2 * v[1] ** 2) + 1.0 / q[0]  # noqa: E731
    system = ld.Lagrangian(L, 2, symmetries={"turn": lambda q: (0.0, 1.0)})
    for scheme in BOTH:
        run = ld.simulate(system, scheme, [0.4, 0.0], [0.0, 5.0], 0.01, 50.0)
        assert np.ptp(run.momenta["turn"]) < 1e-12
        assert error(run) < 1e-12


def test_the_mean_value_of_a_separable_energy_is_a_quotient_of_differences():
    """p₁ − p₀ = −h (V_i(q₁) − V_i(q₀))/(q₁ − q₀) of each coordinate, of degree 2 × points at most."""
    system = ld.Mechanical([1.0, 2.0], lambda x: x[0] ** 8 + ld.cos(x[1]))
    h = 0.1
    run = ld.simulate(system, ld.DiscreteGradient("mean", points=8), [0.9, 0.5], [0.1, 2.0], h, 2.0)
    for k, V in enumerate((lambda x: x**8, np.cos)):
        dq, dV, dp = np.diff(run.q[:, k]), np.diff(V(run.q[:, k])), np.diff(run.p[:, k])
        np.testing.assert_allclose(dp * dq, -h * dV, atol=20.0 * EPS)


@pytest.mark.parametrize(("length", "mass"), [(1e-9, 1e20), (1e9, 1e-20)])
def test_units_do_not_matter(length, mass):
    given = lagrangians.kepler()
    turn = {"angular momentum": lambda q: (-q[1], q[0])}
    system = ld.Mechanical([mass, mass], lambda x: -mass * length**3 / ld.norm(x), symmetries=turn)
    run = ld.simulate(system, BOTH[0], length * given.q, length * given.v, 0.01, 10.0)
    same = ld.simulate(given.system, BOTH[0], given.q, given.v, 0.01, 10.0)
    np.testing.assert_allclose(run.q / length, same.q, atol=1e-10)


def test_units_of_single_coordinates_do_not_matter():
    """The correction is along the momentum, not along the increments: an angle may be in degrees beside one in
    radians."""
    given, s = lagrangians.double_pendulum(), np.array([1.0, 180.0 / np.pi])
    L = lambda q, v: (  # noqa: E731
        v[0] ** 2
        + 0.5 * (v[1] / s[1]) ** 2
        + v[0] * v[1] / s[1] * ld.cos(q[0] - q[1] / s[1])
        + 9.81 * (2.0 * ld.cos(q[0]) + ld.cos(q[1] / s[1]))
    )
    run = ld.simulate(ld.Lagrangian(L, 2), BOTH[0], s * given.q, s * given.v, 0.05, 2.0)
    same = ld.simulate(given.system, BOTH[0], given.q, given.v, 0.05, 2.0)
    np.testing.assert_allclose(run.q / s, same.q, atol=1e-10)


@pytest.mark.parametrize("omega", [100.0, 1000.0])
def test_stiff_springs_at_long_steps(omega):
    """h ω = 1 and 10: energy to round-off where the explicit scheme fails, and the swing within 0.002 rad of DOP853."""
    given = elastic_pendulum(omega)
    run = ld.simulate(given.system, BOTH[0], given.q, given.v, 0.01, given.until)
    assert error(run) < 1e-12
    (x, y), (a, b) = run.q[-1], given.at(given.until)[0]
    assert abs(np.arctan2(x, -y) - np.arctan2(a, -b)) < 2e-3
    if omega > 200.0:
        with pytest.raises(lv.StepFailed):
            ld.simulate(given.system, ld.Trapezoidal(), given.q, given.v, 0.01, given.until)


def test_phases_are_not_exact():
    """The linear oscillator turns by 2 atan(ω h/2) in a step, not by ω h: at ω h = 100 the step alternates."""
    system = ld.Mechanical([1.0], lambda x: 0.5 * x[0] ** 2)
    for h in (0.1, 1.0, 100.0):
        run = ld.simulate(system, ld.DiscreteGradient(), [1.0], [0.0], h, 10.0 * h)
        np.testing.assert_allclose(run.q[:, 0], np.cos(2.0 * np.arctan(0.5 * h) * np.arange(11)), atol=1e-12)


@pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")  # of the midpoint rule's energy
def test_at_very_stiff_springs_the_midpoint_rule_swings_better():
    """h ω = 100: all of the energy is kept, but some moves into the spring, which the midpoint rule leaves at rest. The
    pendulum on a rod is the limit."""
    given, rod = elastic_pendulum(1e4), lagrangians.pendulum(1.0)
    limit = rod.at(2.0)[0][0]
    swing = {}
    for scheme in (ld.DiscreteGradient(), ld.Midpoint()):
        x, y = ld.simulate(given.system, scheme, given.q, given.v, 0.01, 2.0).q[-1]
        swing[scheme] = abs(np.arctan2(x, -y) - limit)
    assert swing[ld.Midpoint()] < 2e-3 < 2e-2 < swing[ld.DiscreteGradient()]


def test_not_symplectic():
    given = lagrangians.kepler()
    assert ld.symplectic_defect(given.system, BOTH[0], given.q, given.v, 0.1) > 1e-5


def test_composed_to_order_four():
    """With the energy still exact."""
    given = lagrangians.double_pendulum(1.0)
    scheme = ld.compose(ld.DiscreteGradient(), 4)
    assert order(given, scheme, 0.025) == pytest.approx(4.0, abs=0.1)
    assert error(simulated(given, scheme, 0.02, 5_000)) < 1e-12
    assert scheme.exact_energy
    with pytest.raises(lv.ModelError, match="cannot be composed"):
        ld.Composition([(ld.DiscreteGradient(), 0.5), (ld.Midpoint(), 0.5)])


def test_sparse_and_dense_agree(monkeypatch):
    """A net of springs as Elements, with a sparse matrix, and of few unknowns."""
    given = lagrangians.spring_network(4)
    dense = lagrangians.spring_network(4)
    run = simulated(given, BOTH[0], 0.02, 100)
    assert error(run) < 1e-12
    monkeypatch.setattr(ld.maps, "SMALL", 0)
    np.testing.assert_allclose(simulated(dense, BOTH[0], 0.02, 100).q, run.q, atol=1e-9)


def test_report_and_comparison_say_so():
    given = lagrangians.kepler()
    assert "conserved exactly by the scheme" in simulated(given, BOTH[0], 0.02, 100).report()
    assert "conserved exactly" not in simulated(given, ld.Midpoint(), 0.02, 100).report()
    table = ld.compare(given, [ld.DiscreteGradient(), ld.Midpoint()], h=0.02)
    assert "DiscreteGradient() conserves the energy exactly" in str(table)
    assert table.rows[0].band < 1e-12 < 1e-4 < table.rows[1].band


def test_rest_stays_rest():
    given = lagrangians.double_pendulum()
    run = ld.simulate(given.system, BOTH[0], [0.0, 0.0], [0.0, 0.0], 0.1, 10.0)
    assert np.abs(run.q).max() < 1e-15


def quartic(n):
    return ld.Elements(lambda q, v: 0.5 * v[0] ** 2 + 0.1 * v[0] ** 4 - ld.cosh(q[0]), [[k] for k in range(n)])


def test_elements_that_are_not_quadratic_in_v():
    """Each by itself, coupled by a potential: energy exact."""
    springs = ld.Elements(lambda q, v: -((q[1] - q[0]) ** 2) - (q[1] - q[0]) ** 4, [(0, 1), (1, 2)])
    system = ld.Lagrangian([quartic(3), springs], n=3)
    for scheme in BOTH:
        given = ld.Problem(system, [1.0, 0.0, -0.3], [0.0, 1.0, 0.5], 2.0)
        assert error(simulated(given, scheme, 0.05, 5_000)) < 1e-12
        assert order(given, scheme, 0.005) == pytest.approx(2.0, abs=0.05)


REFUSED = {
    "'gonzalez' or 'mean', not 'itoh'": lambda: ld.DiscreteGradient("itoh"),
    "a whole number from 2 to 16, not 1": lambda: ld.DiscreteGradient("mean", points=1),
    "only if each velocity is in one function": lambda: ld.simulate(
        ld.Lagrangian([lambda q, v: ld.dot(v, v), quartic(2)], n=2), BOTH[0], [0.0, 0.0], [1.0, 1.0], 0.1, 1.0
    ),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_refused(sentence):
    with pytest.raises(lv.ModelError, match=sentence):
        REFUSED[sentence]()
