"""lv.view(model): sliders of the joints, compared with positions that are computed in another way."""

import numpy as np
import pytest

import livens as lv
from tests.helpers.mechanisms import crank_rocker

viser = pytest.importorskip("viser", reason="no viser: pip install 'livens[view]'")


def page_of(model):
    return lv.view(model, block=False, open_browser=False)


def arm(seed):
    """Two links on hinges in random orientation and scale, and the positions of their tips by rotations alone."""
    random = np.random.default_rng(seed)
    turn, scale = np.linalg.qr(random.normal(size=(3, 3)))[0], 10 ** random.uniform(-3, 3)
    turn *= np.sign(np.linalg.det(turn))
    axis, along = turn[:, 0], turn[:, 1]
    m = lv.Model(name="arm")
    link = lv.Box(0.1 * scale, scale, 0.1 * scale, mass=1.0)
    one = m.add(lv.Body(link, at=0.5 * scale * along, rotation=turn, name="one"))
    two = m.add(lv.Body(link, at=1.5 * scale * along, rotation=turn, name="two"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), one.point_at(0, 0, 0), axis=axis, limits=(-1.0, 2.0), name="shoulder"))
    m.add(lv.Revolute(one.point_at(*(scale * along)), two.point_at(*(scale * along)), axis=axis, name="elbow"))

    def tip(a, b):
        first, both = (lv.Pose.from_axis_angle(axis, angle).B @ along for angle in (a, a + b))
        return scale * (first + both)

    return m, tip, scale


@pytest.mark.parametrize("seed", range(3))
def test_sliders_move_the_joints(seed):
    m, tip, scale = arm(seed)
    with page_of(m) as page:
        posing = page.inside
        assert posing.names == ["shoulder", "elbow"]
        assert posing.ranges[0] == (-1.0, 2.0)  # its limits
        assert posing.ranges[1] == pytest.approx((-np.pi, np.pi), rel=1e-3)
        posing.move("shoulder", 0.7)
        posing.move("elbow", -1.1)
        end = posing.now.position(m["two"].point(0, 0.5 * scale, 0))[0]
        assert np.abs(end - tip(0.7, -1.1)).max() < 1e-12 * scale
        assert "q = [0.7, -1.1]" in posing.text.content
        x = posing.drawing.now.c[2]
        assert np.abs(x - posing.now.position("two")[0]).max() < 1e-12 * scale  # it is drawn there
        posing.reset()
        assert [slider.value for slider in posing.sliders] == pytest.approx([0.0, 0.0], abs=1e-12)
        assert np.abs(posing.now.position("two")[0] - m["two"].pose.a).max() < 1e-12 * scale


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_loops_follow_and_positions_out_of_reach_are_not_taken():
    m = crank_rocker()
    with page_of(m) as page:
        posing = page.inside
        (name,) = posing.names
        posing.move(name, 0.3)
        assert posing.now.coordinate(name)[0] == pytest.approx(0.3, abs=1e-9)
        assert posing.now.defect_position.max() < 1e-9
        before = posing.q.copy()
        posing.move(name, 3.0)
        if posing.note:  # the rocker cannot follow there
            assert (posing.q == before).all()
            assert posing.note in posing.text.content
        posing.reset()
        assert not posing.note


def test_models_without_coordinates_are_shown_without_sliders():
    m = lv.Model(gravity=(0, 0, -9.81))
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), name="ball"))
    with page_of(m) as page:
        assert page.inside.names == []
        assert "no joint with a coordinate" in page.inside.text.content
    rod = m.add(lv.Body(lv.ThinRod(1.0, mass=1.0), at=(0.5, 0, 0), name="rod"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), rod.point(-0.5, 0, 0), name="ball joint"))
    with page_of(m) as page:
        assert page.inside.names == []
        assert page.inside.note.startswith("Without sliders:")


def test_charts_are_chosen():
    m, _, _ = arm(0)
    motion = lv.simulate(m, h=1e-2, until=0.2)
    with lv.view(motion, block=False, open_browser=False) as page:
        page.stops.pop(0)()  # the thread that plays: it moves the cursor
        player = page.inside
        assert [c.what for c in player.charts.curves][:2] == ["energy", "momentum"]
        player.chart("elbow (Revolute)")
        assert [c.what for c in player.charts.curves] == ["coordinate", "rate", "reaction force", "reaction torque"]
        assert player.list.value == "elbow (Revolute)"
        np.testing.assert_array_equal(player.charts.curves[0].values[:, 0], motion.coordinate("elbow"))
        player.charts.at(0.1)
        t, *_, line = player.charts.handles[0].data
        assert t[np.isfinite(line)].tolist() == [0.1, 0.1]  # the cursor
        player.chart("two")
        np.testing.assert_array_equal(player.charts.curves[0].values, motion.position("two"))
