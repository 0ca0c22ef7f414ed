"""What can be asked of a state (q, v) or (q, p): momentum and energy, acceleration and multipliers, defects; and the
nearest state that satisfies the constraints. Each is a map (maps.py).

    p = ∂L/∂v,   E = p·v − L                                    Legendre transform, and back: v from p
    M a + … = F − ∂D/∂v + Gᵀλ,   d²g/dt² = 0                    accelerations and multipliers
    M (q₁ − q) = G(q)ᵀλ,   g(q₁) = 0                            the nearest position, in the metric of the mass
    p(q, v₁) − p(q, v) = Gᵀμ,   G v₁ = 0                        the nearest velocity
"""

from __future__ import annotations

from ..symbolic import casadi
from .lagrangian import Lagrangian
from .maps import Blocks, Map, Piece, Program

LOOK, ACCELERATE, DEFECTS, PLACE, TURN = range(5)


def tangent(system: Lagrangian) -> Program:
    """The questions to (q, v), numbered LOOK, ACCELERATE, DEFECTS, PLACE, TURN."""
    n, c = system.n, system.constraints
    terms = system.terms
    ca = casadi()
    look, accelerate, defects, place, turn = [], [], [], [], []
    for term in terms:
        s = term.symbols()
        q, v, a, q1, v1 = (s.new(name) for name in ("q", "v", "a", "q1", "v1"))
        lam = s.multipliers("lambda")
        given, held = [("q", q), ("v", v)], [("lambda", lam)]
        p = s.momentum(q, v)
        look.append(Piece(s, given, results=[("p", p), ("energy", s.energy(q, v))]))
        accelerate.append(
            Piece(
                s,
                [*given, ("a", a), *held],
                rows=[
                    ("a", s.F(q, v, s.t) - s.drag(q, v) + s.reaction(q, lam) - s.inertia(q, v, a)),
                    ("lambda", s.bend(q, v, a)),
                ],
            )
        )
        defects.append(Piece(s, given, results=[("g", s.g(q)), ("rate", s.rate(q, v))]))
        moved = s.reaction(q, lam) - ca.jtimes(p, v, q1 - q)
        place.append(Piece(s, [*given, ("q1", q1), *held], rows=[("q1", moved), ("lambda", s.g(q1))]))
        turned = s.reaction(q, lam) + p - s.momentum(q, v1)
        turn.append(Piece(s, [*given, ("v1", v1), *held], rows=[("v1", turned), ("lambda", s.rate(q, v1))]))
    maps = [
        Map(look, Blocks(n, c), out=Blocks(n, c, "p", totals="energy")),
        Map(
            accelerate,
            Blocks(n, c, "a", "lambda"),
            keep={"a": "a", "lambda": "lambda"},
            out=Blocks(n, c, "a", "lambda"),
        ),
        Map(defects, Blocks(n, c), out=Blocks(n, c, multipliers="g rate")),
        Map(place, Blocks(n, c, "q1", "lambda"), keep={"q": "q1"}, out=Blocks(n, c, "q")),
        Map(turn, Blocks(n, c, "v1", "lambda"), keep={"v": "v1"}, out=Blocks(n, c, "v")),
    ]
    return Program(Blocks(n, c, "q v"), maps)


def cotangent(system: Lagrangian) -> Program:
    """One question to (q, p): v."""
    n, c = system.n, system.constraints
    pieces = []
    for term in system.terms:
        s = term.symbols()
        q, v = s.new("q"), s.new("v")
        pieces.append(Piece(s, [("q", q), ("v", v)], rows=[("v", -s.momentum(q, v))]))
    out = Blocks(n, c, "v")
    return Program(Blocks(n, c, "q p"), [Map(pieces, Blocks(n, c, "v"), seed={"v": "p"}, keep={"v": "v"}, out=out)])
