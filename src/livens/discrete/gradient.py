"""The discrete-gradient scheme: steps that conserve the energy exactly, for any Lagrangian.

In Livens' variables (q, v, p) with p = ∂L/∂v at both ends of a step, v̄ = ½ (v₀ + v₁) and Δq = q₁ − q₀, the energy
E = p·v − L changes by

    ΔE = v̄·Δp + ½ (p₀ + p₁)·Δv − ΔL                                                          an identity       (1)

For L quadratic in v, M = ∂²L/∂v², the last two terms are the difference of a function of q alone:

    φ(q) = ⅛ Δv·M(q) Δv − L(q, v̄)            for a constant mass the potential, up to a constant              (2)

With discrete gradients (secants.py) Dφ of φ and Γ of the constraints, Γ Δq = g(q₁) − g(q₀), the step is

    Δq = h v̄,      Δp = h (−Dφ + F(q̄, v̄, t + ½h) − ∂D/∂v(q̄, v̄) + Γᵀλ),      g(q₁) = 0                         (3)

and ΔE = (F − ∂D/∂v)·Δq, which is what a run books as work and loss. For other L, with the rest
r = ½ (p₀ + p₁)·Δv − ΔL + ∂L/∂q(q̄, v̄)·Δq of third order and Q = Δv·Δp + Δq·M Δq/h²,

    Δq = h (v̄ + r Δv/Q),      Δp = h (∂L/∂q(q̄, v̄) − r M Δq/(h² Q) + …)                                        (4)

Gonzalez, J. Nonlinear Sci. 6 (1996), for a constant mass; the choice (2) for M(q) has no mixture of units of q and p.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import ModelError
from ..formula.functions import casadi
from . import stepping
from .lagrangian import Lagrangian
from .maps import Blocks, Map, Piece
from .secants import mass, quotient, secant, symmetries
from .terms import Symbols, Term, each


@dataclass(frozen=True)
class DiscreteGradient:
    """Conserves the energy exactly, for every step h at which it converges: implicit, symmetric, of order 2, not
    symplectic. Forces and dissipation change the energy by exactly the work and the loss that a run books.

    form: "gonzalez", the gradient at the middle with a correction; or "mean", the mean value of the gradient between
    the ends by `points` Gauss points, for separable energies: there it is the quotient of differences of each summand.
    Momenta of linear symmetries that the system names (`symmetries=`) are conserved: translations and cyclic
    coordinates with both forms, rotations with "gonzalez" and a constant mass. With constraints g(q) = 0 holds at every
    step, and G(q) v = 0 up to O(h²). The mass may be singular: a coordinate may have none, if forces or constraints say
    where it is.

    >>> import livens.discrete as ld
    >>> stiff = ld.Mechanical(mass=[1.0], potential=lambda x: 0.5e4 * x[0]**2 + 1e4 * x[0]**4)
    >>> run = ld.simulate(stiff, ld.DiscreteGradient(), q=[1.0], v=[0.0], h=0.1, until=100.0)
    >>> bool(abs(run.energy / run.energy[0] - 1.0).max() < 1e-12)
    True
    """

    form: str = "gonzalez"
    points: int = 4

    order: ClassVar[int] = 2
    variational: ClassVar[bool] = False
    exact_energy: ClassVar[bool] = True
    carries: ClassVar[str] = "momenta and velocities"
    reaction: ClassVar[str] = "middle"
    composable: ClassVar[bool] = True
    failures: ClassVar[Mapping[int, str]] = {}
    rollout = staticmethod(stepping.rollout)

    def __post_init__(self) -> None:
        if self.form not in ("gonzalez", "mean"):
            raise ModelError(f"the form of a DiscreteGradient is 'gonzalez' or 'mean', not {self.form!r}.")
        whole = isinstance(self.points, int | np.integer) and not isinstance(self.points, bool)
        if not whole or not 2 <= self.points <= 16:
            raise ModelError(f"points of a DiscreteGradient is a whole number from 2 to 16, not {self.points!r}.")

    @property
    def label(self) -> str:
        if self.form == "gonzalez":
            return "DiscreteGradient()"
        return f"DiscreteGradient('mean'{'' if self.points == 4 else f', points={self.points}'})"

    def __repr__(self) -> str:
        return self.label

    def state(self, system: Lagrangian) -> Blocks:
        """y: positions, velocities and momenta, work done by forces and energy lost."""
        return Blocks(system.n, system.constraints, "q v p", totals="work lost")

    def chain(self, system: Lagrangian, share: tuple[float, float] = (1.0, 0.0)) -> list[Map]:
        """One map: unknown Δq and multipliers (3), and v₁ if L is not quadratic in v (4)."""
        terms, held = system.terms, ["lambda"] if system.constraints else []
        quadratic = all(_degree(term) < 3 for term in terms)
        moving = [np.zeros(0, dtype=np.int64), *(term.index.ravel() for term in terms if _degree(term))]
        if not quadratic and not np.array_equal(np.sort(np.concatenate(moving)), np.arange(system.n)):
            raise ModelError(
                "DiscreteGradient takes a Lagrangian that is not quadratic in v only if each velocity is in one "
                "function alone: write the parts of L that have velocities as one function of all coordinates."
            )
        more = [] if quadratic else ["v1"]
        pieces = [
            piece
            for term in terms
            for piece in ([self._piece(system, term, held)] if quadratic else self._general(system, term, held))
        ]
        return [
            Map(
                pieces=[*pieces, _update(system.n, quadratic)],
                unknowns=Blocks(system.n, system.constraints, " ".join(["u", *more]), " ".join(held)),
                seed={"u" if quadratic else "v1": "p"},
                keep={"q": "q", "work": "work", "lost": "lost"} | ({"v": "v1"} if more else {}),
                share=share,
                first={"u": ("u", 1.0)} | dict.fromkeys(more, ("v", 0.0)) | dict.fromkeys(held, ("lambda", 0.0)),
            )
        ]

    def _piece(self, system: Lagrangian, term: Term, held: list[str]) -> Piece:
        """(3), solved for Δq, with v₁ = 2 Δq/h − v₀."""
        step = _Step(self, system, term, held)
        s, u, v = step.s, step.u, step.v
        v1 = 2.0 * u / s.h - v
        force = step.force
        if term.lagrangian:
            force -= step.secant(lambda x: _potential(s, x, u / s.h, v1 - v))
        momentum = s.momentum(step.q + u, v1)
        return step.piece([("v", v)], [("u", s.h * force - momentum)], [("p", momentum)])

    def _general(self, system: Lagrangian, term: Term, held: list[str]) -> list[Piece]:
        """(4), solved for Δq and v₁; terms without velocities have a potential."""
        ca, step = casadi(), _Step(self, system, term, held)
        s, q, u, v, h = step.s, step.q, step.u, step.v, step.s.h
        if _degree(term) == 0:
            force = step.force
            if term.lagrangian:
                force += step.secant(lambda x: s.L(x, ca.SX.zeros(s.m)))
            return [step.piece([], [("v1", h * force)], [])]
        v1 = s.new("v1")
        middle, mean, p0, p1 = q + 0.5 * u, 0.5 * (v + v1), s.momentum(q, v), s.momentum(q + u, v1)
        pull, M = s.pull(middle, mean), mass(s, middle, mean)
        turned, before, after = 0.5 * ca.dot(p0 + p1, v1 - v), s.L(q, v), s.L(q + u, v1)
        rest = turned - after + before + ca.dot(pull, u)
        by = ca.dot(v1 - v, p1 - p0) + ca.dot(u, M @ u) / (h * h)
        r = quotient(rest, by, ca.fabs(turned) + ca.fabs(before) + ca.fabs(after))
        rows = [
            ("u", h * (mean + r * (v1 - v)) - u),
            ("v1", h * (pull + step.force) - r * (M @ u) / h - p1),
        ]
        return [step.piece([("v", v), ("v1", v1)], rows, [("p", p1)])]


class _Step:
    """What all terms have in common: forces, drag and constraints of (3)."""

    def __init__(self, scheme: DiscreteGradient, system: Lagrangian, term: Term, held: list[str]):
        ca = casadi()
        self.term, self.s = term, term.symbols()
        s = self.s
        self.q, self.v, self.u = (s.new(name) for name in ("q", "v", "u"))
        self.lam = [(name, s.multipliers(name)) for name in held]
        middle, mean = self.q + 0.5 * self.u, self.u / s.h
        self._along = symmetries(system, term, middle)
        self._points = 1 if scheme.form == "gonzalez" else scheme.points
        self._push, self._drag = s.F(middle, mean, s.t + 0.5 * s.h), s.drag(middle, mean)
        self.force = self._push - self._drag
        if s.c:
            self.force += self.secant(lambda x: ca.dot(self.lam[0][1], s.g(x)))

    def secant(self, fn: Callable[[Any], Any]) -> Any:
        return secant(fn, self.s, self.q, self.u, self._along, self._points)

    def piece(self, inputs: list[Any], rows: list[Any], results: list[Any]) -> Piece:
        ca, s = casadi(), self.s
        if self.term.force:
            results = [*results, ("work", ca.dot(self._push, self.u))]
        if self.term.dissipation:
            results = [*results, ("lost", ca.dot(self._drag, self.u))]
        held = [(name, s.g(self.q + self.u)) for name, _ in self.lam]
        return Piece(s, [("q", self.q), ("u", self.u), *inputs, *self.lam], [*rows, *held], results)


def _potential(s: Symbols, x: Any, mean: Any, change: Any) -> Any:
    """φ (2)."""
    ca = casadi()
    return 0.125 * ca.dot(change, mass(s, x, ca.SX.zeros(s.m)) @ change) - s.L(x, mean)


def _update(n: int, quadratic: bool) -> Piece:
    """Positions, and velocities where they are no unknowns, coordinate by coordinate."""
    s = each(n).symbols()
    v, u = s.new("v"), s.new("u")
    if not quadratic:
        return Piece(s, [("u", u)], results=[("q", u)])
    return Piece(s, [("v", v), ("u", u)], results=[("q", u), ("v", 2.0 * u / s.h - v)])


def _degree(term: Term) -> int:
    """The degree in v of a term's Lagrangian: 0, 2 at most, or 3 for all that is not quadratic."""
    if not term.lagrangian:
        return 0
    ca, s = casadi(), term.symbols()
    q, v = s.new("q"), s.new("v")
    if not ca.depends_on(s.L(q, v), v):
        return 0
    return 3 if ca.depends_on(ca.jacobian(s.momentum(q, v), v), v) else 2
