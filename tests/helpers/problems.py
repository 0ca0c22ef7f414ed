"""The problems that the tests of order and invariants read: forced motions without a closed solution.

Every body has an inertia tensor without symmetry and a frame that is neither principal nor at the centre of mass.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import livens as lv

G = (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class Problem:
    """A model, how long to follow it, and in how many steps a scheme of order 6 begins to show its order."""

    build: Callable[[], lv.Model]
    until: float  # [s]
    steps: int
    conservative: bool = True

    @property
    def name(self):
        return self.build.__name__


def lopsided(seed, mass=2.0, size=0.3):
    """Mass properties of a random cloud of points: every product of inertia differs from zero."""
    rng = np.random.default_rng(seed)
    r = rng.normal(size=(6, 3)) * size * (1.0, 0.6, 0.3)
    c = r.mean(axis=0)
    E = mass / 6 * (r - c).T @ (r - c)
    return lv.MassProperties(mass, np.trace(E) * np.eye(3) - E, center=c + rng.normal(size=3) * 0.1)


def turned(seed):
    """A random rotation matrix."""
    return lv.Pose.from_quaternion(np.random.default_rng(seed).normal(size=4)).B


def hung():
    """One body on three springs in gravity, one of them of rest length zero."""
    m = lv.Model(gravity=G, name="hung")
    body = m.add(
        lv.Body(
            lopsided(1), at=(0.1, 0, -1), rotation=turned(2), velocity=(0.3, 0, 0.2), body_rates=(1, 2, -1), name="b"
        )
    )
    m.add(lv.Spring(m.world.point(0, 0, 0), body.point(0.3, 0.1, 0), stiffness=60, length=0.5))
    m.add(lv.Spring(m.world.point(1, 0, 0), body.point(-0.3, 0.2, 0.1), stiffness=40, length=0.4))
    m.add(lv.Spring(body.point(0, -0.2, 0.2), m.world.point(0, 1, -1), stiffness=30, length=0.0))
    return m


def orbit():
    """Two bodies on an ellipse about each other, tumbling freely."""
    m = lv.Model(name="orbit")
    m.add(lv.Body(lopsided(3, mass=3.0), body_rates=(0.5, -1, 1.5), rotation=turned(4), name="sun"))
    m.add(lv.Body(lopsided(5, mass=1.0), at=(1, 0, 0.1), velocity=(0, 1.8, 0.2), body_rates=(1, 1, 0.5), name="earth"))
    m.add(lv.Attraction(G=1.0))
    return m


def driven():
    """A thruster that turns with the body, a wind that does not, a torque that does; all vary with time."""
    m = lv.Model(gravity=G, name="driven")
    ship = m.add(lv.Body(lopsided(6), velocity=(0, 0, 3), body_rates=(0.3, 0.5, -0.2), rotation=turned(7), name="ship"))
    m.add(lv.Load(ship.point(0.2, -0.1, 0.3), force=lambda t: (np.sin(3 * t), 0.5, np.cos(2 * t)), axes="body"))
    m.add(lv.Load(ship.point(-0.1, 0.2, 0), force=lambda t: (1.0, np.cos(4 * t), t)))
    m.add(lv.Load(ship.center, torque=lambda t: (0.1 * t, 0.2 * np.sin(5 * t), 0.1), axes="body"))
    return m


def network():
    """Three bodies, a thin rod and a point mass joined by springs, hung from the world."""
    m = lv.Model(gravity=G, name="network")
    one = m.add(lv.Body(lopsided(8), at=(0, 0, -1), rotation=turned(9), body_rates=(1, 0, 1), name="one"))
    two = m.add(lv.Body(lopsided(10, mass=1.0), at=(0.8, 0, -1.2), rotation=turned(11), name="two"))
    rod = m.add(lv.Body(lv.MassProperties(1.0, (0, 0.2, 0.2)), at=(0.5, 0.5, -2), body_rates=(0, 1, -2), name="rod"))
    dot = m.add(lv.Body(lv.MassProperties(0.5, (0, 0, 0)), at=(0, 0.5, -3), velocity=(1, 0, 0), name="dot"))
    m.add(lv.Spring(m.world.point(0, 0, 0), one.point(0.2, 0, 0.1), stiffness=80, length=0.6))
    m.add(lv.Spring(one.point(-0.2, 0.1, 0), two.point(0, 0.2, 0.1), stiffness=50, length=0.5))
    m.add(lv.Spring(two.point(0.1, -0.2, 0), rod.point(0.5, 0, 0), stiffness=50, length=0.5))
    m.add(lv.Spring(rod.point(-0.5, 0, 0), dot.point(0, 0, 0), stiffness=20, length=0.5))
    m.add(lv.Spring(m.world.point(1, 0, 0), two.point(0, 0, 0), stiffness=40, length=0.5))
    return m


PROBLEMS = (
    Problem(hung, until=1.0, steps=50),
    Problem(orbit, until=2.0, steps=20),
    Problem(driven, until=1.0, steps=12, conservative=False),
    Problem(network, until=0.5, steps=25),
)


def name(problem):
    return problem.name
