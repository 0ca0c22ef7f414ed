"""Animated glTF: the bytes are read back by a small reader written from the specification, and by trimesh."""

import json
import struct
from functools import cache

import numpy as np
import pytest

import livens as lv
from livens.look.gltf import frames
from livens.look.picture.shapes import creased
from tests.helpers import problems

KINDS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
SINGLE = float(np.finfo(np.float32).eps)


@cache
def motion():
    m = lv.Model(gravity=(0, 0, -9.81), name="throw")
    shape = lv.Compound([lv.Box(1, 0.2, 0.1, density=500), (lv.Cylinder(0.1, 0.6, density=500), lv.Pose((0.5, 0, 0)))])
    for k in range(2):
        m.add(lv.Body(shape, at=(0, 2 * k, 1), velocity=(1, 0, 5), body_rates=(0.1, 20 + k, 0.1), name=f"hammer {k}"))
    m.add(lv.Body(lv.Ball(0.2, mass=1.0), at=(-1, 0, 3), name="ball"))
    return lv.simulate(m, lv.Livens(), h=1e-3, until=1.0)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("gltf") / "throw.glb"
    motion().to_gltf(path)
    return path


def chunks(path):
    """The JSON text and the bytes of a .glb, its header checked."""
    data = path.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    words, kind = struct.unpack_from("<I4s", data, 12)
    assert (kind, words % 4) == (b"JSON", 0)
    rest, kind = struct.unpack_from("<I4s", data, 20 + words)
    assert (kind, rest % 4) == (b"BIN\0", 0)
    assert 28 + words + rest == len(data)
    return json.loads(data[20 : 20 + words]), data[28 + words :]


def values(text, data, number):
    """The numbers of an accessor."""
    accessor = text["accessors"][number]
    view = text["bufferViews"][accessor["bufferView"]]
    kind = {5126: "<f4", 5125: "<u4", 5123: "<u2"}[accessor["componentType"]]
    part = data[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
    return np.frombuffer(part, kind).reshape(accessor["count"], KINDS[accessor["type"]])


def matrix(q):
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def samplers(text, data):
    """(node, path) → times and values."""
    animation = text["animations"][0]
    out = {}
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        assert sampler["interpolation"] == "LINEAR"
        key = channel["target"]["node"], channel["target"]["path"]
        assert key not in out
        out[key] = values(text, data, sampler["input"])[:, 0], values(text, data, sampler["output"])
    return out


# ── the layout ──


def test_views_and_accessors(file):
    """Views are inside the buffer, at multiples of four bytes, and bounds are those of the numbers."""
    text, data = chunks(file)
    assert text["asset"]["version"] == "2.0"
    assert text["buffers"] == [{"byteLength": text["buffers"][0]["byteLength"]}]
    assert 0 <= len(data) - text["buffers"][0]["byteLength"] < 4
    for view in text["bufferViews"]:
        assert view["byteOffset"] % 4 == 0
        assert view["byteOffset"] + view["byteLength"] <= text["buffers"][0]["byteLength"]
    for number, accessor in enumerate(text["accessors"]):
        numbers = values(text, data, number)
        assert np.isfinite(numbers).all()
        if "min" in accessor:
            assert np.array_equal(numbers.min(axis=0), np.float32(accessor["min"]))
            assert np.array_equal(numbers.max(axis=0), np.float32(accessor["max"]))


def test_meshes(file):
    """Positions have bounds, normals have length one, indices are in range, targets are as specified."""
    text, data = chunks(file)
    assert len(text["meshes"]) == 3  # the same shape twice in two colours, and a ball
    for mesh in text["meshes"]:
        (part,) = mesh["primitives"]
        place, normal, index = part["attributes"]["POSITION"], part["attributes"]["NORMAL"], part["indices"]
        assert {"min", "max"} <= set(text["accessors"][place])
        assert text["accessors"][place]["count"] == text["accessors"][normal]["count"]
        targets = [text["bufferViews"][text["accessors"][k]["bufferView"]]["target"] for k in (place, normal, index)]
        assert targets == [34962, 34962, 34963]
        assert text["accessors"][index]["componentType"] == 5125
        assert values(text, data, index).max() == text["accessors"][place]["count"] - 1
        assert values(text, data, index).size % 3 == 0
        assert np.abs(np.linalg.norm(values(text, data, normal), axis=1) - 1).max() < 4 * SINGLE
        assert part["material"] < len(text["materials"])


def test_times_rise_from_start_to_end(file):
    text, data = chunks(file)
    inputs = {sampler["input"] for sampler in text["animations"][0]["samplers"]}
    assert len(inputs) == 1
    time = values(text, data, inputs.pop())[:, 0]
    assert (time[0], time[-1]) == (0.0, 1.0)
    assert (np.diff(time) > 0).all()


# ── the motion ──


def test_poses_are_those_of_the_motion(file):
    text, data = chunks(file)
    found = samplers(text, data)
    assert len(found) == 6
    for k, body in enumerate(motion().model.bodies[1:]):
        t, x = found[k, "translation"]
        _, q = found[k, "rotation"]
        states = np.rint(t.astype(float) / 1e-3).astype(int)
        assert np.abs(motion().t[states] - t).max() < SINGLE
        assert np.abs(x - motion().position(body)[states]).max() < 4 * SINGLE
        assert np.abs(np.linalg.norm(q, axis=1) - 1).max() < 4 * SINGLE
        turned = np.array([matrix(one) for one in q.astype(float)])
        assert np.abs(turned - motion().rotation(body)[states]).max() < 8 * SINGLE
        assert (np.einsum("ij,ij->i", q[1:], q[:-1]) > 0).all()  # the short way round


def test_between_two_poses_a_program_is_near_the_motion(file):
    """The middle of two poses by slerp (as specified) against the state there; the body turns 20 rad/s."""
    text, data = chunks(file)
    t, q = samplers(text, data)[0, "rotation"]
    half = q[1:].astype(float) + q[:-1]
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    states = np.rint((t[1:].astype(float) + t[:-1]) / 2e-3).astype(int)
    away = np.array([matrix(one) for one in half]) - motion().rotation("hammer 0")[states]
    assert np.abs(away).max() < 21 * 0.6e-3  # the rotation in half a step, the largest distance in time


def test_upright(file):
    """The root turns z, upwards in livens, into y, upwards in glTF, and holds every body."""
    text, _ = chunks(file)
    root = text["nodes"][text["scenes"][text["scene"]]["nodes"][0]]
    assert matrix(root["rotation"]) @ (0, 0, 1) == pytest.approx([0, 1, 0])
    assert len(text["materials"]) == 3  # one for each body
    assert root["children"] == [0, 1, 2]
    assert [text["nodes"][k]["name"] for k in root["children"]] == ["hammer 0", "hammer 1", "ball"]


def test_upright_is_against_gravity(tmp_path):
    m = lv.Model(gravity=(3.0, 0.0, 4.0))
    m.add(lv.Body(lv.Ball(0.1, mass=1.0)))
    lv.simulate(m, h=0.1, until=1.0).to_gltf(tmp_path / "fall.glb")
    text, _ = chunks(tmp_path / "fall.glb")
    assert matrix(text["nodes"][-1]["rotation"]) @ (3, 0, 4) == pytest.approx([0, -5, 0])


def test_trimesh_reads_it(file):
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.load(file)
    assert len(scene.geometry) == 3
    world = np.concatenate([body.pose.point(body.shape.surface.vertices) for body in motion().model.bodies[1:]])
    upright = world[:, [0, 2, 1]] * (1, 1, -1)
    assert np.abs(scene.bounds - [upright.min(axis=0), upright.max(axis=0)]).max() < 8 * SINGLE
    ball = next(mesh for name, mesh in scene.geometry.items() if "ball" in name)
    assert ball.volume == pytest.approx(motion().model["ball"].shape.surface.volume, rel=1e-5)


# ── how many poses ──


def test_sixty_poses_a_second_or_a_radian(tmp_path):
    m = lv.Model()
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), body_rates=(0, 0, 200), name="ball"))
    fast = lv.simulate(m, h=1e-3, until=1.0)
    counts = []
    for rate in (None, 10.0):
        fast.to_gltf(tmp_path / "fast.glb", rate)
        text, _ = chunks(tmp_path / "fast.glb")
        counts.append(text["accessors"][0]["count"])
    assert counts == [201, 11]
    assert len(frames(np.array([0.0]), 60.0)) == 1


