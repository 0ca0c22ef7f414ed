"""Meshes: exact integrals over polyhedra against closed forms and against trimesh's own, and every bad file refused."""

import builtins
import json
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

from livens.describe.pose import Pose
from livens.describe.shapes.ball import Ball
from livens.describe.shapes.box import Box
from livens.describe.shapes.capsule import Capsule
from livens.describe.shapes.compound import Compound
from livens.describe.shapes.cone import Cone
from livens.describe.shapes.ellipsoid import Ellipsoid
from livens.describe.shapes.mesh import read_mesh
from livens.describe.surface import Surface
from livens.errors import FileError, MissingExtra, ModelError

EPS = np.finfo(float).eps
SINGLE = float(np.finfo(np.float32).eps)  # the files store single precision


@pytest.fixture(scope="module")
def trimesh():
    return pytest.importorskip("trimesh", reason="meshes need trimesh: pip install 'livens[mesh]'")


def corners(surface):
    return surface.vertices[surface.triangles]


def ascii_stl(file, triangles):
    """Our own writer: 17 digits, so that the mesh read is the mesh meant."""
    rows = ["solid part"]
    for t in triangles:
        rows += [
            "facet normal 0 0 0",
            "outer loop",
            *("vertex {:.17g} {:.17g} {:.17g}".format(*v) for v in t),
            "endloop",
            "endfacet",
        ]
    file.write_text("\n".join([*rows, "endsolid part", ""]))
    return file


def binary_stl(file, triangles):
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *t.ravel(), 0) for t in triangles)
    file.write_bytes(b"\0" * 80 + struct.pack("<I", len(triangles)) + body)
    return file


def obj(file, surface, head=""):
    rows = ["v {:.17g} {:.17g} {:.17g}".format(*v) for v in surface.vertices]
    rows += ["f {} {} {}".format(*t) for t in surface.triangles + 1]
    file.write_text(head + "\n".join(rows) + "\n")
    return file


def same(a, b, tolerance):
    size = np.sqrt(np.trace(b.inertia) / b.mass)
    assert abs(a.mass - b.mass) <= tolerance * b.mass
    np.testing.assert_allclose(a.center, b.center, rtol=0, atol=tolerance * (size + np.abs(b.center).max()))
    np.testing.assert_allclose(a.inertia, b.inertia, rtol=0, atol=tolerance * np.trace(b.inertia))


def heap():
    """Three boxes that do not touch, turned: a polyhedron whose tensor has no zero entry and is known exactly."""
    places = [Pose.from_axis_angle((1, 2, 3), 0.3 + k, at=(3 * k, k * k, -k)) for k in range(3)]
    return Compound([(Box(1, 0.5 + k, 0.3, density=700), p) for k, p in enumerate(places)])


# ── the integrals ──


def test_polyhedra_are_integrated_exactly(trimesh, tmp_path):
    exact = heap().mass_properties
    assert np.abs(exact.inertia).min() > 0.01 * np.trace(exact.inertia)
    solid = read_mesh(ascii_stl(tmp_path / "heap.stl", corners(heap().surface)), density=700)
    same(solid.mass_properties, exact, 256 * EPS)
    assert solid.name == "heap"
    assert solid.place.a.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "shape", [Ball(0.5, density=1), Ellipsoid(1, 2, 3, density=1), Cone(1, 2, density=1), Capsule(1, 2, density=1)]
)
def test_agrees_with_trimesh(trimesh, tmp_path, shape):
    s = shape.surface.moved(Pose.from_axis_angle((1, 2, 3), 0.5, at=(0.3, 0.2, 0.1)))
    body = read_mesh(ascii_stl(tmp_path / "part.stl", corners(s)), density=3).mass_properties
    peer = trimesh.Trimesh(s.vertices, s.triangles, process=False)
    peer.density = 3
    np.testing.assert_allclose(body.mass, peer.mass, rtol=1e-12)
    np.testing.assert_allclose(body.center, peer.center_mass, atol=1e-12)
    np.testing.assert_allclose(body.inertia, peer.moment_inertia, atol=1e-11 * body.mass)


def test_round_shapes_approach_the_closed_form(trimesh, tmp_path):
    ball = Ball(0.5, density=1000)
    body = read_mesh(ascii_stl(tmp_path / "ball.stl", corners(ball.surface)), density=1000).mass_properties
    np.testing.assert_allclose(body.mass, ball.mass_properties.mass, rtol=0.005)
    np.testing.assert_allclose(np.diag(body.inertia), np.diag(ball.mass_properties.inertia), rtol=0.01)


def test_far_from_the_origin_no_digits_are_lost(trimesh, tmp_path):
    far = Pose((1e4, -2e4, 3e4))
    body = read_mesh(
        ascii_stl(tmp_path / "far.stl", corners(Box(1, 2, 4, mass=1).surface.moved(far))), density=1
    ).mass_properties
    same(body, Box(1, 2, 4, density=1).mass_properties.moved(far), 1e-11)


