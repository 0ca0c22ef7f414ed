"""Rows that constrain velocities only, in loops with redundant constraints: positions hold exactly."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from livens.compile.compiled import Compiled
from livens.kernels.kinds import VELOCITY_ONLY


def guided_disc(seed):
    """A disc that rolls on a plane while another plane guides it: of the velocity of its contact point, the component
    along the normal of the guide is zero already, so that one constraint equation is redundant."""
    random = np.random.default_rng(seed)
    turn, scale = Rotation.random(random_state=random), 10.0 ** random.uniform(-2, 2)
    normal, axis, guide = (turn.apply(random.normal(size=3)) for _ in range(3))
    normal, axis = normal / np.linalg.norm(normal), axis / np.linalg.norm(axis)
    axis = axis - 0.5 * (axis @ normal) * normal
    axis /= np.linalg.norm(axis)
    up = np.sqrt(1.0 - (normal @ axis) ** 2)
    center = scale * (turn.apply((0.3, -0.2, 0.5)) + up * 0.2 * normal)
    m = lv.Model(gravity=tuple(9.81 * scale * turn.apply(random.normal(size=3))))
    shape = lv.Box(0.3 * scale, 0.2 * scale, 0.1 * scale, mass=2.0)
    disc = m.add(
        lv.Body(shape, at=center, rotation=turn.as_matrix(), body_rates=tuple(random.normal(size=3)), name="disc")
    )
    floor = m.world.point(*(center - up * 0.2 * scale * normal))
    m.add(lv.RollingDisc(floor, disc.center, normal, axis, 0.2 * scale, name="rolls"))
    m.add(lv.Planar(m.world.point(*center), disc.center, guide, name="guide"))
    return m, scale


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_positions_hold_where_rolling_is_redundant(seed):
    m, scale = guided_disc(seed)
    compiled = Compiled.of(m)
    assert len(compiled.left_out) == 1
    assert (compiled.full.rows.kind[list(compiled.left_out)] >= VELOCITY_ONLY).all()
    motion = lv.simulate(m, h=2e-3, until=0.1)
    assert motion.freedom == 1
    assert motion.defect_position.max() < 1e-12 * scale
    assert motion.defect_velocity.max() < 1e-10 * scale
