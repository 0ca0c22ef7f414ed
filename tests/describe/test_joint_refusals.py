"""What cannot be a joint, a drive or a motor is refused, in a sentence that names the thing, the size, the remedy."""

import inspect
import re
import warnings

import numpy as np
import pytest

import livens as lv

NAN, INF = float("nan"), float("inf")
MATTER = lv.MassProperties(1.0, (1, 2, 3))
O, X, Y, Z = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)


def two():
    """A model with a body at the origin, one at (1, 0, 0), and their centres as points, the world's origin first."""
    m = lv.Model(gravity=(0, 0, -9.81))
    a = m.add(lv.Body(MATTER, name="a"))
    b = m.add(lv.Body(MATTER, at=(1, 0, 0), name="b"))
    return m, m.world.point(0, 0, 0), a.point(0, 0, 0), b.point(0, 0, 0)


def refuses(sentence, function, *arguments, **options):
    """function(…) raises a ModelError whose whole text is `sentence` (… stands for anything)."""
    pattern = ".*".join(re.escape(part) for part in sentence.split("…"))
    with pytest.raises(lv.ModelError, match=f"^{pattern}$"):
        function(*arguments, **options)


def run(m, scheme=None, h=0.01):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        return lv.simulate(m, scheme, h=h, until=10 * h)


JOINTS = {
    lv.Spherical: {},
    lv.Rigid: {},
    lv.Revolute: {"axis": Z},
    lv.Prismatic: {"axis": Z},
    lv.Cylindrical: {"axis": Z},
    lv.Screw: {"axis": Z, "pitch": 0.1},
    lv.Universal: {"axis_a": Z, "axis_b": X},
    lv.Planar: {"normal": Z},
    lv.PointOnPlane: {"normal": Z},
    lv.PointOnLine: {"axis": Z},
    lv.Rod: {},
    lv.RollingBall: {"normal": Z, "radius": 1.0},
    lv.RollingDisc: {"normal": Z, "axis": X, "radius": 1.0},
    lv.KnifeEdge: {"across": X},
}
each_joint = pytest.mark.parametrize(("kind", "options"), JOINTS.items(), ids=lambda x: getattr(x, "__name__", ""))
DIRECTIONS = [(k, o, name) for k, o in JOINTS.items() for name in ("axis", "axis_a", "axis_b", "normal") if name in o]


# ── directions and numbers ──


@pytest.mark.parametrize(("kind", "options", "which"), DIRECTIONS)
def test_directions(kind, options, which):
    _, _, a, b = two()
    what = f"{which} of {kind.__name__} 'j'"
    for bad, fault in (
        (O, "has length zero: give a direction such as (0, 0, 1)."),
        ((0, NAN, 1), "is not finite: [0.0, nan, 1.0]."),
        ((INF, 0, 1), "is not finite: [inf, 0.0, 1.0]."),
        ("up", "must be 3 numbers, not 'up'."),
        ((0, 1), "must be 3 numbers, got shape (2,)."),
        (None, "must be 3 numbers, got shape ()."),
    ):
        refuses(f"{what} {fault}", kind, a, b, **options | {which: bad}, name="j")


def test_the_direction_across_an_edge():
    _, world, a, _ = two()
    fault = "has length zero: give a direction such as (0, 0, 1)."
    refuses(f"direction across KnifeEdge 'skate' {fault}", lv.KnifeEdge, world, a, O, name="skate")


def test_directions_that_must_differ():
    _, world, a, b = two()
    sentence = "the axes of Universal 'cross' are parallel: a universal joint needs two directions."
    for other in (Z, (0, 0, -3), (0, 0.01, 1)):
        refuses(sentence, lv.Universal, a, b, Z, other, name="cross")
    flat = "RollingDisc 'coin' lies flat (its axis is the plane's normal): its contact is not a single point."
    refuses(flat, lv.RollingDisc, world, a, normal=Z, axis=(0, 0, -2), radius=1, name="coin")


