"""The data of the stand-alone page: poses with z upwards, each shape once, ends of lines as points of bodies."""

import base64
import json
from functools import cache
from html import escape

import numpy as np
import pytest

import livens as lv
from livens.describe.pose import Pose
from livens.look.page.frames import velocities_of
from livens.look.page.page import CURVE_TIMES
from livens.look.page.page import page as make_page
from livens.look.picture.instants import matrices
from livens.look.picture.interpolation import exponential, positions_between, rotations_between
from livens.look.picture.readings import readings, readings_of_model
from livens.look.picture.view import view_of

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


def numbers(text, *shape, kind="<f4"):
    return np.frombuffer(base64.b64decode(text), kind).reshape(shape)


def times(page):
    return numbers(page["times"], -1, kind="<f8")


def test_poses_are_those_of_the_motion_turned_upright(motion, tmp_path):
    page = data(motion, tmp_path / "page.html")
    t = times(page)
    poses = numbers(page["poses"], len(t), 3, 7)
    up = Pose.from_quaternion(page["world"])
    assert up.direction((0, 1, 0)) == pytest.approx((0, 0, 1), abs=1e-12)  # against gravity
    for k in (0, 123, 500):
        assert t[k] == motion.t[k]
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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"camera": "under"}, "there is no camera 'under'; there is corner, front"),
        ({"camera": (0, 0, 0)}, "direction of the camera has length zero"),
        ({"traces": ["nobody"]}, "traces must be points and bodies in a list"),
        ({"traces": "ball"}, "traces must be points and bodies in a list"),
        ({"title": 5}, "title must be text, not 5"),
        ({"speed": 0}, "speed of the playback must be positive, got 0"),
    ],
)
def test_wrong_options(motion, options, words, tmp_path):
    with pytest.raises(lv.ModelError, match=words):
        motion.to_html(tmp_path / "no.html", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("seed", range(3))
def test_the_camera_looks_from_the_given_direction(seed, tmp_path):
    """The angles turn the upright direction to the eye into that of world axes, for any gravity."""
    rng = np.random.default_rng(seed)
    m = lv.Model(gravity=rng.normal(size=3))
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), name="ball"))
    d = rng.normal(size=3)
    page = data(lv.simulate(m, h=0.1, until=1.0), tmp_path / "a.html", camera=d, traces=["ball"], title="x", speed=0.5)
    turn, lift = page["camera"]["turn"], page["camera"]["lift"]
    eye = np.array([np.cos(lift) * np.cos(turn), np.cos(lift) * np.sin(turn), np.sin(lift)])
    assert Pose.from_quaternion(page["world"]).B.T @ eye == pytest.approx(d / np.linalg.norm(d), abs=1e-9)
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<title>x</title>" in text
    assert "<option selected>0.5" in text


def test_a_page_is_small_and_needs_nothing_else(motion, tmp_path):
    motion.to_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<title>&lt;all&gt; &amp; more</title>" in text
    assert not [word for word in ("http:", "https:", "src=", "import(", "fetch(") if word in text]
    poses = 4 / 3 * 4 * 7 * 3 * len(motion)
    things = [None, *motion.model.joints, *motion.model.bodies[1:]]
    charts = [c for one in things for c in (readings_of_model(motion) if one is None else readings(motion, one))]
    curves = 4 / 3 * 4 * CURVE_TIMES * sum(len(c.names) for c in charts)
    assert len(text) < 50_000 + 120_000 + 1.1 * (poses + curves)  # the player, the shapes, the poses and the curves


def test_many_bodies_are_kept_at_fewer_times(motion, tmp_path, monkeypatch):
    monkeypatch.setattr("livens.look.page.page.POSES", 600)
    page = data(motion, tmp_path / "page.html")
    t = times(page)
    assert len(t) == 200  # for three bodies
    assert (t[0], t[-1]) == (0.0, pytest.approx(1.0))
    monkeypatch.setattr("livens.look.page.page.POSES", 3)
    assert len(times(data(motion, tmp_path / "page.html"))) == 100  # the smallest number


def test_names_with_markup_are_shown_as_text(tmp_path):
    """Neither markup nor marks of the template."""
    name = "</script><script>alert(1)</script>{{data}}{{follow}}"
    m = lv.Model(name=name)
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), name=name))
    lv.simulate(m, h=0.1, until=1.0).to_html(tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert text.count("<script") == 1
    assert f"<title>{escape(name)}</title>" in text


# ── long motions ──


@cache
def double_pendulum(every=1, until=100.0):
    m = lv.Model(gravity=(0, 0, -9.81), name="double pendulum")
    one, two = (m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=500), at=(k + 0.5, 0, 0), name=f"bar {k}")) for k in (0, 1))
    m.add(lv.Revolute(m.world.point(0, 0, 0), one.point(-0.5, 0, 0), axis=(0, 1, 0), name="shoulder"))
    m.add(lv.Revolute(one.point(0.5, 0, 0), two.point(-0.5, 0, 0), axis=(0, 1, 0), name="elbow"))
    return lv.simulate(m, h=2e-3, until=until, every=every)


