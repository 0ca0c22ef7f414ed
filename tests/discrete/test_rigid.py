"""Rigid bodies through the general machinery: twelve coordinates, constraints, and the same motion."""

from contextlib import nullcontext

import numpy as np
import pytest

import livens as lv
import livens.discrete as ld
from livens.discrete import constrained, minimise
from tests.helpers import mechanisms


def two_bars(spring=True):
    m = lv.Model(gravity=(0, 0, -9.81), name="two bars")
    a = m.add(lv.Body(lv.Box(1, 0.3, 0.2, density=1000), at=(0.5, 0, 0), name="a"))
    b = m.add(lv.Body(lv.Box(0.8, 0.3, 0.15, density=1000), at=(1.4, 0, 0), name="b"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), a.point(-0.5, 0, 0), axis=(0, 1, 0.3), name="shoulder"))
    m.add(lv.Spherical(a.point(0.5, 0, 0), b.point(-0.4, 0, 0), name="elbow"))
    if spring:
        m.add(lv.Spring(m.world.point(1, 1, 1), b.point(0.4, 0, 0.02), stiffness=300.0, length=0.5))
    return m


def universal_pair():
    m = lv.Model(gravity=(0, 0, -9.81), name="universal")
    a = m.add(lv.Body(lv.Box(1, 0.3, 0.2, density=500), at=(0.5, 0, 0), name="a"))
    b = m.add(lv.Body(lv.Box(1, 0.2, 0.3, density=500), at=(1.5, 0, 0), name="b"))
    m.add(lv.Universal(m.world.point(0, 0, 0), a.point(-0.5, 0, 0), axis_a=(0, 1, 0), axis_b=(0, 0, 1), name="u"))
    m.add(lv.Prismatic(a.point(0.5, 0, 0), b.point(-0.5, 0, 0), axis=(1, 0, 0), name="slide"))
    m.add(lv.Rod(m.world.point(2, 2, 1), b.point(0.5, 0.1, 0), name="rod"))
    m.add(lv.Spring(a.point(0, 0.1, 0), b.point(0, 0.2, 0), stiffness=200.0))
    return m


def orbit():
    m = lv.Model(name="orbit")
    for k, (x, v) in enumerate([((0, 0, 0), (0, 0, 0)), ((1, 0, 0), (0, 1, 0.1)), ((-2, 0, 0.5), (0, -0.7, 0))]):
        m.add(lv.Body(lv.MassProperties(1.0 if k == 0 else 0.01, (0.01, 0.02, 0.025)), at=x, velocity=v,
                      body_rates=(0.3, 2.0, 0.1 * k), name=f"b{k}"))  # fmt: skip
    m.add(lv.Attraction(G=1.0))
    return m


MODELS = {
    "free body": lambda: free(),
    "heavy top": mechanisms.heavy_top,
    "two bars": two_bars,
    "universal, prismatic, rod": universal_pair,
    "thin rods and point masses": lambda: mechanisms.chain(3),
    "orbit": orbit,
}


def free():
    m = lv.Model(name="free")
    m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), velocity=(1, 2, 3), body_rates=(0.1, 2, 0.1), name="top"))
    return m


def configurations(run, bodies):
    x = run.q.reshape(len(run), bodies, 12)
    return x[:, :, :3], x[:, :, 3:].reshape(len(run), bodies, 3, 3)


@pytest.mark.parametrize("name", MODELS)
def test_the_livens_scheme_is_the_trapezoidal_discrete_lagrangian(name):
    """Two codes with nothing in common but the principle, to 1e-11: three unknowns a body and sparse multipliers here,
    twelve coordinates, six constraints a body and dense Newton there."""
    model = MODELS[name]()
    h, until = (1e-4, 0.02) if name == "heavy top" else (1e-3, 0.2)
    motion = lv.simulate(model, lv.Livens(), h=h, until=until)
    system, q, v = ld.affine(model)
    run = ld.simulate(system, ld.Trapezoidal(), q=q, v=v, h=h, until=until)
    a, B = configurations(run, len(model.bodies) - 1)
    free_to_spin = motion.system.bodies.inverse_inertia[1:] == 0.0  # about an axis without inertia
    assert np.abs(a - motion.record.a[:, 1:]).max() < 1e-11
    turned = np.abs(B - motion.record.B[:, 1:])
    assert turned[:, ~free_to_spin.any(1)].max(initial=0.0) < 1e-11
    assert np.abs(run.energy - motion.energy).max() < 1e-11 * (1 + np.abs(motion.energy).max() + np.ptp(motion.kinetic))
    assert run.defect.max() < 1e-11


