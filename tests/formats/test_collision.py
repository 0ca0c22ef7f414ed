"""Collision geometry of MJCF and URDF, against MuJoCo's own list of contacts."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

import livens as lv
from tests.helpers.contacts import found_contacts

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is the reference")


def words(x) -> str:
    return " ".join(repr(float(c)) for c in np.atleast_1d(x))


def read(path, text, **options):
    path.write_text(text)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = lv.read_mjcf(path, contacts=True, **options)
    return model, " ".join(str(w.message) for w in told)


def contacts_of_mujoco(text):
    """(names of both bodies) → the contacts of MuJoCo."""
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    found = {}
    for contact in d.contact:
        pair = frozenset(m.body(m.body_weldid[m.geom_bodyid[g]]).name for g in contact.geom)
        found.setdefault(pair, []).append(contact)
    return found


def by_pair(model):
    found = {}
    for one in found_contacts(model):
        pair = frozenset("world" if name == "fixed geometry" else name for name in (one.first, one.second))
        found.setdefault(pair, []).append(one)
    return found


def random_file(seed) -> str:
    """Balls that all overlap, with random bits, friction, priority, condim; excluded and named pairs; a tree."""
    rng = np.random.default_rng(seed)

    def geom(name):
        bits = f'contype="{rng.integers(4)}" conaffinity="{rng.integers(4)}"'
        rest = f'friction="{rng.choice([0.3, 0.5, 0.9])}" priority="{rng.choice([0, 0, 1])}"'
        place = words(0.1 * rng.normal(size=3))
        return f'<geom name="{name}" type="sphere" size="1" {bits} {rest} condim="{rng.choice([1, 3])}" pos="{place}"/>'

    def body(k, inside=""):
        joint = "<freejoint/>" if k < 4 else '<joint type="ball"/>'
        return f'<body name="b{k}">{joint}{geom(f"g{k}")}{inside}</body>'

    tree = body(3, body(4, body(5)))
    fixed = f'<geom name="table" type="sphere" size="1" contype="{rng.integers(4)}"/>' + f"<body>{geom('post')}</body>"
    # b6 is joined to the world
    bodies = "".join(body(k) for k in range(3)) + tree + f'<body name="b6"><joint/>{geom("g6")}</body>'
    pairs = '<exclude body1="b0" body2="b1"/><exclude body1="b5" body2="b2"/>'
    pairs += f'<pair geom1="g1" geom2="g4" friction="{words([0.77, 0.77, 0, 0, 0])}" condim="{rng.choice([1, 3])}"/>'
    return f"<mujoco><worldbody>{fixed}{bodies}</worldbody><contact>{pairs}</contact></mujoco>"


@pytest.mark.parametrize("seed", range(20))
def test_the_same_bodies_touch_as_in_mujoco_with_the_same_friction(seed, tmp_path):
    """Every pair that may touch does, because all balls overlap."""
    text = random_file(seed)
    model, _ = read(tmp_path / "balls.xml", text)
    theirs, ours = contacts_of_mujoco(text), by_pair(model)
    assert set(theirs) == set(ours)
    assert len(theirs) > 3
    for pair, found in ours.items():
        friction = {c.friction for c in found}
        known = max(c.friction[0] if c.dim > 1 else 0.0 for c in theirs[pair])
        assert np.allclose(list(friction), known, rtol=0, atol=1e-12)


GEOMS = {"sphere": 1, "capsule": 2, "box": 3, "cylinder": 2, "ellipsoid": 3}


PAIRS = [(kind, "plane") for kind in GEOMS]
PAIRS += [(kind, other) for kind in ("sphere", "capsule", "box") for other in ("sphere", "capsule", "box")]


@pytest.mark.parametrize(("kind", "other"), PAIRS)
def test_distances_and_normals_are_those_of_mujoco(kind, other, tmp_path):
    """A geom against planes, balls, capsules and boxes, a little deep, at random poses. Cylinders and ellipsoids meet
    other bodies as polyhedra inside them: they are compared with planes only."""
    rng = np.random.default_rng(sum(map(ord, kind + other)))
    compared = 0
    for _ in range(8 if other == "plane" else 3):
        size, others = rng.uniform(0.2, 0.5, (2, 3))
        q, p = rng.normal(size=(2, 4))
        u = rng.normal(size=3)
        flat = "1 1 1" if other == "plane" else words(others[: GEOMS[other]])
        first = f'<geom type="{other}" size="{flat}" quat="{words(p)}"/>'
        body = f'<geom type="{kind}" size="{words(size[: GEOMS[kind]])}" quat="{words(q)}"/>'
        text = f"<mujoco><worldbody>{first}<body name='b'><freejoint/>{body}</body></worldbody></mujoco>"
        m = mujoco.MjModel.from_xml_string(text)
        d = mujoco.MjData(m)

        def touches(far, m=m, d=d, u=u):
            d.qpos[:3] = far * u / np.linalg.norm(u)
            mujoco.mj_forward(m, d)
            return d.ncon > 0

        low, high = 0.0, 3.0
        for _ in range(50):  # where MuJoCo's first contact begins
            middle = 0.5 * (low + high)
            low, high = (middle, high) if touches(middle) else (low, middle)
        if high == 3.0 or not touches(high - 1e-4):
            continue  # a direction into the plane
        deepest = min(d.contact, key=lambda c: c.dist)
        model, _ = read(tmp_path / "pair.xml", text, qpos=d.qpos.copy())
        mine = min(found_contacts(model), key=lambda c: c.gap)
        compared += 1
        assert mine.gap == pytest.approx(deepest.dist, abs=1e-9)
        sign = 1.0 if (mine.second == "b") == (m.geom_bodyid[deepest.geom[1]] == 1) else -1.0
        assert np.allclose(sign * mine.normal, deepest.frame[:3], atol=1e-6)
    assert compared >= 2


def test_planes_meshes_and_what_differs(tmp_path):
    text = """<mujoco><asset><mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1  0.1 0.1 0.1"/></asset><worldbody>
      <geom name="floor" type="plane" size="1 1 1" pos="0 0 -1" friction="0.4" condim="6"/>
      <body name="a" pos="0 0 2"><freejoint/><geom type="mesh" mesh="wedge" margin="0.01"/></body>
      <body name="ghost" pos="3 0 2"><freejoint/><geom type="sphere" size="1" contype="0" conaffinity="0"/></body>
      </worldbody></mujoco>"""
    model, told = read(tmp_path / "wedge.xml", text)
    for what in ("torsional and rolling friction", "margins", "not convex", "softness"):
        assert what in told
    [rule] = model.forces
    assert [plane.start_normal.tolist() for plane in rule.planes] == [[0.0, 0.0, 1.0]]
    assert rule.planes[0].point.start.tolist() == [0.0, 0.0, -1.0]
    assert rule.friction == 1.0  # the larger of both
    assert len(model["a"].collision.parts[0][0].surface.vertices) == 4  # one point is inside
    assert (model.world, model["ghost"]) in rule.exclude
    motion = lv.simulate(model, h=1e-2, until=2.0)
    lowest = (motion.position("ghost")[-1], motion.position("a")[-1])
    assert lowest[0][2] < -5.0  # it falls through
    assert lowest[1][2] > -1.0 - 1e-7  # MuJoCo's meshes have single precision
    lv.write_scene(model, tmp_path / "wedge.toml")
    again = lv.simulate(lv.read_scene(tmp_path / "wedge.toml").model(), h=1e-2, until=0.5)
    assert np.array_equal(again.position("a"), motion.position("a")[: len(again)])


def test_a_table_that_is_fixed_to_the_world(tmp_path):
    """A box comes to rest on a table, which does not touch the floor, and another beside it on the floor."""
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><geom type="box" size="0.5 0.5 0.2" pos="0 0 0.2"/>
      <body name="high" pos="0.1 0 0.6"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
      <body name="low" pos="2 0 0.3"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
    model, _ = read(tmp_path / "table.xml", text)
    motion = lv.simulate(model, h=1e-2, until=1.0)
    assert motion.position("high")[-1, 2] == pytest.approx(0.5, abs=1e-12)
    assert motion.position("low")[-1, 2] == pytest.approx(0.1, abs=1e-12)


URDF = """<robot name="arm"><link name="base"><collision><geometry><box size="2 2 0.1"/></geometry></collision></link>
  <link name="bar"><inertial><origin xyz="0 0 0.5"/><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.01"/>
    </inertial><collision><origin xyz="0 0 0.5" rpy="0.1 0 0"/><geometry><cylinder radius="0.05" length="0.6"/>
    </geometry></collision>
  </link>
  <link name="hand"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="tool"><collision><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="pin" type="continuous"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><origin xyz="0 0 1"/><parent link="bar"/><child link="hand"/><axis xyz="0 1 0"/>
  </joint><joint name="mount" type="fixed"><parent link="hand"/><child link="tool"/></joint></robot>"""


def test_urdf_collision(tmp_path):
    """The arm falls over and ends on its base, on which it is mounted: the hand touches it, the bar does not."""
    (tmp_path / "arm.urdf").write_text(URDF)
    model = lv.read_urdf(tmp_path / "arm.urdf", contacts=True, friction=0.5, positions={"pin": 0.2})
    assert len(model["hand"].collision.parts) == 2
    assert next(c for c in model.forces if isinstance(c, lv.Contacts)).friction == 0.5
    motion = lv.simulate(model, h=2e-3, until=3.0)
    touched = {frozenset((a, b)) for a, b in zip(motion.impacts.first, motion.impacts.second, strict=True)}
    assert touched == {frozenset(("hand", "fixed geometry"))}
    assert motion.position("hand")[:, 2].min() > 0.05 + 0.1 - 1e-9
    plain = lv.read_urdf(tmp_path / "arm.urdf")
    assert not plain.forces
    assert plain["bar"].collision is not None


LEGS = """<mujoco><compiler angle="degree"/><default><joint armature="0.02" damping="2" limited="true"/>
  <geom condim="1"/></default><worldbody><geom type="plane" size="5 5 1" condim="3" friction="1 0.1 0.1"/>
  <body name="torso" pos="0 0 1"><freejoint/><geom type="capsule" fromto="0 -.07 0 0 .07 0" size=".07"/>
    <geom type="sphere" pos="0 0 .19" size=".09"/>
    <body name="pelvis" pos="0 0 -.26"><joint axis="1 0 0" pos="0 0 .1" range="-35 35"/>
      <geom type="capsule" fromto="0 -.07 0 0 .07 0" size=".09"/>{}</body></body></worldbody></mujoco>"""
LEG = """<body name="thigh {0}" pos="0 {1} -.04">
  <joint axis="1 0 0" range="-25 5"/><joint axis="0 1 0" range="-110 20"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.34" size=".06"/><body name="shin {0}" pos="0 0 -.4">
  <joint axis="0 -1 0" pos="0 0 .02" range="-160 -2"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".049"/>
  <body><geom type="sphere" pos="0 0 -.35" size=".075"/></body></body></body>"""


@pytest.mark.parametrize("seed", range(5))
def test_a_robot_in_random_poses_touches_itself_and_the_floor_as_in_mujoco(seed, tmp_path):
    """The same pairs of bodies, and the same depths; neighbours do not touch, feet belong to the shins."""
    text = LEGS.format(LEG.format("left", 0.1) + LEG.format("right", -0.1))
    rng = np.random.default_rng(seed)
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    d.qpos[7:] = [rng.uniform(*ends) for ends in m.jnt_range[1:]]
    d.qpos[2], d.qpos[3:7] = rng.uniform(0.0, 0.2), rng.normal(size=4)
    mujoco.mj_normalizeQuat(m, d.qpos)
    mujoco.mj_forward(m, d)
    theirs = {}
    for c in d.contact:
        pair = frozenset(m.body(m.body_weldid[m.geom_bodyid[g]]).name for g in c.geom)
        theirs[pair] = min(theirs.get(pair, 0.0), c.dist)
    model, _ = read(tmp_path / "legs.xml", text, qpos=d.qpos.copy())
    ours = {pair: min(c.gap for c in found) for pair, found in by_pair(model).items()}
    ours = {pair: gap for pair, gap in ours.items() if gap < 0.0}
    assert theirs
    assert ours == {pair: pytest.approx(gap, abs=1e-9) for pair, gap in theirs.items()}


U_PROFILE = [(-1, -0.6), (1, -0.6), (1, 1.0), (0.6, 1.0), (0.6, -0.2), (-0.6, -0.2), (-0.6, 1.0), (-1, 1.0)]
U_CUTS = [(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4), (0, 5, 6), (0, 6, 7)]


def write_cup(path, leave_out=0):
    """A U of 2 m by 1.6 m as an OBJ file in millimetres; without its first triangles if wished."""
    n = len(U_PROFILE)
    x = [(p, y, z) for y in (-0.5, 0.5) for p, z in U_PROFILE]
    sides = [t for i in range(n) for t in ((i, i + n, (i + 1) % n + n), (i, (i + 1) % n + n, (i + 1) % n))]
    triangles = [*U_CUTS, *((c + n, b + n, a + n) for a, b, c in U_CUTS), *sides][leave_out:]
    lines = [f"v {1e3 * a} {1e3 * b} {1e3 * c}" for a, b, c in x] + [
        f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles
    ]
    path.write_text("\n".join(lines))


CUP_URDF = """<robot name="cup"><link name="base"/>
  <link name="cup"><inertial><mass value="5"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <collision><geometry><mesh filename="cup.obj" scale="0.001 0.001 0.001"/></geometry></collision></link>
  <link name="ball"><inertial><mass value="1"/><inertia ixx="0.04" iyy="0.04" izz="0.04"/></inertial>
    <collision><geometry><sphere radius="0.3"/></geometry></collision></link>
  <joint name="base" type="fixed"><parent link="base"/><child link="cup"/></joint>
  <joint name="free" type="floating"><parent link="base"/><child link="ball"/><origin xyz="0.1 0 2"/></joint></robot>"""
CUP_MJCF = """<mujoco><asset><mesh name="cup" file="cup.obj" scale="0.001 0.001 0.001"/></asset><worldbody>
  <geom type="mesh" mesh="cup" euler="0 0 40"/><body name="ball" pos="0.1 0 2"><freejoint/>
  <geom type="sphere" size="0.3" mass="1"/></body></worldbody></mujoco>"""
READERS = {"cup.urdf": (CUP_URDF, lv.read_urdf), "cup.xml": (CUP_MJCF, lv.read_mjcf)}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(("collision", "leave_out", "rest"), [("hull", 0, 1.3), ("parts", 0, 0.1), ("parts", 1, 1.3)])
def test_a_ball_falls_into_a_mesh_that_is_read_as_convex_parts(name, collision, leave_out, rest, tmp_path):
    """Its hull, and a mesh that is not closed, stop the ball at the top."""
    pytest.importorskip("coacd", reason="the extra convex (coacd) is not installed")
    write_cup(tmp_path / "cup.obj", leave_out)
    text, reader = READERS[name]
    (tmp_path / name).write_text(text)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = reader(tmp_path / name, contacts=True, collision=collision)
    said = " ".join(str(w.message) for w in told)
    assert ("hulls touch" in said) == (
        (collision == "parts" and leave_out == 1) or (collision, name[-3:]) == ("hull", "xml")
    )
    assert ("not watertight" in said) == (leave_out == 1)
    motion = lv.simulate(model, h=5e-3, until=2.0)
    assert motion.position("ball")[-1, 2] == pytest.approx(rest, abs=1e-6)  # MuJoCo has meshes in single precision


@pytest.mark.parametrize("name", READERS)
def test_other_choices_of_collision_are_refused(name, tmp_path):
    text, reader = READERS[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(lv.ModelError, match="collision must be 'hull' or 'parts', not 'mesh'"):
        reader(tmp_path / name, collision="mesh")


@pytest.mark.parametrize("name", READERS)
def test_parts_without_their_library_name_the_extra(name, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    write_cup(tmp_path / "cup.obj")
    text, reader = READERS[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(lv.MissingExtra, match=r"livens\[convex\]"):
        reader(tmp_path / name, contacts=True, collision="parts")
