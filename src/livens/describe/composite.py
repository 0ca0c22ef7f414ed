"""Composites: several bodies, joints and forces that are added to a model together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .body import Body
    from .thing import Thing


class Composite:
    """Bodies, joints and forces in the order in which `m.add` adds them; files contain these parts, not the whole."""

    name: str

    @property
    def parts(self) -> Sequence[Body | Thing]:
        """Its bodies, then its joints and forces."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"
