"""Forces without bound end a run with StepFailed; no state that is not finite is returned."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from livens.step import COMPARED, SCHEMES


def held(kind, stiffness, seed):
    """A bar on a spring far from its free length, in a random orientation: free, on a hinge, or the spring in it."""
    R = Rotation.random(random_state=seed).as_matrix()
    m = lv.Model(gravity=-9.81 * R[2])
    bar = m.add(lv.Body(lv.Box(1, 0.1, 0.2, mass=1.0), at=0.6 * R[:, 0], rotation=R, name="bar"))
    spring = {"stiffness": stiffness, "rest": 0.3} if kind == "joint" else {}
    if kind != "free":
        end = bar.point(-0.5, 0, 0)
        m.add(lv.Revolute(m.world.point(*end.start), end, axis=R[:, 1], name="hinge", **spring))
    if kind != "joint":
        m.add(lv.Spring(m.world.point(*R[2]), bar.point(0.5, 0.05, 0.1), stiffness=stiffness, length=0.3))
    return m


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
@pytest.mark.parametrize("scheme", [*SCHEMES, *COMPARED, lv.GeneralizedAlpha(0.0)], ids=repr)
def test_forces_without_bound(scheme):
    """At every stiffness from far too large to the largest float."""
    failed = 0
    for seed, stiffness in enumerate((1e10, 1e60, 1e200, 1e305)):
        for kind in ("free", "hinged", "joint"):
            try:
                motion = lv.simulate(held(kind, stiffness, seed), scheme, h=1e-2, until=0.1)
            except lv.StepFailed as error:
                motion, failed = error.trajectory, failed + 1
            assert all(
                np.isfinite(x).all() for x in (motion.record.a, motion.record.B, motion.record.p, motion.record.L)
            )
    assert failed > 6
