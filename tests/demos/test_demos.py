"""Every demonstration against an independent reference: closed solutions, published numbers, other equations by SciPy.

Tolerances are C h⁴, after the order of the scheme that demonstrations use; C is about three times the measured value.
"""

import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import livens as lv
from benchmarks import index_one, newton_euler
from livens import demos
from livens.demos import DEMOS, double_pendulum, pose_playground, schemes, trebuchet
from tests.helpers import mechanisms
from tests.helpers.elliptic import FreeBody
from tests.helpers.planar import tips

THUMBNAILS = Path(__file__).parents[2] / "docs" / "thumbnails"


@cache
def run(name):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*equations? (is|are) redundant", category=lv.ModelWarning)
        return DEMOS[name].run()


def at(motion, t):
    k = int(np.abs(motion.t - t).argmin())
    assert abs(motion.t[k] - t) < 1e-9
    return k


def agrees(name, t, within):
    """Positions and rotations of all bodies at t against quaternions, wrenches and DOP853."""
    motion = run(name)
    found = index_one.solve(motion.model, [t], rtol=1e-10)[0]
    k = at(motion, t)
    bodies = motion.model.bodies[1:]
    assert np.abs([motion.position(b.center)[k] for b in bodies] - found.x).max() < within
    assert np.abs([motion.rotation(b)[k] for b in bodies] - found.B).max() < within


@pytest.mark.parametrize("name", DEMOS)
def test_every_demo_conserves_its_invariants(name):
    motion = run(name)
    kept = motion.report()
    assert motion.seconds < 10.0
    at_rest = np.ptp(motion.energy) < 1e-12 * abs(motion.energy[0])  # there is no exchange of energy to compare with
    assert at_rest or abs(kept.energy_slope) * kept.time < 1e-5
    for momentum in (kept.momentum, kept.angular_momentum):
        assert momentum is None or momentum.relative < 10 * motion.steps * np.finfo(float).eps
    if motion.model.joints:
        assert motion.defect_position.max() < 1e-11
        assert motion.defect_velocity.max() < 1e-9
    assert len(DEMOS[name].run.__doc__.splitlines()) > 3


# ── single bodies ──


def test_the_handle_agrees_with_the_elliptic_functions():
    motion = run("single-body")
    moments, axes = motion.model["handle"].mass_properties.principal()
    exact = FreeBody(moments, axes.T @ motion.body_rates("handle")[0])
    assert motion.t[-1] > exact.period
    for t in (2.0, 5.0, 11.0):
        missed = axes.T @ motion.body_rates("handle")[at(motion, t)] - exact.omega(t)
        assert np.abs(missed).max() < 8e2 * motion.h**4


def test_the_centre_of_the_hammer_flies_on_a_parabola():
    motion = run("hammer")
    hammer = motion.model["hammer"]
    x, v, t = motion.position(hammer.center), motion.velocity(hammer.center)[0], motion.t[:, None]
    assert np.abs(x - x[0] - v * t - np.array([0, 0, -9.81]) / 2 * t**2).max() < 1e-10
    assert motion.rotation(hammer)[:, 1, 1].min() < -0.9


def test_the_heavy_top_agrees_with_the_reference():
    motion = run("heavy-top")
    x = motion.position(motion.model["top"].center)
    reference = {1.0: (0.173343964098, 0.640088592071, -0.748490791134),
                 2.0: (-0.150416822746, -0.724165591637, -0.673022269560)}  # fmt: skip
    for t, place in reference.items():
        assert np.abs(x[at(motion, t)] - place).max() < 1.5e6 * motion.h**4
    assert np.abs(motion.body_rates("top")[:, 1] - 150).max() < 1e-9


# ── springs ──


def test_the_plank_agrees_with_newton_and_euler():
    motion = run("springs")
    (x, B, _, _), *_ = newton_euler.solve(motion.model, [2.0], rtol=1e-11)
    k = at(motion, 2.0)
    for body, place, turned in zip(motion.model.bodies[1:], x, B, strict=True):
        assert np.abs(motion.position(body.center)[k] - place).max() < 50 * motion.h**4
        assert np.abs(motion.rotation(body)[k] - turned).max() < 4e2 * motion.h**4


def test_the_net_agrees_with_newton():
    """Springs between centres: n point masses, 3 n equations of second order."""
    motion = run("net")
    m = motion.model
    number = {id(body): k for k, body in enumerate(m.bodies[1:])}
    mass = np.array([[body.mass_properties.mass] for body in m.bodies[1:]])
    n = len(mass)

    def slope(_, y):
        x, v = y.reshape(2, n, 3)
        F = mass * (0, 0, -9.81)
        for spring in m.forces:
            i, j = (number.get(id(p.body)) for p in (spring.a, spring.b))
            d = x[j] - (spring.a.r if i is None else x[i])
            pull = spring.stiffness * (1 - spring.length / np.sqrt(d @ d)) * d
            F[j] -= pull
            if i is not None:
                F[i] += pull
        return np.concatenate([v.ravel(), (F / mass).ravel()])

    start = np.concatenate([np.array([b.center.start for b in m.bodies[1:]]).ravel(), np.zeros(3 * n)])
    done = solve_ivp(slope, (0, 0.5), start, "DOP853", rtol=1e-9, atol=1e-9)
    found = np.array([motion.position(body.center)[at(motion, 0.5)] for body in m.bodies[1:]])
    assert np.abs(found - done.y[: 3 * n, -1].reshape(n, 3)).max() < 5e4 * motion.h**4
    middle = motion.position("ball 22")
    assert middle[:, 2].min() < -0.1
    assert np.abs(middle[:, :2]).max() < 1e-9  # by symmetry


