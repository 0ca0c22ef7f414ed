"""Bodies on springs: a plank with a ball."""

from __future__ import annotations

import livens as lv

from .demo import Demo

DOWN = (0.0, 0.0, -9.81)


def hang_plank() -> lv.Trajectory:
    """A plank hangs on two unequal springs, and a ball on a third below it.

    It bounces, swings and rocks at once, and exchanges energy with the ball. The total energy has a bounded error and
    no trend.

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


DEMO = Demo(
    "a plank on two springs and a ball on a third, which exchange energy",
    hang_plank,
    lambda motion: motion.plot("energy"),
    "the parts of the energy",
    moment=1.1,
    position=4,
)
