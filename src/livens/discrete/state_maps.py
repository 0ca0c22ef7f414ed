"""Maps of one state (q, v) or (q, p): momentum and energy, acceleration and multipliers, violations; and the
nearest state that satisfies the constraints. Each is a map (maps.py).

    p = ∂L/∂v,   E = p·v − L                                    Legendre transform, and back: v from p
    M a + … = F − ∂D/∂v + Gᵀλ,   d²g/dt² = 0                    accelerations and multipliers
    M (q₁ − q) = G(q)ᵀλ,   g(q₁) = 0                            the nearest position, in the metric of the mass
    p(q, v₁) − p(q, v) = Gᵀμ,   G v₁ = 0                        the nearest velocity
"""

from __future__ import annotations

from ..formula.functions import casadi
from .lagrangian import Lagrangian
from .maps import Blocks, Map, Piece, Program

MOMENTUM_AND_ENERGY, ACCELERATIONS, VIOLATIONS, PROJECTED_POSITIONS, PROJECTED_VELOCITIES = range(5)


def tangent(system: Lagrangian) -> Program:
    """The questions to (q, v), numbered LOOK, ACCELERATE, DEFECTS, PLACE, TURN."""
    n, c = system.n, system.constraints
    maps = [
        Map(_looks(system), Blocks(n, c), out=Blocks(n, c, "p", totals="energy")),
        Map(
            accelerations(system),
            Blocks(n, c, "A1", "lambda"),
            keep={"a": "A1", "lambda": "lambda"},
            out=Blocks(n, c, "a", "lambda"),
        ),
        Map(_defects(system), Blocks(n, c), out=Blocks(n, c, multipliers="g rate")),
        Map(_projected_positions(system), Blocks(n, c, "q1", "lambda"), keep={"q": "q1"}, out=Blocks(n, c, "q")),
        Map(projected_velocities(system), Blocks(n, c, "v1", "lambda"), keep={"v": "v1"}, out=Blocks(n, c, "v")),
    ]
    return Program(Blocks(n, c, "q v"), maps)


def legendre(system: Lagrangian) -> Program:
    """The map (q, p) ↦ v without the constraints."""
    n, c = system.n, system.constraints
    pieces = []
    for term in system.terms:
        s = term.symbols()
        q, v = s.new("q"), s.new("v")
        pieces.append(Piece(s, [("q", q), ("v", v)], rows=[("v", -s.momentum(q, v))]))
    out = Blocks(n, c, "v")
    return Program(Blocks(n, c, "q p"), [Map(pieces, Blocks(n, c, "v"), seed={"v": "p"}, keep={"v": "v"}, out=out)])


def cotangent(system: Lagrangian) -> Program:
    """One question to (q, p): v, the one that satisfies the constraints; also where a mass is zero that they carry."""
    n, c = system.n, system.constraints
    pieces = []
    for term in system.terms:
        s = term.symbols()
        q, v, mu = s.new("q"), s.new("v"), s.multipliers("mu")
        rows = [("v", s.reaction(q, mu) - s.momentum(q, v)), ("mu", s.rate(q, v))]
        pieces.append(Piece(s, [("q", q), ("v", v), ("mu", mu)], rows=rows))
    out = Blocks(n, c, "v")
    return Program(
        Blocks(n, c, "q p"), [Map(pieces, Blocks(n, c, "v", "mu"), seed={"v": "p"}, keep={"v": "v"}, out=out)]
    )


def _looks(system: Lagrangian) -> list[Piece]:
    pieces = []
    for term in system.terms:
        s = term.symbols()
        q, v = s.new("q"), s.new("v")
        results = [("p", s.momentum(q, v)), ("energy", s.energy(q, v))]
        pieces.append(Piece(s, [("q", q), ("v", v)], results=results))
    return pieces


def accelerations(system: Lagrangian) -> list[Piece]:
    """Unknown A1 and lambda."""
    pieces = []
    for term in system.terms:
        s = term.symbols()
        q, v, a, lam = s.new("q"), s.new("v"), s.new("a"), s.multipliers("lambda")
        balance = s.F(q, v, s.t) - s.drag(q, v) + s.reaction(q, lam) - s.inertia(q, v, a)
        inputs = [("q", q), ("v", v), ("A1", a), ("lambda", lam)]
        pieces.append(Piece(s, inputs, rows=[("A1", balance), ("lambda", s.bend(q, v, a))]))
    return pieces


def _defects(system: Lagrangian) -> list[Piece]:
    pieces = []
    for term in system.terms:
        s = term.symbols()
        q, v = s.new("q"), s.new("v")
        pieces.append(Piece(s, [("q", q), ("v", v)], results=[("g", s.g(q)), ("rate", s.rate(q, v))]))
    return pieces


def _projected_positions(system: Lagrangian) -> list[Piece]:
    ca, pieces = casadi(), []
    for term in system.terms:
        s = term.symbols()
        q, v, q1, lam = s.new("q"), s.new("v"), s.new("q1"), s.multipliers("lambda")
        moved = s.reaction(q, lam) - ca.jtimes(s.momentum(q, v), v, q1 - q)
        inputs = [("q", q), ("v", v), ("q1", q1), ("lambda", lam)]
        pieces.append(Piece(s, inputs, rows=[("q1", moved), ("lambda", s.g(q1))]))
    return pieces


def projected_velocities(system: Lagrangian) -> list[Piece]:
    """Unknown v1 and lambda."""
    pieces = []
    for term in system.terms:
        s = term.symbols()
        q, v, v1, lam = s.new("q"), s.new("v"), s.new("v1"), s.multipliers("lambda")
        balance = s.reaction(q, lam) + s.momentum(q, v) - s.momentum(q, v1)
        inputs = [("q", q), ("v", v), ("v1", v1), ("lambda", lam)]
        pieces.append(Piece(s, inputs, rows=[("v1", balance), ("lambda", s.rate(q, v1))]))
    return pieces
