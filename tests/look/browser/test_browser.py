"""The pages in a real browser: the picture, the clock, and the controls."""

import re
import time

import numpy as np
import pytest

import livens as lv
from livens.look.picture.colors import contrast
from livens.look.picture.instants import matrices

pytest.importorskip("viser", reason="the pages need viser: pip install 'livens[view]'")
CLOCK = "document.querySelector('#livens-clock')"
TIME = f"parseFloat({CLOCK}.innerText.slice(4))"
LONG = 90.0  # longer than the patience of the tests, so that the motion does not begin again while they wait [s]


def swing():
    m = lv.Model(gravity=(0, 0, -9.81), name="swing")
    arm = m.add(lv.Body(lv.Box(1.0, 0.15, 0.15, density=1000), at=(0.5, 0, 0), name="arm"))
    ball = m.add(lv.Body(lv.Ball(0.2, density=300), at=(1.0, 0, -0.8), name="ball"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="shoulder"))
    m.add(lv.Spring(arm.point(0.5, 0, 0), ball.point(0, 0, 0.2), stiffness=400.0, length=0.4, name="spring"))
    return m


def chain(count, lean=0.3):
    """Slender rods with ball joints, hanging down in a line, off the vertical by `lean` [rad]."""
    m = lv.Model(gravity=(0, 0, -9.81), name=f"chain of {count}")
    down = np.array([np.sin(lean), 0.0, -np.cos(lean)])
    B = lv.Pose.from_axis_angle((0, 1, 0), np.pi / 2 - lean).B  # its x axis points down
    last = m.world.point(0, 0, 0)
    for k in range(count):
        rod = m.add(lv.Body(lv.ThinRod(1.0, mass=1.0), at=(k + 0.5) * down, rotation=B, name=f"rod{k}"))
        m.add(lv.Spherical(last, rod.point(-0.5, 0, 0), name=f"ball{k}"))
        last = rod.point(0.5, 0, 0)
    return m


def scene(image):
    """The middle of the page, where the picture is."""
    height, width = image.shape[:2]
    return image[int(0.35 * height) : int(0.95 * height), int(0.3 * width) : int(0.68 * width)]


def colored(image):
    """The part of the pixels that are neither white nor grey."""
    return float((np.ptp(image, axis=2) > 40).mean())


def clock(tab):
    return float(re.search(r"t = (-?[\d.]+)", tab.page.locator("#livens-clock").inner_text())[1])


def test_a_motion_plays_scrubs_and_resets(tab, tmp_path):
    motion = lv.simulate(swing(), h=2e-3, until=LONG)
    with lv.view(motion, block=False, open_browser=False) as viewer:
        viewer.inside.stage.light(fine=False)  # shadows in software take a second each
        page = tab(viewer.url)
        page.wait(f"{CLOCK} !== null")
        page.frames(3)
        still = page.image(tmp_path / "view-start.png", lambda image: colored(scene(image)) > 0.01)
        assert scene(still).std() > 5  # not blank
        assert colored(scene(still)) > 0.01
        page.wait(f"{TIME} > 0.3")  # it opens playing
        page.press("pause")
        page.wait("[...document.querySelectorAll('button')].some(b => b.innerText == 'play')")
        moved = clock(page)
        assert moved > 0.3
        field = page.page.locator("xpath=//*[text()='time [s]']/following::input[not(@type='hidden')][1]")
        field.fill("3.2")
        field.press("Enter")
        page.wait(f"Math.abs({TIME} - 3.2) < 0.005")
        page.press("+1")
        page.wait(f"Math.abs({TIME} - 3.202) < 1e-6")
        for layer in ("frames", "velocities", "reaction forces", "traces"):
            page.tick(layer)
        page.frames(4)
        later = page.image(tmp_path / "view-layers.png", lambda image: np.abs(scene(image) - scene(still)).mean() > 1.0)
        assert np.abs(scene(later) - scene(still)).mean() > 1.0  # the picture has changed
        page.press("reset")
        page.wait(f"{TIME} == 0")
        viewer.inside.frame(0.0)
        assert viewer.inside.clock.t == 0.0


