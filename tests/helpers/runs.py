"""Simulations as the tests of joints make them: none may end with a defect."""

import warnings

import numpy as np

import livens as lv

DEFECT = 1e-11  # |g| [m or rad] and |G v| [m/s or rad/s] at every stored state of every test


def run(model, order=2, *, h, until, every=1):
    """The motion, after its defects were checked; warnings of redundant constraints are ignored."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*equations? (is|are) redundant", category=lv.ModelWarning)
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


def deviations(motion, found):
    """Of centres and attitudes, of velocities, of accelerations, of reactions: the largest at the end, from a solution
    of index_one.py."""
    model = motion.model
    bodies = model.bodies[1:]
    joints = [joint for joint in model.joints if not isinstance(joint, lv.Coupling)]
    places = [np.abs(motion.position(b.center)[-1] - x).max() for b, x in zip(bodies, found.x, strict=True)]
    turns = [np.abs(motion.rotation(b)[-1] - B).max() for b, B in zip(bodies, found.B, strict=True)]
    speeds = [np.abs(motion.velocity(b.center)[-1] - v).max() for b, v in zip(bodies, found.v, strict=True)]
    rates = [np.abs(motion.angular_velocity(b)[-1] - w).max() for b, w in zip(bodies, found.omega, strict=True)]
    gains = [np.abs(motion.acceleration(b.center)[-1] - a).max() for b, a in zip(bodies, found.dv, strict=True)]
    forces = [
        np.abs(np.concatenate([motion.reaction(j)[-1], motion.reaction_torque(j)[-1]]) - found.reaction[j.name]).max()
        for j in joints
    ]
    return np.array([max(places + turns), max(speeds + rates), max(gains), max(forces)])
