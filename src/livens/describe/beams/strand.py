"""Strands: bodies in a row along a curve, from one end to the other. Beams and cables are strands."""

from __future__ import annotations

from ...checks import check_name, labelled
from ...errors import ModelError
from ..body import Body
from ..composite import Composite


class Strand(Composite):
    """The base of `lv.Beam` and `lv.Cable`: a name, bodies in a row, and the length [m] at rest."""

    kind: str  # "beam" or "cable": the name that it has if none is given
    name: str
    bodies: tuple[Body, ...]
    length: float

    def _named(self, name: str, sections: int) -> str:
        """Check and store the name; check the number of sections; return the words for it in messages."""
        check_name(name, type(self).__name__)
        label = labelled(self.kind, name)
        if isinstance(sections, bool) or not isinstance(sections, int) or sections < 1:
            raise ModelError(f"sections of {label} must be a whole number above zero, not {sections!r}.")
        self.name = name or self.kind
        return label

    @property
    def start(self) -> Body:
        """The first body."""
        return self.bodies[0]

    @property
    def end(self) -> Body:
        """The last body."""
        return self.bodies[-1]
