"""Tangents and adjoints of random mechanisms against extrapolated differences of whole runs.

The mechanisms are those of benchmarks/random_models: trees and loops of all joints with redundant equations, dampers,
springs, attraction, rolling, screws and couplings, in a random orientation, place, unit, order and body frames, here
with an energy and a force of the user. The change of the start is a random combination of all columns of the tangent.
Its image is compared with central differences of the run, extrapolated over four spacings (Richardson), with the
largest spacing for which the last two extrapolations agree best: this choice knows nothing of the tangent.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import livens as lv
from benchmarks.random_models import describe
from benchmarks.random_models.description import View, build
from benchmarks.random_models.trial import Trial
from livens.analysis.moved_states import sizes_of_changes
from livens.compile.states import selected
from tests.analysis.test_tangent import difference, moved

STEPS = 6
SEEDS = (1, 6, 8, 15, 24, 25, 27, 37, 41)
ACCURACY = 1e-9
KINDS = {"places": slice(0, 3), "rotations": slice(3, 6), "momenta": slice(6, 9), "spins": slice(9, 12)}
SPACINGS = (3e-2, 1e-2, 3e-3, 1e-3)  # of the sizes of changes
SCHEMES = [lv.Livens(), lv.Livens(order=4), lv.Livens(order=6), lv.RungeKutta(4), lv.RungeKutta(8)]


def random_motion(seed, scheme, steps=STEPS):
    """A few steps of a random mechanism with forces of the user, in a random view. Schemes that step backwards in time
    take no dampers and no drag."""
    told, rng, backwards = describe(seed), np.random.default_rng(seed), min(scheme.weights) < 0.0
    if backwards:
        ties = tuple(replace(tie, damping=0.0) for tie in told.ties)
        pulls = tuple(replace(pull, damping=0.0) for pull in told.pulls if pull.stiffness)
        told = replace(told, ties=ties, pulls=pulls)
    l, mass, t = 10.0 ** rng.uniform(-3, 3, size=3)
    R = lv.Pose.from_quaternion(rng.normal(size=4)).B
    m = build(told, View(R, rng.normal(size=3), l, mass, t, shuffled=seed, framed=seed))
    solid = [one for one in m.bodies[1:] if np.all(one.mass_properties.principal()[0] > 0.0)]
    if solid:
        body, other = solid[0], solid[-1]
        force, r, x = mass * l / t**2, 0.1 * l * rng.normal(size=3), l * rng.normal(size=3)
        m.add(lv.Energy(lambda b: force / l**3 * lv.norm(b[body].point(r) - x) ** 4, bodies=[body], name="well"))
        drag = -0.2 * force * t / l
        if not backwards:
            m.add(lv.Force(other.point(*r), lambda b: drag * b[other].velocity(r), name="drag"))
    until = t * Trial(told).until / 6.0
    return lv.simulate(m, scheme, h=until / steps, until=until, every=steps)


def random_change(motion, seed):
    """Factors of the columns of a tangent (m,), whose changes of the start are as large as its sizes."""
    rng, local = np.random.default_rng(seed), motion.tangent().local
    sizes = np.concatenate(list(sizes_of_changes(motion)), axis=1)  # (n, 12)
    some = np.where(sizes > 0.0, sizes, np.inf)[:, :, None]
    factors = rng.normal(size=local.shape[3]) / np.abs(local[0] / some).max(axis=(0, 1))
    return factors / np.abs(local[0] @ factors / some[:, :, 0]).max(), sizes


def extrapolated(f, e):
    """The derivative of f at 0 from the spacings e, e/2, e/4 and e/8, and the change by the last extrapolation."""
    table = [(f(e / 2**k) - f(-e / 2**k)) / (2.0 * e / 2**k) for k in range(4)]
    for order in range(1, 4):
        before = table[-1]
        table = [b + (b - a) / (4.0**order - 1.0) for a, b in pairwise(table)]
    return table[0], float(np.abs(table[0] - before).max())


def by_runs(motion, change, scale):
    """The change of the end (n, 12) for a change of the start, in parts of `scale`."""
    compiled, last = motion.compiled, selected(motion.record, -1)
    run, start = lv.prepare(motion.model, motion.scheme, h=motion.h), selected(motion.record, 0)

    def end(c):
        other = run(float(motion.t[-1]), start=moved(compiled, start, change, c), every=motion.every)
        return difference(selected(other.record, -1), last) / scale

    return min((extrapolated(end, e) for e in SPACINGS), key=lambda found: found[1])[0]


def errors(seed, scheme):
    """Errors of the tangent for each kind of number, and of the adjoint."""
    motion = random_motion(seed, scheme)
    local, (factors, sizes) = motion.tangent().local, random_change(motion, seed)
    found = local[-1] @ factors
    scale = np.zeros(12)
    for part in KINDS.values():
        scale[part] = max(np.abs(local[:, :, part] @ factors).max(), 1e-2 * sizes[:, part].max())
    expected, found = by_runs(motion, local[0] @ factors, scale)[1:], found[1:] / scale
    worst = {kind: np.abs(found[:, part] - expected[:, part]).max() for kind, part in KINDS.items()}
    g = np.random.default_rng(seed).normal(size=found.shape)
    last = selected(motion.record, -1)
    back = lv.adjoint(motion, of=lambda now: (g * (difference(selected(now.record, -1), last) / scale)[1:]).sum())
    return worst | {"adjoint": abs(back.start @ factors - (g * expected).sum()) / np.abs(g * expected).sum()}


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: f"{type(scheme).__name__}-{scheme.order}")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_random_mechanisms(seed, scheme):
    for what, error in errors(seed, scheme).items():
        assert error <= ACCURACY, what
