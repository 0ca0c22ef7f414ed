"""Screw joint: 2 DOT2 + 2 DOT1 + 1 COUPLE."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import number
from ..body import Point
from ..row import Drive, Row, across, aligned, on_plane
from ..thing import Freedom
from .axial import Axial
from .coordinated import Numbers


class Screw(Axial):
    """The second body turns about `axis` and moves along it by `pitch` [m] a turn.

    Coordinates: the angle [rad] and the displacement [m], each `start` at the start. stiffness [N m/rad, N/m] and
    rest [rad, m]: springs, which have no torque and no force at `rest`; damping [N m s/rad, N s/m]; limits [rad, m],
    each (lower, upper): springs of limit_stiffness [N m/rad, N/m] beyond them. These and start take a pair for both
    coordinates; one number is that of the angle. drive: the angle [rad] as a function of time; start_rate [rad/s]: its
    rate at the start.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> nut = m.add(lv.Body(lv.MassProperties(1.0, (0.1, 0.1, 0.1)), name="nut"))
    >>> screw = m.add(lv.Screw(m.world.point(0, 0, 0), nut.point(0, 0, 0), axis=(0, 0, 1), pitch=0.01,
    ...                        start_rate=6.283185307, name="screw"))
    >>> lv.dynamics(m).velocity(nut)[0].round(9).tolist()  # a turn per second
    [0.0, 0.0, 0.01]
    """

    on_first, on_second = "helix", "pin"
    coordinate_kinds = ("ANGLE", "DISPLACEMENT")

    # The arguments of Axial are repeated: scenes and editors read the keys of a joint from its signature.
    def __init__(
        self,
        a: Point,
        b: Point,
        axis: ArrayLike,
        pitch: float,
        stiffness: Numbers = 0.0,
        rest: Numbers = 0.0,
        damping: Numbers = 0.0,
        limits: ArrayLike | None = None,
        limit_stiffness: Numbers = 1e5,
        drive: Drive | None = None,
        start_rate: float | None = None,
        start: Numbers = 0.0,
        name: str = "",
    ):
        given: dict[str, Any] = {"stiffness": stiffness, "rest": rest, "damping": damping, "start": start}
        given |= {"limits": limits, "limit_stiffness": limit_stiffness, "drive": drive, "start_rate": start_rate}
        super().__init__(a, b, axis, **given, name=name)
        self.pitch = number(pitch, f"pitch of {self.label}")

    @property
    def motions(self) -> tuple[Freedom, ...]:
        return Freedom("slide", self.axis), Freedom("hinge", self.axis)

    def constraints(self) -> list[Row]:
        slide = [on_plane(self.a, self.b, e) for e in across(self.axis)]
        turn, move = self.coordinates
        thread = Row(
            "COUPLE", self.a, self.b, coordinates=(move, turn), ratios=(1.0, -self.pitch / (2.0 * np.pi)),
            value=move.start - self.pitch / (2.0 * np.pi) * turn.start,
        )  # fmt: skip
        return [*slide, *aligned(self.a, self.b, self.axis), thread]