def test_cavities_are_empty(trimesh, tmp_path):
    shell, hole = Box(2, 2, 2, density=5), Box(1, 1, 1, density=5)
    inner = hole.surface.moved(Pose((0.2, 0.1, 0.3)))
    surface = shell.surface.joined(Surface(inner.vertices, inner.triangles[:, ::-1]))
    body = read_mesh(ascii_stl(tmp_path / "hollow.stl", corners(surface)), density=5).mass_properties
    back = body + hole.mass_properties.moved(Pose((0.2, 0.1, 0.3)))  # fill the hole again
    same(back, shell.mass_properties, 64 * EPS)


# ── files ──


def test_all_formats_give_the_same_body(trimesh, tmp_path):
    s, exact = heap().surface, heap().mass_properties
    peer = trimesh.Trimesh(s.vertices, s.triangles, process=False)
    same(read_mesh(obj(tmp_path / "a.obj", s), density=700).mass_properties, exact, 256 * EPS)
    same(read_mesh(binary_stl(tmp_path / "b.STL", corners(s)), density=700).mass_properties, exact, 32 * SINGLE)
    peer.export(tmp_path / "c.glb")
    same(read_mesh(tmp_path / "c.glb", density=700).mass_properties, exact, 32 * SINGLE)


def test_parts_of_a_glb_sit_where_its_scene_puts_them(trimesh, tmp_path):
    scene, pose = trimesh.Scene(), Pose.from_axis_angle((0, 0, 1), 0.5, at=(3, 0, 0))
    scene.add_geometry(trimesh.creation.box((1, 2, 3)))
    scene.add_geometry(trimesh.creation.box((1, 2, 3)), transform=pose.matrix)
    scene.export(tmp_path / "two.glb")
    exact = Compound([Box(1, 2, 3, density=1), (Box(1, 2, 3, density=1), pose)]).mass_properties
    same(read_mesh(tmp_path / "two.glb", density=1).mass_properties, exact, 32 * SINGLE)


@pytest.mark.parametrize(("unit", "s"), [(0.001, 0.001), ("mm", 0.001), ("in", 0.0254), (1.0, 1.0), (2, 2.0)])
def test_unit(trimesh, tmp_path, unit, s):
    solid = read_mesh(
        ascii_stl(tmp_path / "box.stl", corners(Box(1, 2, 3, mass=1).surface)), density=10, unit=unit, name="crate"
    )
    same(solid.mass_properties, Box(s, 2 * s, 3 * s, density=10).mass_properties, 64 * EPS)
    np.testing.assert_allclose(np.ptp(solid.surface.vertices, axis=0), (s, 2 * s, 3 * s), rtol=4 * EPS)
    assert solid.name == "crate"


def test_quads_normals_and_texture_corners_of_obj(trimesh, tmp_path):
    """A cube as modellers write it: quads, and each corner once per face because normals and texture differ."""
    faces = [(1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)]
    rows = [f"v {x} {y} {z}" for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    rows += [f"vt {u} {v}" for u, v in ((0, 0), (0, 1), (1, 1), (1, 0))]
    rows += [f"vn {n}" for n in ("0 0 -1", "0 0 1", "0 -1 0", "0 1 0", "-1 0 0", "1 0 0")]
    rows += ["f " + " ".join(f"{v}/{k + 1}/{n + 1}" for k, v in enumerate(face)) for n, face in enumerate(faces)]
    (tmp_path / "cube.obj").write_text("\n".join(rows) + "\n")
    exact = Box(1, 1, 1, density=2).mass_properties.moved(Pose((0.5, 0.5, 0.5)))
    same(read_mesh(tmp_path / "cube.obj", density=2).mass_properties, exact, 64 * EPS)


def test_inside_out_is_turned(trimesh, tmp_path):
    s = heap().surface
    solid = read_mesh(obj(tmp_path / "a.obj", Surface(s.vertices, s.triangles[:, ::-1])), density=700)
    same(solid.mass_properties, heap().mass_properties, 256 * EPS)
    assert solid.surface.volume > 0
    assert solid.surface.triangles.dtype == np.int32


def test_needles_without_area_do_no_harm(trimesh, tmp_path):
    t = corners(Box(1, 1, 1, mass=1).surface)
    a, b = t[0, 0], t[0, 1]
    file = ascii_stl(tmp_path / "box.stl", np.concatenate([t, [[a, a, b], [b, b, b]]]))
    same(read_mesh(file, density=1).mass_properties, Box(1, 1, 1, density=1).mass_properties, 64 * EPS)


# ── refusals ──


def test_not_watertight_counts_the_open_edges(trimesh, tmp_path):
    t = corners(Ball(1, mass=1).surface)
    with pytest.raises(ModelError, match=r"ball\.stl is not watertight: 3 open edges of \d+\. Close the holes"):
        read_mesh(ascii_stl(tmp_path / "ball.stl", t[1:]), density=1)
    with pytest.raises(ModelError, match=r"sheet\.stl is not watertight: 3 open edges of 3"):
        read_mesh(ascii_stl(tmp_path / "sheet.stl", t[:1]), density=1)


def test_a_turned_triangle_is_refused(trimesh, tmp_path):
    t = corners(Box(1, 1, 1, mass=1).surface).copy()
    t[4] = t[4, ::-1]
    with pytest.raises(ModelError, match=r"triangles that face both ways: .* across 3 edges\. Recalculate the normals"):
        read_mesh(ascii_stl(tmp_path / "box.stl", t), density=1)


def test_inside_out_far_away_is_turned(trimesh, tmp_path):
    far = Pose((1e6, -2e6, 3e6))
    file = ascii_stl(tmp_path / "far.stl", corners(Box(1, 2, 4, mass=1).surface.moved(far))[:, ::-1])
    same(read_mesh(file, density=1).mass_properties, Box(1, 2, 4, density=1).mass_properties.moved(far), 1e-9)


def test_one_place_is_no_solid(trimesh, tmp_path):
    with pytest.raises(ModelError, match=r"dot\.stl encloses no volume"):
        read_mesh(ascii_stl(tmp_path / "dot.stl", np.ones((4, 3, 3))), density=1)


def test_no_volume_is_refused(trimesh, tmp_path):
    flat = Surface(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2], [0, 2, 1]], dtype=np.int32))
    with pytest.raises(ModelError, match=r"flat\.obj encloses no volume"):
        read_mesh(obj(tmp_path / "flat.obj", flat), density=1)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("write", [ascii_stl, binary_stl])
