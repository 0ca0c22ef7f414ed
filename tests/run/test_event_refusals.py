"""Events that are wrong, fail or never end: every error names the event, the time and the remedy."""

import re

import numpy as np
import pytest

import livens as lv


def falling():
    m = lv.Model(gravity=(0, 0, -10.0), name="drop")
    m.add(lv.Body(lv.PointMass(1.0), at=(0, 0, 5), name="ball"))
    return m


def swinging():
    m = lv.Model(gravity=(0, 0, -10.0))
    bar = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, mass=1.0), at=(0.5, 0, 0), name="bar"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Motor(hinge, 1.0, name="motor"))
    return m


def refuses(sentence, *events, model=None, kind=lv.ModelError, **options):
    with pytest.raises(kind, match=re.escape(sentence)) as caught:
        lv.simulate(model or falling(), h=0.1, until=2.0, events=list(events), **options)
    return caught.value


@pytest.mark.parametrize(
    ("sentence", "make"),
    [
        ("when of event 'x' must be a function of the moment", lambda: lv.Event(3.0, name="x")),
        ("when of an event must be a function", lambda: lv.Event(lambda: 0.0)),
        ("direction of an event must be -1, 0 or 1, not 2", lambda: lv.Event("t", direction=2)),
        ("direction of an event must be -1, 0 or 1, not True", lambda: lv.Event("t", direction=True)),
        ("stop of an event must be True or False", lambda: lv.Event("t", stop=1)),
        ("do of an event must be an action such as lv.release", lambda: lv.Event("t", do="release")),
        ("the name of a event must be a word", lambda: lv.Event("t", name=3)),
        ("release needs the name", lambda: lv.release()),
        ("release needs the name of a joint or force, not 3", lambda: lv.release(3)),
        ("attach takes a joint", lambda: lv.attach(3)),
        ("strike needs a point", lambda: lv.strike((0, 0, 0))),
        ("impulse of strike must be 3 numbers", lambda: lv.strike(falling()["ball"].center, 1.0)),
        ("change needs a path", lambda: lv.change(3, 1.0)),
        ("'^' is not allowed here", lambda: lv.Event("t^2 - 1")),
        ("'speed'", lambda: lv.Event("speed - 1")),
        ("energy is written energy()", lambda: lv.Event("energy('ball')")),
    ],
)
def test_a_description_is_refused(sentence, make):
    with pytest.raises(lv.ModelError, match=re.escape(sentence)):
        make()


def test_lists_of_events():
    refuses("events must be a list of lv.Event(…), and 3 is none", 3)
    refuses("two events are named 'a'", lv.Event("t", name="a"), lv.Event("t", name="a"))
    with pytest.raises(lv.ModelError, match="events must be a list"):
        lv.simulate(falling(), h=0.1, until=1.0, events="t")
    with pytest.raises(lv.ModelError, match='h="auto" cannot be used with events'):
        lv.simulate(falling(), h="auto", until=1.0, events=[lv.Event("t - 0.5")])


def test_actions_are_checked_before_the_run():
    late = "t - 1.5"
    refuses("release names 'cord', which is not a joint or force", lv.Event(late, do=lv.release("cord")))
    refuses("attach names 'cord'", lv.Event(late, do=lv.attach("cord")))
    refuses("switch names 'motor'", lv.Event(late, do=lv.switch("motor", False)))
    refuses("has no drive", lv.Event(late, do=lv.switch("hinge", False)), model=swinging())
    refuses("must be True, False or a function", lv.Event(late, do=lv.switch("hinge", 3.0)), model=swinging())
    elsewhere = lv.Spherical(falling().world.point(0, 0, 0), falling()["ball"].center, name="pin")
    refuses("which is not in this model", lv.Event(late, do=lv.attach(elsewhere)))
    model = swinging()
    twice = lv.Rod(model.world.point(0, 0, 1), model["bar"].center, name="hinge")
    refuses("the model has something of this name already", lv.Event(late, do=lv.attach(twice)), model=model)


@pytest.mark.parametrize("answer", [np.nan, np.inf, "up", None, [1.0, 2.0], 1j])
def test_a_function_that_returns_no_number(answer):
    bad = lv.Event(lambda now: answer if now.t[0] > 0.55 else 1.0, name="bad")
    error = refuses("when of event 'bad' must return a finite number; at t = 0.6 s it returned", bad)
    assert error.trajectory.t[-1] == pytest.approx(0.5)
    assert error.trajectory.position("ball")[-1, 2] == pytest.approx(5.0 - 5.0 * 0.25)


