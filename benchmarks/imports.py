"""Import of robots of other projects, compared with other programs: python -m benchmarks.imports [folder or file …].

Without arguments: every MJCF file of gymnasium and every URDF file of example-robot-data, if they are installed.
Each is imported at a random state, or refused with a reason. At that state the linear and angular accelerations of all
bodies must agree with those of other programs, without contact, limits and actuation, with springs, damping and
armature as declared:

    MJCF    MuJoCo's, of the same file
    URDF    MuJoCo's, of the model written as MJCF; and, if it is installed, Pinocchio's, of the same file

Mimic joints, which are soft in MuJoCo and not supported by Pinocchio's algorithms, are eliminated by projection:
with q̇ = G u, a = G (GᵀMG)⁻¹ Gᵀ (f − b). The error is the largest difference over the largest acceleration.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np

import livens as lv
from livens.formats.urdf_text import read_robot

from .counts import Count

SPEED = 1.0  # rad/s or m/s, the largest of the random velocities
ENOUGH = 1e-8
PACKAGES = ("gymnasium", "example-robot-data")


class Outcome(NamedTuple):
    """Result of a file: errors by program, or the reason why it was refused."""

    file: str
    bodies: int
    errors: dict[str, float]
    reason: str = ""


def error(model: lv.Model, accelerations: dict[str, np.ndarray]) -> float:
    """The largest difference from (linear, angular) accelerations by body, over the largest of them."""
    if not accelerations:
        return 0.0
    now = lv.dynamics(model)
    ours = np.array([[*now.acceleration(b)[0], *now.angular_acceleration(b)[0]] for b in accelerations])
    theirs = np.array(list(accelerations.values()))
    return float(np.abs(ours - theirs).max() / (np.abs(theirs).max() or 1.0))


# ── MuJoCo ──


def mjcf_state(m: mujoco.MjModel, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random qpos within limits, and qvel."""
    random, d = np.random.default_rng(seed), mujoco.MjData(m)
    for j in range(m.njnt):
        q, kind = m.jnt_qposadr[j], m.jnt_type[j]
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            start = q if kind else q + 3
            d.qpos[q:start] = random.uniform(-1, 1, start - q)
            d.qpos[start : start + 4] = (x := random.normal(size=4)) / np.linalg.norm(x)
        else:
            d.qpos[q] = random.uniform(*(m.jnt_range[j] if m.jnt_limited[j] else (-1.0, 1.0)))
    return d.qpos.copy(), random.uniform(-SPEED, SPEED, m.nv)


def mujoco_accelerations(m: mujoco.MjModel, qpos: np.ndarray, qvel: np.ndarray) -> dict[str, np.ndarray]:
    """(linear, angular) accelerations of every moving body frame, world axes, with exact joint equalities."""
    off = mujoco.mjtDisableBit
    m.opt.disableflags |= int(off.mjDSBL_CONSTRAINT) | int(off.mjDSBL_CONTACT) | int(off.mjDSBL_ACTUATION)
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:] = qpos, qvel
    mujoco.mj_forward(m, d)
    if m.neq:
        A = np.zeros((m.neq, m.nv))
        for k in range(m.neq):
            assert m.eq_type[k] == mujoco.mjtEq.mjEQ_JOINT
            A[k, m.jnt_dofadr[m.eq_obj1id[k]]] = 1.0
            A[k, m.jnt_dofadr[m.eq_obj2id[k]]] = -m.eq_data[k, 1]
        unit = np.eye(m.nv)
        M = np.zeros((m.nv, m.nv))
        for k in range(m.nv):
            mujoco.mj_mulM(m, d, M[k], unit[k])
        d.qacc[:] = projected(np.linalg.svd(A)[2][m.neq :].T, M, d.qfrc_smooth)
    mujoco.mj_rnePostConstraint(m, d)
    found = {}
    for b in range(1, m.nbody):
        if m.body_weldid[b] == b and m.body_dofnum[b]:
            a = np.zeros(6)
            mujoco.mj_objectAcceleration(m, d, mujoco.mjtObj.mjOBJ_XBODY, b, a, 0)
            found[m.body(b).name or f"body{b}"] = np.array([*(a[3:] + m.opt.gravity), *a[:3]])
    return found


