"""Bodies on springs: a plank with a ball, and a net of balls."""

from __future__ import annotations

import livens as lv

DOWN = (0.0, 0.0, -9.81)


def hang_plank() -> lv.Trajectory:
    """A plank hangs on two unequal springs, and a ball on a third below it.

    It bounces, swings and rocks at once, and the ball takes energy from it and gives it back: the shares wander without
    end, their sum stays within a narrow band.

    >>> kept = hang_plank().report()
    >>> kept.energy_band < 1e-5, abs(kept.energy_slope) < 1e-6
    (True, True)
    """
    model = lv.Model(gravity=DOWN, name="plank on springs")
    plank = model.add(lv.Body(lv.Box(1.0, 0.25, 0.06, mass=3.0), at=(0, 0, -1.0), body_rates=(0.5, 0, 0), name="plank"))
    ball = model.add(lv.Body(lv.Ball(0.08, mass=1.0), at=(0.3, 0, -1.75), velocity=(0, 0.6, 0), name="ball"))
    for x, stiffness in ((-0.45, 120.0), (0.45, 70.0)):
        foot, eye = model.world.point(1.2 * x, 0, 0), plank.point(x, 0, 0.03)
        model.add(lv.Spring(foot, eye, stiffness=stiffness, length=0.75, name=f"spring at {x}"))
    model.add(lv.Spring(plank.point(0.3, 0, -0.03), ball.point(0, 0, 0.08), stiffness=60.0, length=0.45, name="third"))
    return lv.simulate(model, lv.Livens(order=4), h=4e-3, until=8.0)


def drop_net(n: int = 5) -> lv.Trajectory:
    """A level net of n × n balls, sprung between neighbours and held at its corners, with a heavy ball in its middle.

    The middle drops, waves run out to the corners and come back. Every ball is a body, every thread a spring; momenta
    are exchanged, and the energy is neither made nor lost.

    >>> motion = drop_net()
    >>> len(motion.model.bodies), abs(motion.report().energy_slope) < 1e-4
    (26, True)
    """
    model = lv.Model(gravity=DOWN, name="net of springs")
    wide, middle = 0.2, n // 2
    balls = {}
    for i in range(n):
        for j in range(n):
            heavy = i == j == middle
            shape = lv.Ball(0.07, mass=1.0) if heavy else lv.Ball(0.03, mass=0.1)
            at = (wide * (i - middle), wide * (j - middle), 0.0)
            balls[i, j] = model.add(lv.Body(shape, at=at, name=f"ball {i}{j}"))
    for (i, j), ball in balls.items():
        for other in ((i + 1, j), (i, j + 1)):
            if other in balls:
                model.add(lv.Spring(ball.center, balls[other].center, stiffness=150.0, length=0.9 * wide))
    for i, j in ((0, 0), (0, n - 1), (n - 1, 0), (n - 1, n - 1)):
        x, y, z = 1.35 * balls[i, j].center.start
        model.add(lv.Spring(model.world.point(x, y, z + 0.15), balls[i, j].center, stiffness=300.0, length=0.2))
    return lv.simulate(model, lv.Livens(order=4), h=2e-3, until=3.0)
