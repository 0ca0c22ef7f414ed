"""One rule for every joint: a coordinate is `start` at the start and counts the relative motion from there.

The relative motion of every joint is written out here with SciPy's rotations: rotations about axes through its point,
and translations, in the axes of the first body.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import livens as lv


def about(axis, angle):
    return Rotation.from_rotvec(angle * np.asarray(axis)).as_matrix()


class Case:
    """A joint between two bodies in random positions; `moved` is the second body's motion relative to the first."""

    def __init__(self, kind, rng, unit=1.0, reverse=False, world=False, start=True):
        frame = Rotation.random(random_state=rng).as_matrix()
        self.u, self.w, _ = frame.T
        self.unit, self.kind = unit, kind
        self.m = m = lv.Model(gravity=rng.normal(size=3) * unit)
        bodies = []
        for name in ("first", "second"):
            shape = lv.MassProperties(rng.uniform(1, 2), tuple(unit**2 * rng.uniform(0.5, 0.7, 3)),
                                      center=0.2 * unit * rng.normal(size=3))  # fmt: skip
            R = Rotation.random(random_state=rng).as_matrix()
            bodies.append(m.add(lv.Body(shape, at=unit * rng.normal(size=3), rotation=R, name=name)))
        if world:
            bodies[0] = m.world
        if reverse:
            bodies.reverse()
        self.a, self.b = bodies
        self.x = unit * rng.normal(size=3)
        self.scale = {"Revolute": [1], "Prismatic": [unit], "Cylindrical": [1, unit], "Screw": [1, unit],
                      "Universal": [1, 1], "Planar": [unit, unit, 1], "Spherical": [1, 1, 1]}[kind]  # fmt: skip
        self.scale = np.array(self.scale)
        self.start = self.scale * rng.uniform(-1.5, 1.5, len(self.scale)) if start else 0.0 * self.scale
        self.pitch = 0.7 * unit
        if kind == "Spherical":
            self.start *= 0.8
        slip = {"Prismatic": self.u, "Cylindrical": self.u, "Screw": self.u}.get(kind, 0.0 * self.u)
        if kind == "Planar":
            slip = rng.normal() * self.across()[0] + rng.normal() * self.across()[1]
        a, b = self.a.point_at(*(self.x - unit * 1.3 * slip)), self.b.point_at(*self.x)
        given = {"start": self.start[0] if len(self.start) == 1 else tuple(self.start)} if start else {}
        self.joint = m.add(self.made(kind, a, b, given))

    def made(self, kind, a, b, given):
        if kind == "Spherical":
            return lv.Spherical(a, b, **given, name="j")
        if kind == "Universal":
            return lv.Universal(a, b, self.u, self.w, **given, name="j")
        if kind == "Planar":
            return lv.Planar(a, b, self.u, **given, name="j")
        if kind == "Screw":
            return lv.Screw(a, b, self.u, self.pitch, **given, name="j")
        return getattr(lv, kind)(a, b, self.u, **given, name="j")

    def across(self):
        """The directions of a planar joint: the world's x axis (or y) in the plane, and normal × that."""
        first = np.eye(3)[1 if abs(self.u[0]) > 0.9 else 0]
        e = first - (first @ self.u) * self.u
        e /= np.linalg.norm(e)
        return e, np.cross(self.u, e)

    def moved(self, q):
        """Rotation and translation of b relative to a, world axes at the start: x ↦ x₀ + R (x − x₀) + d."""
        c, d = q - self.start, np.zeros(3)
        match self.kind:
            case "Revolute":
                R = about(self.u, c[0])
            case "Prismatic":
                R, d = np.eye(3), c[0] * self.u
            case "Cylindrical":
                R, d = about(self.u, c[0]), c[1] * self.u
            case "Screw":
                R, d = about(self.u, c[0]), self.pitch * c[0] / (2 * np.pi) * self.u
            case "Universal":
                R = about(self.u, c[0]) @ about(self.w, c[1])
            case "Planar":
                R, d = about(self.u, c[2]), c[0] * self.across()[0] + c[1] * self.across()[1]
            case "Spherical":  # rotation vectors in the axes of the first body
                A = self.a.pose.B
                R = A @ about(q, 1.0) @ about(self.start, -1.0) @ A.T
        return R, d

    def random(self, rng, turns):
        q = self.start + turns * self.scale * rng.normal(size=len(self.scale))
        if self.kind == "Screw":
            q[1] = self.start[1] + self.pitch * (q[0] - self.start[0]) / (2 * np.pi)
        if self.kind == "Spherical":
            q = rng.normal(size=3)
            q *= rng.uniform(0.0, np.pi - 0.01) / np.linalg.norm(q)
        return q


