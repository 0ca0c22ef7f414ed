"""URDF files: joints, mimic, inertia and visuals; unsupported parts give errors or warnings; malicious files."""

import struct
from pathlib import Path

import numpy as np
import pytest

import livens as lv
from livens.cli.main import main

HERE = Path(__file__).parent
EVERY = HERE / "every_joint.urdf"
MATTER = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
quiet = pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")


@pytest.fixture
def urdf(tmp_path):
    """Write a robot of two links, or of other elements."""

    def write(inside=None, joint="", kind="continuous", matter=MATTER):
        inside = inside or (
            f'<link name="base"/><link name="bar">{matter}</link><joint name="pin" type="{kind}">'
            f'<parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>{joint}</joint>'
        )
        (tmp_path / "robot.urdf").write_text(f'<robot name="r">{inside}</robot>')
        return tmp_path / "robot.urdf"

    return write


@quiet
@pytest.mark.parametrize("seed", range(3))
def test_every_joint_moves_as_in_other_programs(seed):
    compare = pytest.importorskip("benchmarks.imports", reason="compares with mujoco: pip install 'livens[mjcf]'")
    model, errors = compare.compare_urdf(EVERY, seed)
    assert {type(joint).__name__ for joint in model.joints} == {
        "Revolute",
        "Prismatic",
        "Planar",
        "Universal",
        "Coupling",
    }
    assert all(value < 1e-11 for value in errors.values()), errors


@quiet
def test_robots_of_example_robot_data_are_imported_or_give_an_error():
    compare = pytest.importorskip("benchmarks.imports", reason="compares with mujoco: pip install 'livens[mjcf]'")
    files = [path for path in compare.shipped() if path.suffix == ".urdf"]
    if not files:
        pytest.skip("example-robot-data, whose files these are, is not installed")
    done = [compare.outcome(path, seed=1) for path in files]
    assert all(value < 1e-8 for it in done for value in it.errors.values())
    assert all(it.reason or it.errors for it in done)
    assert sum(bool(it.reason) for it in done) <= 6


def test_a_pendulum_agrees_with_the_closed_form(urdf):
    """A point 0.5 m from its hinge with inertia J about its centre: α = m g l/(J + m l²)."""
    matter = '<inertial><origin xyz="0.5 0 0"/><mass value="2"/><inertia ixx="0.1" iyy="0.3" izz="0.3"/></inertial>'
    now = lv.dynamics(lv.read_urdf(urdf(matter=matter)))
    assert now.angular_acceleration("bar")[0] == pytest.approx([0, 2 * 9.81 * 0.5 / (0.3 + 2 * 0.25), 0])


def test_parts_that_are_not_imported_are_named():
    with pytest.warns(lv.ModelWarning) as said:
        model = lv.read_urdf(EVERY)
    text = str(said[0].message)
    assert "link 'tip', which moves without mass" in text
    assert "the friction of 1 joint" in text
    assert "meshes of 1 link (link 'arm': package 'every_joint' is not found" in text
    assert model["shoulder"].limits.tolist() == [0.2, 2.0]
    assert model["shoulder"].start == 0.2  # at its lower limit
    assert model["shoulder"].damping == 0.4


@quiet
def test_mimic_joints_are_satisfied_during_the_motion():
    """belt = −2.5 rail + 0.3, in the coordinates of the file."""
    motion = lv.simulate(lv.read_urdf(EVERY, velocities={"rail": 0.3}), h=1e-3, until=0.3)
    assert motion.coordinate("belt") == pytest.approx(-2.5 * motion.coordinate("rail") + 0.3, abs=1e-9)
    assert np.ptp(motion.coordinate("rail")) > 0.05


@quiet
def test_a_free_base_falls_and_conserves_its_momentum():
    model = lv.read_urdf(EVERY, base="free", gravity=(0, 0, 0), velocities={"shoulder": 1.0, "table": (0.1, 0.2, 0.3)})
    motion = lv.simulate(model, h=1e-3, until=0.2)
    assert np.abs(motion.momentum - motion.momentum[0]).max() < 1e-12
    assert np.abs(motion.angular_momentum - motion.angular_momentum[0]).max() < 1e-12


