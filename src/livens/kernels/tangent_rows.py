"""The second derivatives of rows: the change of Gᵀλ, and of the rates G (v, Ω), if the bodies move.

With K_r the blocks of row r for a unit multiplier, in the frames of tangent_arrays.py,

    δ(Gᵀλ) = Σ λ_r K_r δq,          δ(G_r (v, Ω)) = R_r δq + G_r δ(v, Ω),      R_r = K_rᵀ (v, Ω).                   (1)

COINCIDE and DOT1, the rows of hinges and ball joints, have short forms, with F = e_k and s the levers:

    COINCIDE   R_j = F × (s_j × Ω_j),   R_i = −F × (s_i × Ω_i);       DOT1   R_j = U × (W × Ω_j) − W × (U × Ω_i) = −R_i

A force F at the contact x_c = x_j + ρ of RIM and ROLL (row_kinds/rolling.py), with F = λ t, t of body i, and
e = s ρ/(1 − s²) − c W, c = −R/√(1 − s²):   δρ = e (n × W)·(δφ_i − δφ_j) + c (δφ_i × n) − c s (δφ_j × W).            (2)
"""

from __future__ import annotations

import math

from .._jit import njit
from .coordinates import to_world
from .kinds import ANGLE, COINCIDE, COUPLE, DISTANCE, DOT1, DOT2, EDGE, RIM, SPAN, TAPE
from .potential import span
from .row_kinds.rolling import contact_point
from .tangent_blocks import add_axial_force, add_central_force, add_couple, add_dot, add_hat, add_hat_hat, add_outer
from .vectors import cross


@njit
def lever(a, B, b, r, c, x):
    """The lever from the centre of body c to the point r of body b, world axes, into x."""
    X0, X1, X2 = to_world(B, b, r)
    x[0], x[1], x[2] = X0 + a[b, 0] - a[c, 0], X1 + a[b, 1] - a[c, 1], X2 + a[b, 2] - a[c, 2]


@njit
def unit(k, c):
    """c e_k."""
    return c if k == 0 else 0.0, c if k == 1 else 0.0, c if k == 2 else 0.0


@njit
def add_row(rows, coordinates, r, lam, a, B, link, w, K):
    """K += λ K_r, of every kind except TAPE; link: numbers of its links (4, 4); w: scratch (8, 3)."""
    kind = rows.kind[r]
    i, j = rows.body[r, 0], rows.body[r, 1]
    if kind == COINCIDE or kind == DISTANCE or kind == SPAN:
        lever(a, B, i, rows.point[r, 0], i, w[0])
        lever(a, B, j, rows.point[r, 1], j, w[1])
        if kind == COINCIDE:
            F = unit(rows.component[r], lam)
            add_central_force(K, link, w[0], w[1], F, F, 0.0, 0.0)
        else:
            d = span(rows.body, rows.point, r, a, B)
            length = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            alpha = lam / rows.value[r] if kind == DISTANCE else lam / max(length, 1e-300)
            beta = 0.0 if kind == DISTANCE else -alpha / max(length * length, 1e-300)
            add_central_force(K, link, w[0], w[1], d, (alpha * d[0], alpha * d[1], alpha * d[2]), alpha, beta)
    elif kind == DOT1:
        U, W = to_world(B, i, rows.direction[r, 0]), to_world(B, j, rows.direction[r, 1])
        add_dot(K, link[0, 0], link[0, 1], link[1, 0], link[1, 1], lam, U, W)
    elif kind == DOT2:
        U = to_world(B, i, rows.direction[r, 0])
        lever(a, B, j, rows.point[r, 1], i, w[0])
        lever(a, B, j, rows.point[r, 1], j, w[1])
        F = lam * U[0], lam * U[1], lam * U[2]
        add_axial_force(K, link[0, 0], link[0, 1], link[1, 0], link[1, 1], F, w[0], w[1])
    elif kind == COUPLE:
        for k in range(2):
            if rows.ratio[r, k] != 0.0:
                o = 2 * k
                add_coordinate(
                    coordinates, rows.coordinate[r, k], lam * rows.ratio[r, k], a, B, link[o, o], link[o, o + 1],
                    link[o + 1, o], link[o + 1, o + 1], w, K,
                )  # fmt: skip
    elif kind == EDGE:
        add_edge(rows, r, lam, a, B, link, w, K)
    elif kind != TAPE:
        add_rolling(rows, r, lam, a, B, link, w, K)


@njit
def add_coordinate(coordinates, c, Q, a, B, ii, ij, ji, jj, w, K):
    """The change of a constant effort Q along coordinate c, an ANGLE or a DISPLACEMENT."""
    i, j = coordinates.body[c, 0], coordinates.body[c, 1]
    U = to_world(B, i, coordinates.axis[c])
    F = Q * U[0], Q * U[1], Q * U[2]
    if coordinates.kind[c] == ANGLE:
        add_couple(K, ji, jj, F)
    else:
        lever(a, B, j, coordinates.point[c, 1], i, w[0])
        lever(a, B, j, coordinates.point[c, 1], j, w[1])
        add_axial_force(K, ii, ij, ji, jj, F, w[0], w[1])


