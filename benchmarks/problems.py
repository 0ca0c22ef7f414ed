"""The models of the benchmarks. Each function returns a new lv.Model."""

from __future__ import annotations

import numpy as np

import livens as lv

GRAVITY = (0.0, 0.0, -9.81)


def free_body() -> lv.Model:
    """One asymmetric body near its unstable axis."""
    m = lv.Model(name="free body")
    m.add(lv.Body(lv.MassProperties(1.0, (1.0, 2.0, 3.0)), body_rates=(0.1, 2.0, 0.1), name="body"))
    return m


def swarm(n: int) -> lv.Model:
    """n independent tumbling bodies in free fall."""
    rng = np.random.default_rng(0)
    m = lv.Model(gravity=GRAVITY, name=f"{n} free bodies")
    for at, rates in zip(rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), strict=True):
        m.add(lv.Body(lv.MassProperties(1.0, (1.0, 2.0, 2.5)), at=at, body_rates=rates))
    return m


def hung_body() -> lv.Model:
    """One asymmetric body on three springs in gravity."""
    m = lv.Model(gravity=GRAVITY, name="body on springs")
    b = m.add(lv.Body(lv.Box(0.8, 0.5, 0.2, density=25.0), at=(0, 0, -1), body_rates=(0.3, 2.0, 0.1), name="body"))
    m.add(lv.Spring(m.world.point(0, 0, 0), b.point(0.4, 0.2, 0), stiffness=60.0, length=0.5))
    m.add(lv.Spring(m.world.point(1, 0, 0), b.point(-0.4, 0.1, 0.1), stiffness=40.0, length=0.4))
    m.add(lv.Spring(m.world.point(0, 1, -1), b.point(0, -0.2, 0.1), stiffness=30.0, length=0.0))
    return m


def net(n: int) -> lv.Model:
    """About n boxes in a square net, connected to their neighbours by springs, suspended at one edge."""
    side = max(2, round(np.sqrt(n)))
    m = lv.Model(gravity=GRAVITY, name=f"net of {side}×{side}")
    box = lv.Box(0.6, 0.4, 0.2, density=20.0)
    bodies = {}
    for i in range(side):
        for j in range(side):
            rates = (0.5 * np.sin(i + 2 * j), 0.5 * np.cos(2 * i - j), 0.3)
            bodies[i, j] = m.add(lv.Body(box, at=(i, 0.1 * np.sin(3 * i + j), -j), body_rates=rates))
    for (i, j), b in bodies.items():
        if j == 0:
            m.add(lv.Spring(m.world.point(i, 0, 1), b.point(0, 0, 0.1), stiffness=400.0, length=0.8))
        if (i + 1, j) in bodies:
            m.add(lv.Spring(b.point(0.3, 0, 0), bodies[i + 1, j].point(-0.3, 0, 0), stiffness=200.0, length=0.4))
        if (i, j + 1) in bodies:
            m.add(lv.Spring(b.point(0, 0, -0.1), bodies[i, j + 1].point(0, 0, 0.1), stiffness=200.0, length=0.7))
    return m


def orbit() -> lv.Model:
    """Two tumbling bodies that attract each other."""
    m = lv.Model(name="orbit")
    m.add(lv.Body(lv.MassProperties(3.0, (1.0, 2.0, 2.5)), body_rates=(0.5, -1.0, 1.5), name="sun"))
    m.add(
        lv.Body(
            lv.MassProperties(1.0, (0.1, 0.2, 0.25)),
            at=(1, 0, 0.1),
            velocity=(0, 1.8, 0.2),
            body_rates=(1.0, 1.0, 0.5),
            name="earth",
        )
    )
    m.add(lv.Attraction(G=1.0))
    return m


def fast_top() -> lv.Model:
    """A small body that spins fast and hangs on one spring."""
    m = lv.Model(gravity=GRAVITY, name="fast top")
    b = m.add(
        lv.Body(lv.MassProperties(2.0, (0.02, 0.03, 0.04)), at=(0.5, 0, -1), body_rates=(0.0, 1.0, 8.0), name="top")
    )
    m.add(lv.Spring(m.world.point(0, 0, 0), b.point(0, 0, 0.2), stiffness=300.0, length=0.8))
    return m


