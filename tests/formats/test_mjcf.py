"""MJCF files: accelerations agree with MuJoCo, unsupported parts give errors or warnings, and models are exported."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import livens as lv

mujoco = pytest.importorskip("mujoco", reason="MJCF is compiled by mujoco: pip install 'livens[mjcf]'")
compare = pytest.importorskip("benchmarks.imports")

HERE = Path(__file__).parent
EVERY = HERE / "every_joint.xml"
BOX = '<geom type="box" size="0.1 0.05 0.2" mass="2"/>'
pytestmark = pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")


@pytest.fixture
def mjcf(tmp_path):
    """Write bodies and other elements as an MJCF file."""

    def write(bodies, rest=""):
        file = tmp_path / "model.xml"
        file.write_text(f"<mujoco><compiler angle='radian'/><worldbody>{bodies}</worldbody>{rest}</mujoco>")
        return file

    return write


@pytest.mark.parametrize("seed", range(3))
def test_every_joint_moves_as_in_mujoco(seed):
    model, errors = compare.compare_mjcf(EVERY, seed)
    kinds = {type(joint).__name__ for joint in model.joints}
    assert kinds >= {"Revolute", "Prismatic", "Spherical", "Universal", "Planar", "Cylindrical", "FixedOrientation"}
    assert errors["mujoco"] < 1e-11


@pytest.mark.parametrize("seed", range(3))
def test_springs_and_dampers_of_joints_that_share_a_body_and_have_no_armature(seed):
    model, errors = compare.compare_mjcf(HERE / "without_armature.xml", seed)
    assert len(model.bodies) == 6
    assert errors["mujoco"] < 1e-11


def test_stops_of_joints_that_share_a_body(mjcf):
    """A mass of 2 kg is 0.1 m beyond the limit of a slide: the restoring force is k/10."""
    slides = '<joint name="x" type="slide" axis="1 0 0" range="-1 1"/><joint type="slide" axis="0 1 0"/>'
    file = mjcf(f'<body name="b">{slides}{BOX}</body>', '<option gravity="0 0 0"/>')
    k = 2.0 / (0.95 * 0.02) ** 2
    for x, push in ((1.1, -0.1), (-1.1, 0.1), (0.9, 0.0)):
        now = lv.dynamics(lv.read_mjcf(file, qpos=[x, 0.3]))
        assert now.acceleration("b")[0] == pytest.approx([push * k / 2.0, 0.0, 0.0])


def test_files_of_gymnasium_move_as_in_mujoco():
    files = [path for path in compare.shipped() if path.suffix == ".xml"]
    if not files:
        pytest.skip("gymnasium, whose files these are, is not installed")
    for path in files:
        done = compare.outcome(path, seed=1)
        assert not done.reason, done
        assert done.errors["mujoco"] < 1e-8, done


def test_a_motion_agrees_with_mujoco(mjcf):
    """Two pendulums with armature, springs and damping for 0.5 s: the difference is of order h²."""
    file = mjcf(
        '<body name="upper"><joint axis="0 1 0" armature="0.05" damping="0.1"/><geom type="capsule" size="0.03" '
        'fromto="0 0 0 0.5 0 0"/><body name="lower" pos="0.5 0 0"><joint axis="0 1 0" stiffness="2" springref="0.3"/>'
        '<geom type="capsule" size="0.03" fromto="0 0 0 0.5 0 0"/></body></body>',
        '<option timestep="1e-4" integrator="RK4"/>',
    )
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    mujoco.mj_step(m, d, 5000)
    mujoco.mj_kinematics(m, d)
    gaps = []
    for h in (2e-3, 1e-3):
        motion = lv.simulate(lv.read_mjcf(file), h=h, until=0.5)
        gaps.append(np.abs(motion.position("lower")[-1] - d.xpos[m.body("lower").id]).max())
    assert gaps[1] < 1e-5
    assert 3.5 < gaps[0] / gaps[1] < 4.5


def test_start_limits_and_notes():
    with pytest.warns(lv.ModelWarning, match=r"not imported: 1 actuator, contacts \(contacts=True imports them\)\."):
        model = lv.read_mjcf(EVERY, keyframe="bent")
    assert model["cart"].velocity.tolist() == pytest.approx([0.1, 0.0, 0.0])
    assert model["shoulder"].limits.tolist() == [-2.0, 2.0]
    assert model["shoulder"].rest == -0.4
    assert model.gravity.tolist() == [0.3, -0.2, -9.81]
    with pytest.raises(lv.ModelError, match="no keyframe 'none'; it has 'bent'"):
        lv.read_mjcf(EVERY, keyframe="none")
    with pytest.raises(lv.ModelError, match="qpos must be"):
        lv.read_mjcf(EVERY, qpos=[1.0])


def test_a_stop_has_the_time_constant_of_mujoco(mjcf):
    """A mass of 2 kg on a rail, solref (0.02, 1), impedance 0.95: k = m/(dτζ)²."""
    file = mjcf(f'<body name="b"><joint name="j" type="slide" range="-1 1"/>{BOX}</body>')
    assert lv.read_mjcf(file)["j"].limit_stiffness == pytest.approx(2.0 / (0.95 * 0.02) ** 2)


def test_equality_constraints_are_satisfied_exactly(mjcf):
    bar = (
        '<body name="{0}" pos="{1} 0 0"><joint name="{0}j" axis="0 1 0"/><geom type="capsule" size="0.02" {2}/></body>'
    )
    file = mjcf(
        bar.format("a", 0, 'fromto="0 0 0 0 0 -1"') + bar.format("b", 1, 'fromto="0 0 0 0 0 -1"')
        + bar.format("c", 3, 'fromto="0 0 0 0 0 -1"') + bar.format("d", 4, 'fromto="0 0 0 0.5 0 -1"')
        + f'<body name="rod" pos="0 0 -1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>'
        f'<joint axis="0 1 0"/>{BOX}</body><body name="e" pos="5 0 0"><freejoint/>{BOX}</body>',
        '<equality><connect name="left" body1="a" body2="rod" anchor="0 0 -1"/>'
        '<connect name="right" body1="b" body2="rod" anchor="0 0 -1"/>'
        '<joint joint1="dj" joint2="cj" polycoef="0 -2 0 0 0"/><weld body1="d" body2="e"/></equality>',
    )  # fmt: skip
    model = lv.read_mjcf(file, qvel=[0.0] * 2 + [0.5, -1.0] + [0.0] * 9)
    motion = lv.simulate(model, h=1e-3, until=0.5)
    assert motion.defect_position.max() < 1e-11
    turned = {name: motion.coordinate(name)[-1] for name in ("cj", "dj")}
    assert turned["dj"] == pytest.approx(-2.0 * turned["cj"], abs=1e-10)
    assert abs(turned["cj"]) > 0.05


@pytest.mark.parametrize(
    ("bodies", "rest", "words"),
    [
        (f'<body><joint/><joint axis="1 0 1"/><joint axis="0 1 1" damping="1"/>{BOX}</body>', "", "no armature"),
        (f'<body name="b"><joint/><joint axis="1 0 0" pos="0 0 1"/>{BOX}</body>', "", "different places"),
        (f'<body name="b"><joint/><joint type="slide"/>{BOX}</body>', "", "slides first"),
        (f'<body name="b"><joint/><joint/>{BOX}</body>', "", "are linearly dependent"),
        (f'<body name="b"><joint type="ball" armature="1"/>{BOX}</body>', "", "three hinges"),
        (f'<body name="b"><joint type="slide"/><joint type="ball" stiffness="1"/>{BOX}</body>', "", r"lv\.Energy"),
        (f'<body name="b"><joint type="free" stiffness="1"/>{BOX}</body>', "", r"lv\.Energy"),
        (f'<body name="b"><joint/>{BOX}</body>', '<option density="1" wind="1 0 0"/>', "wind"),
        ("<body><joint/></body>", "", "refused by MuJoCo: .*mass"),
        (f"<body><joint/>{BOX}</body>", "<asset><mesh name='m' file='../m.stl'/></asset>", "outside the"),
        (f"<body><joint/>{BOX}</body>", "<include file='/etc/passwd'/>", "outside the scene's folder"),
    ],
)  # fmt: skip
def test_errors_are_one_sentence(mjcf, bodies, rest, words):
    with pytest.raises(lv.LivensError, match=words) as refusal:
        lv.read_mjcf(mjcf(bodies, rest))
    assert "\n" not in str(refusal.value)


def test_a_file_that_takes_too_long_is_an_error(mjcf, monkeypatch):
    monkeypatch.setattr("livens.storage.sandbox.SECONDS", 2.0)
    with pytest.raises(lv.FileError, match="could not be read within 2 s"):
        lv.read_mjcf(mjcf(f'<body><joint/>{BOX}</body><replicate count="100000000"><body>{BOX}</body></replicate>'))


# ── export ──


def linkage():
    """A four-bar with a spring, a damper, a cardan, a slider, a puck, a flywheel and a stone, all of it moving."""
    m = lv.Model(gravity=(0.1, 0.2, -9.81), name="linkage")
    bar = lv.Box(1.0, 0.1, 0.05, density=700)
    add = m.add
    a = add(lv.Body(bar, at=(0.5, 0, 0), velocity=(0, 0, -0.2), angular_velocity=(0, 0.4, 0), name="a"))
    b = add(lv.Body(lv.Capsule(0.1, 0.4, mass=2.0), at=(1.3, 0, 0), rotation=lv.Pose.from_euler((0.1, 0.2, 0.3)).B,
                    velocity=(0, 0.15, -0.52), angular_velocity=(0.1, 0.4, 0.5), name="b"))  # fmt: skip
    add(lv.Revolute(a.point(-0.5, 0, 0), m.world.point(0, 0, 0), (0, 1, 0), stiffness=3.0, rest=0.2, damping=0.4,
                    name="back to front"))  # fmt: skip
    add(lv.Universal(a.point(0.5, 0, 0), b.point_at(1, 0, 0), (0, 1, 0), (0.2, 0, 1), name="cardan"))
    add(lv.Spring(m.world.point(0, 0, 1), b.point(0.1, 0, 0), stiffness=40.0, length=0.3, damping=0.2, name="spring"))
    add(lv.Damper(m.world.point(0, 1, 1), b.point(0.1, 0, 0.1), rate=0.7, name="damper"))
    cart = add(lv.Body(bar, at=(0, 2, 0), velocity=(0.3, 0, 0), name="cart"))
    rail = add(lv.Prismatic(m.world.point(-0.2, 2, 0), cart.point(0, 0, 0), (1, 0, 0), stiffness=9.0, rest=0.5,
                            name="rail"))  # fmt: skip
    wheel = add(lv.Body(lv.Cylinder(0.2, 0.1, mass=3.0), at=(9, 0, 0), angular_velocity=(0, 0, 0.6), name="wheel"))
    axle = add(lv.Revolute(m.world.point(9, 0, 0), wheel.point(0, 0, 0), (0, 0, 1), name="axle"))
    add(lv.Coupling(rail, axle, ratio=2.0, name="rack"))
    puck = add(lv.Body(bar, at=(0, -2, 0), velocity=(0.2, 0.1, 0), angular_velocity=(0, 0, 0.5), name="puck"))
    add(lv.Planar(m.world.point(0, -2, 0), puck.point(0, 0, 0), (0, 0, 1), name="ice"))
    nut = add(lv.Body(bar, at=(0, -3, 0), angular_velocity=(0, 0, 1), name="nut"))
    add(lv.Cylindrical(m.world.point(0, -3, 0), nut.point(0, 0, 0), (0, 0, 1), damping=0.1, name="thread"))
    ball = add(lv.Body(bar, at=(5, 0, 0), name="pendulum", angular_velocity=(0.1, 0.2, 0.3),
                       velocity=np.cross((0.1, 0.2, 0.3), (0.5, 0, 0))))  # fmt: skip
    add(lv.Spherical(m.world.point(4.5, 0, 0), ball.point(-0.5, 0, 0), name="socket"))
    add(lv.Body(lv.Ball(0.2, mass=1.0), at=(0, 0, 5), velocity=(1, 2, 3), body_rates=(1, 2, 3), name="stone"))
    return m


def test_an_exported_model_moves_the_same_in_mujoco():
    assert compare.through_mjcf(linkage()) < 1e-12


def test_a_flywheel_becomes_armature(tmp_path):
    lv.write_mjcf(linkage(), tmp_path / "out.xml")
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    assert m.dof_armature[m.joint("rail").dofadr[0]] == pytest.approx(2.0**2 * 0.5 * 3.0 * 0.2**2)
    assert "wheel" not in [m.body(k).name for k in range(m.nbody)]
    assert m.neq == 0


def test_loops_become_equalities(tmp_path):
    m = lv.Model()
    bars = [m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1), at=(x, 0, 0), name=n)) for x, n in ((0.5, "a"), (1.5, "b"))]
    ends = [m.world.point(0, 0, 0), bars[0].point(0.5, 0, 0), m.world.point(2, 0, 0)]
    starts = [bars[0].point(-0.5, 0, 0), bars[1].point(-0.5, 0, 0), bars[1].point(0.5, 0, 0)]
    for end, start in zip(ends, starts, strict=True):
        m.add(lv.Revolute(end, start, (0, 1, 0)))
    lv.write_mjcf(m, tmp_path / "loop.xml")
    again = mujoco.MjModel.from_xml_path(str(tmp_path / "loop.xml"))
    assert (again.nv, again.neq) == (2, 2)


def test_things_without_a_counterpart_in_mjcf_are_named(tmp_path):
    m = linkage()
    m.add(lv.Load(m["stone"].center, force=(1, 0, 0), name="wind"))
    with pytest.raises(lv.ModelError, match="Load 'wind' has no counterpart in MJCF"):
        lv.write_mjcf(m, tmp_path / "out.xml")
    assert not (tmp_path / "out.xml").exists()


def test_an_imported_model_can_be_written_as_a_scene(tmp_path):
    """With armature and fluid forces: the scene gives the same model and bitwise identical accelerations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lv.read_mjcf(EVERY, keyframe="bent")
    lv.write_scene(model, tmp_path / "every.toml")
    again = lv.read_scene(tmp_path / "every.toml").model()
    for name in ("hip", "puck", "heavy", "stick"):
        assert np.array_equal(lv.dynamics(model).acceleration(name), lv.dynamics(again).acceleration(name))
