"""Write the JupyterLite site, with the notebooks of examples/browser, to DIR/lite: python docs/live/lite.py DIR

By default JupyterLite downloads Pyodide and the packages of the kernel when a page is opened. Here all are files of the
site: the runtime of the live page and the wheels of the kernel, which are loaded before a package index is needed.
Pyodide's builds of ssl and sqlite3 are not on npm: substitutes let IPython start without a history.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from runtime import MISSING, ROOT, is_there, write_runtime, write_wheel

WHEELS = ROOT / ".cache" / "lite"
OWN = "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi"
FIRST = ["micropip", "piplite", "ssl", "sqlite3", "ipykernel", "comm", "pyodide_kernel", "jedi", "ipython", "livens"]
ABSENT = {
    "ssl": b"",
    "sqlite3": b"class Connection: pass\nclass DatabaseError(Exception): pass\n"
    b"OperationalError = IntegrityError = DatabaseError\n",
}
SETTINGS = {
    "pyodideUrl": "./pyodide/pyodide.js",
    "disablePyPIFallback": True,
    "loadPyodideOptions": {"packages": FIRST},
}


def build(site: Path) -> Path:
    """The folder of the JupyterLite site in `site`."""
    folder = (site / "lite").resolve()
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        config = {
            "jupyter-lite-schema-version": 0,
            "jupyter-config-data": {
                "appName": "livens",
                "exposeAppInBrowser": True,  # the test runs the cells by a command, not by key presses
                "litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": SETTINGS},
            },
        }
        (here / "jupyter-lite.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
        line = [sys.executable, "-m", "jupyterlite_core", "build", "--contents", str(ROOT / "examples" / "browser")]
        line += ["--apps", "lab", "--apps", "notebooks", "--no-sourcemaps", "--output-dir", str(folder)]
        subprocess.run(line, cwd=here, check=True, stdout=subprocess.DEVNULL)
        stubs = [
            write_wheel(here, name, "1.0.0", "py3-none-any", [(f"{name}.py", text)]) for name, text in ABSENT.items()
        ]
        own = [path for path in (Path(sys.prefix) / OWN).glob("*.whl") if not path.name.startswith("widgets")]
        write_runtime(folder / "pyodide", *sorted(WHEELS.glob("*.whl")), *own, *stubs)
    return folder


if __name__ == "__main__":
    print(f"The notebooks are in {build(Path(sys.argv[1]))}." if is_there() else MISSING)
