"""Pictures and films: items are drawn at their positions, and other programs can read the files."""

import shutil
import stat
import sys
from functools import cache

import numpy as np
import pytest

import livens as lv
from livens.look.picture.extent import upright
from livens.look.picture.lengths import nice
from livens.look.picture.themes import THEMES
from livens.look.picture.view import view_of
from livens.look.render import letters
from livens.look.render.files import png, write_film
from livens.look.render.raster import Camera, F, coarser, seen
from livens.look.render.scene import Scene
from tests.helpers import problems

PAPER = np.array([244, 243, 239])


@cache
def falling():
    m = lv.Model(gravity=(0, 0, -9.81), name="fall")
    ball = m.add(lv.Body(lv.Ball(0.3, mass=1.0), at=(0, 0, 2), name="ball"))
    m.add(lv.Spring(m.world.point(0, 0, 4), ball.point(0, 0, 0), stiffness=1.0, length=1.0))
    return lv.simulate(m, h=1e-2, until=0.5)


def read(path):
    image = pytest.importorskip("PIL.Image")
    with image.open(path) as file:
        file.load()
        return np.array(file.convert("RGB")), getattr(file, "n_frames", 1)


# ── the picture ──


def test_a_ball_is_a_disc_of_the_right_size():
    """A sphere of radius r at the distance D appears under the angle asin(r/D) in the middle of the screen."""
    camera = Camera(np.zeros(3), np.array([1.0, 0.0, 0.0]), 5.0, 800, 600)
    surface = lv.Ball(0.5, mass=1.0).surface
    inside = seen(camera.screen(surface.vertices[surface.triangles]), camera).owner >= 0
    radius = 300 * F * np.tan(np.arcsin(0.5 / 5.0))
    assert inside.sum() == pytest.approx(np.pi * radius**2, rel=0.01)
    rows, columns = np.nonzero(inside)
    assert (rows.mean(), columns.mean()) == pytest.approx((299.5, 399.5), abs=0.5)


def test_near_triangles_hide_far_ones():
    camera = Camera(np.zeros(3), np.array([1.0, 0.0, 0.0]), 5.0, 64, 48)
    far = np.array([(-1.0, -9, -9), (-1, 9, -9), (-1, 0, 15)])
    near = far + np.eye(3)[0]
    for walls, front in (([far, near], 1), ([near, far], 0)):
        assert seen(camera.screen(np.array(walls)), camera).owner[24, 32] == front


def test_triangles_behind_the_camera_are_not_drawn():
    camera = Camera(np.zeros(3), np.array([1.0, 0.0, 0.0]), 5.0, 64, 48)
    behind = np.array([[(9.0, -9, -9), (9, 9, -9), (9, 0, 15)], [(0, 0, 0), (0, 1, 0), (9, 0, 1)]])
    assert (seen(camera.screen(behind), camera).owner == -1).all()


def test_rays_and_screen_are_inverse():
    camera = Camera(np.array([0.1, 0.2, 0.3]), np.array([0.6, 0.0, 0.8]), 4.0, 30, 20)
    x = camera.eye + 2.7 * camera.rays()
    place = camera.screen(x)
    assert np.abs(place[..., 0] - (np.arange(30) + 0.5)).max() < 1e-9
    assert np.abs(place[..., 1] - (np.arange(20) + 0.5)[:, None]).max() < 1e-9
    assert np.abs(1 / place[..., 2] - 2.7).max() < 1e-9


def test_everything_is_in_the_picture():
    """Every corner of every body at every state, and the anchor of the spring, are on the screen and nearly fill it."""
    scene = Scene(falling())
    everything = np.arange(len(falling()))
    camera = scene.camera(everything, 320, 240)
    place = camera.screen(scene.room(everything))
    low, high = place[:, :2].min(axis=0), place[:, :2].max(axis=0)
    assert (low > 0).all()
    assert (high < (320, 240)).all()
    assert ((high - low) / (320, 240)).max() > 0.8


