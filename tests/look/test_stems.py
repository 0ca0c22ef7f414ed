"""Points outside the surface of their body have a line to it; things that an event removes are drawn until then."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from livens.look.picture.picture import picture_of
from livens.look.render.scene import Scene


@pytest.mark.parametrize("seed", range(6))
def test_points_outside_a_body_have_a_stem(seed):
    random = np.random.default_rng(seed)
    scale, turn = 10.0 ** random.uniform(-6, 6), Rotation.random(random_state=random)
    m = lv.Model(gravity=tuple(turn.apply((0, 0, -9.81 * scale))))
    place, B = scale * random.normal(size=3), turn.as_matrix()
    bob = m.add(lv.Body(lv.Box(0.4 * scale, 0.2 * scale, 0.1 * scale, mass=2.0), at=place, rotation=B, name="bob"))
    outside = scale * np.array([0.1, 0.0, 0.7])
    m.add(lv.Spherical(m.world.point(*(place + B @ outside)), bob.point(*outside), name="hook"))
    m.add(lv.Spring(m.world.point(0, 0, 0), bob.point(*outside), stiffness=1.0, length=scale, name="same point"))
    corner = scale * np.array([0.2, 0.1, 0.05])
    m.add(lv.Load(bob.point(*corner), force=(1, 0, 0), name="at a corner"))
    rods = picture_of(m).rods
    assert rods.names == ("hook",)
    assert rods.a.body.tolist() == rods.b.body.tolist() == [1]
    np.testing.assert_allclose(rods.a.r, [outside], rtol=1e-15)
    np.testing.assert_allclose(rods.b.r, [np.zeros(3)], atol=1e-15 * scale)


def test_a_point_mass_on_a_string_has_a_stem():
    m = lv.Model(gravity=(0, 0, -9.81))
    bob = m.add(lv.Body(lv.PointMass(1.0), at=(0, 0, -1), name="bob"))
    m.add(lv.Spring(m.world.point(0, 0, 0), bob.center, stiffness=1.0, length=1.0, name="at the centre"))
    assert not len(picture_of(m).rods)


def test_what_an_event_removes_is_drawn_until_then():
    m = lv.Model(gravity=(0, 0, -9.81))
    bob = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(1, 0, 0), name="bob"))
    m.add(lv.Rod(m.world.point(0, 0, 0), bob.center, name="string"))
    wind = m.add(lv.Load(bob.center, force=(2.0, 0, 0), name="wind"))
    events = [
        lv.Event("t - 0.2", do=lv.release("string"), name="cut"),
        lv.Event("t - 0.3", do=lv.release("wind"), name="calm"),
    ]
    motion = lv.simulate(m, h=1e-2, until=0.4, events=events)
    scene = Scene(motion)
    camera = scene.camera([0], 320, 240)
    for state, t in enumerate(motion.t):
        drawn = [line.kind for line in scene.lines(state, camera)]
        if abs(t - 0.2) > 1e-9:
            assert ("rod" in drawn) == (t < 0.2)
            assert scene.exist(("string",), state).tolist() == [t < 0.2]
        if abs(t - 0.3) > 1e-9:
            assert ("load" in drawn) == (t < 0.3)
    assert wind.name in scene.arrows[0].names
