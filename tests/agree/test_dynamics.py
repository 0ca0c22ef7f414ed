"""Accelerations and reactions at a state against Newton and Euler with full matrices, for mechanisms drawn at random.

Trees and loops of lopsided bodies, thin rods and point masses; joints of every kind; springs, dampers, stops, loads,
motors, drives and gears. The reference (joint_equations.py) is written from the geometry of each joint, without rows.
"""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv
from livens.compile.drive_rates import SHORT_STEP
from tests.helpers import problems
from tests.helpers.joint_equations import RADIUS, Equations, seen

EPS = np.finfo(float).eps
JOINTS = ["Spherical", "Revolute", "Universal", "Cylindrical", "Prismatic", "Screw", "Planar", "PointOnLine", "Rigid"]


def unit(rng):
    u = rng.normal(size=3)
    return u / np.linalg.norm(u)


def joint(kind, a, b, rng):
    """A joint of the given kind between two bodies, with random springs, dampers, stops and drives."""
    place = 0.5 * (a.pose.a + b.pose.a) + 0.2 * rng.normal(size=3)
    axis = unit(rng)
    one, two, along = a.point_at(place), b.point_at(place), b.point_at(place + 0.3 * axis)
    carried = {}
    if rng.random() < 0.5:
        carried = {"stiffness": rng.uniform(1, 5), "rest": rng.normal(), "damping": rng.uniform(0.1, 1)}
    if rng.random() < 0.3:
        carried |= {"limits": (0.1, 0.2), "limit_stiffness": 20.0}
    match kind:
        case "Spherical" | "Rigid":
            return getattr(lv, kind)(one, two)
        case "Universal":
            return lv.Universal(one, two, axis_a=axis, axis_b=np.cross(axis, unit(rng)))
        case "Planar":
            return lv.Planar(one, b.point_at(place + np.cross(axis, unit(rng))), normal=axis)
        case "PointOnLine":
            return lv.PointOnLine(one, along, axis=axis)
        case "Screw":
            return lv.Screw(one, along, axis=axis, pitch=rng.uniform(0.2, 1), **carried)
        case "Revolute":
            if rng.random() < 0.2:
                c = rng.normal()
                carried["drive"] = lambda t: np.sin(c * t)
            return lv.Revolute(one, two, axis=axis, **carried)
    return getattr(lv, kind)(one, along, axis=axis, **carried)


def mechanism(seed):
    """A tree of four bodies, one or two loops closed by rods and planes, a thin rod and a point mass, and forces."""
    rng = np.random.default_rng(seed)
    m = lv.Model(gravity=rng.normal(size=3) * 5, name=f"mechanism {seed}")
    bodies = [m.world]
    for k in range(4):
        parent = bodies[rng.integers(len(bodies))]
        body = m.add(
            lv.Body(
                problems.lopsided(100 * seed + k, mass=rng.uniform(1, 3)), at=parent.pose.a + unit(rng), name=f"b{k}",
                rotation=Rotation.random(rng=rng).as_matrix(), velocity=rng.normal(size=3), body_rates=unit(rng),
            )
        )  # fmt: skip
        m.add(joint(JOINTS[(seed + 3 * k) % len(JOINTS)], parent, body, rng))
        bodies.append(body)
    rod = m.add(lv.Body(lv.ThinRod(1.0, mass=0.7), at=np.add(bodies[1].pose.a, (0.5, 0, 0.2)), name="rod"))
    dot = m.add(lv.Body(lv.PointMass(0.4), at=np.add(bodies[2].pose.a, (0, 0.3, 0.4)), name="dot"))
    m.add(lv.Spherical(bodies[1].point_at(rod.point(-0.5, 0, 0).start), rod.point(-0.5, 0, 0)))
    m.add(lv.Rod(rod.point(0.5, 0, 0), dot.point(0, 0, 0)))
    m.add(lv.PointOnPlane(bodies[3].point_at(dot.pose.a), dot.point(0, 0, 0), normal=unit(rng)))
    if seed % 2:
        m.add(lv.Rod(bodies[4].point(*rng.normal(size=3)), m.world.point(*rng.normal(size=3) * 2)))
    several = (lv.Universal, lv.Planar, lv.Spherical)  # the full equations have motors on joints with one axis only
    with_angle = [j for j in m.joints if j.coordinates and j.drive is None and not isinstance(j, several)]
    if with_angle:
        m.add(lv.Motor(with_angle[0], lambda t: 1.0 + t))
    if len(with_angle) > 2:
        m.add(lv.Coupling(*with_angle[1:3], ratio=rng.uniform(0.5, 2)))
    m.add(lv.Spring(bodies[4].point(0.1, 0, 0.2), m.world.point(1, 1, 1), stiffness=7.0, length=0.3, damping=0.4))
    m.add(lv.Damper(bodies[1].point(0.2, 0.1, 0), bodies[4].point(0, 0.1, 0.1), rate=0.8))
    m.add(lv.Load(bodies[3].point(0.1, 0.2, 0.3), force=unit(rng), torque=lambda t: (t, 1, 0), axes="body"))
    m.add(lv.Load(dot.point(0, 0, 0), force=unit(rng)))
    return m