def test_normals_of_round_and_flat_sides():
    """Of a cylinder the side has normals across its axis, the ends along it, and no others."""
    vertices, normals, _ = creased(lv.Cylinder(0.5, 2.0, mass=1.0).surface)
    side = np.abs(normals[:, 2]) < 1e-9
    assert np.abs(np.abs(normals[~side][:, 2]) - 1.0).max() < 1e-9
    outward = vertices[side] * (1, 1, 0) / np.hypot(*vertices[side, :2].T)[:, None]
    assert np.einsum("ij,ij->i", outward, normals[side]).min() > np.cos(np.pi / 64)


def test_errors_of_gltf_files(tmp_path):
    with pytest.raises(lv.FileError, match=r"the ending of a binary glTF file is \.glb"):
        motion().to_gltf(tmp_path / "throw.gltf")
    with pytest.raises(lv.ModelError, match="has no bodies"):
        lv.simulate(lv.Model(), h=1.0, until=1.0).to_gltf(tmp_path / "empty.glb")
    with pytest.raises(lv.ModelError, match="rate must be positive"):
        motion().to_gltf(tmp_path / "throw.glb", rate=0.0)
    assert not list(tmp_path.iterdir())


def test_a_load_with_a_force_and_a_torque_has_two_arrows(tmp_path):
    """Along both, and as long as their values beside the largest of their kind; a torque has two heads."""
    R = problems.turned(4)
    m = lv.Model(name="pushed")
    bar = m.add(lv.Body(lv.Box(1, 0.2, 0.1, mass=1e3), name="bar"))
    m.add(lv.Load(bar.center, force=3.0 * R[:, 0], torque=2.0 * R[:, 1], name="both"))
    m.add(lv.Load(bar.center, torque=4.0 * R[:, 2], name="twist"))
    lv.simulate(m, h=1e-3, until=0.01).to_gltf(tmp_path / "loads.glb")
    text, data = chunks(tmp_path / "loads.glb")
    nodes = {node["name"]: node for node in text["nodes"] if node.get("extras", {}).get("kind") == "load"}
    assert set(nodes) == {"both", "both, torque", "twist"}
    for name, along in (("both", R[:, 0]), ("both, torque", R[:, 1]), ("twist", R[:, 2])):
        assert np.abs(matrix(nodes[name]["rotation"])[:3, 2] - along).max() < 8 * SINGLE
    length = {name: node["scale"][2] for name, node in nodes.items()}
    assert length["twist"] == pytest.approx(2.0 * length["both, torque"], rel=1e-6)
    tips = {}
    for name, node in nodes.items():
        place = text["meshes"][node["mesh"]]["primitives"][0]["attributes"]["POSITION"]
        x = values(text, data, place).astype(float)
        on_axis = x[np.hypot(x[:, 0], x[:, 1]) < 1e-6]
        tips[name] = np.unique(on_axis[:, 2].round(6)).tolist()
    assert tips == {"both": [1.0], "both, torque": [0.8, 1.0], "twist": [0.8, 1.0]}
