"""Residuals and Newton's matrix of the step that conserves energy: equations (1) to (4) of step/energy_momentum.py."""

from __future__ import annotations

from ..._jit import inline, njit
from ..arrays import RATE
from ..coordinates import to_world
from ..tangent_blocks import add_hat, add_hat_hat
from ..vectors import cross, dot
from .arrays import COORDINATE_LAW, DISPLACEMENT_PART, PRODUCT, ROTATION_PART
from .couplings import II, add_block, couple, scatter
from .laws import follow_law
from .measures import differentiate, differentiate_points, differentiate_product, middle

# slots of work.trial: vectors of each body
START_P, START_L = 0, 1  # p̃₀, L̃₀
MEAN_V, MEAN_W = 2, 3  # v̄ (world axes), Ω̄ (body axes)
FORCE, MOMENT = 4, 5  # F̄, M̄, world axes
END_P, END_L = 6, 7  # p̃₁, L̃₁
VECTORS = 8
ORTHOGONAL = 0.02  # part of the error of BᵀB = I that a step removes


@inline
def cayley_increment(h, W, b):
    """cay(hΩ̄) − I row by row, and 1 + |hΩ̄/2|²."""
    x, y, z = 0.5 * h * W[b, 0], 0.5 * h * W[b, 1], 0.5 * h * W[b, 2]
    s = 1.0 + x * x + y * y + z * z
    t = 2.0 / s
    tx, ty, tz = t * x, t * y, t * z
    return (
        (-ty * y - tz * z, tx * y - tz, tx * z + ty),
        (tx * y + tz, -tx * x - tz * z, ty * z - tx),
        (tx * z - ty, ty * z + tx, -tx * x - ty * y),
        s,
    )


@njit
def move(h, a0, B0, trial, rest, a1, B1):
    """(1): the end of the step from the mean velocities, with the remainders of the sums before it, (12 n,)."""
    for b in range(1, a0.shape[0]):
        D0, D1, D2, _ = cayley_increment(h, trial[MEAN_W], b)
        for k in range(3):
            a1[b, k] = a0[b, k] + (h * trial[MEAN_V, b, k] + rest[12 * b + k])
            b0, b1, b2 = B0[b, k, 0], B0[b, k, 1], B0[b, k, 2]
            o = 12 * b + 3 + 3 * k
            B1[b, k, 0] = b0 + ((b0 * D0[0] + b1 * D1[0] + b2 * D2[0]) + rest[o])
            B1[b, k, 1] = b1 + ((b0 * D0[1] + b1 * D1[1] + b2 * D2[1]) + rest[o + 1])
            B1[b, k, 2] = b2 + ((b0 * D0[2] + b1 * D1[2] + b2 * D2[2]) + rest[o + 2])


@njit
def keep_remainders(h, a0, B0, trial, a1, B1, rest):
    """What the sums of `move` have lost, for the next step: otherwise the work of forces over the rounding errors of
    slow motions would add up."""
    for b in range(1, a0.shape[0]):
        D0, D1, D2, _ = cayley_increment(h, trial[MEAN_W], b)
        for k in range(3):
            o = 12 * b + k
            rest[o] = (h * trial[MEAN_V, b, k] + rest[o]) - (a1[b, k] - a0[b, k])
            b0, b1, b2 = B0[b, k, 0], B0[b, k, 1], B0[b, k, 2]
            o = 12 * b + 3 + 3 * k
            rest[o] = ((b0 * D0[0] + b1 * D1[0] + b2 * D2[0]) + rest[o]) - (B1[b, k, 0] - b0)
            rest[o + 1] = ((b0 * D0[1] + b1 * D1[1] + b2 * D2[1]) + rest[o + 1]) - (B1[b, k, 1] - b1)
            rest[o + 2] = ((b0 * D0[2] + b1 * D1[2] + b2 * D2[2]) + rest[o + 2]) - (B1[b, k, 2] - b2)
        for i in range(3):  # B stays orthogonal: −½ B (BᵀB − I), a part of it, because BᵀB has round-off too
            for j in range(3):
                e = B1[b, 0, i] * B1[b, 0, j] + B1[b, 1, i] * B1[b, 1, j] + B1[b, 2, i] * B1[b, 2, j]
                e = 0.5 * ORTHOGONAL * (e - (1.0 if i == j else 0.0))
                for k in range(3):
                    rest[12 * b + 3 + 3 * k + j] -= e * B1[b, k, i]


