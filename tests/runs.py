"""Simulations as the tests of joints make them: none may end with a defect."""

import warnings

import numpy as np

import livens as lv

DEFECT = 1e-11  # |g| [m or rad] and |G v| [m/s or rad/s] at every stored state of every test


def run(model, order=2, *, h, until, every=1):
    """The motion, after its defects were checked; that rows repeat others is not news here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*equations repeats? others", category=lv.ModelWarning)
        motion = lv.simulate(model, lv.Livens(order), h=h, until=until, every=every)
    assert motion.defect_position.max() <= DEFECT
    assert motion.defect_velocity.max() <= DEFECT
    return motion


def at(motion, times):
    """The numbers of the states stored at `times` [s]."""
    k = np.searchsorted(motion.t, np.asarray(times) - 0.5 * motion.h)
    assert np.allclose(motion.t[k], times, rtol=0, atol=1e-9 * motion.t[-1])
    return k


def order(errors):
    """Observed orders between runs with halved steps."""
    e = np.asarray(errors)
    return np.log2(e[:-1] / e[1:])
