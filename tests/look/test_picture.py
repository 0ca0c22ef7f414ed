"""The arithmetic of pictures: sizes, colours, coils, positions, times. No browser and no viser."""

import numpy as np
import pytest

import livens as lv
from livens.look.browser.charts import Memory
from livens.look.browser.clock import Clock, Pace
from livens.look.browser.curves import Curves, at_states, curves
from livens.look.browser.forces import Reactions
from livens.look.browser.layers import Gauge, arrow_ends
from livens.look.browser.live import sizes_at
from livens.look.browser.playback import sizes_of
from livens.look.browser.sizes import HALF, LENS, sizes
from livens.look.browser.stage import framed
from livens.look.browser.traces import path_until, segments
from livens.look.picture import colors
from livens.look.picture.coils import MANY, coils, profile
from livens.look.picture.extent import extent
from livens.look.picture.instants import between, chosen, instant, matrices, stored
from livens.look.picture.picture import picture_of
from livens.look.picture.shapes import creased, shapes
from livens.look.picture.symbols import SYMBOL_SIZE
from tests.helpers.mechanisms import chain, heavy_top, slider_crank

EPS = np.finfo(float).eps


@pytest.mark.parametrize("metres", [1e-3, 1.0, 1e9])
def test_a_watch_and_an_orbit_have_the_same_size_on_the_page(metres):
    """The page has single precision: a motion 1e6 times its size from the origin keeps its shape to 1e-6."""
    far = 1e6 * metres
    low, high = np.full(3, far), np.full(3, far) + metres * np.array([1.0, 0.5, 0.25])
    fit = sizes(low, high, np.array([0, 0, -9.81]))
    corners = fit(np.stack([low, high]))
    assert np.abs(corners).max() == pytest.approx(HALF)
    assert np.allclose(corners[1] - corners[0], [2 * HALF, HALF, HALF / 2], rtol=1e-6)
    assert np.allclose(fit.back(corners[1]), high, rtol=0, atol=1e-6 * metres)
    assert 2 <= 2 * HALF / (fit.cell * fit.scale) <= 40  # cells across
    assert np.linalg.norm(fit.camera) > np.linalg.norm(fit.half)  # the camera is outside


@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, -9.81, 0), (3.0, 4.0, 0), (0, 0, 5.0)])
def test_the_ground_is_below_for_any_direction_of_gravity(gravity):
    fit = sizes(np.array([-1.0, -2, -3]), np.array([1.0, 2, 3]), np.array(gravity, dtype=float))
    down = np.array(gravity) / np.linalg.norm(gravity)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)])
    assert (fit(corners) @ down).max() < fit.ground @ down
    assert np.allclose(matrices(fit.tilt[None])[0] @ [0, 0, 1], -down, atol=4 * EPS)
    assert fit.camera @ -down > 0


def test_the_camera_looks_at_the_broad_side():
    flat = sizes(np.array([-1.0, -0.01, -1.0]), np.array([1.0, 0.01, 1.0]), np.array([0, 0, -1.0]))
    assert abs(flat.camera[1]) > abs(flat.camera[0])


def test_springs_are_blue_when_short_and_vermilion_when_long():
    shades = colors.of_extension(np.linspace(-1, 1, 21), 1.0).astype(int)
    assert (np.diff(shades[:, 0]) > 0).all()  # red rises
    assert (np.diff(shades[:, 2]) < 0).all()  # blue falls
    assert colors.of_extension(np.zeros(3), 0.0).tolist() == [list(colors.GREY)] * 3


def test_bodies_that_follow_each_other_differ_in_brightness_or_hue():
    tint = colors.of_bodies(8).astype(float)
    assert np.linalg.norm(np.diff(tint, axis=0), axis=1).min() > 60
    assert (tint[7] == tint[0]).all()


@pytest.mark.parametrize(
    "shape",
    [lv.Ball(0.3, density=1), lv.Cylinder(0.2, 1, density=1), lv.Cone(0.2, 1, density=1), lv.Box(1, 2, 3, density=1)],
)
def test_creases_do_not_change_the_triangles(shape):
    before, after = shape.surface, creased(shape.surface)
    assert np.array_equal(before.vertices[before.triangles], after.vertices[after.triangles])


def test_a_ball_looks_round_and_a_cylinder_keeps_its_rims():
    ball = lv.Ball(1.0, density=1).surface
    assert len(creased(ball).vertices) == len(ball.vertices)
    assert abs(ball.volume / (4 / 3 * np.pi) - 1) < 0.01
    plain = lv.Cylinder(1, 1, density=1).surface
    assert len(creased(plain).vertices) == len(plain.vertices) + 2 * 64  # each rim twice