def test_a_chain_of_100_runs_live_changes_and_continues_without_its_page(tab, tmp_path):
    with lv.live(chain(100), h=1e-3, block=False, open_browser=False) as viewer:
        loop = viewer.inside.loop
        viewer.inside.stage.light(fine=False)
        page = tab(viewer.url)
        page.wait(f"{CLOCK} !== null && {TIME} > 0")
        page.frames(3)
        image = page.image(tmp_path / "live-chain.png", lambda image: colored(scene(image)) > 0.0005)
        assert colored(scene(image)) > 0.0005
        page.wait(f"parseFloat({CLOCK}.innerText.split('factor')[1]) >= 0.99")  # over a second; 1.00 ± a chunk of steps
        viewer.inside.drawing.show("bodies", False)  # the rest is about controls, and frames in software are slow
        page.press("pause")
        page.wait(f"{CLOCK}.innerText.includes('paused')")
        t = loop.latest.t
        page.press("step")
        page.wait(f"Math.abs({TIME} - {t + 1e-3}) < 6e-4")
        assert loop.latest.t == pytest.approx(t + 1e-3)
        gravity = page.page.get_by_label("gravity")
        before = loop.latest.state.p[50, 0]
        gravity.fill("2")  # sideways
        gravity.press("Enter")
        page.press("run")
        page.wait(f"{TIME} > {t + 0.1}")
        assert loop.latest.model.gravity.tolist() == [2.0, 0.0, -9.81]
        assert loop.latest.state.p[50, 0] != before
        page.page.goto("about:blank")  # the page is closed; the simulation continues
        left = loop.latest.t
        page.page.goto(viewer.url)
        page.wait(f"{CLOCK} !== null && {TIME} > {left}")
        assert page.page.get_by_label("gravity").input_value() == "2"
        assert loop.latest.running
        assert viewer.inside.memory.t[0] < left - 0.2  # the charts have their old beginning
        page.press("reset")
        page.wait(f"{TIME} < {left}")


def soon(condition, seconds=30.0):
    """Wait until `condition` holds; True if it does in time."""
    deadline = time.perf_counter() + seconds
    while not condition() and time.perf_counter() < deadline:
        time.sleep(0.05)
    return condition()


def on_screen(camera, x):
    """The pixel of a position of the page; the camera looks along its z, y is down."""
    d = matrices(np.array([camera.wxyz]))[0].T @ (x - np.array(camera.position))
    f = 0.5 * camera.image_height / np.tan(camera.fov / 2)
    return d[:2] / d[2] * f + 0.5 * np.array([camera.image_width, camera.image_height])


def test_the_pointer_drags_a_body(tab, tmp_path):
    """The mouse drags the arrow of the target; the spring pulls the body along the arrow only."""
    m = lv.Model(name="free")
    m.add(lv.Body(lv.Ball(0.2, mass=2.0), name="ball"))
    with lv.live(m, h=1e-3, run=False, block=False, open_browser=False) as viewer:
        pull, loop = viewer.inside.pull, viewer.inside.loop
        viewer.inside.stage.light(fine=False)
        page = tab(viewer.url)
        page.wait(f"{CLOCK} !== null")
        pull.body.value = "ball"
        pull.hold("ball")
        width = page.page.evaluate("document.querySelector('canvas').getBoundingClientRect().width")
        camera = next(iter(viewer.server.get_clients().values())).camera
        assert soon(
            lambda: (
                camera.image_width == width
                and np.linalg.norm(camera.position) > 1.2 * np.linalg.norm(viewer.inside.sizes.camera)
            )
        )
        for _ in range(5):  # frames in software are slow: until the page shows the target
            page.frames(3)
            arrow = np.array([0.8 * pull.target.scale, 0.0, 0.0]) + pull.target.position
            page.drag(on_screen(camera, arrow), on_screen(camera, arrow + np.array([0.5, 0.0, 0.0])))
            if soon(lambda: pull.target.position[0] > 0.1, 3.0):
                break
        # the positions along the drag arrive one by one
        assert soon(lambda: pull.position.value[0] == pytest.approx(0.5 / viewer.inside.sizes.scale, rel=0.2))
        x, y, z = pull.position.value
        assert (y, z) == (0.0, 0.0)  # along the arrow
        assert soon(lambda: loop.stepper.wanted.pull.target == (x, y, z))
        loop.run(True)
        assert soon(lambda: loop.latest.state.a[1, 0] > 0.5 * x)
        assert np.abs(loop.latest.state.a[1, 1:]).max() < 1e-12
        page.image(tmp_path / "live-pull.png")


