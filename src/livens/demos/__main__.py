"""python -m livens.demos FOLDER [NAME …]: a small picture of each demonstration named, or of all and a table of them.

The table is FOLDER/README.md: each name, its line and its picture.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from . import DEMOS

folder, names = Path(sys.argv[1]), sys.argv[2:]
folder.mkdir(parents=True, exist_ok=True)
warnings.simplefilter("ignore")  # about redundant constraints
for name in names or DEMOS:
    DEMOS[name].thumbnail(DEMOS[name].run(), folder / f"{name}.png")
if not names:
    rows = [f"| ![{name}]({name}.png) | `livens demo {name}` | {demo.line} |" for name, demo in DEMOS.items()]
    table = ["# Demonstrations", "", "| | | |", "|---|---|---|", *rows, ""]
    (folder / "README.md").write_text("\n".join(table), encoding="utf-8")
