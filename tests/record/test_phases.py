"""Motions of several phases: reading, files, resumed runs, pictures, joined motions."""

import signal
import warnings

import numpy as np
import pytest

import livens as lv
import livens.run.progress
from livens.cli.main import main as cli
from livens.step import COMPARED, SCHEMES

ALL = [*SCHEMES, *COMPARED]


def crane():
    """A bar on a hinge with a weight on a rod, on a motor."""
    m = lv.Model(gravity=(0, 0, -9.81), name="crane")
    bar = m.add(lv.Body(lv.Box(2.0, 0.1, 0.2, mass=3.0), at=(1, 0, 0), name="bar"))
    weight = m.add(lv.Body(lv.Ball(0.1, mass=1.5), at=(2, 0, -0.7), name="weight"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(-1, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Rod(bar.point(1, 0, 0), weight.center, name="cord"))
    m.add(lv.Motor(hinge, 2.0, name="motor"))
    return m


def events():
    return [
        lv.Event("position('bar')[2] + 0.3", direction=-1, do=lv.release("cord"), name="let go"),
        lv.Event("coordinate('hinge') - 0.9", do=lv.switch("motor", -4.0), name="brake"),
        lv.Event("position('weight')[2] + 1.5", name="low"),
    ]


def same(one, two):
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, two, strict=True))


def equal(one, two):
    """All that is stored and read of both motions is equal to the last bit."""
    assert np.array_equal(one.t, two.t)
    assert [len(phase) for phase in one.phases] == [len(phase) for phase in two.phases]
    for a, b in zip(one.phases, two.phases, strict=True):
        assert same(a.record, b.record)
    assert [entry[:5] for entry in one.events] == [entry[:5] for entry in two.events]
    assert same(
        (one.energy, one.work, one.reaction("cord"), one.coordinate("hinge"), one.momentum),
        (two.energy, two.work, two.reaction("cord"), two.coordinate("hinge"), two.momentum),
    )


@pytest.mark.parametrize(("scheme", "every"), [*((scheme, 1) for scheme in ALL), (lv.Livens(4), 7)], ids=repr)
def test_a_resumed_run_is_bitwise_the_same(scheme, every, tmp_path):
    """Cut before, between and after the events; in memory and through files."""
    m = crane()
    whole = lv.simulate(m, scheme, h=0.005, until=1.4, every=every, events=events())
    assert len(whole.events) >= 3
    assert len(whole.phases) == 3
    for cut in (0.1, 0.4, 1.0):
        part = lv.simulate(m, scheme, h=0.005, until=cut, every=every, events=events())
        equal(lv.resume(part, until=1.4), whole)
    part.save(tmp_path / "part.nc")
    equal(lv.resume(lv.load(tmp_path / "part.nc"), until=1.4), whole)


@pytest.mark.parametrize("scheme", ALL, ids=repr)
def test_events_that_do_not_act_change_no_bit(scheme):
    m = crane()
    plain = lv.simulate(m, scheme, h=0.005, until=1.0)
    watched = lv.simulate(m, scheme, h=0.005, until=1.0, events=[*events()[2:], lv.Event("t - 9")])
    assert len(watched.events) > 0
    assert same(plain.record, watched.record)
    assert np.array_equal(plain.t, watched.t)


def test_a_phase_is_a_run_of_its_own():
    """The states after a release are those of a run without the cord from the state of the event."""
    m = crane()
    motion = lv.simulate(m, lv.Livens(4), h=0.005, until=1.0, events=events()[:1])
    event = motion.events[0]
    bare = m.with_things([thing for thing in m.things if thing.name != "cord"])
    start = lv.transfer(event.after, to=bare)
    first = motion.phases[1].t[0]
    step = lv.simulate(bare, lv.Livens(4), h=first - event.t, until=first, start=start, t0=event.t)
    rest = lv.simulate(bare, lv.Livens(4), h=0.005, until=1.0, start=step.state, t0=first)
    assert np.abs(rest.position("weight") - motion.phases[1].position("weight")).max() < 1e-12
    assert np.abs(rest.coordinate("hinge") - motion.phases[1].coordinate("hinge")).max() < 1e-12


