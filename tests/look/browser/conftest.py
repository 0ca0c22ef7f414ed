"""A real browser for the pages: Debian's chromium, drawing in software; without it these tests are skipped."""

import io
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

FLAGS = [
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--use-angle=swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no network
]
PATIENCE = 60_000  # the first frame compiles shaders in software [ms]


@pytest.fixture(scope="session")
def browser():
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no browser: apt-get install --no-install-recommends chromium")
    sync = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")
    with sync.sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


class Tab:
    """A page in the browser that requests nothing from the network: all its addresses begin with `home`."""

    def __init__(self, browser, url, size=(1000, 480), offline=False, home=None):
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, offline=offline)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.asked, self.errors, self.home = [], [], home or url.split("?")[0]
        self.context.on("request", lambda r: self.asked.append(r.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(url)
        self.page.wait_for_selector("canvas")

    @property
    def foreign_requests(self):
        """Requested addresses that are not at `home`."""
        return [url for url in self.asked if not url.startswith((self.home, "data:", "blob:"))]

    def wait(self, condition):
        """Wait until a JavaScript condition holds."""
        self.page.wait_for_function(condition, polling=100)

    def frames(self, count=2):
        """Wait until `count` frames have been drawn."""
        self.page.evaluate(
            "n => new Promise(done => { const f = () => n-- > 0 ? requestAnimationFrame(f) : done(); f() })", count
        )

    def press(self, name):
        """Press a button, without waiting for frames as a click does: in software they may take seconds."""
        self.page.get_by_role("button", name=name, exact=True).evaluate("button => button.click()")

    def tick(self, label):
        """Tick a box."""
        self.page.get_by_label(label, exact=True).evaluate("box => box.click()")

    def drag(self, begin, end):
        """Drag with the mouse from one pixel of the picture to another."""
        x, y = self.page.evaluate(
            "(() => { const r = document.querySelector('canvas').getBoundingClientRect(); return [r.x, r.y] })()"
        )
        self.page.mouse.move(x + begin[0], y + begin[1])
        self.page.mouse.down()
        self.page.mouse.move(x + end[0], y + end[1], steps=4)
        self.page.mouse.up()

    def image(self, keep, shows=None):
        """The screen (height, width, 3), also as a file in the folder of test artefacts. shows: a condition on the
        image, for which 20 images are tried; the first that fulfils it is returned."""
        for _ in range(20):
            image = self.screen(keep)
            if shows is None or shows(image):
                break
            self.frames(3)
        return image

    def screen(self, keep):
        from PIL import Image

        folder = Path(os.environ.get("LIVENS_SCREENSHOTS", keep.parent))
        folder.mkdir(parents=True, exist_ok=True)
        png = self.page.screenshot(path=folder / keep.name, timeout=PATIENCE)
        return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)

    def close(self):
        self.context.close()


@contextmanager
def opener(browser):
    tabs = []

    def open_tab(url, **options):
        tabs.append(Tab(browser, url, **options))
        return tabs[-1]

    yield open_tab
    for each in tabs:
        each.close()
        assert not each.foreign_requests
        assert not each.errors


@pytest.fixture
def tab(browser):
    """tab(url, …) opens a page; all are closed at the end, and none has requests to other servers."""
    with opener(browser) as open_tab:
        yield open_tab


@pytest.fixture(scope="module")
def lasting_tab(browser):
    """The same, for pages that serve all tests of a file."""
    with opener(browser) as open_tab:
        yield open_tab
