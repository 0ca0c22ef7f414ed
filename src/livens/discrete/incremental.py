"""The incremental potential: Newmark's step as a minimisation, for systems with a constant mass M.

With the increment u = x − q₀ as unknown, V the potential, D the dissipation and f(t) the external force,

    u_p  = h v₀ + h² (½ − β) a₀                                                       what inertia alone would do  (1)
    Π(u) = |u − u_p|²_M / (2βh²) + V(q₀ + u) + Ψ(u) − f(t + h)·u                                                  (2)
    Ψ(u) = h D(q₀, u/h)        dissipation="step",       or (βh/γ) D(q₀, v₁(u))        dissipation="end"          (3)
    q₁ = q₀ + argmin Π,     a₁ = (u − u_p)/(βh²),     v₁ = v₀ + h ((1 − γ) a₀ + γ a₁)                             (4)

∇Π = M a₁ + ∂V/∂q + ∂D/∂v − f is the equation of motion at the end of the step, so the stationary points of Π are the
solutions of Newmark's step (newmark.py); what a minimum adds is that among several, a stable one is taken, and that it
can be approached from anywhere (minimise.py). D is taken at the positions q₀ the step begins with. Constraints g = 0
hold at the end of the step, with the force G(q₁)ᵀλ; velocities and accelerations are then projected as in newmark.py.

    work = ½ (f₀ + f₁)·u,      lost = ∂D/∂v·u  ("step"),  ½h (∂D/∂v₀·v₀ + ∂D/∂v₁·v₁)  ("end")                      (5)

Kane, Marsden, Ortiz & West, Int. J. Numer. Meth. Engng 49 (2000); Radovitzky & Ortiz, Comput. Methods Appl. Mech.
Engng 172 (1999).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..checks import number
from ..errors import ModelError
from ..formula.functions import casadi, dot, sqrt
from ..kernels import status
from . import minimise
from .lagrangian import Lagrangian
from .maps import SMALL, Blocks, Map, Piece
from .newmark import constrained_end
from .terms import Symbols, Term, each


def smooth_norm(u: Any, eps: float) -> Any:
    """√(u·u + ε²) − ε: |u| with its kink rounded off, convex, zero with its gradient at u = 0.

    For dry friction, D = σ smooth_norm(v, ε) with σ [N] the force at which sliding begins. ε [m/s] is a speed: a load
    F < σ is held at the creep speed ε F/√(σ² − F²) instead of at rest, and above some 10 ε the force is σ to half a
    percent. u: a column, or one number.

    >>> round(float(smooth_norm([3.0, 4.0], 1e-3)), 6)
    4.999
    """
    if not number(eps, "ε of smooth_norm") > 0.0:
        raise ModelError(f"ε of smooth_norm must be above zero, not {eps:g}.")
    return sqrt(dot(u, u) + eps * eps) - eps


@dataclass(frozen=True)
class IncrementalPotential:
    """Newmark's step by minimising the incremental potential (2): as `Newmark(beta, gamma)`, for stiff and non-convex
    potentials and for friction. Needs a constant mass and a force f(t).

    β, γ: order 2 for γ = ½ without dissipation, or with dissipation="end" and D of velocities alone; order 1 otherwise,
    D being taken at the positions the step begins with. γ > ½ damps high
    frequencies; β = 1, γ = 3/2 wipes them out, which a body that friction has stopped needs to come to rest.
    dissipation: the velocity at which D acts, "step" ((q₁ − q₀)/h) or "end" (v₁).

    >>> import livens.discrete as ld
    >>> truss = ld.Mechanical(mass=[1.0], potential=lambda x: 500.0 * (ld.sqrt(1.0 + x[0] ** 2) - 1.1) ** 2)
    >>> run = ld.simulate(truss, ld.IncrementalPotential(), q=[0.45], v=[-3.0], h=0.01, until=1.0)
    >>> bool(abs(run.energy - run.energy[0]).max() < 0.05)
    True
    """

    beta: float = 0.25
    gamma: float = 0.5
    dissipation: str = "step"

    label: ClassVar[str] = ""
    variational: ClassVar[bool] = False
    exact_energy: ClassVar[bool] = False
    carries: ClassVar[str] = "accelerations"
    reaction: ClassVar[str] = "ends"
    composable: ClassVar[bool] = False
    rollout = staticmethod(minimise.rollout)
    failures: ClassVar[Mapping[int, str]] = {
        status.SOLVE: "the minimisation of the incremental potential stalled: Π or its gradient has jumps there, or is "
        "not bounded from below",
        status.NOT_FINITE: "the incremental potential is not finite where the step begins, or the constraints repeat "
        "each other",
    }

    def __post_init__(self) -> None:
        beta, gamma = number(self.beta, "β of IncrementalPotential"), number(self.gamma, "γ of IncrementalPotential")
        if not 0.0 < beta <= 1.0 or not 0.0 <= gamma <= 1.5:
            raise ModelError(
                f"IncrementalPotential needs 0 < β ≤ 1 and 0 ≤ γ ≤ 1.5, not β = {beta:g}, γ = {gamma:g}; for β = 0, "
                "which has nothing to minimise, take Newmark(beta=0)."
            )
        if self.dissipation not in ("end", "step"):
            raise ModelError(f"dissipation acts at the 'end' or over the 'step', not {self.dissipation!r}.")
        if self.dissipation == "end" and gamma == 0.0:
            raise ModelError("with γ = 0 the velocity v₁ does not depend on q₁: take dissipation='step'.")

    @property
    def order(self) -> int:
        return 2 if self.gamma == 0.5 and self.dissipation == "end" else 1

    def state(self, system: Lagrangian) -> Blocks:
        """y: positions, velocities, accelerations, work done by forces and energy lost."""
        return Blocks(system.n, system.constraints, "q v a", totals="work lost")

    def chain(self, system: Lagrangian, share: tuple[float, float] = (1.0, 0.0)) -> list[Map]:
        """Maps with the same unknowns: the step, with R = ∇Π − Gᵀλ and −g; the value of Π, with g; secants of Ψ;
        and, with constraints, the end of the step."""
        terms = system.terms
        for term in terms:
            _refuse(term)
        held = "lambda" if system.constraints else ""
        step = [piece for term in terms for piece in self._pieces(term)]
        unknowns = Blocks(system.n, system.constraints, "u", held)
        first = {"u": ("u", 1.0)} | ({held: ("lambda", 0.0)} if held else {})
        return [
            Map(
                [*step, self._update(system.n)],
                unknowns,
                keep={"work": "work", "lost": "lost"},
                share=share,
                first=first,
            ),
            Map(
                [piece for term in terms for piece in self._values(term)],
                unknowns,
                out=Blocks(system.n, system.constraints, multipliers="g", totals="potential size"),
                share=share,
                first=first,
            ),
            Map(
                [self._secant(term) for term in terms if term.dissipation],
                unknowns,
                out=Blocks(system.n, system.constraints, "secant"),
                share=share,
                first=first,
            ),
            *(constrained_end(system, self.state(system), "a", share) if held else []),
        ]

    def _pieces(self, term: Term) -> list[Piece]:
        """What a term adds to ∇Π and to the results of the step. Inertia is convex as it is; the rest is made so."""
        ca = casadi()
        s = term.symbols()
        e = _Step(self, s)
        pieces = []
        if not e.inertia.is_zero():
            pieces.append(Piece(s, e.inputs, rows=[("u", ca.gradient(e.inertia, e.u))]))
        results = []
        if term.force:
            results.append(("work", 0.5 * ca.dot(s.F(e.q, e.v, s.t) + s.F(e.q, e.v, s.t + s.h), e.u)))
        if term.dissipation and self.dissipation == "step":
            results.append(("lost", ca.dot(s.drag(e.q, e.u / s.h), e.u)))
        elif term.dissipation:
            ends = ca.dot(s.drag(e.q, e.v), e.v) + ca.dot(s.drag(e.q, e.v1), e.v1)
            results.append(("lost", 0.5 * s.h * ends))
        if not e.rest.is_zero():
            gradient = ca.gradient(e.rest, e.u)
            pieces.append(Piece(s, e.inputs, rows=[("u", gradient)], results=results, convex=s.m <= SMALL))
        if s.c:
            lam = s.multipliers("lambda")
            q1 = e.q + e.u
            rows = [("u", -s.reaction(q1, lam)), ("lambda", -s.g(q1))]
            pieces.append(Piece(s, [("q", e.q), ("u", e.u), ("lambda", lam)], rows=rows))
        return pieces

    def _values(self, term: Term) -> list[Piece]:
        """Π, the sum of the absolute values of its terms, which gives its round-off, and g."""
        ca, s = casadi(), term.symbols()
        e = _Step(self, s)
        results = [("potential", e.inertia + e.rest), ("size", ca.fabs(e.inertia) + ca.fabs(e.rest))]
        return [Piece(s, e.inputs, results=results + ([("g", s.g(e.q + e.u))] if s.c else []))]

    def _secant(self, term: Term) -> Piece:
        """∂Ψ/∂u_i over the part of u_i that moves: the second derivative of a quadratic Ψ with this slope."""
        s = term.symbols()
        e = _Step(self, s)
        speed, rate = (e.u / s.h, 1.0 / s.h) if self.dissipation == "step" else (e.v1, self.gamma / (self.beta * s.h))
        drag = s.drag(e.q, speed)
        return Piece(s, e.inputs, results=[("secant", rate * drag * speed / (speed * speed + 1e-300))])

    def _update(self, n: int) -> Piece:
        """(4), coordinate by coordinate."""
        s = each(n).symbols()
        e = _Step(self, s)
        return Piece(s, e.inputs, results=[("q", e.q + e.u), ("v", e.v1), ("a", e.a1)])


class _Step:
    """(1) to (4) in the symbols of one instance."""

    def __init__(self, scheme: IncrementalPotential, s: Symbols):
        ca = casadi()
        self.q, self.v, self.a, self.u = (s.new(name) for name in ("q", "v", "a", "u"))
        self.inputs = [("q", self.q), ("v", self.v), ("a", self.a), ("u", self.u)]
        h, beta, gamma = s.h, scheme.beta, scheme.gamma
        ahead = self.u - h * self.v - h * h * (0.5 - beta) * self.a
        self.a1 = ahead / (beta * h * h)
        self.v1 = self.v + h * ((1.0 - gamma) * self.a + gamma * self.a1)
        x = s.new("x")
        mass = ca.jacobian(s.momentum(x, x), x) if s.term.lagrangian else ca.SX(s.m, s.m)
        self.inertia = 0.5 * ca.dot(ahead, mass @ self.a1)
        self.rest = -s.L(self.q + self.u, ca.SX.zeros(s.m)) - ca.dot(s.F(self.q, self.v, s.t + h), self.u)
        if s.term.dissipation:
            D = s.term.dissipation
            step = scheme.dissipation == "step"
            self.rest += h * D(self.q, self.u / h, s.p) if step else beta * h / gamma * D(self.q, self.v1, s.p)
        if self.rest.is_constant():
            self.rest = ca.SX(0.0)


def _refuse(term: Term) -> None:
    """What cannot be written as (2)."""
    ca, s = casadi(), term.symbols()
    q, v = s.new("q"), s.new("v")
    if term.lagrangian:
        p = s.momentum(q, v)
        if ca.jacobian(p, q).nnz() or ca.depends_on(ca.jacobian(p, v), v):
            raise ModelError(
                "IncrementalPotential needs a constant mass, and ∂²L/∂v² or the momentum ∂L/∂v depends on more than "
                "that: take Newmark, or a variational scheme such as ld.Midpoint()."
            )
    if term.force and ca.depends_on(s.F(q, v, s.t), ca.vertcat(q, v)):
        raise ModelError(
            "IncrementalPotential takes forces that depend on time only; write those that depend on positions as a "
            "potential and those that depend on velocities as a dissipation, or take Newmark."
        )
