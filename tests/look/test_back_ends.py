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
from livens.look.browser.live import coming_loads
from livens.look.browser.sizes import HALF
from livens.look.gltf import frames
from livens.look.picture.arrows import ARROW_LENGTH
from livens.look.picture.extent import extent
from livens.look.picture.instants import instant, instants, stored
from livens.look.picture.lengths import in_words, nice
from livens.look.picture.picture import picture_of
from livens.look.picture.symbols import PROFILES, SYMBOL_SIZE, profile
from livens.look.render.scene import Scene
from tests.helpers import problems
from tests.helpers.mechanisms import every_joint

SINGLE = float(np.finfo(np.float32).eps)
KINDS = ("body", "spring", "damper", "rod", "axis", "symbol")


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


def middles(ends):
    """The middles of pieces of symbols."""
    return ends.mean(axis=1, keepdims=True)


def described():
    picture, now = picture_of(motion().model), stored(motion().system, motion().record, motion().t, 0)
    x, R = now.x, now.R
    return {
        "body": x[1:, None],
        "spring": picture.springs.ends(x, R),
        "damper": picture.dampers.ends(x, R),
        "rod": picture.rods.ends(x, R),
        "axis": picture.axes.ends(x, R, 1.0),
        "symbol": lambda size: middles(picture.symbols.ends(x, R, size)),
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
    symbols = data["symbols"]
    r = numbers(symbols["r"]).reshape(-1, 2, 3) + 0.1 * numbers(symbols["p"]).reshape(-1, 2, 3)
    ends = np.array([[poses[b].point(end) for end in both] for b, both in zip(symbols["body"], r, strict=True)])
    return found | {"axis": np.stack([middle - along, middle + along], axis=1), "symbol": (0.1, middles(ends))}


def by_the_renderer(_):
    scene = Scene(motion())
    camera = scene.camera([0], 320, 240)
    lines = scene.lines(0, camera)
    drawn = np.unique(scene.faces(0, camera).part)
    assert drawn.tolist() == [-1, *range(1, len(motion().model.bodies))]  # lines, and all bodies
    found = {"body": scene.now.x[0, drawn[1:], None]}
    found["symbol"] = SYMBOL_SIZE * scene.half, middles(scene.symbols(0))
    for kind in KINDS[1:-1]:
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
    body = data[28 + struct.unpack("<I", data[12:16])[0] :]
    for kind in KINDS:
        ends = []
        for node in (node for node in nodes if node["extras"]["kind"] == kind):
            x, y, z, w = node["rotation"]
            pose = Pose.from_quaternion((w, x, y, z), at=node["translation"])
            if kind == "symbol":
                ends += [[pose.point(r)] for r in pieces(text, body, node)]
            else:
                ends.append([pose.a] if kind == "body" else [pose.a, pose.point((0, 0, node["scale"][2]))])
        found[kind] = np.array(ends)
    size = Scene(motion()).picture
    now = instants(motion(), frames(motion().t, 60.0))
    low, high = extent(size, now.x, now.R)
    return found | {"symbol": (SYMBOL_SIZE * float((high - low).max()) / 2, found["symbol"])}


def pieces(text, body, node):
    """The middles of the tubes of a mesh: each has two rings of six corners."""
    accessor = text["accessors"][text["meshes"][node["mesh"]]["primitives"][0]["attributes"]["POSITION"]]
    begin = text["bufferViews"][accessor["bufferView"]]["byteOffset"]
    corners = np.frombuffer(body, "<f4", 3 * accessor["count"], begin).reshape(-1, 12, 3)
    return corners.astype(float).mean(axis=1)


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
            "symbol": (
                SYMBOL_SIZE * HALF / drawing.sizes.scale,
                middles(ordered(picture, layers["symbols"].nodes, back)),
            ),
        }


def ordered(picture, nodes, back):
    """The pieces of two nodes, of joints and of the ground, in the order of the description."""
    still = np.isin(np.array(picture.symbols.kinds, dtype=object), ("ground", "base"))[picture.symbols.owner]
    ends = np.zeros((len(still), 2, 3))
    ends[~still], ends[still] = (back(node.points) for node in nodes)
    return ends


@pytest.mark.parametrize("back_end", [by_the_page, by_the_renderer, by_gltf, by_the_browser])
def test_every_back_end_draws_the_items_of_the_description(back_end, tmp_path):
    wanted, found = described(), back_end(tmp_path)
    tolerance = 64 * SINGLE * np.abs(wanted["body"]).max()
    size, found["symbol"] = found["symbol"]
    wanted["symbol"] = wanted["symbol"](size)
    for kind in KINDS:
        assert len(wanted[kind]) > 0
        assert found[kind].shape == wanted[kind].shape, kind
        if kind == "axis":
            for ends in (wanted[kind], found[kind]):
                along = ends[:, 1] - ends[:, 0]
                ends[:, 0], ends[:, 1] = ends.mean(axis=1), along / np.linalg.norm(along, axis=1, keepdims=True)
        assert np.abs(found[kind] - wanted[kind]).max() < tolerance, kind


