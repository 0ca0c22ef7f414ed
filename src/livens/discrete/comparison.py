"""The result of a comparison of schemes: rows as data, a table, a figure of work against precision."""

from __future__ import annotations

import html
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import ModelError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass
class Row:
    """One scheme with one step: None if a number is not known."""

    scheme: str
    h: float  # [s]
    steps: int = 0
    error_q: float | None = None  # largest error of a coordinate at the end
    error_v: float | None = None
    order: float | None = None  # observed, against the next larger h
    band: float | None = None  # of the energy's error, max − min [J]
    slope: float | None = None  # of the energy's error, in bands per run
    slope_error: float | None = None  # its standard error
    momenta: dict[str, float] = field(default_factory=dict)  # largest errors, as a part of Σ|p ξ|
    symplectic: float | None = None  # ‖DΦᵀ J DΦ − J‖ of a step from the middle of the run
    iterations: float | None = None  # Newton iterations, or evaluations, per step
    per_step: float | None = None  # [s]
    seconds: float | None = None
    failure: str = ""  # why there is no run
    notes: str = ""


def _short(x: float | None) -> str:
    return "–" if x is None else f"{x:.1e}"


def _slope(row: Row) -> str:
    return "–" if row.slope is None else f"{row.slope:+.3f} ± {row.slope_error:.3f}"


COLUMNS: dict[str, Callable[[Row], str]] = {
    "scheme": lambda r: r.scheme,
    "h [s]": lambda r: f"{r.h:.4g}",
    "error of q": lambda r: _short(r.error_q),
    "of v": lambda r: _short(r.error_v),
    "order": lambda r: "–" if r.order is None else f"{r.order:.2f}",
    "energy band": lambda r: _short(r.band),
    "slope": _slope,
    "symplectic": lambda r: _short(r.symplectic),
    "iterations": lambda r: "–" if r.iterations is None else f"{r.iterations:.2f}",
    "per step": lambda r: "–" if r.per_step is None else f"{1e6 * r.per_step:.2f} µs",
    "in all": lambda r: "–" if r.seconds is None else f"{r.seconds:.3g} s",
}


class Comparison:
    """Rows of a comparison, one for each scheme and step; print it for a table."""

    def __init__(self, name: str, until: float, reference: str, rows: list[Row]):
        self.name, self.until, self.reference, self.rows = name, until, reference, rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, fit for JSON."""
        return {
            "name": self.name,
            "until": self.until,
            "reference": self.reference,
            "rows": [asdict(row) for row in self.rows],
        }

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def title(self) -> str:
        what = f"{self.name}: " if self.name else ""
        return f"{what}{self.until:g} s, reference: {self.reference}"

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        """The columns that are not empty, and their rows; a scheme is named once."""
        columns = dict(COLUMNS)
        names = dict.fromkeys(name for row in self.rows for name in row.momenta)
        after = list(columns).index("symplectic")
        more = {name: (lambda r, n=name: _short(r.momenta.get(n))) for name in names}
        columns = dict([*list(columns.items())[:after], *more.items(), *list(columns.items())[after:]])
        good = [row for row in self.rows if not row.failure]
        head = [c for c, f in columns.items() if c in ("scheme", "h [s]") or any(f(row) != "–" for row in good)]
        cells = [
            ["" if row.failure and c not in ("scheme", "h [s]") else columns[c](row) for c in head] for row in self.rows
        ]
        for k in range(len(cells) - 1, 0, -1):
            if self.rows[k].scheme == self.rows[k - 1].scheme:
                cells[k][0] = ""
        return head, cells

    def __str__(self) -> str:
        head, cells = self._cells()
        width = [max(len(line[k]) for line in [head, *cells]) for k in range(len(head))]

        def line(texts: list[str]) -> str:
            first = texts[0].ljust(width[0])
            return "  ".join([first, *(text.rjust(w) for text, w in zip(texts[1:], width[1:], strict=True))]).rstrip()

        lines = [self.title, line(head), "  ".join("─" * w for w in width)]
        said = ""
        for row, texts in zip(self.rows, cells, strict=True):
            why = "the same" if row.failure == said else row.failure
            said = row.failure
            lines.append(f"{line(texts[:2] + [''] * (len(head) - 2))}  {why}" if row.failure else line(texts))
        return "\n".join(lines + self._footnotes())

    __repr__ = __str__

    def _footnotes(self) -> list[str]:
        notes = dict.fromkeys(row.notes for row in self.rows if row.notes)
        if any(row.slope is not None for row in self.rows):
            notes["slope of the energy's error in bands per run, ± its standard error"] = None
        return list(notes)

    def _repr_html_(self) -> str:
        head, cells = self._cells()
        style = ' style="text-align:left"'
        lines = ["".join(f"<th{style if k == 0 else ''}>{html.escape(c)}</th>" for k, c in enumerate(head))]
        for row, texts in zip(self.rows, cells, strict=True):
            if row.failure:
                first = "".join(f"<td{style}>{html.escape(c)}</td>" for c in texts[:2])
                lines.append(f'{first}<td{style} colspan="{len(head) - 2}">{html.escape(row.failure)}</td>')
            else:
                lines.append(
                    "".join(f"<td{style if k == 0 else ''}>{html.escape(c)}</td>" for k, c in enumerate(texts))
                )
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        foot = "<br>".join(html.escape(note) for note in self._footnotes())
        return f"<table><caption>{html.escape(self.title)}</caption>{body}</table><small>{foot}</small>"

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Error against step and against time, both logarithmic; the energy's band where there is no reference. Written
        to `path` if given (png, pdf, svg)."""
        from ..look.plot import plot_work_precision

        known = any(row.error_q is not None for row in self.rows)
        found = [(row.scheme, row.h, row.seconds, row.error_q if known else row.band) for row in self.rows]
        rows = [(scheme, h, seconds, error) for scheme, h, seconds, error in found if seconds and error]
        if not rows:
            raise ModelError("there is nothing to draw: no run has ended, or none has an error.")
        what = f"error of q at {self.until:g} s" if known else "band of the energy's error [J]"
        return plot_work_precision(rows, path, cost="time to compute [s]", error=what)
