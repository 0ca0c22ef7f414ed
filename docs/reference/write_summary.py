"""Write docs/reference/summary.md: every public name with its signature and the first sentence of its docstring.

python docs/reference/write_summary.py; a test checks that the committed page is current.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import livens
import livens.discrete

PAGE = Path(__file__).with_name("summary.md")
LONGEST = 90  # characters of a signature
HEAD = """# Summary

Every public name, generated from the docstrings (`python docs/reference/write_summary.py`). The [reference](index.md)
has the complete texts and examples.
"""


def first_sentence(thing: Any) -> str:
    """The first sentence of the docstring, as one line of a table."""
    text = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    return re.split(r"(?<=[.;]) (?=[A-Z`(])", text)[0].replace("|", "\\|")


def signature(name: str, thing: Any) -> str:
    """The name with its arguments, without annotations; shortened if it is long."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return name
    words = []
    for one in parameters:
        if one.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        star = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(one.kind, "")
        words.append(star + one.name + ("=" if one.default is not inspect.Parameter.empty else ""))
    while len(f"{name}({', '.join(words)})") > LONGEST:
        words = [*words[:-2], "…"]
    return f"{name}({', '.join(words)})"


def rows(module: Any, prefix: str, names: list[str]) -> list[str]:
    found = [(name, getattr(module, name)) for name in names]
    shown = [(name, thing) for name, thing in found if callable(thing)]
    return [f"| `{signature(f'{prefix}.{name}', thing)}` | {first_sentence(thing)} |" for name, thing in shown]


def methods() -> list[str]:
    """The methods and properties of a motion."""
    found = []
    for name, thing in sorted(inspect.getmembers(livens.Trajectory)):
        if not name.startswith("_") and inspect.getdoc(thing) and name not in ("own", "full"):
            shown = signature(f"motion.{name}", thing).replace("(self, ", "(").replace("(self)", "()")
            found.append(f"| `{shown}` | {first_sentence(thing)} |")
    return found


def page() -> str:
    """The text of the page."""
    public = sorted((name for name in dir(livens) if not name.startswith("_")), key=str.lower)
    parts = [
        ("import livens as lv", rows(livens, "lv", public)),
        ("A motion", methods()),
        ("import livens.discrete as ld", rows(livens.discrete, "ld", sorted(livens.discrete.__all__, key=str.lower))),
    ]
    text = HEAD
    for title, table in parts:
        text += "\n".join([f"\n## {title}\n", "| name | meaning |", "|---|---|", *table]) + "\n"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