def test_exceptions_of_functions_keep_the_motion():
    def when(now):
        if now.t[0] > 0.55:
            raise KeyError("lost")
        return 1.0

    error = refuses("lost", lv.Event(when), kind=KeyError)
    assert error.trajectory.t[-1] == pytest.approx(0.5)

    def do(now):
        raise ZeroDivisionError("at the event")

    error = refuses("at the event", lv.Event("t - 0.75", do=do), kind=ZeroDivisionError)
    assert error.trajectory.t[-1] == pytest.approx(0.7)
    refuses("event 'lost' at t = 0 s: the model has nothing named 'cube'", lv.Event("position('cube')[0]", name="lost"))


@pytest.mark.parametrize(
    ("sentence", "do"),
    [
        ("event 'e' at t = 0.55 s: Rod 'rod' does not fit: its points are 3.487 m apart", "rod"),
        ("do of event 'e' must be an action", lambda now: 3.0),
        ("a of the start must be", lambda now: now.state._replace(a=np.zeros(3))),
        ("the scene has no 'bodies.cube.mass'", lv.change("bodies.cube.mass", 3.0)),
        ("mass must be positive", lv.change("bodies.ball.mass", -3.0)),
    ],
)
def test_an_action_that_fails(sentence, do):
    m = lv.Model(gravity=(0, 0, -10.0))
    ball = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), at=(0, 0, 5), name="ball"))
    if do == "rod":
        do = lv.attach(lv.Rod(m.world.point(0, 0, 0), ball.center, length=1.0, name="rod"))
    error = refuses(sentence, lv.Event("t - 0.55", do=do, name="e"), model=m)
    assert error.trajectory.t[-1] == pytest.approx(0.5)


def test_a_motor_must_go_with_its_joint():
    late = lv.Event("t - 0.5", do=lv.release("hinge"), name="late")
    refuses("Motor 'motor' acts on joint 'hinge', which an event releases: release 'motor' too", late, model=swinging())
    both = lv.Event("t - 0.5", do=lv.release("hinge", "motor"))
    assert len(lv.simulate(swinging(), h=0.1, until=1.0, events=[both]).phases) == 2


def test_what_is_gone_can_be_released_again():
    gone = lv.Event("sin(10*t - 1)", do=lv.release("motor"), name="gone")
    there = lv.Event("t - 0.05", do=lv.attach("motor"), name="there")
    motion = lv.simulate(swinging(), h=0.1, until=2.0, events=[gone, there])
    assert [event.acted for event in motion.events.of("gone")] == [True] + 6 * [False]
    assert len(motion.phases) == 2


@pytest.mark.parametrize("restitution", [0.9, 0.5, 0.1, 0.01])
def test_a_storm_ends_the_run(restitution):
    """A ball whose bounces become shorter and shorter; they end at t = t₁ (1 + e) / (1 − e)."""
    m = falling()
    ball = m["ball"]

    def bounce(now):
        return lv.strike(ball.center, (0, 0, -(1.0 + restitution) * now.velocity(ball)[0, 2]))

    ground = lv.Event(lambda now: now.position(ball)[0, 2], direction=-1, do=bounce, name="ground")
    with pytest.raises(lv.ModelError, match=r"event 'ground' has occurred \d+ times in one step, at last") as caught:
        lv.simulate(m, h=0.1, until=50.0, events=[ground])
    end = (1.0 + restitution) / (1.0 - restitution)
    assert end - 0.2 < caught.value.trajectory.t[-1] <= end


def test_an_event_that_repeats_itself_ends_the_run():
    m = falling()
    near = lv.Event(lambda now: np.sin(1e3 * now.t[0] + 0.1), do=lv.strike(m["ball"].center, (0, 0, 0)), name="near")
    with pytest.raises(lv.ModelError, match="event 'near' has occurred 21 times in one step"):
        lv.simulate(m, h=0.1, until=1.0, events=[near])


def test_a_step_that_fails_near_an_event():
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 2.5)), body_rates=(0, 0.3, 40.0), name="top"))
    with pytest.raises(lv.StepFailed, match="the rotation of body 'top' cannot be solved") as caught:
        lv.simulate(m, h=0.5, until=10.0, events=[lv.Event("t - 3")])
    assert len(caught.value.trajectory) == 1


def test_orders_that_step_backwards_refuse_attached_dampers():
    m = falling()
    damper = lv.Damper(m.world.point(0, 0, 0), m["ball"].center, rate=2.0, name="damper")
    late = lv.Event("t - 0.5", do=lv.attach(damper))
    with pytest.raises(lv.ModelError, match="order 4 takes some steps backwards"):
        lv.simulate(m, lv.Livens(4), h=0.1, until=1.0, events=[late])
    assert lv.simulate(m, lv.Livens(2), h=0.1, until=1.0, events=[late]).dissipated[-1] > 0.0
