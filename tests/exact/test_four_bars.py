"""N four-bars in a row (A02) against the closed equation of their parallelogram branch, singular positions included.

I φ″ = W sin φ,   I = (N + 1)/3 + N,   W = g ((N + 1)/2 + N),   φ(0) = 0, φ′(0) = 1,   B₀ = (sin φ, cos φ)
"""

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import livens as lv
from tests.helpers import mechanisms, runs


def exact(n, times):
    """(sin φ, cos φ) and φ at the times."""
    I, W = (n + 1) / 3 + n, mechanisms.G * ((n + 1) / 2 + n)
    done = solve_ivp(
        lambda t, y: (y[1], W / I * np.sin(y[0])), (0, times[-1]), (0.0, 1.0), t_eval=times, method="DOP853",
        rtol=1e-13, atol=1e-13,
    )  # fmt: skip
    return np.stack([np.sin(done.y[0]), np.cos(done.y[0])], axis=1), done.y[0]


def tip(motion):
    return motion.position(motion.model["crank0"].point(0.5, 0, 0))


def tilt(motion, n):
    """The distance of the couplers from horizontal: zero on the parallelogram branch."""
    return max(np.abs(motion.rotation(f"coupler{k}")[:, 1, 0]).max() for k in range(n))


N2 = ((-0.1950203019494, -0.9807992056622), (-0.8113104610051, -0.584615545349), (0.3284581115408, 0.9445185381786))


def test_two_loops():
    """[EXACT] at 1, 5 and 10 s, position and velocity: second order in h."""
    errors = []
    for h in (1e-3, 5e-4, 2.5e-4):
        motion = runs.run(mechanisms.four_bars(2), h=h, until=10.0)
        velocity = motion.velocity(motion.model["crank0"].point(0.5, 0, 0))[-1, :2]
        position = np.abs(tip(motion)[runs.at(motion, (1, 5, 10)), :2] - N2).max()
        errors.append((position, np.abs(velocity - (1.423051470207, -0.494868845487)).max()))
        assert tilt(motion, 2) < 1e-7
    assert np.abs(runs.order(errors) - 2).max() < 0.05, errors
    assert errors[-1][0] < 3e-6


def test_two_loops_at_order_six():
    """Ten crossings keep the branch up to eps/σ², σ being the distance of a step's end from flat: at least 1e-4."""
    motion = runs.run(mechanisms.four_bars(2), 6, h=2e-3, until=10.0)
    assert np.abs(tip(motion)[runs.at(motion, (1, 5, 10)), :2] - N2).max() < np.finfo(float).eps / 1e-4**2


def test_the_error_is_smaller_than_published_errors_at_the_same_step():
    """[3P] Exudyn, generalised-α, at t = 10: h = 1e-3 gives (0.3284112372, 0.9445348375) with max |ΔE| = 1.14e-3 J."""
    motion = runs.run(mechanisms.four_bars(2), h=1e-3, until=10.0)
    theirs = np.abs(np.subtract((0.3284112372, 0.9445348375), N2[2])).max()
    assert np.abs(tip(motion)[-1, :2] - N2[2]).max() < 0.5 * theirs
    assert np.abs(motion.energy - motion.energy[0]).max() < 0.5 * 1.14e-3


def test_degrees_of_freedom_are_counted():
    """Three rows per loop are redundant, although the start is not singular and the bars become collinear later."""
    with pytest.warns(lv.ModelWarning, match=r"6 constraint equations are redundant .* 1 degree of freedom"):
        lv.simulate(mechanisms.four_bars(2), h=1e-3, until=1e-3)


def test_forty_loops_cross_their_singular_positions():
    """Twenty crossings in twenty seconds: the branch is kept; the errors of position and energy are of second order."""
    position, energy = [], []
    for h in (2e-3, 1e-3):
        motion = runs.run(mechanisms.four_bars(40), h=h, until=20.0)
        reference, phi = exact(40, motion.t)
        assert phi[-1] > 20 * np.pi  # flat at odd multiples of π/2
        assert tilt(motion, 40) < 1e-7
        position.append(np.abs(tip(motion)[:, :2] - reference).max())
        energy.append(np.abs(motion.energy - motion.energy[0]).max())
    assert abs(runs.order(position)[0] - 2) < 0.05, position
    assert abs(runs.order(energy)[0] - 2) < 0.05, energy


def crossed(n, order, h, until):
    """The motion, after checks of its branch and joints, and the jump of the energy at each crossing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        motion = lv.simulate(mechanisms.four_bars(n), lv.Livens(order=order), h=h, until=until)
    assert tilt(motion, n) < 1e-7
    assert motion.defect_position.max() <= runs.DEFECT
    height, energy = tip(motion)[:, 1], motion.energy - motion.energy[0]
    steps = []
    for k in np.flatnonzero(np.diff(np.sign(height))):
        before, after = np.arange(k - 16, k - 3), np.arange(k + 5, k + 18)
        if before[0] >= 0 and after[-1] < len(height):  # both sides, extrapolated to the crossing
            fits = [np.polyfit(at - k, energy[at], 4) for at in (before, after)]
            steps.append(abs(np.polyval(fits[0], 0.5) - np.polyval(fits[1], 0.5)))
    return motion, np.array(steps)


def test_every_crossing_keeps_its_branch():
    """About 360 crossings for many steps and distances from flat: the smallest distance is 1.5e-6.

    No jump of the energy is larger than the difference of two fits through an error of order h² elsewhere, or than
    round-off allows: 1e-16/σ² for a turn of velocities, of which the energy takes the square, at the σ of some 1e-5
    from which on positions follow velocities.
    """
    crossings = 0
    for n, order, h in ((2, 2, 2e-3), (2, 2, 1.6e-3), (2, 4, 5e-3), (1, 4, 1e-3), (5, 2, 5e-3)):
        motion, steps = crossed(n, order, h, until=70.0)
        assert motion.defect_velocity.max() <= runs.DEFECT
        assert steps.max() < 4 * np.median(steps) + 2e-7
        crossings += len(steps)
    assert crossings > 350


@pytest.mark.parametrize(("n", "order", "count"), [(1, 2, 400), (1, 4, 300), (2, 2, 500), (5, 4, 300)])
def test_steps_that_end_at_the_singular_position(n, order, count):
    """Steps that end at a given height above flat, down to zero: far closer than random steps.

    The branch is kept, joints are satisfied in position and velocity, and the energy has no visible jump.
    """

    def height(h):
        return tip(runs.run(mechanisms.four_bars(n), order, h=h, until=h * count, every=count))[-1, 1]

    flat = brentq(height, 0.69 / count, 0.73 / count, xtol=1e-17, rtol=1e-15)
    slope = (height(flat * (1 + 1e-6)) - height(flat * (1 - 1e-6))) / (2e-6 * flat)
    for target in (0.0, 1e-12, -1e-10, 1e-9, -1e-8, 3e-8, -6e-8, 1e-6, -1e-5, 3e-5):
        h = flat + target / slope
        motion, steps = crossed(n, order, h, until=2 * count * h)
        landing = tip(motion)[count, 1]
        assert abs(landing - target) < 1e-13 + 1e-2 * abs(target)
        assert motion.defect_velocity.max() <= runs.DEFECT
        assert steps.max() < 2e-7
