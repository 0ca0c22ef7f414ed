"""Motions do not depend on the choice of axes, reference points and units."""

import numpy as np
import pytest

import livens as lv
from tests.helpers import problems, schemes

EPS = np.finfo(float).eps
STEPS, STEP = 200, 2e-3
PLACES = ((0.3, 0.1, 0), (-0.3, 0.2, 0.1), (0, -0.2, 0.2))  # of the springs, in the first description


def described(shift, Q, length=1.0, mass=1.0, time=1.0):
    """One body on springs, in a frame that is displaced by `shift` and rotated by Q, and in other units."""
    matter = problems.lopsided(1)
    moved = lambda r: length * (Q.T @ (np.asarray(r) - shift))  # noqa: E731
    B0, at, omega, v = problems.turned(2), np.array([0.1, 0, -1]), np.array([1.0, 2, -1]), np.array([0.3, 0, 0.2])
    m = lv.Model(gravity=np.multiply(problems.G, length / time**2))
    body = m.add(
        lv.Body(
            lv.MassProperties(mass * matter.mass, mass * length**2 * (Q.T @ matter.inertia @ Q), moved(matter.center)),
            at=length * (at + B0 @ shift),
            rotation=B0 @ Q,
            velocity=length / time * (v + B0 @ np.cross(omega, shift)),
            body_rates=Q.T @ omega / time,
            name="body",
        )
    )
    for k, place in enumerate(PLACES):
        anchor = m.world.point(length * np.array([0.5 * k, k == 2, -k]))
        m.add(
            lv.Spring(
                anchor, body.point(moved(place)), stiffness=mass / time**2 * (30 + 10 * k), length=length * 0.2 * k
            )
        )
    return m, [body.point(moved(place)) for place in PLACES]


def paths(scheme, shift, Q, length=1.0, mass=1.0, time=1.0):
    """The paths of three material points, in metres for all units."""
    m, points = described(np.asarray(shift, dtype=float), Q, length, mass, time)
    motion = lv.simulate(m, scheme, h=STEP * time, until=STEP * STEPS * time, every=20)
    return np.array([motion.position(point) for point in points]) / length


@pytest.fixture(scope="module", params=schemes.SCHEMES, ids=schemes.name)
def told(request):
    """A scheme, and the motion in the first description."""
    return request.param, paths(request.param, np.zeros(3), np.eye(3))


def close(x, y, scheme):
    """The same up to one rounding error per stage, amplified by 10 in the motion."""
    assert np.abs(x - y).max() <= 10 * STEPS * scheme.stages * EPS * np.abs(x).max()


@pytest.mark.parametrize("seed", [31, 32, 33])
def test_axes_of_the_body_frame(told, seed):
    """A tensor with products of inertia describes the same body as a diagonal one in rotated axes."""
    scheme, first = told
    close(first, paths(scheme, np.zeros(3), problems.turned(seed)), scheme)


def test_principal_axes(told):
    """Among them the principal axes themselves, in which the tensor is diagonal."""
    scheme, first = told
    _, Q = np.linalg.eigh(problems.lopsided(1).inertia)
    Q[:, 2] *= np.linalg.det(Q)
    close(first, paths(scheme, np.zeros(3), Q), scheme)


@pytest.mark.parametrize("shift", [(0.3, -0.2, 0.5), (3.0, 4.0, -5.0)])
def test_origin_of_the_body_frame(told, shift):
    """The reference frame may be anywhere, also far outside the body."""
    scheme, first = told
    close(first, paths(scheme, shift, problems.turned(34)), scheme)


@pytest.mark.parametrize(
    ("length", "mass", "time"), [(2.0**10, 1, 1), (1, 2.0**-20, 1), (1, 1, 2.0**8), (2.0**-30, 2.0**9, 0.5)]
)
def test_units(told, length, mass, time):
    """Units that are powers of two change no bit: there is no hidden scale in the code."""
    scheme, first = told
    assert np.array_equal(first, paths(scheme, np.zeros(3), np.eye(3), length, mass, time))


# ── warnings and errors do not depend on the unit of time ──


def hinged(velocity=(0.0, 0.0, 0.0), drive=None):
    m = lv.Model()
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), velocity=velocity, name="arm"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), drive=drive, name="hinge"))
    return m, arm


@pytest.mark.parametrize("speed", [1e3, 1.0, 1e-9, 1e-12])
def test_inconsistent_velocities_give_a_warning_at_any_speed(speed):
    with pytest.warns(lv.ModelWarning, match="velocities did not satisfy"):
        lv.dynamics(hinged(velocity=(0, 0, speed))[0])


@pytest.mark.parametrize("speed", [1e3, 1.0, 1e-9])  # rates of drives are found by differences, good to 1e-10 rad/s
def test_drives_that_no_velocity_satisfies_are_errors_at_any_speed(speed):
    m, arm = hinged(drive=lambda t: speed * t)
    m.add(lv.Rigid(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), name="weld"))
    with pytest.raises(lv.ModelError, match="no velocity satisfies all joints"):
        lv.dynamics(m)
