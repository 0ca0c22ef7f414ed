"""Energies and forces that users write agree with the built-in ones, whatever the frames, numbers, files and orders."""

import functools
import math
import sys

import numpy as np
import pytest

import livens as lv
from livens.analysis.conserved import conserved
from livens.analysis.report import angular_series, momentum_series

pytest.importorskip("casadi")

G = 9.81
EPS = np.finfo(float).eps
MATTER = lv.MassProperties(2.0, [[0.5, 0.05, 0.02], [0.05, 0.4, -0.03], [0.02, -0.03, 0.3]], center=(0.1, -0.05, 0.08))


def built_in(p, q, k, l, name):
    return lv.Spring(p, q, stiffness=k, length=l, name=name)


def written(p, q, k, l, name):
    return lv.Energy(
        lambda b: 0.5 * k * (lv.norm(b[q.body].point(q.r) - b[p.body].point(p.r)) - l) ** 2,
        bodies=[p.body, q.body],
        name=name,
    )


def chain(spring, joints=False, order=(0, 1, 2), gravity=(0, 0, -G)):
    """Three crooked bodies on springs, the first on the world, or hung by a hinge; numbered as `order` says."""
    m = lv.Model(gravity=gravity)
    bodies = {}
    for k in order:
        B = lv.Pose.from_axis_angle((1, 2, 3), 0.7 * k).B
        rates = (0.0, 0.4, 0.0) if joints and k == 0 else (0.1, 0.4, 0.2 * k)
        at = (0.5, 0, 0) if k == 0 else (0.5 + 0.8 * k, 0.3 * k, -0.2)
        bodies[k] = m.add(lv.Body(MATTER, at=at, rotation=B, body_rates=rates, name=f"b{k}"))
    one, two, three = (bodies[k] for k in (0, 1, 2))
    if joints:
        m.add(lv.Revolute(m.world.point(0, 0, 0), one.point_at(0, 0, 0), axis=(0, 1, 0), name="hinge"))
        m.add(lv.Spherical(two.point_at(1.7, 0.5, 0), three.point_at(1.7, 0.5, 0), name="ball"))
    m.add(spring(m.world.point(0, 0.2, 1), one.point(0.1, 0.2, 0.3), 30.0, 0.4, "s0"))
    m.add(spring(one.point(0.4, 0, 0), two.point(-0.3, 0.1, 0), 50.0, 0.3, "s1"))
    m.add(spring(two.point(0.2, 0.2, 0), three.point(-0.3, 0, 0.1), 40.0, 0.5, "s2"))
    m.add(spring(one.point(0, 0, 0.2), three.point(0, 0.2, 0.1), 10.0, 0.7, "s3"))
    return m


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("joints", [False, True])
def test_written_springs_are_springs(joints, order):
    """The same motion, energies, accelerations and reactions, up to the order of sums."""
    one, two = (
        lv.simulate(chain(s, joints), lv.Livens(order), h=2e-3, until=1.0, every=10) for s in (built_in, written)
    )
    for x, y in zip(one.record[:4], two.record[:4], strict=True):
        assert np.abs(x - y).max() <= 2e3 * EPS * max(1.0, np.abs(x).max())
    assert np.abs(one.potential - two.potential).max() <= 1e4 * EPS * np.abs(one.potential).max()
    a = one.acceleration("b1")
    assert np.abs(a - two.acceleration("b1")).max() <= 1e-9 * np.abs(a).max()
    if joints:
        assert np.abs(one.reaction("hinge") - two.reaction("hinge")).max() <= 1e-9 * np.abs(one.reaction("hinge")).max()
        assert two.defect_position.max() <= 1e-11
    assert two.report().energy_slope == pytest.approx(one.report().energy_slope, abs=1e-9)