# ── pendulums ──


@pytest.mark.parametrize(("name", "l", "C"), [("double-pendulum", 1.0, 130), ("chain", 0.15, 9e4)])
def test_chains_in_angles(name, l, C):
    motion = run(name)
    matter = motion.model.bodies[1].mass_properties
    times = [0.5, 1.0]
    exact = tips(len(motion.model.joints), l, matter.mass, matter.inertia[1, 1], times)
    for j, point in enumerate(double_pendulum.ends(motion.model)):
        found = motion.position(point)[[at(motion, t) for t in times]]
        assert np.abs(found[:, [0, 2]] - exact[:, j]).max() < C * motion.h**4


def test_the_outer_bar_goes_over_the_top_twice():
    motion = run("double-pendulum")
    along = motion.rotation("fore")[:, :, 0]
    angle = np.unwrap(np.arctan2(along[:, 2], along[:, 0]))
    over = [motion.t[np.flatnonzero(angle < -(2 * k + 1.5) * np.pi)[0]] for k in range(2)]
    assert 3.5 < over[0] < 4.5 < over[1]


def test_the_tip_of_the_chain_is_faster_than_free_fall():
    motion = run("chain")
    fallen = motion.position(double_pendulum.ends(motion.model)[-1])[:, 2]
    before = motion.t < 0.6
    assert (fallen - (-9.81 / 2 * motion.t**2))[before].min() < -0.03


# ── loops ──


def test_the_four_bar_is_a_pendulum():
    """I φ″ = W sin φ with I = 2 (J + m/4) + m and W = g (2 · ½ + 1) m, over a full rotation."""
    motion = run("four-bar")
    J = motion.model["left"].mass_properties.inertia[1, 1]
    I, W = 2 * (J + 0.25) + 1.0, 9.81 * 2.0
    exact = solve_ivp(
        lambda _, y: (y[1], W / I * np.sin(y[0])), (0, 4), (0, 1), "DOP853", motion.t, rtol=1e-12, atol=1e-12
    )
    phi = exact.y[0]
    assert phi[-1] > 2 * np.pi
    assert np.abs(motion.coordinate("left foot") - phi).max() < 2e2 * motion.h**4


def test_bricard_agrees():
    agrees("bricard", 1.0, run("bricard").h ** 4)
    assert run("bricard").freedom == 1
    other = mechanisms.bricard()  # of the benchmark library, with y upwards
    for mine, its in zip(run("bricard").model.bodies[1:], other.bodies[1:], strict=True):
        up = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
        assert mine.center.start == pytest.approx(up @ its.center.start)
        assert mine.mass_properties.inertia == pytest.approx(up @ its.mass_properties.inertia @ up.T)


def test_the_slider_agrees_with_the_geometry_of_the_rod():
    """|BC| = 0.3 m with B on a circle of 0.08 m about (0, 0.1, 0.12) gives the slider's position for every angle."""
    motion = run("slider-crank")
    phi = motion.coordinate("hinge")
    y, z = 0.1 - 0.08 * np.sin(phi), 0.12 + 0.08 * np.cos(phi)
    reach = np.sqrt(0.3**2 - y**2 - z**2)
    assert np.abs(motion.position("slider")[:, 0] - reach).max() < 1e-11
    agrees("slider-crank", 0.4, 1.6e4 * motion.h**4)


def test_the_gyroscope_precesses():
    """An independent integration, and the approximate precession rate m g r/(C ω)."""
    motion = run("gyroscope")
    agrees("gyroscope", 0.4, 6e4 * motion.h**4)
    rotor, inner = (motion.model[name].mass_properties for name in ("rotor", "inner"))
    rule = inner.mass * 9.81 * inner.center[0] / (rotor.inertia[0, 0] * 25.0)
    assert motion.coordinate("pan")[-1] / motion.t[-1] == pytest.approx(rule, rel=0.1)
    rate = motion.rate("pan")
    halts = rate[1:-1][(rate[1:-1] < rate[:-2]) & (rate[1:-1] <= rate[2:])]
    assert len(halts) > 5
    assert halts.max() < 0.05 * rate.mean()


# ── schemes and poses ──


