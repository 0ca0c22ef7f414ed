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
PATIENCE = 150_000  # a kernel in a browser that draws in software [ms]
ATTEMPTS = 3  # the page is opened again if its kernel has not started or has not finished by then
RUN = """async () => {
  const notebook = window.jupyterapp.shell.currentWidget
  await notebook.context.ready
  await notebook.sessionContext.ready
  await notebook.sessionContext.session.kernel.info
  window.jupyterapp.commands.execute('notebook:run-all-cells')
}"""
PROMPTS = "[...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(each => each.textContent)"
DONE = f"count => {{ const all = {PROMPTS}; return all.length == count && all.every(each => /\\[\\d+\\]/.test(each)) }}"


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


def run_cells(page, url, count):
    """Open the notebook, run its cells and wait for the last one."""
    page.goto(url)
    page.wait_for_selector(".jp-CodeCell")
    page.wait_for_function("window.jupyterapp?.shell?.currentWidget?.sessionContext != null")
    page.evaluate(f"Promise.race([({RUN})(), new Promise((_, no) => setTimeout(no, {PATIENCE}, 'no kernel'))])")
    page.wait_for_function(DONE, arg=count, polling=500)


def test_a_notebook_runs_in_the_browser(browser, address):
    from playwright.sync_api import Error

    cells = json.loads((ROOT / "examples" / "browser" / NOTEBOOK).read_text(encoding="utf-8"))["cells"]
    code, seen = sum(cell["cell_type"] == "code" for cell in cells), []
    for _ in range(ATTEMPTS):
        context = browser.new_context(viewport={"width": 1000, "height": 3000})
        page, asked = context.new_page(), []
        context.on("request", lambda request, asked=asked: asked.append(request.url))
        page.set_default_timeout(PATIENCE)
        try:
            run_cells(page, f"{address}notebooks/index.html?path={NOTEBOOK}", code)
            break
        except Error as error:
            seen.append((str(error), page.evaluate(PROMPTS), page.locator("body").inner_text()[:500]))
            context.close()
    else:
        pytest.fail(f"the cells did not finish in {ATTEMPTS} attempts: {seen}")
    text = page.locator(".jp-OutputArea-output").all_inner_texts()
    assert any("energy [J]" in one for one in text)  # the report
    assert not page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']").count()
    assert not [one for one in text if "Error" in one]
    assert not [url for url in asked if not url.startswith((address.rsplit("/lite", 1)[0], "data:", "blob:"))]
    context.close()