def test_the_camera_keeps_its_distance_from_a_deep_scene():
    m = lv.Model()
    for k in range(2):
        m.add(lv.Body(lv.Ball(0.2, mass=1.0), at=k * np.array([np.cos(-0.9), np.sin(-0.9), 0.3]) * 5))
    camera = Scene(lv.simulate(m, h=0.1, until=0.1)).camera([0], 320, 240)
    depth = (camera.eye - [body.center.start for body in m.bodies[1:]]) @ camera.d
    assert depth.max() / depth.min() < 1.7 / 0.7


def test_the_ball_falls_in_the_picture(tmp_path):
    found = []
    for t in (0.0, 0.5):
        falling().to_png(tmp_path / "fall.png", t=t, size=(240, 180))
        image, frames = read(tmp_path / "fall.png")
        assert (image.shape, frames) == ((180, 240, 3), 1)
        r, g, b = np.moveaxis(image.astype(float), 2, 0)
        orange = (r - b > 80) & (np.abs(g / np.maximum(r, 1) - 159 / 230) < 0.03)  # the stretched spring has less green
        found.append(np.median(np.nonzero(orange)[0]))  # its thin trace, of the same colour, does not count
    scene = Scene(falling())
    camera = scene.camera(np.arange(len(falling())), 240, 180)
    expected = camera.screen(falling().position("ball")[[0, -1]])[:, 1]
    assert np.abs(np.array(found) - expected).max() < 3.0


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e6])
def test_pictures_of_a_watch_and_of_an_orbit_differ_in_their_scale_only(scale, tmp_path):
    """The same pendulum in other units of length: all pixels are equal, up to edges, but those of the words."""
    images = []
    for s in (1.0, scale):
        m = lv.Model(gravity=(0, 0, -9.81 * s), name="pendulum")
        bob = m.add(lv.Body(lv.Box(s, s / 10, s / 10, mass=1.0), at=(s / 2, 0, 0), name="bob"))
        m.add(lv.Revolute(m.world.point(0, 0, 0), bob.point(-s / 2, 0, 0), axis=(0, 1, 0), name="pin"))
        lv.simulate(m, h=1e-2, until=0.5).to_png(tmp_path / "a.png", t=0.2, size=(240, 180), force=True)
        images.append(read(tmp_path / "a.png")[0].astype(int))
    one, two = (image[:140] for image in images)
    assert (np.abs(one - two).max(axis=2) > 8).mean() < 0.002
    assert one.std() > 10
    assert np.abs(images[0][140:] - images[1][140:]).max() > 50  # the words differ


def test_marks_are_drawn(tmp_path):
    """Title, time, axes and scale bar: dark pixels in the corners, at the length that the camera gives."""
    falling().to_png(tmp_path / "a.png", size=(480, 360))
    falling().to_png(tmp_path / "b.png", size=(480, 360), title="")
    image, without = (read(tmp_path / name)[0] for name in ("a.png", "b.png"))
    ink = image.max(axis=2) < 60
    assert ink[:16, :80].any()
    assert not (without.max(axis=2) < 60)[:16, :80].any()
    assert ink[:16, -80:].any()
    scene = Scene(falling())
    camera = scene.camera(scene.overview, 480, 360)
    metre = camera.height / 2 * F / camera.far
    row = ink[-12:, :240].sum(axis=1).max()  # without the words of springs at the right
    assert row == pytest.approx(nice(0.18 * 480 / metre) * metre, abs=3)


def test_up_is_against_gravity():
    for g in ((0, -9.81, 0), (3.0, 1.0, -2.0), (-5, 0, 0), (0, 0, 0)):
        R = upright(np.array(g, dtype=float))
        assert np.abs(R @ R.T - np.eye(3)).max() < 1e-15
        assert np.linalg.det(R) == pytest.approx(1.0)
        assert R @ g == pytest.approx((0, 0, -np.linalg.norm(g)), abs=1e-12)


def test_parts_of_pixels():
    mask = np.zeros((4, 6), dtype=bool)
    mask[:3, :2] = True
    assert coarser(mask, 2).tolist() == [[1.0, 0.0, 0.0], [0.5, 0.0, 0.0]]


# ── the files ──


