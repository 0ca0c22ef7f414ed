"""Round lengths and their units, for scale bars, grids and words."""

from __future__ import annotations

import numpy as np

NICE = (1.0, 2.0, 5.0, 10.0)
UNITS = ((1e3, 1e3, "km"), (0.1, 1.0, "m"), (1e-4, 1e-3, "mm"), (0.0, 1e-6, "µm"))  # from which length, in m, name


def in_words(x: float) -> str:
    """A length [m] as text, in a suitable unit.

    >>> in_words(1e-4), in_words(0.2), in_words(1e8)
    ('0.1 mm', '0.2 m', '100,000 km')
    """
    _, unit, name = next(row for row in UNITS if x >= row[0])
    return f"{x / unit:,.6g} {name}"


def nice(x: float) -> float:
    """The largest of the numbers 1, 2 and 5 × 10ᵏ that is not above x.

    >>> nice(0.37), nice(7.0), nice(1e9)
    (0.2, 5.0, 1000000000.0)
    """
    digit = 10.0 ** np.floor(np.log10(x * (1.0 + 1e-12)))
    return float(f"{max(n for n in NICE if n * digit <= x * (1.0 + 1e-12)) * digit:.6g}")