def test_equal_shapes_are_one_batch():
    assert [len(shape.members) for shape in shapes(chain(50))] == [50]
    m = lv.Model()
    m.add(lv.Body(lv.PointMass(1.0)))
    m.add(lv.Body(lv.Ball(0.1, density=1.0), at=(1, 0, 0)))
    assert [(shape.members.tolist(), shape.is_point) for shape in shapes(m)] == [([1], True), ([2], False)]


def test_coils_begin_and_end_at_the_ends_of_springs():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 5, 3))
    line = coils(np.stack([a, b], axis=1), profile(), 0.02)
    assert np.array_equal(line[:, 0], a)
    assert np.array_equal(line[:, -1], b)
    assert len(profile(MANY)) > len(profile(MANY + 1)) == 2
    assert np.isfinite(coils(np.stack([a, a], axis=1), profile(), 0.02)).all()  # a spring of length zero


def test_arrows_keep_their_proportions():
    gauge = Gauge(1.0)
    first = gauge(np.array([[0, 0, 4.0], [0, 3.0, 0]]))
    assert np.allclose(np.linalg.norm(first, axis=1), [1.0, 0.75])
    assert np.allclose(gauge(np.array([[0, 0, 2.0]])), [[0, 0, 0.5]])
    assert not gauge(np.zeros((2, 3))).any()
    assert arrow_ends(np.zeros((2, 3)), np.zeros((2, 3))).shape == (0, 2, 3)


def test_instants_agree_with_the_motion():
    m = heavy_top()
    motion = lv.simulate(m, h=1e-3, until=0.2, every=10)
    body = m.bodies[1]
    for k in (0, 7, 20):
        now = stored(motion.system, motion.record, motion.t, k)
        assert np.allclose(now.x[1], motion.position(body)[k], rtol=0, atol=1e-14)
        assert np.allclose(now.R[1], motion.rotation(body)[k], rtol=0, atol=1e-14)
        assert np.allclose(now.v[1], motion.velocity(body.center)[k], rtol=0, atol=1e-12)
    whole = instant(motion.system, motion.record, 0.0)
    assert whole.x.shape == (21, 2, 3)


def test_between_states_bodies_stay_rigid():
    m = heavy_top()
    motion = lv.simulate(m, h=1e-3, until=0.2, every=10)
    t = 0.5 * (motion.t[4] + motion.t[5])
    now = between(motion.system, motion.record, motion.t, t)
    assert np.abs(np.swapaxes(now.R, 1, 2) @ now.R - np.eye(3)).max() < 8 * EPS
    fine = lv.simulate(m, h=1e-3, until=t)
    turn = np.linalg.norm(motion.body_rates(m.bodies[1]), axis=1).max() * 0.01
    assert np.abs(now.R[1] - fine.rotation(m.bodies[1])[-1]).max() < turn**2
    assert between(motion.system, motion.record, motion.t, -1.0).t == motion.t[0]
    assert between(motion.system, motion.record, motion.t, 99.0).t == motion.t[-1]


def test_decimation_keeps_the_ends():
    for count, most in ((100_000, 500), (7, 500), (1, 5), (2, 2)):
        k = chosen(count, most)
        assert k[0] == 0
        assert k[-1] == count - 1
        assert len(k) == min(count, most)


def test_places_of_a_mechanism():
    m = slider_crank()
    p = picture_of(m)
    motion = lv.simulate(m, h=1e-3, until=0.1)
    now = stored(motion.system, motion.record, motion.t, 100)
    for k, joint in enumerate(p.joints):
        assert np.allclose(p.joint_points.at(now.x, now.R)[k], motion.position(joint.b)[100], rtol=0, atol=1e-13)
    assert np.allclose(np.linalg.norm(p.axes.directions.along(now.R), axis=1), 1.0)
    whole = instant(motion.system, motion.record, 0.0)
    low, high = extent(p, whole.x, whole.R)
    assert (low < high).all()
    assert np.abs(sizes_of(motion, p)(whole.x[:, 1:])).max() <= HALF


def test_a_pendulum_that_starts_level_has_room_below():
    m = chain(5)
    now = instant(lv.simulate(m, h=1e-3, until=1e-3).system, lv.simulate(m, h=1e-3, until=1e-3).state, 0.0)
    fit = sizes_at(picture_of(m), now.x, now.R)
    for corner in ((0, 0, -5.0), (-5.0, 0, 0), (0, 5.0, 0)):
        assert (np.abs(fit(np.array(corner))) <= fit.half + 1e-6).all()


def test_reactions_of_all_joints_are_those_of_each():
    m = slider_crank()
    motion = lv.simulate(m, h=1e-3, until=0.05)
    wanted = picture_of(m).joints
    now = at_states(motion, np.array([50]))
    for joint, force in zip(wanted, Reactions(motion, wanted).at(now), strict=True):
        assert np.allclose(force, motion.reaction(joint)[50], rtol=1e-12, atol=1e-9)


