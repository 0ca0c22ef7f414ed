"""One free body over one step: the discrete Moser–Veselov top, RATTLE in (a, B).

With x the Cayley vector of the step's rotation, J the principal moments and L the body angular momentum,

    a₁ = a₀ + h p/m
    J x + x × J x = (h/2)(1 + |x|²) L₀            three unknowns, Newton                     (1)
    B₁ = B₀ R,   R = cay(x) = I + 2(x̂ + x̂²)/(1 + |x|²)                                      (2)
    L₁ = Rᵀ L₀                                                                               (3)

Second order, symmetric, symplectic; B₁L₁ = B₀L₀ exactly, and the kinetic energy is conserved exactly too (the map is
integrable). (1) has a solution if the body rotates less than about one radian in the step: for a ball it reads
sin θ = h|ω|. Newton starts from two rounds of

    x ← J⁻¹((h/2)(1 + |x|²) L₀ − x × J x),    x = (h/2) J⁻¹L₀ at first,                       (4)

a guess that depends on the state only, so that a resumed run is bitwise identical. B and L change by the small
D = R − I: the rounding error of R is the same in every step of a steady rotation and would add up a thousand times
faster.
Source: Moser & Veselov 1991; Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.5.
"""

from __future__ import annotations

from .._jit import njit
from .status import NOT_FINITE, OK, SPIN

NEWTON = 30  # iterations before (1) counts as unsolvable


@njit
def guess_cayley(J0, J1, J2, i0, i1, i2, L0, L1, L2, h):
    """Two rounds of (4)."""
    c = 0.5 * h
    x, y, z = c * i0 * L0, c * i1 * L1, c * i2 * L2
    d0, d1, d2 = J2 - J1, J0 - J2, J1 - J0
    for _ in range(2):
        s = 1.0 + x * x + y * y + z * z
        x, y, z = i0 * (c * s * L0 - d0 * y * z), i1 * (c * s * L1 - d1 * z * x), i2 * (c * s * L2 - d2 * x * y)
    return x, y, z


@njit
def iterate_cayley(J0, J1, J2, L0, L1, L2, h, x, y, z):
    """Newton for (1) from (x, y, z): the Cayley vector and a status."""
    c = 0.5 * h
    d0, d1, d2 = J2 - J1, J0 - J2, J1 - J0
    for _ in range(NEWTON):
        s = 1.0 + x * x + y * y + z * z
        r0 = J0 * x + d0 * y * z - c * s * L0
        r1 = J1 * y + d1 * z * x - c * s * L1
        r2 = J2 * z + d2 * x * y - c * s * L2
        K00, K01, K02 = J0 - h * L0 * x, d0 * z - h * L0 * y, d0 * y - h * L0 * z
        K10, K11, K12 = d1 * z - h * L1 * x, J1 - h * L1 * y, d1 * x - h * L1 * z
        K20, K21, K22 = d2 * y - h * L2 * x, d2 * x - h * L2 * y, J2 - h * L2 * z
        A00, A10, A20 = K11 * K22 - K12 * K21, K12 * K20 - K10 * K22, K10 * K21 - K11 * K20
        det = K00 * A00 + K01 * A10 + K02 * A20
        if not det > 0.0:  # beyond the fold of (1), or not a number
            return x, y, z, SPIN
        det = 1.0 / det
        dx = det * (A00 * r0 + (K02 * K21 - K01 * K22) * r1 + (K01 * K12 - K02 * K11) * r2)
        dy = det * (A10 * r0 + (K00 * K22 - K02 * K20) * r1 + (K02 * K10 - K00 * K12) * r2)
        dz = det * (A20 * r0 + (K01 * K20 - K00 * K21) * r1 + (K00 * K11 - K01 * K10) * r2)
        x, y, z = x - dx, y - dy, z - dz
        e = dx * dx + dy * dy + dz * dz
        if e * e <= 1e-34 * (x * x + y * y + z * z):  # (1) is quadratic: the next change is about e, below round-off
            return x, y, z, OK
    return x, y, z, SPIN


@njit
def solve_cayley(J0, J1, J2, i0, i1, i2, L0, L1, L2, h):
    """Solve (1) with moments J and their inverses i: the Cayley vector (x, y, z) and a status."""
    x, y, z = guess_cayley(J0, J1, J2, i0, i1, i2, L0, L1, L2, h)
    return iterate_cayley(J0, J1, J2, L0, L1, L2, h, x, y, z)


