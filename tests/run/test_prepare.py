"""Prepared runs: the bits of `lv.simulate` of a model that is built with the same numbers."""

import threading
import warnings

import numpy as np
import pytest

import livens as lv
from benchmarks.random_models import describe
from benchmarks.random_models.description import build
from livens.compile.compiled import Compiled
from livens.compile.system import same
from livens.run.loop import scratch_of, taken_log
from livens.scene import from_dict, to_dict
from livens.scene.values import with_values
from tests.helpers.mechanisms import crank_rocker

SCHEMES = [lv.Livens(), lv.RungeKutta(4), lv.Newmark(), lv.GeneralizedAlpha()]
UPRIGHT = np.eye(3)
NUMBERS = {  # name of a number → its value, and the largest change, in units of 1 m, 1 kg, 1 s
    "bodies.arm.mass": (2.0, 1.0),
    "bodies.arm.inertia": ((0.3, 0.4, 0.5), 0.1),
    "bodies.arm.center": ((0.1, 0.0, 0.0), 0.05),
    "bodies.fore.shape.density": (300.0, 200.0),
    "bodies.fore.velocity": ((0.0, 0.2, 0.0), 1.0),
    "bodies.fore.body_rates": ((0.1, 0.0, 0.3), 1.0),
    "joints.shoulder.stiffness": (4.0, 3.0),
    "joints.shoulder.rest": (0.2, 1.0),
    "joints.shoulder.damping": (0.3, 0.2),
    "joints.shoulder.limits": ((-0.05, 0.1), 0.02),
    "joints.shoulder.limit_stiffness": (100.0, 50.0),
    "joints.elbow.b.point": ((-0.4, 0.0, 0.0), 1e-10),
    "forces.cord.stiffness": (20.0, 10.0),
    "forces.cord.length": (0.5, 0.3),
    "forces.cord.damping": (0.4, 0.3),
    "forces.cord.a.point": ((0.0, 1.0, 0.0), 0.4),
    "forces.push.force": ((1.0, 0.0, 2.0), 3.0),
    "gravity": ((0.0, 0.0, -9.81), 3.0),
}


def arm(numbers, turn=UPRIGHT, order=(0, 1)):
    """Two bodies on hinges with springs, stops, dampers and a load; `order`: in which the bodies are added."""
    n = {name: numbers.get(name, value) for name, (value, _) in NUMBERS.items()}
    m = lv.Model(gravity=n["gravity"], name="arm and fore")
    matter = lv.MassProperties(n["bodies.arm.mass"], n["bodies.arm.inertia"], n["bodies.arm.center"])
    bodies = [
        lv.Body(matter, at=turn @ (0.5, 0, 0), rotation=turn, name="arm"),
        lv.Body(
            lv.Box(0.8, 0.1, 0.1, density=n["bodies.fore.shape.density"]),
            at=turn @ (1.4, 0, 0),
            rotation=turn,
            velocity=n["bodies.fore.velocity"],
            body_rates=n["bodies.fore.body_rates"],
            name="fore",
        ),
    ]
    for k in order:
        m.add(bodies[k])
    one, two = bodies
    m.add(
        lv.Revolute(
            m.world.point(0, 0, 0),
            one.point(-0.5, 0, 0),
            axis=turn @ (0, 1, 0),
            stiffness=n["joints.shoulder.stiffness"],
            rest=n["joints.shoulder.rest"],
            damping=n["joints.shoulder.damping"],
            limits=n["joints.shoulder.limits"],
            limit_stiffness=n["joints.shoulder.limit_stiffness"],
            name="shoulder",
        )
    )
    m.add(lv.Spherical(one.point(0.5, 0, 0), two.point(n["joints.elbow.b.point"]), name="elbow"))
    m.add(
        lv.Spring(
            m.world.point(n["forces.cord.a.point"]),
            two.point(0.4, 0, 0),
            stiffness=n["forces.cord.stiffness"],
            length=n["forces.cord.length"],
            damping=n["forces.cord.damping"],
            name="cord",
        )
    )
    m.add(lv.Load(two.center, force=n["forces.push.force"], name="push"))
    return m


def drawn(rng, names):
    """Random values of some numbers."""
    found = {}
    for name in names:
        value, change = NUMBERS[name]
        new = np.asarray(value) + change * rng.uniform(-1.0, 1.0, np.shape(value))
        found[name] = float(new) if new.ndim == 0 else tuple(new.tolist())
    return found


