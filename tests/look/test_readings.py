"""The curves of bodies and joints: those of the motion, with the units of their coordinates."""

import base64
import json

import numpy as np
import pytest

import livens as lv
from livens.look.page.page import CURVE_NUMBERS, CURVE_TIMES, page
from livens.look.picture.readings import readings
from livens.look.picture.view import view_of
from tests.helpers.mechanisms import every_joint


@pytest.fixture(scope="module")
def motion():
    m = lv.Model(gravity=(0, 0, -9.81), name="crane")
    cart = m.add(lv.Body(lv.Box(1, 1, 1, mass=2.0), name="cart"))
    hook = m.add(lv.Body(lv.Box(0.2, 0.2, 1, mass=1.0), at=(0, 0, -1), name="hook"))
    rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.center, axis=(1, 0, 0), name="rail"))
    m.add(lv.Cylindrical(cart.center, hook.point(0, 0, 1), axis=(0, 0, 1), stiffness=(1.0, 500.0), name="hoist"))
    m.add(lv.Motor(rail, lambda t: np.sin(t), name="motor"))
    return lv.simulate(m, h=1e-2, until=1.0)


def test_readings_are_those_of_the_motion(motion):
    rail = {c.what: c for c in readings(motion, motion.model["rail"])}
    assert [c.unit for c in rail.values()] == ["m", "m/s", "N", "N", "N m"]
    np.testing.assert_array_equal(rail["effort"].values[:, 0], motion.effort("rail"))
    np.testing.assert_array_equal(rail["reaction force"].values, motion.reaction("rail"))
    hoist = readings(motion, motion.model["hoist"])
    assert [(c.what, c.unit) for c in hoist[:4]] == [
        ("coordinate", "rad"), ("coordinate", "m"), ("rate", "rad/s"), ("rate", "m/s"),
    ]  # fmt: skip
    np.testing.assert_array_equal(hoist[1].values[:, 0], motion.coordinate("hoist")[:, 1])
    body = readings(motion, motion.model["hook"])
    np.testing.assert_array_equal(body[2].values, motion.angular_velocity("hook"))


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_every_joint_has_readings():
    """Whatever a joint cannot give is left out; what has a coordinate has its curve."""
    m = every_joint()
    motion = lv.simulate(m, h=1e-3, until=5e-3)
    for joint in m.joints:
        found = {c.what for c in readings(motion, joint)}
        assert not joint.coordinates or {"coordinate", "rate"} <= found
        assert not joint.ends or {"reaction force", "reaction torque"} <= found


def test_the_page_has_them(motion, tmp_path):
    motion.to_html(tmp_path / "a.html")
    lines = (tmp_path / "a.html").read_text(encoding="utf-8").splitlines()
    found = json.loads(next(line for line in lines if line.startswith("const data = "))[13:])["curves"]
    times = np.frombuffer(base64.b64decode(found["times"]))
    assert times[0] == motion.t[0]
    assert times[-1] == motion.t[-1]
    assert [(one["kind"], one["name"]) for one in found["things"]] == [
        ("model", "crane"), ("joint", "rail"), ("joint", "hoist"), ("body", "cart"), ("body", "hook"),
    ]  # fmt: skip


def test_the_curves_of_many_bodies_are_limited():
    m = lv.Model()
    for k in range(40):
        m.add(lv.Body(lv.PointMass(1.0), at=(k, 0, 0), name=f"b{k}"))
    motion = lv.simulate(m, h=1e-2, until=5.0)
    text = page(motion, view_of(motion))
    assert 9 * CURVE_TIMES * text.count('"kind": "body"') <= CURVE_NUMBERS
