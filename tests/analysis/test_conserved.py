"""The conserved quantities of conserved.py are exactly those that a simulation conserves."""

from dataclasses import replace

import numpy as np
import pytest

import livens as lv
from livens.analysis.conserved import conserved
from livens.analysis.report import angular_series, momentum_series

G = (0, 0, -9.81)


def pair(gravity=(0, 0, 0)):
    """Two bodies on a spring, with a motion without symmetry."""
    m = lv.Model(gravity=gravity)
    one = m.add(lv.Body(lv.Box(0.5, 0.3, 0.2, density=100), velocity=(0.1, 0.2, 0.3), body_rates=(1, 2, 3), name="one"))
    two = m.add(lv.Body(lv.Box(0.2, 0.2, 0.4, density=100), at=(1, 0.2, 0.1), body_rates=(-1, 1, 0.5), name="two"))
    m.add(lv.Spring(one.point(0.2, 0.1, 0), two.point(0, 0.1, 0.2), stiffness=20.0, length=0.5, name="inside"))
    return m


def on_springs(*places, gravity=(0, 0, 0)):
    m = pair(gravity)
    for k, place in enumerate(places):
        m.add(
            lv.Spring(m.world.point(place), m["one" if k % 2 else "two"].point(0.1, 0, 0.1), stiffness=30, length=0.4)
        )
    return m


def loaded(gravity=(0, 0, 0), **load):
    m = pair(gravity)
    m.add(lv.Load(m["one"].point(0.1, 0.2, 0.1), **load, name="push"))
    return m


def jointed(joint, gravity=(0, 0, 0), **options):
    """One body at rest on the world by a joint, the other on its spring."""
    m = lv.Model(gravity=gravity)
    one = m.add(lv.Body(lv.Box(0.5, 0.3, 0.2, density=100), at=(0.3, 0.1, 0), name="one"))
    two = m.add(lv.Body(lv.Box(0.2, 0.2, 0.4, density=100), at=(1, 0.2, 0.3), body_rates=(-1, 1, 0.5), name="two"))
    m.add(lv.Spring(one.point(0.2, 0.1, 0), two.point(0, 0.1, 0.2), stiffness=20.0, length=0.5, name="inside"))
    m.add(joint(m.world.point(0.1, 0.2, 0), one.point_at(0.1, 0.2, 0), **options, name="joint"))
    return m


CASES = {  # model, conserved components of momentum, of angular momentum
    "free": (pair, 3, 3),
    "falling": (lambda: pair(G), 2, 3),
    "one spring": (lambda: on_springs((0.5, 1, 0)), 0, 3),
    "one spring, gravity": (lambda: on_springs((0.5, 1, 0), gravity=G), 0, 1),
    "springs on a line": (lambda: on_springs((0.5, 1, 0), (0.9, 1.4, 0.3), (0.1, 0.6, -0.3)), 0, 1),
    "springs on a vertical, gravity": (lambda: on_springs((0.5, 1, 0), (0.5, 1, 1), gravity=G), 0, 1),
    "springs on a level line, gravity": (lambda: on_springs((0.5, 1, 0), (0, 1, 0), gravity=G), 0, 0),
    "springs in a plane": (lambda: on_springs((0.5, 1, 0), (0, 1, 0), (0, 0, 0)), 0, 0),
    "constant force": (lambda: loaded(force=(1, 2, 0.5)), 2, 1),
    "force along gravity": (lambda: loaded(G, force=(0, 0, 3)), 2, 1),
    "force across gravity": (lambda: loaded(G, force=(3, 0, 0)), 1, 0),
    "constant torque": (lambda: loaded(torque=(1, 2, 0.5)), 3, 2),
    "thruster": (lambda: loaded(force=(1, 0, 0), axes="body"), 0, 0),
    "gyro": (lambda: loaded(torque=(1, 0, 0), axes="body"), 3, 0),
    "gust": (lambda: loaded(force=lambda t: (np.sin(9 * t), np.cos(9 * t), t)), 0, 0),
    "spherical": (lambda: jointed(lv.Spherical), 0, 3),
    "rod": (lambda: jointed(lambda a, b, name: lv.Rod(a.body.point(0, 0, 1), b, name=name), G), 0, 1),
    "revolute": (lambda: jointed(lv.Revolute, axis=(1, 2, 3)), 0, 1),
    "revolute, vertical, gravity": (lambda: jointed(lv.Revolute, G, axis=(0, 0, 1)), 0, 1),
    "revolute, level, gravity": (lambda: jointed(lv.Revolute, G, axis=(0, 1, 0)), 0, 0),
    "revolute with a spring": (lambda: jointed(lv.Revolute, axis=(1, 2, 3), stiffness=2.0), 0, 0),
    "universal": (lambda: jointed(lv.Universal, axis_a=(1, 2, 3), axis_b=(0, -3, 2)), 0, 1),
    "cylindrical": (lambda: jointed(lv.Cylindrical, axis=(1, 2, 3)), 1, 1),
    "prismatic": (lambda: jointed(lv.Prismatic, axis=(1, 2, 3)), 1, 0),
    "planar": (lambda: jointed(lv.Planar, normal=(0, 0, 1), gravity=G), 2, 1),
    "point on plane": (lambda: jointed(lv.PointOnPlane, normal=(1, 2, 3)), 2, 1),
    "point on line": (lambda: jointed(lv.PointOnLine, axis=(1, 2, 3)), 1, 1),
    "fixed orientation": (lambda: jointed(lambda a, b, name: lv.FixedOrientation(a.body, b.body, name=name)), 3, 0),
    "rigid": (lambda: jointed(lv.Rigid), 0, 0),
}
SPARED = ("force across gravity", "fixed orientation", "rigid")  # one lost direction does not change, by accident