@pytest.mark.parametrize("kind", [lv.Revolute, lv.Prismatic, lv.Cylindrical, lv.Screw])
@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_numbers_that_are_not_finite(kind, bad):
    _, _, a, b = two()
    for option in ("stiffness", "rest", "damping", "limit_stiffness"):
        what = f"{option.replace('_', ' ')} of {kind.__name__} 'j'"
        refuses(f"{what} is not finite: {bad}.", kind, a, b, **JOINTS[kind], **{option: bad}, name="j")
    limits = (NAN, 1) if bad != bad else sorted((bad, 1))[::-1]  # lower first, infinity is an open side
    sentence = f"limits of {kind.__name__} 'j' must be (lower, upper), got …"
    refuses(sentence, kind, a, b, **JOINTS[kind], limits=limits, name="j")


@pytest.mark.parametrize("bad", [NAN, INF])
def test_other_numbers_that_are_not_finite(bad):
    _, world, a, b = two()
    hinges = lv.Revolute(world, a, axis=Z), lv.Revolute(world, b, axis=Z)
    for what, door in {
        "length of Rod 'j'": lambda: lv.Rod(a, b, length=bad, name="j"),
        "pitch of Screw 'j'": lambda: lv.Screw(a, b, axis=Z, pitch=bad, name="j"),
        "radius of RollingBall 'j'": lambda: lv.RollingBall(world, a, normal=Z, radius=bad, name="j"),
        "radius of RollingDisc 'j'": lambda: lv.RollingDisc(world, a, normal=Z, axis=X, radius=bad, name="j"),
        "ratio of Coupling 'j'": lambda: lv.Coupling(*hinges, ratio=bad, name="j"),
        "rate of damper 'j'": lambda: lv.Damper(a, b, rate=bad, name="j"),
        "effort of motor 'j'": lambda: lv.Motor(hinges[0], bad, name="j"),
        "rate of motor 'j'": lambda: lv.Motor(hinges[0], lambda t, now: 0.0, rate=bad, name="j"),
    }.items():
        refuses(f"{what} is not finite: {bad}.", door)


def test_numbers_out_of_range():
    _, world, a, b = two()
    for option in ("stiffness", "damping"):
        refuses(f"{option} of a Revolute must not be negative, got -1.", lv.Revolute, a, b, axis=Z, **{option: -1})
    refuses("limit stiffness of a Revolute must be positive, got 0.", lv.Revolute, a, b, axis=Z, limit_stiffness=0)
    refuses("radius of a RollingBall must be positive, got 0 m.", lv.RollingBall, world, a, Z, 0)
    refuses("rate of a damper must be positive, got 0 N s/m.", lv.Damper, a, b, rate=0)
    refuses("length of a Rod must not be negative, got -1.", lv.Rod, a, b, length=-1)


def test_limits():
    _, _, a, b = two()
    for bad in ((1, -1), (1, 1)):
        shown = [float(x) for x in bad]
        refuses(
            f"limits of Revolute 'j' must be (lower, upper), got {shown}.", lv.Revolute, a, b, Z, limits=bad, name="j"
        )
    for bad in ((1, 2, 3), 1.0, "up", (None,), ("a", "b")):
        refuses(f"limits of a Revolute must be (lower, upper), not {bad!r}.", lv.Revolute, a, b, axis=Z, limits=bad)


@pytest.mark.parametrize(("given", "kept"), [((None, 1), (-INF, 1)), ((-INF, 1), (-INF, 1)), ((-1, None), (-1, INF))])
def test_limits_may_be_open_on_one_side(given, kept):
    """A stop on one side does what two stops do of which the other is never reached."""
    ends = []
    for limits in (given, np.clip(kept, -100, 100)):
        m, world, a, _ = two()
        m["a"].body_rates = np.array([0.0, 0.0, 30.0])
        joint = m.add(lv.Revolute(world, a, axis=Z, limits=limits, name="j"))
        ends.append(run(m).coordinate(joint))
    assert joint.limits.tolist() == list(np.clip(kept, -100, 100))
    assert np.array_equal(*ends)
    assert lv.Revolute(world, a, axis=Z, limits=given).limits.tolist() == list(kept)


