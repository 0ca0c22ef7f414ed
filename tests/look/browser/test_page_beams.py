"""Beams on the stand-alone page in a real browser: beams.js gives the surface and the colours of picture/beams.py."""

import numpy as np
import pytest

from livens.look.picture.instants import upright_instants
from livens.look.picture.picture import picture_of
from livens.look.picture.themes import theme_of
from livens.look.render.scene import Scene
from tests.look.browser.test_page_controls import DESKTOP, opened
from tests.look.test_beams_drawn import motion

pytest.importorskip("casadi")

SURFACES = """(() => {
  const frame = times.length - 1, bodies = data.bodies.map((_, b) => matrix(pose(b, frame, 0)))
  return data.beams.map(beam => { const it = surface(beam)
    it.shape([matrix([0, 0, 0, ...data.world]), ...bodies]); it.paint(THEMES.light, data.strain, frame, 0)
    return [it.corners, it.normals, it.tints].map(values => Array.from(values)) })
})()"""


def test_the_script_draws_what_is_described(browser, tmp_path):
    motion().to_html(tmp_path / "all.html")
    page, errors = opened(browser, tmp_path / "all.html", DESKTOP, "?t=0.1")
    page.wait_for_function("document.querySelector('.bar span').textContent != ''")
    assert errors == []
    now = upright_instants(motion(), np.array([len(motion()) - 1]))
    size, most = page.evaluate("data.size"), page.evaluate("data.strain")
    assert most == pytest.approx(Scene(motion()).strain)
    for beam, found in zip(picture_of(motion().model).beams, page.evaluate(SURFACES), strict=True):
        corners, normals, tints = (np.array(row) for row in found)
        mesh = beam.mesh(now.x[0], now.R[0], size)
        if beam.directed:
            assert np.abs(corners.reshape(-1, 3) - mesh.vertices).max() < 1e-5
            assert np.abs(normals.reshape(-1, 3) - mesh.normals).max() < 1e-3
        else:  # where the least component of the tangent is ambiguous, rings may be turned about it
            ends = slice(-1, None)
            assert np.abs(corners.reshape(-1, 3)[ends] - mesh.vertices[ends]).max() < 1e-5
        colors = beam.colors(beam.changes(now.x[0], now.R[0]), most, theme_of("light"))
        assert np.abs(255.0 * tints.reshape(-1, 4)[:, :3] - colors).max() < 1.5
    assert page.locator(".strain").is_visible()
    assert page.locator(".strain").inner_text().split()[-1] == "%"
    page.locator("#strain").uncheck()
    page.wait_for_function("document.querySelector('.strain').hidden")
    page.close()
