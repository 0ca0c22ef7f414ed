"""motion.embed(): a page inside a page that plays without a server or a network, while it is visible."""

import re
from html import unescape

import pytest

import livens as lv


@pytest.fixture(scope="module")
def motion():
    m = lv.Model(gravity=(0, 0, -9.81), name="swing")
    for k in range(30):
        bob = m.add(lv.Body(lv.Box(0.2, 0.1, 0.1, density=900), at=(0.3, 0.2 * k, 0), name=f"bob {k}"))
        m.add(lv.Spherical(m.world.point(0, 0.2 * k, 0), bob.point(-0.3, 0, 0), name=f"pin {k}"))
    return lv.simulate(m, h=1e-3, until=2.0)


def inside(cell):
    return unescape(re.search(r'srcdoc="([^"]*)"', cell._repr_html_())[1])


def test_the_cell_holds_the_page_below_a_megabyte(motion, tmp_path):
    cell = motion.embed(height=300)
    assert 'width="100%" height="300"' in cell._repr_html_()
    assert inside(cell) == cell.page
    motion.to_html(tmp_path / "swing.html")
    assert len(cell._repr_html_()) < 1_000_000 < (tmp_path / "swing.html").stat().st_size


def test_a_small_page_is_that_of_to_html(tmp_path):
    m = lv.Model(name="free")
    m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), body_rates=(0.1, 4, 0.1), name="stick"))
    motion = lv.simulate(m, h=1e-2, until=1.0)
    motion.to_html(tmp_path / "stick.html")
    assert inside(motion.embed()) == (tmp_path / "stick.html").read_text(encoding="utf-8")
    assert inside(motion.show(server=False)) == inside(motion.embed())


def test_speed_and_camera_can_be_given(motion):
    page = inside(motion.embed(speed=0.2, follow=True))
    assert "<option>0.1<option selected>0.2<option>0.25" in page
    assert 'id="follow" type="checkbox" checked' in page
    with pytest.raises(lv.ModelError, match="speed of the playback must be positive, got -1"):
        motion.embed(speed=-1)


def test_an_embedded_page_plays_while_it_is_visible(tab, motion, tmp_path):
    space = '<p style="height: 2000px"></p>'
    text = f"{space}{motion.embed(height=300)._repr_html_()}{space}"
    (tmp_path / "text.html").write_text(f"<!doctype html><meta charset=utf-8><canvas></canvas>{text}", encoding="utf-8")
    page = tab((tmp_path / "text.html").as_uri(), offline=True)
    clock = "parseFloat(document.querySelector('iframe').contentDocument.querySelector('#clock').textContent)"
    page.wait("document.querySelector('iframe').contentDocument.querySelector('#clock') !== null")
    page.page.wait_for_timeout(500)
    page.frames(3)
    before = page.page.evaluate(clock)
    page.page.wait_for_timeout(300)
    assert page.page.evaluate(clock) == before or (before != before)  # NaN: nothing was drawn yet
    page.page.evaluate("document.querySelector('iframe').scrollIntoView({ block: 'center' })")
    page.wait(f"{clock} > 0.05")
    image = page.image(tmp_path / "embedded.png")
    assert image[120:380].std() > 3
    place = page.page.evaluate("scrollY")
    page.page.mouse.move(500, 240)
    page.page.mouse.wheel(0, 200)
    page.wait(f"scrollY > {place}")  # the wheel scrolls the outer page before a click into the view
