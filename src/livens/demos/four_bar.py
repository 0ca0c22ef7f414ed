"""A closed loop of bars that passes through a singular position."""

from __future__ import annotations

import livens as lv

from .demo import Demo

DOWN = (0.0, 0.0, -9.81)


def turn_four_bar() -> lv.Trajectory:
    """Two upright cranks of a metre with a bar across, pushed at 1 rad/s: a parallelogram.

    Half-way down all bars are in one line, and the loop could change to its crossed branch. It keeps its branch and
    moves like a pendulum. Three of the constraint equations of the hinges in space are redundant; livens reports them.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     turn_four_bar().freedom
    1
    """
    model = lv.Model(gravity=DOWN, name="four-bar")
    crank, across = lv.Box(0.08, 0.04, 1.0, mass=1.0), lv.Box(1.0, 0.04, 0.08, mass=1.0)
    cranks = {name: model.add(lv.Body(crank, at=(x, 0, 0.5), name=name)) for x, name in ((0.0, "left"), (1.0, "right"))}
    link = model.add(lv.Body(across, at=(0.5, -0.05, 1.0), name="link"))
    for x, (name, bar) in zip((0.0, 1.0), cranks.items(), strict=True):
        model.add(lv.Revolute(model.world.point(x, 0, 0), bar.point(0, 0, -0.5), axis=(0, 1, 0), name=f"{name} foot"))
        model.add(lv.Revolute(bar.point(0, 0, 0.5), link.point(x - 0.5, 0.05, 0), axis=(0, 1, 0), name=f"{name} top"))
    model["left foot"].start_rate = 1.0
    return lv.simulate(model, lv.Livens(order=4), h=2e-3, until=4.0)


DEMO = Demo(
    "a parallelogram of bars that passes through its singular position",
    turn_four_bar,
    lambda motion: motion.plot("phase", "left foot"),
    "the crank's angle against its rate",
    moment=0.36,
    position=8,
)
