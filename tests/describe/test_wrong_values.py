"""Values of wrong types and sizes, given to constructors or set afterwards, are refused in a sentence or work."""

import datetime
import inspect

import numpy as np
import pytest

import livens as lv


class Refusing:
    """An object of a user that raises an exception of its own when numpy asks for its numbers."""

    def __array__(self, *_, **__):
        raise RuntimeError("not an array")

    __float__ = __array__


WRONG = [
    None, "x", "", b"x", np.nan, np.inf, -1.0, 1e308, 10**400, 1j, True, [], [1, 2], [[1, 2], [3]], (1, 2, 3, 4), {},
    {1}, np.zeros(3), np.zeros((3, 3)), np.full(3, np.nan), np.array(["a", "b", "c"]), np.ma.masked, np.float32(1),
    [None] * 3, object(), object, lambda: 0, lambda t: "x", datetime.date(2020, 1, 1), range(3), Refusing(),
    "\ud800", "a\0b",
]  # fmt: skip
ON_COORDINATE = {"stiffness": 1.0, "rest": 0.0, "damping": 0.1, "limits": (-1, 1), "limit_stiffness": 10.0}
JOINTS = {
    "Revolute": {"axis": (0, 1, 0), "start_rate": 0.0, **ON_COORDINATE},
    "Prismatic": {"axis": (1, 0, 0), **ON_COORDINATE},
    "Cylindrical": {"axis": (1, 0, 0)},
    "Screw": {"axis": (1, 0, 0), "pitch": 0.1},
    "Spherical": {},
    "Universal": {"axis_a": (0, 1, 0), "axis_b": (0, 0, 1)},
    "Rigid": {},
    "Planar": {"normal": (0, 0, 1)},
    "Rod": {},
    "PointOnLine": {"axis": (1, 0, 0)},
    "PointOnPlane": {"normal": (0, 0, 1)},
    "Spring": {"stiffness": 1.0, "length": 0.1, "damping": 0.1},
    "Damper": {"rate": 1.0},
}


def built(kind, **changes):
    """A bar that a joint or force of this kind holds, and that."""
    m = lv.Model(gravity=(0, 0, -9.81))
    bar = m.add(lv.Body(lv.Box(1, 0.2, 0.3, mass=1.0), at=(0.5, 0, 0), name="bar"))
    end = bar.point(0.5 if kind in ("Rod", "Spring", "Damper") else -0.5, 0, 0)
    return m, m.add(getattr(lv, kind)(**{"a": m.world.point(0, 0, 0), "b": end, **JOINTS[kind], **changes}))


def runs_or_refuses(make):
    """True if a short motion is finite; False if it was refused by an error of livens. Others are not caught."""
    try:
        motion = lv.simulate(make(), h=1e-3, until=2e-3)
    except lv.LivensError:
        return False
    assert all(np.isfinite(x).all() for x in motion.record)
    return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", JOINTS)
def test_joints_and_forces(kind):
    assert runs_or_refuses(lambda: built(kind)[0])
    names = list(inspect.signature(getattr(lv, kind)).parameters)
    refused = 0
    for name in names:
        for wrong in WRONG:
            refused += not runs_or_refuses(lambda name=name, wrong=wrong: built(kind, **{name: wrong})[0])

            def changed(name=name, wrong=wrong):
                m, thing = built(kind)
                setattr(thing, name, wrong)
                return m

            refused += not runs_or_refuses(changed)
    assert refused > len(names) * len(WRONG)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["shape", "pose", "velocity", "body_rates", "name", "mass_properties"])
def test_bodies(name):
    for wrong in WRONG:

        def changed(wrong=wrong):
            m, _ = built("Spherical")
            setattr(m["bar"], name, wrong)
            return m

        assert not runs_or_refuses(changed) or name in ("name", "velocity", "body_rates")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(inspect.signature(lv.Body).parameters))
def test_arguments_of_bodies(name):
    refused = 0
    for wrong in WRONG:

        def made(wrong=wrong):
            m = lv.Model()
            m.add(lv.Body(**{"shape": lv.Ball(0.1, mass=1.0), name: wrong}))
            return m

        refused += not runs_or_refuses(made)
    assert refused > len(WRONG) // 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["bodies", "joints", "forces", "name", "gravity"])
def test_models(name):
    refused = 0
    for wrong in WRONG:

        def changed(wrong=wrong):
            m, _ = built("Revolute")
            setattr(m, name, wrong)
            return m

        refused += not runs_or_refuses(changed)
    assert refused > len(WRONG) // 2


@pytest.mark.filterwarnings("ignore")
def test_loads_and_motors():
    for wrong in WRONG:
        for name in ("force", "torque", "axes", "point", "name"):

            def loaded(name=name, wrong=wrong):
                m, _ = built("Spherical")
                setattr(m.add(lv.Load(m["bar"].center, force=(1, 0, 0))), name, wrong)
                return m

            runs_or_refuses(loaded)
        for name in ("effort", "joint", "rate", "name"):

            def driven(name=name, wrong=wrong):
                m, hinge = built("Revolute")
                setattr(m.add(lv.Motor(hinge, 1.0)), name, wrong)
                return m

            runs_or_refuses(driven)
    with pytest.raises(lv.ModelError, match="force of a load must be three numbers or a function of time"):
        lv.Load(built("Spherical")[0]["bar"].center, force=lambda: 0)


@pytest.mark.filterwarnings("ignore")
def test_functions():
    m, _ = built("Revolute")
    motion = lv.simulate(m, h=1e-3, until=5e-3)
    calls = [
        lv.stiffness, lv.dynamics, lambda x: lv.dynamics(m, x), lambda x: lv.resume(x, until=1.0),
        lambda x: lv.resume(motion, until=x), lambda x: lv.transfer(x, to=m), lambda x: lv.transfer(motion, to=x),
        motion.reaction, motion.coordinate, motion.position, lv.load, lambda x: lv.Newmark(dissipation=x),
        lambda x: lv.MassProperties(1.0, x), lambda x: lv.MassProperties.repaired(1.0, x),
        lambda x: lv.simulate(m, h=1e-3, until=2e-3, progress=x), lambda x: lv.simulate(m, h=x, until=2e-3),
    ]  # fmt: skip
    answered = 0
    for call in calls:
        for wrong in WRONG:
            try:
                call(wrong)
                answered += 1
            except lv.LivensError:
                continue
    assert answered < len(calls) * len(WRONG) // 4
