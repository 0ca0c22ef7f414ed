"""COLLADA meshes: random scenes against products of matrices written here, and files that are damaged or too large.

261 .dae files of the package example-robot-data had the extents and areas that trimesh with pycollada gives them.
"""

import warnings

import numpy as np
import pytest

import livens as lv
from livens.formats import collada
from livens.formats.collada import read_collada

MESH = """<geometry id="{name}"><mesh>
<source id="{name}-x"><float_array id="{name}-f" count="{count}">{numbers}</float_array>
<technique_common><accessor source="#{name}-f" count="{rows}" stride="3"/></technique_common></source>
<vertices id="{name}-v"><input semantic="POSITION" source="#{name}-x"/></vertices>{faces}</mesh></geometry>"""
FILE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{unit}"/><up_axis>Y_UP</up_axis></asset><library_geometries>{meshes}</library_geometries>
<library_nodes>{nodes}</library_nodes><library_visual_scenes><visual_scene id="s">{scene}</visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
INPUT = '<input semantic="VERTEX" source="#{name}-v" offset="1"/><input semantic="NORMAL" source="#n" offset="0"/>'
CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
SQUARES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])


def numbers(array):
    return " ".join(repr(float(x)) for x in np.ravel(array))


def cube(name, kind):
    """The unit cube as squares or triangles, with an index of normals before that of vertices."""

    def indices(rows):
        return " ".join(f"7 {k}" for k in np.ravel(rows))

    given = INPUT.format(name=name)
    if kind == "polylist":
        faces = f"<polylist>{given}<vcount>{'4 ' * 6}</vcount><p>{indices(SQUARES)}</p></polylist>"
    elif kind == "polygons":
        faces = f"<polygons>{given}{''.join(f'<p>{indices(row)}</p>' for row in SQUARES)}</polygons>"
    else:
        halves = np.concatenate([SQUARES[:, [0, 1, 2]], SQUARES[:, [0, 2, 3]]])
        faces = f"<triangles>{given}<p>{indices(halves)}</p></triangles>"
    return MESH.format(name=name, count=24, rows=8, numbers=numbers(CORNERS), faces=faces)


def rotation(axis, degrees):
    """Rodrigues' formula, homogeneous."""
    u, a = axis / np.linalg.norm(axis), np.radians(degrees)
    K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    out = np.eye(4)
    out[:3, :3] = np.eye(3) + np.sin(a) * K + (1 - np.cos(a)) * K @ K
    return out


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["triangles", "polylist", "polygons"])
def test_a_cube_is_where_its_nodes_put_it(kind, seed):
    random = np.random.default_rng(seed)
    axis, angle, shift, scale = (
        random.normal(size=3),
        random.uniform(-180, 180),
        random.normal(size=3),
        random.uniform(0.2, 3, 3),
    )
    matrix, unit = np.vstack([random.normal(size=(3, 4)), [0, 0, 0, 1]]), 10 ** random.uniform(-3, 1)
    scale *= random.choice([-1, 1], 3)
    inner = f'<node><scale>{numbers(scale)}</scale><instance_geometry url="#cube"/></node>'
    nodes = f'<node id="part"><rotate>{numbers([*axis, angle])}</rotate>{inner}</node>'
    outer = f"<matrix>{numbers(matrix)}</matrix><translate>{numbers(shift)}</translate>"
    scene = f'<node>{outer}<instance_node url="#part"/></node>'
    text = FILE.format(unit=repr(unit), meshes=cube("cube", kind), nodes=nodes, scene=scene)
    vertices, triangles = read_collada(text.encode(), "cube.dae")
    move = np.eye(4)
    move[:3, 3] = shift
    whole = matrix @ move @ rotation(axis, angle) @ np.diag([*scale, 1.0])
    expected = unit * (CORNERS @ whole[:3, :3].T + whole[:3, 3])
    np.testing.assert_allclose(vertices, expected, atol=1e-12 * np.abs(expected).max())
    assert len(triangles) == 12
    volume = lv.Surface(vertices, triangles.astype(np.int32)).volume  # outward, also where a scale mirrors
    assert volume == pytest.approx(unit**3 * abs(np.linalg.det(whole[:3, :3])), rel=1e-9)


