"""A six-axis arm with the lengths and masses of a UR5 against MuJoCo: mass matrix, bias and inverse dynamics."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv

mujoco = pytest.importorskip("mujoco", reason="the extra mjcf has MuJoCo")

# place of each joint in its parent [m], axis, mass [kg], centre [m], three principal moments [kg m²]
LINKS = [
    ((0, 0, 0.089159), (0, 0, 1), 3.7, (0.002, -0.0256, 0.0019), (0.0103, 0.0102, 0.0067)),
    ((0, 0.13585, 0), (0, 1, 0), 8.393, (0.0, 0.01, 0.28), (0.2269, 0.2268, 0.0151)),
    ((0, -0.1197, 0.425), (0, 1, 0), 2.275, (0.001, 0.0, 0.25), (0.0494, 0.0495, 0.0041)),
    ((0, 0, 0.39225), (0, 1, 0), 1.219, (0.0, 0.093, 0.0), (0.0021, 0.0022, 0.0021)),
    ((0, 0.093, 0), (0, 0, 1), 1.219, (0.0, 0.0, 0.095), (0.0021, 0.0022, 0.0020)),
    ((0, 0, 0.09465), (0, 1, 0), 0.1879, (0.0, 0.065, 0.001), (0.00017, 0.00016, 0.00013)),
]
NAMES = ("pan", "lift", "elbow", "wrist1", "wrist2", "wrist3")
REF = (0.0, 0.3, -0.2, 0.0, 1.0, 0.0)


def text(rng, length=1.0):
    """The arm as MJCF, with random principal axes, references of the joints, springs and dampers."""
    inner, close = "", ""
    for name, ref, (place, axis, mass, center, moments) in zip(NAMES, REF, LINKS, strict=True):
        x, y, z, w = Rotation.random(random_state=rng).as_quat()
        inner += (
            f'<body name="{name} link" pos="{numbers(length * np.array(place))}">'
            f'<joint name="{name}" axis="{numbers(axis)}" ref="{ref}" stiffness="{0.5 * length**2}" springref="0.1" '
            f'damping="{0.2 * length**2}" range="-6.2 6.2"/>'
            f'<inertial pos="{numbers(length * np.array(center))}" quat="{numbers((w, x, y, z))}" mass="{mass}" '
            f'diaginertia="{numbers(length**2 * np.array(moments))}"/>'
        )
        close += "</body>"
    turn = Rotation.random(random_state=rng)
    gravity = turn.apply((0, 0, -9.81 * length))
    return (
        f'<mujoco><compiler angle="radian"/><option gravity="{numbers(gravity)}"/><worldbody>{inner}{close}'
        "</worldbody></mujoco>"
    )


def numbers(values):
    return " ".join(repr(float(x)) for x in np.ravel(values))


@pytest.mark.parametrize("length", [1.0, 1e-2, 1e3])
def test_mass_matrix_bias_and_inverse_dynamics(tmp_path, length):
    rng = np.random.default_rng(int(length))
    file = tmp_path / "arm.xml"
    file.write_text(text(rng, length))
    arm = lv.JointSpace(lv.read_mjcf(file))
    assert arm.names == NAMES
    assert arm.start == pytest.approx(REF, abs=1e-15)  # the zero of the file
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    for _ in range(10):
        q, v, a = rng.uniform(-3.0, 3.0, 6), rng.normal(size=6), rng.normal(size=6)
        d.qpos[:], d.qvel[:], d.qacc[:] = q, v, a
        mujoco.mj_forward(m, d)
        full = np.zeros((6, 6))
        try:
            mujoco.mj_fullM(m, d, full)
        except TypeError:  # before MuJoCo 3.5
            mujoco.mj_fullM(m, full, d.qM)
        passive = np.array(d.qfrc_passive)
        bias = d.qfrc_bias - passive
        d.qacc[:] = a
        mujoco.mj_inverse(m, d)
        scale = 1e-10 * np.abs(full).max()
        assert arm.mass_matrix(q) == pytest.approx(full, abs=scale)
        size = max(np.abs(bias).max(), np.abs(full @ a).max())
        assert arm.bias(q, v) == pytest.approx(bias, abs=1e-10 * size)
        assert arm.inverse_dynamics(q, v, a) == pytest.approx(d.qfrc_inverse, abs=1e-10 * size)
        tip = arm.forward_kinematics(q).position("wrist3 link")[0]
        assert tip == pytest.approx(d.body("wrist3 link").xpos, abs=1e-13 * length)


def test_inverse_kinematics_reaches_the_pose_of_the_tool(tmp_path):
    """Poses of the last link at random coordinates, from another position: MuJoCo places the arm there."""
    rng = np.random.default_rng(3)
    file = tmp_path / "arm.xml"
    file.write_text(text(rng))
    arm = lv.JointSpace(lv.read_mjcf(file))
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    for _ in range(4):
        d.qpos[:] = rng.uniform(-2.0, 2.0, 6)
        mujoco.mj_kinematics(m, d)
        tool = lv.Pose(d.body("wrist3 link").xpos, d.body("wrist3 link").xmat.reshape(3, 3))
        found = lv.inverse_kinematics(arm, {"wrist3 link": tool}, start=d.qpos + 0.3 * rng.normal(size=6))
        d.qpos[:] = found.q
        mujoco.mj_kinematics(m, d)
        assert d.body("wrist3 link").xpos == pytest.approx(tool.a, abs=1e-9)
        assert d.body("wrist3 link").xmat.reshape(3, 3) == pytest.approx(tool.B, abs=1e-9)