@njit
def evaluate(system, measures, pattern, a0, B0, a1, B1, lam, fresh, signals, before, row, trial):
    """s₁, gradients and forces of all measures; gradients at the end of the step only if `fresh`."""
    m = 0
    while m < measures.kind.shape[0]:
        if measures.points[m] == 1:
            differentiate_points(measures, m, a0, B0, a1, B1, fresh, trial.s1, trial.D, trial.N)
            for k in range(m, m + 3):
                trial.F[k] = trial.slope[k] = 0.0
            m += 3
            continue
        if measures.kind[m] == PRODUCT:  # of constraint equations alone
            trial.s1[m] = differentiate_product(measures, m, B0, B1, fresh, trial.D, trial.N)
            trial.F[m] = trial.slope[m] = 0.0
            m += 1
            continue
        trial.s1[m] = differentiate(measures, m, a0, B0, a1, B1, trial.s0[m], fresh, trial.D, trial.N)
        trial.F[m], trial.slope[m] = follow_law(
            system.springs, system.pairs, system.coordinates, measures.law[m, 0], measures.law[m, 1],
            trial.s0[m], trial.s1[m], signals, before, row,
        )  # fmt: skip
        m += 1
    for r in range(lam.shape[0]):
        for k in range(2):
            if pattern.row_measure[r, k] >= 0:
                trial.F[pattern.row_measure[r, k]] += pattern.ratio[r, k] * lam[r]


@njit
def load_at(loads, k, B0, B1, signals, before, row):
    """The mean force and torque of load k in world axes."""
    b, o = loads.body[k], loads.signal[k]
    F = (0.0, 0.0, 0.0)
    M = (0.0, 0.0, 0.0)
    for part in range(2):
        j = o + 3 * part
        c = (
            0.5 * (signals[before, j] + signals[row, j]),
            0.5 * (signals[before, j + 1] + signals[row, j + 1]),
            0.5 * (signals[before, j + 2] + signals[row, j + 2]),
        )
        if loads.follows[k] == 1:
            A = loads.axes[k]
            u = (
                A[0, 0] * c[0] + A[0, 1] * c[1] + A[0, 2] * c[2],
                A[1, 0] * c[0] + A[1, 1] * c[1] + A[1, 2] * c[2],
                A[2, 0] * c[0] + A[2, 1] * c[1] + A[2, 2] * c[2],
            )
            v, w = to_world(B0, b, u), to_world(B1, b, u)
            c = 0.5 * (v[0] + w[0]), 0.5 * (v[1] + w[1]), 0.5 * (v[2] + w[2])
        if part == 0:
            F = c
        else:
            M = c
    return F, M


