"""Write the live page to DIR/live: python docs/live/assemble.py docs/_build/html

The folder is self-contained: the page, Pyodide, numpy, and livens of this tree. Any static file server can serve it.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from runtime import MISSING, ROOT, RUNTIME, is_there, write_runtime

from livens.look.picture.themes import script_values, style_sheet

PAGE = Path(__file__).parent / "page"


def assemble(site: Path) -> Path:
    """The folder of the live page in `site`."""
    folder = site / "live"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("beams.js", "drawing.js", "marks.js"):
        shutil.copyfile(ROOT / "src" / "livens" / "look" / "page" / name, folder / name)
    (folder / "themes.css").write_text(style_sheet() + "\n", encoding="utf-8")
    (folder / "themes.js").write_text(f"const THEMES = {json.dumps(script_values())}\n", encoding="utf-8")
    write_runtime(folder / "pyodide")
    counted = {*RUNTIME[3:], *(wheel.name for wheel in (folder / "pyodide").glob("*.whl"))}
    sizes = {name: (folder / "pyodide" / name).stat().st_size for name in sorted(counted)}
    (folder / "sizes.json").write_text(json.dumps(sizes), encoding="utf-8")  # for the loading bar
    return folder


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    print(f"The live page is in {assemble(Path(sys.argv[1]))}." if is_there() else MISSING)