def turned(rng):
    return lv.Pose.from_axis_angle(rng.normal(size=3), rng.uniform(0.0, 3.0)).B


@pytest.fixture(autouse=True)
def quiet():
    """Random numbers give velocities that do not satisfy the joints, with a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        yield


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_by_its_name(name):
    """And it has an effect."""
    rng = np.random.default_rng(len(name))
    turn, given = turned(rng), drawn(rng, [name])
    run = lv.prepare(arm({}, turn), h=1e-2)
    motion = run(0.2, parameters=given)
    assert same(motion.record, lv.simulate(arm(given, turn), h=1e-2, until=0.2).record)
    assert not np.array_equal(motion.record.p, run(0.2).record.p)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_random_numbers_in_random_order(scheme):
    rng = np.random.default_rng(5)
    for order in ((0, 1), (1, 0)):
        turn = turned(rng)
        run = lv.prepare(arm({}, turn, order), scheme, h=1e-2)
        for _ in range(4):
            names = rng.permutation(list(NUMBERS))[: 1 + rng.integers(len(NUMBERS))].tolist()
            given = drawn(rng, names)
            motion = run(0.1, parameters=given, every=3)
            alone = lv.simulate(arm(given, turn, order), scheme, h=1e-2, until=0.1, every=3)
            assert same(motion.record, alone.record)
            assert np.array_equal(motion.t, alone.t)
            assert np.array_equal(motion.energy, alone.energy)
            assert np.array_equal(motion.reaction("elbow"), alone.reaction("elbow"))
            assert to_dict(motion.model) == to_dict(alone.model)


def entries(document):
    """The paths of numbers in a document, and the numbers."""
    for place in ("bodies", "joints", "forces"):
        for name, table in document.get(place, {}).items():
            for key, value in table.items():
                if isinstance(value, float) and value != 0.0:
                    yield f'{place}."{name}".{key}', value
                elif key in ("velocity", "body_rates"):
                    yield from ((f'{place}."{name}".{key}.{k}', x) for k, x in enumerate(value))


@pytest.mark.parametrize("seed", range(25))
def test_random_models(seed):
    """All joints, loops, springs, dampers: some numbers changed by a few per cent."""
    rng, model = np.random.default_rng((seed, 3)), build(describe(seed))
    document = to_dict(model)
    known = list(entries(document))
    picked = [known[k] for k in rng.choice(len(known), size=min(4, len(known)), replace=False)]
    given = {path: value * rng.uniform(0.95, 1.05) for path, value in picked}
    other = from_dict(with_values(document, given))
    run = lv.prepare(model, h=2e-3)
    assert same(run(0.02, parameters=given).record, lv.simulate(other, h=2e-3, until=0.02).record)


def test_units():
    """Lengths in mm, masses in g: the numbers of another unit give the motion of a model in this unit."""
    L, M = 1e3, 1e3

    def pendulum(unit_length, unit_mass):
        m = lv.Model(gravity=(0, 0, -9.81 * unit_length))
        matter = lv.MassProperties(2.0 * unit_mass, np.array([0.1, 0.2, 0.2]) * unit_mass * unit_length**2)
        bob = m.add(lv.Body(matter, at=(0.5 * unit_length, 0, 0), name="bob"))
        m.add(lv.Spherical(m.world.point(0, 0, 0), bob.point(-0.5 * unit_length, 0, 0), name="pin"))
        return m

    given = {
        "gravity.2": -9.81 * L,
        "bodies.bob.mass": 2.0 * M,
        "bodies.bob.inertia": np.array([0.1, 0.2, 0.2]) * M * L**2,
        "bodies.bob.at.0": 0.5 * L,
        "joints.pin.b.point.0": -0.5 * L,
    }
    there = lv.prepare(pendulum(1.0, 1.0), h=1e-2)(1.0, parameters=given)
    assert same(there.record, lv.simulate(pendulum(L, M), h=1e-2, until=1.0).record)


def test_starts_and_functions():
    """A start, a prescribed motion that is a Python function, and a controller."""

    def machine(density=500.0):
        m = lv.Model(gravity=(0, 0, -9.81))
        crank = m.add(lv.Body(lv.Box(0.5, 0.1, 0.1, density=density), at=(0.25, 0, 0), name="crank"))
        rod = m.add(lv.Body(lv.Box(0.5, 0.1, 0.1, density=100), at=(0.75, 0, 0), name="rod"))
        base = m.world.point(0, 0, 0)
        m.add(lv.Revolute(base, crank.point(-0.25, 0, 0), axis=(0, 0, 1), drive=lambda t: 0.3 * t**2, name="turn"))
        hinge = m.add(lv.Revolute(crank.point(0.25, 0, 0), rod.point(-0.25, 0, 0), axis=(0, 0, 1), name="hinge"))
        m.add(lv.Motor(hinge, lambda t, now: -now.coordinate("hinge")[0], rate=50.0, name="motor"))
        return m

    run = lv.prepare(machine(), h=1e-2)
    given = {"bodies.crank.shape.density": 300.0}
    assert same(run(0.2, parameters=given).record, lv.simulate(machine(300.0), h=1e-2, until=0.2).record)
    free = lv.prepare(arm({}), h=1e-2)
    start = free(0.1).state
    alone = lv.simulate(arm({}), h=1e-2, until=0.2, start=start)
    assert same(free(0.2, start=start).record, alone.record)
    again = free.keep_arrays(0.2)
    assert same(again(start=start).record, alone.record)
    assert same(again().record, alone.record)  # the start stays


@pytest.mark.parametrize("scheme", [*SCHEMES, lv.Livens(compensated=True)], ids=repr)
@pytest.mark.parametrize("every", [1, 3, 50])
def test_kept_arrays(scheme, every):
    """The same bits in the same arrays, call after call, whatever was there before."""
    model = arm({}) if not scheme.variational or scheme.order == 2 else crank_rocker()
    run = lv.prepare(model, scheme, h=1e-2)
    again = run.keep_arrays(0.11, every=every)
    alone = run(0.11, every=every)
    first = again()
    assert same(first.record, alone.record)
    assert np.array_equal(first.t, alone.t)
    assert first.tally == alone.tally
    second = again()
    assert same(second.record, alone.record)
    if isinstance(scheme, lv.Livens):  # the others have no kernel for it
        assert second.record.a.ctypes.data == first.record.a.ctypes.data
    changed = {"gravity.0": 1.0}
    assert same(again(parameters=changed).record, run(0.11, every=every, parameters=changed).record)
    assert same(again(parameters={}).record, alone.record)


def test_kept_arrays_from_a_start_that_is_written():
    m = lv.Model(gravity=(0, 0, -9.81))
    m.add(lv.Body(lv.Ball(0.1, mass=2.0), name="stone"))
    again = lv.prepare(m, h=1e-2).keep_arrays(1.0)
    for speed in (1.0, -3.0):
        again.start.p[1, 0] = 2.0 * speed
        assert abs(again().position("stone")[-1, 0] - speed) < 1e-13
    assert not m["stone"].velocity.any()


def test_a_run_that_fails_says_what_a_single_run_says():
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 200.0, 0.1), name="top"))
    messages = []
    run = lv.prepare(m, h=0.1)
    for call in (lambda: lv.simulate(m, h=0.1, until=1.0), lambda: run(1.0), run.keep_arrays(1.0)):
        with pytest.raises(lv.StepFailed) as failed:
            call()
        messages.append(str(failed.value))
        assert failed.value.trajectory.steps == 0
    assert len(set(messages)) == 1
    again = run.keep_arrays(1.0)
    with pytest.raises(lv.StepFailed):
        again()
    slow = {"bodies.top.body_rates": (0.1, 2.0, 0.1)}
    assert same(again(parameters=slow).record, run(1.0, parameters=slow).record)  # the failure left nothing behind


def test_threads():
    """Many threads share one prepared run."""
    run, found = lv.prepare(arm({}), h=1e-2), {}

    def work(seed):
        given = drawn(np.random.default_rng(seed), NUMBERS)
        again = run.keep_arrays(0.1)
        found[seed] = all(
            same(run(0.1, parameters=given).record, again(parameters=given).record) for _ in range(3)
        ) and same(run(0.1).record, alone.record)

    alone = lv.simulate(arm({}), h=1e-2, until=0.1)
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(6), True)


STRUCTURE = [
    ({"joints.shoulder.damping": 0.0}, "'joints.shoulder.damping' = 0.0", "dampers"),
    ({"gravity.2": -1.0, "joints.shoulder.damping": 0.0}, "'joints.shoulder.damping' = 0.0 changes", "dampers"),
    ({"forces.cord.damping": 0.0}, "'forces.cord.damping'", "dampers"),
]


@pytest.mark.parametrize(("given", "name", "what"), STRUCTURE)
def test_a_number_that_changes_the_structure_is_refused_by_name(given, name, what):
    with pytest.raises(lv.ModelError, match="changes the structure") as refused:
        lv.prepare(arm({}), h=1e-2)(0.1, parameters=given)
    assert name in str(refused.value)
    assert what in str(refused.value)


def test_a_stiffness_from_zero_and_a_redundancy_that_ends_are_refused():
    m = lv.Model()
    bar = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), name="bar"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(0, 0, 0), axis=(0, 0, 1), name="pin"))
    with pytest.raises(lv.ModelError, match="springs, stops and motors of joints"):
        lv.prepare(m, h=1e-2)(0.1, parameters={"joints.pin.stiffness": 1.0})
    m.add(lv.Revolute(m.world.point(0, 0, 1), bar.point(0, 0, 1), axis=(0, 0, 1), name="second"))
    run = lv.prepare(m, h=1e-2)
    assert sum(run.compiled.redundant.values()) == 5
    moved = {"joints.second.a.point": (0.3, 0, 0), "joints.second.b.point": (0.3, 0, 0)}
    with pytest.raises(lv.ModelError, match="redundant"):
        run(0.1, parameters=moved)


BAD = [
    ({"joints.elbo.b.point": (0, 0, 0)}, "did you mean 'elbow'"),
    ({"joints.shoulder.stifness": 1.0}, "did you mean 'stiffness'"),
    ({"bodies.fore.mass": 1.0}, r"bodies\.fore\.shape: x, y, z, density"),
    ({"mass": 1.0}, "numbers are in gravity, bodies, joints, forces"),
    ({"gravity.5": 1.0}, "there are 0, 1, 2"),
    ({"gravity": (1.0, 2.0)}, "3 numbers"),
    ({"gravity": "strong"}, "must be a number"),
    ({"gravity.2": np.nan}, "not finite"),
    ({"gravity.2": True}, "must be a number"),
    ({"bodies.arm.mass": -1.0}, "mass must be positive"),
    ({"joints.shoulder.a.body": 2.0}, "is not a number"),
    ({"joints.shoulder.a": 2.0}, "is not a number"),
    ({"": 2.0}, "path"),
    ([("gravity.2", 1.0)], "dictionary"),
    ({3: 2.0}, "must be"),
]


@pytest.mark.parametrize(("given", "text"), BAD, ids=lambda x: str(x)[:30])
def test_wrong_parameters(given, text):
    with pytest.raises(lv.ModelError, match=text):
        lv.prepare(arm({}), h=1e-2)(0.1, parameters=given)


def test_wrong_calls():
    m = arm({})
    for call in (
        lambda: lv.prepare("m", h=1e-2),
        lambda: lv.prepare(m, h="auto"),
        lambda: lv.prepare(m, h=-1.0),
        lambda: lv.prepare(m, "Livens", h=1e-2),
        lambda: lv.prepare(m, h=1e-2)(-1.0),
        lambda: lv.prepare(m, h=1e-2)(1.0, every=0),
        lambda: lv.prepare(m, h=1e-2)(1.0, start="here"),
        lambda: lv.prepare(m, h=1e-2).keep_arrays(1.0)(start="here"),
    ):
        with pytest.raises(lv.ModelError):
            call()


def test_a_model_that_was_changed_is_refused():
    m = arm({})
    run = lv.prepare(m, h=1e-2)
    before = run(0.1)
    m.gravity = (0, 0, 0)
    assert same(run(0.1).record, before.record)  # what was prepared
    with pytest.raises(lv.ModelError, match="prepare it again"):
        run(0.1, parameters={"gravity.2": -1.0})


def test_contact_scratch_only_for_models_with_contacts():
    """It is half of all arrays of a run, and a short run mostly makes arrays."""
    floor = lv.Model(gravity=(0, 0, -9.81))
    ball = floor.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 0.1), name="ball"))
    floor.add(lv.Contact(ball, floor.world.plane((0, 0, 0), normal=(0, 0, 1))))
    for m, made in ((arm({}), False), (floor, True)):
        compiled = Compiled.of(m)
        for scheme in SCHEMES[:1] if made else SCHEMES:
            _, touch, _ = scratch_of(compiled.system, scheme, 0)
            assert (touch is not None) == made
            assert len(taken_log(touch)) == 0
