"""Light and dark: one table of colours, from which every back end draws; text and lines can be read on the paper."""

import json
from functools import cache

import numpy as np
import pytest

import livens as lv
from livens.cli.main import main
from livens.look.picture.colors import contrast, hexadecimal, linear
from livens.look.picture.themes import THEMES, style_sheet, theme_of
from tests.look.test_render import read

LIGHT, DARK = THEMES["light"], THEMES["dark"]
TEXT, LINE = 4.5, 3.0


@cache
def motion():
    m = lv.Model(gravity=(0, 0, -9.81), name="swing")
    arm = m.add(lv.Body(lv.Box(1.0, 0.15, 0.15, density=1000), at=(0.5, 0, 0), name="arm"))
    ball = m.add(lv.Body(lv.Ball(0.2, density=300), at=(1.0, 0, -0.8), name="ball"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="shoulder"))
    m.add(lv.Spring(arm.point(0.5, 0, 0), ball.point(0, 0, 0.2), stiffness=400.0, length=0.4, name="spring"))
    m.add(lv.Load(ball.center, force=(20, 0, 0), name="wind"))
    return lv.simulate(m, h=1e-2, until=0.5)


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_text_and_lines_can_be_read(theme):
    """WCAG 2.2 on the background of pictures and on that of panels."""
    for paper in (theme.paper, theme.card):
        for color in (theme.ink, theme.soft, theme.warn, theme.x, theme.y, theme.z, theme.force, theme.torque):
            assert contrast(color, paper) >= TEXT
        for color in (*theme.curves, theme.line, theme.ground, theme.grid, theme.short, theme.rest, theme.long):
            assert contrast(color, paper) >= LINE
    assert theme.dark == (theme is DARK)


def pixels(path, theme, **options):
    motion().to_png(path, size=(640, 480), theme=theme, force=True, **options)
    return read(path)[0]


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_a_picture_has_the_colours_of_its_theme(tmp_path, theme):
    image = pixels(tmp_path / "swing.png", theme.name)
    many = {
        name: int((image == vars(theme)[name]).all(axis=2).sum()) for name in ("paper", "ink", "x", "y", "z", "force")
    }
    assert many["paper"] > 0.3 * image.shape[0] * image.shape[1]
    assert all(count > 20 for count in many.values()), many  # text, axes and the arrow
    other = DARK if theme is LIGHT else LIGHT
    assert not (image == other.paper).all(axis=2).any()
    text = image[:24, :120].reshape(-1, 3)  # the title
    assert max(contrast(color, theme.paper) for color in np.unique(text, axis=0)) >= TEXT


def test_bodies_have_the_same_pixels_in_both_themes(tmp_path):
    one, two = (pixels(tmp_path / f"{name}.png", name, traces=False) for name in THEMES)
    same = (one == two).all(axis=2)
    assert (np.ptp(one[same].astype(int), axis=1) > 60).sum() > 2000  # orange and blue
    assert one[~same].mean() > 150
    assert two[~same].mean() < 60


def test_a_film_is_dark(tmp_path):
    motion().to_video(tmp_path / "swing.apng", size=(160, 120), rate=4.0, theme="dark")
    image, _ = read(tmp_path / "swing.apng")
    assert image[:, -1].mean() < 40
    pytest.importorskip("PIL.Image")
    motion().to_video(tmp_path / "swing.gif", size=(160, 120), rate=4.0, theme="dark")
    assert read(tmp_path / "swing.gif")[0][:, -1].mean() < 40


def test_pages_have_both_themes_and_keep_the_chosen_one(tmp_path):
    texts = {}
    for theme in (None, *THEMES):
        motion().to_html(tmp_path / "swing.html", theme=theme, force=True)
        texts[theme] = (tmp_path / "swing.html").read_text(encoding="utf-8")
        colors = json.loads(next(line for line in texts[theme].splitlines() if line.startswith("const THEMES"))[15:])
        assert np.array(colors["dark"]["ink"])[:3] * 255 == pytest.approx(DARK.ink)
    assert all(line in texts["dark"] for line in style_sheet().splitlines())
    for theme, text in texts.items():
        assert f'data-theme="{theme or ""}"' in text
    assert 'data-theme="dark"' in motion().embed(theme="dark").page


@pytest.mark.parametrize("theme", [None, "light", "dark"])
def test_the_viewer_has_the_colours_of_its_theme(theme):
    pytest.importorskip("viser", reason="the pages need viser: pip install 'livens[view]'")
    wanted = theme_of(theme)
    for shown in (motion(), motion().model):
        with lv.view(shown, theme=theme, block=False, open_browser=False) as viewer:
            layers = viewer.inside.drawing.layers
            joints, ground = layers["symbols"].nodes
            assert np.unique(np.array(joints.colors).reshape(-1, 3), axis=0).tolist() == [linear(wanted.ink).tolist()]
            assert np.unique(np.array(ground.colors).reshape(-1, 3), axis=0).tolist() == [
                linear(wanted.ground).tolist()
            ]
            background = [m for m in sent(viewer) if type(m).__name__ == "BackgroundImageMessage"][-1]
            themes = [m for m in sent(viewer) if type(m).__name__ == "ThemeConfigurationMessage"]
            assert themes[-1].dark_mode == wanted.dark
            assert background.rgb_data is not None
    with lv.view(motion(), theme=theme, block=False, open_browser=False) as viewer:
        chart = viewer.inside.charts.handles[0]
        assert chart.series[1]["stroke"] == hexadecimal(wanted.curves[0])
        assert contrast(wanted.soft, wanted.card) >= TEXT
        assert chart.axes[0]["stroke"] == hexadecimal(wanted.soft)


def sent(viewer):
    """The messages that a new page of the viewer would get."""
    return list(viewer.server._websock_server._broadcast_buffer.message_from_id.values())


def test_an_unknown_theme_is_refused(tmp_path):
    for call in (motion().to_png, motion().to_html):
        with pytest.raises(lv.ModelError, match="there is no theme 'sepia': choose 'light' or 'dark'"):
            call(tmp_path / "swing.png", theme="sepia")
    with pytest.raises(lv.ModelError, match="there is no theme 3"):
        lv.view(motion(), theme=3, block=False, open_browser=False)


def test_the_command_line_has_the_option(tmp_path, capsys):
    assert main(["demo", "single-body", "--output", str(tmp_path), "--no-browser", "--theme", "dark"]) == 0
    assert 'data-theme="dark"' in (tmp_path / "single-body.html").read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["view", "--theme", "sepia", "a.nc"])
    assert "light" in capsys.readouterr().err
