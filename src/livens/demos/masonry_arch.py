"""Friction and thrust: an arch of loose stones."""

from __future__ import annotations

import itertools

import numpy as np

import livens as lv

from .demo import Demo

CRITICAL = 0.09570  # least thickness over the mean radius of a semicircular arch of seven stones (linear programming)


def stand_arch(thickness: float = 0.99 * CRITICAL, stones: int = 7, until: float = 1.0) -> lv.Trajectory:
    """A semicircular arch of seven loose stones, a hundredth thinner than the least thickness: it falls by four hinges.

    A hundredth thicker it stands, and does not move at all. Milankovitch's least thickness of an arch of many stones is
    0.1075 of its mean radius; of seven it is 0.0957.

    >>> stands = stand_arch(1.01 * CRITICAL, until=0.2)
    >>> bool(np.ptp(stands.position("stone 3"), axis=0).max() < 1e-10)
    True
    """
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="masonry arch")
    joints = np.linspace(0.0, np.pi, stones + 1)
    for k, (a, b) in enumerate(itertools.pairwise(joints)):
        radii = 1.0 + 0.5 * thickness * np.array([-1.0, 1.0])
        corners = np.array([[r * np.cos(t), y, r * np.sin(t)] for t in (a, b) for r in radii for y in (-0.1, 0.1)])
        model.add(lv.Body(lv.convex_hull(corners, density=2000.0), name=f"stone {k}"))
    model.add(lv.Contacts([model.world.plane((0, 0, 0))], friction=1.0))
    return lv.simulate(model, h=2.5e-3, until=until, every=2)


DEMO = Demo("an arch of loose stones, slightly too thin: it falls", stand_arch, moment=0.9, position=21)
