"""Beams and cables in pictures: the surface through the sections, its strain, and all back ends that draw it."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from livens.look.picture.beams import THIN, largest_strain, strain_in_words
from livens.look.picture.instants import instants, stored
from livens.look.picture.picture import picture_of
from livens.look.picture.themes import theme_of
from livens.look.picture.view import view_of
from livens.look.render.scene import Scene
from tests.helpers import problems
from tests.look.test_gltf import chunks, values

pytest.importorskip("casadi")

SINGLE = float(np.finfo(np.float32).eps)


def bent(seed, kappa, section, length=2.0, n=5, stretch=0.0):
    """A straight beam in random axes and of random size, and its frames where it is bent and stretched uniformly."""
    rng, R = np.random.default_rng(seed), problems.turned(seed)
    size = 10.0 ** rng.uniform(-2, 2)
    m, at = lv.Model(gravity=R @ (0, 0, -1.0)), size * rng.normal(size=3)
    material = lv.Material(1e7, 1000.0, nu=0.3)
    beam = m.add(lv.Beam([at, at + size * length * R[:, 2]], n, section(size), material, up=R[:, 0]))
    phi = np.array([*kappa, 0.0])
    s = np.linspace(0.0, length, n + 1)
    turn = Rotation.from_rotvec(s[:, None] * phi).as_matrix()
    fine = Rotation.from_rotvec(np.linspace(0.0, length, 2001)[:, None] * phi).as_matrix()[:, :, 2]
    middle = 0.5 * (fine[1:] + fine[:-1]) * length / 2000.0  # d₃ along the arc, by the trapezoidal rule
    path = np.concatenate([np.zeros((1, 3)), np.cumsum(middle, axis=0)])[:: 2000 // n]
    x = np.concatenate([np.zeros((1, 3)), at + size * (1.0 + stretch) * path @ R.T])
    return m, beam, x, np.concatenate([np.eye(3)[None], R @ turn]), size, (at, R)


@pytest.mark.parametrize("seed", range(3))
def test_the_surface_of_a_circle_is_a_torus(seed):
    """Every corner has the radius of the section as its distance from the arc, and its normal points away from it."""
    m, _, x, R, size, (at, axes) = bent(seed, (0.0, 1.2), lambda size: lv.Section.circle(0.05 * size))
    (beam,) = picture_of(m).beams
    vertices, normals, triangles = beam.mesh(x, R, size)
    rings = len(beam.outline) * (5 * beam.parts + 1)
    local = ((vertices - at) @ axes / size)[:rings] - [1.0 / 1.2, 0.0, 0.0]  # the centre of the arc
    away = np.hypot(local[:, 0], local[:, 2])
    assert np.abs(np.hypot(away - 1.0 / 1.2, local[:, 1]) - 0.05).max() < 1e-6  # of the trapezoidal rule
    center = np.stack([local[:, 0] / away / 1.2, 0 * away, local[:, 2] / away / 1.2], axis=1)
    assert np.abs(normals[:rings] @ axes - (local - center) / 0.05).max() < 1e-4
    p = vertices[triangles]
    outward = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    assert (np.sum(outward * normals[triangles].mean(axis=1), axis=1) > 0.0).all()
    volume = np.sum(p[:, 0] * np.cross(p[:, 1], p[:, 2])) / 6.0  # closed: the volume of a polygon of 24 corners
    assert volume == pytest.approx(2.0 * 12.0 * np.sin(np.pi / 12.0) * 0.05**2 * size**3, rel=5e-3)


@pytest.mark.parametrize("seed", range(3))
def test_colours_follow_the_strain_of_the_surface(seed):
    """Bent about both axes and stretched: ε = stretch + κ₁ y − κ₂ x at the corners of a rectangle, in any unit."""
    kappa = np.array([0.3, -0.5])
    m, beam, x, R, size, _ = bent(seed, kappa, lambda size: lv.Section.rectangle(0.1 * size, 0.04 * size), stretch=0.01)
    (drawn,) = picture_of(m).beams
    changes = drawn.changes(x, R)
    corners = drawn.outline[:, :2] / size
    exact = 0.01 + kappa[0] * corners[:, 1] - kappa[1] * corners[:, 0]
    strains = drawn.fibres(changes)[: -2 * (len(corners) + 1)].reshape(-1, len(corners))
    assert np.abs(strains - exact).max() < 1e-6
    assert largest_strain([drawn], x, R) == pytest.approx(np.abs(exact).max(), abs=1e-6)
    theme = theme_of("light")
    colors = drawn.tinted(np.array([-1.0, 0.0, 1.0]), 1.0, theme)
    assert colors.tolist() == [list(theme.short), list(theme.calm), list(theme.long)]
    assert len(beam.bodies) == 6


@cache
def motion():
    """A beam that falls, a beam with a colour, and a cable of each kind."""
    R = problems.turned(4)
    m = lv.Model(gravity=R @ (0, 0, -9.81), name="all")
    soft = lv.Material(2e5, 1000.0, nu=0.3)
    strip = m.add(lv.Beam([(0, 0, 0), R[:, 0]], 4, lv.Section.rectangle(0.06, 0.03), soft, up=R[:, 1], name="strip"))
    m.add(lv.Rigid(m.world.point(0, 0, 0), strip.start.point(0, 0, 0)))
    wire = lv.Beam([R[:, 1], R[:, 1] + R[:, 0]], 3, lv.Section.tube(0.03, 0.02), soft, color="red", name="wire")
    m.add(wire)
    m.add(lv.Cable([R[:, 2], R[:, 2] + R[:, 0]], 4, 0.5, axial=30.0, name="rubber"))
    m.add(lv.Cable([-R[:, 2], -R[:, 2] + R[:, 0]], 4, 0.5, name="chain"))
    m.add(lv.Spherical(m.world.point(*R[:, 2]), m["rubber.0"].point(0, 0, 0)))
    m.add(lv.Body(lv.Ball(0.05, mass=1.0), at=2 * R[:, 0], name="ball"))
    return lv.simulate(m, h=5e-4, until=0.2, every=10)


def test_items_and_covered_bodies():
    """Beams stand in place of their bodies and of the links between them; each leaves one trace."""
    picture = picture_of(motion().model)
    assert [item.name for item in picture.items if item.kind == "beam"] == ["strip", "wire", "rubber", "chain"]
    assert [item.name for item in picture.items if item.kind == "body"] == ["ball"]
    assert not len(picture.rods)
    assert [beam.strains is None for beam in picture.beams] == [False, True, False, True]
    traced = [body.name for body in view_of(motion()).traces]
    assert traced == ["strip.4", "wire.3", "rubber.4", "chain.4", "ball"]
    assert [strain_in_words(x) for x in (-0.15, 2e-6)] == ["-15 %", "2 µm/m"]


def test_own_bodies_of_an_elasticity_are_drawn():
    m = lv.Model()
    ends = [m.add(lv.Body(lv.Box(0.1, 0.1, 1, mass=1), at=(0, 0, z), name=str(z))) for z in (0, 1)]
    m.add(lv.BeamElasticity(ends, stiffnesses=(1e3, 1e3, 1e3, 10, 10, 10), name="own"))
    assert [item.kind for item in picture_of(m).items] == ["body", "body", "rod"]
    with pytest.raises(lv.ModelError, match="outline of"):
        lv.BeamElasticity(ends, (1, 1, 1, 1, 1, 1), outline=(1.0, 2.0, 3.0))


def test_the_renderer_draws_the_surface_and_the_scale(tmp_path):
    scene, k = Scene(motion()), len(motion()) - 1
    faces = scene.faces(k, scene.camera([k], 320, 240))
    for beam in scene.picture.beams:
        mesh = beam.mesh(scene.now.x[k], scene.now.R[k], scene.half)
        mine = faces.world[faces.part == beam.body[0]]
        assert np.array_equal(mine, mesh.vertices[mesh.triangles])
    assert scene.strain == pytest.approx(largest_strain(scene.picture.beams, scene.now.x, scene.now.R))
    for theme in ("light", "dark"):
        motion().to_png(tmp_path / f"{theme}.png", size=(320, 240), theme=theme)
    assert (tmp_path / "light.png").read_bytes() != (tmp_path / "dark.png").read_bytes()
    thin = scene.picture.beams[3]
    assert np.abs(thin.drawn(2.0)[:, :2]).max() > 2.0 * THIN


def test_gltf_moves_the_surface(tmp_path):
    """The corners of every skin at the last time are those of the description; colours are those of the largest strain
    of the motion."""
    motion().to_gltf(tmp_path / "all.glb")
    text, data = chunks(tmp_path / "all.glb")
    now = instants(motion(), np.array([0, len(motion()) - 1]))
    outputs = {
        (channel["target"]["node"], channel["target"]["path"]): text["animations"][0]["samplers"][channel["sampler"]]
        for channel in text["animations"][0]["channels"]
    }
    scene = Scene(motion())
    skins = [node for node in text["nodes"] if "skin" in node]
    assert [node["name"] for node in skins] == [beam.name for beam in scene.picture.beams]
    for node, beam in zip(skins, scene.picture.beams, strict=True):
        skin = text["skins"][node["skin"]]
        places = text["meshes"][node["mesh"]]["primitives"][0]["attributes"]
        x = values(text, data, places["POSITION"]).astype(float)
        owner = values(text, data, places["JOINTS_0"])[:, 0]
        back = values(text, data, skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2).astype(float)
        assert text["nodes"][skin["joints"][0]]["extras"]["kind"] == "station"
        moved = np.empty_like(x)
        for k, joint in enumerate(skin["joints"]):
            at = values(text, data, outputs[joint, "translation"]["output"])[-1].astype(float)
            turn = Rotation.from_quat(values(text, data, outputs[joint, "rotation"]["output"])[-1].astype(float))
            mine = owner == k
            moved[mine] = at + turn.apply(x[mine] @ back[k, :3, :3].T + back[k, :3, 3])
        half = np.abs(beam.drawn(1.0)[:, :2]).max()
        wanted = beam.mesh(now.x[1], now.R[1], 1.0)
        center = wanted.vertices[-1]
        assert np.abs(moved[-1] - center).max() < 64 * SINGLE * np.abs(now.x).max()
        assert np.abs(moved - wanted.vertices).max() < (1e-5 if beam.sizes else 2.0 * half)
        assert values(text, data, places["COLOR_0"]).shape == (len(x), 4)


def test_the_viewer_draws_the_surface():
    """The meshes of all shades together have the corners of the description."""
    pytest.importorskip("viser", reason="the pages need viser: pip install 'livens[view]'")
    with lv.view(motion(), block=False, open_browser=False) as viewer:
        drawing = viewer.inside.drawing
        now = stored(motion().system, motion().record, motion().t, len(motion()) - 1)
        drawing.draw(now)
        half = 2.0 / drawing.sizes.scale
        nodes = [node for node in drawing.layers["bodies"].nodes if "/beams/" in node.name]
        found = np.concatenate([node.vertices for node in nodes if len(node.vertices) > 3])
        for beam in drawing.picture.beams:
            wanted = drawing.sizes(beam.mesh(now.x, now.R, half).vertices)
            nearest = np.array([np.linalg.norm(found - x, axis=1).min() for x in wanted[::17]])
            assert nearest.max() < 1e-5
        assert sum(len(node.faces) for node in nodes if len(node.vertices) > 3) == sum(
            len(beam.triangles) for beam in drawing.picture.beams
        )
        texts = [node.text for node in drawing.layers["scale and axes"].nodes if type(node).__name__ == "LabelHandle"]
        assert texts[-1] == f"{strain_in_words(drawing.strain)} strain"


def test_a_scene_keeps_the_outline(tmp_path):
    lv.write_scene(motion().model, tmp_path / "all.toml")
    again = picture_of(lv.read_scene(tmp_path / "all.toml").model())
    first = picture_of(motion().model)
    for one, two in zip(first.beams, again.beams, strict=True):
        assert one.sizes == two.sizes
        assert (one.strains is None) == (two.strains is None)
    assert all(np.array_equal(a, b) for a, b in pairwise([first.covered, again.covered]))
