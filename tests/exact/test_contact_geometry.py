"""The narrow phase against MuJoCo's distances: random shapes in random orientation, apart and overlapping a little."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from livens.compile.contacts import touch_scratch
from livens.compile.system import compile_model
from livens.describe.contact_shape import hull
from livens.kernels.contact.arrays import GAP
from livens.kernels.contact.broad import find_contacts
from livens.kernels.contact.features import put_contact_frames

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is the reference")
PAIRS = [
    ("box", "box"),
    ("ball", "box"),
    ("capsule", "box"),
    ("capsule", "capsule"),
    ("ball", "capsule"),
    ("ball", "ball"),
]


def shape(kind, s):
    """A shape of livens, and a geom of MuJoCo."""
    if kind == "box":
        return lv.Box(*(2.0 * s), mass=1.0), ("box", s)
    if kind == "ball":
        return lv.Ball(s[0], mass=1.0), ("sphere", s[:1])
    return lv.Capsule(s[0], 2.0 * s[1], mass=1.0), ("capsule", s[:2])


class Distance:
    """MuJoCo's distance of two geoms, the second at a place along a line."""

    def __init__(self, geoms, turns):
        def words(x):
            return " ".join(repr(float(c)) for c in x)

        bodies = "".join(
            f'<body quat="{words(q)}"><freejoint/><geom type="{kind}" size="{words(size)}"/></body>'
            for (kind, size), q in zip(geoms, turns, strict=True)
        )
        self.model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
        self.data = mujoco.MjData(self.model)

    def __call__(self, x) -> float:
        self.data.qpos[7:10] = x
        mujoco.mj_kinematics(self.model, self.data)
        return mujoco.mj_geomDistance(self.model, self.data, 0, 1, 10.0, np.zeros(6))


def smallest_gap(shapes, poses, margin):
    m = lv.Model()
    bodies = [m.add(lv.Body(s, at=p.a, rotation=p.B)) for s, p in zip(shapes, poses, strict=True)]
    m.add(lv.Contact(*bodies))
    tables = compile_model(m)
    system, state, touch = tables.system, tables.state, touch_scratch(tables.system, 0)
    touch.reach[:] = 0.5 * margin
    count = find_contacts(system.contacts, system.coordinates, touch, 0.0, state.a, state.B)
    put_contact_frames(
        system.bodies, system.contacts, system.coordinates, touch.points, count, False, state.a, state.B, state.angle
    )
    return touch.points.number[GAP, :count].min(initial=np.inf)


@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
@pytest.mark.parametrize("target", [1e-3, 1e-2, -1e-3])
def test_gap_is_the_distance(pair, target):
    rng = np.random.default_rng(7)
    for _ in range(8):
        made = [shape(kind, rng.uniform(0.3, 1.0, 3)) for kind in pair]
        turns = rng.normal(size=(2, 4))
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        u = rng.normal(size=3)
        u /= np.linalg.norm(u)
        distance = Distance([geom for _, geom in made], turns)
        low, high = 0.0, 8.0  # the distance along u grows from where the shapes touch
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if distance(middle * u) < target else (low, middle)
        poses = [
            lv.Pose((0, 0, 0), lv.Pose.from_quaternion(turns[0]).B),
            lv.Pose(high * u, lv.Pose.from_quaternion(turns[1]).B),
        ]
        assert smallest_gap([s for s, _ in made], poses, 0.05) == pytest.approx(distance(high * u), abs=1e-12)


def test_hull_joins_faces_in_one_plane():
    """A box with points on its faces and edges is a box."""
    points = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0.5, 1)], dtype=float)
    found = hull(points @ lv.Pose.from_axis_angle((1, 2, 3), 0.7).B.T)
    assert (len(found.vertices), len(found.faces), len(found.edges)) == (8, 6, 12)
    assert np.allclose(np.linalg.norm(found.normals, axis=1), 1.0)


@pytest.mark.parametrize("shape", [lv.Box(1, 2, 3, mass=1), lv.Cylinder(0.5, 1, mass=1), lv.Cone(0.5, 1, mass=1)])
def test_faces_look_outward(shape):
    """Euler's formula, and every vertex below every face."""
    for part in shape.contact_shapes:
        if part.kind == "HULL":
            assert len(part.vertices) - len(part.edges) + len(part.faces) == 2
            for face, n in zip(part.faces, part.normals, strict=True):
                assert ((part.vertices - part.vertices[face[0]]) @ n).max() < 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_a_cylinder_that_lies_on_a_box_is_a_prism_of_twelve_sides(seed):
    """docs/limits.md: between the corners the surface is up to 1 − cos 15°, 3.4 % of the radius, too low."""
    rng = np.random.default_rng(seed)
    unit, frame = 10.0 ** rng.uniform(-3, 3), lv.Pose(rng.normal(size=3), Rotation.random(random_state=rng).as_matrix())
    r, length, roll, yaw = rng.uniform((0.1, 0.2, 0.0, 0.0), (0.3, 0.5, 6.0, 6.0))
    turn = Rotation.from_euler("ZYZ", [yaw, 0.5 * np.pi, roll]).as_matrix()
    poses = [frame @ lv.Pose((0, 0, -0.5 * unit)), frame @ lv.Pose((0, 0, unit), turn)]
    shapes = [lv.Box(4 * unit, 4 * unit, unit, mass=1.0), lv.Cylinder(unit * r, unit * length, mass=1.0)]
    gap = smallest_gap(shapes, poses, 2.0 * unit) / unit
    assert gap == pytest.approx(1.0 - r * np.cos(roll + np.pi / 6 * np.arange(12)).max(), abs=1e-9)
    assert -1e-9 <= gap - (1.0 - r) <= (1.0 - np.cos(np.pi / 12)) * r + 1e-9
