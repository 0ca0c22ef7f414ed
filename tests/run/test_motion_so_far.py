"""Whatever ends a run, its exception has the motion up to the step before, also between two stored states."""

import numpy as np
import pytest

import livens as lv
from livens.errors import InterruptedAtOnce, unless_from_outside
from livens.step import COMPARED, SCHEMES

H, STEPS = 2e-3, 400
BREAK = RuntimeError("a string breaks")


def kite(seed, acting, kind="load"):
    """A kite on a hinge of random direction. acting(t): None, or a value of the function of time that acts on it."""
    rng = np.random.default_rng(seed)
    m = lv.Model(gravity=rng.normal(size=3), name="kite")
    body = m.add(lv.Body(lv.Box(1.0, 0.4, 0.1, density=10), at=rng.normal(size=3), name="kite"))
    axis = rng.normal(size=3)
    drive = (lambda t: 0.2 * (1.0 - np.cos(t)) if acting(t) is None else acting(t)) if kind == "drive" else None
    hinge = lv.Revolute(m.world.point_at(body.pose.a), body.point(0, 0, 0), axis=axis, drive=drive, name="hinge")
    m.add(hinge)
    if kind == "load":
        m.add(
            lv.Load(body.point(0.3, 0, 0), force=lambda t: np.sin(t + np.arange(3)) if acting(t) is None else acting(t))
        )
    if kind == "torque":
        m.add(lv.Load(body.center, torque=lambda t: axis * (1.0 if acting(t) is None else acting(t))))
    if kind == "motor":
        m.add(lv.Motor(hinge, lambda t: np.cos(t) if acting(t) is None else acting(t)))
    if kind == "controller":
        m.add(lv.Motor(hinge, lambda t, now: -now.rate("hinge")[0] if acting(t) is None else acting(t), rate=1 / H))
    return m


def breaking(after, error=None):
    """A function that raises an error after a given time."""

    def acting(t):
        if t > after:
            raise error or RuntimeError("a string breaks")

    return acting


def calm(t):
    return None


def is_beginning(part, whole, kind):
    """Bitwise; the last rates of a drive are one-sided differences, where its function fails."""
    kept = part.steps // part.every + 1
    if kind == "drive":
        return np.allclose(part.record.B[:kept], whole.record.B[:kept], rtol=0, atol=1e-12)
    return all(a[:kept].tobytes() == b[:kept].tobytes() for a, b in zip(part.record, whole.record, strict=True))


@pytest.mark.parametrize("kind", ["load", "motor", "controller"])
@pytest.mark.parametrize("ending", [SystemExit, KeyboardInterrupt, GeneratorExit], ids=lambda one: one.__name__)
def test_a_function_that_ends_the_program_leaves_all_steps_before(tmp_path, kind, ending):
    out, at = tmp_path / "out.nc", 173
    model = kite(3, breaking((at + 0.5) * H, ending("enough")), kind)
    with pytest.raises(ending, match="enough") as caught:
        lv.simulate(model, h=H, until=STEPS * H, progress=False, checkpoint=out, checkpoint_every=1e9)
    motion = caught.value.trajectory
    assert at - 1 <= motion.steps <= at + 1
    assert is_beginning(motion, lv.simulate(kite(3, calm, kind), h=H, until=STEPS * H, progress=False), kind)
    assert lv.load(tmp_path / "out.nc.journal").steps == motion.steps


@pytest.mark.parametrize("kind", ["load", "drive", "motor"])
@pytest.mark.parametrize("ending", [SystemExit, KeyboardInterrupt], ids=lambda one: one.__name__)
@pytest.mark.parametrize("h", [H, "auto"])
def test_a_function_that_ends_the_program_is_also_called_before_the_run(h, ending, kind):
    """For the rates of a prescribed motion and for the automatic step."""
    with pytest.raises(ending, match="enough") as caught:
        lv.simulate(kite(4, breaking(0.5, ending("enough")), kind), h=h, until=1.0, progress=False)
    motion = caught.value.trajectory
    assert 0.5 - 2 * motion.h < motion.t[-1] <= 0.5 + motion.h


def test_an_interrupt_from_outside_is_not_taken_for_a_failure_of_a_function():
    """It is not raised again when the function is called again."""
    failed = []

    def acting(t):
        if t > 0.3 and not failed:
            failed.append(t)
            raise KeyboardInterrupt("now")

    with pytest.raises(KeyboardInterrupt, match="now"):
        lv.simulate(kite(4, acting, "drive"), h=H, until=1.0, progress=False)
    calls = []
    with pytest.raises(InterruptedAtOnce):
        unless_from_outside(InterruptedAtOnce(), lambda: calls.append(1))
    assert len(failed) == 1
    assert not calls


