"""python -m livens.demos FOLDER [NAME …]: thumbnails of the demonstrations, of all without a name."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from . import DEMOS

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
warnings.simplefilter("ignore")  # loops say that equations repeat others
for name in sys.argv[2:] or DEMOS:
    DEMOS[name].thumbnail(DEMOS[name].run(), folder / f"{name}.png")