def test_meshes_of_packages_are_found(tmp_path):
    folder = tmp_path / "some_robot"
    (folder / "urdf").mkdir(parents=True)
    (folder / "meshes").mkdir()
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="<f4")
    triangle = struct.pack("<3f", 0, 0, 1) + corners.tobytes() + b"\0\0"
    (folder / "meshes/a.stl").write_bytes(b"\0" * 80 + struct.pack("<I", 1) + triangle)
    (folder / "meshes/b.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 3/3 4/4\n")
    looks = "".join(
        f'<visual><origin xyz="0 0 {k}"/><geometry><mesh filename="package://some_robot/meshes/{name}" '
        f'scale="2 2 2"/></geometry></visual>'
        for k, name in enumerate(("a.stl", "b.obj"))
    )
    text = f'<robot name="r"><link name="l">{MATTER}{looks}</link></robot>'
    (folder / "urdf/r.urdf").write_text(text)
    elsewhere = tmp_path / "r.urdf"
    elsewhere.write_text(text.replace("some_robot", "named"))
    for model in (
        lv.read_urdf(folder / "urdf/r.urdf", base="free"),
        lv.read_urdf(elsewhere, packages={"named": folder}, base="free"),
    ):
        surface = model["l"].shape.surface
        assert len(surface.triangles) == 3
        assert surface.vertices.max(axis=0).tolist() == [2.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("", "this one has 0"),
        ("<link name='a'/><link name='b'/>", "this one has 2: 'a', 'b'"),
        ("<link name='a'/><link name='a'/>", "defined twice"),
        ("<link/>", "no name"),
        ("<link name='a'><inertial><mass value='-1'/></inertial></link>", "negative"),
        ("<link name='a'><inertial><mass value='nan'/></inertial></link>", "is not 1 number"),
        ("<link name='a'/><joint name='j' type='rubber'/>", "of type 'rubber'"),
        ("<link name='a'/><joint name='j' type='fixed'><parent link='a'/></joint>", "child link ''"),
    ],
)
def test_errors_of_trees(urdf, inside, words):
    with pytest.raises(lv.ModelError, match=words):
        lv.read_urdf(urdf(inside or "<!-- -->"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"joint": "<mimic joint='none'/>"}, "mimics 'none', which is not a joint"),
        ({"joint": "<mimic joint='pin'/>"}, "mimics 'pin'"),
        ({"joint": "<mimic joint='pin'/>", "kind": "planar"}, "is planar and mimics another"),
        ({"joint": "<origin xyz='0 0'/>"}, "is not 3 numbers"),
        ({"matter": "<inertial><mass value='1'/></inertial>"}, "no inertia about some axis"),
        ({"matter": MATTER.replace('ixx="1"', 'ixx="3"')}, "link 'bar': inertia tensor breaks the triangle"),
    ],
)
def test_errors_of_joints_and_links(urdf, given, words):
    with pytest.raises(lv.ModelError, match=words):
        lv.read_urdf(urdf(**given))


def test_a_massless_link_with_branches_is_an_error(urdf):
    links = "".join(f"<link name='{n}'>{m}</link>" for n, m in (("a", ""), ("b", ""), ("c", MATTER), ("d", MATTER)))
    joints = "".join(
        f"<joint name='{p}{c}' type='continuous'><parent link='{p}'/><child link='{c}'/></joint>"
        for p, c in ("ab", "bc", "bd")
    )
    with pytest.raises(lv.ModelError, match="'b' moves without mass and has several child joints"):
        lv.read_urdf(urdf(links + joints))


def test_malicious_files_are_errors(tmp_path):
    laughs = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><robot name="&b;"/>'
    stolen = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="&a;"/>'
    deep = "<robot>" + "<a>" * 300 + "</a>" * 300 + "</robot>"
    cases = {
        laughs: "DOCTYPE",
        stolen: "DOCTYPE",
        deep: "levels",
        "<robot": "not XML",
        "": "not XML",
        "<a/>": "not URDF",
    }
    for text, words in cases.items():
        (tmp_path / "r.urdf").write_text(text)
        with pytest.raises(lv.FileError, match=words):
            lv.read_urdf(tmp_path / "r.urdf")
    (tmp_path / "r.urdf").write_bytes(b"\xff\xfe\x00<")
    with pytest.raises(lv.FileError, match="not XML"):
        lv.read_urdf(tmp_path / "r.urdf")
    mesh = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    (tmp_path / "in").mkdir()
    (tmp_path / "out.stl").write_text("solid")
    for name in ("../out.stl", str(tmp_path / "out.stl"), "package://in/../../out.stl", "package://../out.stl"):
        text = f'<robot name="r"><link name="l">{MATTER}{mesh.format(name)}</link></robot>'
        (tmp_path / "in/r.urdf").write_text(text)
        with pytest.warns(lv.ModelWarning, match=r"outside|not found"):
            lv.read_urdf(tmp_path / "in/r.urdf", base="free")


def test_the_command_line_reads_robots(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["check", str(EVERY)]) == 0
    out, err = capsys.readouterr()
    assert "14 degrees of freedom" in out
    assert "not imported: " in err
    assert main(["convert", str(EVERY), "robot.toml"]) == 0
    assert main(["run", "robot.toml", "--h", "1e-3", "--until", "0.01"]) == 0
    assert main(["run", str(EVERY), "--h", "1e-3", "--until", "0.01", "-o", "robot.nc"]) == 0
    assert lv.load("robot.nc").steps == 10
    capsys.readouterr()
    assert main(["convert", str(EVERY), "robot.toml"]) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["convert", str(EVERY), "robot.png"]) == 2
    assert main(["convert", "robot.toml", "robot.xml"]) == 0  # MJCF
