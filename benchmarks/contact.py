"""Contact beside MuJoCo, in one run: python -m benchmarks.contact [small].

    ball      bounces twice on a plane, e = 0.8: largest error of the height against the closed form [m]
    incline   a box just below the angle of friction: distance that it moves in 2 s [m]
    stack     ten boxes at rest: largest displacement in 5 s [m]
    pile      boxes and balls that fall on a plane: largest penetration [m], by MuJoCo's distances

The last column is the largest residual of a contact problem of livens, where one was not solved to round-off.

MuJoCo runs with its default contact (soft, elliptic cones and Newton solver for the incline) and the same step. It has
no restitution, so its ball has the stiffness and damping that give e = 0.8 for a fall from 1 m.
Times are processor times of the steps, without compilation of code and model; both programs use one thread.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

import livens as lv
from livens.record.contacts import totals

from .table import markdown

G, E = 9.81, 0.8
SIZES = {
    "small": {"stack": 1.0, "piles": [(8, 0.5)]},
    "full": {"stack": 5.0, "piles": [(20, 2.0), (100, 0.5)]},
}  # seconds of the stack; bodies and seconds of the piles


class Outcome(NamedTuple):
    """One program on one problem: an error [m], penetration [m], time for each step [µs], and residual [m/s]."""

    error: float
    penetration: float
    step: float
    residual: float


class Scene(NamedTuple):
    """A problem for both programs."""

    name: str
    h: float
    until: float
    bodies: list[tuple[str, tuple[float, ...], np.ndarray, np.ndarray]]  # kind, size, position, rotation
    normal: np.ndarray  # of the plane through the origin
    friction: float
    restitution: float = 0.0

    def livens(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
        """Times, positions (times, bodies, 3), rotations, seconds, and the largest residual [m/s]."""
        m = lv.Model(gravity=(0, 0, -G), name=self.name)
        for k, (kind, size, x, R) in enumerate(self.bodies):
            shape = lv.Ball(size[0], mass=1.0) if kind == "sphere" else lv.Box(*(2.0 * np.array(size)), mass=1.0)
            m.add(lv.Body(shape, at=x, rotation=R, name=f"body {k}"))
        plane = m.world.plane((0, 0, 0), normal=self.normal)
        m.add(lv.Contacts([plane], friction=self.friction, restitution=self.restitution))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = lv.prepare(m, h=self.h)
            begin = time.process_time()
            motion = run(self.until)
        spent = time.process_time() - begin
        x, R = (np.array([ask(body) for body in m.bodies[1:]]) for ask in (motion.position, motion.rotation))
        seen = totals(motion)
        return motion.t, x.swapaxes(0, 1), R.swapaxes(0, 1), spent, seen.residual if seen else 0.0

    def mujoco(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
        """The same."""
        m = self.compiled()
        d = mujoco.MjData(m)
        steps = round(self.until / self.h)
        x, R = np.zeros((steps + 1, len(self.bodies), 3)), np.zeros((steps + 1, len(self.bodies), 3, 3))
        mujoco.mj_forward(m, d)
        spent = 0.0
        for k in range(steps + 1):
            x[k], R[k] = d.xpos[1:], d.xmat[1:].reshape(-1, 3, 3)
            begin = time.process_time()
            mujoco.mj_step(m, d)
            spent += time.process_time() - begin
        return self.h * np.arange(steps + 1), x, R, spent, np.nan

    def compiled(self) -> mujoco.MjModel:
        def words(x: np.ndarray) -> str:
            return " ".join(repr(float(c)) for c in x)

        n = self.normal
        turn = Rotation.align_vectors([n], [[0, 0, 1]])[0].as_quat()
        bounce = f'solref="-20000 {-2.0 * float(np.sqrt(20000.0)) * damping(E)!r}"' if self.restitution else ""
        look = f'friction="{self.friction} 0 0" {bounce}'
        bodies = "".join(
            f'<body pos="{words(x)}" quat="{words(np.roll(Rotation.from_matrix(R).as_quat(), 1))}"><freejoint/>'
            f'<geom type="{kind}" size="{words(np.array(size))}" mass="1" {look}/></body>'
            for kind, size, x, R in self.bodies
        )
        return mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="{self.h}" cone="elliptic"/><worldbody>'
            f'<geom type="plane" size="1 1 1" quat="{words(np.roll(turn, 1))}" {look}/>{bodies}</worldbody></mujoco>'
        )

    def penetration(self, x: np.ndarray, R: np.ndarray) -> float:
        """The largest depth at one state, by MuJoCo's contacts."""
        m = self.compiled()
        d = mujoco.MjData(m)
        for k in range(len(self.bodies)):
            d.qpos[7 * k : 7 * k + 3] = x[k]
            d.qpos[7 * k + 3 : 7 * k + 7] = np.roll(Rotation.from_matrix(R[k]).as_quat(), 1)
        mujoco.mj_forward(m, d)
        return max([0.0, *(-contact.dist for contact in d.contact)])


