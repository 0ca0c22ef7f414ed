"""A Markdown table that also reads well in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def markdown(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Columns as wide as their widest entry; numbers to three digits."""
    cells = [list(head), *([_text(x) for x in row] for row in rows)]
    width = [max(len(row[k]) for row in cells) for k in range(len(head))]
    lines = ["| " + " | ".join(text.ljust(w) for text, w in zip(row, width, strict=True)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in width) + "|")
    return "\n".join(lines)


def _text(x: Any) -> str:
    if isinstance(x, float):
        return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}"
    return str(x)