def test_hamiltonian_and_equilibrium_know_them():
    one, two = (lv.Hamiltonian(chain(s)) for s in (built_in, written))
    assert one(*one.start) == pytest.approx(two(*two.start), rel=1e-14)
    for x, y in zip(one.gradient(*one.start[:2]), two.gradient(*two.start[:2]), strict=True):
        assert np.abs(x - y).max() <= 64 * EPS * np.abs(x).max()
    rest = [lv.equilibrium(chain(s)) for s in (built_in, written)]
    assert rest[0].potential[0] == pytest.approx(rest[1].potential[0], rel=1e-12)
    assert np.abs(lv.dynamics(rest[1].model, rest[1].state).acceleration("b2")).max() <= 1e-7
    assert lv.symplecticity(chain(written), lv.Livens(), h=0.05) <= 1e-9
    assert lv.reversibility(chain(written), lv.Livens(4), h=0.01, steps=100) <= 1e-11


def test_time_of_a_hamiltonian():
    m = lv.Model()
    b = m.add(lv.Body(lv.PointMass(1.0), at=(2, 0, 0), name="b"))
    m.add(lv.Energy(lambda s, t: t * s[b].position[0], bodies=[b]))
    H = lv.Hamiltonian(m, t=3.0)
    assert H(*H.start) == 6.0
    assert H.forces(*H.start[:2])[0].tolist() == [[-3.0, 0.0, 0.0]]
    with pytest.raises(lv.ModelError, match="Energy 'energy1' varies with time"):
        lv.equilibrium(m)


def test_equilibrium_under_a_force():
    """A spring that a force of place holds stretched: k x = F, and drag does not matter at rest."""
    m = lv.Model()
    b = m.add(lv.Body(lv.PointMass(1.0), at=(1, 0, 0), name="b"))
    m.add(lv.Spring(m.world.point(0, 0, 0), b.center, stiffness=100.0, length=1.0))
    m.add(lv.Force(b.center, lambda s: (20.0, 0, 0) - 3.0 * s[b].velocity(0, 0, 0), name="pull"))
    assert lv.equilibrium(m).position(b)[0] == pytest.approx([1.2, 0, 0], abs=1e-10)


def test_numbering_does_not_matter():
    one, two = (lv.simulate(chain(written, order=o), h=2e-3, until=1.0) for o in ((0, 1, 2), (2, 0, 1)))
    for name in ("b0", "b1", "b2"):
        assert np.abs(one.position(name) - two.position(name)).max() <= 1e4 * EPS


def test_any_number_of_bodies():
    """V = ½ k |Σ x|² of seven bodies: every one feels −k Σ x."""
    m = lv.Model()
    bodies = [m.add(lv.Body(lv.PointMass(1.0 + k), at=(k, -0.5 * k, 1), name=f"b{k}")) for k in range(7)]

    def V(b):
        total = sum(b[body].position for body in bodies)
        return 0.5 * 3.0 * lv.dot(total, total)

    m.add(lv.Energy(V, bodies=bodies))
    now, total = lv.dynamics(m), sum(body.pose.a for body in bodies)
    for k, body in enumerate(bodies):
        assert np.abs(now.acceleration(body)[0] + 3.0 * total / (1.0 + k)).max() <= 32 * EPS * np.abs(total).max() * 3


def driven(joints=False):
    m = chain(written, joints)
    b = m["b1"]
    m.add(lv.Energy(lambda s, t: 3.0 * lv.sin(2 * t) * s[b].position[0], bodies=[b], name="tide"))
    m.add(
        lv.Force(
            b.point(0.1, 0, 0),
            lambda s, t: -0.3 * (s[b].velocity(0.1, 0, 0) - s[m["b2"]].velocity(0, 0, 0)) + np.array((0, 0, lv.cos(t))),
            bodies=[b, m["b2"]],
            torque=lambda s: -0.1 * s[b].angular_velocity,
            name="wind",
        )
    )
    return m


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
@pytest.mark.parametrize("joints", [False, True])
def test_files_hold_the_formulas(joints, tmp_path):
    """A stored motion goes on bit for bit, and a model made again from its description moves as it did."""
    half, whole = (lv.simulate(driven(joints), h=1e-3, until=T, every=50) for T in (0.5, 1.0))
    half.save(tmp_path / "half.nc")
    back = lv.load(tmp_path / "half.nc")
    assert np.array_equal(back.energy, half.energy)
    assert np.array_equal(back.acceleration("b1"), half.acceleration("b1"))
    on = lv.resume(back, until=1.0)
    for x, y in zip(on.record, whole.record, strict=True):
        assert np.array_equal(x, y)
    from livens.scene import from_dict, to_dict

    data = to_dict(driven(joints))
    assert to_dict(from_dict(data)) == data


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
@pytest.mark.parametrize("joints", [False, True])
def test_the_account_closes_at_second_order(joints):
    def gap(h):
        motion = lv.simulate(driven(joints), h=h, until=0.5)
        return np.abs(motion.energy - motion.work + motion.dissipated - motion.energy[0]).max()

    assert 1.9 < np.log2(gap(4e-3) / gap(2e-3)) < 2.1


