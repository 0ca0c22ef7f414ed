"""The change of all forces if the bodies move: blocks K of springs, attraction, loads, joint coordinates and formulas.

With the frames of tangent_arrays.py. A spring and an attraction are central forces on body j (tangent_blocks.py (2)):

    F = −c d,  c = k (1 − l/|d|):   α = −c,  β = −k l/|d|³;        c = G m m/|d|³:   α = −c,  β = 3 c/|d|².         (1)

A load F, T in world axes at the lever s:  ŝ F̂ + T̂;  one that follows the body:  δf = −F̂ δφ.                       (2)
The effort Q = −∂V/∂q of a coordinate with the gradient Γ:  −V″ ΓᵀΓ, and (3) or (4) of tangent_blocks.py with Q.    (3)
A ROTATION has V(|ϕ|), with the torque T = B_i c ϕ on body j, c = Q/|ϕ|, w = B_iᵀ(δφ_j − δφ_i) and Θ̇ of exponential.py

    δϕ = w − ½ ϕ × w + κ ϕ × (ϕ × w),     δT − δφ_i × T = B_i (c δϕ + (Q′ − c) n n·δϕ),   n = ϕ/|ϕ|.                (4)
"""

from __future__ import annotations

import math

from .._jit import inline, njit
from .coordinates import overshoot, relative_rotation, to_world
from .exponential import rotation_coefficients
from .forces import time_of
from .kinds import ANGLE, ROTATION
from .potential import span
from .powers import cube
from .tangent_blocks import add_central_force, add_couple, add_hat, add_hat_hat, add_outer
from .tangent_formulas import add_formulas
from .tangent_rows import add_coordinate, lever
from .vectors import cross


@inline
def force_blocks(system, links, a, B, p, L, angle, signals, row, w, registers, d, K, C):
    """K and C of all applied forces at a state; w: scratch (8, 3)."""
    K[:, :, :] = 0.0
    add_springs(system.springs, links.spring, a, B, w, K)
    add_attraction(system.pairs, links.pair, a, w, K)
    add_loads(system.loads, links.body_itself, B, signals, row, w, K)
    add_coordinates(system.coordinates, links.coordinate, a, B, angle, signals, row, w, K)
    if system.formulas.energies + system.formulas.forces > 0:
        C[:, :, :] = 0.0
        t = time_of(system, signals, row)
        add_formulas(system.formulas, system.bodies, links.formula, a, B, p, L, t, registers, d, K, C)


@njit
def add_springs(springs, link, a, B, w, K):
    for s in range(springs.body.shape[0]):
        i, j = springs.body[s, 0], springs.body[s, 1]
        d = span(springs.body, springs.point, s, a, B)
        lever(a, B, i, springs.point[s, 0], i, w[0])
        lever(a, B, j, springs.point[s, 1], j, w[1])
        c, beta = springs.stiffness[s], 0.0
        if springs.length[s] > 0.0:
            size = math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            beta = -c * springs.length[s] / cube(size) if size > 0.0 else 0.0
            c *= 1.0 - springs.length[s] / size if size > 0.0 else 0.0
        add_central_force(K, link[s], w[0], w[1], d, (-c * d[0], -c * d[1], -c * d[2]), -c, beta)


@njit
def add_attraction(pairs, link, a, w, K):
    w[0, 0] = w[0, 1] = w[0, 2] = 0.0
    for s in range(pairs.body.shape[0]):
        i, j = pairs.body[s, 0], pairs.body[s, 1]
        d = a[j, 0] - a[i, 0], a[j, 1] - a[i, 1], a[j, 2] - a[i, 2]
        r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
        c = pairs.strength[s] / (r2 * math.sqrt(r2))
        add_central_force(K, link[s], w[0], w[0], d, (-c * d[0], -c * d[1], -c * d[2]), -c, 3.0 * c / r2)


