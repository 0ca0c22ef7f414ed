"""The base of all joints: two points and a list of rows.

A joint takes two points and directions in **world axes at the start**; the first point's body carries its axes. Its
rows are of the kinds in kernels/rows.py, and the kernels see nothing else of it.
"""

from __future__ import annotations

from typing import Any, Self

from ...checks import Array
from ...errors import ModelError
from ..model import Point
from .row import Coordinate, Row


class Joint:
    """Two points and the rows that tie their bodies. Joints with a coordinate may carry a spring, a damper, stops
    and a drive; the others refuse them."""

    kind = "joint"
    has: tuple[str, ...] = ()  # the kinds of its coordinates
    coordinates: tuple[Coordinate, ...] = ()
    shared: tuple[
        Array, ...
    ] = ()  # directions both bodies keep (world axes at the start); rows cannot see them reversed

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Refuse what acts on a coordinate where there is none, before Python calls it an unexpected argument."""
        for option in ("stiffness", "rest", "damping", "limits", "limit_stiffness", "drive", "start_rate"):
            if option in given and not cls.has:
                name = given.get("name") or ""
                raise ModelError(
                    f"{cls.__name__}{f' {name!r}' if name else ''} has no coordinate for {option!r} to act on: put a "
                    "Spring or Damper between points, or use a Revolute or Prismatic."
                )
        return super().__new__(cls)

    def __init__(self, a: Point, b: Point, name: str):
        for point in (a, b):
            if not isinstance(point, Point):
                raise ModelError(f"{self._label(name)} joins points such as body.point(0, 0, 0), not {point!r}.")
        if a.body is b.body:
            raise ModelError(f"{self._label(name)} joins body {a.body.name!r} with itself.")
        self.a, self.b, self.name = a, b, name

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.a, self.b)

    def rows(self) -> list[Row]:
        """The constraint rows of the joint."""
        raise TypeError(f"{type(self).__name__} has no rows of its own")

    def extras(self) -> list[Row]:
        """Rows that act on a joint's coordinate: its drive, which is a constraint, and its damper, which gives way."""
        return []

    def _label(self, name: str) -> str:
        return f"{type(self).__name__} {name!r}" if name else f"a {type(self).__name__}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"