def test_png_is_lossless(tmp_path):
    picture = np.random.default_rng(0).integers(0, 256, (17, 23, 3), dtype=np.uint8)
    (tmp_path / "noise.png").write_bytes(png(picture))
    assert np.array_equal(read(tmp_path / "noise.png")[0], picture)


@pytest.mark.parametrize("ending", ["apng", "png", "gif"])
def test_films_without_ffmpeg(ending, tmp_path):
    path = tmp_path / f"fall.{ending}"
    falling().to_video(path, rate=20.0, speed=2.0, size=(64, 48))
    image = pytest.importorskip("PIL.Image")
    with image.open(path) as file:
        assert (file.size, file.n_frames) == ((64, 48), 6)  # 0.5 s at twice the speed, first and last included
        file.seek(3)
        assert file.info["duration"] == pytest.approx(50.0)
        assert np.abs(np.array(file.convert("RGB")).astype(int)[2, 2] - PAPER).max() < 12


@pytest.mark.parametrize(("rate", "frames"), [(30.0, 241), (15.0, 121), (60.0, 481), (24.0, 193)])
def test_gif_plays_in_real_time(rate, frames, tmp_path):
    """8 s of motion take 8 s and one picture: times in the file are hundredths of a second, and none is below two."""
    image = pytest.importorskip("PIL.Image")
    pictures = (np.full((8, 8, 3), 40 + k % 199, dtype=np.uint8) for k in range(frames))
    write_film(pictures, frames, rate, tmp_path / "a.gif", tmp_path / "a.gif")
    total, shortest = 0, 10_000
    with image.open(tmp_path / "a.gif") as file:
        for k in range(file.n_frames):
            file.seek(k)
            total, shortest = total + file.info["duration"], min(shortest, file.info["duration"])
    assert abs(total - 1000 * frames / rate) <= 20
    assert shortest >= 20


@pytest.mark.parametrize("name", ["fall.jpg", "fall", "fall.png.txt"])
def test_pictures_are_png_files(name, tmp_path):
    with pytest.raises(lv.FileError, match="pictures are PNG files, so the ending must be png"):
        falling().to_png(tmp_path / name, size=(64, 48))
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("anchor", [(0, 0, 4), (9, 0, 2)])
def test_follow_shows_the_bodies_from_near(anchor, tmp_path):
    """The ball covers more pixels than in the picture of all of the motion, and its middle is that of the picture."""
    m = lv.Model(gravity=(0, 0, -9.81))
    ball = m.add(lv.Body(lv.Ball(0.3, mass=1.0), at=(0, 0, 2), name="ball"))
    m.add(lv.Spring(m.world.point(*anchor), ball.center, stiffness=1.0, length=1.0))
    motion, covered = lv.simulate(m, h=1e-2, until=0.5), []
    for follow in (False, True):
        motion.to_png(tmp_path / "ball.png", t=0.2, size=(240, 180), follow=follow, force=True)
        image = read(tmp_path / "ball.png")[0]
        orange = image[..., 0].astype(int) - image[..., 2] > 80
        covered.append(int(orange.sum()))
    assert covered[1] > 3 * covered[0]
    rows, columns = np.nonzero(orange)
    assert (rows.mean(), columns.mean()) == pytest.approx((90, 120), abs=6)


def test_every_frame_of_an_animated_png(tmp_path):
    image = pytest.importorskip("PIL.Image")
    frames = list(np.random.default_rng(1).integers(0, 256, (4, 9, 7, 3), dtype=np.uint8))
    write_film(iter(frames), 4, 10.0, tmp_path / "noise.apng", tmp_path / "noise.apng")
    with image.open(tmp_path / "noise.apng") as file:
        for k, frame in enumerate(frames):
            file.seek(k)
            assert np.array_equal(np.array(file.convert("RGB")), frame)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for ffmpeg is a shell script")