def test_charts_show_the_energy_and_the_violations():
    motion = lv.simulate(chain(3), h=1e-3, until=0.5)
    found = {c.what: c for c in curves(at_states(motion, chosen(len(motion), 50)))}
    assert np.array_equal(found["energy"].values[:, 0], motion.energy[chosen(501, 50)])
    assert found["joint violations, log₁₀"].values.max() < -10
    memory = Memory(most=3)
    for k in range(5):
        shown = memory.add(float(k), [Curves("x", "m", ("x",), np.array([[float(k)]]))])
    assert shown[0].values[:, 0].tolist() == [2.0, 3.0, 4.0]
    assert memory.add(0.0, [Curves("x", "m", ("x",), np.zeros((1, 1)))])[0].values.shape == (1, 1)  # after a reset


def test_traces_grow_with_the_time_line():
    x, t = np.zeros((11, 2, 3)), np.linspace(0, 1, 11)
    assert len(path_until(x, t, 0.55)) == 6
    assert len(path_until(x, t, -1.0)) == 1
    lines, tint = segments(x, colors.of_bodies(2))
    assert lines.shape == tint.shape == (20, 2, 3)


def test_symbols_of_a_long_chain_are_not_larger_than_its_links():
    few, many = picture_of(slider_crank()), picture_of(chain(200))
    assert few.shrink(0.3) == 1.0
    assert many.shrink(100.0) * SYMBOL_SIZE * 100.0 <= 0.51 * np.median(many.reach[1:])


def test_the_clock_plays_pauses_scrubs_and_loops():
    clock = Clock(1.0, 3.0, speed=0.5)
    clock.play(True, 0.0)
    assert clock.tick(1.0) == 1.5
    clock.play(False, 2.0)
    assert clock.tick(50.0) == 2.0
    clock.seek(9.0, 50.0)
    assert clock.tick(60.0) == 3.0
    clock.loop = False
    clock.play(True, 60.0)  # at the end it begins again
    assert clock.tick(61.0) == 1.5
    assert clock.tick(100.0) == 3.0
    assert not clock.playing


def test_a_fast_simulation_runs_in_real_time():
    pace, taken, wall = Pace(h=1e-3), 0, 0.0
    pace.took(10, 10 * 1e-4)
    while wall <= 2.0:
        steps = pace.due(wall)
        taken += steps
        factor = pace.factor(wall, taken * 1e-3)
        wall += 0.011
    assert taken == pytest.approx(2000, abs=12)
    assert factor == pytest.approx(1.0, abs=0.02)
    assert pace.possible == pytest.approx(10.0)


def test_a_slow_simulation_drops_steps_that_are_late():
    pace, taken, wall = Pace(h=1e-3), 0, 0.0
    while wall < 5.0:  # each step takes 4 ms: a quarter of real time
        steps = pace.due(wall)
        pace.took(steps, steps * 4e-3)
        taken += steps
        factor = pace.factor(wall, taken * 1e-3)
        wall += max(1e-3, steps * 4e-3)
    assert factor == pytest.approx(0.25, rel=0.1)
    pace.took(1000, 1000 * 1e-6)  # suddenly fast: dropped steps are not taken later
    for _ in range(50):
        pace.took(100, 100 * 1e-6)
    pace.due(wall)
    assert pace.due(wall + 0.01) <= 11


def test_slow_motion_takes_few_steps():
    pace = Pace(h=1e-2, speed=0.1)
    assert sum(pace.due(0.01 * k) for k in range(101)) == pytest.approx(10, abs=1)


@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, -9.81, 0), (3.0, 4.0, 1.0)])
@pytest.mark.parametrize("aspect", [0.46, 0.6])
def test_on_a_phone_the_motion_is_above_the_panel(gravity, aspect):
    """All corners of the motion's box are on the screen, and most of them in its upper half."""
    fit = sizes(np.array([-1.0, -1, -1]), np.array([1.0, 1, 1]), np.array(gravity, dtype=float))
    eye, aim = framed(fit, fit.camera, aspect)
    d = (eye - aim) / np.linalg.norm(eye - aim)
    right = np.cross(fit.up, d)
    right /= np.linalg.norm(right)
    up = np.cross(d, right)
    corners = np.array([[x, y, z] for x in (-2, 2) for y in (-2, 2) for z in (-2, 2)], dtype=float)
    depth = (eye - corners) @ d * np.tan(LENS / 2)
    x, y = (corners - eye) @ right / depth / aspect, (corners - eye) @ up / depth
    assert np.abs(x).max() < 1.0
    assert y.max() < 1.0
    assert y.mean() > 0.3
    assert y.min() > -0.25