@pytest.mark.parametrize(
    "scheme", [ld.Newmark(), ld.GeneralizedAlpha(0.8), ld.Midpoint(), ld.Galerkin(4, "lobatto")], ids=repr
)
def test_every_scheme_converges_to_the_same_motion(scheme):
    model = two_bars()
    exact = lv.simulate(model, lv.Livens(6), h=1e-3, until=0.3)
    system, q, v = ld.affine(model)
    errors = []
    for h in (4e-3, 2e-3):
        run = ld.simulate(system, scheme, q=q, v=v, h=0.3 / round(0.3 / h), until=0.3)
        errors.append(np.abs(configurations(run, 2)[0][-1] - exact.record.a[-1, 1:]).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(scheme.order, abs=0.1), errors


def test_rigid_newmark_and_newmark_in_twelve_coordinates_agree_in_the_limit():
    """Two different schemes (on the group, and in the coordinates): both of order 2, so they differ by h²."""
    model = two_bars()
    system, q, v = ld.affine(model)
    gaps = []
    for h in (2e-3, 1e-3):
        run = ld.simulate(system, ld.Newmark(), q=q, v=v, h=h, until=0.3)
        motion = lv.simulate(model, lv.Newmark(), h=h, until=0.3)
        gaps.append(np.abs(configurations(run, 2)[0][-1] - motion.record.a[-1, 1:]).max())
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx(2, abs=0.1), gaps


def test_nearly_rigid_bodies_become_rigid():
    """With the orthogonality energy bodies strain, and leave the rigid motion, by one over its stiffness."""
    model = two_bars(spring=False)
    rigid, q, v = ld.affine(model)
    h = 1e-4
    exact = ld.simulate(rigid, ld.Midpoint(), q=q, v=v, h=h, until=0.1)
    strains, gaps = [], []
    for kappa in (1e6, 4e6):
        soft, q, v = ld.affine(model, stiffness=kappa)
        assert soft.constraints == rigid.constraints - 12
        run = ld.simulate(soft, ld.Midpoint(), q=q, v=v, h=h, until=0.1)
        B = configurations(run, 2)[1]
        strains.append(np.abs(np.swapaxes(B, 2, 3) @ B - np.eye(3)).max())
        gaps.append(np.abs(run.q - exact.q).max())
    assert strains[0] / strains[1] == pytest.approx(4, rel=0.1), strains
    assert gaps[0] / gaps[1] == pytest.approx(4, rel=0.2), gaps


@pytest.mark.parametrize("stiffness", [None, 1e7], ids=["rigid", "nearly rigid"])
def test_the_incremental_potential_steps_rigid_bodies_as_newmark_does(stiffness):
    """By minimisation under the exact constraints, or with the orthogonality energy."""
    system, q, v = ld.affine(two_bars(), stiffness=stiffness)
    minimised, solved = (
        ld.simulate(system, scheme, q=q, v=v, h=1e-3, until=0.1) for scheme in (ld.IncrementalPotential(), ld.Newmark())
    )
    assert np.abs(minimised.q - solved.q).max() < 1e-11
    assert np.abs(minimised.v - solved.v).max() < 1e-8
    assert minimised.defect.max() < 1e-11


@pytest.mark.parametrize("stiffness", [None, 1e5], ids=["rigid", "nearly rigid"])
def test_no_line_search_of_bodies_accepts_an_increase(stiffness, monkeypatch):
    """Of Π with the orthogonality energy, of Π + ρ|g| under the exact constraints; up to the round-off of these."""
    seen = []

    def spied(search):
        def spy(trial, x, d, value, size, *more):
            found = search(trial, x, d, value, size, *more)
            defect, weight = more[:2] if stiffness is None else (0.0, 0.0)
            now = trial.value(x)[0] + weight * float(np.abs(trial.g).sum())
            seen.append((now - value - weight * defect) / (size + weight * defect))
            return found

        return spy

    solver = constrained if stiffness is None else minimise
    monkeypatch.setattr(solver, "search", spied(solver.search))
    m = two_bars()
    if stiffness is not None:  # joints are constraints: bodies that springs hold have none
        m.joints.clear()
    system, q, v = ld.affine(m, stiffness=stiffness)
    v = v + 5.0 * np.cos(np.arange(len(v)))
    with pytest.warns(lv.ModelWarning) if stiffness is None else nullcontext():
        ld.simulate(system, ld.IncrementalPotential(), q=q, v=v, h=0.05, until=1.0)
    assert len(seen) > 40
    assert max(seen) <= 1e-13


def test_the_mass_of_a_body_is_its_matrix_of_twelve():
    """T of any affine motion (ȧ, Ḃ), as the 12 × 12 matrix says whose reference point and axes are the user's."""
    parts = [lv.Box(1, 0.3, 0.2, density=1000), (lv.Box(0.2, 0.5, 0.1, density=800), lv.Pose((0.3, 0.2, 0.1)))]
    m = lv.Model(name="wedge")
    body = m.add(lv.Body(lv.Compound(parts), at=(1, 2, 3), name="wedge"))
    matter = body.mass_properties
    system, q, _ = ld.affine(m)
    random = np.random.default_rng(0)
    for adot, Bdot in zip(random.normal(size=(4, 3)), random.normal(size=(4, 3, 3)), strict=True):
        X = np.column_stack([adot, Bdot]).ravel()
        v = np.concatenate([adot + Bdot @ matter.center, (Bdot @ matter.principal()[1]).ravel()])
        T = 0.5 * X @ matter.matrix12() @ X
        assert ld.energy(system, q, v) == pytest.approx(T, rel=1e-13)


def damped_bars():
    """A damper to the world and one between the bars."""
    m = two_bars()
    m.add(lv.Damper(m.world.point(1, 1, 1), m["b"].point(0.1, 0, 0.05), rate=400.0))
    m.add(lv.Damper(m["a"].point(0.2, 0, 0.1), m["b"].point(0.2, 0, -0.07), rate=300.0))
    return m


@pytest.mark.parametrize(
    "scheme",
    [ld.Midpoint(), ld.Trapezoidal(), ld.Galerkin(4), ld.Newmark(), ld.IncrementalPotential(dissipation="end")],
    ids=repr,
)
def test_dampers_are_taken_over(scheme):
    """The motion and the heat of the Livens scheme, which knows dampers as rows of its velocity solve; the incremental
    potential takes D where the step begins, and so is of order 1."""
    model, order = damped_bars(), 1 if isinstance(scheme, ld.IncrementalPotential) else scheme.order
    exact = lv.simulate(model, lv.RungeKutta(), h=1e-3, until=0.3)
    system, q, v = ld.affine(model)
    errors, heat = [], []
    for h in (0.01, 0.005) if order == 4 else (2e-3, 1e-3):
        run = ld.simulate(system, scheme, q=q, v=v, h=h, until=0.3)
        errors.append(np.abs(configurations(run, 2)[0][-1] - exact.record.a[-1, 1:]).max())
        heat.append(abs(run.lost[-1] - exact.dissipated[-1]))
    assert exact.dissipated[-1] > 10.0
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1), errors
    assert heat[1] < 0.02 * exact.dissipated[-1]


def test_what_is_not_taken_over_is_said():
    sprung = lv.Model(name="sprung")
    bar = sprung.add(lv.Body(lv.Box(1, 0.3, 0.2, density=1000), at=(0.5, 0, 0), name="bar"))
    sprung.add(lv.Revolute(sprung.world.point(0, 0, 0), bar.point(-0.5, 0, 0), axis=(0, 1, 0), damping=0.1, name="pin"))
    with pytest.raises(lv.ModelError, match=r"dampers, stops or motors in joints, .* ld\.affine does not take over"):
        ld.affine(sprung)
    loaded = two_bars(spring=False)
    loaded.add(lv.Load(loaded["b"].point(0, 0, 0), force=(1, 0, 0)))
    with pytest.raises(lv.ModelError, match="loads"):
        ld.affine(loaded)
    with pytest.raises(lv.ModelError, match="has no bodies"):
        ld.affine(lv.Model(name="empty"))
    with pytest.raises(lv.ModelError, match="stiffness of bodies must be positive"):
        ld.affine(two_bars(), stiffness=-1.0)
