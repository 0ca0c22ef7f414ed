"""A notebook of the JupyterLite site in a real browser, without a network: every cell runs, and prints what it should.

The site is built by the environment .venv-lite, which `make lite` sets up; without it the test is skipped.
"""

import functools
import http.server
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".venv-lite" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
NOTEBOOK = "hammer.ipynb"
PATIENCE = 300_000  # a kernel in a browser that draws in software [ms]
DONE = """count => {
  const cells = [...document.querySelectorAll('.jp-CodeCell')]
  const prompt = cell => cell.querySelector('.jp-InputPrompt')?.textContent || ''
  return cells.length == count && cells.every(cell => /\\[\\d+\\]/.test(prompt(cell)))
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    if not (PYTHON.exists() and (ROOT / ".cache" / "lite").exists()):
        pytest.skip("no JupyterLite: make lite fetches it")
    folder = tmp_path_factory.mktemp("site")
    line = [str(PYTHON), str(ROOT / "docs" / "live" / "lite.py"), str(folder)]
    run = subprocess.run(line, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    if not (folder / "lite").exists():
        pytest.skip("no Python for the browser: make live fetches it, with npm")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/lite/"
        server.shutdown()


def test_a_notebook_runs_in_the_browser(browser, address):
    context = browser.new_context(viewport={"width": 1000, "height": 3000})
    page, asked = context.new_page(), []
    context.on("request", lambda request: asked.append(request.url))
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}notebooks/index.html?path={NOTEBOOK}")
    page.wait_for_selector(".jp-CodeCell")
    cells = json.loads((ROOT / "examples" / "browser" / NOTEBOOK).read_text(encoding="utf-8"))["cells"]
    page.locator(".jp-Cell").first.click()
    for _ in cells[1:]:
        page.keyboard.press("Shift+Enter")
    page.keyboard.press("Control+Enter")  # the last one, without a new cell below it
    code = sum(cell["cell_type"] == "code" for cell in cells)
    page.wait_for_function(DONE, arg=code, timeout=PATIENCE, polling=500)
    text = page.locator(".jp-OutputArea-output").all_inner_texts()
    assert any("energy [J]" in one for one in text)  # the report
    assert not page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']").count()
    assert not [one for one in text if "Error" in one]
    assert not [url for url in asked if not url.startswith((address.rsplit("/lite", 1)[0], "data:", "blob:"))]
    context.close()
