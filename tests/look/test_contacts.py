"""Contacts in pictures: points, normals, forces and friction cones, in every back end; impacts on time axes."""

from __future__ import annotations

import base64
import json
import struct
from functools import cache

import numpy as np
import pytest

import livens as lv
from livens.look.picture.contacts import CONE_SIDES, CONE_SPOKES, FORCE, ContactPicture
from livens.look.picture.extent import extent, upright
from livens.look.picture.instants import instants, stored
from livens.look.picture.picture import picture_of
from livens.look.render.scene import Scene

G = 9.81
UP = lv.Pose.from_axis_angle((1, 2, 3), 0.7).B


@cache
def sliding():
    """A box of 2 kg that slides on a floor, with µ = 0.3, in a random orientation, and a ball that bounces on it."""
    m = lv.Model(gravity=UP @ (0, 0, -G), name="sliding")
    moving = {"rotation": UP, "velocity": UP @ (1, 0, 0)}
    box = m.add(lv.Body(lv.Box(1, 1, 0.2, mass=2.0), at=UP @ (0, 0, 0.1), name="box", **moving))
    ball = m.add(lv.Body(lv.Ball(0.1, mass=0.1), at=UP @ (0, 0, 0.6), name="ball", **moving))
    m.add(lv.Contact(m.world.plane((0, 0, 0), normal=UP[:, 2]), box, friction=0.3, name="floor"))
    m.add(lv.Contact(box, ball, restitution=0.8, name="lid"))
    return lv.simulate(m, h=5e-3, until=0.25)


def test_marks_are_the_contact_points_with_their_forces():
    motion = sliding()
    marks = ContactPicture(motion, 1.0).at(20)
    assert len(marks.point) == 4  # corners of the box
    place = (marks.point - motion.position("box")[20]) @ UP
    assert np.allclose(np.abs(place), (0.5, 0.5, 0.1), atol=1e-9)
    assert np.allclose(marks.normal, UP[:, 2], atol=1e-12)
    assert np.allclose(marks.friction, 0.3)
    assert np.allclose(marks.force.sum(axis=0), UP @ (-0.3 * 2 * G, 0, 2 * G), rtol=1e-9)


def test_a_sliding_force_is_on_its_cone():
    """The end of the force is at the height of the rim, and at its radius from the axis."""
    motion = sliding()
    drawn = ContactPicture(motion, 1.0)
    lines = drawn.lines(20)
    cone = lines["cone"].reshape(4, CONE_SIDES + CONE_SPOKES, 2, 3)
    for (x, end), one in zip(lines["force"], cone, strict=True):
        axis = UP[:, 2]
        height = (end - x) @ axis
        aside = np.linalg.norm(end - x - height * axis)
        rim = one[CONE_SPOKES:, 0] - x
        assert np.allclose(rim @ axis, height)
        assert np.allclose(np.linalg.norm(rim - height * axis, axis=1), aside)
        assert aside == pytest.approx(0.3 * height)
        assert np.allclose(one[:CONE_SPOKES, 0], x)
    assert np.linalg.norm(lines["force"][:, 1] - lines["force"][:, 0], axis=1).max() <= 3.0 * FORCE


def numbers(packed):
    return np.frombuffer(base64.b64decode(packed), "<f4").astype(float)


def test_the_page_has_contacts_and_impacts(tmp_path):
    motion = sliding()
    motion.to_html(tmp_path / "sliding.html")
    text = (tmp_path / "sliding.html").read_text(encoding="utf-8")
    data = json.loads(next(line for line in text.splitlines() if line.startswith("const data = "))[13:])
    up = upright(motion.model.gravity)
    rows = numbers(data["contacts"]["marks"]).reshape(-1, 10)
    first = data["contacts"]["first"]
    assert len(first) == len(motion) + 1
    mine = ContactPicture(motion, 1.0).at(20)
    here = rows[first[20] : first[21]]
    assert np.allclose(sorted(here[:, 0]), sorted(mine.point @ up.T[:, 0]), atol=1e-6)
    assert np.allclose(here[:, 3:6], (0, 0, 1), atol=1e-6)
    assert here[:, 8].sum() == pytest.approx(2 * G, rel=1e-5)
    assert data["impacts"] == pytest.approx(sorted(motion.impacts.t.tolist()))
    assert 'id="contacts"' in text


def test_motions_without_contacts_have_none(tmp_path):
    m = lv.Model()
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), velocity=(1, 0, 0)))
    motion = lv.simulate(m, h=0.1, until=1.0)
    assert not ContactPicture(motion, 1.0).exists
    motion.to_html(tmp_path / "free.html")
    data = (tmp_path / "free.html").read_text(encoding="utf-8")
    assert '"contacts"' not in next(line for line in data.splitlines() if line.startswith("const data = "))
    assert len(motion.impacts) == 0
    assert repr(motion.impacts) == "0 impacts"


