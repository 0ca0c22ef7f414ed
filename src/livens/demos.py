"""The demonstrations of the command line: a table of name, one line, and the function that builds and simulates it.

To add one, write a function that returns a Trajectory and give it a line in DEMOS; `livens demo` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .cad import hammer
from .integrators import Livens
from .model import Body, Model
from .simulation import simulate
from .trajectory import Trajectory


class Demo(NamedTuple):
    """What a demonstration shows, and the function that simulates it."""

    line: str
    run: Callable[[], Trajectory]


def throw_hammer() -> Trajectory:
    """The hammer of the source documents, a CAD solid, thrown up spinning about its handle.

    That is the axis of its middle moment of inertia, which no body keeps: the hammer turns over while it flies on like
    a stone, and its angular momentum about the centre of mass stays what it was.

    >>> motion = throw_hammer()
    >>> bool(motion.rotation("hammer")[:, 1, 1].min() < -0.9), motion.report().angular_momentum.relative < 1e-11
    (True, True)
    """
    model = Model(gravity=(0.0, 0.0, -9.81), name="hammer")
    model.add(Body(hammer(), velocity=(0.0, 2.0, 12.0), body_rates=(0.1, 10.0, -0.1), name="hammer"))
    return simulate(model, Livens(), h=1e-4, until=2.4, every=10)


DEMOS = {
    "hammer": Demo("a hammer from CAD, thrown spinning about the axis it cannot keep", throw_hammer),
}
