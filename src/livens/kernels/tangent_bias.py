"""The change of the bias terms γ = d/dt (G (v, ω)) of rows, at constant v and ω, with poses and velocities of bodies.

With the frames of tangent_arrays.py and K_r of tangent_rows.py, γ_r = (v, Ω)·K_r (v, Ω), so that

    δγ_r = Q_r δq + T_r δ(v, Ω),        T_r = (K_r + K_rᵀ) (v, Ω),        Q_r = d/dt R_r at constant v and Ω.        (1)

δq is held at constant rates in body axes. Then a vector u that a body carries and its derivatives u̇ = Ω × u, ü = Ω × u̇
all change by δφ × themselves, and δa by nothing. With s the levers, d = x_j − x_i and ∂γ/∂d, ∂γ/∂ḋ, ∂γ/∂d̈ = X, Y, Z,

    Q_j = (X, s_j × X + ṡ_j × Y + s̈_j × Z),     Q_i = −(X, s_i × X + ṡ_i × Y + s̈_i × Z),                            (2)

    COINCIDE   γ = e·d̈:                    Z = e
    DISTANCE   γ = (ḋ·ḋ + d·d̈)/l:          X = d̈/l,  Y = 2ḋ/l,  Z = d/l
    DOT2       γ = Ü·d + 2U̇·ḋ + U·d̈:      X = Ü,  Y = 2U̇,  Z = U,  and Ü × d + 2U̇ × ḋ + U × d̈ on the rotation of i
    DOT1       γ = Ü·W + 2U̇·Ẇ + U·Ẅ:      Q_i = Ü × W + 2U̇ × Ẇ + U × Ẅ = −Q_j
    angle      γ = U̇·(Ω_j − Ω_i):          Q_i = U̇ × (Ω_j − Ω_i) − Ω_i × U̇,  Q_j = Ω_j × U̇

Displacements are as DOT2. Where bodies roll, γ is found by differences along the motion at constant v and ω
(dynamics.py), and so is Q, exactly as γ: δφ is constant on that motion. User-written rows have tapes for γ.
"""

from __future__ import annotations

from .._jit import njit
from .coordinates import to_world
from .kinds import ANGLE, COINCIDE, COUPLE, DISTANCE, DOT1, DOT2
from .opcodes import RESULT, VELOCITIES
from .row_tapes import gather, gather_velocities
from .tangent_formulas import seed
from .tangent_rows import unit
from .tangent_tape import run_with_derivatives
from .vectors import cross


@njit
def add_entry(Q, e, c, place, turn):
    """Q[e] += c (place, turn)."""
    for m in range(3):
        Q[e, m] += c * place[m]
        Q[e, 3 + m] += c * turn[m]


@njit
def carried(B, b, u, v):
    """A vector u of body b and its first and second derivative, world axes."""
    U = to_world(B, b, u)
    dU = cross(v[b, 3:], U)
    return U, dU, cross(v[b, 3:], dU)


@njit
def sum_of_crosses(u, X, Y, Z):
    """u × X + u̇ × Y + ü × Z of the three derivatives u."""
    x, y, z = cross(u[0], X), cross(u[1], Y), cross(u[2], Z)
    return x[0] + y[0] + z[0], x[1] + y[1] + z[1], x[2] + y[2] + z[2]


@njit
def scaled(c, u):
    return c * u[0], c * u[1], c * u[2]


@njit
def add_span(Q, ei, ej, c, si, sj, X, Y, Z):
    """(2), times c."""
    add_entry(Q, ej, c, X, sum_of_crosses(sj, X, Y, Z))
    add_entry(Q, ei, -c, X, sum_of_crosses(si, X, Y, Z))


@njit
def spanned(a, v, i, j, si, sj):
    """d, ḋ and d̈ from the levers of both points."""
    return (
        (sj[0][0] - si[0][0] + a[j, 0] - a[i, 0], sj[0][1] - si[0][1] + a[j, 1] - a[i, 1],
         sj[0][2] - si[0][2] + a[j, 2] - a[i, 2]),
        (sj[1][0] - si[1][0] + v[j, 0] - v[i, 0], sj[1][1] - si[1][1] + v[j, 1] - v[i, 1],
         sj[1][2] - si[1][2] + v[j, 2] - v[i, 2]),
        (sj[2][0] - si[2][0], sj[2][1] - si[2][1], sj[2][2] - si[2][2]),
    )  # fmt: skip


@njit
def add_projection(Q, ei, ej, c, U, si, sj, d):
    """DOT2, times c."""
    X, Y, Z = U[2], scaled(2.0, U[1]), U[0]
    add_span(Q, ei, ej, c, si, sj, X, Y, Z)
    add_entry(Q, ei, c, (0.0, 0.0, 0.0), sum_of_crosses((U[2], U[1], U[0]), d[0], scaled(2.0, d[1]), d[2]))


