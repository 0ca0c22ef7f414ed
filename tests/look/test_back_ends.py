"""One description, four back ends: browser, page, renderer and glTF draw the same items at the same positions.

Every back end is read back as {kind: ends (n, 2, 3)} at the start of one motion of a model with every joint and force.
An axis is a line of any length, so its middle and its direction are compared; a body has one point, its frame's origin.
"""

import base64
import json
import struct
from functools import cache

import numpy as np
import pytest

import livens as lv
from livens.describe.pose import Pose
from livens.look.picture.instants import stored
from livens.look.picture.picture import picture_of
from livens.look.render.scene import Scene
from tests.helpers.mechanisms import every_joint

SINGLE = float(np.finfo(np.float32).eps)
KINDS = ("body", "spring", "damper", "rod", "axis")


@cache
def motion():
    m = every_joint()
    tail, slab = m["tail"], m["slab"]
    m.add(lv.Damper(m.world.point(2.5, 0.5, -1.5), tail.center, rate=0.5, name="dashpot"))
    m.add(lv.Damper(slab.center, tail.center, rate=0.1, name="second dashpot"))
    m.add(lv.Load(tail.center, force=(0.1, 0, 0), name="wind"))
    m.add(lv.Motor(m["axle"], effort=0.1, name="motor"))
    m.add(lv.Attraction(G=1e-3, name="attraction"))
    return lv.simulate(m, h=1e-3, until=0.01)


def described():
    picture, now = picture_of(motion().model), stored(motion().system, motion().record, motion().t, 0)
    x, R = now.x, now.R
    return {
        "body": x[1:, None],
        "spring": picture.springs.ends(x, R),
        "damper": picture.dampers.ends(x, R),
        "rod": picture.rods.ends(x, R),
        "axis": picture.axes.ends(x, R, 1.0),
    }


def by_the_page(folder):
    motion().to_html(folder / "all.html")
    text = (folder / "all.html").read_text(encoding="utf-8")
    data = json.loads(next(line for line in text.splitlines() if line.startswith("const data = "))[13:])

    def numbers(packed):
        return np.frombuffer(base64.b64decode(packed), "<f4").astype(float)

    bodies = numbers(data["poses"]).reshape(-1, len(data["bodies"]), 7)[0]
    assert [body["name"] for body in data["bodies"]] == [body.name for body in motion().model.bodies[1:]]
    poses = [Pose.from_quaternion(data["world"]), *(Pose.from_quaternion(p[3:], at=p[:3]) for p in bodies)]

    def placed(what, side):
        rows = zip(what["body"][side], numbers(what["r"][side]).reshape(-1, 3), strict=True)
        return [(poses[body], r) for body, r in rows]

    found = {"body": bodies[:, None, :3]}
    for kind in ("spring", "damper", "rod"):
        sides = [[pose.point(r) for pose, r in placed(data[f"{kind}s"], side)] for side in (0, 1)]
        found[kind] = np.stack(sides, axis=1)
    middle = np.array([pose.point(r) for pose, r in placed(data["axes"], 0)])
    along = np.array([pose.direction(r) for pose, r in placed(data["axes"], 1)])
    return found | {"axis": np.stack([middle - along, middle + along], axis=1)}


def by_the_renderer(_):
    scene = Scene(motion())
    camera = scene.camera([0], 320, 240)
    lines = scene.lines(0, camera)
    drawn = np.unique(scene.faces(0, camera).part)
    assert drawn.tolist() == [-1, *range(1, len(motion().model.bodies))]  # lines, and all bodies
    found = {"body": scene.now.x[0, drawn[1:], None]}
    for kind in KINDS[1:]:
        found[kind] = np.array([line.corners[[0, -1]] for line in lines if line.kind == kind])
    return found


def by_gltf(folder):
    motion().to_gltf(folder / "all.glb")
    data = (folder / "all.glb").read_bytes()
    text = json.loads(data[20 : 20 + struct.unpack("<I", data[12:16])[0]])
    nodes = text["nodes"][:-1]
    items = [(node["extras"]["kind"], node["name"]) for node in nodes]
    assert items == [tuple(item) for item in picture_of(motion().model).items]
    found = {}
    for kind in KINDS:
        ends = []
        for node in (node for node in nodes if node["extras"]["kind"] == kind):
            x, y, z, w = node["rotation"]
            pose = Pose.from_quaternion((w, x, y, z), at=node["translation"])
            ends.append([pose.a] if kind == "body" else [pose.a, pose.point((0, 0, node["scale"][2]))])
        found[kind] = np.array(ends)
    return found


def by_the_browser(_):
    pytest.importorskip("viser", reason="the pages need viser: pip install 'livens[view]'")
    with lv.view(motion(), block=False, open_browser=False) as viewer:
        drawing, picture = viewer.inside.drawing, viewer.inside.drawing.picture
        drawing.draw(stored(motion().system, motion().record, motion().t, 0))
        back, layers = drawing.sizes.back, drawing.layers
        x = np.zeros((len(motion().model.bodies), 3))
        for node, members in drawing.clickable:
            if not node.name.endswith("dots"):
                x[members] = back(node.batched_positions)
        springs, dampers = layers["springs"].nodes
        coils = np.array(springs.points).reshape(len(picture.springs), -1, 2, 3)
        return {
            "body": x[1:, None],
            "spring": back(np.stack([coils[:, 0, 0], coils[:, -1, 1]], axis=1)),
            "damper": back(dampers.points),
            "rod": back(layers["rods"].nodes[0].points),
            "axis": back(layers["joints"].nodes[1].points),
        }


@pytest.mark.parametrize("back_end", [by_the_page, by_the_renderer, by_gltf, by_the_browser])
def test_every_back_end_draws_the_items_of_the_description(back_end, tmp_path):
    wanted, found = described(), back_end(tmp_path)
    tolerance = 64 * SINGLE * np.abs(wanted["body"]).max()
    for kind in KINDS:
        assert len(wanted[kind]) > 0
        assert found[kind].shape == wanted[kind].shape, kind
        if kind == "axis":
            for ends in (wanted[kind], found[kind]):
                along = ends[:, 1] - ends[:, 0]
                ends[:, 0], ends[:, 1] = ends.mean(axis=1), along / np.linalg.norm(along, axis=1, keepdims=True)
        assert np.abs(found[kind] - wanted[kind]).max() < tolerance, kind


def test_items_have_the_names_of_the_model():
    m = motion().model
    items = picture_of(m).items
    assert [item.name for item in items if item.kind == "body"] == [body.name for body in m.bodies[1:]]
    assert [item.name for item in items if item.kind == "damper"] == ["dashpot", "second dashpot"]
    axes = {item.name for item in items if item.kind == "axis"}
    assert axes >= {"hinge", "guide", "sleeve", "cardan", "screw", "table"}
    assert sum(item.kind == "spring" for item in items) == sum(isinstance(force, lv.Spring) for force in m.forces)


def test_the_second_axis_of_a_universal_joint_turns_with_its_second_body():
    m = motion().model
    axes, cardan = picture_of(m).axes, m["cardan"]
    bodies = [m.bodies[k] for k, name in zip(axes.points.body, axes.names, strict=True) if name == "cardan"]
    assert bodies == [cardan.a.body, cardan.b.body]
