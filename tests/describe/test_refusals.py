"""What is wrong is refused at the door or stops the run, in a sentence that names the thing, the size, the remedy."""

import os
import re

import numpy as np
import pytest

import livens as lv

NAN, INF = float("nan"), float("inf")
MATTER = lv.MassProperties(1.0, (1, 2, 3))
BAD = [NAN, INF, -INF]


def one(**options):
    """A model with one body at (1, 0, 0)."""
    m = lv.Model(**options)
    return m, m.add(lv.Body(MATTER, at=(1, 0, 0), name="b"))


def refuses(sentence, function, *arguments, **options):
    """function(…) raises a ModelError whose whole text is `sentence` (… stands for anything)."""
    pattern = ".*".join(re.escape(part) for part in sentence.split("…"))
    with pytest.raises(lv.ModelError, match=f"^{pattern}$"):
        function(*arguments, **options)


# ── bodies ──


@pytest.mark.parametrize("bad", BAD)
def test_nothing_that_is_not_finite_enters_a_model(bad):
    m, b = one()
    world = m.world.point(0, 0, 0)
    doors = {
        "gravity": lambda: lv.Model(gravity=(0, 0, bad)),
        "mass": lambda: lv.MassProperties(bad, (1, 1, 1)),
        "inertia": lambda: lv.MassProperties(1, (1, bad, 1)),
        "center of mass": lambda: lv.MassProperties(1, (1, 1, 1), center=(0, bad, 0)),
        "position of body 'x'": lambda: lv.Body(MATTER, at=(0, bad, 0), name="x"),
        "rotation of body 'x'": lambda: lv.Body(MATTER, rotation=np.full((3, 3), bad), name="x"),
        "velocity of body 'x'": lambda: lv.Body(MATTER, velocity=(bad, 0, 0), name="x"),
        "angular velocity of body 'x'": lambda: lv.Body(MATTER, angular_velocity=(bad, 0, 0), name="x"),
        "body rates of body 'x'": lambda: lv.Body(MATTER, body_rates=(bad, 0, 0), name="x"),
        "point on body 'b'": lambda: b.point(0, bad, 0),
        "stiffness of spring 's'": lambda: lv.Spring(world, b.center, stiffness=bad, name="s"),
        "length of spring 's'": lambda: lv.Spring(world, b.center, stiffness=1, length=bad, name="s"),
        "force of load 'l'": lambda: lv.Load(b.center, force=(0, 0, bad), name="l"),
        "torque of load 'l'": lambda: lv.Load(b.center, torque=(0, bad, 0), name="l"),
        "G of an attraction": lambda: lv.Attraction(G=bad),
        "h": lambda: lv.simulate(m, h=bad, until=1.0),
        "until": lambda: lv.simulate(m, h=0.1, until=bad),
    }
    for what, door in doors.items():
        refuses(f"{what} is not finite: ….", door)


def test_words_where_numbers_belong():
    refuses("gravity must be 3 numbers, not 'down'.", lv.Model, gravity="down")
    refuses("gravity must be 3 numbers, got shape ().", lv.Model, gravity=-9.81)
    refuses("mass must be a number, not 'heavy'.", lv.MassProperties, "heavy", (1, 1, 1))
    refuses("inertia must be 3 numbers, not [[1, 2], [3]].", lv.MassProperties, 1, [[1, 2], [3]])
    refuses("point on body 'b' must be 3 numbers, got shape (2,).", one()[1].point, 1, 2)
    refuses("point on body 'b' must be 3 numbers, not 'here'.", one()[1].point_at, "here")


def test_bodies_no_matter_can_make():
    refuses("mass must be positive, got -1 kg.", lv.MassProperties, -1, (1, 1, 1))
    refuses("inertia tensor has a negative principal moment: -1 kg m².", lv.MassProperties, 1, (-1, 1, 1))
    refuses("inertia tensor breaks the triangle inequality: 5 > 1 + 1 kg m² …", lv.MassProperties, 1, (1, 1, 5))
    lopsided = [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]
    refuses("inertia tensor is not symmetric: J − Jᵀ has an entry of 0.1 kg m².", lv.MassProperties, 1, lopsided)


