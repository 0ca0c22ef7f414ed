"""Contact in mechanisms and toys, against published values and closed forms, in random orientation and unit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import livens as lv
from tests.helpers.frames import FRAMES, Frame, G


def points(frame, *places):
    """Points that touch planes, as a collision shape."""
    return lv.Compound([(lv.PointMass(1.0), lv.Pose(frame.unit * np.array(x))) for x in places])


# ── slider-crank with clearance ──


def slider_crank(frame, h, until):
    """Flores, Leine & Glocker 2010 (Multibody System Dynamics 23, 165), its numbers and letters; x–z plane."""
    l1, l2, a, b, c, e, mu = 0.153, 0.306, 0.05, 0.025, 0.001, 0.4, 0.01
    m, u2 = frame.model(), frame.unit**2

    def matter(mass, J):
        return lv.MassProperties(mass, np.full(3, J) * u2)

    w1, w2 = 150.0, -75.0
    crank = frame.body(m, matter(0.038, 7.4e-5), (l1 / 2, 0, 0), (0, 0, w1 * l1 / 2), (0, -w1, 0), name="crank")
    at, v = (l1 + l2 / 2, 0, 0), (0, 0, w1 * l1 + w2 * l2 / 2)
    rod = frame.body(m, matter(0.038, 5.9e-4), at, v, (0, -w2, 0), name="rod")
    slider = m.add(
        lv.Body(
            matter(0.076, 2.7e-6), at=frame.place((l1 + l2, 0, 0)), rotation=frame.B, name="slider",
            velocity=frame.vector((0, 0, w1 * l1 + w2 * l2)),
            collision=points(frame, *((i * a, 0, k * b) for i in (1, -1) for k in (1, -1))),
        )
    )  # fmt: skip
    axis, world = frame.direction((0, -1, 0)), m.world

    def hinge(one, two, name):
        return m.add(lv.Revolute(one, two, axis=axis, name=name))

    def at_end(body, x):
        return body.point(frame.unit * x, 0, 0)

    first = hinge(world.point(frame.place((0, 0, 0))), at_end(crank, -l1 / 2), "shaft")
    hinge(at_end(crank, l1 / 2), at_end(rod, -l2 / 2), "pin")
    hinge(at_end(rod, l2 / 2), slider.point(0, 0, 0), "wrist")
    for s in (1, -1):
        guide = frame.floor(m, (0, 0, s), (0, 0, -s * (b + c)))
        m.add(lv.Contact(guide, slider, friction=mu, restitution=e, impacts="together"))
    motion = lv.simulate(m, h=h, until=until, every=10)
    along = frame.back(motion.position(at_end(rod, l2 / 2))[-1:] - motion.position(at_end(rod, 0.0))[-1:] + frame.a)[0]
    return motion, (
        motion.coordinate(first)[-1],
        np.arctan2(along[2], along[0]),
        motion.angular_velocity(crank)[-1] @ axis,
    )


@FRAMES
def test_slider_crank_with_clearance(frame):
    """The angles of crank and rod, and the rate of the crank, after 0.02 s (16 impacts) and 0.1 s: of a solution with a
    step of 1e-7 s and of one cut at events, which agree to the digits given."""
    values = {
        0.02: ((1.613315, 5e-6), (-0.519905, 5e-6), (71.682, 1e-3)),
        0.1: ((9.00061, 5e-5), (-0.2106, 1e-4), (135.872, 3e-3)),
    }
    for until, known in values.items():
        h = 5e-6 if until == 0.02 else 1e-5
        motion, found = slider_crank(frame, h, until)
        for value, (exact, error) in zip(found, known, strict=True):
            assert value == pytest.approx(exact, abs=error)
        assert motion.defect_position.max() < 1e-13 * max(1.0, frame.unit)
        assert np.ptp(motion.energy + motion.dissipated) < 2e-5 * frame.unit**2  # order 2 in h; 1.2 J at the start


# ── woodpecker toy ──


def woodpecker(small, h, until):
    """Glocker's woodpecker (thesis, Munich 1995; the numbers also in Siconos): a sleeve with clearance on a pole, a
    bird on a torsion spring, whose beak hits the pole. His equations are linear in the angles; here all angles,
    clearances, velocities and gravity are scaled by `small`, which leaves times unchanged in the linear equations."""
    rM, hM, lM, lG, hS, lS = 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201
    sleeve_gap, beak_gap = 0.0006 * small, 0.0024 * small
    turn = {"sleeve": -0.0006 / hM * small * (1.0 - 1e-7), "bird": -0.2788 * small}
    fall, spin = np.array([0.0, 0.0, -0.3411 * small]), np.array([0.0, 7.4583 * small, 0.0])
    B = {name: lv.Pose.from_axis_angle((0, -1, 0), angle).B for name, angle in turn.items()}
    plain = Frame(0)
    m = lv.Model(gravity=(0, 0, -G * small))
    touch = points(plain, (rM, 0, hM), (rM, 0, -hM))
    matter = lv.MassProperties(0.0003, np.full(3, 5e-9))
    sleeve = m.add(lv.Body(matter, rotation=B["sleeve"], velocity=fall, collision=touch, name="sleeve"))
    arm = B["bird"] @ (lG, 0, 0)
    bird = m.add(
        lv.Body(
            lv.MassProperties(0.0045, np.full(3, 7e-7)), at=B["sleeve"] @ (lM, 0, 0) + arm, rotation=B["bird"],
            velocity=fall + np.cross(spin, arm), angular_velocity=spin, collision=points(plain, (-lS, 0, hS)),
            name="bird",
        )
    )  # fmt: skip
    for name, normal in (("across", (0, 1, 0)), ("along", (1, 0, 0))):
        m.add(lv.PointOnPlane(m.world.point(0, 0, 0), sleeve.point(0, 0, 0), normal=normal, name=name))
    ends = sleeve.point(lM, 0, 0), bird.point(-lG, 0, 0)
    start = turn["bird"] - turn["sleeve"]
    m.add(lv.Revolute(*ends, axis=(0, -1, 0), stiffness=0.0056, start=start, name="spring"))
    for body, x, e in ((sleeve, rM - sleeve_gap, 0.0), (bird, lM + lG - lS - beak_gap, 0.5)):
        pole = m.world.plane((x, 0, 0), normal=(1, 0, 0))
        m.add(lv.Contact(pole, body, friction=0.3, restitution=e, impacts="together", name=f"{body.name} and pole"))
    return lv.simulate(m, h=h, until=until)


def test_woodpecker_toy():
    """Return time 0.1459 s, and the state of Siconos' reference file at 0.29998 s within 1 % of its largest value."""
    small = 1e-3
    motion = woodpecker(small, 2e-5, 2.0)
    beak = [t for t, name in zip(motion.impacts.t, motion.impacts.contact, strict=True) if name == "bird and pole"]
    assert np.mean(np.diff(beak)[-4:]) == pytest.approx(0.1459, abs=1e-4)
    assert np.ptp(np.diff(beak)[-4:]) < 1e-4  # it has become periodic
    k = round(0.29998 / 2e-5)
    found = {
        "height": motion.position("sleeve")[k, 2],
        "sleeve": -np.arcsin(motion.rotation("sleeve")[k, 0, 2]),
        "bird": -np.arcsin(motion.rotation("bird")[k, 0, 2]),
        "rate": -motion.angular_velocity("bird")[k, 1],
    }
    known = {"height": -0.0413481868, "sleeve": -0.1034684683, "bird": -0.3409339756, "rate": -8.3275553532}
    for name, value in known.items():
        assert found[name] / small == pytest.approx(value, rel=1e-2), name


