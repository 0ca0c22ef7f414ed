"""The frames that a browser shows are counted: the small size of `python -m benchmarks.pictures`."""

import shutil

import pytest

pytest.importorskip("viser", reason="the pages need viser: pip install 'livens[view]'")
pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")
pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="no browser: apt-get install chromium")


def test_pictures_of_both_pages_are_counted(monkeypatch):
    from benchmarks import pictures

    monkeypatch.setattr(pictures, "SETTLE", 2.0)
    seen = pictures.pictures(5, watching=3.0)
    served, written = seen["served by lv.view"], seen["written by to_html"]
    assert 0.0 < served.pictures <= 61.0
    assert 0.0 < written.pictures <= 61.0
    assert 0.0 < served.messages <= 60.0  # at most thirty frames per second, and messages of the panel
    assert written.messages == 0.0