KINDS = ["Revolute", "Prismatic", "Cylindrical", "Screw", "Universal", "Planar", "Spherical"]
each = pytest.mark.parametrize("kind", KINDS)


@each
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e4])
def test_coordinates_count_from_start(kind, reverse, unit):
    """Start, reversed bodies, offset points, many turns, random orientation, three units."""
    rng = np.random.default_rng(abs(hash((reverse, unit))) % 1000 + KINDS.index(kind))
    for world in (False, True):
        case = Case(kind, rng, unit, reverse, world)
        assert np.ravel(lv.dynamics(case.m).coordinate("j")) == pytest.approx(case.start, abs=1e-13 * max(unit, 1.0))
        space = lv.JointSpace(case.m)
        names = [name for name in space.all_names if name == "j" or name.startswith("j.")]
        assert len(names) == len(case.start)
        for turns in (0.3, 30.0):
            q = case.random(rng, turns)
            whole = space.start
            for name, value in zip(names, q, strict=True):
                if name in space.names:
                    whole[space.names.index(name)] = value
            now = space.forward_kinematics(whole)
            R, d = case.moved(q)
            # the first body may have moved if the free one is the second
            A = now.rotation(case.a)[0] @ case.a.pose.B.T
            x = case.x - case.a.pose.a
            expected = now.position(case.a)[0] + A @ (x + R @ (case.b.pose.a - case.x) + d)
            assert now.rotation(case.b)[0] == pytest.approx(A @ R @ case.b.pose.B, abs=1e-12)
            assert now.position(case.b)[0] == pytest.approx(expected, abs=1e-11 * unit)
            assert np.ravel(now.coordinate("j")) == pytest.approx(q, abs=1e-11 * unit + 1e-11)


@each
def test_without_start_coordinates_begin_at_zero(kind):
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(5):
        case = Case(kind, rng, reverse=rng.random() < 0.5, start=False)
        assert np.ravel(lv.dynamics(case.m).coordinate("j")) == pytest.approx(0.0 * case.start, abs=1e-13)


@pytest.mark.parametrize("acted", [False, True])
def test_an_angle_counts_many_turns_from_its_start(acted):
    """A wheel at 40 rad/s, stored every two turns, with and without something that acts on its angle."""
    m = lv.Model()
    wheel = m.add(lv.Body(lv.MassProperties(1.0, (0.5, 0.5, 1.0)), name="wheel"))
    hinge = m.add(lv.Revolute(wheel.point(0, 0, 0), m.world.point(0, 0, 0), axis=(0, 0, 1), start=-20.5,
                              start_rate=-40.0, name="hinge"))  # fmt: skip
    if acted:
        m.add(lv.Motor(hinge, 0.0))
    motion = lv.simulate(m, lv.Livens(order=6), h=1e-3, until=1.25, every=312)
    assert motion.coordinate("hinge") == pytest.approx(-20.5 - 40.0 * motion.t, abs=1e-7)
    assert motion.q[:, 0] == pytest.approx(-20.5 - 40.0 * motion.t, abs=1e-7)


TURNING = {  # joint: which coordinate turns, and about which of the two directions
    "Revolute": (0, 2), "Cylindrical": (0, 2), "Screw": (0, 2), "Planar": (2, 2), "Universal a": (0, 2),
    "Universal b": (1, 0),
}  # fmt: skip