@njit
def increment(x, y, z):
    """D = R − I of (2)."""
    t = 2.0 / (1.0 + x * x + y * y + z * z)
    tx, ty, tz = t * x, t * y, t * z
    D00, D01, D02 = -ty * y - tz * z, tx * y - tz, tx * z + ty
    D10, D11, D12 = tx * y + tz, -tx * x - tz * z, ty * z - tx
    D20, D21, D22 = tx * z - ty, ty * z + tx, -tx * x - ty * y
    return D00, D01, D02, D10, D11, D12, D20, D21, D22


@njit
def body_cayley(bodies, b, h, L0, L1, L2):
    """The Cayley vector of body b by (1), and a status."""
    J, i = bodies.inertia[b], bodies.inverse_inertia[b]
    return solve_cayley(J[0], J[1], J[2], i[0], i[1], i[2], L0, L1, L2, h)


@njit
def translate(bodies, b, h, a0, p, L0, a1):
    """a₁ of body b; False if a₁ or L₀ is not finite."""
    v = h * bodies.inverse_mass[b]
    a1[b, 0] = a0[b, 0] + v * p[b, 0]
    a1[b, 1] = a0[b, 1] + v * p[b, 1]
    a1[b, 2] = a0[b, 2] + v * p[b, 2]
    size = abs(a1[b, 0]) + abs(a1[b, 1]) + abs(a1[b, 2]) + abs(L0[b, 0]) + abs(L0[b, 1]) + abs(L0[b, 2])
    return size < 1e300


@njit
def turn(b, x, y, z, B0, L0, B1, L1):
    """B₁ and L₁ of body b by (2) and (3)."""
    D00, D01, D02, D10, D11, D12, D20, D21, D22 = increment(x, y, z)
    l0, l1, l2 = L0[b, 0], L0[b, 1], L0[b, 2]
    L1[b, 0] = l0 + (D00 * l0 + D10 * l1 + D20 * l2)
    L1[b, 1] = l1 + (D01 * l0 + D11 * l1 + D21 * l2)
    L1[b, 2] = l2 + (D02 * l0 + D12 * l1 + D22 * l2)
    for k in range(3):
        b0, b1, b2 = B0[b, k, 0], B0[b, k, 1], B0[b, k, 2]
        B1[b, k, 0] = b0 + (b0 * D00 + b1 * D10 + b2 * D20)
        B1[b, k, 1] = b1 + (b0 * D01 + b1 * D11 + b2 * D21)
        B1[b, k, 2] = b2 + (b0 * D02 + b1 * D12 + b2 * D22)


@njit
def drift(bodies, h, a0, B0, p, L0, a1, B1, L1, fault):
    """Carry every body over a step of length h by (1)–(3); in and out arrays may be the same."""
    for b in range(1, a0.shape[0]):
        if not translate(bodies, b, h, a0, p, L0, a1):
            fault[0] = b
            return NOT_FINITE
        x, y, z, status = body_cayley(bodies, b, h, L0[b, 0], L0[b, 1], L0[b, 2])
        if status != OK:
            fault[0] = b
            return status
        turn(b, x, y, z, B0, L0, B1, L1)
    return OK


@njit
def drift_again(bodies, h, a0, B0, p, L0, again, cayley, a1, B1, L1, fault):
    """`drift` for an iteration on p and L₀: it stores the Cayley vectors, and `again` starts from those of the last."""
    for b in range(1, a0.shape[0]):
        if not translate(bodies, b, h, a0, p, L0, a1):
            fault[0] = b
            return NOT_FINITE
        l0, l1, l2 = L0[b, 0], L0[b, 1], L0[b, 2]
        if again:
            J = bodies.inertia[b]
            x, y, z = cayley[b, 0], cayley[b, 1], cayley[b, 2]
            x, y, z, status = iterate_cayley(J[0], J[1], J[2], l0, l1, l2, h, x, y, z)
        else:
            x, y, z, status = body_cayley(bodies, b, h, l0, l1, l2)
        if status != OK:
            fault[0] = b
            return status
        cayley[b, 0], cayley[b, 1], cayley[b, 2] = x, y, z
        turn(b, x, y, z, B0, L0, B1, L1)
    return OK


@njit
def kick(c, f, tau, p, L):
    """p += c f, L += c τ."""
    for b in range(1, f.shape[0]):
        for k in range(3):
            p[b, k] += c * f[b, k]
            L[b, k] += c * tau[b, k]