def test_the_stone_of_the_trebuchet_flies_on_a_parabola():
    """Until the release against quaternions, wrenches and DOP853; then against the parabola from its state."""
    motion = run("trebuchet")
    agrees("trebuchet", 0.6, 2e5 * motion.h**4)
    release, ground = motion.events[0], motion.events[-1]
    assert abs(release.before.coordinate("pivot")[0] - trebuchet.RELEASE) < 1e-12
    x, v = release.after.position("stone")[0], release.after.velocity("stone")[0]
    free = motion.t > release.t
    since = (motion.t[free] - release.t)[:, None]
    parabola = x + since * v + 0.5 * since**2 * motion.model.gravity
    assert np.abs(motion.position("stone")[free] - parabola).max() < 1e-9
    assert abs(ground.t - release.t - (v[2] + np.sqrt(v[2] ** 2 + 2.0 * 9.81 * x[2])) / 9.81) < 1e-10
    assert motion.t[-1] == ground.t


def test_the_spaghetti_flies_as_a_point_and_bends_as_by_another_scheme():
    """Its centre of mass as a point mass with that force; its end as by an explicit Runge–Kutta method."""
    pytest.importorskip("casadi")
    motion = run("flying-spaghetti")
    bodies = motion.model.bodies[1:]
    mass = np.array([body.mass_properties.mass for body in bodies])
    assert mass.sum() == pytest.approx(10.0)
    centre = np.einsum("b,btx->tx", mass, [motion.position(body.center) for body in bodies]) / mass.sum()
    t = motion.t
    rising, falling = 0.32 * t**3 / 6, 0.8 * t**2 - 0.32 * t**3 / 6 - 0.8 * 2.5 * t + 0.8 * 2.5**2 / 3
    way = np.where(t < 2.5, rising, np.where(t < 5.0, falling, 2.0 * (t - 2.5)))
    assert np.abs(centre - np.stack([3.0 + way, 0.0 * t, 4.0 + 0.0 * t], axis=1)).max() < motion.h**2
    other = lv.simulate(motion.model, lv.RungeKutta(), h=5e-3, until=2.0)
    end = bodies[-1]
    assert np.abs(other.position(end)[-1] - motion.position(end)[at(motion, 2.0)]).max() < 40.0 * motion.h**2


def test_schemes_have_their_order():
    wanted = {"Livens 2": 2, "Livens 4": 4, "Livens 6": 6, "Newmark": 2, "GeneralizedAlpha": 2}
    for scheme, p in wanted.items():
        errors = [row.error for row in schemes.rows() if row.scheme == scheme]
        slopes = np.log2(np.array(errors[:-1]) / errors[1:])
        assert abs(slopes[1] - p) < 0.3, (scheme, slopes)
    matter = schemes.compare().model["arm"].mass_properties
    exact = tips(2, 1.0, matter.mass, matter.inertia[1, 1], [schemes.TIME])[0, -1]
    assert np.abs(schemes._tip(schemes.compare())[[0, 2]] - exact).max() < 1e-10


def test_poses_are_products_of_matrices():
    def matrix(pose):
        return np.block([[pose.B, pose.a[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])

    A, B = matrix(pose_playground.A), matrix(pose_playground.B)
    motion = run("pose-playground")
    for name, product in (("A", A), ("B", B), ("A @ B", A @ B), ("B @ A", B @ A)):
        assert motion.position(name)[-1] == pytest.approx(product[:3, 3], abs=1e-15)
        assert np.abs(motion.rotation(name)[-1] - product[:3, :3]).max() < 1e-15
    between = np.linalg.inv(A @ B) @ B @ A
    angle = np.degrees(np.arccos((np.trace(between[:3, :3]) - 1) / 2))
    assert f"{np.linalg.norm((A @ B - B @ A)[:3, 3]):.4g} m and {angle:.4g}°" in pose_playground.words(motion)


# ── the table ──


def test_every_file_of_the_folder_is_a_demo():
    folder = Path(demos.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__", "demo"}
    assert {name.replace("-", "_") for name in DEMOS} == files
    assert [demo.position for demo in DEMOS.values()] == list(range(1, len(DEMOS) + 1))


# ── thumbnails ──


def test_the_table_of_thumbnails_has_every_demo():
    rows = (THUMBNAILS / "README.md").read_text(encoding="utf-8").splitlines()[4:]
    assert rows == [f"| ![{name}]({name}.png) | `livens demo {name}` | {demo.line} |" for name, demo in DEMOS.items()]


def test_thumbnails_are_there_and_small():
    assert {path.stem for path in THUMBNAILS.glob("*.png")} == set(DEMOS)
    assert all(1_000 < path.stat().st_size < 40_000 for path in THUMBNAILS.glob("*.png"))


def test_one_command_draws_them(tmp_path):
    line = [sys.executable, "-m", "livens.demos", str(tmp_path / "new"), "pose-playground", "four-bar"]
    made = subprocess.run(line, capture_output=True, text=True)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"pose-playground.png", "four-bar.png"}
