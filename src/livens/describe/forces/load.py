"""Load: force F(t) at a point and torque M(t) on its body. It has no potential; it does work."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...checks import accepts, labelled, number, positive, vector
from ...errors import ModelError
from ..body import Point
from ..glyph import Glyph
from ..signal import Signal
from ..term import PointLoad, Term
from ..thing import Thing


class Load(Thing):
    """A force [N] at a point and a torque [N m] on its body, constant or as functions of time t [s].

    axes: "world" (default) or "body", for loads that turn with the body, such as a thruster. A load has no
    potential: it does work, and energy changes by it. effort: a number by which force and torque are multiplied, or,
    with `rate` [Hz], a controller: a function of t and of the motion at that moment, as for `lv.Motor`.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> ship = m.add(lv.Body(lv.Box(2, 1, 1, density=100), name="ship"))
    >>> thruster = m.add(lv.Load(ship.point(-1, 0, 0), force=lambda t: (5.0 * np.sin(t), 0, 0), axes="body"))
    """

    kind = "force"

    def __init__(
        self,
        point: Point,
        force: Signal = (0.0, 0.0, 0.0),
        torque: Signal = (0.0, 0.0, 0.0),
        axes: str = "world",
        name: str = "",
        effort: Any = 1.0,
        rate: float | None = None,
    ):
        label = labelled("load", name)
        if not isinstance(axes, str) or axes not in ("world", "body"):
            raise ModelError(f"{label} acts in axes 'world' or 'body', not {axes!r}.")
        self.point, self.axes, self.name = point, axes, name
        self.force = force if callable(force) else vector(force, f"force of {label}")
        self.torque = torque if callable(torque) else vector(torque, f"torque of {label}")
        for what, signal in (("force", force), ("torque", torque)):
            if callable(signal) and not accepts(signal, 1):
                raise ModelError(f"{what} of {label} must be three numbers or a function of time, not {signal!r}.")
        self.effort = effort if callable(effort) else number(effort, f"effort of {label}")
        self.rate = None if rate is None else positive(rate, f"rate of {label}", "Hz")
        if callable(effort) != (rate is not None) or (callable(effort) and not accepts(effort, 2)):
            raise ModelError(
                f"effort of {label} must be a number, or a controller f(t, now) with a rate [Hz]; a function of time "
                "is given as its force."
            )
        if callable(effort) and (callable(force) or callable(torque)):
            raise ModelError(f"{label} has a controller, so its force and torque must be constant.")

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.point,)

    def glyphs(self) -> list[Glyph]:
        return [Glyph("load", (self.point,))]

    def terms(self) -> list[Term]:
        force, torque = (_times(self.effort, x) for x in (self.force, self.torque))
        return [PointLoad(self.point, force, torque, self.axes, self.effort, self.rate)]


def _times(effort: Any, x: Any) -> Any:
    """A force or torque times a number; times 1 for a controller, which multiplies it during the run."""
    if callable(effort) or effort == 1.0:
        return x if callable(x) else x.copy()
    return (lambda t: effort * np.asarray(x(t))) if callable(x) else effort * x
