"""Assembly from rough positions: closed forms of linkages, held bodies, joints that cannot be satisfied."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv


def rough_four_bar(rng, lengths, unit=1.0, noise=0.3, planar=""):
    """A four-bar in a random plane with bars at rough places: (model, axes of the plane as columns)."""
    R = np.eye(3)[:, [0, 2, 1]] * (1, 1, -1) if planar else Rotation.random(random_state=rng).as_matrix()
    m = lv.Model(gravity=-9.81 * unit * R[:, 1], planar=planar)
    at = [(0, 0), (0, lengths[0]), (lengths[1], lengths[0])]
    bars = []
    for k in range(3):
        l = unit * lengths[k]
        turn = Rotation.from_rotvec((noise + 1.2 * (k == 0)) * rng.normal() * R[:, 2]).as_matrix() @ R
        place = unit * R @ (at[k][0] + noise * rng.normal(), at[k][1] + noise * rng.normal(), 0)
        place = place if planar else place + 0.5 * unit * noise * rng.normal(size=3)
        bars.append(
            m.add(lv.Body(lv.Box(l, 0.1 * unit, 0.1 * unit, mass=1.0), at=place, rotation=turn, name=f"bar{k}"))
        )
    ends = [bar.point(s * unit * lengths[k] / 2, 0, 0) for k, bar in enumerate(bars) for s in (-1, 1)]
    far = m.world.point(unit * lengths[3] * R[:, 0])
    for k, pair in enumerate(
        ((m.world.point(0, 0, 0), ends[0]), (ends[1], ends[2]), (ends[3], ends[4]), (ends[5], far))
    ):
        m.add(lv.Revolute(*pair, axis=R[:, 2], name=f"j{k}"))
    return m, R


@pytest.mark.parametrize("seed", range(6))
def test_a_four_bar_closes_from_far_away(seed):
    """Bars displaced by 30 % of their lengths and turned by up to a radian. Its joints close, and it swings."""
    rng = np.random.default_rng(seed)
    unit = 10.0 ** rng.uniform(-3, 3)
    m, R = rough_four_bar(rng, (1.0, 2.0, 1.5, 2.2), unit)
    with pytest.raises(lv.ModelError, match="does not fit at the start"):
        lv.dynamics(m)
    found = lv.assemble(m)
    assert set(found.moved) == {"bar0", "bar1", "bar2"}
    assert str(found).startswith("moved bar0 by ")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "3 constraint equations are redundant")
        motion = lv.simulate(m, h=1e-3, until=0.05)
    assert motion.freedom == 1
    assert motion.defect_position.max() < 1e-12 * max(unit, 1.0)  # m or rad
    corners = [motion.position(m[f"j{k}"].b)[0] for k in range(4)]
    gaps = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    assert gaps == pytest.approx(unit * np.array([1.0, 2.0, 1.5]), rel=1e-12)
    assert np.abs(np.array(corners) @ R[:, 2]).max() < 1e-11 * unit  # in the plane
    for k in range(4):
        assert motion.coordinate(f"j{k}")[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_planar_model_warns_of_nothing(seed):
    m, _ = rough_four_bar(np.random.default_rng(seed), (1.0, 2.0, 1.5, 2.2), planar="xz")
    lv.assemble(m)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lv.simulate(m, h=1e-3, until=0.05)
    assert motion.freedom == 1
    assert not motion.redundant


@pytest.mark.filterwarnings("ignore:3 constraint equations")
def test_held_bodies_stay_and_others_follow():
    """The crank is held, so that the triangle of coupler and rocker follows from their lengths."""
    m, R = rough_four_bar(np.random.default_rng(4), (1.0, 2.0, 1.5, 2.2))
    angle = 1.1
    crank = m["bar0"]
    crank.pose = lv.Pose(
        0.5 * R @ (np.cos(angle), np.sin(angle), 0), R @ Rotation.from_rotvec((0, 0, angle)).as_matrix()
    )
    m = rebuilt(m)
    before = m["bar0"].pose.matrix.copy()
    found = lv.assemble(m, hold=["bar0"])
    assert "bar0" not in found.moved
    assert np.array_equal(m["bar0"].pose.matrix, before)
    knee = lv.dynamics(m).position(m["j2"].b)[0]
    elbow, far = R @ (np.cos(angle), np.sin(angle), 0), 2.2 * R[:, 0]
    assert np.linalg.norm(knee - elbow) == pytest.approx(2.0)
    assert np.linalg.norm(knee - far) == pytest.approx(1.5)


def rebuilt(m):
    """The same model, whose joints are made with the present poses of its bodies."""
    other = lv.Model(gravity=m.gravity)
    bodies = {m.world.name: other.world}
    for body in m.bodies[1:]:
        bodies[body.name] = other.add(lv.Body(body.shape, at=body.pose.a, rotation=body.pose.B, name=body.name))
    for joint in m.joints:
        ends = [bodies[p.body.name].point(p.r) for p in (joint.a, joint.b)]
        other.add(lv.Revolute(*ends, axis=joint.axis, name=joint.name))
    return other


def test_five_centimetres_off_a_bar_of_one_metre():
    m = lv.Model()
    bar = m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1.0), at=(0.55, 0.3, 0), name="bar"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), axis=(0, 0, 1), name="pin"))
    assert lv.assemble(m).moved["bar"][0] > 0.05
    assert np.linalg.norm(m["bar"].point(-0.5, 0, 0).start) < 1e-14
    assert lv.assemble(m).moved == {}
    assert str(lv.assemble(m)) == "no body was moved: the joints are satisfied"


@pytest.mark.parametrize("seed", range(4))
def test_directions_turn_with_their_bodies(seed):
    """A chain of every joint, torn apart and put together: each axis is then fixed to both bodies, and what acts on the
    coordinates acts from the new start."""
    rng = np.random.default_rng(seed)
    m, last = lv.Model(gravity=(0, 0, -9.81)), None
    last = m.world.point(0, 0, 0)
    kinds = [lv.Revolute, lv.Universal, lv.Prismatic, lv.Planar, lv.Cylindrical, lv.Spherical, lv.Screw, lv.Rod]
    for k in rng.permutation(len(kinds)):
        body = m.add(lv.Body(lv.Box(1, 0.3, 0.2, mass=1.0), at=rng.normal(size=3), name=f"b{k}",
                             rotation=Rotation.random(random_state=rng).as_matrix()))  # fmt: skip
        u, w, _ = Rotation.random(random_state=rng).as_matrix()
        ends, kind = (last, body.point(-0.5, 0, 0)), kinds[k]
        given = {
            lv.Universal: {"axis_a": u, "axis_b": w, "stiffness": 3.0}, lv.Planar: {"normal": u},
            lv.Rod: {"length": 0.7}, lv.Spherical: {"stiffness": 2.0}, lv.Screw: {"axis": u, "pitch": 0.2},
        }.get(kind, {"axis": u, "stiffness": 5.0, "limits": (-0.4, 0.4)})  # fmt: skip
        m.add(kind(*ends, **given, name=f"j{k}"))
        last = body.point(0.5, 0, 0)
    lv.assemble(m)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lv.simulate(m, h=1e-3, until=0.02)
    assert motion.defect_position.max() < 1e-11
    for joint in m.joints:
        if joint.coordinates:
            assert np.ravel(motion.coordinate(joint)[0]) == pytest.approx(0.0, abs=1e-12)
    weight = -sum(b.mass_properties.mass * m.gravity @ motion.position(b)[0] for b in m.bodies[1:])
    assert motion.potential[0] == pytest.approx(weight, abs=1e-10)


def test_joints_that_cannot_be_satisfied_are_named():
    """A rod of 1 m between points that are 3 m apart at least; the model stays as it was."""
    m = lv.Model()
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1.0), at=(0.5, 0, 0), name="arm"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), name="pin"))
    m.add(lv.Rod(m.world.point(4, 0, 0), arm.point(0.5, 0, 0), length=1.0, name="rod"))
    before = arm.pose
    with pytest.raises(lv.ModelError, match=r"no position of the bodies satisfies all joints.*Rod 'rod'.*misses by"):
        lv.assemble(m)
    assert arm.pose is before
    with pytest.raises(lv.ModelError, match="hold lists bodies of the model or their names, not 'pin'"):
        lv.assemble(m, hold=["pin"])
    with pytest.raises(lv.ModelError, match="assemble takes a Model"):
        lv.assemble("model")
    with pytest.raises(lv.ModelError, match="no position of the bodies"):
        lv.assemble(m, hold="arm")
