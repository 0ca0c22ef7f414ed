"""A net with many loops, whose joints are eliminated in nodes: the same motion, reactions and derivatives as with
every joint eliminated alone (compile/ordering.py)."""

import numpy as np
import pytest

import livens as lv
from livens.compile import ordering
from livens.compile.compiled import Compiled

SCHEMES = [lv.Livens(), lv.Livens(order=4), lv.RungeKutta(), lv.Newmark(), lv.GeneralizedAlpha(), lv.EnergyMomentum()]


def net(side=4, damped=True):
    """Plates on rods in random orientation, if `damped` some with a damper beside them, hung by two corners."""
    rng = np.random.default_rng(3)
    R = lv.Pose.from_quaternion(rng.normal(size=4)).B
    m = lv.Model(gravity=R @ (0, 0, -9.81))
    shape = lv.Box(0.5, 0.5, 0.05, mass=1.0)
    bodies = {
        (i, j): m.add(lv.Body(shape, at=R @ (i, j, 0.1 * rng.normal()), rotation=R))
        for i in range(side)
        for j in range(side)
    }
    for (i, j), b in bodies.items():
        for di, dj in ((1, 0), (0, 1)):
            if (i + di, j + dj) in bodies:
                ends = b.point(0.25 * di, 0.25 * dj, 0), bodies[i + di, j + dj].point(-0.25 * di, -0.25 * dj, 0)
                m.add(lv.Rod(*ends))
                if damped and (i + j) % 2:
                    m.add(lv.Damper(b.point(0, 0, 0), bodies[i + di, j + dj].point(0, 0, 0.1), rate=0.3))
    for corner in ((0, 0), (side - 1, 0)):
        b = bodies[corner]
        m.add(lv.Spherical(m.world.point(*b.pose.a), b.point(0, 0, 0)))
    return m


def both(monkeypatch, compute):
    """What `compute` gives with nodes and without."""
    found = []
    for rows in (ordering.NODE_ROWS, 0):
        monkeypatch.setattr(ordering, "NODE_ROWS", rows)
        ordering._symbolic.cache_clear()
        found.append(compute())
    ordering._symbolic.cache_clear()
    return found


def test_the_net_has_nodes(monkeypatch):
    one, two = both(monkeypatch, lambda: Compiled.of(net()).system.blocks)
    assert len(one.diagonal) < 0.7 * len(two.diagonal) == 0.7 * (len(two.row) - 1)
    assert one.node_soft.any()


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_motion_and_reactions(monkeypatch, scheme):
    def compute():
        motion = lv.simulate(net(damped=scheme != lv.Livens(order=4)), scheme, h=2e-3, until=0.2, every=20)
        return motion, np.array([motion.reaction(joint.name) for joint in motion.model.joints])

    (one, forces), (two, others) = both(monkeypatch, compute)
    assert np.abs(one.record.a - two.record.a).max() <= 1e-11
    assert np.abs(forces - others).max() <= 1e-8 * np.abs(others).max()


@pytest.mark.parametrize("scheme", [lv.Livens(), lv.RungeKutta()], ids=str)
def test_tangents(monkeypatch, scheme):
    def compute():
        motion = lv.simulate(net(3), scheme, h=2e-3, until=0.02)
        return motion.tangent().position("body9")

    one, two = both(monkeypatch, compute)
    assert np.abs(one - two).max() <= 1e-9 * np.abs(two).max()