@pytest.mark.parametrize("option", ["stiffness", "rest", "damping", "limits", "limit_stiffness", "drive", "start_rate"])
def test_what_needs_a_coordinate(option):
    _, world, a, _ = two()
    for kind, options in {**JOINTS, lv.FixedOrientation: {}}.items():
        if not kind.coordinate_kinds:
            ends = (world.body, a.body) if kind is lv.FixedOrientation else (world, a)
            sentence = (
                f"{kind.__name__} 'j' has no coordinate for {option!r} to act on: put a Spring or Damper between "
                "points, or use a Revolute or Prismatic."
            )
            refuses(sentence, kind, *ends, **options, **{option: 1.0}, name="j")
            assert option not in inspect.signature(kind).parameters


# ── points and bodies ──


@each_joint
def test_points(kind, options):
    _, world, a, b = two()
    what = f"{kind.__name__} 'j'"
    for bad, said in (((0, 0, 0), "(0, 0, 0)"), (a.body, "Body('a')"), (None, "None"), ("a", "'a'")):
        sentence = f"{what} joins points such as body.point(0, 0, 0), not {said}."
        refuses(sentence, kind, bad, b, **options, name="j")
        refuses(sentence, kind, b, bad, **options, name="j")
    refuses(f"{what} joins body 'a' with itself.", kind, a, a.body.point(1, 0, 0), **options, name="j")
    refuses(f"{what} joins body 'world' with itself.", kind, world, world.body.point(1, 0, 0), **options, name="j")


def test_fixed_orientation_takes_bodies():
    m, _, a, _ = two()
    refuses("FixedOrientation 'j' joins bodies, not a.point(0.0, 0.0, 0.0).", lv.FixedOrientation, a, m.world, name="j")
    refuses("a FixedOrientation joins bodies, not None.", lv.FixedOrientation, a.body, None)
    refuses("a FixedOrientation joins body 'a' with itself.", lv.FixedOrientation, a.body, a.body)


@each_joint
def test_bodies_of_another_model(kind, options):
    m, world, a, b = two()
    _, there, stranger, _ = two()
    orphan = lv.Body(MATTER, at=(0, 0, 1), name="orphan").point(0, 0, 0)
    for one, two_, name in ((a, stranger, "a"), (there, a, "world"), (orphan, a, "orphan")):
        joint = kind(one, two_, **options | ({"length": 1.0} if kind is lv.Rod else {}), name="j")
        sentence = (
            f"{kind.__name__} 'j' uses body '{name}', which is not in this model: add it here first (a body of another "
            "model cannot be joined to this one)."
        )
        refuses(sentence, m.add, joint)
    assert not m.joints
    assert m.add(kind(world, b, **options, name="j")) in m


def test_names():
    m, world, a, b = two()
    hinge = m.add(lv.Revolute(world, a, axis=Z, name="hinge"))
    refuses("the name 'hinge' is taken by a Revolute.", m.add, lv.Spherical(a, b, name="hinge"))
    refuses("the name 'a' is taken by a Body.", m.add, lv.Spherical(a, b, name="a"))
    refuses("'hinge' is in the model already.", m.add, hinge)
    refuses("the name of a Spherical must be a word, not 3.", m.add, lv.Spherical(a, b, name=3))
    refuses("the name of a Body must be a word, not None.", m.add, lv.Body(MATTER, name=None))
    refuses("add a thing, not its class: Revolute(…).", m.add, lv.Revolute)
    assert m.joints == [hinge]


def test_rods_of_length_zero():
    m, world, a, b = two()
    sentence = "Rod 'r' has length zero, so it has no direction: use Spherical for points that coincide."
    refuses(sentence, lv.Rod, world, a, name="r")
    refuses(sentence, lv.Rod, a, b, length=0, name="r")
    far = lv.Body(MATTER, at=(1e6, 0, 0), name="far")
    refuses(sentence, lv.Rod, m.world.point(1e6, 0, 0), far.point(0, 0, 1e-9), name="r")


# ── drives, gears and motors ──