def test_frames_are_piped_to_ffmpeg(tmp_path, monkeypatch):
    """A stand-in for ffmpeg stores its input: all frames, with the size that the command line gives."""
    tool = tmp_path / "bin" / "ffmpeg"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\nfor last; do :; done\necho "$@" > "$0.said"\nexec cat > "$last"\n')
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tool.parent}:/bin:/usr/bin")
    falling().to_video(tmp_path / "fall.mp4", rate=10.0, size=(64, 48))
    assert (tmp_path / "fall.mp4").stat().st_size == 6 * 64 * 48 * 3
    assert "-s 64x48 -r 10" in (tool.parent / "ffmpeg.said").read_text()
    tool.write_text("#!/bin/sh\necho 'Unknown encoder' >&2\nexit 1\n")
    with pytest.raises(lv.FileError, match="ffmpeg failed: Unknown encoder"):
        falling().to_video(tmp_path / "other.mp4", size=(640, 480))
    assert not (tmp_path / "other.mp4").exists()


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not on the PATH")
def test_ffmpeg_makes_a_film(tmp_path):
    falling().to_video(tmp_path / "fall.mp4", rate=10.0, size=(65, 49))
    assert (tmp_path / "fall.mp4").read_bytes()[4:8] == b"ftyp"


def test_films_through_a_package(tmp_path, monkeypatch):
    """Without ffmpeg on the PATH, that of imageio-ffmpeg writes the film, and reads back its length and size."""
    package = pytest.importorskip("imageio_ffmpeg", reason="no imageio-ffmpeg: pip install 'livens[film]'")
    monkeypatch.setenv("PATH", str(tmp_path))
    falling().to_video(tmp_path / "fall.mp4", rate=10.0, size=(65, 49))
    facts = next(package.read_frames(str(tmp_path / "fall.mp4")))
    assert facts["size"] == (64, 48)  # even numbers
    assert facts["fps"] == 10.0
    assert facts["duration"] == pytest.approx(0.6, abs=0.05)


