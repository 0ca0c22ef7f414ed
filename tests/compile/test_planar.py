"""Planar models: freedoms, motions and reactions of linkages, against the same linkages in space."""

import re
import warnings

import numpy as np
import pytest

import livens as lv

PLANES = {"xy": 2, "xz": 1, "yz": 0}


def linkage(plane, unit=1.0, planar=True, loops=2):
    """A chain of parallelograms in a plane of the world: (model, normal)."""
    n = np.eye(3)[PLANES[plane]]
    e, f = np.eye(3)[[(PLANES[plane] + 1) % 3, (PLANES[plane] + 2) % 3]]
    m = lv.Model(gravity=-9.81 * unit * (f + 0.3 * e), planar=plane if planar else "")
    legs = []
    for k in range(loops + 1):
        leg = m.add(lv.Body(lv.MassProperties(1.0 + k, tuple(unit**2 * np.array([0.1, 0.12, 0.13]))),
                            at=unit * (2.0 * k * e + 0.5 * f), name=f"leg{k}"))  # fmt: skip
        m.add(lv.Revolute(m.world.point_at(*(unit * 2.0 * k * e)), leg.point_at(*(unit * 2.0 * k * e)), axis=n,
                          stiffness=3.0 * unit**2 if k == 0 else 0.0, name=f"foot{k}"))  # fmt: skip
        legs.append(leg)
    for k in range(loops):
        bar = m.add(lv.Body(lv.MassProperties(1.5, tuple(unit**2 * np.array([0.2, 0.22, 0.25]))),
                            at=unit * ((2.0 * k + 1.0) * e + f), name=f"bar{k}"))  # fmt: skip
        for side, leg in enumerate(legs[k : k + 2]):
            x = unit * (2.0 * (k + side) * e + f)
            m.add(lv.Revolute(leg.point_at(*x), bar.point_at(*x), axis=n, name=f"pin{k}{side}"))
    return m, n


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("unit", [1.0, 1e-4])
def test_a_linkage_moves_as_in_space(plane, unit):
    """Motion and in-plane reactions are those of the model in space, which warns of six redundant equations."""
    m, n = linkage(plane, unit)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lv.simulate(m, h=1e-3, until=0.2)
    assert (motion.freedom, motion.redundant) == (1, {})
    space, _ = linkage(plane, unit, planar=False)
    with pytest.warns(lv.ModelWarning, match="6 constraint equations are redundant"):
        other = lv.simulate(space, h=1e-3, until=0.2)
    for body in m.bodies[1:]:
        assert motion.position(body) == pytest.approx(other.position(body.name), abs=1e-10 * unit)
        assert np.abs((motion.position(body) - motion.position(body)[0]) @ n).max() < 1e-12 * unit
    across = np.eye(3) - np.outer(n, n)
    for name in ("foot0", "pin01", "pin10"):
        one, two = motion.reaction(name) @ across, other.reaction(name) @ across
        assert one == pytest.approx(two, abs=1e-7 * unit * 10)
    assert lv.JointSpace(m).mass_matrix([0.2]) == pytest.approx(lv.JointSpace(space).mass_matrix([0.2]), rel=1e-9)


@pytest.mark.filterwarnings("error")
def test_bodies_without_joints_stay_in_their_planes():
    """A box, a thin rod and a point mass that are pushed out of the plane; only the motion in it is left."""
    m = lv.Model(gravity=(0.3, 0.2, -9.81), planar="xz")
    box = m.add(lv.Body(lv.Box(1, 0.5, 0.3, mass=2.0), at=(0, 0.7, 0), angular_velocity=(0, 2.0, 0), name="box"))
    rod = m.add(lv.Body(lv.ThinRod(1.0, mass=2.0), at=(3, 0, 0), angular_velocity=(0, 1.5, 0), name="rod",
                        rotation=lv.Pose.from_axis_angle((0, 1, 0), 0.4).B))  # fmt: skip
    dot = m.add(lv.Body(lv.PointMass(0.5), at=(6, -0.2, 0), name="dot"))
    m.add(lv.Load(box.point(0.2, 0, 0.1), force=(0, 5.0, 0), torque=(1.0, 0, 1.0)))
    motion = lv.simulate(m, h=1e-3, until=0.3)
    assert motion.freedom == 3 + 3 + 2
    for body, y in ((box, 0.7), (rod, 0.0), (dot, -0.2)):
        assert motion.position(body)[:, 1] == pytest.approx(y, abs=1e-13)
        fallen = 0.5 * np.outer(motion.t**2, [0.3, -9.81])
        assert (motion.position(body) - motion.position(body)[0])[:, [0, 2]] == pytest.approx(fallen, abs=1e-9)
    assert motion.angular_velocity(box)[-1] == pytest.approx([0, 2.0, 0], abs=1e-9)
    assert motion.angular_velocity(rod)[-1] == pytest.approx([0, 1.5, 0], abs=1e-9)


def test_redundant_constraints_in_the_plane_are_still_named():
    """A bar on three parallel legs of one length."""
    m, n = linkage("xz", loops=1)
    leg = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.1, 0.1)), at=(0.5, 0, 1.0), name="third"))
    e, f = np.eye(3)[[2, 0]]
    for name, other, x in (("foot", m.world, 1.0 * e), ("head", m["bar0"], 1.0 * e + f)):
        m.add(lv.Revolute(other.point_at(*x), leg.point_at(*x), axis=n, name=name))
    with pytest.warns(lv.ModelWarning, match="1 constraint equation is redundant"):
        motion = lv.simulate(m, h=1e-3, until=0.01)
    assert motion.freedom == 1


def test_refusals():
    with pytest.raises(
        lv.ModelError, match=re.escape('planar must be "xy", "xz" or "yz", not "x".'.replace('"x"', "'x'"))
    ):
        lv.Model(planar="x")
    m = lv.Model(planar="xz")
    a, b = (m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(0, y, 0), name=n)) for n, y in (("a", 0.0), ("b", 0.05)))
    m.add(lv.Spherical(a.center, b.center, name="pin"))
    with pytest.raises(lv.ModelError, match="joint 'pin'"):
        lv.dynamics(m)
