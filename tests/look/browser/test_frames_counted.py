"""The frames that a browser shows are counted: the small size of `python -m benchmarks.pictures`."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("viser", reason="the pages need viser: pip install 'livens[view]'")
pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")
pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="no browser: apt-get install chromium")


SCRIPT = """
import json, sys
from benchmarks import pictures

pictures.SETTLE = 1.0
pictures.SIZE = {"width": 480, "height": 360}
seen = pictures.pictures(201, watching=1.5)  # in plain light
json.dump({name: [x.pictures, x.messages] for name, x in seen.items()}, open(sys.argv[1], "w"))
"""


def test_pictures_of_both_pages_are_counted(tmp_path):
    """In a process of its own: a process has one browser driver."""
    path = os.pathsep.join([str(Path(__file__).parents[3]), *sys.path])
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, tmp_path / "seen.json"],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    seen = json.loads((tmp_path / "seen.json").read_text())
    (served, messages), (written, none) = seen["served by lv.view"], seen["written by to_html"]
    assert 0.0 < served <= 61.0
    assert 0.0 < written <= 61.0
    assert 0.0 < messages <= 60.0  # at most thirty frames per second, and messages of the panel
    assert none == 0.0
