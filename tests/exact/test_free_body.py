"""The free body against its exact solution: published numbers, the order of every scheme, conserved quantities."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import livens as lv
from tests.helpers import schemes
from tests.helpers.elliptic import FreeBody, symmetric_top

EPS = np.finfo(float).eps

# Rates are closed forms evaluated in high precision; quaternions (w, x, y, z) were integrated in other coordinates
# with DOP853 to a relative tolerance of 1e-13. I [kg m²], ω₀ [rad/s], then E [J], |L| [kg m²/s], the period of ω [s].
CASES = {
    "a": ((6, 8, 3), (10, 20, 20), 2500.0, 181.107702762748, 0.497839161303821),
    "b": ((1, 2, 3), (0.1, 1, 0.1), 1.02, 2.02484567313166, 22.9962629441225),
}
STATES = [  # case, t [s], ω(t) [rad/s], quaternion(t)
    (
        "a",
        0.05,
        (21.6022982203583, 15.3298180099901, 10.3282413449224),
        (0.751380407146, 0.370825611124, 0.437774601015, 0.325989644925),
    ),
    (
        "a",
        0.45,
        (-7.7211130133861, 20.4492783790904, 20.7920064223638),
        (0.791435720337, -0.024317985899, -0.437983788063, -0.425685726248),
    ),
    (
        "a",
        1.0,
        (11.4070865490412, 19.6582112464031, 19.3882103653263),
        (0.982462433039, 0.067504764126, 0.152704608065, 0.083017932786),
    ),
    (
        "b",
        1.0,
        (0.011223551541, 1.0049248886811, 0.0819063858096),
        (0.875524778481, 0.025174806692, 0.480320665905, 0.0459853159),
    ),
    (
        "b",
        10.0,
        (-0.3045433166518, -0.9577334536721, 0.1938613178858),
        (0.010713108498, 0.179709448979, -0.089017990158, -0.979625204189),
    ),
]
DIGITS_OMEGA, DIGITS_Q = 1e-13, 1e-12  # one unit in the last place shown


def same_rotation(q, r, tolerance):
    """q and −q are the same rotation."""
    return min(np.abs(np.subtract(q, r)).max(), np.abs(np.add(q, r)).max()) <= tolerance


def model(I, omega0):
    m = lv.Model()
    return m, m.add(lv.Body(lv.MassProperties(1.0, I), body_rates=omega0, name="body"))


def agrees(motion, body, omega, q):
    """Whether all given digits of (ω, q) agree at the end of the motion, up to one rounding error per stage."""
    noise = EPS * motion.steps * motion.scheme.stages
    rates = np.abs(motion.body_rates(body)[-1] - omega).max() <= (DIGITS_OMEGA + noise) * np.abs(omega).max()
    return rates and same_rotation(motion.quaternion(body)[-1], q, DIGITS_Q + noise)


def refined(m, body, scheme, until, omega, q, most=2**18):
    """The first h, after repeated halving, for which all digits of (ω, q) agree."""
    n = 64
    while n * scheme.stages <= most:
        motion = lv.simulate(m, scheme, h=until / n, until=until, every=n)
        if agrees(motion, body, omega, q):
            return until / n
        n *= 2
    return None


# ── the closed solution itself ──


@pytest.mark.parametrize("case", CASES)
def test_energy_momentum_and_period(case):
    I, omega0, energy, momentum, period = CASES[case]
    body = FreeBody(I, omega0)
    assert abs(body.energy - energy) <= 4 * EPS * energy
    assert abs(body.momentum - momentum) <= 1e-14 * momentum
    assert abs(body.period - period) <= 1e-14 * period


@pytest.mark.parametrize(("case", "t", "omega", "q"), STATES)
def test_closed_solution_has_the_published_digits(case, t, omega, q):
    body = FreeBody(*CASES[case][:2])
    assert np.abs(body.omega(t) - omega).max() <= DIGITS_OMEGA * np.abs(omega).max()
    assert same_rotation(lv.Pose(B=body.rotation(t)).to_quaternion(), q, DIGITS_Q)


@pytest.mark.parametrize("I", [(1, 2, 2.5), (2.5, 1, 2), (1, 2.5, 2), (2.5, 2, 1)])
@pytest.mark.parametrize("omega0", [(1, 0.2, 0.3), (0.3, -1, 0.2), (-0.1, 0.4, -1)])
def test_closed_solution_satisfies_eulers_equations(I, omega0):
    """All orders of the moments, both kinds of polhode, both directions, against quadrature of Euler's equations."""
    slope = lambda t, w: np.cross(np.multiply(I, w), w) / I  # noqa: E731
    ode = solve_ivp(slope, (0, 7.0), omega0, method="DOP853", rtol=1e-13, atol=1e-15)
    assert np.abs(FreeBody(I, omega0).omega(7.0) - ode.y[:, -1]).max() <= 1e-12


# ── the package against it ──


