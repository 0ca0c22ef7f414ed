"""The start of an exported model in MuJoCo: poses, velocities and accelerations are those that livens starts with."""

import warnings

import numpy as np
import pytest

import livens as lv

mujoco = pytest.importorskip("mujoco", reason="pip install 'livens[mjcf]'")
pytestmark = pytest.mark.filterwarnings("ignore::livens.errors.ModelWarning")


def mechanism(seed):
    """A random tree of all joints that MJCF has, in random units, with motors; its velocities do not fit its joints."""
    rng = np.random.default_rng(seed)
    unit = 10.0 ** rng.integers(-2, 3)
    m = lv.Model(gravity=unit * rng.normal(size=3), name=f"tree {seed}")
    for k in range(rng.integers(1, 9)):
        a = m.bodies[rng.integers(len(m.bodies))]
        Q, at = random_rotation(rng), unit * rng.normal(size=3)
        matter = lv.MassProperties(1.0 + k, unit**2 * Q @ np.diag((2, 2.5, 3)) @ Q.T, 0.2 * unit * rng.normal(size=3))
        moves = {"velocity": unit * rng.normal(size=3), "angular_velocity": rng.normal(size=3)}
        b = m.add(lv.Body(matter, at=at, rotation=random_rotation(rng), **moves, name=f"b{k}"))
        place = at + 0.3 * unit * rng.normal(size=3)
        ends = (a.point_at(place), b.point_at(place))[:: rng.choice([1, -1])]
        kind = rng.choice(["Revolute", "Prismatic", "Cylindrical", "Spherical", "Universal", "Planar", "free"])
        axis, name = rng.normal(size=3), f"j{k}"
        if kind in ("Revolute", "Prismatic", "Cylindrical"):
            spin = unit ** (0 if kind == "Prismatic" else 2)
            acts = {"stiffness": spin * rng.random(), "damping": spin * rng.random()}
            joint = m.add(getattr(lv, kind)(*ends, axis, **acts, name=name))
            size = spin * unit ** (kind == "Prismatic") * float(rng.normal())
            m.add(lv.Motor(joint, size if rng.random() < 0.5 else lv.Expression("k*cos(t)", k=size), name=f"m{k}"))
        elif kind == "Spherical":
            m.add(lv.Spherical(*ends, name=name))
        elif kind == "Planar":
            m.add(lv.Planar(*ends, axis, name=name))
        elif kind == "Universal":
            m.add(lv.Universal(*ends, axis, np.cross(axis, rng.normal(size=3)), name=name))
    return m


def random_rotation(rng):
    return lv.Pose.from_quaternion(rng.normal(size=4)).B


def started(path):
    """MuJoCo's model and data at the keyframe, without its soft constraints."""
    m = mujoco.MjModel.from_xml_path(str(path))
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 0)
    mujoco.mj_forward(m, d)
    mujoco.mj_rnePostConstraint(m, d)
    return m, d


def deviations(model, path):
    """Relative errors of poses, velocities and accelerations of all body frames."""
    m, d = started(path)
    now = lv.dynamics(model)
    found = []
    for b in range(1, m.nbody):
        body, k = m.body(b).name, b
        moves, gains = np.zeros(6), np.zeros(6)
        mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_XBODY, k, moves, 0)
        mujoco.mj_objectAcceleration(m, d, mujoco.mjtObj.mjOBJ_XBODY, k, gains, 0)
        theirs = [
            np.concatenate([d.xpos[k], d.xmat[k]]),
            moves,
            np.concatenate([gains[:3], gains[3:] + m.opt.gravity]),
        ]
        ours = [
            np.concatenate([now.position(body)[0], now.rotation(body)[0].ravel()]),
            np.concatenate([now.angular_velocity(body)[0], now.velocity(body)[0]]),
            np.concatenate([now.angular_acceleration(body)[0], now.acceleration(body)[0]]),
        ]
        found.append([(np.abs(x - y).max(), np.abs(y).max()) for x, y in zip(theirs, ours, strict=True)])
    errors = np.array(found)
    return errors[:, :, 0].max(axis=0) / np.maximum(1.0, errors[:, :, 1].max(axis=0))


