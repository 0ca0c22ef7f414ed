"""The stand-alone page in a real browser: phones, keys, readers without WebGL or who prefer less motion, marks."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import livens as lv
from livens.look.page.frames import velocities_of
from livens.look.picture.colors import contrast
from livens.look.picture.interpolation import rotations_between
from tests.helpers.mechanisms import every_joint

PHONE, DESKTOP, EMBEDDED = (390, 844), (1280, 800), (700, 380)
NO_WEBGL = """
const get = HTMLCanvasElement.prototype.getContext
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  return kind == 'webgl2' ? null : get.call(this, kind, ...more)
}"""


def four_bar():
    m = lv.Model(gravity=(0, 0, -9.81), name="four-bar")
    left = m.add(lv.Body(lv.Box(0.05, 0.05, 1, density=900), at=(0, 0, 0.5), name="left"))
    top = m.add(lv.Body(lv.Box(2, 0.05, 0.05, density=900), at=(1, 0, 1), name="top"))
    right = m.add(lv.Body(lv.Box(0.05, 0.05, 1, density=900), at=(2, 0, 0.5), name="right"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), left.point(0, 0, -0.5), axis=(0, 1, 0), start_rate=3.0, name="crank"))
    m.add(lv.Revolute(left.point(0, 0, 0.5), top.point(-1, 0, 0), axis=(0, 1, 0), name="left pin"))
    m.add(lv.Revolute(top.point(1, 0, 0), right.point(0, 0, 0.5), axis=(0, 1, 0), name="right pin"))
    m.add(lv.Spherical(m.world.point(2, 0, 0), right.point(0, 0, -0.5), name="rocker"))
    m.add(lv.Spring(m.world.point(1, 0, -0.5), top.center, stiffness=2.0, length=1.0, name="spring"))
    m.add(lv.Load(top.center, force=lambda t: (0.0, 20.0 * np.sin(t), -20.0), name="push"))
    return m


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "four-bar.html"
    with pytest.warns(lv.ModelWarning, match="redundant"):
        motion = lv.simulate(four_bar(), h=2e-3, until=4.0)
    motion.to_html(path)
    return path


def opened(browser, path, size, query="", script="", **options):
    """A page, and the errors of its scripts."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, offline=True, **options)
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    if script:
        page.add_init_script(script)
    page.goto(Path(path).as_uri() + query)
    return page, errors


# the view that the page draws with, which it does again when the camera moves
CORNERS = """async () => {
  const box = name => document.querySelector(name).getBoundingClientRect(), draw = pen.draw
  const used = new Promise(done => { pen.draw = (it, how) => { done(how); return draw(it, how) } })
  camera.zoom *= 1 + 1e-9
  const { middle, far, inset } = await used, room = Array.from(new Float32Array(raw(data.room)))
  pen.draw = draw
  return { view: { middle, far }, inset, room, top: box('header').bottom, bottom: box('footer').top }
}"""
DRAWN = "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(x => x)"


def on_screen(found, size, camera):
    """The outermost points of the motion in pixels, by the camera of drawing.js: f = 2.2, middle of the free height."""
    turn, lift = camera
    right = np.array([-np.sin(turn), np.cos(turn), 0.0])
    d = np.array([np.cos(lift) * np.cos(turn), np.cos(lift) * np.sin(turn), np.sin(lift)])
    up = np.cross(d, right)
    x = np.array(found["room"]).reshape(-1, 3) - found["view"]["middle"]
    top, bottom = found["inset"]["top"], size[1] - found["inset"]["bottom"]
    f = 2.2 * min(bottom - top, size[0]) / 2 / (found["view"]["far"] - x @ d)
    return np.stack([size[0] / 2 + f * (x @ right), (top + bottom) / 2 - f * (x @ up)], axis=1)


@pytest.mark.parametrize("size", [PHONE, DESKTOP, EMBEDDED, (844, 390)])
def test_the_mechanism_is_inside_the_frame_and_not_behind_the_controls(browser, written, size, tmp_path):
    page, errors = opened(browser, written, size, "?t=0.5")
    page.wait_for_function("document.querySelector('#clock').textContent == '0.500 s'")
    found = page.evaluate(CORNERS)
    camera = page.evaluate("[data.camera.turn, data.camera.lift]")
    pixels = on_screen(found, size, camera)
    assert (pixels > (0, found["top"] - 1)).all()
    assert (pixels < (size[0], found["bottom"] + 1)).all()
    free = np.array([size[0], found["bottom"] - found["top"]])
    assert (np.ptp(pixels, axis=0) / free).max() > 0.6  # and it fills the frame
    boxes = [page.locator(name).bounding_box() for name in ("header", "footer")]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= size[0] for box in boxes)
    page.screenshot(path=tmp_path / "frame.png")
    assert not errors
    page.context.close()