BOX = '<link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>{}{}</link>'
VISUAL = '<visual><origin xyz="0 0 1"/><geometry><mesh filename="{}" scale="2 2 2"/></geometry></visual>'
COLLISION = '<collision><origin xyz="0 0 5"/><geometry><box size="1 1 1"/></geometry></collision>'


def robot(tmp_path, *parts):
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{BOX.format(*parts)}</robot>')
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = lv.read_urdf(tmp_path / "r.urdf", base="free")
    return model["l"].shape.surface, " ".join(str(one.message) for one in said)


def test_a_urdf_file_shows_collada_meshes(tmp_path):
    scene = '<node><instance_geometry url="#cube"/></node>'
    text = FILE.format(unit="0.001", meshes=cube("cube", "polylist"), nodes="", scene=scene)
    (tmp_path / "cube.DAE").write_text(text)
    surface, said = robot(tmp_path, VISUAL.format("cube.DAE"), "")
    assert not said
    assert surface.vertices.max(axis=0) == pytest.approx([0.002, 0.002, 1.002])


def test_collision_geometry_is_drawn_where_a_visual_cannot_be_read(tmp_path):
    (tmp_path / "cube.glb").write_bytes(b"glTF")
    surface, said = robot(tmp_path, VISUAL.format("cube.glb"), COLLISION)
    assert surface.vertices.min(axis=0) == pytest.approx([-0.5, -0.5, 4.5])
    assert "link 'l': cube.glb is not STL, OBJ or DAE; collision geometry is drawn instead" in said
    _, said = robot(tmp_path, VISUAL.format("cube.glb"), "")
    assert "instead" not in said


DAMAGED = [
    (b"<COLLADA", "is not XML"),
    (b"<COLLADA/>", "has no triangles"),
    (b'<COLLADA><asset><unit meter="-1"/></asset></COLLADA>', "unit of -1 m"),
    (b'<!DOCTYPE a [<!ENTITY b "c">]><COLLADA/>', "DOCTYPE"),
]


@pytest.mark.parametrize(("data", "words"), DAMAGED)
def test_damaged_files(data, words):
    with pytest.raises(lv.LivensError, match=words):
        read_collada(data, "x.dae")


@pytest.mark.parametrize(
    ("old", "new"), [("7 3", "7 300"), ("7 3", "7 -3"), ('count="8"', 'count="9"'), ("4 4 4", "4 5 4"), ("#cube", "#c")]
)
def test_wrong_numbers_in_a_file(old, new, tmp_path):
    scene = '<node><instance_geometry url="#cube"/></node>'
    good = FILE.format(unit="1", meshes=cube("cube", "polylist"), nodes="", scene=scene)
    assert old in good
    (tmp_path / "x.dae").write_text(good.replace(old, new))
    _, said = robot(tmp_path, VISUAL.format("x.dae"), COLLISION)
    assert "link 'l': x.dae" in said


def test_a_scene_that_repeats_itself_is_refused(monkeypatch):
    monkeypatch.setattr(collada, "MOST_TRIANGLES", 1000)
    inner = '<instance_geometry url="#cube"/>'
    nodes = (
        f'<node id="a">{inner * 20}</node><node id="b">{"<instance_node url=" + chr(34) + "#a" + chr(34) + "/>"}</node>'
    )
    many = '<instance_node url="#b"/>' * 20
    text = FILE.format(unit="1", meshes=cube("cube", "triangles"), nodes=nodes, scene=f"<node>{many}</node>")
    with pytest.raises(lv.ModelError, match="more than 1,000 triangles"):
        read_collada(text.encode(), "x.dae")
    loop = '<node id="a"><instance_node url="#a"/></node>'
    text = FILE.format(unit="1", meshes="", nodes=loop, scene='<node><instance_node url="#a"/></node>')
    with pytest.raises(lv.ModelError, match="60 levels"):
        read_collada(text.encode(), "x.dae")
