"""Colours of bodies: in the model, in files of livens, MJCF and URDF, and in all pictures; contrast of lines."""

import json

import numpy as np
import pytest

import livens as lv
from livens.look.picture.colors import BODIES, DARK_PAPER, PAPER, contrast, readable
from livens.look.picture.picture import picture_of

MJCF = """<mujoco><asset><material name="paint" rgba="0.1 0.2 0.9 1"/></asset><worldbody>
<body name="a"><freejoint/><geom size="0.1" rgba="0.9 0.1 0.2 0.5"/></body>
<body name="b" pos="1 0 0"><freejoint/><geom size="0.1" material="paint"/></body>
<body name="c" pos="2 0 0"><freejoint/><geom size="0.1"/></body>
</worldbody></mujoco>"""
URDF = """<robot name="two"><material name="sea"><color rgba="0 0.4 0.8 1"/></material>
<link name="base"/>
<link name="one"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><sphere radius="0.1"/></geometry><material name="sea"/></visual></link>
<link name="two"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><sphere radius="0.1"/></geometry>
<material name="own"><color rgba="1 0.5 0 0.25"/></material></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/></joint>
<joint name="k" type="continuous"><parent link="one"/><child link="two"/>
<origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
</robot>"""


def painted():
    m = lv.Model(name="painted")
    for k, color in enumerate(("red", "#336699", (0.1, 0.2, 0.3), None)):
        m.add(lv.Body(lv.Ball(0.2, mass=1.0), at=(k, 0, 0), color=color, opacity=1.0 - 0.2 * k, name=f"ball{k}"))
    return m


def test_colours_are_those_of_the_model_in_every_picture(tmp_path):
    picture = picture_of(painted())
    assert picture.colors[1:4].tolist() == [[192, 57, 43], [0x33, 0x66, 0x99], [26, 51, 76]]
    assert picture.colors[4].tolist() == BODIES[3].tolist()
    assert picture.opacity[1:].tolist() == pytest.approx([1.0, 0.8, 0.6, 0.4])
    motion = lv.simulate(painted(), h=0.1, until=0.2)
    motion.to_html(tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    data = json.loads(next(line for line in text.splitlines() if line.startswith("const data = "))[13:])
    assert np.array([body["color"] for body in data["bodies"]])[:, :3] * 255 == pytest.approx(picture.colors[1:])
    assert [body["color"][3] for body in data["bodies"]] == pytest.approx([1.0, 0.8, 0.6, 0.4])
    motion.to_gltf(tmp_path / "a.glb")
    glb = (tmp_path / "a.glb").read_bytes()
    materials = json.loads(glb[20 : 20 + int.from_bytes(glb[12:16], "little")])["materials"]
    assert [m["pbrMetallicRoughness"]["baseColorFactor"][3] for m in materials[:4]] == pytest.approx(
        [1.0, 0.8, 0.6, 0.4]
    )


def test_a_clear_body_shows_what_is_behind_it(tmp_path):
    """The pixel in the middle of a clear ball before a wall is a mixture of both colours, by its opacity."""
    image = pytest.importorskip("PIL.Image")
    seen = []
    for opacity in (0.0, 0.5, 1.0):
        m = lv.Model(name="")
        m.add(lv.Body(lv.Box(4, 0.1, 4, mass=1.0), at=(0, 1, 0), color=(0, 0, 0), name="wall"))
        m.add(lv.Body(lv.Ball(0.5, mass=1.0), at=(0, -1, 0), color=(1, 1, 1), opacity=opacity, name="ball"))
        lv.simulate(m, h=0.1, until=0.1).to_png(
            tmp_path / "a.png", size=(200, 200), camera="front", traces=False, force=True
        )
        seen.append(np.array(image.open(tmp_path / "a.png").convert("RGB"))[100, 100].astype(float))
    assert seen[0].max() < 60
    assert seen[2].min() > 150
    assert seen[1] == pytest.approx(0.5 * (seen[0] + seen[2]), abs=3)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"color": "pink-ish"}, "color of body 'a' must be one of black, white"),
        ({"color": (1, 2, 3)}, "red, green and blue from 0 to 1"),
        ({"color": (0.1, 0.2)}, "color of body 'a'"),
        ({"opacity": 1.5}, "opacity of body 'a' must be from 0"),
        ({"opacity": "half"}, "opacity of body 'a'"),
    ],
)
def test_wrong_colours(given, words):
    with pytest.raises(lv.ModelError, match=words):
        lv.Body(lv.Ball(0.1, mass=1.0), name="a", **given)


def test_colours_in_scenes_and_saved_motions(tmp_path):
    m = painted()
    lv.write_scene(m, tmp_path / "painted.toml")
    lv.simulate(m, h=0.1, until=0.2).save(tmp_path / "painted.nc")
    for again in (lv.read_scene(tmp_path / "painted.toml").model(), lv.load(tmp_path / "painted.nc").model):
        for one, two in zip(m.bodies[1:], again.bodies[1:], strict=True):
            assert (one.color is None and two.color is None) or np.array_equal(one.color, two.color)
            assert one.opacity == two.opacity
    (tmp_path / "named.toml").write_text(
        'livens = 2\n[bodies.a]\nshape = { type = "Ball", radius = 0.1, mass = 1 }\ncolor = "gold"\nopacity = 0.5\n'
    )
    body = lv.read_scene(tmp_path / "named.toml").model()["a"]
    assert body.color * 255 == pytest.approx((201, 162, 39))
    assert body.opacity == 0.5


def test_colours_from_mjcf(tmp_path):
    pytest.importorskip("mujoco")
    (tmp_path / "three.xml").write_text(MJCF)
    m = lv.read_mjcf(tmp_path / "three.xml")
    assert m["a"].color == pytest.approx((0.9, 0.1, 0.2), abs=1e-7)
    assert m["a"].opacity == 0.5
    assert m["b"].color == pytest.approx((0.1, 0.2, 0.9), abs=1e-7)
    assert m["c"].color is None


def test_colours_from_urdf(tmp_path):
    (tmp_path / "two.urdf").write_text(URDF)
    m = lv.read_urdf(tmp_path / "two.urdf")
    assert m["one"].color == pytest.approx((0.0, 0.4, 0.8))
    assert m["two"].color == pytest.approx((1.0, 0.5, 0.0))
    assert m["two"].opacity == 0.25


@pytest.mark.parametrize("paper", [PAPER, DARK_PAPER])
def test_lines_have_contrast(paper):
    """Traces of bodies of any colour have 3:1 or more, and those that have it keep their colour."""
    rng = np.random.default_rng(1)
    for color in [*BODIES, *rng.integers(0, 256, (200, 3))]:
        line = readable(color, paper)
        assert contrast(line, paper) >= 3.0
        if contrast(color, paper) >= 3.0:
            assert np.array_equal(line, color)
