"""The ground is where the planes of the model are, level or tilted, in pages, pictures and the viewer."""

import json

import numpy as np
import pytest

import livens as lv
from livens.look.picture.extent import planes_of, upright
from livens.look.picture.instants import matrices
from livens.look.picture.picture import picture_of
from livens.look.picture.themes import THEMES
from livens.look.render.ground import FINE, Ground, directions
from livens.look.render.raster import SUN, Camera
from tests.helpers import problems

PLANES = """<mujoco><worldbody><geom type="plane" size="5 5 0.1" pos="0 0 -0.7" euler="0 20 0"/>
<geom type="plane" size="1 1 1" pos="0 0 -9" rgba="1 1 1 0" contype="0" conaffinity="0"/>
<body pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""


def rests(seed, slope, scale=1.0):
    """A ball above a plane, both in random orientation; `slope` [rad] between the plane and the level."""
    R = problems.turned(seed)
    up, n = R[:, 2], R @ (np.sin(slope), 0.0, np.cos(slope))
    m = lv.Model(gravity=-9.81 * up, name="ball")
    ball = m.add(lv.Body(lv.Ball(0.1 * scale, mass=1.0), at=R @ (0.3 * scale, 0.2 * scale, 0.5 * scale), name="ball"))
    return m, ball, n, R @ (0.1 * scale, -0.2 * scale, -0.3 * scale)


@pytest.mark.parametrize("slope", [0.0, 0.4, 1.2])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
def test_the_ground_is_the_plane_that_bodies_touch(seed, slope, scale):
    for contact in (True, False):  # a contact, or a floor that is only drawn
        m, ball, n, p = rests(seed, slope, scale)
        plane = m.world.plane(p, normal=n)
        m.add(lv.Contact(plane, ball) if contact else plane)
        [(point, normal)] = planes_of(picture_of(m), low=-9.0)
        U = upright(m.gravity)
        assert np.abs(normal - U @ n).max() < 1e-6  # level ones are made exactly level
        assert normal @ point == pytest.approx(float(n @ p), abs=1e-6 * scale)


def test_of_parallel_planes_the_highest_is_the_ground_and_walls_are_not():
    m, ball, _, _ = rests(0, 0.0)
    R = upright(m.gravity).T
    for height in (-1.0, -0.4, -2.0):
        m.add(lv.Contact(m.world.plane(R @ (5.0, 3.0, height), normal=R[:, 2]), ball))
    m.add(lv.Contact(m.world.plane(R @ (-1.0, 0, 0), normal=R[:, 0]), ball))
    [(point, normal)] = planes_of(picture_of(m), low=-9.0)
    assert (point[2], normal.tolist()) == (pytest.approx(-0.4), [0.0, 0.0, 1.0])
    bare, _, _, _ = rests(0, 0.0)
    [(point, normal)] = planes_of(picture_of(bare), low=-9.0)  # without a plane: below everything
    assert (point.tolist(), normal.tolist()) == ([0.0, 0.0, -9.0], [0.0, 0.0, 1.0])


def test_a_floor_must_be_of_the_world():
    m, ball, n, p = rests(0, 0.3)
    with pytest.raises(lv.ModelError, match="floors are planes of this model's world"):
        m.add(ball.plane(p, normal=n))
    m.add(m.world.plane(p, normal=n))
    motion = lv.simulate(m, h=1e-2, until=1.0)  # the ball falls through it
    free = lv.simulate(rests(0, 0.3)[0], h=1e-2, until=1.0)
    assert np.array_equal(motion.position("ball"), free.position("ball"))


def test_floors_in_scenes_and_saved_motions(tmp_path):
    m, _, n, p = rests(1, 0.3)
    m.add(m.world.plane(p, normal=n))
    lv.write_scene(m, tmp_path / "ball.toml")
    lv.simulate(m, h=1e-2, until=0.1).save(tmp_path / "ball.nc")
    for again in (lv.read_scene(tmp_path / "ball.toml").model(), lv.load(tmp_path / "ball.nc").model):
        [floor] = again.floors
        assert (floor.r.tolist(), floor.normal.tolist()) == (p.tolist(), m.floors[0].normal.tolist())


@pytest.mark.parametrize("contacts", [False, True])
def test_planes_of_mjcf_are_drawn_where_the_file_says(tmp_path, contacts):
    pytest.importorskip("mujoco")
    (tmp_path / "floor.xml").write_text(PLANES)
    with pytest.warns(lv.ModelWarning):
        m = lv.read_mjcf(tmp_path / "floor.xml", contacts=contacts)
    [(point, normal)] = planes_of(picture_of(m), low=-9.0)  # the transparent one is not drawn
    assert normal == pytest.approx([np.sin(np.radians(20)), 0.0, np.cos(np.radians(20))])
    assert normal @ (point - (0.0, 0.0, -0.7)) == pytest.approx(0.0, abs=1e-12)


def test_a_pixel_shows_the_plane_that_its_ray_meets_first():
    """Two planes against the distances along rays of a camera, which are found by bisection."""
    rng = np.random.default_rng(3)
    camera = Camera(np.zeros(3), np.array([0.6, -0.7, 0.5]) / np.linalg.norm([0.6, -0.7, 0.5]), 6.0, 96, 64)
    slope = np.array([np.sin(0.6), 0.2, np.cos(0.6)])
    planes = np.array([[(0, 0, -1.0), (0, 0, 1)], [(0.5, 0, -0.8), slope / np.linalg.norm(slope)]])
    ground = Ground(camera, planes, THEMES["dark"])
    rays = Camera(camera.target, camera.d, camera.far, camera.width // FINE, camera.height // FINE).rays()
    for i, j in rng.integers(0, (32, 48), (60, 2)):
        s = np.linspace(0.0, 60.0, 60001)
        x = camera.eye + s[:, None] * rays[i, j]
        below = [np.flatnonzero((x - p) @ n < 0.0) for p, n in planes]
        first = [hits[0] if len(hits) else len(s) for hits in below]
        if abs(first[0] - first[1]) > 2:
            assert ground.owner[i, j] == (int(np.argmin(first)) if min(first) < len(s) else ground.owner[i, j])


def test_shadows_fall_on_the_slope():
    """The darkest pixels are around the shadow of a point above the slope, by the ray of the sun."""
    n = np.array([np.sin(0.5), 0.0, np.cos(0.5)])
    camera = Camera(np.zeros(3), np.array([0.5, -0.6, 0.6]) / np.linalg.norm([0.5, -0.6, 0.6]), 6.0, 400, 300)
    ground = Ground(camera, np.array([[np.zeros(3), n]]), THEMES["light"])
    x = np.array([0.2, 0.1, 0.9])
    small = lv.Ball(0.05, mass=1.0).surface
    shown = ground.shadowed((x + small.vertices)[small.triangles], camera)
    rows, columns = np.nonzero(shown.mean(axis=2) < 0.95 * ground.color.mean(axis=2))
    fallen = x - (n @ x) / (n @ SUN) * SUN
    wanted = camera.screen(fallen)[:2] / FINE
    assert (columns.mean(), rows.mean()) == pytest.approx(tuple(wanted), abs=1.5)


def test_the_grid_of_a_slope_has_a_level_direction():
    rng = np.random.default_rng(5)
    for _ in range(20):
        n = rng.normal(size=3)
        n = n * np.sign(n[2]) / np.linalg.norm(n)
        E = np.stack([*directions(n), n])
        assert np.abs(E @ E.T - np.eye(3)).max() < 1e-12
        assert abs(E[0, 2]) < 1e-12
        assert np.linalg.det(E) > 0.0


@pytest.mark.parametrize("seed", range(3))
def test_page_and_viewer_have_the_ground_there(tmp_path, seed):
    m, ball, n, p = rests(seed, 0.5)
    m.add(lv.Contact(m.world.plane(p, normal=n), ball))
    motion = lv.simulate(m, h=1e-2, until=0.2)
    motion.to_html(tmp_path / "ball.html")
    text = (tmp_path / "ball.html").read_text(encoding="utf-8")
    data = json.loads(next(line for line in text.splitlines() if line.startswith("const data = "))[13:])
    U = upright(m.gravity)
    [(point, normal)] = np.array(data["floors"])
    assert np.abs(normal - U @ n).max() < 1e-12
    assert normal @ (point - U @ p) == pytest.approx(0.0, abs=1e-12)
    pytest.importorskip("viser", reason="the pages need viser: pip install 'livens[view]'")
    with lv.view(motion, block=False, open_browser=False) as viewer:
        stage, sizes = viewer.inside.stage, viewer.inside.drawing.sizes
        for node in (*stage.grounds, *stage.lines):
            assert n @ (sizes.back(node.position) - p) == pytest.approx(0.0, abs=1e-6)
            assert np.abs(matrices(np.array([node.wxyz]))[0][:, 2] - n).max() < 1e-6