@njit
def add_loads(loads, itself, B, signals, row, w, K):
    """(2)."""
    for s in range(loads.body.shape[0]):
        b, j = loads.body[s], loads.signal[s]
        k = itself[b]
        F = signals[row, j], signals[row, j + 1], signals[row, j + 2]
        if loads.follows[s] == 1:
            A = loads.axes[s]
            u = (
                A[0, 0] * F[0] + A[0, 1] * F[1] + A[0, 2] * F[2],
                A[1, 0] * F[0] + A[1, 1] * F[1] + A[1, 2] * F[2],
                A[2, 0] * F[0] + A[2, 1] * F[1] + A[2, 2] * F[2],
            )
            add_hat(K, k, 0, 3, -1.0, to_world(B, b, u))
        else:
            add_hat_hat(K, k, 3, 3, 1.0, to_world(B, b, loads.point[s]), F)
            add_hat(K, k, 3, 3, 1.0, (signals[row, j + 3], signals[row, j + 4], signals[row, j + 5]))


@njit
def add_coordinates(coordinates, link, a, B, angle, signals, row, w, K):
    """(3) of springs, stops and motors in joints."""
    for c in range(angle.shape[0]):
        Q = -coordinates.stiffness[c] * (angle[c] - coordinates.rest[c])
        over = overshoot(coordinates, c, angle[c])
        slope = -coordinates.stiffness[c]
        if over != 0.0:
            Q -= coordinates.stop[c] * over
            slope -= coordinates.stop[c]
        if coordinates.kind[c] == ROTATION:
            add_rotation(coordinates, c, Q, slope, B, link[c], K)
            continue
        if coordinates.signal[c] >= 0:
            Q += signals[row, coordinates.signal[c]]
        if Q != 0.0:
            add_coordinate(coordinates, c, Q, a, B, link[c, 0, 0], link[c, 0, 1], link[c, 1, 0], link[c, 1, 1], w, K)
        if slope != 0.0:
            add_stiffness(coordinates, c, slope, a, B, link[c], w, K)


@njit
def add_stiffness(coordinates, c, slope, a, B, link, w, K):
    """K += slope ΓᵀΓ."""
    i, j = coordinates.body[c, 0], coordinates.body[c, 1]
    U = to_world(B, i, coordinates.axis[c])
    if coordinates.kind[c] == ANGLE:
        for s in range(2):
            for t in range(2):
                add_outer(K, link[s, t], 3, 3, slope if s == t else -slope, U, U)
        return
    lever(a, B, j, coordinates.point[c, 1], i, w[0])
    lever(a, B, j, coordinates.point[c, 1], j, w[1])
    for s in range(2):
        ns = cross(w[s], U)
        for t in range(2):
            e, nt = slope if s == t else -slope, cross(w[t], U)
            add_outer(K, link[s, t], 0, 0, e, U, U)
            add_outer(K, link[s, t], 0, 3, e, U, nt)
            add_outer(K, link[s, t], 3, 0, e, ns, U)
            add_outer(K, link[s, t], 3, 3, e, ns, nt)


@njit
def add_rotation(coordinates, c, Q, slope, B, link, K):
    """(4)."""
    i = coordinates.body[c, 0]
    local = relative_rotation(coordinates.body[c], coordinates.reference[c], B)
    phi = to_world(B, i, local)
    q = math.sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2])
    if q == 0.0:
        ratio, rest = slope, 0.0
    else:
        ratio = Q / q
        rest = (slope - ratio) / (q * q)
    _, _, kappa = rotation_coefficients(q * q)
    T = ratio * phi[0], ratio * phi[1], ratio * phi[2]
    add_couple(K, link[1, 0], link[1, 1], T)
    for s in range(2):
        for t in range(2):
            e = ratio if s == t else -ratio
            k = link[s, t]
            for m in range(3):
                K[k, 3 + m, 3 + m] += e
            add_hat(K, k, 3, 3, -0.5 * e, phi)
            add_hat_hat(K, k, 3, 3, kappa * e, phi, phi)
            add_outer(K, k, 3, 3, rest if s == t else -rest, phi, phi)  # n·δϕ = n·w