@pytest.mark.parametrize("seed", range(3))
def test_the_viewer_shows_loads_and_their_scale(seed):
    """Arrows along loads in any orientation and scale: at their points, as long as their values, with a legend."""
    pytest.importorskip("viser", reason="the pages need viser: pip install 'livens[view]'")
    rng, R = np.random.default_rng(seed), problems.turned(seed)
    size, most = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-2, 4)
    m = lv.Model(gravity=R @ (0, 0, -9.81 * size))
    bar = m.add(lv.Body(lv.Box(size, 0.1 * size, 0.1 * size, mass=most), rotation=R, name="bar"))
    m.add(lv.Load(bar.point(0.5 * size, 0, 0), force=lambda t: size * most * (1.0 + t) * R[:, 1], name="push"))
    m.add(lv.Load(bar.center, torque=(0, 0, 0.01 * most * size**2), axes="body", name="twist"))
    run = lv.simulate(m, h=1e-2, until=1.0)
    with lv.view(run, block=False, open_browser=False) as viewer:
        drawing = viewer.inside.drawing
        now = stored(run.system, run.record, run.t, 40)
        drawing.draw(now)
        force, torque = (np.array(node.points, dtype=float)[0] for node in drawing.layers["loads"].nodes)
        unit = ARROW_LENGTH * HALF
        assert np.abs(drawing.sizes.back(force[0]) - run.position(bar.point(0.5 * size, 0, 0))[40]).max() < 1e-5 * size
        assert np.abs(force[1] - force[0] - unit * 1.4 / 2.0 * R[:, 1]).max() < 1e-5
        assert np.abs(torque[1] - torque[0] - unit * run.rotation("bar")[40][:, 2]).max() < 1e-5
        (name,) = drawing.layers["names"].nodes
        assert not name.visible
        drawing.show("names", True)
        drawing.draw(now)
        assert name.visible
        assert name.text == "bar"
        assert np.abs(drawing.sizes.back(np.array(name.position)) - now.x[1]).max() < 1e-5 * size
        texts = [node.text for node in drawing.layers["scale and axes"].nodes if type(node).__name__ == "LabelHandle"]
        assert texts[0] == in_words(nice(0.5 * HALF / drawing.sizes.scale))
        assert texts[1:5] == ["x", "y", "z", "g"]
        assert texts[5:] == [f"{nice(2 * size * most):g} N", f"{nice(0.01 * most * size**2):g} N m"]


def test_the_live_page_shows_loads():
    """As long as the largest load of the next ten seconds allows; a function that fails later shows none."""
    pytest.importorskip("viser", reason="the pages need viser: pip install 'livens[view]'")
    R = problems.turned(7)
    m = lv.Model()
    bar = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, mass=2.0), rotation=R, name="bar"))
    m.add(lv.Load(bar.point(0.5, 0, 0), force=lambda t: (1.0 + t) * R[:, 1], name="push"))
    with lv.live(m, h=1e-2, run=False, block=False, open_browser=False) as viewer:
        page = viewer.inside
        page.drawing.draw(page.drawing.now or instant(page.loop.latest.begin.system, page.loop.latest.state, 0.0))
        ((begin, end),) = np.array(page.drawing.layers["loads"].nodes[0].points, dtype=float)
        assert np.abs(page.drawing.sizes.back(begin) - R[:, 0] * 0.5).max() < 1e-5
        assert np.abs(end - begin - ARROW_LENGTH * HALF / 11.0 * R[:, 1]).max() < 1e-5
    assert coming_loads(page.drawing.picture, 0.0, R[None].repeat(2, axis=0))[0].most == pytest.approx(11.0)
    m.add(lv.Load(bar.center, force=lambda t: (1.0, 0, 0) if t < 5.0 else 1 / 0, name="late"))
    assert coming_loads(picture_of(m), 0.0, R[None].repeat(2, axis=0)) == []


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


def test_every_joint_has_a_symbol_of_its_type():
    """The kinds that the table of symbols.py names, for every class of joint."""
    picture = picture_of(motion().model)
    kinds = {}
    for kind, name in zip(picture.symbols.kinds, picture.symbols.names, strict=True):
        kinds.setdefault(name, set()).add(kind)
    wanted = {
        "hinge": {"pin", "ground"},
        "guide": {"rail", "block"},
        "sleeve": {"rail", "pin"},
        "cardan": {"fork"},
        "weld": {"weld"},
        "ball": {"ball"},
        "table": {"plate", "block"},
        "screw": {"helix", "pin"},
        "gear": {"gear"},
        "pinion": {"gear", "rack"},
        "wire": {"rail", "ball"},
        "compass": {"frame"},
        "rolling ball": {"plate", "rolling"},
        "rolling disc": {"plate", "rolling"},
        "world": {"base"},
    }
    assert {name: kinds[name] for name in wanted} == wanted
    assert all(name in kinds for name in (joint.name for joint in motion().model.joints))
    assert all(np.isfinite(profile(kind)).all() and len(profile(kind)) > 1 for kind in PROFILES)


@pytest.mark.parametrize("seed", range(4))
def test_symbols_lie_along_the_axis_in_any_orientation(seed):
    """The ends of a pin's mantle are parallel to the axis of its hinge, at the start and later."""
    rng = np.random.default_rng(seed)
    m = lv.Model(gravity=rng.normal(size=3))
    B, axis = problems.turned(seed), rng.normal(size=3)
    arm = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=100), at=rng.normal(size=3), rotation=B, name="arm"))
    other = m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=100), at=rng.normal(size=3), name="other"))
    m.add(lv.Revolute(arm.point(0.5, 0, 0), other.point_at(*arm.point(0.5, 0, 0).start), axis=axis, name="pin"))
    run = lv.simulate(m, h=1e-3, until=0.2)
    picture = picture_of(m)
    for k in (0, len(run) - 1):
        now = stored(run.system, run.record, run.t, k)
        ends = picture.symbols.ends(now.x, now.R, 0.05)
        along = ends[-4:, 1] - ends[-4:, 0]
        u = run.rotation("arm")[k] @ B.T @ axis / np.linalg.norm(axis)
        assert np.abs(along - 0.1 * u).max() < 1e-12
        assert np.abs(ends.mean(axis=(0, 1)) - run.position(arm.point(0.5, 0, 0))[k]).max() < 1e-12
