"""The data of the stand-alone page: poses with z upwards, each shape once, ends of lines as points of bodies."""

import base64
import json
from html import escape

import numpy as np
import pytest

import livens as lv
from livens.describe.pose import Pose

SINGLE = float(np.finfo(np.float32).eps)


@pytest.fixture(scope="module")
def motion():
    """Gravity along −y, a spring, a rod, a hinge, and two bodies of one shape."""
    m = lv.Model(gravity=(0, -9.81, 0), name="<all> & more")
    one, two = (m.add(lv.Body(lv.Box(1, 0.1, 0.2, density=500), at=(k + 0.5, 0, 0), name=f"bar {k}")) for k in (0, 1))
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(2, -1, 0), name="ball"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), one.point(-0.5, 0, 0), axis=(0, 0, 1), name="hinge"))
    m.add(lv.Rod(one.point(0.5, 0, 0), two.center, name="rod"))
    m.add(lv.Spring(two.point(0.5, 0, 0), ball.center, stiffness=30.0, length=0.8, name="spring"))
    m.add(lv.Damper(m.world.point(2, -2, 0), ball.center, rate=0.5, name="damper"))
    return lv.simulate(m, h=2e-3, until=1.0)


def data(motion, path, **options):
    motion.to_html(path, **options)
    text = path.read_text(encoding="utf-8")
    return json.loads(next(line for line in text.splitlines() if line.startswith("const data = "))[13:])


def numbers(text, *shape):
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(shape)


def test_poses_are_those_of_the_motion_turned_upright(motion, tmp_path):
    page = data(motion, tmp_path / "page.html")
    t = numbers(page["times"], -1)
    poses = numbers(page["poses"], len(t), 3, 7)
    up = Pose.from_quaternion(page["world"])
    assert up.direction((0, 1, 0)) == pytest.approx((0, 0, 1), abs=1e-12)  # against gravity
    for k in (0, 123, 500):
        assert t[k] == pytest.approx(motion.t[k], rel=SINGLE)
        for b, body in enumerate(motion.model.bodies[1:]):
            x, B = motion.position(body)[k], motion.rotation(body)[k]
            assert poses[k, b, :3] == pytest.approx(up.point(x), abs=4 * SINGLE)
            assert np.abs(Pose.from_quaternion(poses[k, b, 3:]).B - up.B @ B).max() < 8 * SINGLE
    assert [body["shape"] for body in page["bodies"]] == [0, 0, 1]
    assert len(page["shapes"]) == 2


def test_lines_end_at_points_of_bodies(motion, tmp_path):
    page = data(motion, tmp_path / "page.html")
    assert page["springs"]["body"] == [[2], [3]]
    assert numbers(page["springs"]["r"][0], 1, 3).tolist() == [[0.5, 0.0, 0.0]]
    assert page["springs"]["length"] == [0.8]
    apart = motion.position("ball") - motion.position(motion.model["spring"].a)
    extension = np.abs(np.linalg.norm(apart, axis=1) - 0.8).max()
    assert page["springs"]["most"] == pytest.approx(extension, rel=1e-2)  # from every other state
    assert page["rods"]["body"] == [[1], [2]]
    assert page["dampers"]["body"] == [[0], [3]]
    assert page["axes"]["body"] == [[0], [0]]
    assert numbers(page["axes"]["r"][1], 1, 3).tolist() == [[0.0, 0.0, 1.0]]
    assert page["traces"]["body"] == [[1, 2, 3]]  # all centres of mass


def test_traces_can_be_given(motion, tmp_path):
    tip = motion.model["bar 1"].point(0.5, 0, 0)
    page = data(motion, tmp_path / "page.html", traces=[tip, motion.model["ball"]])
    assert page["traces"]["body"] == [[2, 3]]
    assert numbers(page["traces"]["r"][0], 2, 3).tolist() == [[0.5, 0, 0], [0, 0, 0]]
    with pytest.raises(lv.ModelError, match="cannot be traced: its body is not in this model"):
        motion.to_html(tmp_path / "no.html", traces=[lv.Body(lv.Ball(1.0, mass=1.0))])
    assert not (tmp_path / "no.html").exists()


def test_a_page_is_small_and_needs_nothing_else(motion, tmp_path):
    motion.to_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<title>&lt;all&gt; &amp; more</title>" in text
    assert not [word for word in ("http:", "https:", "src=", "import(", "fetch(") if word in text]
    poses = 4 / 3 * 4 * 7 * 3 * len(motion)
    assert len(text) < 20_000 + 110_000 + 1.1 * poses  # the player, the shapes and the poses


def test_many_bodies_are_kept_at_fewer_times(motion, tmp_path, monkeypatch):
    monkeypatch.setattr("livens.look.page.page.POSES", 600)
    page = data(motion, tmp_path / "page.html")
    t = numbers(page["times"], -1)
    assert len(t) == 200  # for three bodies
    assert (t[0], t[-1]) == (0.0, pytest.approx(1.0))
    monkeypatch.setattr("livens.look.page.page.POSES", 3)
    assert len(numbers(data(motion, tmp_path / "page.html")["times"], -1)) == 100  # the smallest number


def test_names_with_markup_are_shown_as_text(tmp_path):
    """Neither markup nor marks of the template."""
    name = "</script><script>alert(1)</script>{{data}}{{follow}}"
    m = lv.Model(name=name)
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), name=name))
    lv.simulate(m, h=0.1, until=1.0).to_html(tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert text.count("<script") == 1
    assert f"<title>{escape(name)}</title>" in text
