"""All constraint equations (rows): their violations g, their Jacobian G with respect to (δa, δθ) of each touched body,
and their bias terms γ = d²g/dt² − G (v̇, ω̇).

i and j are the row's two bodies, x = a + B r points on them, U = B_i u and W = B_j w directions, d = x_j − x_i. Each
kind is a file of row_kinds:

    COINCIDE   (x_j − x_i)·e_k                        ball joints
    DOT1       U·W − c                                constant angles between directions
    DOT2       U·d − c                                points on lines and planes
    DISTANCE   (|d|² − l²)/2l                         massless rods
    COUPLE     ρ₁q₁ + ρ₂q₂ − φ(t)                     screws, gears, racks, prescribed motion (coordinates.py)
    RIM        n·d − R √(1 − (n·W)²)                  a thin disc, axis W, that touches a plane, normal n
    TAPE       g(q, t) as a user wrote it             see row_tapes.py
    SPAN       |d|                                    dampers between points; velocity level only
    ROLL       t·(v_j + Ω_j × ρ)                      no slip at the contact, ρ from the centre; velocity level only
    EDGE       W·v_j                                  a knife edge: no motion across it; velocity level only

The first four are polynomials of degree ≤ 2 in q with constant Hessian. A Jacobian entry is (f, τ): the force (world)
and torque (body axes) that a unit multiplier exerts on that body, so constraint forces are Gᵀλ and rates are G (v, ω).
Entries of the world share one place that is never read. The bodies i, j and the entries ei, ej of a row are arguments,
because a load after a store into G cannot be moved before it: that made Jacobians half as fast again.
"""

from __future__ import annotations

from .._jit import njit
from .kinds import COINCIDE, COUPLE, DISTANCE, DOT1, DOT2, RIM, ROLL, SPAN, TAPE
from .row_kinds import coincide, couple, distance, dot1, dot2, edge, rim, roll


@njit
def violations(rows, coordinates, a, B, angle, signals, row, g):
    """g of every row, zero for dampers; TAPE, ROLL and EDGE are left unchanged."""
    for r in range(rows.kind.shape[0]):
        kind = rows.kind[r]
        i, j = rows.body[r, 0], rows.body[r, 1]
        if kind == COINCIDE:
            g[r] = coincide.violation(rows, r, i, j, a, B)
        elif kind == DOT1:
            g[r] = dot1.violation(rows, r, i, j, B)
        elif kind == DOT2:
            g[r] = dot2.violation(rows, r, i, a, B)
        elif kind == DISTANCE:
            g[r] = distance.violation(rows, r, a, B)
        elif kind == SPAN:
            g[r] = 0.0
        elif kind == COUPLE:
            g[r] = couple.violation(rows, coordinates, r, a, B, angle, signals, row)
        elif kind == RIM:
            g[r] = rim.violation(rows, r, i, j, a, B)


@njit
def jacobians(rows, coordinates, a, B, G):
    """Jacobian entries at the configuration (a, B) of all rows except TAPE."""
    for r in range(rows.kind.shape[0]):
        kind = rows.kind[r]
        i, j = rows.body[r, 0], rows.body[r, 1]
        ei, ej = rows.entry[r, 0], rows.entry[r, 1]
        if kind == COINCIDE:
            coincide.jacobian(rows, r, i, j, ei, ej, B, G)
        elif kind == DOT1:
            dot1.jacobian(rows, r, i, j, ei, ej, B, G)
        elif kind == DOT2:
            dot2.jacobian(rows, r, i, j, ei, ej, a, B, G)
        elif kind == DISTANCE or kind == SPAN:
            distance.jacobian(rows, r, i, j, ei, ej, a, B, G)
        elif kind == COUPLE:
            couple.jacobian(rows, coordinates, r, a, B, G)
        elif kind == RIM:
            rim.jacobian(rows, r, a, B, G)
        elif kind == ROLL:
            roll.jacobian(rows, r, i, j, ei, ej, a, B, G)
        elif kind != TAPE:  # EDGE
            edge.jacobian(rows, r, i, j, ei, ej, a, B, G)


@njit
def bias_terms(rows, coordinates, bodies, a, B, p, L, gamma):
    """γ of every row; zero for TAPE, which row_tapes.py adds, and for the kinds without `bias`."""
    last = (0.0, 0.0, 0.0)
    for r in range(rows.kind.shape[0]):
        kind = rows.kind[r]
        gamma[r] = 0.0
        if kind == COINCIDE:
            last = coincide.bias(rows, r, bodies, B, L, last)
            gamma[r] = last[rows.component[r]]
        elif kind == DOT1:
            gamma[r] = dot1.bias(rows, r, bodies, B, L)
        elif kind == DOT2:
            gamma[r] = dot2.bias(rows, r, bodies, a, B, p, L)
        elif kind == DISTANCE:
            gamma[r] = distance.bias(rows, r, bodies, a, B, p, L)
        elif kind == COUPLE:
            gamma[r] = couple.bias(rows, coordinates, r, bodies, a, B, p, L)