def test_vertices_that_are_not_finite_are_refused(trimesh, tmp_path, write, bad):
    t = corners(Box(1, 1, 1, mass=1).surface).copy()
    t[3, 1, 0] = bad
    with pytest.raises(ModelError, match=r"box\.stl has vertices that are not finite"):
        read_mesh(write(tmp_path / "box.stl", t), density=1)


def refused(file, message, **options):
    with pytest.raises(FileError, match=message) as caught:
        read_mesh(file, **{"density": 1} | options)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(trimesh, tmp_path):
    refused(tmp_path / "no.stl", r"no\.stl does not exist")
    refused(tmp_path / "part.pkl", r"part\.pkl must end in one of \.stl, \.obj, \.glb")
    (tmp_path / "folder.stl").mkdir()
    refused(tmp_path / "folder.stl", "is not a file")
    box = binary_stl(tmp_path / "box.stl", corners(Box(1, 1, 1, mass=1).surface))
    refused(box, r"box\.stl has 684 bytes; raise max_bytes = 600", max_bytes=600)
    for kind in ("stl", "obj", "glb"):
        for content in (b"", b"garbage", bytes(range(256)), box.read_bytes()[:300]):
            file = tmp_path / f"bad.{kind}"
            file.write_bytes(content)
            with pytest.raises(
                (FileError, ModelError), match=r"bad\.\w+ (cannot be read as|contains no triangles)"
            ) as caught:
                read_mesh(file, density=1)
            assert "\n" not in str(caught.value)


def test_nothing_outside_the_file_is_opened(trimesh, tmp_path, monkeypatch):
    """Materials, textures and buffers can name other files: they are left alone."""
    (tmp_path / "secret.mtl").write_text("newmtl a\nmap_Kd secret.png\n")
    s = Box(1, 1, 1, mass=1).surface
    harmless = obj(tmp_path / "box.obj", s, head="mtllib secret.mtl\nusemtl a\n")
    scene = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"uri": "secret.mtl", "byteLength": 36}],
    }
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    glb = tmp_path / "link.glb"
    glb.write_bytes(struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A) + text)
    opened = []
    for owner, name in [(builtins, "open"), (Path, "open"), (Path, "read_bytes")]:
        real = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda f, *a, real=real, **k: (opened.append(str(f)), real(f, *a, **k))[1])
    read_mesh(harmless, density=1)
    refused(glb, r"link\.glb cannot be read as GLB")
    assert any(f.endswith("box.obj") for f in opened)
    assert not [f for f in opened if "secret" in f]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"density": 0}, "density must be positive, got 0 kg/m³"),
        ({"density": float("nan")}, "density is not finite"),
        (
            {"density": 1, "unit": "parsec"},
            "unit must be one of 'm', 'cm', 'mm', 'in' or metres per unit, got 'parsec'",
        ),
        ({"density": 1, "unit": -1}, "unit must be positive, got -1 m"),
    ],
)
def test_numbers_are_checked_at_the_door(trimesh, options, message):
    with pytest.raises(ModelError, match=message):
        read_mesh("box.stl", **options)


def test_without_trimesh_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(MissingExtra, match=r"mesh files need trimesh .* pip install 'livens\[mesh\]'"):
        read_mesh("box.stl", density=1)
