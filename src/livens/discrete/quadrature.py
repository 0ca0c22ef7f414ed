"""Discrete Lagrangians: the action of one step by a quadrature along a polynomial, and its stationary points.

The motion within a step is the polynomial through q₀ = X₀, X₁, …, X_s = q₁ at the nodes d_k (l_k the Lagrange
polynomials); with quadrature points c_i and weights b_i

    L_d = h Σ_i b_i L(Q_i, V_i),     Q_i = Σ_k l_k(c_i) X_k,    V_i = Σ_k l_k′(c_i) X_k / h                   (1)

and forces by the discrete Lagrange–d'Alembert principle, F_k = h Σ_i b_i l_k(c_i) F(Q_i, V_i, t + c_i h). The discrete
Euler–Lagrange equations in position–momentum form are

    0 = p₀ + ∂L_d/∂X₀ + F₀,      0 = ∂L_d/∂X_k + F_k  (0 < k < s),      p₁ = ∂L_d/∂X_s + F_s                  (2)

With constraints, h w_k G(X_k)ᵀλ_k joins F_k, g(X_k) = 0 at every node, and multipliers μ with G(q₁) v₁ = 0 end the step
(RATTLE). Solved for are the increments u_k = X_k − q₀, from which V_i comes without cancellation. Whatever the
quadrature, the map is symplectic and conserves the momenta of the Lagrangian's linear symmetries.
Marsden & West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import ModelError
from ..formula.functions import casadi
from . import stepping
from .lagrangian import Lagrangian
from .maps import Blocks, Map, Piece
from .terms import Term, each

LOBATTO = {
    2: ((0.0, 1.0), (0.5, 0.5)),
    3: ((0.0, 0.5, 1.0), (1 / 6, 2 / 3, 1 / 6)),
    4: ((0.0, 0.5 - 0.1 * 5**0.5, 0.5 + 0.1 * 5**0.5, 1.0), (1 / 12, 5 / 12, 5 / 12, 1 / 12)),
}
GAUSS = {
    1: ((0.5,), (1.0,)),
    2: ((0.5 - 3**0.5 / 6, 0.5 + 3**0.5 / 6), (0.5, 0.5)),
    3: ((0.5 - 0.1 * 15**0.5, 0.5, 0.5 + 0.1 * 15**0.5), (5 / 18, 4 / 9, 5 / 18)),
}


@dataclass(frozen=True)
class Quadrature:
    """A variational scheme by its table (1): nodes d, quadrature points c and weights b.

    reaction: "ends" holds constraints in position and velocity by forces along G at the nodes; "middle" takes their
    direction at the middle of the step and leaves velocities alone (for schemes without inner nodes): the midpoint rule
    then conserves quadratic energies under quadratic constraints to machine precision, but is not symplectic.
    """

    name: str
    order: int
    nodes: tuple[float, ...]
    points: tuple[float, ...]
    weights: tuple[float, ...]
    reaction: str = "ends"

    exact_energy: ClassVar[bool] = False
    carries: ClassVar[str] = "momenta"
    composable: ClassVar[bool] = True
    failures: ClassVar[Mapping[int, str]] = {}
    rollout = staticmethod(stepping.rollout)

    def __post_init__(self) -> None:
        for name in ("nodes", "points", "weights"):
            object.__setattr__(self, name, tuple(float(x) for x in vars(self)[name]))
        if len(set(self.nodes)) < len(self.nodes):
            raise ModelError(f"the scheme {self.name} has a node twice.")
        ends = len(self.nodes) > 1 and self.nodes[0] == 0.0 and self.nodes[-1] == 1.0
        if not ends or len(self.points) != len(self.weights) or abs(sum(self.weights) - 1.0) > 1e-12:
            raise ModelError(
                f"the scheme {self.name} must have nodes from 0 to 1, and as many quadrature points as weights, which "
                "sum to 1."
            )
        if self.reaction not in ("ends", "middle") or (self.reaction == "middle" and len(self.nodes) > 2):
            raise ModelError(
                f"reaction must be 'ends', or 'middle' for schemes without inner nodes, not {self.reaction!r}."
            )

    @property
    def variational(self) -> bool:
        """Whether constraints, if there are any, come from the action too."""
        return self.reaction == "ends"

    @property
    def label(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name

    def state(self, system: Lagrangian) -> Blocks:
        """y: positions, momenta, work done by forces and energy lost."""
        return Blocks(system.n, system.constraints, "q p", totals="work lost")

    def chain(self, system: Lagrangian, share: tuple[float, float] = (1.0, 0.0)) -> list[Map]:
        """The maps of a step."""
        inner = [f"u{k}" for k in range(1, len(self.nodes) - 1)]
        held = [f"lambda{k}" for k in range(len(self.nodes) - 1)] if system.constraints else []
        unknowns = Blocks(system.n, system.constraints, " ".join(["u", *inner]), " ".join(held))
        positions = Map(
            pieces=[*(self._piece(term, inner, held) for term in system.terms), _advance(system)],
            unknowns=unknowns,
            seed={"u": "p"},
            keep={"q": "q", "work": "work", "lost": "lost"},
            share=share,
            first={"u": ("u", 1.0)}
            | {name: ("u", d) for name, d in zip(inner, self.nodes[1:-1], strict=True)}
            | dict.fromkeys(held, ("lambda", 0.0)),
        )
        if not system.constraints or self.reaction == "middle":
            return [positions]
        return [positions, velocities(system, share)]

    def _piece(self, term: Term, inner: Sequence[str], held: Sequence[str]) -> Piece:
        ca, s = casadi(), term.symbols()
        names = ["q", *inner, "u"]
        q, *u = (s.new(name) for name in names)
        X = [q, *(q + x for x in u)]
        lam = [s.multipliers(name) for name in held]
        h, last = s.h, len(X) - 1
        work, lost = ca.SX(0.0), ca.SX(0.0)
        pull = [ca.SX.zeros(s.m) for _ in X]  # ∂L_d/∂X_k + F_k
        for c, b in zip(self.points, self.weights, strict=True):
            value, slope = lagrange(self.nodes, c)
            Q = q + sum(w * x for w, x in zip(value[1:], u, strict=True))
            V = sum(w * x for w, x in zip(slope[1:], u, strict=True)) / h
            F, drag = s.F(Q, V, s.t + c * h), s.drag(Q, V)
            work += h * b * ca.dot(F, V)
            lost += h * b * ca.dot(drag, V)
            p, along = b * s.momentum(Q, V), h * b * (s.pull(Q, V) + F - drag)
            # at a node factors of zero leave nothing, so that explicit schemes stay explicit; elsewhere l₀ = 1 − Σ l_k
            # and l₀′ = −Σ l_k′ are taken literally, with the factors of Q and V: round-off of momenta has no bias
            pull[0] += value[0] * along if c in self.nodes else along - sum(w * along for w in value[1:])
            for k in range(1, len(X)):
                pull[k] += value[k] * along + slope[k] * p
                pull[0] -= slope[k] * p
        if self.reaction == "middle" and s.c:
            push = 0.5 * h * s.reaction(0.5 * (X[0] + X[-1]), lam[0])
            pull = [f + push for f in pull]
        elif s.c:
            for k, weight in enumerate(self._shares()[:-1]):
                pull[k] += h * weight * s.reaction(X[k], lam[k])
        rows = [("u", pull[0]), *zip(inner, pull[1:-1], strict=True)]
        return Piece(
            symbols=s,
            inputs=[*zip(names, [q, *u], strict=True), *zip(held, lam, strict=True)],
            rows=rows + [(name, s.g(x)) for name, x in zip(held, X[1:], strict=False)],
            results=[("p", pull[last])]
            + ([("work", work)] if term.force else [])
            + ([("lost", lost)] if term.dissipation else []),
        )

    def _shares(self) -> list[float]:
        """w_k: the share of each node in the step."""
        if len(self.nodes) == 2:
            return [0.5, 0.5]
        tables = [(b, lagrange(self.nodes, c)[0]) for c, b in zip(self.points, self.weights, strict=True)]
        return [float(sum(b * value[k] for b, value in tables)) for k in range(len(self.nodes))]


def _advance(system: Lagrangian) -> Piece:
    """q₁ = q₀ + u, coordinate by coordinate."""
    s = each(system.n).symbols()
    u = s.new("u")
    return Piece(s, [("u", u)], results=[("q", u)])


def velocities(system: Lagrangian, share: tuple[float, float]) -> Map:
    """The end of a step with constraints: p ← p + G(q)ᵀμ such that G(q) v = 0."""
    pieces = []
    for term in system.terms:
        s = term.symbols()
        q, v = s.new("q"), s.new("v")
        mu = [("mu", s.multipliers("mu"))] if system.constraints else []
        p = s.momentum(q, v)
        pieces.append(
            Piece(
                symbols=s,
                inputs=[("q", q), ("v", v), *mu],
                rows=[("v", s.reaction(q, mu[0][1]) - p if mu else -p), *((name, s.rate(q, v)) for name, _ in mu)],
                results=[("p", p)],
            )
        )
    return Map(
        pieces=pieces,
        unknowns=Blocks(system.n, system.constraints, "v", "mu" if system.constraints else ""),
        seed={"v": "p"},
        keep={"q": "q", "work": "work", "lost": "lost"},
        share=share,
        first={"v": ("v", 0.0)},
    )


def lagrange(nodes: Sequence[float], c: float) -> tuple[list[float], list[float]]:
    """Values and slopes at c of the Lagrange polynomials of the nodes."""
    values, slopes = [], []
    for k, d in enumerate(nodes):
        others = [e for j, e in enumerate(nodes) if j != k]
        polynomial = np.poly1d(others, r=True) / float(np.prod([d - e for e in others]))
        values.append(float(c == d) if c in nodes else float(polynomial(c)))
        slopes.append(float(polynomial.deriv()(c)))
    return values, slopes


def Rectangle(side: str = "left") -> Quadrature:
    """L_d = h L(q₀, (q₁ − q₀)/h), or with q₁ for side="right": order 1, symplectic; each is the other's adjoint.

    >>> Rectangle("right").order
    1
    """
    if side not in ("left", "right"):
        raise ModelError(f"the side of a rectangle rule is 'left' or 'right', not {side!r}.")
    return Quadrature(f"Rectangle({side!r})", 1, (0.0, 1.0), (0.0 if side == "left" else 1.0,), (1.0,))


def Midpoint(reaction: str = "ends") -> Quadrature:
    """L_d = h L((q₀ + q₁)/2, (q₁ − q₀)/h): the implicit midpoint rule, order 2."""
    name = "Midpoint()" if reaction == "ends" else f"Midpoint(reaction={reaction!r})"
    return Quadrature(name, 2, (0.0, 1.0), *GAUSS[1], reaction)


def Trapezoidal() -> Quadrature:
    """L_d = h/2 (L(q₀, (q₁ − q₀)/h) + L(q₁, (q₁ − q₀)/h)): Störmer–Verlet where the mass is constant, order 2."""
    return Quadrature("Trapezoidal()", 2, (0.0, 1.0), *LOBATTO[2])


def Galerkin(order: int = 4, points: str = "gauss") -> Quadrature:
    """Polynomials of degree order/2 within a step, with Gauss or Lobatto quadrature: order 4 or 6.

    >>> Galerkin(order=6, points="lobatto").order
    6
    """
    if order not in (4, 6) or points not in ("gauss", "lobatto"):
        raise ModelError(
            f"Galerkin schemes are of order 4 or 6 with 'gauss' or 'lobatto' points, not {order!r}, {points!r}."
        )
    degree = order // 2
    table = GAUSS[degree] if points == "gauss" else LOBATTO[degree + 1]
    return Quadrature(f"Galerkin({order}, {points!r})", order, LOBATTO[degree + 1][0], *table)