@njit
def add_forces(system, measures, a0, B0, a1, B1, signals, before, row, trial, vectors):
    """F̄ and M̄ of every body: gravity, loads, and forces along measures."""
    n = a0.shape[0]
    F, M = vectors[FORCE], vectors[MOMENT]
    for b in range(n):
        for k in range(3):
            F[b, k] = system.bodies.mass[b] * system.gravity[k]
            M[b, k] = 0.0
    loads = system.loads
    for l in range(loads.body.shape[0]):
        b = loads.body[l]
        P, T = load_at(loads, l, B0, B1, signals, before, row)
        u, w = to_world(B0, b, loads.point[l]), to_world(B1, b, loads.point[l])
        m = cross((0.5 * (u[0] + w[0]), 0.5 * (u[1] + w[1]), 0.5 * (u[2] + w[2])), P)
        for k in range(3):
            F[b, k] += P[k]
            M[b, k] += m[k] + T[k]
    m = 0
    while m < measures.kind.shape[0]:
        D = trial.D
        if measures.points[m] == 1:
            P0, P1, P2 = trial.F[m], trial.F[m + 1], trial.F[m + 2]
            for side in range(2):
                b, c = measures.body[m, side], -1.0 if side == 0 else 1.0
                F[b, 0], F[b, 1], F[b, 2] = F[b, 0] + c * P0, F[b, 1] + c * P1, F[b, 2] + c * P2
                M[b, 0] += P1 * D[m + 1, side, 3] + P2 * D[m + 2, side, 3]
                M[b, 1] += P0 * D[m, side, 4] + P2 * D[m + 2, side, 4]
                M[b, 2] += P0 * D[m, side, 5] + P1 * D[m + 1, side, 5]
            m += 3
            continue
        if trial.F[m] != 0.0:
            f, turns = trial.F[m], measures.kind[m] == PRODUCT
            for side in range(2):
                b = measures.body[m, side]
                M[b, 0], M[b, 1] = M[b, 0] + f * D[m, side, 3], M[b, 1] + f * D[m, side, 4]
                M[b, 2] += f * D[m, side, 5]
                if not turns:
                    for k in range(3):
                        F[b, k] += f * D[m, side, k]
        m += 1


@njit
def body_residuals(bodies, pattern, h, B0, vectors, x):
    """Minus the residuals of (2) and (3), into the unknowns of the bodies."""
    for b in range(1, B0.shape[0]):
        o = pattern.body[b]
        L0 = vectors[START_L, b, 0], vectors[START_L, b, 1], vectors[START_L, b, 2]
        J, W = bodies.inertia[b], vectors[MEAN_W]
        L1 = 2.0 * J[0] * W[b, 0] - L0[0], 2.0 * J[1] * W[b, 1] - L0[1], 2.0 * J[2] * W[b, 2] - L0[2]
        D0, D1, D2, _ = cayley_increment(h, W, b)
        w = to_world(  # B₁L₁ − B₀L₀ = B₀ (L₁ − L₀ + D L₁), which does not feel that B is orthogonal to round-off only
            B0,
            b,
            (L1[0] - L0[0] + dot(D0, L1), L1[1] - L0[1] + dot(D1, L1), L1[2] - L0[2] + dot(D2, L1)),
        )
        for k in range(3):
            x[o + k] = h * vectors[FORCE, b, k] - 2.0 * (
                bodies.mass[b] * vectors[MEAN_V, b, k] - vectors[START_P, b, k]
            )
            x[o + 3 + k] = h * vectors[MOMENT, b, k] - w[k]


@njit
def row_residuals(rows, pattern, h, lam, g, trial):
    """Minus the residuals of (4), from the violations g of the constraint equations."""
    for r in range(lam.shape[0]):
        e = g[r]
        if rows.rate[r] > 0.0:
            e = h * lam[r] / rows.rate[r]
            for k in range(2):
                m = pattern.row_measure[r, k]
                if m >= 0:
                    e += pattern.ratio[r, k] * (trial.s1[m] - trial.s0[m])
        trial.x[pattern.row[r]] = -e