@njit
def add_edge(rows, r, lam, a, B, link, w, K):
    """A force F = λ W along a direction of body j at its point x_j, −F on body i there."""
    i, j = rows.body[r, 0], rows.body[r, 1]
    W = to_world(B, j, rows.direction[r, 1])
    F = lam * W[0], lam * W[1], lam * W[2]
    lever(a, B, j, rows.point[r, 1], i, w[0])
    lever(a, B, j, rows.point[r, 1], j, w[1])
    add_hat(K, link[1, 1], 0, 3, -1.0, F)
    add_hat(K, link[0, 1], 0, 3, 1.0, F)
    add_hat(K, link[0, 1], 3, 0, 1.0, F)
    add_hat_hat(K, link[0, 1], 3, 3, -1.0, F, w[1])
    add_hat_hat(K, link[0, 1], 3, 3, 1.0, w[0], F)
    add_hat(K, link[0, 0], 3, 0, -1.0, F)
    add_hat(K, link[0, 0], 3, 3, -1.0, cross(w[0], F))


@njit
def add_rolling(rows, r, lam, a, B, link, w, K):
    """A force F = λ t at the contact of a ball or disc with a plane, by (2)."""
    i, j, R = rows.body[r, 0], rows.body[r, 1], rows.value[r]
    n, W = to_world(B, i, rows.direction[r, 0]), to_world(B, j, rows.direction[r, 1])
    t = n if rows.kind[r] == RIM else to_world(B, i, rows.point[r, 0])
    c = lam if rows.kind[r] == RIM else lam / R
    F = c * t[0], c * t[1], c * t[2]
    rho = contact_point(rows, r, B)
    s = n[0] * W[0] + n[1] * W[1] + n[2] * W[2]
    q = max(1e-300, 1.0 - s * s)
    c = -R / math.sqrt(q)
    e = s / q * rho[0] - c * W[0], s / q * rho[1] - c * W[1], s / q * rho[2] - c * W[2]
    k, Fe = cross(n, W), cross(F, e)
    lever(a, B, j, rows.point[r, 1], i, w[0])
    lever(a, B, j, rows.point[r, 1], j, w[1])
    for m in range(3):
        w[2, m], w[3, m] = w[0, m] + rho[m], w[1, m] + rho[m]  # levers of the contact
    ii, ij, ji, jj = link[0, 0], link[0, 1], link[1, 0], link[1, 1]
    for side in range(2):  # F̂ δx_c on body i, −F̂ (δx_c − δa_j) on body j
        b = 1.0 if side == 0 else -1.0
        to_i, to_j = (ii, ij) if side == 0 else (ji, jj)
        add_hat_hat(K, to_j, 3, 3, -b, F, w[1])
        add_outer(K, to_i, 3, 3, b, Fe, k)
        add_hat_hat(K, to_i, 3, 3, -b * c, F, n)
        add_outer(K, to_j, 3, 3, -b, Fe, k)
        add_hat_hat(K, to_j, 3, 3, b * c * s, F, W)
    add_hat(K, ji, 0, 3, -1.0, F)
    add_hat_hat(K, ji, 3, 3, -1.0, w[3], F)
    add_hat(K, jj, 3, 3, 1.0, cross(w[3], F))
    add_hat(K, ii, 0, 3, 1.0, F)
    add_hat(K, ij, 3, 0, 1.0, F)
    add_hat(K, ii, 3, 0, -1.0, F)
    add_hat_hat(K, ii, 3, 3, 1.0, w[2], F)
    add_hat(K, ii, 3, 3, -1.0, cross(w[2], F))


@njit
def put_rate(R, e, x):
    """Entry e of R: no change with the place, x with the rotation."""
    for m in range(3):
        R[e, m] = 0.0
        R[e, 3 + m] = x[m]


@njit
def row_rates(rows, coordinates, r, slot, a, B, v, local, w, one, R):
    """R_r of (1) of every kind except TAPE; v: velocities of the bodies, world axes (n, 6); local: the links of `one`,
    in which the blocks of one row are put (4, 4)."""
    kind = rows.kind[r]
    i, j = rows.body[r, 0], rows.body[r, 1]
    if kind == COINCIDE:
        F = unit(rows.component[r], 1.0)
        put_rate(R, rows.entry[r, 0], cross(cross(to_world(B, i, rows.point[r, 0]), v[i, 3:]), F))
        put_rate(R, rows.entry[r, 1], cross(F, cross(to_world(B, j, rows.point[r, 1]), v[j, 3:])))
    elif kind == DOT1:
        U, W = to_world(B, i, rows.direction[r, 0]), to_world(B, j, rows.direction[r, 1])
        x, y = cross(U, cross(W, v[j, 3:])), cross(W, cross(U, v[i, 3:]))
        put_rate(R, rows.entry[r, 0], (y[0] - x[0], y[1] - x[1], y[2] - x[2]))
        put_rate(R, rows.entry[r, 1], (x[0] - y[0], x[1] - y[1], x[2] - y[2]))
    elif kind != TAPE:
        one[:, :, :] = 0.0
        add_row(rows, coordinates, r, 1.0, a, B, local, w, one)
        contract(rows.entry[r], slot, local, one, v, R)


@njit
def contract(entry, slot, local, one, v, R):
    """R_r = K_rᵀ (v, Ω), with the blocks K_r in `one`."""
    for t in range(4):
        for z in range(6):
            R[entry[t], z] = 0.0
    for t in range(4):  # two coordinates of a row may have the same bodies, and entries
        for z in range(6):
            s = 0.0
            for y in range(4):
                b = slot[y]
                for m in range(6):
                    s += one[local[y, t], m, z] * v[b, m] if b > 0 else 0.0
            R[entry[t], z] += s if slot[t] > 0 else 0.0