def chain(n: int) -> lv.Model:
    """n bars on ball joints, initially horizontal, suspended at one end."""
    m = lv.Model(gravity=GRAVITY, name=f"chain of {n}")
    bar = lv.Cylinder(0.05, 1.0, mass=1.0)
    end = m.world.point(0, 0, 0)
    along = lv.Pose.from_axis_angle((0, 1, 0), np.pi / 2).B  # the cylinder's axis along x
    for k in range(n):
        b = m.add(lv.Body(bar, at=(k + 0.5, 0, 0), rotation=along))
        m.add(lv.Spherical(end, b.point(0, 0, -0.5)))
        end = b.point(0, 0, 0.5)
    return m


def double_pendulum() -> lv.Model:
    """Two bars on ball joints."""
    return chain(2)


def four_bars(n: int) -> lv.Model:
    """n four-bar loops side by side (IFToMM A02), with hinges: three redundant constraints in every loop."""
    m = lv.Model(gravity=(0, -9.81, 0), name=f"{n} four-bars")
    crank, coupler = lv.MassProperties(1.0, (1 / 12, 1e-3, 1 / 12)), lv.MassProperties(1.0, (1e-3, 1 / 12, 1 / 12))
    cranks = []
    for k in range(n + 1):
        b = m.add(lv.Body(crank, at=(k, 0.5, 0), velocity=(0.5, 0, 0), angular_velocity=(0, 0, -1)))
        m.add(lv.Revolute(m.world.point(k, 0, 0), b.point(0, -0.5, 0), axis=(0, 0, 1)))
        cranks.append(b)
    for k in range(n):
        b = m.add(lv.Body(coupler, at=(k + 0.5, 1, 0), velocity=(1, 0, 0)))
        m.add(lv.Revolute(cranks[k].point(0, 0.5, 0), b.point(-0.5, 0, 0), axis=(0, 0, 1)))
        m.add(lv.Revolute(b.point(0.5, 0, 0), cranks[k + 1].point(0, 0.5, 0), axis=(0, 0, 1)))
    return m


def tree(leaves: int) -> lv.Model:
    """A binary tree of boxes on ball joints with that many leaves."""
    m = lv.Model(gravity=GRAVITY, name=f"tree with {leaves} leaves")
    box = lv.Box(0.2, 0.2, 1.0, mass=1.0)
    level = [m.world.point(0, 0, 0)]
    while True:
        bodies = []
        for end in level:
            at, rates = end.start - np.array([0, 0, 0.5]), (0.3 * len(bodies) / len(level), 0.2, 0)
            b = m.add(lv.Body(box, at=at, body_rates=rates))
            m.add(lv.Spherical(end, b.point(0, 0, 0.5)))
            bodies.append(b)
        if len(bodies) >= leaves:
            return m
        level = [b.point(x, 0, -0.5) for b in bodies for x in (-0.1, 0.1)][:leaves]


def grid(side: int) -> lv.Model:
    """side × side plates, connected to all neighbours by massless rods, suspended at one corner: many loops."""
    m = lv.Model(gravity=GRAVITY, name=f"grid of {side}×{side}")
    plate = lv.Box(0.5, 0.5, 0.05, mass=1.0)
    bodies = {(i, j): m.add(lv.Body(plate, at=(i, j, 0))) for i in range(side) for j in range(side)}
    for (i, j), b in bodies.items():
        if (i + 1, j) in bodies:
            m.add(lv.Rod(b.point(0.25, 0, 0), bodies[i + 1, j].point(-0.25, 0, 0)))
        if (i, j + 1) in bodies:
            m.add(lv.Rod(b.point(0, 0.25, 0), bodies[i, j + 1].point(0, -0.25, 0)))
    m.add(lv.Spherical(m.world.point(0, 0, 0), bodies[0, 0].point(0, 0, 0)))
    return m