def test_bodies():
    refuses("a body needs a shape or MassProperties, not 3.0.", lv.Body, 3.0)
    refuses("body 'x' needs a shape or MassProperties, not <class …Box'>.", lv.Body, lv.Box, name="x")
    refuses(
        "body 'x' has both angular_velocity (world axes) and body_rates (body axes): give one.",
        lv.Body,
        MATTER,
        angular_velocity=(1, 0, 0),
        body_rates=(1, 0, 0),
        name="x",
    )
    refuses(
        "rotation of body 'x' is not orthonormal: the largest entry of BᵀB − I is 3; Pose.nearest(B) projects it.",
        lv.Body,
        MATTER,
        rotation=2 * np.eye(3),
        name="x",
    )
    refuses("rotation of body 'x' is a reflection …", lv.Body, MATTER, rotation=-np.eye(3), name="x")


# ── the model ──


def test_what_a_model_holds():
    m, b = one()
    refuses("a model contains bodies, joints and forces, not None.", m.add, None)
    refuses("add a thing, not its class: Spring(…).", m.add, lv.Spring)
    refuses("'b' is in the model already.", m.add, b)
    refuses("the name 'b' is taken by a Body.", m.add, lv.Body(MATTER, name="b"))
    refuses("the name 'world' is taken by a Body.", m.add, lv.Body(MATTER, name="world"))
    refuses("the model has nothing named 'c'; it has world, b.", m.__getitem__, "c")
    assert [body.name for body in m.bodies] == ["world", "b"]


def test_names_are_one_space():
    """A spring may not take a body's name, nor the other way."""
    m, b = one()
    m.add(lv.Spring(m.world.point(0, 0, 0), b.center, stiffness=1, name="s"))
    refuses("the name 's' is taken by a Spring.", m.add, lv.Body(MATTER, name="s"))


def test_bodies_of_another_model():
    (m, b), (other, stranger) = one(), one()
    for spring in (
        lv.Spring(m.world.point(0, 0, 0), stranger.center, stiffness=1, name="s"),
        lv.Spring(other.world.point(0, 0, 0), b.center, stiffness=1, name="s"),
    ):
        refuses("Spring 's' uses body '…', which is not in this model: add it here first …", m.add, spring)
    refuses("Load 'l' uses body 'b', which is not …", m.add, lv.Load(stranger.center, force=(1, 0, 0), name="l"))
    refuses("an Attraction uses body 'b', which is not …", m.add, lv.Attraction(G=1, bodies=[b, stranger]))
    assert not m.forces


# ── forces ──


def test_springs():
    m, b = one()
    world = m.world.point(0, 0, 0)
    refuses("stiffness of spring 's' must not be negative, got -1 N/m.", lv.Spring, world, b.center, -1, name="s")
    refuses("length of spring 's' must not be negative, got -2 m.", lv.Spring, world, b.center, 1, length=-2, name="s")
    refuses("damping of a spring must not be negative, got -3 N s/m.", lv.Spring, world, b.center, 1, damping=-3)
    refuses("a spring joins points such as body.point(0, 0, 0), not Body('b').", lv.Spring, world, b, stiffness=1)
    refuses("a spring joins points such as body.point(0, 0, 0), not (0, 0, 0).", lv.Spring, (0, 0, 0), world, 1)
    refuses(
        "spring 's' joins body 'b' with itself and would have no effect.",
        lv.Spring,
        b.center,
        b.point(1, 0, 0),
        1,
        name="s",
    )


def test_attractions():
    m, b = one()
    refuses("G of attraction 'pull' must be positive, got 0.", lv.Attraction, G=0, name="pull")
    refuses("an attraction acts between bodies, not 'b'.", lv.Attraction, G=1, bodies=["b", "c"])
    refuses("an attraction needs two or more different bodies, got [Body('b')].", lv.Attraction, G=1, bodies=[b])
    refuses("an attraction needs two or more different bodies, got [Body('b'), Body('b')].", lv.Attraction, 1, [b, b])
    m.add(lv.Body(MATTER, at=(1, 0, 0), name="twin"))
    m.add(lv.Attraction(G=1))
    refuses("bodies 'b' and 'twin' attract each other from the same position.", lv.simulate, m, h=0.1, until=1)