def test_gltf_has_contact_forces(tmp_path):
    motion = sliding()
    motion.to_gltf(tmp_path / "sliding.glb", rate=1000)
    data = (tmp_path / "sliding.glb").read_bytes()
    length = struct.unpack("<I", data[12:16])[0]
    text, rest = json.loads(data[20 : 20 + length]), data[28 + length :]
    nodes = {k: node for k, node in enumerate(text["nodes"]) if node.get("extras", {}).get("kind") == "contact"}
    assert len(nodes) == 4  # corners of the box

    def track(node, path):
        [channel] = [
            c for a in text["animations"] for c in a["channels"]
            if c["target"]["node"] == node and c["target"]["path"] == path
        ]  # fmt: skip
        sampler = text["animations"][0]["samplers"][channel["sampler"]]
        view = text["bufferViews"][text["accessors"][sampler["output"]]["bufferView"]]
        return np.frombuffer(rest, "<f4", view["byteLength"] // 4, view["byteOffset"]).reshape(-1, 3)

    picture = picture_of(motion.model)
    now = instants(motion, np.arange(len(motion)))
    low, high = extent(picture, now.x, now.R)
    lines = ContactPicture(motion, float((high - low).max()) / 2).lines(20)["force"]
    found = sorted(track(node, "scale")[20, 2] for node in nodes)
    lengths = sorted(np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1))
    assert np.allclose(found, lengths, rtol=1e-5)
    assert max(track(node, "scale")[0, 2] for node in nodes) == 0.0  # there are no forces at the start


def test_the_viewer_has_a_layer():
    pytest.importorskip("viser", reason="the pages need viser: pip install 'livens[view]'")
    motion = sliding()
    with lv.view(motion, block=False, open_browser=False) as viewer:
        drawing = viewer.inside.drawing
        drawing.show("contacts", True)
        drawing.draw(stored(motion.system, motion.record, motion.t, 20))
        drawn = {
            node.name.rsplit("/", 1)[1]: drawing.sizes.back(node.points) for node in drawing.layers["contacts"].nodes
        }
        mine = ContactPicture(motion, 1.0).at(20)
        assert drawn["force"].shape == (4, 2, 3)
        assert np.allclose(drawn["force"][:, 0], mine.point, atol=1e-5)
        assert drawn["cone"].shape == (4 * (CONE_SIDES + CONE_SPOKES), 2, 3)


def test_impacts_are_marked_in_the_figure_of_the_energy():
    motion = sliding()
    figure = motion.plot("energy")
    [marks] = [line for line in figure.axes[0].get_lines() if line.get_label() == "impacts"]
    assert sorted(marks.get_xdata()) == pytest.approx(sorted(motion.impacts.t))


def test_impacts_are_a_table():
    text = repr(sliding().impacts)
    head, columns, *rows = text.splitlines()
    assert head == f"{len(rows)} impacts"
    assert columns.split()[:3] == ["t", "[s]", "bodies"]
    assert any("box – ball" in row and "lid" in row for row in rows)
    assert all(row[columns.index("bodies") - 1] == " " != row[columns.index("bodies")] for row in rows)  # aligned


def test_pictures_have_contacts_on_request():
    motion = sliding()
    scene = Scene(motion, contacts=True)
    lines = scene.lines(20, scene.camera([20], 320, 240))
    drawn = {
        kind: np.array([line.corners for line in lines if line.kind == kind]) for kind in ("normal", "force", "cone")
    }
    mine = ContactPicture(motion, scene.half).lines(20)
    up = upright(motion.model.gravity)
    for kind, ends in mine.items():
        assert np.allclose(drawn[kind], ends @ up.T)
    plain = Scene(motion)
    assert not [line for line in plain.lines(20, plain.camera([20], 320, 240)) if line.kind in mine]


def test_a_picture_with_contacts_differs(tmp_path):
    for contacts in (False, True):
        sliding().to_png(tmp_path / f"{contacts}.png", t=0.1, size=(160, 120), contacts=contacts)
    assert (tmp_path / "True.png").read_bytes() != (tmp_path / "False.png").read_bytes()


def test_stops_of_joints_are_not_drawn(tmp_path):
    """They act on a coordinate, by a torque or a force without a contact point."""
    m = lv.Model(gravity=(0, 0, -G))
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Stop(hinge, upper=0.5))
    motion = lv.simulate(m, h=1e-2, until=1.0)
    assert len(motion.impacts) > 0
    assert len(ContactPicture(motion, 1.0).at(-1).point) == 0
    motion.to_html(tmp_path / "stop.html")
    motion.to_gltf(tmp_path / "stop.glb")
