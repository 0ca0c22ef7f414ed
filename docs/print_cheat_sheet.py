"""Print docs/cheat-sheet.md as a PDF file of two pages, docs/_static/cheat-sheet.pdf: python docs/print_cheat_sheet.py
(make cheat-sheet).

The text is that of the page of the site. Needs markdown-it (extra docs) and chromium; the last line of the file holds
the hash of the text, by which a test finds out that it is up to date.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SOURCE, TARGET = HERE / "cheat-sheet.md", HERE / "_static" / "cheat-sheet.pdf"
STYLE = """
@page { size: A4 landscape; margin: 11mm 12mm }
body { font: 8.6pt/1.35 "DejaVu Sans", sans-serif; color: #1e1e1e; margin: 0 }
h1 { font-size: 17pt; margin: 0 0 2mm } p { margin: 1mm 0 3mm }
.half { break-after: page; columns: 2; column-gap: 7mm } .half:last-of-type { break-after: auto }
table { width: 100%; border-collapse: collapse; margin: 0 0 5mm; break-inside: avoid }
th { text-align: left; font-size: 11pt; color: #005a8c; padding: 1mm 1.5mm }
td { border-top: 0.2mm solid #b9b7b0; padding: 1.1mm 1.5mm; vertical-align: top }
td:first-child { width: 24%; color: #4a4a46 } a { color: inherit; text-decoration: none }
code { font: 7.6pt/1.3 "DejaVu Sans Mono", monospace; overflow-wrap: anywhere }
"""


def stamp() -> bytes:
    """The last line of the file."""
    return b"% " + hashlib.sha256(SOURCE.read_bytes()).hexdigest().encode() + b"\n"


def html() -> str:
    """The sheet, in two halves: tables up to the middle, and the rest."""
    from markdown_it import MarkdownIt

    text = re.sub(r"^\[.*\]\(_static/.*$", "", SOURCE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    body = MarkdownIt("commonmark").enable("table").render(text)
    head, *tables = re.split(r"(?=<table>)", body)
    middle = (len(tables) + 1) // 2
    halves = ["".join(tables[:middle]), "".join(tables[middle:])]
    return f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{head}" + "".join(
        f'<div class="half">{half}</div>' for half in halves
    )


def main() -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("The PDF file is printed by chromium, which is not on the PATH.")
    with tempfile.TemporaryDirectory() as folder:
        page, made = Path(folder) / "sheet.html", Path(folder) / "sheet.pdf"
        page.write_text(html(), encoding="utf-8")
        line = [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-pdf-header-footer",
            f"--print-to-pdf={made}",
        ]
        subprocess.run([*line, page.as_uri()], check=True, capture_output=True)
        TARGET.write_bytes(made.read_bytes() + stamp())


if __name__ == "__main__":
    main()