def projected(G: np.ndarray, M: np.ndarray, f: np.ndarray) -> np.ndarray:
    """a = G (GᵀMG)⁻¹ Gᵀ f; coordinates without inertia are not changed."""
    G = G[:, np.einsum("ik,ij,jk->k", G, M, G) > 0.0]
    return G @ np.linalg.solve(G.T @ M @ G, G.T @ f)


def compare_mjcf(path: Path, seed: int = 0) -> tuple[lv.Model, dict[str, float]]:
    """The model, and the error of its accelerations relative to MuJoCo."""
    lv.read_mjcf(path)  # raises an error if it is refused
    m = mujoco.MjModel.from_xml_path(str(path))
    qpos, qvel = mjcf_state(m, seed)
    model = lv.read_mjcf(path, qpos=qpos, qvel=qvel)
    return model, {"mujoco": error(model, mujoco_accelerations(m, qpos, qvel))}


# ── URDF ──


def compare_urdf(path: Path, seed: int = 0) -> tuple[lv.Model, dict[str, float]]:
    """The model, and the larger of the errors with a fixed base and, if it has mass, with a free one."""
    random = np.random.default_rng(seed)
    positions, velocities = {}, {}
    robot = read_robot(path, [])
    for arm in robot.arms.values():
        if arm.kind in ("revolute", "continuous", "prismatic") and arm.mimic is None:
            lower, upper = arm.limits or (-1.0, 1.0)
            positions[arm.name], velocities[arm.name] = random.uniform(lower, upper), random.uniform(-SPEED, SPEED)
    worst: dict[str, float] = {}
    for base in ("free", "fixed")[robot.root == "world" :]:
        model = lv.read_urdf(path, base=base, positions=positions, velocities=velocities, meshes=False)
        if len(model.bodies) == 1 or (base == "free" and robot.root not in model.names):
            continue
        found = {}
        if importlib.util.find_spec("pinocchio"):
            found["pinocchio"] = error(model, pinocchio_accelerations(path, model, base, positions, velocities))
        model.forces = [f for f in model.forces if not isinstance(f, lv.Energy)]  # limits, which MJCF cannot describe
        found["mujoco"] = through_mjcf(model)
        worst = {name: max(value, worst.get(name, 0.0)) for name, value in found.items()}
        kept = model
    return kept, worst


