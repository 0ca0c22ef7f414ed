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


def guided(R, kind, seed):
    """A ball or a disc that rolls on a plane while another plane guides it, all of it turned by R. The guide has a
    random direction, or one at 45° to the axes of the body, where both equations of rolling are implied equally."""
    random = np.random.default_rng(seed)
    normal, tie = np.array([0.0, 0.0, 1.0]), seed % 3 == 0
    guide = np.array([1.0, 1.0, 0.0]) if tie else np.array([*random.normal(size=2), 0.5 * random.normal()])
    place, radius = random.normal(size=3), 0.2
    B = np.eye(3) if tie else Rotation.random(random_state=random).as_matrix()
    rates = tuple(random.normal(size=3))
    m = lv.Model(gravity=tuple(R @ [3.0, -2.0, -9.81]))
    body = m.add(lv.Body(lv.Box(0.3, 0.2, 0.1, mass=2.0), at=R @ place, rotation=R @ B, body_rates=rates, name="body"))
    floor = m.world.point(*(R @ (place - radius * normal)))
    if kind == "ball":
        m.add(lv.RollingBall(floor, body.center, R @ normal, radius, name="rolls"))
    else:
        axis = guide - guide @ normal * normal
        m.add(lv.RollingDisc(floor, body.center, R @ normal, R @ axis, radius, name="rolls"))
    m.add(lv.Planar(m.world.point(*(R @ place)), body.center, R @ guide, name="guide"))
    return m


@pytest.mark.parametrize("kind", ["ball", "disc"])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_the_motion_is_the_same_in_every_orientation(kind, seed):
    plain = guided(np.eye(3), kind, seed)
    compiled = Compiled.of(plain)
    assert len(compiled.left_out) == 1
    assert (compiled.full.rows.kind[list(compiled.left_out)] >= VELOCITY_ONLY).all()
    first = lv.simulate(plain, h=2e-3, until=0.2)
    for k in range(4):
        R = Rotation.random(random_state=np.random.default_rng((seed, k))).as_matrix()
        motion = lv.simulate(guided(R, kind, seed), h=2e-3, until=0.2)
        assert motion.freedom == first.freedom
        assert np.abs(motion.position("body") @ R - first.position("body")).max() < 1e-11
        assert np.abs(R.T @ motion.rotation("body") - first.rotation("body")).max() < 1e-11
