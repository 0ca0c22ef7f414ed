"""The live page in a real browser, without a network: livens runs there as plain Python, with the same motion."""

import functools
import http.server
import json
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import livens as lv
from livens.describe.pose import Pose

LIVE = Path(__file__).parents[3] / "docs" / "live"
SINGLE = float(np.finfo(np.float32).eps)  # the page gets its numbers in single precision
STEPS = "Number(document.getElementById('read-steps').dataset.value)"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The page as it is published."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(LIVE))
        import assemble
        import runtime

        if not runtime.is_there():
            pytest.skip("no Python for the browser: make live fetches it, with npm")
        folder = tmp_path_factory.mktemp("site")
        assemble.assemble(folder)
        for name in ("assemble", "runtime"):
            sys.modules.pop(name)
    return folder


@pytest.fixture(scope="module")
def address(site):
    """A server of files on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Live:
    """The page and its controls."""

    def __init__(self, tab):
        self.tab, self.page = tab, tab.page
        tab.wait("['ready', 'broken'].includes(document.body.dataset.state)")
        assert self.page.evaluate("document.body.dataset.state") == "ready", self.page.inner_text("#what")
        tab.wait("document.getElementById('read-steps') !== null")

    def choose(self, name):
        """Open a demo, and stop it where it begins."""
        self.anew(f"tab-{name}")
        self.tab.wait(f"scene.demo == '{name}' && playing")
        self.press("play")
        self.tab.wait("!playing")
        self.reset()

    def press(self, name):
        self.page.evaluate(f"document.getElementById('{name}').click()")

    def anew(self, button):
        """Press a button that begins a motion, and see it begin."""
        self.page.evaluate("window.before = scene")
        self.press(button)
        self.tab.wait("scene !== before && !fresh")

    def reset(self):
        self.anew("reset")
        self.tab.wait(f"{STEPS} == 0")

    def step(self, steps):
        """Take 1, 10, 100 or 1000 steps."""
        wanted = self.page.evaluate(STEPS) + steps
        self.page.select_option("#count", str(steps))
        self.press("step")
        self.tab.wait(f"{STEPS} == {wanted}")

    def read(self, name):
        return float(self.page.get_attribute(f"#read-{name}", "data-value"))

    def set(self, name, value):
        self.page.fill(f"#field-{name}", str(value))
        self.page.evaluate("flush()")

    def poses(self):
        """Places and rotations of all bodies."""
        numbers = np.array(self.page.evaluate("Array.from(frame.poses)")).reshape(-1, 7)
        return [Pose.from_quaternion(row[3:] / np.linalg.norm(row[3:]), at=row[:3]) for row in numbers]

    def canvas(self, keep):
        """The picture (height, width, 3)."""
        self.tab.frames(3)
        box = self.page.evaluate("(r => [r.x, r.y, r.width, r.height])(canvas.getBoundingClientRect())")
        x, y, w, h = (int(v) for v in box)
        return self.tab.image(keep)[y : y + h - 80, x : x + w]


@pytest.fixture(scope="module")
def live(lasting_tab, address):
    return Live(lasting_tab(address + "live/index.html#hammer", size=(1100, 700), home=address))


def hammer(**begin):
    m = lv.Model(gravity=(0, 0, -9.81), name="hammer")
    m.add(lv.Body(lv.hammer(), velocity=(0, 2, 12), **{"body_rates": (0.1, 10, -0.1)} | begin, name="hammer"))
    return m


def test_all_of_python_comes_from_its_own_server(live, address):
    """No request goes elsewhere; those of the worker are counted too."""
    assert address + "live/pyodide/pyodide.asm.wasm" in live.tab.asked


def test_the_hammer_conserves_energy_and_moves_as_in_compiled_code(live, tmp_path):
    live.choose("hammer")
    before = live.canvas(tmp_path / "hammer-0.png")
    live.step(1000)
    after = live.canvas(tmp_path / "hammer-1000.png")
    assert abs(live.read("energy")) < 1e-9
    assert live.read("momentum") < 1e-9
    assert live.read("time") == pytest.approx(2.0, rel=1e-12)
    motion = lv.simulate(hammer(), lv.Livens(), h=2e-3, until=2.0)  # compiled
    [there] = live.poses()
    assert there.a == pytest.approx(motion.position("hammer")[-1], abs=8 * SINGLE * 12)
    assert np.abs(there.B - motion.rotation("hammer")[-1]).max() < 16 * SINGLE
    assert live.read("total") == pytest.approx(motion.energy[-1], rel=1e-12)
    changed = np.abs(after - before).sum(axis=2) > 60
    assert changed.mean() > 0.01  # the hammer has moved, and there are traces


def test_a_number_changes_the_motion_and_reset_returns(live):
    live.choose("hammer")
    [begin] = live.poses()
    live.step(100)
    [usual] = live.poses()
    live.set("w1", 6.0)
    live.tab.wait(f"{STEPS} == 0")
    live.step(100)
    [changed] = live.poses()
    motion = lv.simulate(hammer(body_rates=(6, 10, -0.1)), lv.Livens(), h=2e-3, until=0.2)
    assert np.abs(changed.B - motion.rotation("hammer")[-1]).max() < 16 * SINGLE
    assert np.abs(changed.B - usual.B).max() > 0.1
    live.reset()
    assert (live.poses()[0].a.tolist(), live.poses()[0].B.tolist()) == (begin.a.tolist(), begin.B.tolist())


def test_it_plays_smoothly(live, record_property):
    """At least twenty frames a second on a machine of its own; here only a lower bound, that a busy one reaches too."""
    live.choose("body")
    live.press("play")
    live.tab.wait(f"{STEPS} > 20 && Number(document.getElementById('read-fps').dataset.value) >= 3")
    rate = live.read("fps")
    record_property("frames per second", rate)
    live.tab.wait("Number(document.getElementById('read-time').dataset.value) > 0.4")
    live.press("play")
    live.tab.wait("!playing")
    assert live.read("time") > 0.4
    assert abs(live.read("energy")) < 1e-12


def test_springs_lose_what_dampers_take(live):
    live.choose("springs")
    live.step(100)
    assert abs(live.read("energy")) < 0.01  # O(h²), without dampers
    live.set("c", 5.0)
    live.step(100)
    assert live.read("steps") == 200  # it continued
    assert live.read("lost") > 0.01
    assert abs(live.read("energy")) < 0.01


@pytest.mark.parametrize("name", ["pendulum", "four-bar"])
def test_mechanisms_move_as_in_compiled_code(live, name):
    """The demos with joints: the same motion, with the joints satisfied, their symbols and the ground."""
    live.choose(name)
    live.step(10)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(LIVE / "page"))
        import demos

        demo = demos.DEMOS[name]
        values = {field.name: float(field.value) for field in demo.fields}
        motion = lv.simulate(demo.build(values), lv.Livens(), h=values["h"], until=10 * values["h"])
        sys.modules.pop("demos")
    for there, body in zip(live.poses(), motion.model.bodies[1:], strict=True):
        assert np.abs(there.a - motion.position(body)[-1]).max() < 16 * SINGLE
        assert np.abs(there.B - motion.rotation(body)[-1]).max() < 16 * SINGLE
    assert live.read("violation") < 1e-11
    assert live.read("total") == pytest.approx(motion.energy[-1], rel=1e-9)
    assert {"ground", "pin"} & set(live.page.evaluate("scene.data.symbols.kinds"))


def test_the_demos_begin_with_mechanisms_and_sliders_are_above_the_fold(live):
    assert live.page.evaluate("Object.keys(demos).slice(0, 2)") == ["pendulum", "four-bar"]
    live.choose("four-bar")
    slider = live.page.locator("#fields input[type=range]").first.bounding_box()
    readouts = live.page.locator("#readouts").bounding_box()
    assert slider["y"] + slider["height"] < 700 < readouts["y"] + readouts["height"]


def test_arrows_have_names_and_the_camera_returns(live):
    live.choose("body")
    live.tab.wait("!document.querySelector('#names span').hidden")
    assert live.page.locator("#names span").all_inner_texts() == ["L", "ω"]
    begin = live.page.evaluate("[camera.turn, camera.lift, camera.zoom, ...camera.pan]")
    live.page.evaluate("Object.assign(camera, { turn: 2, zoom: 3, pan: [0.1, 0.2] })")
    live.press("home")
    assert live.page.evaluate("[camera.turn, camera.lift, camera.zoom, ...camera.pan]") == begin


def test_scale_axes_and_names_are_those_of_the_stand_alone_page(live):
    """The bar is as long as its words say, the axes are drawn, and the pointer reads the names of joints and bodies."""
    live.choose("four-bar")
    tab, page = live.tab, live.page
    words = page.inner_text("#marks .bar span")
    length, unit = words.split()
    assert unit in ("m", "mm")
    metres = float(length) * {"m": 1.0, "mm": 1e-3}[unit]
    options = "places: placesOf(frame), middle: scene.data.middle, far: 2.7 * scene.data.size, camera, inset: free()"
    shown = f"pen.draw(scene, {{ {options} }})"
    wide = page.evaluate(f"({shown}).pixels") * metres
    assert page.locator("#marks .bar i").bounding_box()["width"] == pytest.approx(wide, abs=1.0)
    drawn = "Array.from($('triad').getContext('2d').getImageData(0, 0, $('triad').width, $('triad').height).data)"
    assert sum(1 for v in page.evaluate(drawn)[3::4] if v) > 50
    box = page.locator("#view").bounding_box()
    piece = page.evaluate("scene.data.symbols.owner.indexOf(scene.data.symbols.kinds.indexOf('pin'))")
    at = f"carry(placesOf(frame)[scene.data.symbols.body[{piece}]], scene.symbols.r, {6 * piece})"
    x, y = page.evaluate(f"({shown}).place({at})")
    page.mouse.move(box["x"] + x, box["y"] + y)
    tab.wait("!$('tip').hidden && $('tip').textContent.endsWith('(Revolute)')")
    x, y = page.evaluate(f"({shown}).place(carry(placesOf(frame)[2], scene.data.bodies[1].center))")
    page.mouse.move(box["x"] + x, box["y"] + y)
    tab.wait("$('tip').textContent == 'coupler'")
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    tab.wait("$('tip').hidden")


def test_poses_arrive_at_their_products(live):
    live.choose("poses")
    live.step(100)
    P, Q, *moved = live.poses()
    for arrived, product, shown in zip(moved[:2], (P @ Q, Q @ P), moved[2:], strict=True):
        assert np.abs(arrived.a - product.a).max() < 8 * SINGLE
        assert np.abs(arrived.B - product.B).max() < 8 * SINGLE
        assert np.abs(shown.B - product.B).max() < 8 * SINGLE
    assert live.read("distance") == pytest.approx(np.linalg.norm((P @ Q).a - (Q @ P).a), abs=1e-6)


def test_an_impossible_value_gives_a_message(live):
    live.choose("body")
    live.set("J3", 0.3)  # more than the sum of the other two: impossible for a body
    live.tab.wait("!document.getElementById('refused').hidden")
    text = live.page.inner_text("#refused")
    assert "moments" in text or "inertia" in text
    assert text.endswith(".")
    assert "Error" not in text
    assert "The motion continues with the numbers before." in text
    assert live.page.input_value("#field-J3") != "0.3"  # the field shows the number in use
    live.set("J3", 0.14)
    live.tab.wait("document.getElementById('refused').hidden")
    live.step(10)


def test_a_refused_number_does_not_stop_the_motion_and_presets_start_it(live):
    live.choose("body")
    live.press("play")
    live.tab.wait("playing")
    live.set("J3", 0.3)
    live.tab.wait("!document.getElementById('refused').hidden")
    assert live.page.evaluate("playing")
    before = live.page.evaluate(STEPS)
    live.tab.wait(f"{STEPS} > {before}")
    live.press("play")
    live.tab.wait("!playing")
    preset = live.page.evaluate("[...document.querySelectorAll('#preset option')].at(-1).value")
    live.page.select_option("#preset", preset)
    live.tab.wait(f"playing && {STEPS} > 0")


def test_it_works_from_the_keyboard(live):
    live.choose("body")
    live.page.locator("#view").focus()
    live.page.keyboard.press("4")
    live.tab.wait("scene.demo == 'hammer' && playing")
    live.page.keyboard.press(" ")
    live.tab.wait("!playing")
    before = live.page.evaluate("camera.turn")
    live.page.keyboard.press("ArrowRight")
    assert live.page.evaluate("camera.turn") != before
    live.page.keyboard.press("r")
    live.tab.wait(f"{STEPS} == 0")


def test_a_page_opened_as_a_file_tells_how_to_serve_it(site, tab):
    page = tab((site / "live" / "index.html").as_uri(), home=site.as_uri())
    page.wait("document.body.dataset.state == 'broken'")
    assert "make serve" in page.page.inner_text("#what")


def test_a_missing_runtime_is_named(site, address, tab):
    hidden = site / "live" / "pyodide"
    hidden.rename(site / "live" / "elsewhere")
    try:
        page = tab(address + "live/index.html", home=address)
        page.wait("document.body.dataset.state == 'broken'")
        assert "make live" in page.page.inner_text("#what")
    finally:
        (site / "live" / "elsewhere").rename(hidden)


def test_everything_is_counted_by_the_loading_bar(site):
    sizes = json.loads((site / "live" / "sizes.json").read_text())
    assert sorted(name.split("-")[0] for name in sizes) == ["livens", "numpy", "pyodide.asm.wasm", "python_stdlib.zip"]
    assert sum(sizes.values()) < 20e6
