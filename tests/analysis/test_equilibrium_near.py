"""Equilibria near a given position, of any stability."""

import numpy as np
import pytest

import livens as lv


@pytest.mark.parametrize("seed", range(3))
def test_the_four_equilibria_of_a_double_pendulum(seed):
    """Each link hangs or stands; the stiffness follows from the angles: stable only where both hang."""
    rng = np.random.default_rng(seed)
    R = lv.Pose.from_quaternion(rng.normal(size=4)).B
    unit = 10.0 ** rng.uniform(-2, 2)
    m = lv.Model(gravity=-9.81 * unit * R[:, 2])
    base = m.world.point(0, 0, 0)
    for k in range(2):
        bar = m.add(lv.Body(lv.Box(0.1 * unit, 0.1 * unit, unit, mass=1.0 + k), at=-unit * (k + 0.5) * R[:, 2],
                            rotation=R, name=f"b{k}"))  # fmt: skip
        m.add(lv.Revolute(base, bar.point(0, 0, unit / 2), axis=R[:, 1], name=f"j{k}"))
        base = bar.point(0, 0, -unit / 2)
    for one in (0.0, np.pi):
        for two in (0.0, np.pi):
            angles = np.array([one, two - one])  # of the links from the vertical, and of the joints
            found = lv.equilibrium(m, near=angles + rng.uniform(-0.25, 0.25, 2))
            turned = np.cumsum([found.coordinate("j0")[0], found.coordinate("j1")[0]])
            assert np.exp(1j * turned) == pytest.approx(np.exp(1j * np.array([one, two])), abs=1e-9)
            assert found.stability == ("stable" if one == two == 0.0 else "unstable")
            assert found.stable == (one == two == 0.0)
            assert (found.stiffnesses < 0).sum() == (one > 0) + (two > 0)
            assert np.abs(found.acceleration("b1")).max() < 1e-8 * 9.81 * unit
            if not found.stable:
                assert lv.equilibrium(m, near=found, stable=True).stable
    with pytest.raises(lv.ModelError, match="the equilibrium near this position is stable"):
        lv.equilibrium(m, near=[0.1, 0.1], stable=False)
    assert lv.equilibrium(m).stability == "stable"
    with pytest.raises(lv.ModelError, match="q needs one number for each of j0, j1"):
        lv.equilibrium(m, near=[0.1])


def test_a_snapping_truss_has_three_equilibria():
    """A mass between two springs that are compressed when level: two stable positions, and the level one between."""
    m = lv.Model()
    bead = m.add(lv.Body(lv.PointMass(1.0), at=(0, 0, 0.3), name="bead"))
    m.add(lv.PointOnLine(m.world.point(0, 0, 0), bead.point(0, 0, 0), axis=(0, 0, 1), name="wire"))
    for x in (-1.0, 1.0):
        m.add(lv.Spring(m.world.point(x, 0, 0), bead.point(0, 0, 0), stiffness=50.0, length=1.2))
    height = np.sqrt(1.2**2 - 1.0)
    for z, expected, stability in ((0.5, height, "stable"), (0.05, 0.0, "unstable"), (-0.6, -height, "stable")):
        start = lv.dynamics(m).state
        start.a[1, 2] = z
        found = lv.equilibrium(m, near=start)
        assert found.position(bead)[0, 2] == pytest.approx(expected, abs=1e-9)
        assert found.stability == stability


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_an_equilibrium_is_found_from_anywhere(seed):
    """A chain on springs, tilted, from positions where the least squares of the forces end without balance; whether it
    is stable is what the eigenvalues of the linear system say."""
    rng = np.random.default_rng(seed)
    R = lv.Pose.from_quaternion(rng.normal(size=4)).B
    unit = 10.0 ** rng.uniform(-2, 2)
    m = lv.Model(gravity=-9.81 * unit * R[:, 2])
    base = m.world.point(0, 0, 0)
    for k in range(3):
        size, at = (unit, 0.1 * unit, 0.1 * unit), (k + 0.5) * unit * R[:, 0]
        bar = m.add(lv.Body(lv.Box(*size, mass=1.0), at=at, rotation=R, name=f"b{k}"))
        axis, stiffness = R @ (0, 1, 0.3 * rng.normal()), 15.0 * unit**2 * rng.uniform(0.2, 1.5)
        m.add(lv.Revolute(base, bar.point(-unit / 2, 0, 0), axis=axis, stiffness=stiffness, name=f"j{k}"))
        base = bar.point(unit / 2, 0, 0)
    kinds = set()
    for _ in range(3):
        found = lv.equilibrium(m, near=rng.uniform(-2.0, 2.0, 3))
        assert np.abs(found.acceleration("b2")).max() < 1e-8 * 9.81 * unit
        grows = np.linalg.eigvals(lv.linearize(m, at=found).A[3:, :3]).real.max() > 0.0
        assert found.stability == ("unstable" if grows else "stable")
        kinds.add(found.stability)
    assert "stable" in kinds


def test_a_neutral_equilibrium_says_so():
    """A balanced wheel rests at any angle."""
    m = lv.Model(gravity=(0, 0, -9.81))
    wheel = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.1, 0.2)), name="wheel"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), wheel.center, axis=(0, 1, 0), name="axle"))
    found = lv.equilibrium(m, near=[0.7])
    assert found.coordinate("axle")[0] == pytest.approx(0.7)
    assert found.stability == "neutral"


def test_no_equilibrium_near_a_falling_body():
    """Free fall: no position balances."""
    m = lv.Model(gravity=(0, 0, -9.81))
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), name="stone"))
    with pytest.raises(lv.ModelError, match=r"no equilibrium found: body 'stone' has a residual force of 9\.81 N"):
        lv.equilibrium(m, near=lv.dynamics(m))


def test_without_any_force_every_position_is_a_neutral_equilibrium():
    m = lv.Model()
    bar = m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1.0), at=(0.5, 0, 0), name="bar"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    for near in ([0.7], None):
        found = lv.equilibrium(m, near=near)
        assert found.stability == "neutral"
        assert found.coordinate("hinge")[0] == pytest.approx(0.7 if near else 0.0, abs=1e-12)


def test_stable_is_true_false_or_none():
    m = lv.Model()
    m.add(lv.Body(lv.Ball(0.1, mass=1.0), name="ball"))
    with pytest.raises(lv.ModelError, match="stable must be True, False or None, not 3"):
        lv.equilibrium(m, stable=3)
