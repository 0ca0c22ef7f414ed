"""Every scheme has its stated order on forced problems, against solutions in other coordinates."""

from functools import cache

import numpy as np
import pytest

import livens as lv
from benchmarks import newton_euler
from tests.helpers import problems, schemes

FINER = {2: 16, 4: 2, 6: 1}  # how many more steps than the problem's a scheme needs to show its order


@cache
def exact(problem):
    """(x, B, v, ω) at the end as one vector."""
    return np.concatenate([part.ravel() for part in newton_euler.solve(problem.build(), [problem.until])[0]])


def reached(model, scheme, h, until):
    """The same, as the scheme finds it."""
    motion = lv.simulate(model, scheme, h=h, until=until, every=10**9)
    H = lv.Hamiltonian(model)
    a, B, p, L = H.at(motion)
    return np.concatenate([part.ravel() for part in (a, B, *H.velocities(p, L))])


@pytest.mark.parametrize("problem", problems.PROBLEMS, ids=problems.name)
@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_order(scheme, problem):
    """Steps are halved four times, or until the error approaches that of the reference; the last slope is the order."""
    model, reference = problem.build(), exact(problem)
    floor = 100 * newton_euler.RTOL * np.abs(reference).max()
    n, errors = problem.steps * FINER[scheme.order], []
    while len(errors) < 5 and (len(errors) < 2 or errors[-1] > floor * 2.0**scheme.order):
        errors.append(np.abs(reached(model, scheme, problem.until / n, problem.until) - reference).max())
        n *= 2
    order = np.log2(errors[-2] / errors[-1])
    assert abs(order - scheme.order) < schemes.TOLERANCE[scheme.order], errors