@pytest.mark.parametrize("kind", ["load", "drive", "motor", "controller"])
@pytest.mark.parametrize("every", [1, 7, 1000])
def test_all_steps_before_a_function_fails_are_in_the_exception_and_on_disk(tmp_path, kind, every):
    rng = np.random.default_rng(every)
    at = int(rng.integers(20, STEPS - 20))
    run = {"h": H, "until": STEPS * H, "every": every, "progress": False}
    out = tmp_path / "out.nc"
    with pytest.raises(RuntimeError, match="a string breaks") as caught:
        lv.simulate(kite(every, breaking((at + 0.5) * H), kind), **run, checkpoint=out, checkpoint_every=1e-9)
    motion = caught.value.trajectory
    assert at - 1 <= motion.steps <= at + 1
    assert motion.t[-1] == motion.steps * H
    assert is_beginning(motion, lv.simulate(kite(every, calm, kind), **run), kind)
    short = lv.simulate(kite(every, calm, kind), h=H, until=motion.steps * H, every=every, progress=False)
    assert np.allclose(motion.record.B[-1], short.record.B[-1], rtol=0, atol=1e-12)
    assert kind == "drive" or motion.record.L[-1].tobytes() == short.record.L[-1].tobytes()
    assert lv.load(tmp_path / "out.nc.journal").steps == motion.steps


@pytest.mark.parametrize("scheme", [*SCHEMES, *COMPARED], ids=repr)
def test_a_failed_step_leaves_the_state_before_it(scheme):
    hard = kite(3, lambda t: 1e14 if t > 0.301 else None, "torque")
    motions = []
    for every in (1, 10_000):
        with pytest.raises(lv.StepFailed) as caught:
            lv.simulate(hard, scheme, h=H, until=1.0, every=every, progress=False)
        motions.append(caught.value.trajectory)
    each, last = motions
    assert each.steps == last.steps > 149
    assert last.t[-1] == last.steps * H
    assert all(x[-1].tobytes() == y[-1].tobytes() for x, y in zip(each.record, last.record, strict=True))


def test_a_function_that_fails_only_once_ends_the_run_all_the_same():
    failed = []

    def acting(t):
        if t > 0.2 and not failed:
            failed.append(t)
            raise RuntimeError("once")

    with pytest.raises(RuntimeError, match="once") as caught:
        lv.simulate(kite(5, acting), h=H, until=1.0, progress=False)
    assert 0.19 < caught.value.trajectory.t[-1] < 1.0


def test_an_exception_that_is_raised_again_has_the_motion_of_the_later_run():
    for after in (0.1, 0.3):
        with pytest.raises(RuntimeError) as caught:
            lv.simulate(kite(6, breaking(after, BREAK)), h=H, until=1.0, progress=False)
        assert abs(caught.value.trajectory.t[-1] - after) < 2 * H


def test_a_run_inside_a_controller_that_fails_does_not_replace_the_motion():
    def acting(t):
        if t > 0.25:
            lv.simulate(kite(8, lambda t: 1e14 if t > 0.1 else None, "torque"), h=H, until=1.0, progress=False)

    m = kite(7, acting, "controller")
    with pytest.raises(lv.StepFailed) as caught:
        lv.simulate(m, h=H, until=1.0, progress=False)
    assert caught.value.trajectory.model.name == "kite"
    assert 0.24 < caught.value.trajectory.t[-1] < 0.26
    assert caught.value.trajectory.compiled.model["hinge"] is m["hinge"]


@pytest.mark.parametrize("kind", ["load", "drive", "motor"])
def test_an_automatic_step_is_chosen_from_the_time_before_a_function_fails(kind):
    with pytest.raises(RuntimeError, match="a string breaks") as caught:
        lv.simulate(kite(9, breaking(0.7), kind), h="auto", until=1.0, progress=False)
    motion = caught.value.trajectory
    assert 0.7 - 2 * motion.h < motion.t[-1] < 0.7 + motion.h


def test_events_keep_the_steps_before_a_function_fails():
    m = kite(10, breaking(0.301))
    with pytest.raises(RuntimeError, match="a string breaks") as caught:
        lv.simulate(m, h=H, until=1.0, events=[lv.Event(when=lambda now: now.t - 2.0)], progress=False)
    assert 0.29 < caught.value.trajectory.t[-1] < 0.302


@pytest.mark.parametrize("place", ["when", "do", "controller"])
@pytest.mark.parametrize("every", [1, 7, 300])
def test_runs_with_events_lose_no_step_either(tmp_path, every, place):
    after = H * 253.5

    def model(acting):
        return kite(5, acting if place == "controller" else calm, "controller")

    def events(acting):
        when, do = (acting if place == one else calm for one in ("when", "do"))
        first = lv.Event("t - 0.1", do=lv.strike(model(calm)["kite"].center, (0, 0, 0)))
        watched = lv.Event(lambda now: -1.0 if when(now.t[0]) is None else 1.0)
        return [first, watched, lv.Event(f"t - {after - 1e-9}", do=lambda now: do(now.t[0] + 2e-9))]

    run = {"h": H, "until": H * STEPS, "every": every, "progress": False}
    whole = lv.simulate(model(calm), **{**run, "every": 1}, events=events(calm))
    acting = breaking(after)
    with pytest.raises(RuntimeError, match="string breaks") as caught:
        lv.simulate(model(acting), **run, events=events(acting), checkpoint=tmp_path / "out.nc")
    part, stored = caught.value.trajectory, lv.load(tmp_path / "out.nc")
    n = round(part.t[-1] / H)
    assert n in (253, 254)
    assert part.steps == n
    for motion in (part, stored):
        assert motion.record.a[-1].tobytes() == whole.record.a[n].tobytes()
        assert motion.record.p[-1].tobytes() == whole.record.p[n].tobytes()
