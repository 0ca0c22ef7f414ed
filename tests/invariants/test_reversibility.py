"""Forward and back again: every scheme is symmetric in time, so only round-off remains."""

import numpy as np
import problems
import pytest
import schemes

import livens as lv

EPS = np.finfo(float).eps


@pytest.mark.parametrize("problem", problems.PROBLEMS, ids=problems.name)
@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_reversibility(scheme, problem):
    """A hundred steps and back: at most one rounding per stage, magnified by what neighbours drift apart meanwhile."""
    roundings = 2 * 100 * scheme.stages
    assert lv.reversibility(problem.build(), scheme, h=2e-3, steps=100) <= 10 * roundings * EPS


def test_damping_is_not_reversible():
    """The measure can fail: a scheme that loses a millionth of its momentum per step does not come back."""
    m = problems.hung()

    class Leaky(lv.Livens):
        """The same scheme with a loss."""

        def kernels(self, system):
            prepare, rollout = super().kernels(system)

            def leaky(system, state, *rest):
                done = rollout(system, state, *rest)
                state.L[...] *= 1 - 1e-6
                return done

            return prepare, leaky

    assert lv.reversibility(m, Leaky(), h=2e-3, steps=1) > 1e-6