def compare(motion, k):
    """Every acceleration and every reaction of the k-th state against the full system of equations."""
    model, e, t = motion.model, Equations(motion.model), motion.t[k]
    x, B, v, w = seen(motion, k)
    expected, lam, G = e.accelerations(x, B, v, w, t)
    M, T = e.mass()
    A = G @ T
    S = A @ np.linalg.solve(T.T @ M @ T, A.T)
    d = 1 / np.sqrt(np.diag(S))
    values = np.linalg.eigvalsh(d[:, None] * S * d)
    repeated = int(np.sum(values < 1e-9))
    assert repeated == len(motion.full.rows.kind) - len(motion.system.rows.kind)
    driven = any(getattr(j, "drive", None) is not None for j in model.joints)
    off = 1e-12 + EPS / 1e-3 + 16 * EPS / RADIUS**2 + (16 * EPS / SHORT_STEP**2 if driven else 0.0)  # how γ is found
    size = 1.0 + np.abs(expected).max() + max(np.abs(w).max(), np.abs(v).max()) ** 2
    bound = 16 * off * size / values[repeated]
    found = [
        [*motion.acceleration(b.center)[k], *(B[n].T @ motion.angular_acceleration(b)[k])]
        for n, b in enumerate(model.bodies)
    ][1:]
    assert np.abs(found - expected).max() <= bound
    heavy = 3.0  # the largest mass [kg]
    for j in model.joints:
        if repeated or isinstance(j, lv.Coupling):
            continue  # one choice among many; nothing of its own
        force, torque = e.reaction(j, lam, G, x, B)
        assert np.abs(motion.reaction(j)[k] - force).max() <= heavy * bound
        assert np.abs(motion.reaction_torque(j)[k] - torque).max() <= heavy * bound


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        return function(*arguments, **options)


@pytest.mark.parametrize("seed", range(18))
def test_accelerations_agree_at_the_start(seed):
    compare(quietly(lv.dynamics, mechanism(seed)), 0)


@pytest.mark.parametrize("seed", range(0, 18, 3))
def test_accelerations_agree_during_the_motion(seed):
    """After some motion: angles are not zero, springs and stops act, and time is not zero."""
    motion = quietly(lv.simulate, mechanism(seed), h=1e-3, until=0.05, every=25)
    assert np.abs(motion.rotation("b3")[-1] - motion.rotation("b3")[0]).max() > 1e-3
    compare(motion, 2)


@pytest.mark.parametrize("seed", range(0, 18, 4))
def test_accelerations_predict_the_next_step(seed):
    """Differences of the velocities of a fine motion, on both sides of the state, to second order in h."""
    h = 2e-5
    motion = quietly(lv.simulate, mechanism(seed), h=h, until=2 * h)
    slope = (motion.velocity("b3")[2] - motion.velocity("b3")[0]) / (2 * h)
    now = quietly(lv.dynamics, motion.model)
    fast = 1.0 + max(np.abs(motion.body_rates(b)).max() for b in motion.model.bodies)
    size = np.abs(motion.acceleration("b3")[1]).max() + 1.0
    assert np.abs(slope - motion.acceleration("b3")[1]).max() <= 1e3 * (h * fast) ** 2 * size + 1e-11 / h
    assert np.abs(now.acceleration("b3")[0] - motion.acceleration("b3")[0]).max() <= 1e-9 * size


def test_random_models_contain_every_kind():
    """Every kind of joint and force occurs in at least one mechanism."""
    drawn = {type(thing).__name__ for seed in range(18) for m in [mechanism(seed)] for thing in m.joints + m.forces}
    assert drawn >= {*JOINTS, "Rod", "PointOnPlane", "Coupling", "Motor", "Spring", "Damper", "Load"}
    driven = [j for seed in range(18) for j in mechanism(seed).joints if getattr(j, "drive", None)]
    stopped = [j for seed in range(18) for j in mechanism(seed).joints if getattr(j, "limits", None) is not None]
    assert driven
    assert stopped
