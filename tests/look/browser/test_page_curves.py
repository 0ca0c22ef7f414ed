"""Curves on the stand-alone page in a real browser: chosen by a click or from the list, with a cursor that moves."""

import numpy as np
import pytest

import livens as lv
from tests.look.browser.test_page_controls import CORNERS, DESKTOP, DRAWN, PHONE, on_screen, opened

PENDULUM = 1.0  # length [m]


@pytest.fixture(scope="module")
def motion():
    m = lv.Model(gravity=(0, 0, -9.81), name="pendulum")
    bar = m.add(lv.Body(lv.Box(0.1, 0.1, PENDULUM, density=900), at=(0, 0, -0.5), name="bar"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(0, 0, 0.5), axis=(0, 1, 0), start_rate=3.0, name="hinge"))
    return lv.simulate(m, h=1e-2, until=2.0)


@pytest.fixture(scope="module")
def written(motion, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "pendulum.html"
    motion.to_html(path)
    return path


def texts(page):
    return page.locator("#curves figcaption span:first-child").all_inner_texts()


def test_a_click_on_a_joint_shows_its_curves_and_the_cursor_moves(browser, motion, written):
    page, errors = opened(browser, written, DESKTOP, "?t=0.5")
    page.wait_for_function("document.querySelector('.bar span').textContent != ''")
    assert page.locator("#curves").is_hidden()
    found, camera = page.evaluate(CORNERS), page.evaluate("[data.camera.turn, data.camera.lift]")
    ((x, y),) = on_screen(dict(found, room=[0.0, 0.0, 0.0]), DESKTOP, camera)
    page.mouse.click(x, y)
    page.wait_for_selector("#curves:not([hidden])")
    assert page.locator("#thing option:checked").inner_text() == "hinge (Revolute)"
    assert texts(page) == ["coordinate [rad]", "rate [rad/s]", "reaction force [N]", "reaction torque [N m]"]
    page.wait_for_function("document.querySelector('#curves .values').textContent != ''")
    shown = [float(text) for text in page.locator("#curves .values").all_inner_texts()[:2]]
    k = int(np.abs(motion.t - 0.5).argmin())
    assert shown == pytest.approx([motion.coordinate("hinge")[k], motion.rate("hinge")[k]], rel=1e-3)
    chart = page.locator("#curves canvas").first
    assert chart.evaluate(DRAWN)
    box = chart.bounding_box()
    page.mouse.click(box["x"] + 52 + (box["width"] - 58) / 2, box["y"] + 40)  # the middle of the time axis
    page.wait_for_function("document.querySelector('#clock').textContent.startsWith('1.0')")
    assert not errors
    page.context.close()


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
def test_the_list_chooses_and_the_mechanism_stays_visible(browser, motion, written, size):
    page, errors = opened(browser, written, size, "?t=0.5")
    page.locator("#opencurves").click()
    page.wait_for_selector("#curves:not([hidden])")
    assert texts(page) == ["energy [J]", "momentum [kg m/s]", "angular momentum [kg m²/s]"]
    page.locator("#thing").select_option(label="bar")
    assert texts(page) == ["position [m]", "velocity [m/s]", "angular velocity [rad/s]"]
    page.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )  # the panel is laid out
    panel, canvas = page.locator("#curves").bounding_box(), page.locator("#view").bounding_box()
    if size == DESKTOP:
        assert canvas["width"] <= panel["x"] + 1  # beside the picture
    else:
        assert panel["height"] <= 0.41 * size[1]  # below it
    page.locator("#closecurves").click()
    assert page.locator("#curves").is_hidden()
    assert not errors
    page.context.close()