@njit
def row_bias_change(rows, coordinates, r, a, B, v, Q):
    """Q of row r of the kinds in the head of this file; zero for others. v: velocities, world axes (n, 6)."""
    for k in range(4):
        for m in range(6):
            Q[rows.entry[r, k], m] = 0.0
    kind, none = rows.kind[r], (0.0, 0.0, 0.0)
    i, j, ei, ej = rows.body[r, 0], rows.body[r, 1], rows.entry[r, 0], rows.entry[r, 1]
    if kind == COUPLE:
        for k in range(2):
            if rows.ratio[r, k] != 0.0:
                add_coordinate_bias_change(
                    coordinates, rows.coordinate[r, k], rows.ratio[r, k], rows.entry[r, 2 * k],
                    rows.entry[r, 2 * k + 1], a, B, v, Q,
                )  # fmt: skip
    elif kind == DOT1:
        U, W = carried(B, i, rows.direction[r, 0], v), carried(B, j, rows.direction[r, 1], v)
        turn = sum_of_crosses((U[2], U[1], U[0]), W[0], scaled(2.0, W[1]), W[2])
        add_entry(Q, ei, 1.0, none, turn)
        add_entry(Q, ej, -1.0, none, turn)
    elif kind == COINCIDE or kind == DISTANCE or kind == DOT2:
        si, sj = carried(B, i, rows.point[r, 0], v), carried(B, j, rows.point[r, 1], v)
        d = spanned(a, v, i, j, si, sj)
        if kind == COINCIDE:
            add_span(Q, ei, ej, 1.0, si, sj, none, none, unit(rows.component[r], 1.0))
        elif kind == DISTANCE:
            add_span(Q, ei, ej, 1.0 / rows.value[r], si, sj, d[2], scaled(2.0, d[1]), d[0])
        else:
            add_projection(Q, ei, ej, 1.0, carried(B, i, rows.direction[r, 0], v), si, sj, d)


@njit
def add_coordinate_bias_change(coordinates, c, rho, ei, ej, a, B, v, Q):
    """Q += that of ρ times coordinate c."""
    i, j = coordinates.body[c, 0], coordinates.body[c, 1]
    U, none = carried(B, i, coordinates.axis[c], v), (0.0, 0.0, 0.0)
    if coordinates.kind[c] == ANGLE:
        wi, wj = v[i, 3:], v[j, 3:]
        add_entry(Q, ei, rho, none, cross(U[1], (wj[0] - wi[0], wj[1] - wi[1], wj[2] - wi[2])))
        add_entry(Q, ei, -rho, none, cross(wi, U[1]))
        add_entry(Q, ej, rho, none, cross(wj, U[1]))
    else:
        si, sj = carried(B, i, coordinates.point[c, 0], v), carried(B, j, coordinates.point[c, 1], v)
        add_projection(Q, ei, ej, rho, U, si, sj, spanned(a, v, i, j, si, sj))


@njit
def symmetric_contraction(entry, slot, local, one, v, T):
    """T_r of (1), with the blocks K_r in `one`."""
    for t in range(4):
        for z in range(6):
            T[entry[t], z] = 0.0
    for t in range(4):
        for z in range(6):
            s = 0.0
            for y in range(4):
                b = slot[y]
                for m in range(6):
                    s += (one[local[y, t], m, z] + one[local[t, y], z, m]) * v[b, m] if b > 0 else 0.0
            T[entry[t], z] += s if slot[t] > 0 else 0.0


@njit
def tape_bias_change(tapes, k, entry, a, B, bodies, p, L, t, w, d, Q, T):
    """Q and T of the row of tape k."""
    n = tapes.bodies[k]
    d[:] = 0.0
    for s in range(n):
        e, b = entry[s], tapes.body[k, s]
        for m in range(6):
            seed(d, 12 * s, B, b, m, 1.0)
            Q[e, m] = bias_derivative(tapes, k, bodies, a, B, p, L, t, w, d)
            for i in range(12):
                d[12 * s + i] = 0.0
        for m in range(6):
            T[e, m] = 0.0
        for m in range(6):
            o = VELOCITIES + 6 * s + m
            d[o] = 1.0
            x = bias_derivative(tapes, k, bodies, a, B, p, L, t, w, d)
            d[o] = 0.0
            if m < 3:
                T[e, m] = x
            else:
                for i in range(3):
                    T[e, 3 + i] += B[b, i, m - 3] * x


@njit
def bias_derivative(tapes, k, bodies, a, B, p, L, t, w, d):
    """The derivative of γ of tape k along the derivatives of its registers in d."""
    gather(tapes, k, a, B, t, w)
    gather_velocities(tapes, k, bodies, p, L, w)
    w[RESULT] = d[RESULT] = 0.0
    run_with_derivatives(tapes.code, tapes.constant, tapes.begin[k, 2], tapes.begin[k, 3], w, d)
    x = d[RESULT]
    d[RESULT] = 0.0
    return x