def test_errors_of_pictures_and_films(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(lv.MissingExtra, match=r"pip install 'livens\[film\]', or write fall\.gif or fall\.apng"):
        falling().to_video(tmp_path / "fall.mp4", size=(64, 48))
    with pytest.raises(lv.FileError, match=r"the ending must be one of mp4, .*, gif, apng, not '\.txt'"):
        falling().to_video(tmp_path / "fall.txt", size=(64, 48))
    with pytest.raises(lv.ModelError, match="16 to 8192 pixels in width and height, not 0 x 10"):
        falling().to_png(tmp_path / "fall.png", size=(0, 10))
    with pytest.raises(lv.ModelError, match="has no bodies"):
        lv.simulate(lv.Model(), h=1.0, until=1.0).to_png(tmp_path / "empty.png")
    with pytest.raises(lv.ModelError, match="speed of the playback must be positive"):
        falling().to_video(tmp_path / "fall.gif", speed=-1.0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_gif_keeps_the_colours_of_thin_lines(tmp_path, theme):
    """Every pixel of a picture with many colours is near its own, and the paper is exact."""
    pytest.importorskip("PIL.Image")
    m = lv.Model(gravity=(0, 0, -9.81), name="many")
    for k in range(7):
        m.add(lv.Body(lv.Ball(0.2, mass=1.0), at=(0.5 * k, 0.1 * k, 0), velocity=(0, 0, 0.3 * k), name=f"ball{k}"))
    motion = lv.simulate(m, h=1e-2, until=0.02)
    motion.to_video(tmp_path / "many.gif", size=(320, 240), rate=1.0, theme=theme, title="")
    motion.to_png(tmp_path / "many.png", t=0.0, size=(320, 240), theme=theme, title="")
    film, still = read(tmp_path / "many.gif")[0].astype(int), read(tmp_path / "many.png")[0].astype(int)
    assert np.abs(film - still).max() <= 16
    assert np.array_equal(film[2, 2], still[2, 2])


@pytest.mark.parametrize("seed", range(3))
def test_a_torque_has_two_heads_and_a_force_one(seed):
    """In any orientation; every head has two barbs that end behind it."""
    R = problems.turned(seed)
    m = lv.Model()
    bar = m.add(lv.Body(lv.Box(1, 0.2, 0.1, mass=1e3), name="bar"))
    m.add(lv.Load(bar.center, force=R[:, 0], name="push"))
    m.add(lv.Load(bar.center, torque=R[:, 1], name="twist"))
    scene = Scene(lv.simulate(m, h=1e-3, until=0.01))
    arrows = [line.corners for line in scene.lines(0, scene.camera([0], 320, 240)) if line.kind == "load"]
    for corners, along, heads in zip(arrows, (R[:, 0], R[:, 1]), (1, 2), strict=True):
        place = (corners - corners[0]) @ (scene.up @ along)
        beside = np.linalg.norm(corners - corners[0] - np.outer(place, scene.up @ along), axis=1)
        tips, barbs = place[beside < 1e-12], place[beside > 1e-6]
        assert len(np.unique(tips[1:].round(9))) == heads
        assert len(barbs) == 2 * heads
        assert len(np.unique(barbs.round(9))) == heads


def test_letters_that_descend_end_below_the_others():
    """ "g" is no "9": g, j, p, q and y end two squares below the line on which the others stand."""
    low = {letter: int(np.flatnonzero(letters.mask(letter).any(axis=1)).max()) for letter in letters.LETTERS}
    below = {letter for letter, row in low.items() if row >= letters.LETTER_HEIGHT}
    assert below == set("gjpqy")
    shapes = {letters.mask(letter).tobytes() for letter in letters.LETTERS}
    assert len(shapes) == len(letters.LETTERS) - 2  # "-" and "−", "x" and "×" are alike


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_springs_have_the_colours_of_their_extension(theme, tmp_path):
    """In any orientation and unit: as on pages, short ones, those at rest and long ones; with their words."""
    R, size = problems.turned(6), 1e-3
    m = lv.Model(name="springs")
    for k, length in enumerate((0.5, 1.0, 2.0)):  # the second bodies are 1 size away
        body = m.add(lv.Body(lv.Ball(0.1 * size, mass=1.0), at=R @ (size, k * size, 0), name=f"ball {k}"))
        m.add(lv.Spring(m.world.point(*(R @ (0, k * size, 0))), body.center, stiffness=1e-9, length=length * size))
    motion = lv.simulate(m, h=1e-3, until=0.01)
    scene = Scene(motion, view_of(motion, theme=theme))
    found = [line.color for line in scene.lines(0, scene.camera([0], 320, 240)) if line.kind == "spring"]
    colors = THEMES[theme]
    half = 0.5 * (np.array(colors.rest) + colors.long)  # stretched by half of the largest extension
    for color, wanted in zip(found, (half, colors.rest, colors.short), strict=True):
        assert np.abs(255 * np.array(color) - wanted).max() <= 1.0
    motion.to_png(tmp_path / "springs.png", size=(640, 480), theme=theme)
    image, _ = read(tmp_path / "springs.png")
    for color in (colors.short, colors.rest, colors.long):
        assert (np.abs(image[-60:, 320:].astype(int) - color).max(axis=2) <= 1).sum() >= 50


@pytest.mark.parametrize("seed", range(2))
def test_joints_inside_bodies_show_through(seed, tmp_path, monkeypatch):
    """As on pages, faintly: the symbol is smaller than the block around it, in any orientation and unit."""
    size = 10.0 ** (3 * seed)
    m = lv.Model(name="hidden")
    block = m.add(lv.Body(lv.Box(size, size, size, mass=1.0), rotation=problems.turned(seed), name="block"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), block.center, name="pivot"))
    motion = lv.simulate(m, h=1e-3, until=0.01)
    motion.to_png(tmp_path / "shown.png", size=(320, 240))
    monkeypatch.setattr("livens.look.render.scene.FAINT", 0.0)
    motion.to_png(tmp_path / "hidden.png", size=(320, 240))
    shown, hidden = (read(tmp_path / name)[0].astype(int) for name in ("shown.png", "hidden.png"))
    changed = np.abs(shown - hidden).max(axis=2)
    assert 20 < (changed > 10).sum() < 0.02 * changed.size
    assert changed.max() <= 0.3 * 255 + 1
    x, y = np.nonzero(changed > 10)[1], np.nonzero(changed > 10)[0]
    scene = Scene(motion)
    middle = scene.camera(scene.overview, 320, 240).screen(np.zeros((1, 3)))[0]
    assert np.hypot(x.mean() - middle[0], y.mean() - middle[1]) < 8