@pytest.mark.parametrize("seed", range(30))
def test_a_random_mechanism_starts_the_same_in_mujoco(tmp_path, seed):
    model = mechanism(seed)
    lv.write_mjcf(model, tmp_path / "model.xml")
    places, speeds, gains = deviations(model, tmp_path / "model.xml")
    assert places < 1e-11
    assert speeds < 1e-11
    assert gains < 1e-9


def test_the_velocities_of_these_mechanisms_are_fitted():
    """Almost all have joints that their velocities do not satisfy."""
    told = []
    for seed in range(30):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            lv.dynamics(mechanism(seed))
        told += [str(w.message) for w in caught]
    assert sum("initial velocities did not satisfy the joints" in text for text in told) > 20


@pytest.mark.parametrize("seed", range(4))
def test_poses_that_do_not_fit_are_written_as_fitted(tmp_path, seed):
    """Two hinges whose points are apart by a millimetre; the reference position is the fitted start."""
    rng = np.random.default_rng(seed)
    R = lv.Pose.from_quaternion(rng.normal(size=4)).B
    m = lv.Model(gravity=R @ (0, 0, -9.81))
    last = m.world.point(0, 0, 0)
    for k in range(2):
        slip = 1e-3 * rng.normal(size=3)
        body = m.add(lv.Body(lv.Box(1, 0.2, 0.1, mass=2.0), at=R @ (k + 0.5, 0, 0) + slip, rotation=R, name=f"b{k}",
                             velocity=rng.normal(size=3), angular_velocity=rng.normal(size=3)))  # fmt: skip
        acts = {"stiffness": 5.0, "rest": 0.3, "damping": 0.1, "limits": (-1.0, 2.0)}
        hinge = m.add(lv.Revolute(last, body.point(-0.5, 0, 0), axis=R @ (0, 1, 0), **acts, name=f"h{k}"))
        m.add(lv.Motor(hinge, 0.5 + k, name=f"m{k}"))
        last = body.point(0.5, 0, 0)
    lv.write_mjcf(m, tmp_path / "model.xml")
    assert deviations(m, tmp_path / "model.xml").max() < 1e-10
    mj, _ = started(tmp_path / "model.xml")
    here = lv.dynamics(m).coordinate("h1")[0]
    assert mj.joint("h1").range == pytest.approx((-1.0, 2.0))
    assert mj.qpos0[1] == pytest.approx(here)
    assert mj.key_ctrl[0] == pytest.approx([0.5, 1.5])


def test_motors_without_a_counterpart_are_refused(tmp_path):
    m = lv.Model()
    bars = [m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1), at=(x, 0, 0), name=n)) for x, n in ((0.5, "a"), (1.5, "b"))]
    ends = [m.world.point(0, 0, 0), bars[0].point(0.5, 0, 0), m.world.point(2, 0, 0)]
    starts = [bars[0].point(-0.5, 0, 0), bars[1].point(-0.5, 0, 0), bars[1].point(0.5, 0, 0)]
    hinges = [m.add(lv.Revolute(*pair, (0, 1, 0))) for pair in zip(ends, starts, strict=True)]
    m.add(lv.Motor(hinges[0], lambda t, now: 1.0, rate=10.0, name="servo"))
    lv.write_mjcf(m, tmp_path / "loop.xml")
    assert started(tmp_path / "loop.xml")[0].key_ctrl.tolist() == [[0.0]]
    for hinge in hinges:
        m.add(lv.Motor(hinge, 1.0, name=f"on {hinge.name}"))
    with pytest.raises(lv.ModelError, match="which closes a loop, where MJCF has no actuators"):
        lv.write_mjcf(m, tmp_path / "loop.xml")