def test_drives_are_functions_of_time():
    _, world, a, _ = two()
    for bad, said in ((3.0, "3.0"), ("fast", "'fast'"), ((0, 1), "(0, 1)")):
        sentence = f"drive of Revolute 'j' must be a function of time, not {said}."
        refuses(sentence, lv.Revolute, world, a, axis=Z, drive=bad, name="j")
    for bad in (lambda: 0.0, lambda t, x: 0.0):
        refuses("drive of a Revolute must be a function of time, not <…>.", lv.Revolute, world, a, axis=Z, drive=bad)


@pytest.mark.parametrize(("answer", "said"), [(NAN, "nan"), (None, "None"), ("x", "'x'"), ([0.0], "[0.0]")])
def test_functions_that_answer_nonsense(answer, said):
    """Of drives, motors and controllers alike: refused with the time of the first wrong answer."""
    m, world, a, _ = two()
    m.add(lv.Revolute(world, a, axis=Z, drive=lambda t: answer if t > 0.045 else 0.0, name="hinge"))
    refuses(f"drive of 'hinge' at t = 0.05 s must be a finite number, got {said}.", run, m)
    m, world, a, _ = two()
    hinge = m.add(lv.Revolute(world, a, axis=Z, name="hinge"))
    m.add(lv.Motor(hinge, lambda t: answer if t > 0.045 else 0.0, name="motor"))
    refuses(f"effort of 'motor' at t = 0.05 s must be a finite number, got {said}.", run, m)
    m, world, a, _ = two()
    hinge = m.add(lv.Revolute(world, a, axis=Z, name="hinge"))
    m.add(lv.Motor(hinge, lambda t, now: answer if t > 0.045 else 0.0, rate=50.0, name="servo"))
    refuses(f"effort of 'servo' at t = 0.06 s must be a finite number, got {said}.", run, m)


def test_errors_of_a_controller_are_its_own():
    m, world, a, _ = two()
    hinge = m.add(lv.Revolute(world, a, axis=Z, name="hinge"))
    m.add(lv.Motor(hinge, lambda t, now: now.coordinate("elbow")[0], rate=50.0, name="servo"))
    refuses("the model has nothing named 'elbow'; it has world, a, b, hinge, servo.", run, m)


def test_motors():
    m, world, a, b = two()
    other, there, stranger, _ = two()
    hinge, weld = lv.Revolute(world, a, axis=Z, name="hinge"), lv.Rigid(world, b, name="weld")
    sentence = "motor 'm' needs a joint with a coordinate (Revolute, Prismatic, …), not "
    refuses(sentence + "Rigid('weld').", lv.Motor, weld, 1.0, name="m")
    ball = lv.Spherical(world, b, name="ball")
    sentence_of_parts = "motor 'm' acts on Spherical 'ball', which has turn_x, turn_y, turn_z, not 'angle'."
    refuses(sentence_of_parts, lv.Motor, ball, 1.0, coordinate="angle", name="m")
    refuses(sentence + "None.", lv.Motor, None, 1.0, name="m")
    refuses(sentence + "Body('a').", lv.Motor, a.body, 1.0, name="m")
    refuses("effort of motor 'm' must be a number, not 'strong'.", lv.Motor, hinge, "strong", name="m")
    refuses("effort of motor 'm' must be a number, got shape (3,).", lv.Motor, hinge, (1, 2, 3), name="m")
    sentence = "effort of motor 'm' must be a function of time; a controller f(t, now) needs a rate [Hz]."
    refuses(sentence, lv.Motor, hinge, lambda t, now: 0.0, name="m")
    sentence = "motor 'm' has a rate, so its effort must be a controller f(t, now), not "
    refuses(sentence + "1.0.", lv.Motor, hinge, 1.0, rate=10, name="m")
    refuses(sentence + "<…>.", lv.Motor, hinge, lambda t: 0.0, rate=10, name="m")
    refuses("rate of motor 'm' must be positive, got 0 Hz.", lv.Motor, hinge, lambda t, now: 0.0, rate=0, name="m")
    strange = other.add(lv.Revolute(there, stranger, axis=Z, name="strange"))
    for joint in (hinge, strange):
        sentence = f"Motor 'm' acts on {joint!r}, which is not a joint of this model: add it here first."
        refuses(sentence, m.add, lv.Motor(joint, 1.0, name="m"))
    assert m.add(lv.Motor(m.add(hinge), 1.0, name="m")) in m


