"""Random prescribed motions: trees of bodies on driven joints, against their kinematics in closed form.

Every joint of a tree is driven, so that the motion is known: a joint moves its body, and all that hang on it, by a
screw S(q) about its axis in the world at the start,

    Dₖ(t) = D_parent(t) Sₖ(qₖ(t)),        pose of body k  =  Dₖ(t) (pose at the start).                              (1)

Energy follows from (1) and its differences, reactions from Newton's and Euler's equations of the bodies beyond a joint,
and the work of the drives is the change of energy. Trees, joints, signals, orientation, units and scheme are random; a
part of the signals has kinks, at which work is done by impulses. `python -m benchmarks.prescribed 500` prints the
motions that differ.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.interpolate import CubicSpline, make_interp_spline
from scipy.spatial.transform import Rotation

import livens as lv

from .counts import Count

SPAN = 2.0  # of a run, in units of time
STEPS = 200
KINKS = 0.03  # energy error that is allowed where signals have kinks, relative to the largest energy exchanged
SPACING = 2e-3  # of the differences, in units of time
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])


class Signal(NamedTuple):
    """A drive, and the same as a plain function of time; the times of its kinks, and of its knots [s]."""

    kind: str
    drive: Callable[[float], float]
    value: Callable[[float], float]
    kinks: tuple[float, ...] = ()
    knots: tuple[float, ...] = ()  # where a higher derivative jumps


class Units(NamedTuple):
    """Units of length, mass and time."""

    m: float
    kg: float
    s: float

    @property
    def J(self) -> float:
        return self.kg * self.m**2 / self.s**2

    @property
    def N(self) -> float:
        return self.kg * self.m / self.s**2


# ── signals ──


def smooth_signal(rng: Generator, size: float, s: float) -> Signal:
    """A sum of two sines that begins at zero, in one of the forms of a smooth signal; it changes by about `size`."""
    a, b = size * rng.normal(size=2)
    u, v = rng.uniform(0.5, 3.0, 2) / s

    def value(t: float) -> float:
        return float(a * np.sin(u * t) + b * (1.0 - np.cos(v * t)))

    kind = str(rng.choice(["expression", "function", "cubic", "quintic", "polynomial"]))
    knots = np.linspace(-0.5 * s, (SPAN + 0.5) * s, 41)
    table = np.array([value(t) for t in knots])
    match kind:
        case "expression":
            return Signal(kind, lv.Expression("a*sin(u*t) + b*(1 - cos(v*t))", a=a, b=b, u=u, v=v), value)
        case "function":
            return Signal(kind, value, value)
        case "cubic" | "quintic":
            spline = CubicSpline(knots, table) if kind == "cubic" else make_interp_spline(knots, table, k=5)
            return Signal(kind, moved := _from_zero(spline), moved, knots=tuple(knots.tolist()))
        case _:
            c = np.concatenate([[0.0], size * rng.normal(size=4) / s ** np.arange(1, 5) / [1, 2, 6, 24]])
            made = np.polynomial.Polynomial(c)
            return Signal(kind, made, made)


def _from_zero(spline: Any) -> Any:
    """The spline less its value at t = 0, as an object of the same class."""
    zero = float(spline(0.0))
    if isinstance(spline, CubicSpline):
        spline.c[-1] -= zero
    else:
        spline.c -= zero  # the functions of a basis sum to one
    return spline


def kinked_signal(rng: Generator, size: float, s: float, h: float) -> Signal:
    """A polygon that begins at zero; its kinks are at ends of steps or between them."""
    at = (np.arange(3) + rng.uniform(0.1, 0.9, 3)) * SPAN * s / 3.0
    at = h * np.round(at / h) if rng.integers(2) else at
    rates = 0.5 * size * rng.normal(size=4) / s
    knots = np.array([0.0, *at, (SPAN + 1.0) * s])
    table = np.concatenate([[0.0], np.cumsum(rates * np.diff(knots))])

    def value(t: float) -> float:
        return float(np.interp(t, knots, table))

    kinks = tuple(at.tolist())
    match kind := str(rng.choice(["ramps", "choice", "interp", "linear spline"])):
        case "ramps":
            text = "r*t" + "".join(f" + c{k}*max(0, t - t{k})" for k in range(3))
            numbers = {f"c{k}": rates[k + 1] - rates[k] for k in range(3)} | {f"t{k}": at[k] for k in range(3)}
            return Signal(kind, lv.Expression(text, r=rates[0], **numbers), value, kinks)
        case "choice":
            text = "where(t < a, r*t, r*a + p*(t - a)) + 0.5*c*(abs(t - b) - b + t)"
            return Signal(
                kind,
                made := lv.Expression(text, a=at[0], b=at[1], r=rates[0], p=rates[1], c=rates[2]),
                lambda t: float(made(t)),
                kinks[:2],
            )
        case "interp":
            return Signal(kind, value, value, kinks)
        case _:
            return Signal(kind, make_interp_spline(knots, table, k=1), value, kinks)


# ── trees ──


class Branch(NamedTuple):
    """A body, its joint and the signal that drives it."""

    parent: int  # number of the branch it hangs on; −1 for the world
    angular: float  # of the screw per unit of its coordinate: 1, or 0 for a displacement
    along: float  # displacement of the screw per unit of its coordinate
    axis: np.ndarray
    at: np.ndarray  # a point of the axis
    signal: Signal
    matter: lv.MassProperties
    pose: lv.Pose
    joint: str


class Tree(NamedTuple):
    """A model, what is known of it, and how it is run."""

    model: lv.Model
    branches: list[Branch]
    units: Units
    scheme: Any
    h: float
    text: str


def draw(seed: int) -> Tree:
    """A random tree with its model."""
    rng = np.random.default_rng(seed)
    units = Units(*10.0 ** rng.uniform(-3, 3, 3))
    h = SPAN * units.s / STEPS
    kinked = bool(rng.integers(2))
    alpha = lv.GeneralizedAlpha(0.8) if seed % 2 else lv.Newmark()
    schemes = [lv.Livens(), lv.Livens(4), lv.Livens(6), lv.RungeKutta(4), lv.RungeKutta(8), alpha]
    scheme = schemes[rng.integers(len(schemes))]
    m = lv.Model(gravity=units.m / units.s**2 * rng.normal(size=3), name=f"tree {seed}")
    branches: list[Branch] = []
    bodies = [m.world]
    for k in range(int(rng.integers(1, 5))):
        parent = int(rng.integers(-1, k))
        rotation = Rotation.random(random_state=rng).as_matrix()
        at = units.m * rng.normal(size=3)
        L = units.m * rng.uniform(0.2, 1.0, 3)
        mass = units.kg * rng.uniform(0.5, 3.0)
        moments = mass * np.array([L[1] ** 2 + L[2] ** 2, L[0] ** 2 + L[2] ** 2, L[0] ** 2 + L[1] ** 2]) / 12.0
        turn = Rotation.random(random_state=rng).as_matrix()
        matter = lv.MassProperties(mass, turn @ np.diag(moments) @ turn.T, center=0.3 * units.m * rng.normal(size=3))
        body = m.add(lv.Body(matter, at=at, rotation=rotation, name=f"body {k}"))
        kind = str(rng.choice(["Revolute", "Prismatic", "Screw"]))
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        foot = units.m * rng.normal(size=3)
        pitch = units.m * rng.uniform(0.1, 0.5)
        angular, along = {"Revolute": (1.0, 0.0), "Prismatic": (0.0, 1.0), "Screw": (1.0, pitch / (2.0 * np.pi))}[kind]
        size = units.m if kind == "Prismatic" else 1.0
        signal = kinked_signal(rng, size, units.s, h) if kinked else smooth_signal(rng, size, units.s)
        options = {"pitch": pitch} if kind == "Screw" else {}
        ends = bodies[parent + 1].point_at(foot), body.point_at(foot)
        m.add(getattr(lv, kind)(*ends, axis=axis, drive=signal.drive, name=f"joint {k}", **options))
        bodies.append(body)
        branches.append(Branch(parent, angular, along, axis, foot, signal, matter, body.pose, kind))
    text = ", ".join(f"{b.joint} {b.signal.kind} on {b.parent}" for b in branches)
    return Tree(m, branches, units, scheme, h, f"{text}; {scheme!r}, units {units.m:.1e} {units.kg:.1e} {units.s:.1e}")


def poses(tree: Tree, t: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """(1): the centre of mass and the rotation of each body at t."""
    moved: list[tuple[np.ndarray, np.ndarray]] = []
    found = []
    for b in tree.branches:
        q = b.signal.value(t)
        R = Rotation.from_rotvec(b.angular * q * b.axis).as_matrix()
        x = b.at - R @ b.at + b.along * q * b.axis
        if b.parent >= 0:
            R0, x0 = moved[b.parent]
            R, x = R0 @ R, x0 + R0 @ x
        moved.append((R, x))
        found.append((R @ (b.pose.a + b.pose.B @ b.matter.center) + x, R @ b.pose.B))
    return found


class Known(NamedTuple):
    """What is known at one time: energy, and force and torque about its point of each joint on its body."""

    energy: float
    force: np.ndarray
    torque: np.ndarray


def known(tree: Tree, t: float) -> Known:
    """Energy and reactions at t from differences of (1) and from Newton's and Euler's equations."""
    step = SPACING * tree.units.s
    near = [poses(tree, t + k * step) for k in range(-4, 5)]
    n = len(tree.branches)
    energy, gravity = 0.0, tree.model.gravity
    force, torque = np.zeros((n, 3)), np.zeros((n, 3))
    here = [(x.copy(), B.copy()) for x, B in near[4]]
    D = [(B @ b.pose.B.T, x - B @ b.pose.B.T @ (b.pose.a + b.pose.B @ b.matter.center))
         for (x, B), b in zip(here, tree.branches, strict=True)]  # fmt: skip
    place = [R @ b.at + x for (R, x), b in zip(D, tree.branches, strict=True)]
    for k, b in enumerate(tree.branches):
        x = np.array([pose[k][0] for pose in near])
        B = np.array([pose[k][1] for pose in near])
        v, a = FIRST @ x / step, SECOND @ x / step**2
        dB, ddB = np.tensordot(FIRST, B, 1) / step, np.tensordot(SECOND, B, 1) / step**2
        W = here[k][1].T @ dB  # ω̂ in body axes
        w = 0.5 * np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]])
        A = here[k][1].T @ ddB
        dw = 0.5 * np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])
        J = b.matter.inertia
        energy += 0.5 * b.matter.mass * v @ v + 0.5 * w @ J @ w - b.matter.mass * gravity @ here[k][0]
        F = b.matter.mass * (a - gravity)
        M = here[k][1] @ (J @ dw + np.cross(w, J @ w))
        up = k
        while up >= 0:  # every joint between the body and the world carries it
            force[up] += F
            torque[up] += M + np.cross(here[k][0] - place[up], F)
            up = tree.branches[up].parent
    return Known(energy, force, torque)


# ── comparison ──


def examine(seed: int) -> list[str]:
    """Lines about what differs in the motion of a random tree; none if all agrees."""
    tree = draw(seed)
    units, h = tree.units, tree.h
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*initial velocities", category=lv.ModelWarning)
        try:
            motion = lv.simulate(tree.model, tree.scheme, h=h, until=SPAN * units.s)
        except lv.StepFailed:  # the iteration of α methods may need a shorter step at a kink, and its message says so
            if tree.scheme.conserves_energy:
                raise
            motion = lv.simulate(tree.model, tree.scheme, h=h / 4, until=SPAN * units.s, every=4)
    kinks = np.array([t for b in tree.branches for t in b.signal.kinks])
    corners = np.array([-np.inf, *kinks, *(t for b in tree.branches for t in b.signal.knots)])
    smooth = np.abs(motion.t[:, None] - corners).min(axis=1) > 5.0 * SPACING * units.s
    steps = np.flatnonzero(smooth)[STEPS // 20 :: STEPS // 7].tolist()
    found = []

    def compare(what: str, off: float, size: float, allowed: float) -> None:
        if not off <= allowed * size:
            found.append(f"seed {seed}: {what} differs by {off / size:.1e} (allowed {allowed:.1e}): {tree.text}")

    all_known = {k: known(tree, float(motion.t[k])) for k in steps}
    E = np.array([all_known[k].energy for k in steps])
    scale = max(np.ptp(E), float(motion.kinetic.max()), 1e-3 * units.J)
    for k in steps:
        far = max(1.0, *(np.abs(x).max() / units.m for x, _ in poses(tree, float(motion.t[k]))))
        for body, (x, B) in zip(tree.model.bodies[1:], poses(tree, float(motion.t[k])), strict=True):
            compare("position", np.abs(motion.position(body.center)[k] - x).max(), units.m * far, 1e-9)
            compare("rotation", np.abs(motion.rotation(body)[k] - B).max(), 1.0, 1e-9)
        forces = max(units.N, np.abs(all_known[k].force).max())
        torques = max(units.N * units.m, np.abs(all_known[k].torque).max(), forces * units.m)
        called = any(b.signal.kind in ("function", "interp") for b in tree.branches)  # accelerations by differences
        by_differences = 1e-5 if called else 1e-6
        for j in range(len(tree.branches)):
            F, M = motion.reaction(f"joint {j}")[k], motion.reaction_torque(f"joint {j}")[k]
            compare("reaction", np.abs(F - all_known[k].force[j]).max(), forces, by_differences)
            compare("torque", np.abs(M - all_known[k].torque[j]).max(), torques, by_differences)
    compare("energy", np.abs(motion.energy[steps] - E).max(initial=0.0), max(scale, np.abs(E).max()), 1e-7)
    balance, allowed = np.ptp(motion.energy - motion.work), KINKS if len(kinks) else balance_error(tree.scheme)
    if len(kinks) and balance > allowed * scale:  # of order h at a kink between two states
        finer = lv.simulate(tree.model, tree.scheme, h=h / 4, until=SPAN * units.s)
        balance, allowed = np.ptp(finer.energy - finer.work), KINKS / 2
    compare("energy balance", balance, scale, allowed)
    return found


def balance_error(scheme: Any) -> float:
    """The energy error that is allowed where signals are smooth: frequencies of up to 3 rad per unit of time, so h ω is
    0.03, and errors are of order h²; coefficients of schemes of higher order are no smaller."""
    return {2: 5e-3, 4: 1e-4}.get(scheme.order, 1e-4)


def soak(count: int, seed: int = 1, report: Callable[[str], None] = print) -> Count:
    """Examine `count` random trees."""
    faults = []
    for k in range(count):
        number = 100_000 * (seed - 1) + k
        try:
            lines = examine(number)
        except Exception as error:
            lines = [f"seed {number}: {error!r}: {draw(number).text}"]
        if lines:
            faults.append(lines[0])
            report(lines[0])
    return Count(count, faults, "kinematics in closed form, reactions by inverse dynamics, work of drives")


def main(count: int = 500) -> None:
    done = soak(count)
    print(f"{done.tried} motions, {len(done.failed)} differ")
    sys.exit(bool(done.failed))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
