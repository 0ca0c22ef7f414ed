"""Coordinates of MJCF files and what acts on them, against MuJoCo: the zero of the file, springs on every joint."""

import numpy as np
import pytest

import livens as lv
from tests.formats.test_mjcf_export import deviations, mujoco, random_rotation, started

pytestmark = pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")
INERTIAL = '<inertial pos="0.1 0.2 -0.1" mass="2" fullinertia="0.3 0.4 0.5 0.02 -0.03 0.01"/>'


def elements(rng, joint, unit, axes):
    """Stiffness, rest, damping, start and a motor of every coordinate of a joint."""
    turns = [part.startswith(("angle", "turn")) for part in axes]
    size = np.where(turns, unit**2, 1.0)
    far = np.where(turns, 1.0, unit)
    many = {"stiffness": size * rng.random(len(axes)), "damping": size * rng.random(len(axes))}
    many |= {"rest": far * rng.normal(size=len(axes)), "start": far * rng.normal(size=len(axes))}
    return {name: tuple(x.tolist()) for name, x in many.items()}


@pytest.mark.parametrize("seed", range(16))
def test_springs_on_all_coordinates_are_written(tmp_path, seed):
    """Two bodies and a joint of several coordinates, with springs, dampers and motors on each, in random units."""
    rng = np.random.default_rng(seed)
    unit = 10.0 ** rng.integers(-2, 3)
    m = lv.Model(gravity=unit * rng.normal(size=3))
    bodies = [m.world]
    kinds = {
        "Universal": ("angle_a", "angle_b"),
        "Planar": ("x", "y", "angle"),
        "Cylindrical": ("angle", "displacement"),
    }
    for k in range(3):
        Q, at = random_rotation(rng), unit * rng.normal(size=3)
        matter = lv.MassProperties(1.0 + k, unit**2 * Q @ np.diag((2, 2.5, 3)) @ Q.T, 0.2 * unit * rng.normal(size=3))
        moves = {"velocity": unit * rng.normal(size=3), "angular_velocity": rng.normal(size=3)}
        b = m.add(lv.Body(matter, at=at, rotation=random_rotation(rng), **moves, name=f"b{k}"))
        place = at + 0.3 * unit * rng.normal(size=3)
        kind = [*kinds, "Spherical"][(seed + k) % 4]
        ends = (bodies[-1].point_at(place), b.point_at(place))
        if kind != "Planar":  # MJCF has its slides in the axes of the parent only
            ends = ends[:: rng.choice([1, -1])]
        axis = rng.normal(size=3)
        if kind == "Spherical":
            start = 0.5 * rng.normal(size=3)
            given = {
                "stiffness": unit**2 * rng.random(),
                "damping": unit**2 * rng.random(),
                "start": start,
                "rest": start,
            }
            m.add(lv.Spherical(*ends, **given, name=f"j{k}"))
        else:
            parts = kinds[kind]
            given = elements(rng, kind, unit, parts)
            axes = (axis, np.cross(axis, rng.normal(size=3))) if kind == "Universal" else (axis,)
            joint = m.add(getattr(lv, kind)(*ends, *axes, **given, name=f"j{k}"))
            for part in parts:
                effort = float(rng.normal()) * unit ** (2 if part.startswith("angle") else 1)
                m.add(lv.Motor(joint, effort, coordinate=part, name=f"m{k}{part}"))
        bodies.append(b)
    lv.write_mjcf(m, tmp_path / "m.xml")
    assert deviations(m, tmp_path / "m.xml").max() < 1e-10
    _, d = started(tmp_path / "m.xml")
    now = lv.dynamics(m)
    for joint in m.joints:
        for value in np.ravel(now.coordinate(joint)) if not isinstance(joint, lv.Spherical) else ():
            assert np.abs(d.qpos - value).min() < 1e-12 * max(1.0, unit)  # the same coordinate in MuJoCo


