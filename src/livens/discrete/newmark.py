"""Newmark's family and the generalised-α method, for any Lagrangian system.

With (1) of lagrangian.py satisfied by the accelerations A at the end of a step, and a those the formulas step with,

    q₁ = q₀ + h v₀ + h² ((½ − β) a₀ + β a₁),      v₁ = v₀ + h ((1 − γ) a₀ + γ a₁),                            (1)
    (1 − α_m) a₁ + α_m a₀ = (1 − α_f) A₁ + α_f A₀                                                             (2)

Newmark: α_m = α_f = 0. Generalised-α: by the spectral radius ρ at infinite frequency,

    α_m = (2ρ − 1)/(ρ + 1),   α_f = ρ/(ρ + 1),   γ = ½ + α_f − α_m,   β = ¼ (γ + ½)²                          (3)

With constraints g(q₁) = 0 holds at the end of each step. Velocities are then projected onto G v₁ = 0, and A₁ is the
acceleration that (1) of lagrangian.py gives there: otherwise accelerations in constrained directions would follow
β a₂ + (1 − 2β) a₁ + β a₀ = 0 for γ = ½, which grows.

Newmark with γ = ½ is variational for every β: Kane, Marsden, Ortiz & West, Int. J. Numer. Meth. Engng 49 (2000);
α: Chung & Hulbert 1993, Arnold & Brüls 2007; projection: Lunk & Simeon 2006.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..errors import ModelError
from ..formula.functions import casadi
from ..step.alpha import Alpha
from . import stepping
from .lagrangian import Lagrangian
from .maps import Blocks, Map, Piece
from .state_maps import accelerations, projected_velocities
from .terms import Term, each


@dataclass(frozen=True)
class AlphaMaps:
    """The maps of `Newmark` and `GeneralizedAlpha`."""

    scheme: Alpha

    label: ClassVar[str] = ""
    variational: ClassVar[bool] = False
    exact_energy: ClassVar[bool] = False
    carries: ClassVar[str] = "accelerations"
    reaction: ClassVar[str] = "ends"
    composable: ClassVar[bool] = True
    failures: ClassVar[Mapping[int, str]] = {}
    rollout = staticmethod(stepping.rollout)

    @property
    def order(self) -> int:
        return self.scheme.order

    def state(self, system: Lagrangian) -> Blocks:
        """y: positions, velocities, accelerations A and a, work done by forces and energy lost."""
        return Blocks(system.n, system.constraints, "q v A a", totals="work lost")

    def chain(self, system: Lagrangian, share: tuple[float, float] = (1.0, 0.0)) -> list[Map]:
        """The maps of a step: unknown accelerations A₁ and multipliers first."""
        scheme = self.scheme
        if system.constraints and scheme.beta == 0.0:
            raise ModelError(
                "Newmark with β = 0 cannot hold constraints: positions do not depend on new accelerations."
            )
        held = ["lambda"] if system.constraints else []
        step = Map(
            pieces=[*(_balance(scheme, term, held) for term in system.terms), _update(scheme, each(system.n))],
            unknowns=Blocks(system.n, system.constraints, "A1", " ".join(held)),
            keep={"A": "A1", "work": "work", "lost": "lost"},
            share=share,
            first={"A1": ("a", 0.0)} | dict.fromkeys(held, ("lambda", 0.0)),
        )
        if not system.constraints:
            return [step]
        return [
            step,
            *constrained_end(system, self.state(system), "A a" if scheme.alphas == (0.0, 0.0) else "A", share),
        ]


def constrained_end(system: Lagrangian, layout: Blocks, fresh: str, share: tuple[float, float]) -> list[Map]:
    """The end of a step with constraints: velocities on G v = 0, and the blocks `fresh` become the accelerations that
    the equations of motion give there."""
    same = {name: name for name in layout.part}
    turn = Map(
        pieces=projected_velocities(system),
        unknowns=Blocks(system.n, system.constraints, "v1", "lambda"),
        keep=same | {"v": "v1"},
        share=share,
        first={"v1": ("v", 0.0)},
    )
    settle = Map(
        pieces=accelerations(system),
        unknowns=Blocks(system.n, system.constraints, "A1", "lambda"),
        keep=same | dict.fromkeys(fresh.split(), "A1"),
        share=(share[0], share[0] + share[1]),  # at the end of the step
        first={"A1": ("a", 0.0), "lambda": ("lambda", 0.0)},
    )
    return [turn, settle]


class _Ends:
    """Both ends of a step in the symbols of one instance."""

    def __init__(self, scheme: Alpha, term: Term):
        self.s = s = term.symbols()
        self.q0, self.v0, self.A0, self.a0, self.A1 = (s.new(name) for name in ("q", "v", "A", "a", "A1"))
        self.inputs = [("q", self.q0), ("v", self.v0), ("A", self.A0), ("a", self.a0), ("A1", self.A1)]
        m, f = scheme.alphas
        h, beta, gamma = s.h, scheme.beta, scheme.gamma
        self.a1 = ((1.0 - f) * self.A1 + f * self.A0 - m * self.a0) / (1.0 - m)
        self.q1 = self.q0 + h * self.v0 + h * h * ((0.5 - beta) * self.a0 + beta * self.a1)
        self.v1 = self.v0 + h * ((1.0 - gamma) * self.a0 + gamma * self.a1)


def _balance(scheme: Alpha, term: Term, held: list[str]) -> Piece:
    """Equations of motion and constraints at the end of the step."""
    ca, e = casadi(), _Ends(scheme, term)
    s, h = e.s, e.s.h
    lam = [(name, s.multipliers(name)) for name in held]
    mean = (e.q1 - e.q0) / h
    F = s.F(e.q1, e.v1, s.t + h)
    drag = s.drag(e.q1, e.v1 if scheme.dissipation == "end" else mean)
    force = F - drag + (s.reaction(e.q1, lam[0][1]) if lam else 0.0)
    results = []
    if term.force:
        results.append(("work", 0.5 * h * (ca.dot(s.F(e.q0, e.v0, s.t), e.v0) + ca.dot(F, e.v1))))
    if term.dissipation and scheme.dissipation == "end":
        results.append(("lost", 0.5 * h * (ca.dot(s.drag(e.q0, e.v0), e.v0) + ca.dot(drag, e.v1))))
    elif term.dissipation:
        results.append(("lost", h * ca.dot(drag, mean)))
    return Piece(
        symbols=s,
        inputs=[*e.inputs, *lam],
        rows=[("A1", force - s.inertia(e.q1, e.v1, e.A1)), *((name, s.g(e.q1) / (h * h)) for name, _ in lam)],
        results=results,
    )


def _update(scheme: Alpha, term: Term) -> Piece:
    """(1) and (2), coordinate by coordinate."""
    e = _Ends(scheme, term)
    return Piece(symbols=e.s, inputs=e.inputs, results=[("q", e.q1), ("v", e.v1), ("a", e.a1)])
