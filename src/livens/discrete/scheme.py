"""The protocol of schemes for any Lagrangian: the attributes and methods of such a scheme.

A scheme is a chain of implicit maps y ↦ y₁ (maps.py) and the function that solves them step by step. Newmark's family
also steps rigid bodies and is defined in step/; newmark.py has its maps, and `scheme_of` finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Protocol, runtime_checkable

from ..errors import ModelError
from ..step.alpha import Alpha
from .lagrangian import Lagrangian
from .maps import Blocks, Map
from .newmark import AlphaMaps

Rollout = Callable[..., tuple[int, int]]


@runtime_checkable
class DiscreteScheme(Protocol):
    """A scheme for Lagrangian systems."""

    @property
    def order(self) -> int:
        """The error of a step is O(h^(order + 1))."""
        ...

    @property
    def variational(self) -> bool:
        """True if the step, with its constraints, follows from a discrete action: then it is symplectic."""
        ...

    @property
    def exact_energy(self) -> bool:
        """True if each step changes the energy by exactly the work and the loss that it books."""
        ...

    @property
    def label(self) -> str:
        """Its name in tables; empty where class and options are the name."""
        ...

    @property
    def carries(self) -> str:
        """What goes from step to step besides positions: "momenta" or "accelerations"."""
        ...

    @property
    def reaction(self) -> str:
        """Where constraint forces take their direction: "ends" of the step, where velocities satisfy the constraints
        too, or "middle"."""
        ...

    @property
    def composable(self) -> bool:
        """True if it can be part of a `Composition`: its maps are all that a step is."""
        ...

    @property
    def failures(self) -> Mapping[int, str]:
        """Sentences for a status, where the usual ones do not fit."""
        ...

    @property
    def rollout(self) -> Rollout:
        """Takes steps; its arguments are those of stepping.rollout."""
        ...

    def state(self, system: Lagrangian) -> Blocks:
        """The blocks of y."""
        ...

    def chain(self, system: Lagrangian, share: tuple[float, float] = (1.0, 0.0)) -> list[Map]:
        """The maps of a step, over the part `share` of it: its length and where it begins."""
        ...


def is_scheme(thing: Any) -> bool:
    """True for an instance of a scheme for Lagrangian systems, not for a class."""
    return isinstance(thing, Alpha | DiscreteScheme) and not isinstance(thing, type)


def scheme_of(scheme: Any) -> DiscreteScheme:
    """`scheme` with its maps for Lagrangian systems, or a ModelError if it is no scheme."""
    if isinstance(scheme, Alpha):
        return AlphaMaps(scheme)
    if not is_scheme(scheme):
        raise ModelError(f"the scheme must be one such as ld.Midpoint(), not {scheme!r}.")
    made: DiscreteScheme = scheme
    return made


def label(scheme: Any) -> str:
    """The name of a scheme in tables: its own, or its class with the options that differ from their defaults."""
    if own := scheme_of(scheme).label:
        return own
    given = [(f.name, vars(scheme)[f.name]) for f in fields(scheme) if vars(scheme)[f.name] != f.default]
    return f"{type(scheme).__name__}({', '.join(f'{name}={value!r}' for name, value in given)})"