@pytest.mark.parametrize("case", CASES)
def test_conserved_is_what_a_simulation_conserves(case):
    build, moves, turns = CASES[case]
    model = build()
    law = conserved(model)
    assert (len(law.momentum.directions), len(law.angular_momentum.directions)) == (moves, turns)
    motion = lv.simulate(model, lv.Livens(), h=1e-2, until=1.0)
    tolerance = 1e-10 if model.joints else 20 * motion.steps * np.finfo(float).eps
    for series in filter(None, (momentum_series(motion, law), angular_series(motion, law))):
        assert np.abs(series.error).max() < tolerance
    everything = replace(law, momentum=whole(law.momentum), angular_momentum=whole(law.angular_momentum))
    for kept, series in (
        (law.momentum, momentum_series(motion, everything)),
        (law.angular_momentum, angular_series(motion, everything)),
    ):
        D = kept.directions
        np.testing.assert_allclose(D @ D.T, np.eye(len(D)), atol=1e-12)
        assert bool(kept.because) == (len(D) < 3)
        lost = np.linalg.svd(D)[2][len(D) :]
        change = np.linalg.svd((series.values - series.start) @ lost.T, compute_uv=False)
        assert np.sort(change)[case in SPARED :].min(initial=1.0) > 1e-3  # each direction that is called lost changes


def whole(kept):
    """All three components about the same point."""
    return replace(kept, directions=np.eye(3))


def test_about_which_point():
    assert conserved(pair()).angular_momentum.about.tolist() == [0, 0, 0]
    assert conserved(pair(G)).angular_momentum.about is None  # the centre of mass
    assert conserved(on_springs((0.5, 1, 0))).angular_momentum.about.tolist() == [0.5, 1, 0]


def test_directions_are_given_by_plain_axes():
    assert conserved(pair(G)).momentum.directions.tolist() == [[1, 0, 0], [0, 1, 0]]
    assert conserved(loaded(G, force=(3, 0, 0))).momentum.directions.tolist() == [[0, 1, 0]]


def test_reasons_name_the_things():
    m = on_springs((0.5, 1, 0), gravity=G)
    assert conserved(m).momentum.because == "gravity and spring 'spring1'"
    for _ in range(5):
        m.add(lv.Spring(m.world.point(1, 1, 1), m["one"].point(0, 0, 0), stiffness=1.0))
    assert conserved(m).momentum.because == "gravity, spring 'spring1', spring 'spring2' and 4 more"


def test_a_spring_without_stiffness_breaks_nothing():
    m = pair()
    m.add(lv.Spring(m.world.point(5, 5, 5), m["one"].point(0, 0, 0), stiffness=0.0))
    assert len(conserved(m).momentum.directions) == 3


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (pair, ""),
        (lambda: loaded(force=(0, 0, 0)), ""),
        (lambda: loaded(force=(1, 0, 0)), "work of load 'push'"),
        (lambda: loaded(torque=lambda t: (0, 0, 0)), "work of load 'push'"),
        (lambda: jointed(lv.Revolute, axis=(0, 0, 1), damping=0.1), "dissipation in revolute 'joint'"),
        (lambda: jointed(lv.Revolute, axis=(0, 0, 1), drive=np.sin), "work of revolute 'joint'"),
    ],
)
def test_energy(build, words):
    assert conserved(build()).energy == words