@pytest.mark.parametrize(("case", "t", "omega", "q"), STATES)
def test_every_published_digit_agrees(case, t, omega, q):
    """With a smaller h all twelve or thirteen digits agree, at orders 4 and 6."""
    m, body = model(*CASES[case][:2])
    for scheme in (lv.Livens(4), lv.Livens(6)):
        assert refined(m, body, scheme, t, omega, q) is not None, scheme


def test_symmetric_body():
    """(c) of the published numbers, where ω is given to eight digits and the quaternion to fifteen."""
    I, omega0, t = (1, 1, 0.5), np.array([0.5, 0.5, 1.0]), 5.0
    omega, B = symmetric_top(1.0, 0.5, omega0, t)
    q = (-0.63051414583893, 0.604804984940191, -0.303124239057294, -0.3804977500386)
    assert np.abs(omega - (-0.10133574, -0.69980788, 1)).max() <= 1e-8
    assert same_rotation(lv.Pose(B=B).to_quaternion(), q, 1e-14)
    m, body = model(I, omega0)
    for scheme in (lv.Livens(4), lv.Livens(6)):
        assert refined(m, body, scheme, t, omega, q) is not None, scheme


def test_hammer():
    """The hammer of the source documents at density 1: a box, and the part of a cylinder outside it."""
    upright = lv.Pose.from_axis_angle((1, 0, 0), np.pi / 2, at=(0, 1.5, 0))
    hammer = lv.Compound([lv.Box(2, 1, 1, density=1), (lv.Cylinder(0.1, 2.0, density=1), upright)]).mass_properties
    assert abs(hammer.mass - 2.06283) <= 5e-6
    assert np.abs(hammer.inertia - np.diag([0.4915, 0.833647, 0.9915])).max() <= 5e-7


@pytest.mark.parametrize("what", ["rates", "attitude"])
@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_order(scheme, what):
    I, omega0, until = (1, 2, 3), (0.1, 2, 0.1), 10.0
    m, body = model(I, omega0)
    exact = FreeBody(I, omega0)

    def run(h):
        motion = lv.simulate(m, scheme, h=h, until=until, every=10**9)
        return motion.body_rates(body)[-1] if what == "rates" else motion.rotation(body)[-1]

    steps = {2: 1000, 4: 100, 6: 40}[scheme.order]
    hs = [until / n for n in (steps, 2 * steps, 4 * steps)]
    order = lv.observed_order(run, hs, exact.omega(until) if what == "rates" else exact.rotation(until))
    assert np.abs(order - scheme.order).max() < schemes.TOLERANCE[scheme.order], order


@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_energy_and_momentum_are_conserved(scheme):
    """A million steps: |ΔE|/E and |ΔL|/|L| at most 1e-11, and B as orthonormal as that."""
    m, _ = model((1, 2, 3), (0.1, 2, 0.1))
    motion = lv.simulate(m, scheme, h=1e-2, until=1e4, every=1000)
    assert motion.steps == 10**6
    E, L = motion.energy, motion.angular_momentum
    assert np.abs(E - E[0]).max() <= 1e-11 * E[0]
    assert np.linalg.norm(L - L[0], axis=1).max() <= 1e-11 * np.linalg.norm(L[0])
    assert motion.defect_orthogonality.max() <= 1e-11


STEADY = {  # rotations that repeat the same step: every rounding would point the same way
    "about a principal axis": ((1, 2, 3), (0, 2.0, 0)),
    "of a ball": ((1, 1, 1), (0.3, 0.4, 0.5)),
    "of a symmetric body": ((1, 1, 0.5), (0.1, 0, 3.0)),
}


@pytest.mark.parametrize("case", STEADY)
@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_steady_rotation_has_no_drift(scheme, case):
    """Round-off is a random walk, √n eps after n stages; the factor is for the largest of many walks."""
    m, _ = model(*STEADY[case])
    motion = lv.simulate(m, scheme, h=1e-3, until=200.0, every=1000)
    worn = 10 * np.sqrt(motion.steps * scheme.stages) * EPS
    E, L = motion.energy, motion.angular_momentum
    assert np.abs(E - E[0]).max() <= worn * E[0]
    assert np.linalg.norm(L - L[0], axis=1).max() <= worn * np.linalg.norm(L[0])
    assert motion.defect_orthogonality.max() <= worn


def test_the_error_is_a_time_shift_only():
    """ω stays on the exact polhode at order 2; the error is a shift along the curve."""
    I, omega0 = (1.0, 2.0, 3.0), (0.1, 2.0, 0.1)
    m, body = model(I, omega0)
    motion = lv.simulate(m, lv.Livens(), h=0.1, until=10.0)
    w = motion.body_rates(body)
    energy, momentum = 0.5 * w**2 @ I, np.linalg.norm(w * I, axis=1)
    n = len(motion)
    assert np.abs(energy - energy[0]).max() <= n * EPS * energy[0]
    assert np.abs(momentum - momentum[0]).max() <= n * EPS * momentum[0]
    assert np.abs(w[-1] - FreeBody(I, omega0).omega(10.0)).max() > 0.01
