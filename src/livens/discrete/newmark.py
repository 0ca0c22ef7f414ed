"""Newmark's family and the generalised-α method, for any Lagrangian system.

With (1) of lagrangian.py satisfied by the accelerations A at the end of a step, and a those the formulas step with,

    q₁ = q₀ + h v₀ + h² ((½ − β) a₀ + β a₁),      v₁ = v₀ + h ((1 − γ) a₀ + γ a₁),                            (1)
    (1 − α_m) a₁ + α_m a₀ = (1 − α_f) A₁ + α_f A₀                                                             (2)

Newmark: α_m = α_f = 0. Generalised-α: by the spectral radius ρ at infinite frequency,

    α_m = (2ρ − 1)/(ρ + 1),   α_f = ρ/(ρ + 1),   γ = ½ + α_f − α_m,   β = ¼ (γ + ½)²                          (3)

With constraints g(q₁) = 0 holds at the end of each step. Across a constraint, where q is given, accelerations obey

    β a₂ + (½ + γ − 2β) a₁ + (½ − γ + β) a₀ = 0,   stable for β > γ/2 ≥ ¼ only, and less so the nearer to it    (4)

(a double root at −1 for β = ¼, γ = ½: multipliers alternate and grow until they carry the motion away). Newmark with
γ = ½ is variational for every β: Kane, Marsden, Ortiz & West, Int. J. Numer. Meth. Engng 49 (2000); α: Chung & Hulbert
1993, Arnold & Brüls 2007.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..checks import number
from ..errors import ModelError
from ..symbolic import casadi
from .lagrangian import Lagrangian
from .maps import Blocks, Map, Piece
from .terms import Term, each


@dataclass(frozen=True)
class Newmark:
    """Newmark's scheme (1) with β and γ; order 2 for γ = ½. β = 0 is explicit (Störmer–Verlet), β = ¼ the trapezoidal
    rule, stable at every step size for linear systems.

    dissipation: the velocity at which damping and dissipation act, "end" (v₁) or "step" ((q₁ − q₀)/h, as in the
    incremental potential).
    """

    beta: float = 0.25
    gamma: float = 0.5
    dissipation: str = "end"

    variational = False

    def __post_init__(self) -> None:
        if not 0.0 <= number(self.beta, "β of Newmark") <= 1.0 or not 0.0 <= number(self.gamma, "γ of Newmark") <= 1.5:
            raise ModelError(f"Newmark needs 0 ≤ β ≤ 1 and 0 ≤ γ ≤ 1.5, not β = {self.beta:g}, γ = {self.gamma:g}.")
        if self.dissipation not in ("end", "step"):
            raise ModelError(f"dissipation acts at the 'end' or over the 'step', not {self.dissipation!r}.")

    @property
    def order(self) -> int:
        return 2 if self.gamma == 0.5 and self.dissipation == "end" else 1

    @property
    def alphas(self) -> tuple[float, float]:
        """α_m and α_f."""
        return 0.0, 0.0

    def state(self, system: Lagrangian) -> Blocks:
        """y: positions, velocities, accelerations A and a, work done by forces and energy lost."""
        return Blocks(system.n, system.constraints, "q v A a", totals="work lost")

    def chain(self, system: Lagrangian, share: tuple[float, float] = (1.0, 0.0)) -> list[Map]:
        return chain(self, system, share)


@dataclass(frozen=True)
class GeneralizedAlpha:
    """The generalised-α method (2), (3): order 2, with numerical damping of high frequencies, down to `radius` (ρ∞,
    from 0, the most, to 1, none) per step at infinite frequency.

    >>> round(GeneralizedAlpha(radius=0.8).gamma, 4)
    0.6111
    """

    radius: float = 0.8

    variational = False
    order = 2
    dissipation = "end"

    def __post_init__(self) -> None:
        if not 0.0 <= number(self.radius, "the spectral radius") <= 1.0:
            raise ModelError(f"the spectral radius must be from 0 to 1, not {self.radius:g}.")

    @property
    def alphas(self) -> tuple[float, float]:
        """α_m and α_f."""
        return (2.0 * self.radius - 1.0) / (self.radius + 1.0), self.radius / (self.radius + 1.0)

    @property
    def gamma(self) -> float:
        return 0.5 + self.alphas[1] - self.alphas[0]

    @property
    def beta(self) -> float:
        return 0.25 * (self.gamma + 0.5) ** 2

    def state(self, system: Lagrangian) -> Blocks:
        return Blocks(system.n, system.constraints, "q v A a", totals="work lost")

    def chain(self, system: Lagrangian, share: tuple[float, float] = (1.0, 0.0)) -> list[Map]:
        return chain(self, system, share)


def chain(scheme: Newmark | GeneralizedAlpha, system: Lagrangian, share: tuple[float, float]) -> list[Map]:
    """The one map of a step: unknown accelerations A₁ and multipliers."""
    if system.constraints and not (scheme.beta > 0.5 * scheme.gamma and scheme.gamma >= 0.5):
        raise ModelError(
            f"{scheme!r} cannot hold constraints: with β = {scheme.beta:g} and γ = {scheme.gamma:g} multipliers grow "
            "from step to step. Take β > γ/2 ≥ ¼, such as Newmark(beta=0.3), GeneralizedAlpha(radius=0.5), or a "
            "variational scheme."
        )
    held = ["lambda"] if system.constraints else []
    return [
        Map(
            pieces=[*(_balance(scheme, term, held) for term in system.terms), _update(scheme, each(system.n))],
            unknowns=Blocks(system.n, system.constraints, "A1", " ".join(held)),
            keep={"A": "A1", "work": "work", "lost": "lost"},
            share=share,
            first={"A1": ("a", 0.0)} | dict.fromkeys(held, ("lambda", 0.0)),
        )
    ]


class _Ends:
    """Both ends of a step in the symbols of one instance."""

    def __init__(self, scheme: Newmark | GeneralizedAlpha, term: Term):
        self.s = s = term.symbols()
        self.q0, self.v0, self.A0, self.a0, self.A1 = (s.new(name) for name in ("q", "v", "A", "a", "A1"))
        self.inputs = [("q", self.q0), ("v", self.v0), ("A", self.A0), ("a", self.a0), ("A1", self.A1)]
        m, f = scheme.alphas
        h, beta, gamma = s.h, scheme.beta, scheme.gamma
        self.a1 = ((1.0 - f) * self.A1 + f * self.A0 - m * self.a0) / (1.0 - m)
        self.q1 = self.q0 + h * self.v0 + h * h * ((0.5 - beta) * self.a0 + beta * self.a1)
        self.v1 = self.v0 + h * ((1.0 - gamma) * self.a0 + gamma * self.a1)


def _balance(scheme: Newmark | GeneralizedAlpha, term: Term, held: list[str]) -> Piece:
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


def _update(scheme: Newmark | GeneralizedAlpha, term: Term) -> Piece:
    """(1) and (2), coordinate by coordinate."""
    e = _Ends(scheme, term)
    return Piece(symbols=e.s, inputs=e.inputs, results=[("q", e.q1), ("v", e.v1), ("a", e.a1)])