def test_quantities_of_the_whole_motion():
    m = crane()
    motion = lv.simulate(m, lv.Livens(4), h=0.005, until=1.4, events=events())
    n = len(motion)
    assert n == 281
    assert (np.diff(motion.t) > 0.0).all()
    assert np.abs(motion.t - 0.005 * np.arange(n)).max() < 1e-14
    for what in ("bar", m["bar"], m["weight"].point(0.1, 0, 0)):
        assert motion.position(what).shape == motion.velocity(what).shape == motion.acceleration(what).shape == (n, 3)
    assert motion.rotation("bar").shape == (n, 3, 3)
    assert motion.quaternion("bar").shape == (n, 4)
    for read in (motion.angular_acceleration, motion.angular_velocity, motion.body_rates):
        assert read("bar").shape == (n, 3)
    assert motion.q.shape == motion.v.shape == (n, len(motion.names))
    assert np.array_equal(motion.q[:, motion.names.index("hinge")], motion.coordinate("hinge"))
    assert np.array_equal(motion.v[:, motion.names.index("hinge")], motion.rate("hinge"))
    assert motion.coordinate_acceleration("hinge").shape == (n,)
    assert set(motion.effort("hinge").round(12)) == {2.0, -4.0}
    assert np.ptp(motion.energy - motion.work + motion.dissipated) < 1e-6
    assert motion.report().energy.relative < 1e-7
    assert motion.steps == motion.wanted == 280
    assert motion.end == pytest.approx(1.4)
    some = motion.chosen_states(np.array([0, 5, 270]))
    assert np.array_equal(some.energy, motion.energy[[0, 5, 270]])
    assert "let go" in repr(motion.events)
    assert "let go" in str(motion.report())
    with pytest.raises(lv.ModelError, match="multipliers belong to one phase"):
        _ = motion.multipliers
    with pytest.raises(lv.ModelError, match="nothing named 'rope'"):
        motion.reaction("rope")
    numbers = np.linalg.norm(np.diff(motion.position("weight"), axis=0), axis=1) / motion.h
    assert np.abs(numbers - np.linalg.norm(motion.velocity("weight"), axis=1)[1:]).max() < 0.2


def test_pictures_files_and_plots(tmp_path):
    m = crane()
    motion = lv.simulate(m, h=0.005, until=1.4, events=events())
    motion.save(tmp_path / "crane.nc")
    back = lv.load(tmp_path / "crane.nc")
    equal(back, motion)
    assert back.events[0].before is None
    assert [event.name for event in back.watched] == ["let go", "brake", "low"]
    motion.to_html(tmp_path / "one.html")
    back.to_html(tmp_path / "two.html")
    text = (tmp_path / "one.html").read_text()
    assert text == (tmp_path / "two.html").read_text()
    assert f"[-1e+300, {motion.events.of('let go')[0].t!r}]" in text  # the cord is drawn until it is released
    motion.to_gltf(tmp_path / "crane.glb")
    motion.to_png(tmp_path / "crane.png", size=(80, 60))
    data = motion.to_xarray()
    assert data.position.shape == (281, 2, 3)
    pytest.importorskip("matplotlib")
    for kind, *what in (
        (None,), ("energy",), ("trajectory",), ("phase", "hinge"), ("reactions", "hinge"),
    ):  # fmt: skip
        motion.plot(kind, *what, path=tmp_path / f"{kind}.png")