@pytest.mark.parametrize("seed", range(6))
def test_ball_joints_with_springs_dampers_and_limits_are_read(tmp_path, seed):
    """Accelerations at random quaternions and velocities are those of MuJoCo, springs and dampers included."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(4, 4))
    file = tmp_path / "balls.xml"
    quat = [" ".join(map(str, q)) for q in x]
    file.write_text(
        f"<mujoco><compiler angle='radian'/><option gravity='1 2 -9'/><worldbody><body name='a' quat='{quat[0]}'>"
        f"<joint name='hip' type='ball' stiffness='3' damping='0.4' range='0 2.9'/>{INERTIAL}"
        f"<body name='b' pos='0.4 0.1 0.3' quat='{quat[1]}'>"
        f"<joint name='knee' type='ball' stiffness='2' damping='0.1'/>{INERTIAL}</body></body></worldbody></mujoco>"
    )
    m = mujoco.MjModel.from_xml_path(str(file))
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    d = mujoco.MjData(m)
    d.qpos[:] = (x[2:] / np.linalg.norm(x[2:], axis=1, keepdims=True)).ravel()
    d.qvel[:] = rng.normal(size=6)
    mujoco.mj_forward(m, d)
    model = lv.read_mjcf(file, qpos=d.qpos, qvel=d.qvel)
    assert model["hip"].limits.tolist() == [-np.inf, 2.9]
    model["hip"].limits = None
    now = lv.dynamics(model)
    angle = np.linalg.norm(now.coordinate("hip")[0])
    assert angle == pytest.approx(2.0 * np.arccos(abs(d.qpos[0])), abs=1e-9)
    gains = np.zeros(6)
    mujoco.mj_rnePostConstraint(m, d)
    for body in ("a", "b"):
        k = m.body(body).id
        mujoco.mj_objectAcceleration(m, d, mujoco.mjtObj.mjOBJ_XBODY, k, gains, 0)
        assert now.angular_acceleration(body)[0] == pytest.approx(gains[:3], abs=1e-9)
    springs = 0.5 * sum(
        k * (2.0 * np.arctan2(np.linalg.norm(q[1:]), abs(q[0]))) ** 2
        for k, q in zip((3.0, 2.0), d.qpos.reshape(2, 4), strict=True)
    )
    weight = -sum(2.0 * model.gravity @ now.position(model[name].center)[0] for name in ("a", "b"))
    assert now.potential[0] - weight == pytest.approx(springs)


def test_a_joint_keeps_the_zero_of_its_file(tmp_path):
    """ref, a keyframe and limits: coordinates are MuJoCo's qpos, and stops act at the limits of the file."""
    file = tmp_path / "rail.xml"
    file.write_text(
        "<mujoco><compiler angle='radian'/><worldbody><body name='cart' pos='5 0 0'>"
        "<joint name='rail' type='slide' axis='1 0 0' ref='0.4' range='-1 2' stiffness='3' springref='0.7'/>"
        f"{INERTIAL}<body name='bob'><joint name='pin' axis='0 1 0' ref='-0.3' range='-2 1'/>{INERTIAL}</body></body>"
        "</worldbody><keyframe><key name='k' qpos='1.1 0.5'/></keyframe></mujoco>"
    )
    for keyframe, expected in ((None, (0.4, -0.3)), ("k", (1.1, 0.5))):
        model = lv.read_mjcf(file, keyframe=keyframe)
        now = lv.dynamics(model)
        assert (now.coordinate("rail")[0], now.coordinate("pin")[0]) == pytest.approx(expected, abs=1e-14)
        assert now.position("cart")[0, 0] == pytest.approx(5.0 + expected[0] - 0.4)
        assert model["rail"].limits.tolist() == [-1.0, 2.0]
        assert model["rail"].rest == 0.7


def test_planar_models(tmp_path):
    """Hinges across the plane keep a body to it; a free body is refused."""
    m = lv.Model(gravity=(0, 0, -9.81), planar="xz")
    b = m.add(lv.Body(lv.Box(1, 0.3, 0.2, mass=1.0), at=(0.5, 0, 0), name="b"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), b.point(-0.5, 0, 0), (0, 1, 0), stiffness=2.0, rest=0.4, name="pin"))
    lv.write_mjcf(m, tmp_path / "m.xml")
    assert deviations(m, tmp_path / "m.xml").max() < 1e-10
    m.add(lv.Body(lv.Box(1, 0.3, 0.2, mass=1.0), at=(3, 0, 0), name="free"))
    with pytest.raises(lv.ModelError, match=r"body 'free' is kept to its plane by Model\(planar='xz'\)"):
        lv.write_mjcf(m, tmp_path / "m.xml")


def test_what_mjcf_cannot_represent_is_refused(tmp_path):
    m = lv.Model()
    b = m.add(lv.Body(lv.Box(1, 0.3, 0.2, mass=1.0), name="b"))
    m.add(lv.Planar(b.center, m.world.point(0, 0, 0), (0, 0, 1), stiffness=(1.0, 0, 0), name="table"))
    with pytest.raises(lv.ModelError, match="exchange its points"):
        lv.write_mjcf(m, tmp_path / "m.xml")
    m = lv.Model()
    b = m.add(lv.Body(lv.Box(1, 0.3, 0.2, mass=1.0), name="b"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), b.center, stiffness=1.0, start=(0.1, 0, 0), name="ball"))
    with pytest.raises(lv.ModelError, match="does not start at zero"):
        lv.write_mjcf(m, tmp_path / "m.xml")