def test_loads():
    m, b = one()
    refuses("load 'l' acts in axes 'world' or 'body', not 'local'.", lv.Load, b.center, axes="local", name="l")
    refuses("force of load 'l' must be 3 numbers, got shape ().", lv.Load, b.center, force=3.0, name="l")
    refuses("Load 'l' needs points such as body.point(0, 0, 0), not Body('b').", m.add, lv.Load(b, name="l"))
    refuses("Load 'l' acts on the world alone, which does not move.", m.add, lv.Load(m.world.point(0, 0, 0), name="l"))


@pytest.mark.parametrize(
    ("answer", "said"), [((0, 0, NAN), "(0, 0, nan)"), (1.0, "1.0"), ("x", "'x'"), (None, "None"), ((1, 2), "(1, 2)")]
)
def test_loads_that_answer_nonsense(answer, said):
    """A function of time is refused when it first gives something else than three finite numbers, with the time."""
    m, b = one()
    m.add(lv.Load(b.center, force=lambda t: answer if t > 0.45 else (0, 0, 0), name="gust"))
    refuses(f"force of 'gust' at t = 0.5 s must be 3 finite numbers, got {said}.", lv.simulate, m, h=0.1, until=1)


def test_errors_of_a_user_function_are_the_users():
    """They pass unchanged, so that the traceback points to the line that raised."""
    m, b = one()
    m.add(lv.Load(b.center, force=lambda t: 1 / 0, name="gust"))
    with pytest.raises(ZeroDivisionError):
        lv.simulate(m, h=0.1, until=1)


ROD = lv.MassProperties(1.0, (0, 1, 1))
DOT = lv.MassProperties(1.0, (0, 0, 0))


@pytest.mark.parametrize(
    ("matter", "kind", "remedy", "place"),
    [
        (ROD, "a thin rod", "a point on its axis", (0.3, 0.1, 0)),
        (DOT, "a point mass", "its centre of mass", (0.1, 0, 0)),
    ],
)
def test_torques_about_an_axis_without_inertia(matter, kind, remedy, place):
    """Whatever could turn a thin rod about itself, or a point mass at all, is refused by name when it is compiled."""
    for act in (
        lambda m, b: lv.Spring(m.world.point(0, 0, 0), b.point(place), stiffness=1, name="it"),
        lambda m, b: lv.Load(b.point(place), force=(1, 2, 3), name="it"),
        lambda m, b: lv.Load(b.center, torque=(1, 2, 3), name="it"),
        lambda m, b: lv.Load(b.center, torque=lambda t: (0, 0, 0), name="it"),
    ):
        m = lv.Model()
        b = m.add(lv.Body(matter, at=(1, 0, 0), name="thin"))
        thing = m.add(act(m, b))
        turns = isinstance(thing, lv.Load) and (callable(thing.torque) or thing.torque.any())
        refuses(
            f"{type(thing).__name__} 'it' can exert a torque on body 'thin' about an axis without inertia (it is "
            f"{kind}): {'leave its torque out' if turns else f'attach it at {remedy}'}, or give the body inertia.",
            lv.simulate,
            m,
            h=0.1,
            until=0.1,
        )


def test_thin_bodies_may_be_pulled_along_their_axis():
    """And their spin about it is and stays zero, whatever rate was given."""
    m = lv.Model(gravity=(0, 0, -9.81))
    rod = m.add(lv.Body(ROD, at=(1, 0, 0), body_rates=(5.0, 0, 1), name="rod"))
    dot = m.add(lv.Body(DOT, at=(2, 0, 0), name="dot"))
    m.add(lv.Spring(m.world.point(0, 0, 0), rod.point(-0.5, 0, 0), stiffness=10, length=0.4))
    m.add(lv.Spring(rod.point(0.5, 0, 0), dot.center, stiffness=10, length=0.4))
    motion = lv.simulate(m, lv.Livens(4), h=1e-2, until=1.0)
    assert not motion.body_rates(rod)[:, 0].any()
    assert not motion.body_rates(dot).any()
    assert motion.body_rates(rod)[:, 1:].any()