def test_couplings():
    m, world, a, b = two()
    other, there, stranger, _ = two()
    one, second = m.add(lv.Revolute(world, a, axis=Z)), lv.Revolute(a, b, axis=X, name="second")
    sentence = "Coupling 'gear' needs joints with a coordinate (Revolute, Prismatic, …), not "
    for bad, said in ((None, "None"), (lv.Spherical(world, b, name="ball"), "Spherical('ball')"), ("hinge", "'hinge'")):
        refuses(f"{sentence}{said}.", lv.Coupling, one, bad, ratio=1.0, name="gear")
    refuses("Coupling 'gear' couples joint 'revolute1' with itself.", lv.Coupling, one, one, ratio=1.0, name="gear")
    sentence = "ratio of Coupling 'gear' is zero: joint 'second' would be locked, not coupled."
    refuses(sentence, lv.Coupling, one, second, ratio=0, name="gear")
    strange = other.add(lv.Revolute(there, stranger, axis=Z, name="strange"))
    for joint in (second, strange):
        sentence = f"Coupling 'gear' acts on {joint!r}, which is not a joint of this model: add it here first."
        refuses(sentence, m.add, lv.Coupling(one, joint, ratio=1.0, name="gear"))


def test_controllers_speak_at_whole_steps():
    whole, divide = "a controller's period must be a whole number of steps; ", ", which divide the time of the run"
    for rates, sentence in (
        ([80.0], f'{whole}it is 1.25 steps of 0.01 s{divide}. Try h = 0.00625 and until = 0.1, or h="auto".'),
        ([1000.0], f'{whole}it is 0.1 steps of 0.01 s{divide}. Try h = 0.001 and until = 0.1, or h="auto".'),
        ([10.0, 50.0], "controllers must share one rate, got [10.0, 50.0] Hz."),
    ):
        m, world, a, _ = two()
        hinge = m.add(lv.Revolute(world, a, axis=Z, name="hinge"))
        for rate in rates:
            m.add(lv.Motor(hinge, lambda t, now: 0.0, rate=rate))
        refuses(sentence, run, m)


def test_drives_that_contradict_each_other():
    """Two hinges of one shaft, driven at different speeds: no velocity satisfies both."""
    m, world, a, _ = two()
    m.add(lv.Revolute(world, a, axis=Z, drive=lambda t: t, name="slow"))
    m.add(lv.Revolute(m.world.point(Z), a.body.point(Z), axis=Z, drive=lambda t: 2 * t, name="quick"))
    sentence = (
        "no velocity satisfies all joints at the start: joint '…' (Revolute) is violated by 1 in m/s or rad/s. "
        "Prescribe fewer motions, or consistent ones."
    )
    refuses(sentence, run, m)


# ── what cannot be run ──


@pytest.mark.parametrize("order", [4, 6])
def test_higher_orders_do_not_damp(order):
    """They step backwards in time, where a damper would feed energy in."""
    sentence = (
        f"order {order} takes some steps backwards in time, where dampers would feed energy in: use lv.Livens(order=2)."
    )
    for act in (
        lambda world, a, b: lv.Damper(a, b, rate=1.0),
        lambda world, a, b: lv.Spring(a, b, stiffness=1.0, damping=1.0),
        lambda world, a, b: lv.Revolute(world, a, axis=Z, damping=1.0),
    ):
        m, *points = two()
        m.add(act(*points))
        refuses(sentence, run, m, lv.Livens(order))
        assert run(m, lv.Livens(2)).dissipated[-1] >= 0.0


THIN = {"a thin rod": (lv.ThinRod(1.0, mass=1.0), (0.5, 0, 0)), "a point mass": (lv.PointMass(1.0), (0, 0, 0))}
REMEDY = {"a thin rod": "a point on its axis", "a point mass": "its centre of mass"}


