"""Every notebook runs from top to bottom, is stored without outputs, and ends with a check.

They share one kernel, which is cleared between notebooks, because starting a kernel takes longer than most of them.
"""

import json
import os
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples" / "notebooks").glob("*.ipynb"))
EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """A kernel of the interpreter that runs the tests."""
    manager = pytest.importorskip("jupyter_client.manager", reason="notebooks are run by nbclient and ipykernel")
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    folder = tmp_path_factory.mktemp("jupyter")
    place = folder / "kernels" / "here"
    place.mkdir(parents=True)
    line = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (place / "kernel.json").write_text(json.dumps({"argv": line, "display_name": "here", "language": "python"}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(folder))
        patch.setenv("IPYTHONDIR", str(folder))
        patch.setenv("MPLBACKEND", "Agg")
        running = manager.KernelManager(kernel_name="here")
        running.start_kernel(cwd=str(folder), env=dict(os.environ))
        yield running
        running.shutdown_kernel(now=True)


@EACH
def test_notebook(path, kernel):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("viser", reason="notebooks show the page of the viewer")
    if path.stem == "hammer":
        pytest.importorskip("netgen", reason="the hammer is drawn with netgen")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    notebook.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
    nbclient.NotebookClient(notebook, km=kernel, timeout=120).execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    pictures = [output for output in shown if "image/png" in output.get("data", {})]
    pages = [output for output in shown if "<iframe src=" in output.get("data", {}).get("text/html", "")]
    assert pictures
    assert len(pages) == (path.stem != "schemes")
    assert not [output for output in shown if output.get("name") == "stderr"]


@EACH
def test_stored_without_outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    assert cells[0]["cell_type"] == "markdown"
    assert "assert " in "".join(code[-1]["source"])


def test_there_are_notebooks():
    assert {path.stem for path in NOTEBOOKS} == {"single_body", "hammer", "springs", "poses", "schemes"}
