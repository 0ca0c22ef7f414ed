"""Formulas of the moment, as text: "coordinate('hinge') - 0.7", "position('stone')[2]", "norm(velocity('a')) - 3*t".

The grammar is that of all formulas (formula/grammar.py), with the readers

    coordinate('joint')  rate('joint')  position('body')  velocity('body')  angular_velocity('body')  energy()

and t [s]. coordinate and rate are numbers, or vectors of two where a joint has two coordinates; position, velocity and
angular_velocity are vectors in world axes. Names stand for numbers, or for points of bodies in the readers of bodies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ModelError
from ..formula.expression import evaluate, unknown
from ..formula.grammar import names_in, parsed, short
from .body import Point

READERS = ("coordinate", "rate", "position", "velocity", "angular_velocity", "energy")
CALL = re.compile(rf"\b({'|'.join(READERS)})\s*\(\s*(?:'([^'\n]*)'|\"([^\"\n]*)\")?\s*\)")
SIZED = ("position", "velocity", "angular_velocity")


class MomentFormula:
    """A formula of the moment; `names`: numbers, or points of bodies, that its text uses by name.

    >>> formula = MomentFormula("2*position('ball')[2] - low", {"low": 0.5})
    >>> formula.text, formula.names
    ("2*position('ball')[2] - low", {'low': 0.5})
    """

    def __init__(self, text: str, names: Mapping[str, Any] | None = None):
        self.text, self.names = text, dict(names or {})
        self.calls: dict[str, tuple[str, Any]] = {}
        self.plain = CALL.sub(self._named, text) if isinstance(text, str) else text
        try:
            self.steps = parsed(self.plain)
        except ModelError as error:
            raise ModelError(str(error).replace(short(self.plain), short(text))) from None
        used = set(names_in(self.steps))
        for name in used:
            if name not in {"t", *self.calls, *self.names}:
                raise ModelError(unknown(name, sorted({"t", *self.names}), text))
        points = [what for _, what in self.calls.values() if isinstance(what, Point)]
        self.names = {name: x for name, x in self.names.items() if name in used or any(x is p for p in points)}

    def _named(self, call: re.Match[str]) -> str:
        """A name of the same length that stands for the call of a reader."""
        name, what = f"_{len(self.calls)}", call[2] if call[2] is not None else call[3]
        if (what is None) != (call[1] == "energy"):
            raise ModelError(f"{short(self.text)}: {call[1]} is written {call[1]}({'' if what else chr(39) * 2}).")
        self.calls[name] = (call[1], self.names[what] if isinstance(self.names.get(what), Point) else what)
        return name.ljust(len(call[0]))

    def __call__(self, now: Any) -> Any:
        values = {name: _read(now, *call) for name, call in self.calls.items()}
        numbers = {name: value for name, value in self.names.items() if not isinstance(value, Point)}
        return evaluate(self.steps, {**numbers, **values, "t": float(now.t[0])}, self.text)

    def __repr__(self) -> str:
        return f"MomentFormula({self.text!r})"


def _read(now: Any, reader: str, what: Any) -> Any:
    read = {
        "coordinate": now.coordinate,
        "rate": now.rate,
        "position": now.position,
        "velocity": now.velocity,
        "angular_velocity": now.angular_velocity,
    }
    if reader == "energy":
        return float(now.energy[0])
    values = np.ravel(read[reader](what)).tolist()
    return tuple(values) if reader in SIZED or len(values) > 1 else values[0]