@njit
def newton_matrix(system, measures, pattern, h, a0, B0, a1, B1, signals, before, row, vectors, trial):
    """The derivative of all residuals with respect to (δa, δφ) of the bodies and λ."""
    bodies, rows = system.bodies, system.rows
    trial.lower[:] = 0.0
    trial.upper[:] = 0.0
    K, lower = trial.K, trial.lower
    for b in range(1, a0.shape[0]):
        D0, D1, D2, s = cayley_increment(h, vectors[MEAN_W], b)
        D = (D0, D1, D2)
        L0 = vectors[START_L, b, 0], vectors[START_L, b, 1], vectors[START_L, b, 2]
        J, W = bodies.inertia[b], vectors[MEAN_W]
        L1 = 2.0 * J[0] * W[b, 0] - L0[0], 2.0 * J[1] * W[b, 1] - L0[1], 2.0 * J[2] * W[b, 2] - L0[2]
        o = pattern.block[b, DISPLACEMENT_PART, DISPLACEMENT_PART]
        for k in range(3):
            lower[o + 4 * k] += 2.0 * bodies.mass[b] / h
        o = pattern.block[b, ROTATION_PART, ROTATION_PART]
        for y in range(3):
            for z in range(3):
                v = 0.0
                for i in range(3):
                    c = 0.0  # row i of J (I + D/2) B₁ᵀ
                    for j in range(3):
                        c += (0.5 * D[i][j] + (1.0 if i == j else 0.0)) * B1[b, z, j]
                    v += B1[b, y, i] * J[i] * c
                lower[o + 3 * y + z] += 2.0 * s / h * v
        x, y, z = to_world(B1, b, L1)
        lower[o + 1] += z
        lower[o + 2] -= y
        lower[o + 3] -= z
        lower[o + 5] += x
        lower[o + 6] += y
        lower[o + 7] -= x
    m = 0
    while m < measures.kind.shape[0]:
        if measures.points[m] == 1:
            couple_points(measures, pattern, m, h, B1, trial.F, trial.lower)
            m += 3
            continue
        if measures.kind[m] == PRODUCT:
            if trial.F[m] != 0.0:
                scatter_product(measures, pattern, m, -0.5 * h * trial.F[m], B0, B1, trial.lower, trial.upper)
            m += 1
            continue
        if trial.F[m] != 0.0 or trial.slope[m] != 0.0:
            couple(
                measures, m, a0, B0, a1, B1, trial.s0[m], trial.s1[m], trial.F[m], trial.slope[m], trial.D, trial.N, K
            )
            scatter(measures, pattern, m, -h, K, trial.lower, trial.upper)
        m += 1
    couple_loads(system.loads, pattern, h, B0, B1, signals, before, row, K, trial.lower, trial.upper)
    for r in range(rows.kind.shape[0]):
        damper = rows.rate[r] > 0.0
        trial.lower[pattern.row_diagonal[r]] += (
            h / rows.rate[r] if damper else 0.5 * h * h * system.shift * rows.metric[r]
        )
        for k in range(2):
            m = pattern.row_measure[r, k]
            for side in range(2):
                for part in range(2):
                    o = pattern.line[r, k, side, part]
                    if o >= 0:
                        for y in range(3):
                            trial.lower[o + y] += pattern.ratio[r, k] * trial.N[m, side, 3 * part + y]
                            trial.upper[o + y] -= h * pattern.ratio[r, k] * trial.D[m, side, 3 * part + y]


@inline
def scatter_product(measures, pattern, m, c, B0, B1, lower, upper):
    """`couple` and `scatter` for a PRODUCT: the change of 2c Ū × W̄ on i and of its opposite on j."""
    i, j = measures.body[m, 0], measures.body[m, 1]
    U1, W1 = to_world(B1, i, measures.direction[m, 0]), to_world(B1, j, measures.direction[m, 1])
    U, W = middle(to_world(B0, i, measures.direction[m, 0]), U1), middle(to_world(B0, j, measures.direction[m, 1]), W1)
    if i > 0:
        add_product(lower, pattern.block[i, ROTATION_PART, ROTATION_PART], c, W, U1)
    if j > 0:
        add_product(lower, pattern.block[j, ROTATION_PART, ROTATION_PART], c, U, W1)
    if i > 0 and j > 0:
        o = measures.pair[m, 0, ROTATION_PART, ROTATION_PART]
        if o >= 0:
            add_product(lower, o, -c, U, W1)
        else:  # transposed: (û ŵ)ᵀ = ŵ û
            add_product(upper, -1 - o, -c, W1, U)
        o = measures.pair[m, 1, ROTATION_PART, ROTATION_PART]
        if o >= 0:
            add_product(lower, o, -c, W, U1)
        else:
            add_product(upper, -1 - o, -c, U1, W)


