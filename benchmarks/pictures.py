"""Frame rate of a browser with many bodies: python -m benchmarks.pictures [bodies] [graphics].

Two pages of one motion are opened in chromium and played: the page that livens serves (lv.view) and the page that
motion.to_html writes. A frame is an animation frame with WebGL draw calls. By default the processor draws, as on a
machine without graphics hardware; with `graphics` the browser chooses. Without hardware nearly all time is drawing, so
the share of livens is measured separately: the frame rate when the WebGL calls do not draw, and the load of the
script and of the server as a share of one core.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import livens as lv

from .table import markdown

SIZE = {"width": 1280, "height": 800}
SOFTWARE = ["--enable-unsafe-swiftshader", "--use-angle=swiftshader"]
SETTLE, WATCH = 6.0, 8.0  # seconds until the page has settled, and of the measurement
COUNTING = """
window.pictures = 0
const idle = IDLE
let fresh = true
for (const draw of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"]) {
  const way = WebGL2RenderingContext.prototype[draw]
  WebGL2RenderingContext.prototype[draw] = function (...what) {
    if (fresh) { fresh = false; window.pictures++; requestAnimationFrame(() => { fresh = true }) }
    if (!idle) return way.apply(this, what)
  }
}
"""


class Seen(NamedTuple):
    """Measurements of a page."""

    pictures: float  # frames per second
    messages: float  # messages per second, from the server
    script: float  # share of one core
    server: float  # share of one core


def crowd(count: int) -> lv.Trajectory:
    """`count` rotating boxes in rows."""
    model, rng = lv.Model(name=f"{count:,} boxes"), np.random.default_rng(0)
    shape = lv.Box(0.3, 0.2, 0.1, density=500)
    for k in range(count):
        model.add(lv.Body(shape, at=(k % 10, k // 10 % 10, k // 100), body_rates=rng.normal(size=3)))
    return lv.simulate(model, h=1e-2, until=20.0)


@contextmanager
def chromium(graphics: bool) -> Iterator[Any]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        flags = ["--no-sandbox", "--no-first-run", *([] if graphics else SOFTWARE)]
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        try:
            yield browser
        finally:
            browser.close()


def watch(browser: Any, url: str, watching: float = WATCH, draw: bool = True) -> Seen:
    """Open a page, which begins to play, and measure for a while."""
    messages = 0

    def heard(_: Any) -> None:
        nonlocal messages
        messages += 1

    page = browser.new_context(viewport=SIZE).new_page()
    page.set_default_timeout(120_000)
    page.add_init_script(COUNTING.replace("IDLE", "false" if draw else "true"))
    page.on("websocket", lambda socket: socket.on("framereceived", heard))
    page.goto(url)
    page.wait_for_selector("canvas")
    page.wait_for_timeout(1e3 * SETTLE)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def now() -> np.ndarray:
        spent = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        pictures = page.evaluate("window.pictures")
        return np.array([time.perf_counter(), pictures, messages, spent["ScriptDuration"], time.process_time()])

    before = now()
    page.wait_for_timeout(1e3 * watching)
    page.wait_for_function(f"window.pictures > {int(before[1])}")  # on a busy machine a frame may take longer
    change = now() - before
    page.context.close()
    return Seen(*(change[1:] / change[0]).tolist())


def pictures(count: int, graphics: bool = False, watching: float = WATCH) -> dict[str, Seen]:
    """Measurements of both pages with `count` bodies."""
    motion = crowd(count)

    def served(draw: bool) -> Seen:
        with lv.view(motion, block=False, open_browser=False) as viewer:
            return watch(browser, viewer.url, watching, draw)

    with tempfile.TemporaryDirectory() as folder, chromium(graphics) as browser:
        file = Path(folder) / "crowd.html"
        motion.to_html(file)
        return {
            "served by lv.view": served(draw=True),
            "the same, not drawn": served(draw=False),
            "written by to_html": watch(browser, file.as_uri(), watching=watching),
        }


def main() -> int:
    words = sys.argv[1:]
    count = int(float(([word for word in words if word != "graphics"] or ["1000"])[0]))
    if shutil.which("chromium") is None:
        print("chromium is not installed", file=sys.stderr)
        return 2
    rows = [
        [page, seen.pictures, seen.messages, f"{seen.script:.0%}", f"{seen.server:.0%}"]
        for page, seen in pictures(count, "graphics" in words).items()
    ]
    print(markdown([f"page of {count:,} bodies", "frames/s", "messages/s", "script", "server"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
