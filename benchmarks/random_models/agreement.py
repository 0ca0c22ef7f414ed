"""Comparison with independent solutions: SciPy's DOP853 for the equations of index_one.py, and MuJoCo's accelerations.

start          degrees of freedom and redundant constraints, by singular values; inconsistent velocities have the
               smallest change in the mass norm; accelerations agree
end            Livens of order 2 converges to the independent final state with order 2; RungeKutta of order 8 and,
               without damping, Livens of order 6 reach it, or converge with their orders
MuJoCo         initial accelerations of trees, through MJCF
"""

from __future__ import annotations

import warnings
from importlib.util import find_spec

import numpy as np

import livens as lv
from livens.compile.compiled import Compiled

from .description import build
from .trial import EPS, STEPS, Check, Trial

FEW = 8  # bodies
REFERENCE = (
    1e-11  # error of the independent solution, rtol 1e-12 over some steps, divided by the smallest singular value
)


def checks(trial: Trial) -> list[Check]:
    return [*start(trial), *end(trial), *mujoco(trial)]


def start(trial: Trial) -> list[Check]:
    begin, grip = trial.begin()[1], trial.grip
    counted = (begin.freedom, len(begin.left_out)) == (grip.freedom, grip.repeated)
    return [
        Check("freedom", float(not counted), 0.0),
        *fitted(trial),
        accelerations(trial, 0),
        accelerations(trial, -1),
    ]


def accelerations(trial: Trial, k: int) -> Check:
    """At the k-th state of the motion."""
    motion = trial.motion()
    bodies = motion.model.bodies[1:]
    x, v = (np.array([read(body.center)[k] for body in bodies]) for read in (motion.position, motion.velocity))
    B, omega = (np.array([read(body)[k] for body in bodies]) for read in (motion.rotation, motion.angular_velocity))
    found = trial.mechanism.found(x, B, v, omega, 0.0)
    ours = np.array([[*motion.acceleration(b.center)[k], *motion.angular_acceleration(b)[k]] for b in bodies])
    theirs = np.concatenate([found.dv, found.domega], axis=1)
    apart = np.abs(ours - theirs).max() / max(np.abs(theirs).max(), trial.size * trial.rate**2)
    bound = 1e-11 + 1e3 * EPS / trial.grip.least**2  # rolling joints use a difference of rates
    return Check("accelerations", float(apart), bound)


def fitted(trial: Trial) -> list[Check]:
    """Correction of inconsistent velocities."""
    if trial.grip.repeated or trial.told.thrown is None:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        state = Compiled.of(build(trial.told.thrown)).state
    begin = trial.begin()[1]
    pairs = [(state.p, begin.state.p, begin.system.bodies.inverse_mass[:, None], trial.size * trial.rate)]
    pairs += [(state.L, begin.state.L, begin.system.bodies.inverse_inertia, trial.rate)]
    apart = max(float((np.abs(one - other) * inverse).max() / scale) for one, other, inverse, scale in pairs)
    return [Check("consistent velocities", apart, 1e3 * EPS / trial.grip.least**2)]


def end(trial: Trial) -> list[Check]:
    """Most large models, whose independent solution takes long, are compared with RungeKutta instead."""
    alone = len(trial.told.parts) <= FEW or trial.told.seed % 4 == 0
    there = trial.independent if alone else trial.end(lv.RungeKutta(), 24)
    errors = [trial.apart(trial.end(steps=steps), there) for steps in (STEPS, 2 * STEPS)]
    floor = REFERENCE / trial.grip.least
    found = [Check("order 2", abs(np.log2(errors[0] / errors[1]) - 2.0), 0.05)] if errors[1] > 100 * floor else []
    schemes = [] if trial.told.damped else [(lv.Livens(6), 16, 2.0**5)]
    for scheme, steps, gain in [(lv.RungeKutta(), 12, 2.0**6), *schemes] if alone else schemes:
        near, nearer = (trial.apart(trial.end(scheme, k * steps), there) for k in (1, 2))
        what = repr(scheme) if alone else f"{scheme!r} and RungeKutta(order=8)"
        found.append(Check(what, nearer, max(floor, near / gain)))
    return found


def mujoco(trial: Trial) -> list[Check]:
    """A tree without thin bodies, which MuJoCo does not accept, if MuJoCo is installed."""
    model = trial.begin()[0]
    told = trial.told
    tree = not told.loops and not told.attraction and all(joint.freedoms is not None for joint in model.joints)
    thin = any(np.linalg.eigvalsh(part.inertia)[0] < 1e-12 for part in told.parts)
    if not tree or thin or not find_spec("mujoco"):
        return []
    from ..imports import through_mjcf

    return [Check("MuJoCo", through_mjcf(model), 1e-11 + 1e3 * EPS / trial.grip.least**2)]
