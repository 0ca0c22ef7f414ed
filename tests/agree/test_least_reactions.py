"""Reactions of redundant constraints have minimum norm, by dense singular values and whatever else is in the model."""

import numpy as np
import pytest

import livens as lv
from benchmarks.random_models import describe
from benchmarks.random_models.description import View, build
from livens.compile.compiled import Compiled
from livens.compile.states import copied

pytestmark = pytest.mark.filterwarnings("ignore::livens.ModelWarning")


def rotation(seed):
    return lv.Pose.from_quaternion(np.random.default_rng(seed).normal(size=4)).B


def least(compiled, lam):
    """D^½ λ of the constraints, and its part in the null space of Gᵀ D^(−½), by dense singular values."""
    fit = Compiled.assembly(compiled, copied(compiled.state))
    full = compiled.full
    fit = type(fit)(compiled.model, full, copied(compiled.state), compiled.all_owners)
    fit.evaluate_jacobian()
    hard, root = fit.hard, np.sqrt(full.rows.metric)
    masses = np.concatenate(
        [np.repeat(full.bodies.inverse_mass[:, None], 3, axis=1), full.bodies.inverse_inertia], axis=1
    )
    K = (fit.jacobian() * np.sqrt(masses.ravel()) / root[:, None])[hard]
    U, s, _ = np.linalg.svd(K)
    rank = int((s > 1e-9 * s[0]).sum())
    scaled = (root * lam)[hard]
    return scaled, U[:, rank:].T @ scaled


REDUNDANT = [
    seed for seed in range(200, 260) if describe(seed).loops and Compiled.of(build(describe(seed)), True).left_out
]


@pytest.mark.parametrize("seed", REDUNDANT[:12])
def test_multipliers_have_no_part_in_the_null_space(seed):
    view = View(
        R=rotation(seed), length=10.0 ** (seed % 7 - 3), mass=10.0 ** (seed % 5 - 2), time=10.0 ** (seed % 3 - 1)
    )
    now = lv.dynamics(build(describe(seed), view))
    whole, left = least(now.compiled, now.multipliers[0])
    assert len(left)
    assert np.abs(left).max() < 1e-13 * np.abs(whole).max()


def door(R=None, unit=1.0, others=0, mass=1.0, size=1.0):
    """A door on two hinges, 20 units of mass, and other pendulums that have nothing to do with it."""
    R = np.eye(3) if R is None else R
    m = lv.Model(gravity=unit * (R @ (0, 0, -9.81)))
    at = lambda *x: unit * (R @ x)  # noqa: E731
    leaf = m.add(
        lv.Body(lv.Box(0.8 * unit, 0.04 * unit, 2.0 * unit, mass=20.0), at=at(0.4, 0, 1), rotation=R, name="leaf")
    )
    for name, z in (("lower", 0.3), ("upper", 1.7)):
        place = at(0, 0, z)
        m.add(lv.Revolute(m.world.point_at(place), leaf.point_at(place), axis=R @ (0, 0, 1), name=name))
    for k in range(others):
        box = lv.Box(0.1 * size * unit, 0.2 * size * unit, 0.3 * size * unit, mass=mass)
        body = m.add(lv.Body(box, at=at(5 + k, 0, 0), name=f"pendulum {k}"))
        top = at(5 + k, 0, size)
        m.add(lv.Revolute(m.world.point_at(top), body.point_at(top), axis=R @ (0, 1, 0), name=f"pin {k}"))
    return m


def loads(model, R, unit):
    now = lv.dynamics(model)
    force = np.array([now.reaction(name)[0] @ R for name in ("lower", "upper")]) / unit
    return force, np.array([now.reaction_torque(name)[0] @ R for name in ("lower", "upper")]) / unit**2


@pytest.mark.parametrize("mass", [1e-12, 1e-3, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("size", [1e-4, 1.0, 1e5])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e6])
def test_reactions_do_not_depend_on_the_rest_of_the_model(mass, size, unit):
    """With ℓ the lever arm of a hinge, the torques M of both hinges and their horizontal forces F balance the weight,
    2 M + 1.4 F = m g 0.4; F² + (M/ℓ)² is least for M = F ℓ²/0.7."""
    R = rotation(int(size) + round(np.log10(mass)) % 17)
    force, torque = loads(door(R, unit, 3, mass, size), R, unit)
    arm = 0.7  # the largest component of a lever arm of the loop
    couple = 20 * 9.81 * 0.4
    F = couple / (1.4 + 2.0 * arm**2 / 0.7)
    assert force[:, 2] == pytest.approx([98.1, 98.1], rel=1e-12)
    assert force[0] + force[1] == pytest.approx(np.array([0, 0, 196.2]), abs=1e-11)
    alone = loads(door(R, unit), R, unit)
    assert np.abs(force - alone[0]).max() < 1e-11 * couple
    assert np.abs(torque - alone[1]).max() < 1e-11 * couple
    if unit == size == mass == 1.0:
        plain = loads(door(), np.eye(3), 1.0)
        assert abs(plain[0][0, 0]) == pytest.approx(F, rel=1e-12)
        assert abs(plain[1][0, 1]) == pytest.approx(F * arm**2 / 0.7, rel=1e-12)


@pytest.mark.parametrize("seed", [139, 148, 197, 206, 228, 264, 297, 327])
def test_a_flat_start_with_uneven_masses_has_one_degree_of_freedom(seed):
    """Positions away from the start, at which constraints are counted, must be found whatever the masses are."""
    rng = np.random.default_rng(seed)
    m = lv.Model()
    R = lv.Pose.from_quaternion(rng.normal(size=4)).B
    a, b = rng.uniform(0.5, 1.5, 2)
    bars = [m.world]
    for k, x in enumerate((0.5 * a, a + 0.5 * b, 0.5 * b)):
        mass, radius = 10 ** rng.uniform(-4, 4), 10 ** rng.uniform(-2, 1)
        matter = lv.MassProperties(mass, mass * radius * radius * np.array([0.5, 0.6, 0.7]))
        bars.append(m.add(lv.Body(matter, at=R @ (x, 0, 0), rotation=R, name=f"bar {k}")))
    for k, x in enumerate((0.0, a, a + b, b)):
        ends = (bars[k], bars[(k + 1) % 4])
        m.add(lv.Revolute(*(body.point_at(R @ (x, 0, 0)) for body in ends), axis=R @ (0, 0, 1), name=f"hinge {k}"))
    assert lv.dynamics(m).freedom == 1