# ── simulate ──


def test_times():
    m, _ = one()
    refuses("h must be positive, got 0 s.", lv.simulate, m, h=0, until=1)
    refuses("h must be positive, got -0.1 s.", lv.simulate, m, h=-0.1, until=1)
    refuses("h must be a number of seconds, or \"auto\", not 'short'.", lv.simulate, m, h="short", until=1)
    refuses("until must be positive, got 0 s.", lv.simulate, m, h=0.1, until=0)
    for every in (0, -1, 1.5):
        refuses(
            f"every must be a whole number of steps, at least 1, got {every}.",
            lv.simulate,
            m,
            h=0.1,
            until=1,
            every=every,
        )


def test_a_step_that_does_not_divide_the_time_is_shortened():
    m, _ = one()
    motion = lv.simulate(m, h=0.3, until=1.0)
    assert (motion.steps, motion.h, motion.t[-1]) == (4, 0.25, 1.0)
    assert lv.simulate(m, h=5.0, until=1.0).steps == 1


def test_memory_is_asked_for_before_it_is_taken():
    """The remedy that the sentence names works."""
    m, _ = one()
    with pytest.raises(
        lv.ModelError, match=r"^keeping 1,000,000,001 states would take [\d.]+ GiB; keep fewer with every=\d+\.$"
    ) as caught:
        lv.simulate(m, h=1e-3, until=1e6)
    every = int(re.search(r"every=(\d+)", str(caught.value)).group(1))
    assert lv.simulate(m, h=1e-3, until=1.0, every=every).steps == 1000


def test_orders():
    refuses("the Livens scheme has order 2, 4 or 6, not 3.", lv.Livens, order=3)
    refuses("the Livens scheme has order 2, 4 or 6, not 'two'.", lv.Livens, order="two")


def test_resume_goes_forward():
    m, _ = one()
    motion = lv.simulate(m, h=0.1, until=1.0)
    refuses(
        "the motion ends at t = 1 s and continues in steps of 0.1 s: t = 0.5 s is not a later step.",
        lv.resume,
        motion,
        0.5,
    )
    refuses("the motion ends at t = 1 s …: t = 1.25 s is not a later step.", lv.resume, motion, 1.25)


# ── steps that fail ──


def test_a_body_that_turns_too_far():
    m = lv.Model()
    m.add(lv.Body(MATTER, name="slow"))
    m.add(lv.Body(MATTER, body_rates=(0, 0, 50.0), name="spinner"))
    with pytest.raises(lv.StepFailed) as caught:
        lv.simulate(m, h=0.1, until=1.0)
    assert str(caught.value) == (
        "the rotation of body 'spinner' cannot be solved at t = 0 s (step 1): it turns 5 rad per step, and the "
        "limit is about 1 rad; try h ≤ 1e-02 s."
    )
    assert len(caught.value.trajectory) == 1
    assert lv.simulate(m, h=1e-2, until=1.0).steps == 100  # the remedy works


def test_a_state_that_becomes_infinite():
    """A spring far beyond the limit of stability: the run stops with the time, the body and the motion so far."""
    m = lv.Model()
    m.add(lv.Body(MATTER, at=(0, 5, 0), name="calm"))
    stiff = m.add(lv.Body(MATTER, at=(1, 0, 0), velocity=(1, 0, 0), name="stiff"))
    m.add(lv.Spring(m.world.point(0, 0, 0), stiff.center, stiffness=1e9, length=0.5))
    with pytest.raises(lv.StepFailed) as caught:
        lv.simulate(m, h=0.1, until=100.0)
    found = re.fullmatch(
        r"the state of body 'stiff' is no longer finite at t = ([\d.]+) s \(step (\d+)\): forces grow without bound; "
        r"try a smaller h\.",
        str(caught.value),
    )
    motion = caught.value.trajectory
    assert found
    assert int(found.group(2)) == len(motion)
    assert motion.t[-1] == pytest.approx(float(found.group(1)))
    assert np.isfinite(motion.record.a).all()
    assert np.isfinite(motion.record.p).all()


