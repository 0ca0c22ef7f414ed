"""Schemes made of schemes: one step is several shorter ones, Φ_h = Φ¹_{w₁h} ∘ Φ²_{w₂h} ∘ …, Σ w = 1.

The rectangle rules are each other's adjoint: half a step of one and half a step of the other give the symmetric
Störmer–Verlet scheme. A symmetric scheme of order 2, with the weights of step/livens.py (some of them negative),
gives orders 4 and 6; one that conserves the energy exactly still does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..checks import number
from ..errors import ModelError
from ..step.livens import WEIGHTS
from . import stepping
from .lagrangian import Lagrangian
from .maps import Blocks, Map
from .scheme import is_scheme, scheme_of


@dataclass(frozen=True)
class Composition:
    """Schemes one after the other, each over its part of the step.

    parts: pairs of a scheme and its weight; the first acts first. order: the order of the whole.

    >>> import livens.discrete as ld
    >>> verlet = ld.Composition([(ld.Rectangle("left"), 0.5), (ld.Rectangle("right"), 0.5)], order=2)
    """

    parts: Sequence[tuple[Any, float]]
    order: int = 1

    composable: ClassVar[bool] = True
    failures: ClassVar[Mapping[int, str]] = {}
    rollout = staticmethod(stepping.rollout)

    def __post_init__(self) -> None:
        pairs = self.parts if isinstance(self.parts, list | tuple) else []
        if not pairs or not all(isinstance(part, list | tuple) and len(part) == 2 for part in pairs):
            raise ModelError("a composition needs pairs of a scheme and its weight, such as (ld.Midpoint(), 0.5).")
        for scheme, _ in pairs:
            if not is_scheme(scheme) or not scheme_of(scheme).composable:
                raise ModelError(f"{scheme!r} cannot be part of a composition: take schemes such as ld.Midpoint().")
        if len({scheme_of(scheme).carries for scheme, _ in pairs}) > 1:
            raise ModelError(
                "schemes that carry different quantities from step to step (variational ones momenta, Newmark "
                "accelerations, DiscreteGradient momenta and velocities) cannot be composed."
            )
        parts = tuple((scheme, number(weight, "a weight of a composition")) for scheme, weight in self.parts)
        if abs(sum(weight for _, weight in parts) - 1.0) > 1e-12:
            raise ModelError(f"the weights of a composition must sum to 1, not {sum(w for _, w in parts):g}.")
        object.__setattr__(self, "parts", parts)

    @property
    def label(self) -> str:
        return repr(self)

    @property
    def variational(self) -> bool:
        return scheme_of(self.parts[0][0]).variational

    @property
    def exact_energy(self) -> bool:
        return all(scheme_of(scheme).exact_energy for scheme, _ in self.parts)

    @property
    def reaction(self) -> str:
        """Where its parts take the direction of reactions."""
        return "middle" if any(scheme_of(s).reaction == "middle" for s, _ in self.parts) else "ends"

    @property
    def carries(self) -> str:
        """What its parts carry from step to step."""
        return scheme_of(self.parts[0][0]).carries

    def state(self, system: Lagrangian) -> Blocks:
        return scheme_of(self.parts[0][0]).state(system)

    def chain(self, system: Lagrangian, share: tuple[float, float] = (1.0, 0.0)) -> list[Map]:
        """The maps of all parts; equal schemes share theirs."""
        if system.dissipative and min(weight for _, weight in self.parts) < 0.0:
            raise ModelError(
                f"{self!r} takes some steps backwards in time, where dissipation would feed energy in: use a scheme "
                "without negative weights, such as ld.Midpoint() or ld.Galerkin(4)."
            )
        made: dict[Any, list[Map]] = {}
        maps: list[Map] = []
        begin = share[1]
        for scheme, weight in self.parts:
            if scheme not in made:
                made[scheme] = scheme_of(scheme).chain(system)
            maps += [
                replace(m, share=(weight * share[0] * m.share[0], begin + weight * share[0] * m.share[1]))
                for m in made[scheme]
            ]
            begin += weight * share[0]
        return maps

    def __repr__(self) -> str:
        base = {repr(scheme) for scheme, _ in self.parts}
        return f"Composition({' ∘ '.join(sorted(base))}, {len(self.parts)} parts, order {self.order})"


def compose(scheme: Any, order: int) -> Composition:
    """A symmetric scheme of order 2 composed to order 4 (five parts) or 6 (thirteen).

    >>> import livens.discrete as ld
    >>> len(ld.compose(ld.Midpoint(), order=4).parts)
    5
    """
    if order not in (4, 6):
        raise ModelError(f"compose makes schemes of order 4 or 6, not {order!r}.")
    made = scheme_of(scheme) if is_scheme(scheme) else None
    if made is None or made.order != 2 or not (made.variational or made.exact_energy):
        raise ModelError(f"compose needs a symmetric scheme of order 2, such as ld.Midpoint(), not {scheme!r}.")
    return Composition([(scheme, float(w)) for w in np.asarray(WEIGHTS[order])], order)