def damping(e: float) -> float:
    """The damping ratio of a linear oscillator that leaves after half a period with e times its speed."""
    log = np.log(e)
    return float(-log / np.sqrt(np.pi**2 + log**2))


def ball() -> Scene:
    return Scene(
        "ball", 1e-3, 1.5, [("sphere", (0.1,), np.array([0, 0, 1.1]), np.eye(3))], np.array([0, 0, 1.0]), 0.0, E
    )


def ball_error(t: np.ndarray, x: np.ndarray) -> float:
    fall = np.sqrt(2.0 / G)
    hits = fall * np.array([1.0, 1.0 + 2.0 * E, 1.0 + 2.0 * E + 2.0 * E * E])
    z = 1.0 - 0.5 * G * t**2
    for k in range(2):
        s = t - hits[k]
        z = np.where(s > 0.0, E ** (k + 1) * G * fall * s - 0.5 * G * s**2, z)
    return float(np.abs(x[:, 0, 2] - 0.1 - z)[t < hits[2]].max())


def incline(slope: float = 0.3) -> Scene:
    n = np.array([-np.sin(slope), 0.0, np.cos(slope)])
    R = Rotation.from_rotvec([0.0, -slope, 0.0]).as_matrix()
    return Scene("incline", 2e-3, 2.0, [("box", (0.1, 0.1, 0.05), 0.05 * n, R)], n, float(np.tan(slope) + 1e-3))


def stack(until: float) -> Scene:
    rng = np.random.default_rng(3)
    boxes = [("box", (0.5, 0.5, 0.5), np.array([*rng.uniform(-0.05, 0.05, 2), 0.5 + k]), np.eye(3)) for k in range(10)]
    return Scene("stack of ten", 5e-3, until, boxes, np.array([0, 0, 1.0]), 0.5)


def pile(count: int, until: float) -> Scene:
    rng = np.random.default_rng(5)
    side = int(np.ceil(np.sqrt(count / 3)))
    bodies = []
    for k in range(count):
        place = np.array([k % side, k // side % side, 0.6 + k // side**2], dtype=float) * 0.6
        turn = Rotation.random(random_state=rng).as_matrix()
        kind, size = ("sphere", (0.15,)) if k % 2 else ("box", tuple(rng.uniform(0.1, 0.15, 3)))
        bodies.append((kind, size, place + 0.05 * rng.normal(size=3) * (1, 1, 0), turn))
    return Scene(f"pile of {count}", 5e-3, until, bodies, np.array([0, 0, 1.0]), 0.5)


def moved(_: np.ndarray, x: np.ndarray) -> float:
    return float(np.linalg.norm(x - x[0], axis=2).max())


def energy_gain(_: np.ndarray, x: np.ndarray) -> float:
    """How far the centre of mass rises above its start [m]: it should not."""
    z = x[:, :, 2].mean(axis=1)
    return float((z - z[0]).max())


def compare(scene: Scene, error: Callable[[np.ndarray, np.ndarray], float]) -> dict[str, Outcome]:
    """Both programs on one scene."""
    found = {}
    for program, run in (("livens", scene.livens), ("MuJoCo", scene.mujoco)):
        if len(scene.bodies) <= 100:
            run()  # compiled code, caches
        t, x, R, seconds, residual = run()
        deepest = max(scene.penetration(x[k], R[k]) for k in np.linspace(0, len(t) - 1, 40).astype(int))
        found[program] = Outcome(error(t, x), deepest, 1e6 * seconds / (len(t) - 1), residual)
    return found


def problems(size: str) -> list[tuple[Scene, Callable[[np.ndarray, np.ndarray], float], str]]:
    s = SIZES[size]
    return [
        (ball(), ball_error, "error of the height"),
        (incline(), moved, "moved in 2 s"),
        (stack(s["stack"]), moved, f"moved in {s['stack']:g} s"),
        *((pile(count, until), energy_gain, "rise of the centre of mass") for count, until in s["piles"]),
    ]


def rows(size: str) -> list[list[str]]:
    """The table of all problems."""
    found = []
    for scene, error, meaning in problems(size):
        for program, one in compare(scene, error).items():
            rest = "" if np.isnan(one.residual) else f"{one.residual:.0e} m/s"
            numbers = f"{one.error:.1e} m", f"{one.penetration:.1e} m", f"{one.step:.0f} µs", rest
            found.append([scene.name, program, meaning, *numbers])
    return found


def main(size: str = "full") -> None:
    print(markdown(["problem", "program", "error", "", "penetration", "time of a step", "residual"], rows(size)))


if __name__ == "__main__":
    main(*sys.argv[1:])