def through_mjcf(model: lv.Model) -> float:
    """The error of a model relative to the same model exported to MuJoCo."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "model.xml"))
        lv.write_mjcf(model, file)
        m = mujoco.MjModel.from_xml_path(file)
    return error(model, mujoco_accelerations(m, m.qpos0, m.key_qvel[0] if m.nkey else np.zeros(m.nv)))


def pinocchio_accelerations(path: Path, model: lv.Model, base: str, positions: dict, velocities: dict) -> dict:
    """(linear, angular) accelerations of the bodies of `model` by Pinocchio, base at rest."""
    import pinocchio as pin

    arms = {arm.name: arm for arm in read_robot(path, []).arms.values()}
    free = [pin.JointModelFreeFlyer()] if base == "free" else []
    m = pin.buildModelFromUrdf(str(path), *free)
    q, v, damping = pin.neutral(m), np.zeros(m.nv), np.zeros(m.nv)
    first = 6 * len(free)
    G = np.eye(m.nv)
    joints = {name: joint for name, joint in zip(m.names, m.joints, strict=True) if name in arms}
    for name, joint in joints.items():
        if joint.nv > 1:  # planar or floating: at rest in the pose of the file
            continue
        factor, offset, arm = 1.0, 0.0, arms[name]
        while arm.mimic is not None:
            offset, factor = offset + factor * arm.mimic[2], factor * arm.mimic[1]
            arm = arms[arm.mimic[0]]
        angle = factor * positions[arm.name] + offset
        q[joint.idx_q : joint.idx_q + joint.nq] = angle if joint.nq == 1 else (np.cos(angle), np.sin(angle))
        v[joint.idx_v], damping[joint.idx_v] = factor * velocities[arm.name], arms[name].damping
        G[joint.idx_v, joint.idx_v] = 0.0
        G[joint.idx_v, joints[arm.name].idx_v] = factor
    G = G[:, [*range(first), *(k for k in range(first, m.nv) if G[k, k])]]
    data = m.createData()
    M = pin.crba(m, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    a = projected(G, M, -damping * v - pin.nonLinearEffects(m, data, q, v))
    pin.forwardKinematics(m, data, q, v, a)
    pin.updateFramePlacements(m, data)
    found = {}
    for body in model.bodies[1:]:
        number = m.getFrameId(body.name, pin.FrameType.BODY)
        frame = pin.getFrameClassicalAcceleration(m, data, number, pin.LOCAL_WORLD_ALIGNED)
        found[body.name] = np.array([*frame.linear, *frame.angular])
    return found


# ── the table ──


def shipped() -> list[Path]:
    """The files of the packages that are installed."""
    found: list[Path] = []
    if spec := importlib.util.find_spec("gymnasium"):
        assert spec.origin
        found += sorted(Path(spec.origin).parent.glob("envs/mujoco/assets/*.xml"))
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    return found + sorted(Path(str(f.locate())).resolve() for f in files if f.name.endswith(".urdf"))


def outcome(path: Path, seed: int = 0) -> Outcome:
    """Import one file and compare it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        try:
            model, errors = (compare_urdf if path.suffix == ".urdf" else compare_mjcf)(path, seed)
        except lv.LivensError as refusal:
            return Outcome(path.name, 0, {}, str(refusal))
    return Outcome(path.name, len(model.bodies) - 1, errors)


def soak(count: int, seed: int = 0, report: Callable[[str], None] = print, files: Sequence[Path] = ()) -> Count:
    """Import and compare the given files, or those of the installed packages, at most `count`."""
    done, imported, worst = Count(), 0, 0.0
    for path in (files or shipped())[:count]:
        done.tried += 1
        try:
            it = outcome(path, seed)
        except Exception as fault:
            done.failed.append(f"{path.name}: {type(fault).__name__}: {fault}")
            report(done.failed[-1])
            continue
        errors = ", ".join(f"{name} {value:.1e}" for name, value in it.errors.items())
        report(f"{it.file:<36} {f'{it.bodies:3d} bodies   {errors}' if not it.reason else f'refused: {it.reason}'}")
        imported += not it.reason
        worst = max(worst, *it.errors.values(), 0.0)
        if any(value > ENOUGH for value in it.errors.values()):
            done.failed.append(f"{it.file}: acceleration errors {errors}")
    absent = [] if files else [name for name in PACKAGES if not _installed(name)]
    done.remark = "; ".join(
        [f"{imported} imported, {done.tried - imported} refused, max. acceleration error {worst:.0e}"]
        * (done.tried > 0)
        + [f"not installed: {', '.join(absent)}"] * bool(absent)
    )
    return done


def _installed(name: str) -> bool:
    try:
        return bool(importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return False


def main() -> int:
    given = [Path(word) for word in sys.argv[1:]]
    files = [f for p in given for f in (sorted([*p.rglob("*.urdf"), *p.rglob("*.xml")]) if p.is_dir() else [p])]
    done = soak(sys.maxsize, files=files)
    print(f"{done.tried} files, {len(done.failed)} failures: {done.remark}")
    return int(bool(done.failed))


if __name__ == "__main__":
    sys.exit(main())
