"""Take pictures of what readers see: python docs/figures/take_look.py (make look) writes docs/figures/look/*.png.

    readme      README.md, rendered                                   desktop and phone, light and dark
    front       the front page of the book, if `make docs` has built it          the same
    NAME-page   the page of a demonstration (to_html)                            the same; desktop with curves
    NAME-view   the same in lv.view                                   desktop and phone, light and dark
    NAME-png    the same as a picture (to_png)                        light and dark

They are made small: they show the layout, not the details. Needs chromium and playwright (extra dev).
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from PIL import Image

import livens as lv
from livens.demos import DEMOS

HERE = Path(__file__).parent
ROOT, FOLDER = HERE.parents[1], HERE / "look"
MOMENTS = {"four-bar": 1.5, "gyroscope": 2.4, "springs": 1.1, "bricard": 1.5}  # [s]: all parts can be seen
LOOKS = ("light", "dark")
DESKTOP, PHONE = (1280, 800), (390, 844)
SIZES = ((DESKTOP, "desktop"), (PHONE, "phone"))
HEIGHT, COLORS = 320, 48  # of the kept pictures
PATIENCE = 180_000  # drawing in software takes its time [ms]
FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader", "--use-angle=swiftshader"]
GITHUB = """body { font: 16px/1.5 system-ui, sans-serif; max-width: 900px; margin: 24px auto; padding: 0 16px }
img { max-width: 100% } table { border-collapse: collapse; display: block; overflow-x: auto }
td, th { border: 1px solid #8888; padding: 6px 13px }
code, pre { font: 13px/1.45 monospace; background: #8881 } pre { padding: 12px; overflow-x: auto } a { color: #0969da }
@media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3 } a { color: #4493f8 } }"""


def keep(data: bytes, name: str) -> None:
    """Store a picture, smaller and with few colours."""
    image = Image.open(io.BytesIO(data)).convert("RGB")
    size = (round(image.width * HEIGHT / image.height), HEIGHT)
    options = {"method": Image.Quantize.MAXCOVERAGE, "kmeans": 2, "dither": Image.Dither.NONE}  # keeps rare colours
    small = image.resize(size, Image.Resampling.LANCZOS).quantize(COLORS, **options)
    small.save(FOLDER / f"{name}.png", optimize=True)
    print(name, flush=True)


class Eye:
    """A browser that takes pictures of pages."""

    def __init__(self, browser: Any):
        self.browser = browser

    def __call__(
        self, url: str, name: str, size: tuple[int, int], scheme: str, script: str = "", wait: int = 2500
    ) -> None:
        view = {"width": size[0], "height": size[1]}
        page = self.browser.new_page(viewport=view, color_scheme=scheme, reduced_motion="reduce")
        page.goto(url, timeout=PATIENCE)
        page.wait_for_timeout(wait)
        if script:
            page.evaluate(script)
            page.wait_for_timeout(1500)
        keep(page.screenshot(timeout=PATIENCE), name)
        page.close()


def readme() -> Path:
    """README.md as a page beside it, so that its pictures are found; removed afterwards."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render((ROOT / "README.md").read_text(encoding="utf-8"))
    path = ROOT / ".readme.html"
    path.write_text(f'<!doctype html><meta charset="utf-8"><style>{GITHUB}</style>{body}', encoding="utf-8")
    return path


def pages(eye: Eye) -> None:
    """README and front page."""
    made, front = readme(), ROOT / "docs" / "_build" / "html" / "index.html"
    try:
        every = [(size, where, scheme) for scheme in LOOKS for size, where in SIZES]
        for size, where, scheme in every:
            eye(made.as_uri(), f"readme-{where}-{scheme}", size, scheme)
        for size, where, scheme in every if front.exists() else ():
            theme = f"localStorage.setItem('mode', '{scheme}'); document.documentElement.dataset.theme = '{scheme}'"
            eye(front.as_uri(), f"front-{where}-{scheme}", size, scheme, theme, wait=6000)
    finally:
        made.unlink()
    if not front.exists():
        print("The front page is left out: make docs builds it.")


def demonstration(eye: Eye, name: str, folder: Path) -> None:
    """A demonstration in each back end."""
    motion = DEMOS[name].run()
    middle = MOMENTS[name]
    page = folder / f"{name}.html"
    motion.to_html(page)
    at, click = f"{page.as_uri()}?t={middle}", "document.getElementById('opencurves').click()"
    for look in LOOKS:
        eye(at, f"{name}-page-desktop-{look}", DESKTOP, look, click)
        eye(at, f"{name}-page-phone-{look}", PHONE, look)
        picture = folder / f"{name}-{look}.png"
        motion.to_png(picture, t=middle, size=(800, 600), theme=look)
        keep(picture.read_bytes(), f"{name}-png-{look}")
        viewed(eye, name, motion, middle, look)


def viewed(eye: Eye, name: str, motion: lv.Trajectory, middle: float, look: str) -> None:
    """A demonstration in lv.view."""
    with lv.view(motion, theme=look, block=False, open_browser=False) as viewer:
        viewer.inside.clock.play(False, time.perf_counter())
        viewer.inside.clock.seek(middle, time.perf_counter())
        viewer.inside.stage.light(fine=False)  # shadows take long in software
        hide = (
            "document.querySelectorAll('.mantine-Notification-root').forEach(e => e.remove())"  # "software rendering"
        )
        for size, where in SIZES:
            eye(viewer.url, f"{name}-view-{where}-{look}", size, look, hide, wait=8000)


def main() -> None:
    program = shutil.which("chromium")
    if program is None:
        sys.exit("The pictures are taken with chromium, which is not on the PATH.")
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as play, tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        wanted = sys.argv[1:] or [*MOMENTS, "pages"]
        eye = Eye(play.chromium.launch(executable_path=program, args=FLAGS))
        for name in MOMENTS:
            if name in wanted:
                demonstration(eye, name, Path(folder))
        if "pages" in wanted:
            pages(eye)
        eye.browser.close()


if __name__ == "__main__":
    main()
