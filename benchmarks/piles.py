"""Random piles: 5 to 50 random bodies fall on each other, with any friction and restitution.

`python -m benchmarks.piles 200` prints the piles that fail; `python -m benchmarks.piles 1 17` runs seed 17 alone.

A scene is one of

    floor    bodies fall on a plane of the world, between two walls or without
    tray     the plane belongs to a heavy free body that a force carries: linear momentum p(t) = p(0) + (F + Σ m g) t
    cluster  no gravity, bodies fly to the middle: linear and angular momentum are constant

in random orientation, unit of length and of mass. What is checked, with s the radius of the smallest body:

    gap       of pairs of balls, boxes and capsules by MuJoCo's distance, of all shapes against planes by their corners
              and support points, at stored states: ≥ −1e-9 s
    momentum  as above, to 1e-12 of the largest sum of magnitudes
    energy    no impact adds any; E − E(0) and the error of E + dissipated ≤ (h ω)² of the largest kinetic energy
    end       the run ends in time, and every contact problem is solved, or the report says to which residual
"""

from __future__ import annotations

import multiprocessing
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.random import Generator
from scipy.spatial.transform import Rotation

import livens as lv

from .counts import Count

G, H, UNTIL = 9.81, 4e-3, 1.6  # lengths in units of the scene
DEEPEST = 1e-9  # penetration, relative to the smallest body
LIMIT = 300.0  # seconds for one pile
GEOMS = {"ball": "sphere", "box": "box", "capsule": "capsule"}  # of MuJoCo
SCENES = ("floor", "tray", "cluster")


class Piece(NamedTuple):
    """A body of a pile: its shape as a name and sizes, in the unit of the scene."""

    kind: str
    size: tuple[float, ...]
    mass: float


class Pile(NamedTuple):
    """A pile as a model, what it consists of, and what is known of it."""

    seed: int
    scene: str
    model: lv.Model
    pieces: list[Piece]
    unit: float
    force: np.ndarray  # on the tray [N]
    planes: list[lv.Plane]

    def __str__(self) -> str:
        rule = next(thing for thing in self.model.things if isinstance(thing, lv.Contacts))
        return (
            f"seed {self.seed}: {self.scene}, {len(self.pieces)} bodies, unit {self.unit:.3g} m, "
            f"friction {rule.friction:.2f}, restitution {rule.restitution:g}"
        )


def random_piece(rng: Generator) -> Piece:
    kind = str(rng.choice(["ball", "box", "box", "capsule", "cylinder", "ellipsoid", "cone", "cross"]))
    size = rng.uniform(0.1, 0.3, {"ball": 1, "capsule": 2, "cylinder": 2, "cone": 2}.get(kind, 3))
    return Piece(kind, tuple(map(float, size)), float(10.0 ** rng.uniform(-1.0, 1.0)))


def shape_of(piece: Piece, unit: float, mass: float) -> Any:
    s, m = unit * np.array(piece.size), mass * piece.mass
    match piece.kind:
        case "ball":
            return lv.Ball(s[0], mass=m)
        case "box":
            return lv.Box(*(2.0 * s), mass=m)
        case "capsule":
            return lv.Capsule(s[0], 2.0 * s[1], mass=m)
        case "cylinder":
            return lv.Cylinder(s[0], 2.0 * s[1], mass=m)
        case "ellipsoid":
            return lv.Ellipsoid(*s, mass=m)
        case "cone":
            return lv.Cone(s[0], 2.0 * s[1], mass=m)
        case _:  # a cross of two bars
            bars = (2.0 * s[0], 0.1 * unit, 0.1 * unit), (0.1 * unit, 2.0 * s[1], 0.1 * unit)
            return lv.Compound([(lv.Box(*bar, mass=0.5 * m), lv.Pose()) for bar in bars])


def radius_of(piece: Piece) -> float:
    """Of a ball about the body's origin that contains it."""
    s = np.array(piece.size)
    match piece.kind:
        case "box":
            return float(np.linalg.norm(s))
        case "cylinder":
            return float(np.hypot(s[0], s[1]))
        case "capsule":
            return float(s.sum())
        case "cone":
            return float(max(s[0], 2.0 * s[1]))
        case "cross":
            return float(max(s[0], s[1]) + 0.1)
        case _:
            return float(s.max())