@pytest.mark.parametrize("order", [2, 4, 6])
def test_forces_of_place_and_time_run_at_every_order(order):
    """A spring as a force on each of its ends is the spring."""
    one, two = chain(built_in), chain(built_in)
    one.add(lv.Spring(one["b0"].point(0.1, 0, 0), one["b2"].point(0, 0.1, 0), stiffness=20.0, length=0.0))
    p, q = two["b0"].point(0.1, 0, 0), two["b2"].point(0, 0.1, 0)

    def pull(s):
        return 20.0 * (s[q.body].point(q.r) - s[p.body].point(p.r))

    two.add(lv.Force(p, pull, bodies=[p.body, q.body]))
    two.add(lv.Force(q, lambda s: -pull(s), bodies=[p.body, q.body]))
    motions = [lv.simulate(m, lv.Livens(order), h=1e-2, until=0.5) for m in (one, two)]
    assert np.abs(motions[0].record.a - motions[1].record.a).max() <= 1e4 * EPS
    assert np.abs(motions[0].energy[0] - motions[0].energy[-1]) > 0


CONSERVED = {  # V of two bodies, components of momentum and of angular momentum that are kept
    "inside": (lambda a, b: 3 * lv.norm(a.point(0.1, 0, 0.2) - b.point(0.2, 0.1, 0)) ** 3, 3, 3),
    "central": (lambda a, b: 5 * lv.norm(a.point(0.1, 0, 0.2) - (1.0, 2.0, 3.0)), 0, 3),
    "plane": (lambda a, b: 5 * a.position[2] ** 2 + b.position[2], 2, 1),
    "cylinder": (lambda a, b: (a.position[0] - 1) ** 2 + (a.position[1] - 2) ** 2, 1, 1),
    "compass": (lambda a, b: lv.dot(a.direction(1, 0, 0), (0, 0, 1)), 3, 1),
    "directions": (lambda a, b: lv.dot(a.direction(1, 0, 0), b.direction(0, 1, 0.2)), 3, 3),
    "none": (lambda a, b: a.position[0] * a.position[1] * b.position[2], 0, 0),
}


@pytest.mark.parametrize("name", CONSERVED)
def test_what_is_said_to_be_conserved_is(name):
    V, momentum, angular = CONSERVED[name]
    m = chain(built_in, gravity=(0, 0, 0))
    m.forces[:] = m.forces[1:]  # nothing holds on to the world
    a, b = m["b0"], m["b2"]
    m.add(lv.Energy(lambda s: V(s[a], s[b]), bodies=[a, b], name="V"))
    kept = conserved(m)
    assert len(kept.momentum.directions) == momentum
    assert len(kept.angular_momentum.directions) == angular
    motion = lv.simulate(m, h=2e-3, until=0.5)
    for series in (momentum_series(motion, kept), angular_series(motion, kept)):
        if series is not None:
            assert np.abs(series.error).max() <= len(motion) * 8 * EPS


# ── refusals ──


def one_body():
    m = lv.Model(gravity=(0, 0, -G))
    return m, m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=1000), at=(1, 0, 0), name="arm"))


def tip(b, arm):
    return b[arm].point(0.5, 0, 0)


