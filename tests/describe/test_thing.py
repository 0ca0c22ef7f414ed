"""Things state facts about themselves; these facts agree with their rows, their terms and each other."""

import numpy as np
import pytest

import livens as lv
from livens.describe.thing import Thing
from livens.scene.catalogue import things
from tests.helpers import mechanisms

JOINTS = {joint.name: joint for joint in mechanisms.every_joint().joints}


def pair():
    """A model with two bodies and a hinge at the world."""
    m = lv.Model()
    a = m.add(lv.Body(lv.Ball(0.1, mass=1.0), name="a"))
    b = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(1, 0, 0), name="b"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), a.point(0, 0, 0), axis=(0, 0, 1), name="hinge"))
    return m, a, b, hinge


def test_every_joint_and_force_is_a_thing():
    for kind in ("joint", "force"):
        for made in things(kind).values():
            assert issubclass(made, Thing)
            assert made.kind == kind


@pytest.mark.parametrize("name", JOINTS)
def test_freedoms_are_those_that_the_rows_leave(name):
    joint = JOINTS[name]
    if joint.freedoms is None:
        return
    hard = [row for row in joint.rows() if row.rate == 0.0]
    assert sum(3 if freedom.kind == "ball" else 1 for freedom in joint.freedoms) == 6 - len(hard)
    kinds = [freedom.kind for freedom in joint.freedoms]
    assert kinds == sorted(kinds, reverse=True)  # slides first
    for q in joint.coordinates:
        assert {"ANGLE": "hinge", "DISPLACEMENT": "slide", "COMPONENT": "ball"}[q.kind] in kinds


@pytest.mark.parametrize("name", JOINTS)
def test_a_joint_is_drawn_at_its_second_point(name):
    joint = JOINTS[name]
    (glyph,) = joint.glyphs()
    if joint.ends is None:  # a gear or a rack on the second body of each joint that it couples
        assert glyph.kind == "coupling"
        assert [symbol.point for symbol in glyph.symbols] == [one.b for one in joint.joints]
        return
    a, b = joint.ends
    assert glyph.points == ((a, b) if glyph.kind == "rod" else (b,))
    carriers = (a, b) if isinstance(joint, lv.Universal) else (a, a)
    for k, ((point, axis), u) in enumerate(zip(glyph.axes, joint.directions, strict=glyph.kind == "joint")):
        assert point is carriers[k]
        np.testing.assert_allclose(point.body.pose.B @ axis, u, atol=1e-15)


def test_springs_and_dampers_are_drawn_between_their_points():
    m, a, b, _ = pair()
    spring = m.add(lv.Spring(a.center, b.center, stiffness=2.0, length=0.25))
    damper = m.add(lv.Damper(a.center, b.center, rate=3.0))
    assert [(g.kind, g.points, g.length) for g in spring.glyphs()] == [("spring", (spring.a, spring.b), 0.25)]
    assert [(g.kind, g.points) for g in damper.glyphs()] == [("damper", (damper.a, damper.b))]


def test_damping_of_a_damper_is_its_rate():
    _, a, b, _ = pair()
    damper = lv.Damper(a.center, b.center, rate=3.0)
    damper.damping = 5.0
    assert damper.rate == damper.damping == 5.0
    assert [row.rate for row in damper.rows()] == [5.0]


def test_work_dissipation_and_time():
    """varies, works, dissipates, velocity_dependent of everything that can differ in them."""
    _, a, b, hinge = pair()
    driven = lv.Revolute(a.point(0, 0, 0), b.point(-1, 0, 0), axis=(0, 0, 1), drive=np.sin)
    damped = lv.Revolute(a.point(0, 0, 0), b.point(-1, 0, 0), axis=(0, 0, 1), damping=1.0)
    cases = {
        hinge: "",
        driven: "varies works",
        damped: "dissipates",
        lv.Spring(a.center, b.center, stiffness=1.0): "",
        lv.Spring(a.center, b.center, stiffness=1.0, damping=1.0): "dissipates",
        lv.Damper(a.center, b.center, rate=1.0): "dissipates",
        lv.Attraction(G=1.0): "",
        lv.Load(a.center): "",
        lv.Load(a.center, force=(1, 0, 0)): "works",
        lv.Load(a.center, torque=lambda t: (0, 0, t)): "varies works",
        lv.Motor(hinge, 0.0): "works",
        lv.Motor(hinge, np.sin): "varies works",
        lv.Motor(hinge, lambda t, now: 0.0, rate=10.0): "varies works",
    }
    pytest.importorskip("casadi")
    cases |= {
        lv.Energy(lambda s: lv.dot(s[a].position, s[a].position), bodies=[a]): "",
        lv.Energy(lambda s, t: t * s[a].position[0], bodies=[a]): "varies works",
        lv.Force(a.center, lambda s: s[a].position): "works",
        lv.Force(a.center, lambda s, t: -t * s[a].velocity(0, 0, 0)): "varies works velocity_dependent",
        lv.Constraint(lambda s: s[a].position[0], bodies=[a]): "",
        lv.Constraint(lambda s, t: s[a].position[0] - t, bodies=[a]): "varies works",
    }
    for thing, words in cases.items():
        facts = {word: getattr(thing, word) for word in ("varies", "works", "dissipates", "velocity_dependent")}
        assert " ".join(word for word, true in facts.items() if true).split() == sorted(
            words.split(), key=list(facts).index
        ), thing


def test_labels():
    assert lv.Attraction(G=1.0).label == "an Attraction"
    assert lv.Attraction(G=1.0, name="pull").label == "Attraction 'pull'"
    _, a, b, _ = pair()
    universal = lv.Universal(a.point(0, 0, 0), b.point(-1, 0, 0), axis_a=(1, 0, 0), axis_b=(0, 1, 0))
    assert universal.label == "a Universal"


def test_only_bodies_and_things_are_added():
    class Duck:
        kind, name, points = "force", "duck", ()

    with pytest.raises(lv.ModelError, match=r"^a model contains bodies, joints and forces, not "):
        lv.Model().add(Duck())