def draw(seed: int, few: int = 5, many: int = 50) -> Pile:
    """A random pile."""
    rng = np.random.default_rng(seed)
    scene = str(rng.choice(SCENES))
    count = round(float(np.exp(rng.uniform(np.log(few), np.log(many)))))
    unit, mass = float(10.0 ** rng.uniform(-2, 2)), float(10.0 ** rng.uniform(-3, 3))
    R, offset = Rotation.random(random_state=rng).as_matrix(), unit * rng.normal(size=3)
    g = np.zeros(3) if scene == "cluster" else -G * unit * R[:, 2]
    m = lv.Model(gravity=g, name=f"pile {seed}")
    pieces = [random_piece(rng) for _ in range(count)]
    side = int(np.ceil((count / 3) ** 0.5)) if scene != "cluster" else int(np.ceil(count ** (1 / 3)))
    space = 2.1 * max(map(radius_of, pieces))
    for k, piece in enumerate(pieces):
        cell = np.array([k % side, k // side % side, k // side**2])
        x = space * (
            cell - 0.5 * (side - 1) * np.array([1, 1, scene == "cluster"]) + (0, 0, 0.6 * (scene != "cluster"))
        )
        v = -2.0 * x * rng.uniform(0.5, 1.5) if scene == "cluster" else rng.normal(size=3) * (0.5, 0.5, 0.5)
        m.add(
            lv.Body(
                shape_of(piece, unit, mass),
                at=offset + unit * R @ x,
                rotation=Rotation.random(random_state=rng).as_matrix(),
                velocity=unit * R @ v,
                body_rates=2.0 * rng.normal(size=3),
                name=f"{piece.kind} {k}",
            )
        )
    planes: list[lv.Plane] = []
    force = np.zeros(3)
    if scene == "tray":
        weight = sum(body.mass_properties.mass for body in m.bodies[1:])
        tray = lv.Ball(space * side * unit, mass=10.0 * weight)
        under = lv.Ball(0.01 * unit, mass=1.0)  # touches nothing: the plane does
        at = offset - 0.5 * unit * R[:, 2]
        body = m.add(lv.Body(tray, at=at, rotation=R, collision=under, name="tray"))
        planes = [body.plane((0, 0, 0.5 * unit))]
        force = -g * 11.0 * weight
        m.add(lv.Load(body.center, force=force))
    elif scene == "floor":
        planes = [m.world.plane(offset, normal=R[:, 2])]
        if rng.random() < 0.5:
            wall = 0.6 * space * side * unit
            planes += [m.world.plane(offset + s * wall * R[:, 0], normal=-s * R[:, 0]) for s in (1, -1)]
    rule = rng.choice(["sequence", "together"])
    e = float(rng.choice([0.0, 0.3, 0.7, 1.0]))
    m.add(lv.Contacts(planes, friction=float(rng.choice([0.0, rng.uniform(0, 1)])), restitution=e, impacts=str(rule)))
    return Pile(seed, scene, m, pieces, unit, force, planes)


# ── checks ──


def words(x: Any) -> str:
    return " ".join(repr(float(c)) for c in x)


class Distances:
    """MuJoCo's distances of the balls, boxes and capsules of a pile."""

    def __init__(self, pile: Pile):
        bodies = pile.model.bodies[1:]
        self.bodies = [(b, p) for b, p in zip(bodies, pile.pieces, strict=False) if p.kind in GEOMS]
        self.unit = pile.unit
        geoms = "".join(
            f'<body mocap="true"><geom type="{GEOMS[p.kind]}" size="{words(p.size)}"/></body>' for _, p in self.bodies
        )
        self.model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{geoms}</worldbody></mujoco>")
        self.data = mujoco.MjData(self.model)
        self.radius = np.array([radius_of(p) for _, p in self.bodies])

    def deepest(self, motion: lv.Trajectory, k: int) -> tuple[float, str]:
        """The largest penetration of two bodies at the stored state k, in units, and their names."""
        for i, (body, _) in enumerate(self.bodies):
            self.data.mocap_pos[i] = motion.position(body)[k] / self.unit
            self.data.mocap_quat[i] = np.roll(Rotation.from_matrix(motion.rotation(body)[k]).as_quat(), 1)
        mujoco.mj_kinematics(self.model, self.data)
        x = self.data.geom_xpos
        far = np.linalg.norm(x[:, None] - x[None], axis=2) - self.radius[:, None] - self.radius[None]
        worst, names = 0.0, ""
        for i, j in zip(*np.nonzero(np.triu(far < 0.0, 1)), strict=True):
            gap = mujoco.mj_geomDistance(self.model, self.data, int(i), int(j), 1.0, np.zeros(6))
            if -gap > worst:
                worst, names = -gap, f"{self.bodies[i][0].name} and {self.bodies[j][0].name}"
        return worst, names


def lowest(piece: Piece, R: np.ndarray) -> np.ndarray:
    """How far a body reaches from its origin along the −z axis of R (n, 3, 3), in units: its support function."""
    n, s = -R, np.array(piece.size)
    x, y, z = n[:, 0], n[:, 1], n[:, 2]
    match piece.kind:
        case "ball":
            return np.full(len(n), s[0])
        case "box":
            return np.abs(n) @ s
        case "capsule":
            return s[0] + s[1] * np.abs(z)
        case "cylinder":
            return s[0] * np.hypot(x, y) + s[1] * np.abs(z)
        case "ellipsoid":
            return np.linalg.norm(n * s, axis=1)
        case "cone":
            return np.maximum(s[0] * np.hypot(x, y), 2.0 * s[1] * z)
        case _:
            bars = (s[0], 0.05, 0.05), (0.05, s[1], 0.05)
            return np.maximum(*(np.abs(n) @ np.array(bar) for bar in bars))


def faults(pile: Pile) -> list[str]:
    """What is wrong with the run of a pile."""
    model = pile.model
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = lv.simulate(model, h=H, until=UNTIL)
    found = []
    bodies = model.bodies[1 : 1 + len(pile.pieces)]
    # gaps
    deepest = 0.0
    for body, piece in zip(bodies, pile.pieces, strict=True):
        for plane in pile.planes:
            r = motion.position(plane.point)
            n = motion.rotation(plane.body) @ plane.normal
            depth = (
                lowest(piece, np.einsum("nij,ni->nj", motion.rotation(body), n))
                - np.einsum("ni,ni->n", motion.position(body) - r, n) / pile.unit
            )
            if depth.max() > deepest:
                deepest, where = float(depth.max()), f"{body.name} and a plane at {motion.t[depth.argmax()]:.3f} s"
    apart = Distances(pile)
    for k in range(0, len(motion), 10):
        depth, names = apart.deepest(motion, k)
        if depth > deepest:
            deepest, where = depth, f"{names} at {motion.t[k]:.3f} s"
    if deepest > DEEPEST:
        found.append(f"penetration {deepest:.1e} of a unit, {where}")
    # momentum
    t = motion.t[:, None]
    known = motion.momentum[0] + t * (
        sum(b.mass_properties.mass for b in model.bodies[1:]) * model.gravity + pile.force
    )
    size = np.linalg.norm(motion.record.p, axis=2).sum(axis=1).max()
    if pile.scene != "floor" and (error := np.abs(motion.momentum - known).max() / size) > 1e-12:
        found.append(f"momentum changes by {error:.1e}")
    if pile.scene == "cluster":
        arm = size * np.abs(np.array([motion.position(b) for b in bodies])).max()
        if (error := np.ptp(motion.angular_momentum, axis=0).max() / arm) > 1e-12:
            found.append(f"angular momentum changes by {error:.1e}")
    # energy
    kinetic = motion.kinetic.max()
    spin = max(np.linalg.norm(motion.body_rates(b), axis=1).max() for b in bodies)
    error = (H * spin) ** 2 * kinetic + 1e-10 * np.abs(motion.potential).max()
    E = motion.energy - motion.work
    if (growth := (E - E[0]).max()) > error:
        found.append(f"energy grows by {growth / kinetic:.1e} of the kinetic energy (allowed {error / kinetic:.1e})")
    if (gain := -np.diff(motion.impact_loss).min()) > 1e-12 * kinetic:
        found.append(f"an impact adds {gain / kinetic:.1e} of the kinetic energy")
    if (gain := -np.diff(motion.friction_loss).min()) > error:
        found.append(f"friction adds {gain / kinetic:.1e} of the kinetic energy in a step")
    if (drift := np.ptp(E + motion.dissipated)) > error:
        found.append(f"the balance of energy is off by {drift / kinetic:.1e} (allowed {error / kinetic:.1e})")
    residual = motion.record.memory[-1, 4] / pile.unit
    if residual > 1e-6:
        found.append(f"contact problems solved to {residual:.1e} units/s only")
    return found


def trial(seed: int) -> tuple[str, list[str], float]:
    """A pile in words, its faults and the seconds that it took."""
    begin = time.perf_counter()
    pile = draw(seed)
    try:
        wrong = faults(pile)
    except lv.LivensError as error:
        wrong = [f"{type(error).__name__}: {error}"]
    except Exception:
        wrong = [traceback.format_exc()]
    return str(pile), wrong, time.perf_counter() - begin


def soak(
    count: int, seed: int = 1, report: Callable[[str], None] = print, limit: float = LIMIT, first: int = 0
) -> Count:
    """Drop `count` piles from number `first` on, each with a limit of time."""
    done, slowest = Count(), 0.0
    pool = multiprocessing.get_context("spawn").Pool(1)
    try:
        for k in range(first, first + count):
            number = 100_000 * (seed - 1) + k
            try:
                name, wrong, spent = pool.apply_async(trial, (number,)).get(limit)
            except multiprocessing.TimeoutError:
                name, wrong, spent = str(draw(number)), [f"not finished after {limit:g} s"], limit
                pool.terminate()
                pool = multiprocessing.get_context("spawn").Pool(1)
            done.tried += 1
            slowest = max(slowest, spent)
            for fault in wrong:
                line = f"{name}: {fault}"
                done.failed.append(line)
                report(line)
    finally:
        pool.terminate()
    done.remark = f"gaps, momentum, energy; slowest {slowest:.0f} s"
    return done


def main(count: int = 200, first: int = 0, limit: float = LIMIT) -> None:
    done = soak(count, 1, lambda line: print(line, flush=True), limit, first)
    print(f"{done.tried} piles, {len(done.failed)} faults; {done.remark}")
    sys.exit(bool(done.failed))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