STRANGER = lv.Body(lv.PointMass(1.0), name="stranger")
HERE = " of test_energy_and_force.py)"
REFUSED = {
    "gives NaN for every motion of its bodies": lambda b, arm: math.nan * tip(b, arm)[0],
    "functions of `math` and float() do not work on symbols; use lv.sin": lambda b, arm: math.sin(tip(b, arm)[0]),
    "float() do not work on symbols": lambda b, arm: 1.0 if float(tip(b, arm)[1]) > 0 else tip(b, arm)[1],
    "use np.where(condition, x, y)": lambda b, arm: tip(b, arm)[1] if tip(b, arm)[0] > 1 else tip(b, arm)[0],
    "`max` do not work on symbols; use np.where": lambda b, arm: max(tip(b, arm)[0], 0.0),
    "gives 3, which depends on none of its bodies": lambda b, arm: 3.0,
    "must give one number [J], an expression such as 0.5*k*lv.dot(d, d), not 3 numbers": lambda b, arm: tip(b, arm),
    "not 2 numbers": lambda b, arm: [tip(b, arm)[0], tip(b, arm)[1]],
    "not NoneType": lambda b, arm: None,
    "not str 'x'": lambda b, arm: "x",
    "not bool True": lambda b, arm: True,
    "not a matrix of 3 × 3": lambda b, arm: b[arm].rotation,
    "has no finite gradient at the start": lambda b, arm: lv.norm(tip(b, arm) - (1.5, 0, 0)),
    "is nan J at the start": lambda b, arm: lv.sqrt(tip(b, arm)[0] - 9),
    "is inf J at the start": lambda b, arm: 1 / tip(b, arm)[2],
    "uses body 'stranger', which is not among its bodies": lambda b, arm: b[STRANGER].position[0],
    "write velocity-dependent forces as an lv.Force": lambda b, arm: lv.norm(b[arm].velocity(0, 0, 0)),
    "an energy depends on positions, directions and time only": lambda b, arm: b[arm].angular_velocity[0],
    "Dimension mismatch": lambda b, arm: lv.norm(tip(b, arm) - (1, 2)),
    "cannot be traced": lambda b, arm: np.linalg.eig(tip(b, arm)),
    "use np.array((x, y, z))": lambda b, arm: lv.norm(tip(b, arm) - (0, 0, tip(b, arm)[0])),
    "x[0], x[1], x[2]": lambda b, arm: sum(tip(b, arm)),
    "must be 3 numbers": lambda b, arm: b[arm].point(1, 2)[0],
    "uses symbols that do not belong to its bodies": lambda b, arm: tip(b, arm)[0] * sys.modules["casadi"].SX.sym("z"),
}  # fmt: skip


@pytest.mark.parametrize("sentence", REFUSED)
def test_functions_that_are_no_energies(sentence):
    """One sentence, with the line at fault."""
    _, arm = one_body()
    with pytest.raises(lv.ModelError) as error:
        lv.Energy(functools.partial(REFUSED[sentence], arm=arm), bodies=[arm], name="well")
    said = str(error.value)
    assert sentence in said
    assert "'well'" in said
    assert "\n" not in said
    assert f"(line {REFUSED[sentence].__code__.co_firstlineno}{HERE}" in said


def test_bodies_that_are_none():
    m, arm = one_body()

    def V(b):
        return b[arm].position[2]

    for bodies, sentence in [
        ([], "Energy 'well' needs a list of bodies"),
        (arm, "needs a list of bodies"),
        ([arm, "fore"], "needs a list of bodies"),
        ([arm, arm], "Energy 'well' lists a body twice"),
        ([m.world], "acts on the world alone"),
    ]:
        with pytest.raises(lv.ModelError, match=sentence):
            lv.Energy(V, bodies=bodies, name="well")
    with pytest.raises(lv.ModelError, match="needs a function of its bodies"):
        lv.Energy(3.0, bodies=[arm])
    with pytest.raises(lv.ModelError, match="uses body 'arm', which is not in this model"):
        lv.Model().add(lv.Energy(V, bodies=[arm], name="well"))


