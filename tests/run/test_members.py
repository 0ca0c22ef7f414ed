"""Many models in one call: every motion has the bits of a single run, whatever the others do."""

import warnings

import numpy as np
import pytest

import livens as lv
from benchmarks.random_models import describe
from benchmarks.random_models.description import build
from livens.compile.compiled import Compiled
from livens.compile.restart import Restart
from livens.compile.structure import structural_change, with_members
from livens.compile.system import same
from livens.run import members as module
from livens.run.follow import follow
from livens.run.members import compiled_members, follow_members, together
from livens.run.plan import plan
from livens.scene import from_dict, to_dict
from tests.helpers.mechanisms import crank_rocker
from tests.helpers.studies import double_pendulum

SCHEMES = [
    lv.Livens(),
    lv.Livens(4),
    lv.Livens(compensated=True),
    lv.RungeKutta(4),
    lv.Newmark(),
    lv.GeneralizedAlpha(),
]


@pytest.fixture(autouse=True)
def quiet():
    """Random velocities do not satisfy the joints, with a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        yield


def motions(how, members):
    """In the order of the members."""
    return [motion for _, motion in sorted(follow_members(how, members), key=lambda pair: pair[0])]


def top(rate, mass=1.0):
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(mass, (1, 2, 3)), body_rates=(0.1, rate, 0.1), name="top"))
    return m


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize("every", [1, 4])
def test_members_have_the_bits_of_single_runs(scheme, every):
    """Free and jointed models with other masses, points and velocities, in one call each."""
    rng, how = np.random.default_rng(2), plan(scheme, 5e-3, 0.05, every)

    def swing(turn):
        m = lv.Model(gravity=rng.normal(size=3))
        matter = lv.MassProperties(*rng.uniform(1.0, 2.0, 1), rng.uniform(1.0, 1.5, 3), rng.normal(size=3))
        bar = m.add(lv.Body(matter, rotation=turn, body_rates=rng.normal(size=3), name="bar"))
        r = rng.normal(size=3)
        m.add(lv.Revolute(m.world.point(turn @ r), bar.point(r), axis=rng.normal(size=3), stiffness=1.0, name="pin"))
        return m

    turns = [lv.Pose.from_axis_angle(rng.normal(size=3), 1.0).B for _ in range(5)]
    for models in ([swing(turn) for turn in turns], [top(rate, mass) for rate, mass in rng.uniform(1.0, 2.0, (5, 2))]):
        compiled = [Compiled.of(model, quiet=True) for model in models]
        assert together(how, compiled[0]) == isinstance(scheme, lv.Livens)  # others run one by one
        assert not any(structural_change(compiled[0], one) for one in compiled)
        for one, motion in zip(compiled, motions(how, compiled), strict=True):
            alone = follow(how, one)
            assert same(motion.record, alone.record)
            assert np.array_equal(motion.t, alone.t)
            assert motion.tally == alone.tally
            assert motion.model is one.model


@pytest.mark.parametrize("seed", range(15))
def test_random_models_with_other_velocities_share_a_compilation(seed):
    """The bits of models that are compiled by themselves, loops and rolling bodies included."""
    rng, document = np.random.default_rng((seed, 9)), to_dict(build(describe(seed)))
    models = []
    for _ in range(4):
        model = from_dict(document)
        model.gravity = rng.normal(size=3)
        for body in model.bodies[1:]:
            body.velocity, body.body_rates = rng.normal(size=(2, 3))
        models.append(model)
    for model, one in zip(models, compiled_members(models), strict=True):
        alone = Compiled.of(model, quiet=True)
        assert same(one.state, alone.state)
        assert same(one.system, alone.system)
        assert same(one.full, alone.full)
        assert one.model is model
        assert list(one.all_owners) == alone.all_owners
        assert one.coordinates == alone.coordinates
        assert one.dials == alone.dials


def test_what_a_restart_may_differ_in():
    restart = Restart(Compiled.of(double_pendulum(1.0)))
    assert restart.possible
    assert restart.matches(double_pendulum(2.0))
    for change in (
        lambda m: m.add(lv.Body(lv.Ball(1.0, mass=1.0))),
        lambda m: setattr(m.joints[0], "stiffness", 1.0),
        lambda m: setattr(m.joints[0], "rest", -0.0),  # its bits differ
        lambda m: setattr(m.bodies[1], "pose", lv.Pose((0, 0, 1e-300))),
        lambda m: setattr(m.bodies[1], "shape", lv.Ball(1.0, mass=1.0)),
        lambda m: setattr(m.joints[0], "a", m.world.point(0, 0, 1e-9)),
        lambda m: m.joints.reverse(),
    ):
        other = double_pendulum(2.0)
        change(other)
        assert not restart.matches(other)
    assert not Restart(Compiled.of(crank_rocker(), quiet=True)).possible  # redundancy may depend on velocities


def test_a_member_that_fails_leaves_the_others_alone():
    how = plan(None, 0.1, 1.0, 1)
    compiled = [Compiled.of(top(rate), quiet=True) for rate in (1.0, 300.0, 2.0, 500.0, 3.0)]
    found = motions(how, compiled)
    for k in (0, 2, 4):
        assert same(found[k].record, follow(how, compiled[k]).record)
    for k in (1, 3):
        with pytest.raises(lv.StepFailed) as alone:
            follow(how, compiled[k])
        assert isinstance(found[k], lv.StepFailed)
        assert str(found[k]) == str(alone.value)


def test_other_structures_and_signals_are_run_by_themselves(monkeypatch):
    """In any mixture; the number of members in a call does not matter either."""

    def driven():
        m = double_pendulum(1.0)
        m.joints[0].drive = lambda t: t**2
        return m

    models = [top(1.0), double_pendulum(1.0), top(2.0), driven(), crank_rocker(), double_pendulum(2.0), crank_rocker()]
    how = plan(None, 1e-3, 0.02, 1)
    compiled = compiled_members(models)
    alone = [follow(how, one) for one in compiled]
    for size in (1, 10**9):
        monkeypatch.setattr(module, "RECORD_BYTES", size)
        assert all(same(a.record, b.record) for a, b in zip(motions(how, compiled), alone, strict=True))


def test_errors_are_those_of_their_members():
    bad = lv.Model()
    one = bad.add(lv.Body(lv.Ball(1.0, mass=1.0), name="one"))
    bad.add(lv.Spherical(bad.world.point(9, 9, 9), one.point(0, 0, 0), name="far"))

    found = compiled_members([double_pendulum(1.0), bad, double_pendulum(2.0)])
    assert isinstance(found[1], lv.ModelError)
    assert "does not fit" in str(found[1])
    how = plan(lv.Livens(4), 1e-2, 0.1, 1)
    damped = double_pendulum(1.0)
    damped.joints[0].damping = 1.0
    refused, fine = motions(how, compiled_members([damped, double_pendulum(1.0)]))
    assert isinstance(refused, lv.ModelError)
    assert fine.steps == 10


def test_arrays_that_all_members_share_are_stored_once():
    compiled = compiled_members([double_pendulum(rate) for rate in (1.0, 2.0, 3.0)])
    systems, states = with_members([one.system for one in compiled]), with_members([one.state for one in compiled])
    assert systems.rows.point.shape[0] == systems.finest.shape[0] == states.a.shape[0] == 1
    assert states.p.shape[0] == 3
    assert systems.rows.kind is compiled[0].system.rows.kind
