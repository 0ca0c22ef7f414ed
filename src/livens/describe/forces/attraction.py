"""Newtonian attraction between centres of mass: V = −G Σ_{i<j} m_i m_j / |a_i − a_j|."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...checks import labelled, positive
from ...errors import ModelError
from ..body import Body, Point
from ..term import PairAttraction, Term
from ..thing import Thing


class Attraction(Thing):
    """Newtonian attraction between bodies' centres of mass: G [N m²/kg²] (6.6743e-11 in SI).

    bodies: those that attract each other; None means every body of the model.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> sun = m.add(lv.Body(lv.PointMass(1.0), name="sun"))
    >>> earth = m.add(lv.Body(lv.PointMass(3e-6), at=(1, 0, 0), velocity=(0, 1, 0), name="earth"))
    >>> pull = m.add(lv.Attraction(G=1.0))
    """

    kind = "force"

    def __init__(self, G: float, bodies: Sequence[Body] | None = None, name: str = ""):
        label = labelled("attraction", name)
        self.G = positive(G, f"G of {label}")
        if bodies is not None:
            bodies = (bodies,) if isinstance(bodies, Body) else bodies
            if not isinstance(bodies, Iterable):
                raise ModelError(f"{label} acts between bodies, such as bodies=[sun, moon], not {bodies!r}.")
            bodies = tuple(bodies)
            for body in bodies:
                if not isinstance(body, Body):
                    raise ModelError(f"{label} acts between bodies, not {body!r}.")
            if len(set(bodies)) < max(2, len(bodies)):
                raise ModelError(f"{label} needs two or more different bodies, got {list(bodies)}.")
        self.bodies: tuple[Body, ...] | None = bodies
        self.name = name

    @property
    def points(self) -> tuple[Point, ...]:
        """The centres of mass of the bodies that its user listed."""
        return tuple(body.center for body in self.bodies or ())

    def terms(self) -> list[Term]:
        return [PairAttraction(self.G, self.bodies)]