# ── Painlevé's rod ──


@FRAMES
@pytest.mark.parametrize("mu", [1.3, 1.5, 2.5])
def test_painleve_rod(frame, mu):
    """A rod that slides on one end, inclined against its motion at θ. For µ > (1 + 3cos²θ)/(3 sin θ cos θ) no finite
    force is consistent with sliding (least µ = 4/3, at 63.43°): the rod stops at once and turns over its end with
    ω = ¾ sin θ v/l, l half its length, as after a tangential impact. For a smaller µ it goes on sliding."""
    theta, l, v = np.arctan(2.0), 0.5, 1.0
    least = (1.0 + 3.0 * np.cos(theta) ** 2) / (3.0 * np.sin(theta) * np.cos(theta))
    assert least == pytest.approx(4.0 / 3.0)
    m = frame.model()
    up = np.array([-np.cos(theta), 0.0, np.sin(theta)])
    turn = lv.Pose.from_axis_angle((0, 1, 0), theta - 0.5 * np.pi).B
    J = np.array([l * l / 3.0, l * l / 3.0, 1e-4]) * frame.unit**2
    rod = m.add(
        lv.Body(
            lv.MassProperties(1.0, J), at=frame.place(l * up), rotation=frame.B @ turn, name="rod",
            velocity=frame.vector((v, 0, 0)), collision=points(frame, (0, 0, -l), (0, 0, l)),
        )
    )  # fmt: skip
    m.add(lv.Contact(frame.floor(m), rod, friction=mu))
    h = 1e-4
    motion = lv.simulate(m, h=h, until=10 * h)
    rate = motion.angular_velocity(rod)[1] @ frame.direction((0, 1, 0))
    slip = motion.velocity(rod.point(0, 0, -l * frame.unit))[1] @ frame.direction((1, 0, 0)) / frame.unit
    if mu > least:
        assert abs(rate) == pytest.approx(0.75 * np.sin(theta) * v / l, rel=2e-2)
        assert abs(slip) < 1e-9
    else:
        assert slip == pytest.approx(v, rel=0.1)
    assert (np.diff(motion.energy) < 1e-9 * frame.unit**2).all()
    assert ("Painlevé's paradox" in str(motion.report())) == (mu > least)