def test_forces_that_are_none():
    m, arm = one_body()
    for fn, sentence in [
        (lambda b: b[arm].position[0], r"must give three numbers \[N\].* not 1 number \(line \d+ of"),
        (lambda b: None, "not NoneType"),
        (lambda b: b[STRANGER].velocity(0, 0, 0), "uses body 'stranger', which is not among its bodies"),
        (lambda b: b[arm].position / b[arm].position[1], r"Force 'push' is not finite at the start \(line"),
        (lambda b: math.sin(b[arm].position[0]), "do not work on symbols"),
    ]:
        with pytest.raises(lv.ModelError, match=sentence):
            lv.Force(arm.center, fn, name="push")
        with pytest.raises(lv.ModelError, match=sentence.replace("N", "N m", 1) if "[N" in sentence else sentence):
            lv.Force(arm.center, lambda b: (0, 0, 0), torque=fn, name="push")
    with pytest.raises(lv.ModelError, match="acts at a point such as"):
        lv.Force(arm, lambda b: (0, 0, 0))
    with pytest.raises(lv.ModelError, match="acts on the world, which does not move"):
        lv.Force(m.world.point(0, 0, 0), lambda b: (0, 0, 0))
    with pytest.raises(lv.ModelError, match="is not in this model"):
        lv.Model().add(lv.Force(arm.center, lambda b: (0, 0, 0)))


@pytest.mark.parametrize("order", [4, 6])
def test_higher_orders_refuse_forces_of_velocity(order):
    m, arm = one_body()
    m.add(lv.Force(arm.center, lambda b: -b[arm].velocity(0, 0, 0), name="drag"))
    sentence = (
        f"order {order} takes some steps backwards in time, where velocity-dependent forces such as 'drag' would feed "
        r"energy in: use lv.Livens\(order=2\)."
    )
    with pytest.raises(lv.ModelError, match=sentence):
        lv.simulate(m, lv.Livens(order), h=1e-3, until=0.1)


@pytest.mark.parametrize("hinged", [False, True])
def test_a_force_that_is_too_stiff_is_named(hinged):
    """h c/(2 m) above one: no pass contracts. The motion so far is there; half as stiff as the limit, it runs."""
    m, arm = one_body()
    if hinged:
        m.add(lv.Revolute(m.world.point(0.5, 0, 0), arm.point_at(0.5, 0, 0), axis=(0, 1, 0)))
    mass = arm.mass_properties.mass
    m.add(lv.Force(arm.center, lambda b: -10.0 * mass / 1e-2 * b[arm].velocity(0, 0, 0), name="drag"))
    with pytest.raises(lv.StepFailed, match=r"user-written forces on body 'arm' do not converge.*lv.Damper") as error:
        lv.simulate(m, h=1e-2, until=1.0)
    assert len(error.value.trajectory) == 1
    assert lv.simulate(m, h=1e-3, until=0.1).steps == 100


def test_bodies_without_inertia_cannot_be_turned():
    m = lv.Model()
    rod = m.add(lv.Body(lv.ThinRod(1.0, mass=1.0), name="rod"))
    m.add(lv.Energy(lambda b: b[rod].direction(0, 1, 0)[2], bodies=[rod], name="twist"))
    with pytest.raises(lv.ModelError, match="Energy 'twist' can exert a torque on body 'rod'"):
        lv.simulate(m, h=1e-2, until=0.1)
    m = lv.Model()
    rod = m.add(lv.Body(lv.ThinRod(1.0, mass=1.0), name="rod"))
    m.add(lv.Force(rod.center, lambda b: (0, 0, 0), torque=lambda b: b[rod].direction(1, 0, 0), name="twist"))
    with pytest.raises(lv.ModelError, match=r"Force 'twist' can exert a torque on body 'rod'.*leave its torque out"):
        lv.simulate(m, h=1e-2, until=0.1)


def test_energies_of_one_shape_share_one_tape():
    """Numbers and places differ; only numbers that are 0, 1, −1 or each other make another shape."""
    m, arm = one_body()
    springs = [
        lv.Energy(lambda b, k=k: 0.123 * k * lv.norm(b[arm].point(0.1, 0, 1e-3 * k) - (2.5, 1.5, 3.7 * k)) ** 2, [arm])
        for k in range(1, 200)
    ]
    for spring in springs:
        m.add(spring)
    energies = lv.dynamics(m).system.formulas
    assert len(energies.tape) == 1
    assert energies.first[-1, 0] == len(springs)