@pytest.mark.parametrize("kind", TURNING)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.filterwarnings("ignore:the initial velocities")
@pytest.mark.parametrize("acted", [False, True])
def test_every_angle_counts_many_turns(kind, reverse, acted):
    """Five turns of a body that spins in its joint, forwards and backwards, with and without a (very weak) spring, in a
    random orientation and unit."""
    rng = np.random.default_rng([*kind.encode(), reverse, acted])
    R, unit = Rotation.random(random_state=rng).as_matrix(), 10.0 ** rng.uniform(-2, 2)
    number, direction = TURNING[kind]
    spin = rng.choice([-11.0, 11.0]) * R[:, direction]
    m = lv.Model()
    wheel = lv.Body(lv.MassProperties(1.0, np.full(3, 0.1 * unit**2)), rotation=R, angular_velocity=spin, name="wheel")
    m.add(wheel)
    ends = [m.world.point(0, 0, 0), wheel.center]
    axes = [R[:, 2], R[:, 0]]
    if reverse:
        ends.reverse()
    many = {"Revolute": 1, "Planar": 3}.get(kind, 2)
    slack = 1e-9 * unit**2 * np.eye(3)[number, :many] if acted else np.zeros(many)
    start = 0.4 * np.eye(3)[number, :many]
    given = {"start": tuple(start), "stiffness": tuple(slack), "rest": tuple(start)}
    if kind == "Revolute":
        given = {key: value[0] for key, value in given.items()}
    if kind.startswith("Universal"):
        if reverse:
            axes.reverse()
            given = {key: value[::-1] for key, value in given.items()}
            number = 1 - number
        m.add(lv.Universal(*ends, *axes, **given, name="j"))
    elif kind == "Screw":
        m.add(lv.Screw(*ends, axes[0], 0.01 * unit, **given, name="j"))
    else:
        m.add(getattr(lv, kind)(*ends, axes[0], **given, name="j"))
    motion = lv.simulate(m, lv.RungeKutta(8), h=5e-3, until=3.0, every=600)
    turned = motion.q[:, number] - 0.4
    rate = motion.v[0, number]
    assert abs(rate) == pytest.approx(11.0, rel=1e-3)
    assert np.sign(rate) == np.sign(spin @ R[:, direction]) * (-1) ** reverse
    assert turned == pytest.approx([0.0, 3.0 * rate], abs=1e-6)


@pytest.mark.filterwarnings("ignore:the initial velocities")
def test_springs_limits_and_drives_read_the_same_coordinate():
    """Points 2 m apart: the spring rests at the start, and the drive begins at `start`."""

    def slide(**given):
        m = lv.Model()
        cart = m.add(lv.Body(lv.Box(1, 1, 1, mass=2.0), at=(2, 0, 0), name="cart"))
        m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.point(0, 0, 0), axis=(1, 0, 0), **given, name="rail"))
        return m

    assert lv.dynamics(slide(stiffness=50.0)).potential[0] == 0.0
    assert lv.dynamics(slide(stiffness=50.0, start=2.0)).potential[0] == pytest.approx(100.0)
    assert lv.dynamics(slide(limits=(-0.1, 0.1))).potential[0] == 0.0
    assert lv.dynamics(slide(limits=(-0.1, 0.1), start=0.3)).potential[0] == pytest.approx(0.5 * 1e5 * 0.2**2)
    motion = lv.simulate(slide(drive=lambda t: 0.5 + t, start=0.5), h=1e-2, until=1.0)  # the drive gives the velocity
    assert motion.position("cart")[-1] == pytest.approx([3.0, 0, 0])
    with pytest.raises(lv.ModelError, match=r"drive of joint 'rail' begins at 0, but the joint is at 0.5"):
        lv.simulate(slide(drive=lambda t: t, start=0.5), h=1e-2, until=1.0)


def test_gears_and_threads_hold_from_any_start():
    """q₂ − start₂ = ratio (q₁ − start₁)."""
    m = lv.Model()
    wheels = [m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), at=(2.0 * k, 0, 0), name=f"w{k}")) for k in range(3)]
    hinges = [
        m.add(lv.Revolute(m.world.point_at(*w.pose.a), w.center, axis=(0, 0, 1), start=s, name=f"h{k}"))
        for k, (w, s) in enumerate(zip(wheels[:2], (1.0, -0.4), strict=True))
    ]
    m.add(lv.Coupling(*hinges, ratio=-2.5))
    m.add(lv.Screw(m.world.point_at(*wheels[2].pose.a), wheels[2].center, axis=(0, 0, 1), pitch=0.3,
                   start=(0.2, 5.0), start_rate=1.0, name="thread"))  # fmt: skip
    hinges[0].start_rate = 3.0
    motion = lv.simulate(m, h=1e-2, until=2.0)
    assert motion.coordinate("h1") + 0.4 == pytest.approx(-2.5 * (motion.coordinate("h0") - 1.0), abs=1e-11)
    angle, moved = motion.coordinate("thread").T
    assert moved - 5.0 == pytest.approx(0.3 / (2 * np.pi) * (angle - 0.2), abs=1e-12)
    assert angle[-1] == pytest.approx(2.2, abs=1e-4)  # h²


