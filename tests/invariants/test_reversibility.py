"""Forward and backward: every scheme is symmetric in time, so only round-off remains."""

import numpy as np
import pytest

import livens as lv
from tests.helpers import problems, schemes

EPS = np.finfo(float).eps


@pytest.mark.parametrize("problem", problems.PROBLEMS, ids=problems.name)
@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_reversibility(scheme, problem):
    """A hundred steps and back: at most one rounding error per stage, amplified as neighbouring motions diverge."""
    roundings = 2 * 100 * scheme.stages
    assert lv.reversibility(problem.build(), scheme, h=2e-3, steps=100) <= 10 * roundings * EPS


def test_damping_is_not_reversible():
    """The measure can fail: a scheme that loses a millionth of its momentum per step does not return."""
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


def test_bodies_that_only_translate_or_only_rotate():
    """Angular or linear momenta are round-off there, and so is the deviation, but not relative to them."""
    slide = lv.Model(gravity=problems.G)
    body = slide.add(lv.Body(problems.lopsided(1), rotation=problems.turned(2), name="body"))
    slide.add(lv.Prismatic(slide.world.point_at(1, 0, 0), body.point_at(1, 0, 0), axis=(1, 2, 3), name="rail"))
    spin = lv.Model()
    spin.add(lv.Body(problems.lopsided(3), rotation=problems.turned(4), body_rates=(1, 2, 3), name="body"))
    spin.bodies[1].velocity = -np.cross(spin.bodies[1].pose.B @ (1, 2, 3), spin.bodies[1].center.start)
    for model in (slide, spin):
        assert lv.reversibility(model, lv.Livens(), h=1e-2, steps=50) <= 10 * 2 * 50 * EPS