def test_masses_that_change_are_drawn_where_the_bodies_are():
    """Another inertia has other principal axes: positions and rotations of the frame go on without a jump."""
    m = lv.Model()
    tensor = np.array([[2.0, 0.3, 0.1], [0.3, 2.5, -0.2], [0.1, -0.2, 3.0]])
    matter = lv.MassProperties(2.0, tensor, center=(0.1, 0.2, 0.3))
    m.add(lv.Body(matter, velocity=(1, 0, 0), body_rates=(1, 2, 3), name="body"))
    other = [lv.change("bodies.body.inertia", [1.0, 1.5, 2.0]), lv.change("bodies.body.center", [0.0, -0.3, 0.1])]
    motion = lv.simulate(m, lv.RungeKutta(8), h=0.002, until=1.0, events=[lv.Event("t - 0.5011", do=other)])
    event = motion.events[0]
    for read in ("position", "rotation", "velocity", "body_rates"):
        one, two = (vars(type(x)).get(read, getattr(type(x), read))(x, "body") for x in (event.before, event.after))
        assert np.abs(one - two).max() < 1e-14
    assert abs(motion.work[-1] - event.energy) < 1e-12
    assert np.ptp(motion.energy - motion.work) < 1e-11
    record, bodies = motion.record, motion.system.bodies
    rotation = record.B[:, 1] @ bodies.axes[1].T
    assert np.abs(rotation - motion.rotation("body")).max() < 1e-14
    assert np.abs(record.a[:, 1] - rotation @ bodies.center[1] - motion.position("body")).max() < 1e-14


def test_joined_motions(tmp_path):
    m = crane()
    stop = lv.Event("position('bar')[2] + 0.3", direction=-1, stop=True, name="stop")
    one = lv.simulate(m, lv.Livens(4), h=0.005, until=1.4, events=[stop])
    bare = m.with_things([thing for thing in m.things if thing.name != "cord"])
    start = lv.transfer(one, to=bare)
    two = lv.simulate(bare, lv.Livens(4), h=0.002, until=1.4, start=start, t0=one.t[-1])
    both = lv.join([one, two])
    assert (np.diff(both.t) > 0.0).all()
    assert both.t[-1] == pytest.approx(1.4)
    assert len(both) == len(one) + len(two) - 1
    assert np.isnan(both.reaction("cord")).any(axis=1).sum() == len(two)
    assert np.ptp(both.energy - both.work + both.dissipated) < 1e-6
    assert both.work[-1] == pytest.approx(two.work[-1], abs=1e-12)
    assert both.events.names == ("stop",)
    assert lv.join([one]) is one
    both.save(tmp_path / "both.nc")
    equal(lv.load(tmp_path / "both.nc"), both)
    three = lv.simulate(bare, lv.Livens(4), h=0.01, until=2.0, start=two.state._replace(p=2.0 * two.state.p), t0=1.4)
    whole = lv.join([both, three])
    assert np.ptp(whole.energy - whole.work + whole.dissipated) < 1e-4 * whole.energy.max()
    with pytest.raises(lv.ModelError, match="must follow each other: one ends at t ="):
        lv.join([two, one])
    with pytest.raises(lv.ModelError, match="the same bodies"):
        lv.join([one, lv.simulate(lv.Model(), h=0.1, until=1.0)])
    with pytest.raises(lv.ModelError, match="join takes a list of motions"):
        lv.join(one)
    with pytest.raises(lv.ModelError, match="event 'stop' has ended the motion"):
        lv.resume(one, until=3.0)


def test_functions_must_be_given_again(tmp_path):
    m = crane()
    let_go = lv.Event(lambda now: now.position("bar")[0, 2] + 0.3, do=lv.release("cord"), name="let go")
    whole = lv.simulate(m, h=0.005, until=1.0, events=[let_go])
    lv.simulate(m, h=0.005, until=0.2, events=[let_go]).save(tmp_path / "part.nc")
    part = lv.load(tmp_path / "part.nc")
    with pytest.raises(lv.ModelError, match=r"the motion has events \('let go'\) with Python functions"):
        lv.resume(part, until=1.0)
    equal(lv.resume(part, until=1.0, events=[let_go]), whole)