@pytest.mark.parametrize("size", [(358, 270), PHONE])
def test_on_a_phone_the_controls_are_one_row_below_the_time(browser, written, size):
    page, errors = opened(browser, written, size, "?t=0.5")
    page.wait_for_function("document.querySelector('#clock').textContent == '0.500 s'")
    boxes = [page.locator(name).bounding_box() for name in ("#play", "output", "#speed", "#opencurves")]
    assert np.ptp([box["y"] + box["height"] / 2 for box in boxes]) < 4
    ends = [(box["x"], box["x"] + box["width"]) for box in boxes]
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(ends))
    assert ends[-1][1] < size[0]
    assert not errors
    page.context.close()


@pytest.mark.parametrize("size", [DESKTOP, (1000, 650), EMBEDDED, PHONE])
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "with curves"])
def test_words_end_before_the_panel_begins(browser, written, size, beside):
    page, errors = opened(browser, written, size, "?t=0.5")
    page.wait_for_function("document.querySelector('#clock').textContent == '0.500 s'")
    if beside:
        page.get_by_role("button", name="curves", exact=True).evaluate("button => button.click()")
    apart = """() => { const box = name => document.querySelector(name).getBoundingClientRect()
      return !box('aside').width || box('header').right < box('aside').left }"""
    page.wait_for_function(apart, timeout=10_000)
    assert not errors
    page.context.close()


@pytest.mark.parametrize("size", [DESKTOP, EMBEDDED, PHONE])
def test_without_webgl_a_sentence_is_visible_and_no_script_throws(browser, written, size):
    page, errors = opened(browser, written, size, script=NO_WEBGL)
    sentence = page.get_by_role("alert")
    assert sentence.is_visible()
    assert "needs WebGL 2" in sentence.inner_text()
    box = sentence.bounding_box()
    assert box["width"] > 100
    assert box["y"] + box["height"] <= size[1] + 1
    assert not page.locator("footer").is_visible()
    assert not page.locator("#help").is_visible()
    page.wait_for_timeout(200)
    assert not errors
    page.context.close()


def test_the_space_bar_ticks_a_box_in_focus_and_else_plays(browser, written):
    page, errors = opened(browser, written, DESKTOP)
    playing = "document.querySelector('#play').textContent == '❚❚'"
    page.wait_for_function(playing)
    for name in ("springs", "traces", "follow", "symbols", "axes"):
        box = page.locator(f"#{name}")
        before = box.is_checked()
        box.focus()
        page.keyboard.press(" ")
        assert box.is_checked() != before, name
        assert page.evaluate(playing), name
    page.locator("#view").focus()
    page.keyboard.press(" ")
    assert not page.evaluate(playing)
    page.locator("#play").focus()
    page.keyboard.press(" ")
    assert page.evaluate(playing)
    assert not errors
    page.context.close()


def test_readers_who_prefer_less_motion_press_play(browser, written):
    page, errors = opened(browser, written, DESKTOP, reduced_motion="reduce")
    page.wait_for_function("document.querySelector('#clock').textContent != ''")
    page.wait_for_timeout(400)
    assert page.locator("#clock").inner_text() == "0.000 s"
    page.locator("#play").click()
    page.wait_for_function("parseFloat(document.querySelector('#clock').textContent) > 0.05")
    assert not errors
    page.context.close()


def test_scale_axes_arrows_and_names(browser, written):
    """The scale bar has a round length, the arrow of the legend a round force, and joints have names."""
    page, errors = opened(browser, written, DESKTOP, "?t=1.0")
    page.wait_for_function("document.querySelector('.bar span').textContent != ''")
    assert page.locator(".bar span").inner_text() in ("0.2 m", "0.5 m")
    assert page.locator(".arrow span").inner_text() == "20 N"
    assert page.locator("#triad").evaluate(DRAWN)
    found, camera = page.evaluate(CORNERS), page.evaluate("[data.camera.turn, data.camera.lift]")
    room = dict(found, room=[0.0, 0.0, 0.0])
    ((x, y),) = on_screen(room, DESKTOP, camera)  # the crank's pin is at the origin
    page.mouse.move(x, y)
    page.wait_for_function("!document.querySelector('#tip').hidden")
    assert page.locator("#tip").inner_text() == "crank (Revolute)"
    metre = page.evaluate("parseFloat(document.querySelector('.bar i').style.width)") / float(
        page.locator(".bar span").inner_text().split()[0]
    )
    free = DESKTOP[1] - found["inset"]["bottom"] - found["inset"]["top"]
    assert metre == pytest.approx(2.2 * min(free, DESKTOP[0]) / 2 / found["view"]["far"], rel=1e-3)
    assert not errors
    page.context.close()


