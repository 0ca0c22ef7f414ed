"""The figures of docs/limits.md that take longer than a page may: `python -m benchmarks.limits`.

Each function measures one row of its overview and returns a table (head, rows). The test suite calls them with small
sizes (tests/benchmarks/test_limits.py).
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

import livens as lv

from .table import markdown

GRAVITY = 9.81


class Table(NamedTuple):
    """A table with its title."""

    title: str
    head: list[str]
    rows: list[list[object]]

    def __str__(self) -> str:
        return f"{self.title}\n\n{markdown(self.head, self.rows)}\n"


def dampers(ratios: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0, 1e3, 1e6), scheme: lv.Livens | None = None) -> Table:
    """A mass falls from rest along a damper: v = (g m/c)(1 − e^(−ct/m)) exactly. h = 10 ms, one second."""
    rows: list[list[object]] = []
    for ratio in ratios:
        h, mass = 0.01, 1.0
        c = ratio * mass / h
        m = lv.Model(gravity=(0, 0, -GRAVITY))
        ball = m.add(lv.Body(lv.PointMass(mass), at=(0, 0, -1), name="ball"))
        m.add(lv.Damper(m.world.point(0, 0, 0), ball.center, rate=c))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lv.ModelWarning)
            motion = lv.simulate(m, scheme or lv.Livens(), h=h, until=1.0)
        steady = GRAVITY * mass / c
        exact = steady * (1.0 - mass / c * (1.0 - np.exp(-c / mass)))
        fallen = -1.0 - motion.position(ball)[-1, 2]
        v = motion.velocity(ball)[-3:, 2]
        rows.append(
            [f"{ratio:g}", f"{abs(fallen / exact - 1.0):.0e}", f"{abs(v[0] - 2.0 * v[1] + v[2]) / (4.0 * steady):.0e}"]
        )
    return Table("Dampers", ["hc/m", "error of the distance", "velocity alternates by"], rows)


def _bent(m: lv.Model, bend: float) -> lv.Body:
    """A light bar of 1 m, 1 kg, that hangs on the world and is bent from the vertical by `bend` [rad]."""
    turn = lv.Pose.from_axis_angle((0, 1, 0), bend).B
    bar = m.add(lv.Body(lv.Box(0.1, 0.1, 1.0, mass=1.0), at=turn @ (0, 0, -0.5), rotation=turn, name="bar"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(0, 0, 0.5), axis=(0, 1, 0), name="shoulder"))
    return bar


def heavy_point(ratio: float, bend: float = 0.1) -> lv.Model:
    """A point mass of `ratio` kg on a massless rod of 1 m below the bar."""
    m = lv.Model(gravity=(0, 0, -GRAVITY), name="heavy point")
    bar = _bent(m, bend)
    end = bar.point(0, 0, -0.5)
    weight = m.add(lv.Body(lv.PointMass(ratio), at=end.start - np.array([0.0, 0.0, 1.0]), name="weight"))
    m.add(lv.Rod(end, weight.center, name="rod"))
    return m


def heavy_bar(ratio: float, bend: float = 0.1) -> lv.Model:
    """A bar of `ratio` kg below the bar."""
    m = lv.Model(gravity=(0, 0, -GRAVITY), name="heavy bar")
    bar = _bent(m, bend)
    end = bar.point(0, 0, -0.5)
    weight = m.add(lv.Body(lv.Box(0.1, 0.1, 1.0, mass=ratio), at=end.start - np.array([0.0, 0.0, 0.5]), name="weight"))
    m.add(lv.Revolute(end, weight.point(0, 0, 0.5), axis=(0, 1, 0), name="elbow"))
    return m


def mass_ratios(
    ratios: tuple[float, ...] = (1e-6, 1e-3, 1.0, 1e2, 1e3, 1e4, 1e6, 1e9), steps: tuple[float, ...] = (1e-3, 1e-4)
) -> Table:
    """A second body below a bar, bent by 0.1 rad, one second: the range of the energy, or that the run stops."""
    rows: list[list[object]] = []
    for ratio in ratios:
        found: list[object] = [f"{ratio:.0e}"]
        for build in (heavy_bar, heavy_point):
            for h in steps:
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", lv.ModelWarning)
                        motion = lv.simulate(build(ratio), h=h, until=1.0)
                    found.append(f"{motion.report().energy_band:.0e}")
                except lv.StepFailed as error:
                    found.append(f"stops at {error.trajectory.t[-1]:.2g} s")
        rows.append(found)
    head = ["ratio", *(f"{what}, h = {h:g} s" for what in ("bar", "point on a rod") for h in steps)]
    return Table("Mass ratios", head, rows)


def distances(lengths: tuple[float, ...] = (0.0, 1.0, 1e3, 1e6), until: float = 1.0) -> Table:
    """A double pendulum that far from the origin: the largest violation of a joint [m]."""
    rows: list[list[object]] = []
    for far in lengths:
        m = lv.Model(gravity=(0, 0, -GRAVITY))
        offset = far * np.array([0.36, -0.48, 0.8])
        before, where = m.world, offset
        for k in range(2):
            at = offset + np.array([0.5 + k, 0.0, 0.0])
            bar = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, mass=1.0), at=at, name=f"bar{k}"))
            m.add(lv.Revolute(before.point_at(where), bar.point_at(where), axis=(0, 1, 0)))
            before, where = bar, offset + np.array([1.0 + k, 0.0, 0.0])
        motion = lv.simulate(m, h=1e-3, until=until)
        rows.append([f"{far:g}", f"{motion.defect_position.max():.0e}", f"{motion.report().energy_band:.0e}"])
    return Table("Joints far from the origin", ["distance [m]", "violation [m]", "energy error"], rows)


def bouncing(h: float, steps: int, parts: int = 10) -> np.ndarray:
    """The least and largest E/E₀ of each part of a run: 1 kg bounces on a stop of 10⁵ N/m, ω = 316 rad/s."""
    m = lv.Model(gravity=(0, 0, -GRAVITY))
    ball = m.add(lv.Body(lv.Box(0.1, 0.1, 0.1, mass=1.0), at=(0, 0, 0.5), name="ball"))
    m.add(
        lv.Prismatic(m.world.point(0, 0, 0.5), ball.point(0, 0, 0), axis=(0, 0, 1), limits=(-0.5, np.inf),
                     limit_stiffness=1e5, name="guide")
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        motion = lv.simulate(m, h=h, until=h * steps, every=max(1, steps // 20_000))
    energy = motion.energy / motion.energy[0]  # 4.9 J; it is zero for a ball at rest at the stop
    return np.array([[part.min(), part.max()] for part in np.array_split(energy, parts)])


def stops(steps: int = 30_000_000) -> Table:
    """Energy of a ball that bounces on a stop, relative to its first, by tenths of the run."""
    rows: list[list[object]] = []
    for h in (1e-3, 2e-4):
        ranges = bouncing(h, steps)
        rows.append(
            [f"{h:g}", f"{h * np.sqrt(1e5):.2f}", f"{h * steps:g}", f"{ranges[0][0]:.3f} to {ranges[0][1]:.3f}",
             f"{ranges[:, 0].min():.3f} to {ranges[:, 1].max():.3f}"]
        )  # fmt: skip
    return Table("Stops of joints", ["h [s]", "hω", "time [s]", "E/E₀, first tenth", "E/E₀, all"], rows)


def slender(ratios: tuple[float, ...] = (1.0, 1e-2, 1e-4, 1e-6, 1e-9, 1e-12), until: float = 3.0) -> Table:
    """A free symmetric rod with the least moment `ratio` of the others at the automatic step: error of its rotation."""
    schemes = (lv.Livens(2), lv.Livens(6), lv.RungeKutta(4), lv.RungeKutta(8))
    rows: list[list[object]] = []
    for ratio in ratios:
        found: list[object] = [f"{ratio:.0e}"]
        for scheme in schemes:
            m = lv.Model()
            rates = np.array([2.0, 0.5, 1.0])
            rod = m.add(lv.Body(lv.MassProperties(1.0, (1.0, 1.0, ratio)), body_rates=rates, name="rod"))
            motion = lv.simulate(m, scheme, h="auto", until=until)
            found.append(f"{np.abs(motion.rotation(rod)[-1] - _symmetric(ratio, rates, until)).max():.0e}")
        rows.append(found)
    return Table("Slender bodies", ["ratio of moments", *map(repr, schemes)], rows)


def _symmetric(ratio: float, rates: np.ndarray, t: float) -> np.ndarray:
    """The rotation at t of a body with moments (1, 1, ratio): about L at |L|, and about its axis at (1 − ratio) ω₃."""
    L = np.array([1.0, 1.0, ratio]) * rates
    about = lv.Pose.from_axis_angle(L / np.linalg.norm(L), np.linalg.norm(L) * t).B
    return np.asarray(about @ lv.Pose.from_axis_angle((0, 0, 1), (1.0 - ratio) * rates[2] * t).B)


TABLES = (slender, dampers, mass_ratios, distances, stops)

if __name__ == "__main__":
    for table in TABLES:
        print(table(), flush=True)