@pytest.mark.parametrize("kind", THIN)
def test_joints_that_could_turn_what_has_no_inertia(kind):
    """Whatever holds directions is refused on thin rods and point masses; ball joints, rods and lines are not."""
    matter, end = THIN[kind]
    doors = [(joint, options, end, 1) for joint, options in JOINTS.items()]
    doors += [(lv.Spherical, {}, (0, 0.1, 0), 1), (lv.Rod, {}, (0, 0.1, 0), 1), (lv.PointOnLine, {"axis": Z}, end, 0)]
    allowed = (lv.Spherical, lv.Rod, lv.PointOnLine, lv.PointOnPlane, lv.KnifeEdge)
    for joint, options, place, side in doors:
        m = lv.Model()
        body = m.add(lv.Body(matter, name="thin"))
        start = {lv.RollingBall: (0, 0, -1), lv.RollingDisc: (0, 0, -1), lv.Rod: (0, 0, 1)}.get(joint, O)
        points = [m.world.point(np.add(place, start)), body.point(place)]
        m.add(joint(*(points if side else points[::-1]), **options, name="it"))
        if joint in allowed and place == end and side:
            assert run(m).steps == 10
            continue
        remedy = "use Spherical or Rod, which leave it free to turn"
        if joint in (lv.Spherical, lv.Rod):
            remedy = f"attach it at {REMEDY[kind]}"
        elif joint is lv.PointOnLine:
            remedy = "put the point of 'thin' second"
        sentence = (
            f"{joint.__name__} 'it' can exert a torque on body 'thin' about an axis without inertia (it is {kind}): "
            f"{remedy}, or give the body inertia."
        )
        refuses(sentence, run, m)


def test_what_motions_do_not_know():
    m, world, a, b = two()
    one = m.add(lv.Revolute(world, a, axis=Z, name="one"))
    ball = m.add(lv.Spherical(m.world.point(1, 0, 0), b, name="ball"))
    rail = m.add(lv.Revolute(m.world.point(1, 0, 0), b, axis=Z, name="two"))
    m.add(lv.Coupling(one, rail, ratio=2.0, name="gear"))
    motion = run(m)
    refuses("the model has nothing named 'elbow'; it has …", motion.reaction, "elbow")
    refuses("Body('a') is not a joint of this motion's model.", motion.reaction, "a")
    other = lv.Revolute(world, a, axis=Z, name="other")
    refuses("Revolute('other') is not a joint of this motion's model.", motion.reaction, other)
    refuses("reactions come in frame 'world' or 'joint', not 'body'.", motion.reaction, one, frame="body")
    refuses(
        "Coupling('gear') has no reaction of its own: it acts through the joints it couples.", motion.reaction, "gear"
    )
    for function in (motion.coordinate, motion.rate, motion.effort):
        refuses("Coupling('gear') has no coordinate; a Revolute, … has.", function, "gear")
    refuses("Spherical('ball') has neither a motor nor a prescribed motion, so it has no effort.", motion.effort, ball)


@pytest.mark.parametrize("unit", [1e-20, 1e-11, 1.0, 1e15])
def test_a_rod_has_a_length_in_any_unit(unit):
    m = lv.Model()
    body = m.add(lv.Body(lv.Box(unit, unit, unit, mass=1.0), at=(unit, 0, 0), name="body"))
    assert lv.Rod(m.world.point(0, 0, 0), body.point(0, 0, 0)).length == pytest.approx(unit)
    with pytest.raises(lv.ModelError, match="has length zero"):
        lv.Rod(m.world.point(unit, 0, 0), body.point(0, 0, 0))


@pytest.mark.parametrize("unit", [1e-15, 1.0, 1e15])
def test_a_joint_that_does_not_fit_is_named_in_any_unit(unit):
    m = lv.Model()
    body = m.add(lv.Body(lv.Box(unit, unit, unit, mass=1.0), at=(unit, 0, 0), name="body"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), body.point(0, 0, 0), name="far"))
    m.add(lv.Spherical(m.world.point(unit, unit, 0), body.point(0, unit, 0), name="near"))
    with pytest.raises(lv.ModelError, match=r"joint 'far' \(Spherical, violation [\de+.-]+\) in m or rad"):
        lv.dynamics(m)