def test_the_stand_alone_page_plays_from_a_file_without_a_network(tab, tmp_path):
    lv.simulate(swing(), h=2e-3, until=4.0).to_html(tmp_path / "swing.html")
    page = tab((tmp_path / "swing.html").as_uri(), offline=True)
    now = "parseFloat(document.querySelector('#clock').textContent)"
    page.wait(f"{now} > 0.05")
    before = float(page.page.locator("#clock").inner_text().split()[0])
    page.wait(f"Math.abs({now} - {before}) > 0.1")
    image = page.image(tmp_path / "stand-alone.png")
    assert image[80:-80].std() > 3
    assert colored(image[80:-80]) > 0.01
    page.page.locator("#play").click()
    page.page.locator("#scrub").fill("0.5")
    page.frames(2)
    assert float(page.page.locator("#clock").inner_text().split()[0]) == pytest.approx(2.0, abs=0.01)
    boxes = page.page.locator("aside label:visible")
    assert [text.split("\n")[0].strip() for text in boxes.all_inner_texts()] == [
        "springs and dampers",
        "axes of joints",
        "joints and ground",
        "traces",
    ]
    drawn = page.image(tmp_path / "stand-alone-springs.png")
    for name in ("springs", "axes", "symbols", "traces"):
        page.page.locator(f"#{name}").uncheck()
        page.frames(2)
        without = page.image(tmp_path / f"stand-alone-no-{name}.png")
        changed = (np.abs(without - drawn).max(axis=2) > 30)[50:-80, :700].sum()  # in the picture, not in the legend
        assert 10 < changed < 20_000, name
        drawn = without


def test_keys_play_and_reset_the_viewer(tab):
    with lv.view(lv.simulate(swing(), h=2e-3, until=4.0), block=False, open_browser=False) as viewer:
        page = tab(viewer.url)
        page.wait(f"{CLOCK} !== null && {TIME} > 0")
        page.page.keyboard.press("p")
        assert soon(lambda: not viewer.inside.clock.playing)
        page.page.keyboard.press("r")
        assert soon(lambda: viewer.inside.clock.t == 0.0)
        page.page.keyboard.press("p")
        assert soon(lambda: viewer.inside.clock.playing)


# the words of the page that are visible: text, its colour, and that of the nearest opaque background
WORDS = """() => {
  const numbers = color => color.match(/[\\d.]+/g).map(Number)
  const opaque = color => { const [r, g, b, a = 1] = numbers(color); return a > 0.99 ? [r, g, b] : null }
  const below = e => e ? opaque(getComputedStyle(e).backgroundColor) || below(e.parentElement) : [255, 255, 255]
  return [...document.querySelectorAll("label, button, [role=tab], .mantine-Slider-markLabel, #livens-clock")]
    .filter(e => e.textContent.trim() && e.getBoundingClientRect().width > 2)
    .map(e => [e, numbers(getComputedStyle(e.querySelector("span") || e).color)])
    .map(([e, color]) => [e.textContent.trim(), color.slice(0, 3), below(e)])
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_words_of_the_viewer_have_contrast(tab, theme):
    """4.5 for labels, buttons and tabs, as WCAG 2.2 asks, measured on the colours that the browser uses."""
    with lv.view(lv.simulate(swing(), h=2e-3, until=0.1), theme=theme, block=False, open_browser=False) as viewer:
        page = tab(viewer.url, size=(1280, 800))
        page.wait(f"{CLOCK} !== null && document.querySelectorAll('.mantine-Slider-markLabel').length > 1")
        words = page.page.evaluate(WORDS)
        assert {"pause", "reset", "charts", "speed", "symbols"} <= {text for text, *_ in words}
        assert not [(text, *colors) for text, *colors in words if contrast(*colors) < 4.5]