def test_changed_start_counts():
    m = lv.Model()
    cart = m.add(lv.Body(lv.Box(1, 1, 1, mass=2.0), at=(2, 0, 0), name="cart"))
    rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.point(0, 0, 0), axis=(1, 0, 0), name="rail"))
    rail.start = 0.75
    assert lv.dynamics(m).coordinate("rail").tolist() == [0.75]


def test_nothing_turns_a_thin_rod_on_a_ball_joint():
    """It has no inertia about itself: its joint is allowed, what acts on its rotation is not."""
    for given in ({"stiffness": 1.0}, {"damping": 1.0}, {"limits": (None, 1.0)}, {}):
        m = lv.Model(gravity=(0, 0, -9.81))
        rod = m.add(lv.Body(lv.ThinRod(1.0, mass=1.0), at=(0.5, 0, 0), name="rod"))
        ball = m.add(lv.Spherical(m.world.point(0, 0, 0), rod.point(-0.5, 0, 0), **given, name="ball"))
        if not given:
            motion = lv.simulate(m, h=1e-3, until=0.01)
            assert motion.coordinate("ball")[-1, 1] == pytest.approx(0.75 * 9.81 * 0.01**2, rel=1e-3)  # 3 g t²/(4 l)
            assert motion.names == ("ball.turn_x", "ball.turn_y", "ball.turn_z")
            assert motion.q == pytest.approx(motion.coordinate("ball"), abs=1e-15)
            assert motion.v == pytest.approx(motion.rate("ball"), abs=1e-15)
            assert lv.dynamics(m).q == pytest.approx(motion.q[:1])
            with pytest.raises(lv.ModelError, match="its rotation has no three equations of motion: give it a small"):
                lv.JointSpace(m)
            m.add(lv.Motor(ball, 1.0))
        with pytest.raises(lv.ModelError, match=r"\(it is a thin rod\): leave out the spring, damper, limit or motor"):
            lv.simulate(m, h=1e-3, until=0.01)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: lv.Revolute(*p, (0, 0, 1), name="j", start=(1, 2)), "start of Revolute 'j' must be a number"),
        (lambda p: lv.Revolute(*p, (0, 0, 1), name="j", start=float("nan")), "start of Revolute 'j' is not finite"),
        (lambda p: lv.Cylindrical(*p, (0, 0, 1), start=(1, 2, 3)), r"one number for each coordinate \(angle, disp"),
        (lambda p: lv.Planar(*p, (0, 0, 1), stiffness=3.0), "one number for each coordinate: x, y, angle"),
        (lambda p: lv.Planar(*p, (0, 0, 1), limits=(0, 1)), "a pair or None for each coordinate: x, y, angle"),
        (lambda p: lv.Planar(*p, (0, 0, 1), limits=((0, 1), None)), "a pair or None for each coordinate: x, y"),
        (lambda p: lv.Universal(*p, (0, 0, 1), (1, 0, 0), stiffness=(1, -2)), "angle_b of stiffness of a Univ"),
        (lambda p: lv.Universal(*p, (0, 0, 1), (1, 0, 1), stiffness=1.0), "its axes are not perpendicular"),
        (lambda p: lv.Universal(*p, (0, 0, 1), (1, 0, 0), limits=((1, 0), None)), r"\(lower, upper\), got"),
        (lambda p: lv.Spherical(*p, name="j", start=(3, 3, 3)), "a rotation of 5.196 rad: give the shorter one"),
        (lambda p: lv.Spherical(*p, name="j", limits=(-1, 1)), r"must be \(None, angle\)"),
        (lambda p: lv.Spherical(*p, name="j", limits=(None, 4.0)), r"must be \(None, angle\)"),
        (lambda p: lv.Spherical(*p, name="j", stiffness=(1, 2, 3)), "stiffness of Spherical 'j' must be a number"),
        (lambda p: lv.Rigid(*p, name="j", start=1.0), "Rigid 'j' has no coordinate for 'start'"),
    ],
)
def test_refusals(make, words):
    m = lv.Model()
    b = m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), name="b"))
    with pytest.raises(lv.ModelError, match=words):
        make((m.world.point(0, 0, 0), b.point(0, 0, 0)))
