"""The terms of all things of a model, each with its owner."""

from __future__ import annotations

from typing import Any, TypeVar

from ..describe.model import Model
from ..describe.term import Term
from ..describe.thing import Thing

T = TypeVar("T", bound=Term)


class Terms:
    """All terms of a model by their class, joints first, in the order in which things were added."""

    def __init__(self, model: Model):
        self.every = [(thing, term) for thing in model.things for term in thing.terms()]
        self._by_class: dict[type, list[Any]] = {}
        for owner, term in self.every:
            self._by_class.setdefault(type(term), []).append((owner, term))

    def of(self, kind: type[T]) -> list[tuple[Thing, T]]:
        """The terms of one class, each with the thing it belongs to, which errors name."""
        return self._by_class.get(kind, [])