# ── rattleback ──


def rattleback_solution(t, spin, tilt):
    """Body rates of an ellipsoid that rolls without slip (Kane & Levinson 1982): a, b, c = 20, 3, 2 cm, centre of mass
    1 cm below its middle, inertia 2, 16, 17, −0.2 · 1e-4 kg m² for 1 kg. With γ the vertical and r from the centre of
    mass to the contact point, both in body axes, and v = r × ω:

        J ω̇ + ω × J ω = r × m (v̇ + ω × v + g γ),      γ̇ = γ × ω
    """
    E2 = np.array([0.2, 0.03, 0.02]) ** 2
    J = 1e-4 * np.array([[2.0, -0.2, 0.0], [-0.2, 16.0, 0.0], [0.0, 0.0, 17.0]])

    def hat(x):
        return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])

    def rates(_, y):
        w, gamma = y[:3], y[3:]
        s = np.sqrt(gamma @ (E2 * gamma))
        r = -E2 * gamma / s + np.array([0.0, 0.0, 0.01])
        down = np.cross(gamma, w)
        dr = -E2 * down / s + E2 * gamma * (gamma @ (E2 * down)) / s**3
        v = np.cross(r, w)
        known = np.cross(dr, w) + np.cross(w, v) + G * gamma
        A = J - hat(r) @ hat(r)  # r × (r × ω̇) on the left
        return [*np.linalg.solve(A, hat(r) @ known - np.cross(w, J @ w)), *down]

    gamma = np.array([0.0, np.sin(tilt), np.cos(tilt)])
    done = solve_ivp(rates, (0.0, t[-1]), [0.0, 0.0, spin, *gamma], method="DOP853", rtol=1e-11, atol=1e-12, t_eval=t)
    return done.y[:3].T


def rattleback(frame, h, until, spin, tilt):
    J = 1e-4 * np.array([[2.0, -0.2, 0.0], [-0.2, 16.0, 0.0], [0.0, 0.0, 17.0]]) * frame.unit**2
    turn = lv.Pose.from_axis_angle((1, 0, 0), tilt).B
    gamma = turn.T @ (0, 0, 1)
    E2 = np.array([0.2, 0.03, 0.02]) ** 2
    r = -E2 * gamma / np.sqrt(gamma @ (E2 * gamma)) + (0, 0, 0.01)
    v, at = turn @ np.cross(r, (0, 0, spin)), (0.0, 0.0, -float(r @ gamma))
    m = frame.model()
    ellipsoid = lv.Ellipsoid(*(frame.unit * np.array([0.2, 0.03, 0.02])), mass=1.0)
    stone = m.add(
        lv.Body(
            lv.MassProperties(1.0, J), at=frame.place(at), rotation=frame.B @ turn, velocity=frame.vector(v),
            body_rates=(0, 0, spin), name="stone",
            collision=lv.Compound([(ellipsoid, lv.Pose((0, 0, 0.01 * frame.unit)))]),
        )
    )  # fmt: skip
    m.add(lv.Contact(frame.floor(m), stone, friction=20.0))
    motion = lv.simulate(m, h=h, until=until, every=round(0.01 / h))
    return motion.t, motion.body_rates(stone)