@pytest.mark.parametrize(("length", "unit"), [(1e-3, "mm"), (1.0, "m"), (1e6, "km")])
def test_pendulums_of_different_size_look_different(browser, length, unit, tmp_path):
    m = lv.Model(gravity=(0, 0, -9.81 * length), name="pendulum")
    bob = m.add(lv.Body(lv.Box(length, length / 10, length / 10, mass=1.0), at=(length / 2, 0, 0), name="bob"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bob.point(-length / 2, 0, 0), axis=(0, 1, 0), name="pin"))
    lv.simulate(m, h=1e-3, until=1.0).to_html(tmp_path / "pendulum.html")
    page, errors = opened(browser, tmp_path / "pendulum.html", EMBEDDED, "?t=0.3")
    page.wait_for_function("document.querySelector('.bar span').textContent != ''")
    assert page.locator(".bar span").inner_text().split()[1] == unit
    assert not errors
    page.context.close()


def test_pan_and_reset(browser, written):
    page, errors = opened(browser, written, DESKTOP, "?t=0.5")
    page.wait_for_function("document.querySelector('#clock').textContent != ''")
    first = page.evaluate("({ ...camera })")
    page.keyboard.down("Shift")
    page.mouse.move(600, 400)
    page.mouse.down()
    page.mouse.move(700, 350, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    assert page.evaluate("camera.pan") == pytest.approx([100 / 800, 50 / 800])
    assert page.evaluate("camera.turn") == first["turn"]
    page.mouse.dblclick(600, 400)
    assert page.evaluate("({ ...camera })") == first
    assert not errors
    page.context.close()


def test_the_page_interpolates_as_python_does(browser, tmp_path):
    """smooth() of drawing.js against picture/interpolation.py, for every body of a mechanism."""
    motion = lv.simulate(every_joint(), h=1e-3, until=0.5)
    motion[::250].to_html(tmp_path / "coarse.html")
    page, errors = opened(browser, tmp_path / "coarse.html", EMBEDDED)
    k = np.array([0, 250])
    rates = velocities_of(motion, k)
    for b, body in enumerate(motion.model.bodies[1:]):
        R, x, q = motion.rotation(body)[k], motion.position(body)[k], motion.quaternion(body)[k]
        rows = [np.concatenate([x[j], q[j]]).tolist() for j in (0, 1)] + [rates[j, b].tolist() for j in (0, 1)]
        there = np.array(page.evaluate("([a, b, c, d]) => matrix(smooth(a, b, c, d, 0.25, 0.3))", rows))
        wanted = rotations_between(R[:1], R[1:], rates[:1, b, 3:], rates[1:, b, 3:], 0.25, 0.3)[0]
        assert np.abs(there.reshape(4, 4).T[:3, :3] - wanted).max() < 1e-6
    assert not errors
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_lines_of_the_page_have_contrast(browser, written, scheme):
    """4.5 for text and 3 for lines, as WCAG 2.2 asks, measured on the colours that the browser uses."""
    page, errors = opened(browser, written, DESKTOP, "?t=0.5", color_scheme=scheme)
    page.wait_for_function("document.querySelector('#clock').textContent != ''")

    def color(text):
        return [float(x) for x in text[text.index("(") + 1 : -1].split(",")[:3]]

    paper = color(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    for name in ("h1", "header p", "#help", "footer label", "output", "aside label", "aside small", ".bar span"):
        ink = color(page.locator(name).first.evaluate("e => getComputedStyle(e).color"))
        assert contrast(ink, paper) >= 4.5, name
    border = color(page.locator("footer").evaluate("e => getComputedStyle(e).borderTopColor"))
    assert contrast(border, paper) >= 3.0
    names = ("ink", "ground", "force", "torque", "short", "rest", "long")
    lines = page.evaluate("name => [...data.bodies.map(b => b.trace[THEMES[name].look])]", scheme)
    lines += [page.evaluate("([theme, name]) => THEMES[theme][name]", [scheme, name]) for name in names]
    for tint in lines:
        assert contrast([255 * c for c in tint[:3]], paper) >= 2.99
    assert not errors
    page.context.close()