def gap(motion, page, most):
    """The largest distance of the two halves of the elbow at times between those that the page stores."""
    bodies = len(motion.model.bodies) - 1
    t, poses = times(page), numbers(page["poses"], -1, bodies, 7).astype(float)
    rates = None if page["rates"] is None else numbers(page["rates"], -1, bodies, 6).astype(float)
    worst = 0.0
    for k in range(0, len(t) - 1, max(1, len(t) // most)):
        h = t[k + 1] - t[k]
        for s in (0.25, 0.5, 0.75):
            R0, R1 = (matrices(poses[j, :, 3:]) for j in (k, k + 1))
            if rates is None:
                x = (1 - s) * poses[k, :, :3] + s * poses[k + 1, :, :3]
                q = poses[k + 1, :, 3:] * np.sign((poses[k, :, 3:] * poses[k + 1, :, 3:]).sum(axis=1))[:, None]
                R = matrices((1 - s) * poses[k, :, 3:] + s * q)
            else:
                x = positions_between(poses[k, :, :3], poses[k + 1, :, :3], rates[k, :, :3], rates[k + 1, :, :3], h, s)
                R = rotations_between(R0, R1, rates[k, :, 3:], rates[k + 1, :, 3:], h, s)
            worst = max(worst, float(np.linalg.norm(x[0] + R[0] @ (0.5, 0, 0) - x[1] - R[1] @ (-0.5, 0, 0))))
    return worst


def test_a_long_motion_does_not_come_apart_on_its_page(tmp_path):
    """100 s of a double pendulum, 50,001 states: the elbow opens by less than a hundredth of an arm's length."""
    motion = double_pendulum()
    page = data(motion, tmp_path / "long.html")
    assert len(times(page)) > 2000
    assert gap(motion, page, 400) < 0.01


def test_a_small_page_of_a_long_motion_interpolates_on_the_group_and_says_so():
    """A tenth of the poses that linear interpolation would need; the page names what it holds."""
    motion = double_pendulum()
    text = motion.embed().page
    page = json.loads(next(line for line in text.splitlines() if line.startswith("const data = "))[13:])
    count = len(times(page))
    assert count * 2 <= 20_000
    assert page["rates"] is not None
    assert gap(motion, page, 400) < 0.03
    assert f"This page holds {count:,} of 50,001 states" in text
    assert "too coarse" not in text


def test_a_page_that_is_too_coarse_says_so():
    motion = double_pendulum()
    text = make_page(motion, view_of(motion), 500)
    assert 'class="coarse">This page holds 134 of 50,001 states, 0.75 s apart. That is too coarse' in text


def test_a_page_that_holds_all_states_says_nothing(motion, tmp_path):
    motion.to_html(tmp_path / "page.html")
    assert "This page holds" not in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("seed", range(5))
def test_between_states_the_error_is_of_fourth_order(seed):
    """A free body in random motion, against a run with a hundred times the states."""
    rng = np.random.default_rng(seed)
    m = lv.Model(gravity=rng.normal(size=3))
    shape = lv.Box(*rng.uniform(0.2, 1.0, 3), density=100)
    m.add(
        lv.Body(shape, at=rng.normal(size=3), velocity=rng.normal(size=3), body_rates=3 * rng.normal(size=3), name="b")
    )
    fine = lv.simulate(m, lv.RungeKutta(8), h=1e-3, until=0.8)
    errors = []
    for step in (200, 100):
        k = np.array([0, step])
        rates = velocities_of(fine, k)
        R, x, h, half = fine.rotation("b")[k], fine.position("b")[k], step * 1e-3, step // 2
        there = rotations_between(R[:1], R[1:], rates[:1, 0, 3:], rates[1:, 0, 3:], h, 0.5)[0]
        place = positions_between(x[:1], x[1:], rates[:1, 0, :3], rates[1:, 0, :3], h, 0.5)[0]
        errors.append(
            max(np.abs(there - fine.rotation("b")[half]).max(), np.abs(place - fine.position("b")[half]).max())
        )
    assert errors[0] < 0.05
    assert np.log2(errors[0] / errors[1]) > 3.5


def test_more_than_a_turn_between_two_stored_times():
    w = np.array([[0.0, 0.0, 40.0]])
    R = [exponential(np.array([[0.0, 0.0, 40.0 * t]])) for t in (0.0, 0.5)]
    for s in (0.1, 0.5, 0.9):
        there = rotations_between(R[0], R[1], w, w, 0.5, s)
        assert np.abs(there - exponential(np.array([[0.0, 0.0, 20.0 * s]]))).max() < 1e-9
