"""The models that the benchmarks move. Each function gives a fresh lv.Model."""

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
    """n tumbling bodies in free fall that do not know of each other."""
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
    """About n boxes in a square net, each joined to its neighbours by springs, hung by one edge."""
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