@njit
def couple_points(measures, pattern, m, h, B1, F, lower):
    """The change of the levers of the force (F[m], F[m + 1], F[m + 2]) between two points."""
    P = F[m], F[m + 1], F[m + 2]
    for side in range(2):
        b = measures.body[m, side]
        if b > 0:
            u = to_world(B1, b, measures.point[m, side])
            place = pattern.block[b, ROTATION_PART, ROTATION_PART]
            add_product(lower, place, 0.5 * h if side == 0 else -0.5 * h, P, u)


@njit
def couple_loads(loads, pattern, h, B0, B1, signals, before, row, K, lower, upper):
    """The change of the levers of loads, and of those that turn with their body."""
    for l in range(loads.body.shape[0]):
        b = loads.body[l]
        if b == 0:
            continue
        P, _ = load_at(loads, l, B0, B1, signals, before, row)
        u0, u1 = to_world(B0, b, loads.point[l]), to_world(B1, b, loads.point[l])
        u = 0.5 * (u0[0] + u1[0]), 0.5 * (u0[1] + u1[1]), 0.5 * (u0[2] + u1[2])
        K[:, :, :] = 0.0
        add_hat_hat(K, II, 3, 3, -0.5 * h, P, u1)
        if loads.follows[l] == 1:  # δP = ½ δφ × P₁
            Q, T = load_at(loads, l, B1, B1, signals, before, row)
            add_hat_hat(K, II, 3, 3, 0.5 * h, u, Q)
            add_hat(K, II, 0, 3, 0.5 * h, Q)
            add_hat(K, II, 3, 3, 0.5 * h, T)
        add_block(lower, upper, pattern.block[b], 1.0, K[II])


@njit
def add_product(lower, o, c, u, w):
    """Add c û ŵ at o."""
    dot = c * (u[0] * w[0] + u[1] * w[1] + u[2] * w[2])
    for i in range(3):
        for j in range(3):
            lower[o + 3 * i + j] += c * w[i] * u[j]
        lower[o + 4 * i] -= dot


@njit
def work_done(system, measures, h, B0, B1, signals, before, row, lam, mu, tilt, partial, trial, vectors):
    """The work of loads, motors and prescribed motions in a step; for the last, λ̄ (φ₁ − φ₀) and the impulses of the
    velocity level at both ends. Of user-written rows it is that of these impulses, with ∂g/∂t in `partial` at the
    start."""
    total = 0.0
    loads, coordinates, rows = system.loads, system.coordinates, system.rows
    for l in range(loads.body.shape[0]):
        b = loads.body[l]
        P, T = load_at(loads, l, B0, B1, signals, before, row)
        u, w = to_world(B0, b, loads.point[l]), to_world(B1, b, loads.point[l])
        m = cross((0.5 * (u[0] + w[0]), 0.5 * (u[1] + w[1]), 0.5 * (u[2] + w[2])), P)
        W = vectors[MEAN_W, b, 0], vectors[MEAN_W, b, 1], vectors[MEAN_W, b, 2]
        u, w = to_world(B0, b, W), to_world(B1, b, W)
        for k in range(3):
            total += h * (P[k] * vectors[MEAN_V, b, k] + 0.5 * (m[k] + T[k]) * (u[k] + w[k]))
    for m in range(measures.kind.shape[0]):
        k = coordinates.signal[measures.law[m, 1]] if measures.law[m, 0] == COORDINATE_LAW else -1
        if k >= 0:
            force = 0.5 * (signals[before, k] + signals[row, k])
            total += force * (trial.s1[m] - trial.s0[m])
    for r in range(lam.shape[0]):
        k = rows.signal[r]
        if k >= 0 and not rows.rate[r] > 0.0:
            total += lam[r] * (signals[row, k] - signals[before, k])
            total += mu[r] * (tilt * signals[before, k + RATE] - signals[row, k + RATE] / tilt)
    for k in range(system.tapes.row.shape[0]):
        r = system.tapes.row[k]
        total += mu[r] * (trial.partial[r] / tilt - tilt * partial[r])
    return total