def test_the_model_must_be_unchanged(tmp_path):
    m = crane()
    motion = lv.simulate(m, h=0.005, until=1.0, events=events())
    m["motor"].effort = 5.0
    m.gravity = (0, 0, -1.0)
    with pytest.raises(lv.ModelError, match="has been changed"):
        motion.save(tmp_path / "crane.nc")


def test_a_run_into_a_file_and_an_error(tmp_path):
    m = crane()
    lv.simulate(m, h=0.005, until=1.0, events=events(), checkpoint=tmp_path / "out.nc")
    assert len(lv.load(tmp_path / "out.nc").phases) == 3

    def fail(now):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        lv.simulate(
            m, h=0.005, until=1.0, events=[*events(), lv.Event("t - 0.898", do=fail)], checkpoint=tmp_path / "b.nc"
        )
    assert lv.load(tmp_path / "b.nc").t[-1] == pytest.approx(0.895)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".journal"] == []


def test_a_cord_is_put_back():
    """Released and attached again by its name: it must fit."""
    m = lv.Model()
    ball = m.add(lv.Body(lv.PointMass(1.0), at=(1, 0, 0), velocity=(0, 1, 0), name="ball"))
    m.add(lv.Rod(m.world.point(0, 0, 0), ball.center, name="cord"))
    wall = m.world.point(0, 0, 0)
    gone = lv.Event("t - 0.5", do=lv.release("cord"), name="gone")
    ways = [lv.Event("t - 0.5 - 1e-9", do=lv.attach("cord"), name="back")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = lv.simulate(m, h=0.1, until=1.0, events=[gone, *ways])
    assert len(motion.events) == 2
    assert np.abs(np.linalg.norm(motion.position(ball), axis=1) - 1.0).max() < 1e-12
    assert wall.body is m.world


def test_an_ensemble_of_events():
    """Functions of the model and the parameters; members end at different times."""

    def make(height):
        m = lv.Model(gravity=(0, 0, -10.0))
        m.add(lv.Body(lv.PointMass(1.0), at=(0, 0, height), name="ball"))
        return m

    def ends(model, height):
        return [lv.Event(lambda now: now.position("ball")[0, 2] - 0.2 * height, stop=True)]

    pytest.importorskip("xarray")
    study = lv.ensemble(
        make, {"height": [5.0, 20.0]}, h=0.07, until=10.0, keep=lambda motion: {"t": motion.t[-1]}, events=ends
    )
    assert np.abs(study.t.values - np.sqrt(0.2 * 0.8 * np.array([5.0, 20.0]))).max() < 1e-14


def test_a_checkpoint_is_the_file_itself(tmp_path, monkeypatch):
    """A run that ends without a word at any chunk is continued to the same bits."""
    m = crane()
    whole = lv.simulate(m, h=0.005, until=1.4, every=7, events=events())

    class Killed(BaseException):
        pass

    left = [0]

    def update(self, done):
        left[0] -= 1
        if left[0] == 0:
            raise Killed

    for chunks in (2, 5, 9, 12, 15):
        left[0] = chunks
        with monkeypatch.context() as patch:
            patch.setattr(lv.run.progress.Progress, "update", update)
            with pytest.raises(Killed) as caught:
                lv.simulate(
                    m, h=0.005, until=1.4, every=7, events=events(), checkpoint=tmp_path / "c.nc", checkpoint_every=1e-9
                )
        equal(lv.resume(caught.value.trajectory, until=1.4), whole)  # from the last stored state
        assert lv.load(tmp_path / "c.nc").wanted == 280


def test_an_interrupted_run_is_resumed(tmp_path, monkeypatch, request):
    m = crane()
    whole = lv.simulate(m, h=0.005, until=1.4, every=7, events=events())
    original = lv.run.progress.Progress.update
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background ignores it
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    for steps in (30, 64, 100, 150):

        def update(self, done, steps=steps):
            original(self, done)
            if done >= steps:
                signal.raise_signal(signal.SIGINT)

        with monkeypatch.context() as patch:
            patch.setattr(lv.run.progress.Progress, "update", update)
            with pytest.raises(lv.Interrupted, match="continue with `livens resume") as caught:
                lv.simulate(m, h=0.005, until=1.4, every=7, events=events(), checkpoint=tmp_path / "c.nc")
        assert caught.value.trajectory.steps >= steps
        assert cli(["resume", str(tmp_path / "c.nc")]) == 0
        equal(lv.load(tmp_path / "c.nc"), whole)


def test_a_study_with_other_events_is_another_one(tmp_path):
    pytest.importorskip("xarray")

    def study(events):
        return lv.ensemble(
            lambda height: thrown(height), {"height": [5.0, 20.0]}, h=0.07, until=1.0,
            keep=lambda motion: {"t": motion.t[-1]}, events=events, store=tmp_path / "study.nc",
        )  # fmt: skip

    def thrown(height):
        m = lv.Model(gravity=(0, 0, -10.0))
        m.add(lv.Body(lv.PointMass(1.0), at=(0, 0, height), name="ball"))
        return m

    first = study([lv.Event("position('ball')[2] - 4", stop=True, name="low")])
    assert first.t.values[0] == pytest.approx(np.sqrt(0.2))
    assert first.t.values[1] == pytest.approx(1.0)
    again = study([lv.Event("position('ball')[2] - 4", stop=True, name="low")])
    assert np.array_equal(first.t.values, again.t.values)
    for other in ([], [lv.Event("t - 1", name="low")], lambda model, height: []):
        with pytest.raises(lv.FileError, match="it differs in the events"):
            study(other)


def test_a_joint_is_attached_after_a_file_was_read(tmp_path):
    """The joint of an event that has not occurred yet is in the file; what was attached can be released later."""
    m = lv.Model(gravity=(0, 0, -10.0))
    ball = m.add(lv.Body(lv.PointMass(1.0), at=(1, 0, 0), velocity=(0, 0, 3), name="ball"))
    m.add(lv.Spring(m.world.point(0, 0, 0), ball.center, stiffness=2.0, name="spring"))
    far = lv.Rod(m.world.point(0, 0, 0), ball.center, length=1.1, name="rope")
    events = [
        lv.Event("t - 0.1", do=lv.release("spring"), name="first"),
        lv.Event("norm(position('ball')) - 1.1", direction=1, do=lv.attach(far), name="tight"),
        lv.Event("t - 0.8", do=lv.release("rope"), name="last"),
    ]
    whole = lv.simulate(m, h=0.01, until=1.0, events=events)
    assert whole.events.names == ("first", "tight", "last")
    assert len(whole.phases) == 4
    assert 0.6 < whole.events.of("tight")[0].t < 0.75
    for cut in (0.05, 0.15, 0.6, 0.75, 0.9):
        part = lv.simulate(m, h=0.01, until=cut, events=events)
        part.save(tmp_path / "part.nc")
        for motion in (part, lv.load(tmp_path / "part.nc")):
            longer = lv.resume(motion, until=1.0)
            assert np.array_equal(longer.position("ball"), whole.position("ball"))
            assert np.array_equal(longer.reaction("rope"), whole.reaction("rope"), equal_nan=True)
    free = lv.resume(lv.simulate(m, h=0.01, until=0.75, events=events), until=1.0, events=[])
    assert free.events.names == ("first", "tight")
    later = lv.resume(lv.simulate(m, h=0.01, until=0.05), until=1.0, events=events)
    assert np.array_equal(later.position("ball"), whole.position("ball"))
    tight = whole.events.of("tight")[0]
    x, v = tight.before.position("ball")[0], tight.before.velocity("ball")[0]
    assert abs(whole.dissipated[-1] - 0.5 * (x @ v) ** 2 / (x @ x)) < 1e-12  # the radial velocity is lost