@pytest.mark.parametrize("frame", [Frame(0), Frame(1)], ids=["plain", "turned"])
def test_rattleback_reverses(frame):
    """It turns back by itself, and approaches the solution of the rolling ellipsoid with the square of the step."""
    tilt, spin = 0.01, -5.0
    errors = []
    for h, until in ((5e-4, 1.0), (1e-3, 5.0)):
        t, found = rattleback(frame, h, until, spin, tilt)
        exact = rattleback_solution(t, spin, tilt)
        errors.append(np.abs(found - exact)[t < 1.0].max())
    assert errors[1] / errors[0] > 3.5
    assert errors[0] < 2e-2
    assert found[:, 2].max() > 1.0  # it turns back
    assert exact[:, 2].max() > 1.0


# ── billiards ──


@FRAMES
@pytest.mark.parametrize("cut", [0.0, 0.5, 0.9])
def test_billiard_balls(frame, cut):
    """A rolling ball hits one at rest, e = 1 and no friction between them: v_t and v_n leave, spins stay; on the table
    both slide until they roll, the cue ball with 5/7 v_t + 2/7 v, the other with 5/7 v_n."""
    R, v = 0.03, np.array([1.0, 0.0, 0.0])
    n = np.array([np.sqrt(1.0 - cut * cut), cut, 0.0])
    m = frame.model()
    hit = np.array([0.3, 0.0, R])
    cue = frame.ball(m, R, hit - (0.2, 0, 0), velocity=v, spin=(0, v[0] / R, 0), name="cue")
    ball = frame.ball(m, R, hit + 2.0 * R * n, name="ball")
    table = frame.floor(m)
    for body in (cue, ball):
        m.add(lv.Contact(table, body, friction=0.2))
    m.add(lv.Contact(cue, ball, restitution=1.0, name="hit"))
    motion = lv.simulate(m, h=2e-3, until=1.5)
    [t] = [t for t, name in zip(motion.impacts.t, motion.impacts.contact, strict=True) if name == "hit"]
    assert t == pytest.approx(0.2, abs=1e-9)
    vn = (v @ n) * n
    last = {body: motion.velocity(body)[-1] @ frame.B / frame.unit for body in (cue, ball)}
    assert np.abs(last[ball] - 5.0 / 7.0 * vn).max() < 1e-9
    assert np.abs(last[cue] - 5.0 / 7.0 * (v - vn) - 2.0 / 7.0 * v).max() < 1e-9


# ── a gripper ──


@FRAMES
def test_a_gripper_holds_what_it_can_hold(frame):
    """Two jaws press a box with F each, F = 1.001 m g/2µ: it does not move against them while the hand goes up and down
    for 2 s. (What slides between faces is not unique: test_contact_faces.py.)"""
    m, mu, mass = frame.model(), 0.4, 0.5
    F = 1.001 * mass * G / (2.0 * mu)
    box = frame.box(m, (0.06, 0.05, 0.08), (0, 0, 0), mass=mass, name="box")
    hand = frame.box(m, (0.2, 0.05, 0.02), (0, 0, 0.2), name="hand")

    def lift(t):
        return 1e-4 * frame.unit * (1.0 - np.cos(3.0 * t))

    up, across = frame.direction((0, 0, 1)), frame.direction((1, 0, 0))
    m.add(lv.Prismatic(m.world.point(frame.place((0, 0, 0.2))), hand.center, axis=up, drive=lift, name="lift"))
    for s, name in ((1, "right"), (-1, "left")):
        jaw = frame.box(m, (0.02, 0.05, 0.1), (s * 0.04, 0, 0), mass=0.1, name=name)
        guide = hand.point_at(frame.place((s * 0.04, 0, 0)))
        m.add(lv.Prismatic(guide, jaw.center, axis=across, name=f"{name} slide"))
        m.add(lv.Load(jaw.center, force=frame.vector((-s * F, 0, 0))))
        m.add(lv.Contact(jaw, box, friction=mu))
    motion = lv.simulate(m, h=2e-3, until=2.0)
    between = frame.back(motion.position(box) - motion.position(hand) + frame.a)
    assert np.abs(between - between[0]).max() < 1e-11
