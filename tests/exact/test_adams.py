"""Single joints, springs and dampers against ADAMS, by way of Project Chrono's joint tests (BSD-3-Clause).

[ODE] agrees with the ADAMS files to about 5e-6; [3P] is ADAMS itself. References give the reaction on the ground,
`motion.reaction` is that on the body. With dampers the scheme has order 2, and Richardson's extrapolation from h and
h/2 is used where ten digits are to be met.
"""

import numpy as np
import pytest

import livens as lv
from tests.helpers import mechanisms, runs


def test_revolute_01():
    motion = runs.run(mechanisms.revolute01(), 6, h=1e-2, until=5.0)
    t1, t5 = runs.at(motion, (1, 5))
    assert np.abs(motion.position("body")[t1] - (-0.892381486, 0, -1.789875773)).max() < 1e-9
    assert np.abs(motion.velocity("body")[t1] - (-5.237424095, 0, 2.611231664)).max() < 1e-9
    assert motion.angular_velocity("body")[t1] == pytest.approx((0, 2.926138324, 0), abs=1e-9)
    assert np.abs(motion.position("body")[t5] - (-1.999683869, 0, -0.035558748)).max() < 1e-9
    on_ground = -motion.reaction("hinge")[t1]
    assert np.abs(on_ground - (-11.4612, 0, -23.2273)).max() < 1e-4  # [3P] six digits


def test_distance_03():
    motion = runs.run(mechanisms.distance03(), 6, h=2.5e-3, until=5.0)
    t1, t5 = runs.at(motion, (1, 5))
    assert np.abs(motion.position("body")[t1] - (0, 1.588487779, -3.670107744)).max() < 1e-9
    assert np.abs(motion.position("body")[t5] - (0, 3.95575938, -0.301586527)).max() < 1e-9


def extrapolated(build, times, h):
    """Positions of the body at `times` with the error of second order removed, and what was removed."""
    coarse, fine = (runs.run(build(), h=h / k, until=times[-1]) for k in (1, 2))
    x, y = (motion.position("body")[runs.at(motion, times)] for motion in (coarse, fine))
    return (4 * y - x) / 3, np.abs(y - x).max() / 3


def spring_and_damper():
    """TranSpring 01: a spring and a damper to a point that the body leaves and does not reach again."""
    m = lv.Model(gravity=mechanisms.CHRONO)
    body = m.add(lv.Body(lv.MassProperties(1.0, (0.04, 0.1, 0.1)), name="body"))
    m.add(lv.Spring(m.world.point(0, 0, 0), body.point(0, 0, 0), stiffness=10.0, length=0.0, damping=0.5))
    return m


@pytest.mark.parametrize("build", [mechanisms.tran_spring01, spring_and_damper], ids=("joint", "spring"))
def test_tran_spring_01(build):
    """On a prismatic joint, and as a spring with a damper on a free body; and the closed form of both."""
    times = np.array([1.0, 2.0, 5.0])
    found, removed = extrapolated(build, times, 2e-3)
    assert np.abs(found[:, 2] - (-1.745016599, -0.384982412, -1.262422875)).max() < 1e-9 + removed**2
    w, c = np.sqrt(10 - 0.0625), 0.25
    closed = -0.980665 * (1 - np.exp(-c * times) * (np.cos(w * times) + c / w * np.sin(w * times)))
    assert np.abs(found[:, 2] - closed).max() < 1e-9 + removed**2
    assert np.abs(found[:, :2]).max() < 1e-15


def test_rot_spring_01():
    found, removed = extrapolated(mechanisms.rot_spring01, (0.5, 5.0), 2e-3)
    assert np.abs(found - [(1.977293912, 0, -0.300514202), (1.990439127, 0, -0.195325578)]).max() < 1e-9 + removed**2


@pytest.mark.parametrize("build", [mechanisms.tran_spring01, mechanisms.rot_spring01], ids=("spring", "torsion"))
def test_dampers_have_order_two(build):
    """In position, velocity and reaction."""

    def end(h):
        motion = runs.run(build(), h=h, until=0.5)
        joint = motion.model.joints[0]
        parts = (
            motion.position("body"),
            motion.velocity("body"),
            motion.reaction(joint),
            motion.reaction_torque(joint),
        )
        return np.stack([part[-1] for part in parts])

    coarse, middle, fine = (end(2e-3 / k) for k in (1, 2, 4))
    for a, b, c in zip(coarse, middle, fine, strict=True):
        if np.abs(b - c).max() > 1e-12:
            assert np.log2(np.abs(a - b).max() / np.abs(b - c).max()) == pytest.approx(2, abs=0.05)


def test_dampers_refuse_higher_orders():
    """Negative substeps would add energy: the error message explains this."""
    with pytest.raises(lv.ModelError, match=r"order 4 .* dampers .*order=2"):
        lv.simulate(mechanisms.rot_spring01(), lv.Livens(4), h=1e-3, until=1.0)
