"""A UR5 from its URDF file: mass matrix, bias and inverse dynamics are those of Pinocchio and of MuJoCo to 1e-10.

The numbers of Pinocchio are in ur5_pinocchio.json, which says how they were computed; MuJoCo computes here.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import livens as lv

HERE = Path(__file__).parent
FILE = HERE.parents[1] / "docs" / "tutorials" / "six-axis-arm.urdf"
PINOCCHIO = json.loads((HERE / "ur5_pinocchio.json").read_text())


@pytest.fixture(scope="module")
def arm():
    return lv.JointSpace(lv.read_urdf(FILE))


@pytest.mark.parametrize("state", PINOCCHIO["states"])
def test_pinocchio(arm, state):
    q, v, a = (np.array(state[name]) for name in "qva")
    M, b, efforts = (np.array(state[name]) for name in ("mass_matrix", "bias", "inverse_dynamics"))
    assert arm.names == tuple(PINOCCHIO["joints"])
    assert np.abs(arm.mass_matrix(q) - M).max() < 1e-10 * np.abs(M).max()
    assert np.abs(arm.bias(q, v) - b).max() < 1e-10 * np.abs(b).max()
    assert np.abs(arm.inverse_dynamics(q, v, a) - efforts).max() < 1e-10 * np.abs(efforts).max()
    assert np.abs(arm.forward_dynamics(q, v, efforts) - a).max() < 1e-10 * np.linalg.cond(M) * np.abs(a).max()


@pytest.mark.parametrize("state", PINOCCHIO["states"][:3])
def test_mujoco(arm, state):
    mujoco = pytest.importorskip("mujoco", reason="the extra mjcf has MuJoCo")
    spec = mujoco.MjSpec.from_string(FILE.read_text())
    spec.option.gravity = (0, 0, -9.81)
    m = spec.compile()
    d = mujoco.MjData(m)
    q, v, a = (np.array(state[name]) for name in "qva")
    d.qpos[:], d.qvel[:] = q, v
    mujoco.mj_forward(m, d)
    bias = d.qfrc_bias.copy()
    M = np.zeros((6, 6))
    for k in range(6):  # a column of the mass matrix: the efforts of a unit acceleration without bias
        d.qacc[:] = np.eye(6)[k]
        mujoco.mj_inverse(m, d)
        M[:, k] = d.qfrc_inverse - bias
    d.qacc[:] = a
    mujoco.mj_inverse(m, d)
    assert np.abs(arm.mass_matrix(q) - M).max() < 1e-10 * np.abs(bias).max()
    assert np.abs(arm.bias(q, v) - bias).max() < 1e-10 * np.abs(bias).max()
    assert np.abs(arm.inverse_dynamics(q, v, a) - d.qfrc_inverse).max() < 1e-10 * np.abs(d.qfrc_inverse).max()


@pytest.mark.parametrize("state", PINOCCHIO["states"])
def test_derivatives_of_pinocchio(arm, state):
    """A and B of `lv.linearize` are the derivatives of the accelerations at given efforts, and the inverse of M."""
    q, v = np.array(state["q"]), np.array(state["v"])
    model = lv.read_urdf(FILE)
    for name, effort in zip(arm.names, state["inverse_dynamics"], strict=True):
        model.add(lv.Motor(model[name], effort, name=f"motor of {name}"))
    lin = lv.linearize(model, at=lv.JointSpace(model).state(q, v))
    for found, name in ((lin.A[6:, :6], "acceleration_by_q"), (lin.A[6:, 6:], "acceleration_by_v")):
        expected = np.array(state[name])
        assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()
    inverse = np.linalg.inv(np.array(state["mass_matrix"]))
    assert np.abs(lin.B[6:] - inverse).max() < 1e-10 * np.abs(inverse).max()