def test_a_failed_run_keeps_what_it_had_in_between():
    """With every = 10 the trajectory ends at the last multiple of ten steps before the failure."""
    m = lv.Model()
    b = m.add(lv.Body(MATTER, name="b"))
    m.add(lv.Load(b.center, torque=(0, 0, 30.0)))
    with pytest.raises(lv.StepFailed) as caught:
        lv.simulate(m, h=0.01, until=100.0, every=10)
    motion = caught.value.trajectory
    step = int(re.search(r"step (\d+)", str(caught.value)).group(1))
    assert motion.t[-1] == pytest.approx(0.01 * ((step - 1) // 10 * 10))
    assert np.isfinite(motion.energy).all()


def test_a_name_holds_no_nul():
    m = lv.Model()
    with pytest.raises(
        lv.ModelError, match=r"^the name 'a\\x00b' has a NUL character in it, which a file cannot contain\.$"
    ):
        m.add(lv.Body(lv.PointMass(1.0), name="a\0b"))


def test_numbers_too_large_to_compute_with():
    with pytest.raises(
        lv.ModelError, match=r"^inertia of 1e\+308 kg m² is too large to compute with: check its unit\.$"
    ):
        lv.MassProperties(1.0, (1e308, 1e308, 1e308))
    with pytest.raises(lv.ModelError, match=r"^mass of 1e\+308 kg is too large to compute with: check its unit\.$"):
        lv.MassProperties(1e308, (1.0, 1.0, 1.0))


def test_places_where_no_file_can_be():
    m = lv.Model()
    m.add(lv.Body(lv.PointMass(1.0), name="stone"))
    motion = lv.simulate(m, h=0.1, until=0.1)
    with pytest.raises(lv.FileError, match=r"^'' is not the name of a file\.$"):
        motion.save("")
    with pytest.raises(lv.FileError, match=r"is not the name of a file\.$"):
        motion.save("a\0.nc")
    if os.path.isdir("/proc/self"):
        with pytest.raises(lv.FileError, match=r"^/proc/x\.nc cannot be written: the folder /proc accepts no files\.$"):
            motion.save("/proc/x.nc")


def test_gravity_can_be_set_to_any_three_numbers():
    m = lv.Model(gravity=(0, 0, -9.81))
    m.add(lv.Body(lv.PointMass(1.0), name="stone"))
    m.gravity = (0, 0, -1.62)
    assert lv.simulate(m, h=0.1, until=1.0).position("stone")[-1, 2] == pytest.approx(-0.81, abs=1e-12)
    with pytest.raises(lv.ModelError, match="gravity must be 3 numbers"):
        m.gravity = 9.81
    with pytest.raises(lv.ModelError, match="every must be a whole number of steps"):
        lv.simulate(m, h=0.1, until=1.0, every=10**30)


@pytest.mark.parametrize("value", [10**400, np.datetime64("2020-01-01"), 1j, [[1], [2, 3]], {}, object()])
def test_numbers_that_are_none(value):
    """Whole numbers beyond those of a float, dates, complex numbers: one sentence from each constructor."""
    m = lv.Model()
    a, b = (m.add(lv.Body(lv.PointMass(1.0), name=name)) for name in "ab")
    pair = a.center, b.center
    for make in (
        lambda: lv.Model(gravity=value),
        lambda: lv.Body(lv.PointMass(1.0), at=value),
        lambda: lv.MassProperties(value, (1, 1, 1)),
        lambda: lv.Spring(*pair, stiffness=value, length=1.0),
        lambda: lv.Revolute(*pair, axis=(0, 0, 1), limits=value),
        lambda: lv.Load(a.center, force=value),
        lambda: lv.Load(a.center, axes=value),
        lambda: lv.Attraction(1.0, bodies=value),
        lambda: lv.Expression("a*t", a=value),
        lambda: lv.simulate(m, h=value, until=1.0),
    ):
        with pytest.raises(lv.ModelError):
            make()
