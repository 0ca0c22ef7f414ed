"""The matrix of the contacts with the joints eliminated, and the solution of one contact problem on top of them.

With G_c, G_j the Jacobians of contacts and joints and S = G_j M⁻¹ G_jᵀ factored, impulses P of the contacts change the
rates of the contacts by A P, and the joints answer with −K P:

    K = S⁻¹ G_j M⁻¹ G_cᵀ,      A = G_c M⁻¹ G_cᵀ − (G_j M⁻¹ G_cᵀ)ᵀ K                                         (1)
"""

from __future__ import annotations

from ..._jit import njit
from ..constrain import apply_multipliers, constraint_rates
from ..sparse import solve
from .cone import friction_rows, solve_dense_cone, sweep_free
from .features import apply_contact, contact_rate

FREE_SWEEPS = 400  # Gauss–Seidel sweeps over many contacts


@njit
def select_contacts(points, cone, count, island, which):
    """The contacts of a dense problem: those that are `on`, of one island (−1: all). Returns how many, and rows."""
    m = 0
    cone.first[0] = 0
    for c in range(count):
        if points.on[c] == 1 and (island < 0 or which[c] == island):
            cone.select[m] = c
            cone.first[m + 1] = cone.first[m] + friction_rows(points.friction[c])
            m += 1
    return m, cone.first[m]


@njit
def couple_contacts(bodies, body, G, c, k, d, l):
    """Entry (k of c, l of d) of G_c M⁻¹ G_cᵀ."""
    w = 0.0
    for s in range(2):
        b = body[c, s]
        if b == 0:
            continue
        for t in range(2):
            if body[d, t] == b:
                for i in range(3):
                    w += bodies.inverse_mass[b] * G[c, s, k, i] * G[d, t, l, i]
                    w += bodies.inverse_inertia[b, i] * G[c, s, k, 3 + i] * G[d, t, l, 3 + i]
    return w


@njit
def contact_matrix(bodies, blocks, Gj, S, pivot, points, cone, m, n):
    """A and K of (1) for the selected contacts."""
    A = cone.A
    for q in range(m):
        c = cone.select[q]
        for o in range(q + 1):
            d = cone.select[o]
            for k in range(cone.first[q + 1] - cone.first[q]):
                i = cone.first[q] + k
                for l in range(cone.first[o + 1] - cone.first[o]):
                    j = cone.first[o] + l
                    w = couple_contacts(bodies, points.body, points.G, c, k, d, l)
                    A[i * n + j] = w
                    A[j * n + i] = w
    r = cone.K.shape[1]
    if r == 0:
        return
    for q in range(m):
        c = cone.select[q]
        for k in range(cone.first[q + 1] - cone.first[q]):
            i = cone.first[q] + k
            for b in range(cone.dp.shape[0]):
                for x in range(3):
                    cone.dp[b, x], cone.dL[b, x] = 0.0, 0.0
            f0, f1, f2 = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
            apply_contact(points.body, points.G, c, f0, f1, f2, cone.dp, cone.dL)
            constraint_rates(bodies, blocks, Gj, cone.dp, cone.dL, cone.C[i])
            for x in range(r):
                cone.K[i, x] = cone.C[i, x]
            solve(blocks, S, pivot, cone.K[i])
    for i in range(n):
        for j in range(n):
            s = 0.0
            for x in range(r):
                s += cone.C[i, x] * cone.K[j, x]
            A[i * n + j] -= s


@njit
def solve_selected(bodies, blocks, Gj, points, cone, m, n, tolerance, P, impulse, p, L):
    """Solve the problem of the selected contacts, with the matrix in cone.A, for their impulses P: P, p, L and the
    impulses of the joints change together. Returns the residual [m/s]."""
    for q in range(m):
        c = cone.select[q]
        for k in range(cone.first[q + 1] - cone.first[q]):
            cone.z[cone.first[q] + k] = P[c, k]
    for q in range(m):
        c = cone.select[q]
        for k in range(cone.first[q + 1] - cone.first[q]):
            i = cone.first[q] + k
            s = contact_rate(bodies, points.body, points.G, c, k, p, L) + points.b[c, k]
            for j in range(n):
                s -= cone.A[i * n + j] * cone.z[j]
            cone.w0[i] = s
    residual = solve_dense_cone(points, cone, m, n, tolerance)
    r = cone.K.shape[1]
    if r > 0:
        for x in range(r):
            cone.answer[x] = 0.0
    for q in range(m):
        c, i = cone.select[q], cone.first[q]
        rows = cone.first[q + 1] - i
        dx = cone.z[i] - P[c, 0]
        d1 = cone.z[i + 1] - P[c, 1] if rows == 3 else 0.0
        d2 = cone.z[i + 2] - P[c, 2] if rows == 3 else 0.0
        apply_contact(points.body, points.G, c, dx, d1, d2, p, L)
        for x in range(r):
            cone.answer[x] -= cone.K[i, x] * dx
            if rows == 3:
                cone.answer[x] -= cone.K[i + 1, x] * d1 + cone.K[i + 2, x] * d2
        P[c, 0] = cone.z[i]
        if rows == 3:
            P[c, 1], P[c, 2] = cone.z[i + 1], cone.z[i + 2]
    if r > 0:
        apply_multipliers(blocks, Gj, 1.0, cone.answer, p, L)
        for x in range(r):
            impulse[x] += cone.answer[x]
    return residual


@njit
def find_islands(bodies, points, cone, count, which):
    """Number the islands: contacts that are `on` and connected through bodies that can move. `which` gets the island of
    each contact, −1 for those that are off. Returns the number of islands."""
    parent = cone.parent
    for b in range(parent.shape[0]):
        parent[b] = b
    for c in range(count):
        if points.on[c] == 1 and points.body[c, 0] > 0 and points.body[c, 1] > 0:
            i, j = root_of(parent, points.body[c, 0]), root_of(parent, points.body[c, 1])
            parent[max(i, j)] = min(i, j)
    number = 0
    for b in range(parent.shape[0]):
        cone.number[b] = -1
    for c in range(count):
        which[c] = -1
        if points.on[c] == 1:
            b = root_of(parent, max(points.body[c, 0], points.body[c, 1]))
            if cone.number[b] < 0:
                cone.number[b] = number
                cone.members[number] = 0
                number += 1
            which[c] = cone.number[b]
            cone.members[which[c]] += 1
    return number


@njit
def root_of(parent, b):
    while parent[b] != b:
        parent[b] = parent[parent[b]]
        b = parent[b]
    return b


@njit
def solve_contacts(bodies, contacts, blocks, Gj, S, pivot, points, cone, count, fresh, tolerance, P, impulse, p, L):
    """Solve the contact problem of all contacts that are `on`, with what points.b adds to their rates. `fresh`: the
    Jacobians have changed since the last call. Returns the largest residual [m/s].

    Islands that are small enough are solved by Newton's method; for a single one the matrix is kept between calls.
    """
    worst = 0.0
    if cone.K.shape[1] > 0:  # joints connect all bodies
        m, n = select_contacts(points, cone, count, -1, cone.island)
        if m > 0:
            if fresh:
                contact_matrix(bodies, blocks, Gj, S, pivot, points, cone, m, n)
            worst = solve_selected(bodies, blocks, Gj, points, cone, m, n, tolerance, P, impulse, p, L)
        return worst
    islands = find_islands(bodies, points, cone, count, cone.island)
    large = False
    for k in range(islands):
        if cone.members[k] > contacts.dense:
            large = True
            continue
        m, n = select_contacts(points, cone, count, k, cone.island)
        if fresh or islands > 1:
            contact_matrix(bodies, blocks, Gj, S, pivot, points, cone, m, n)
        worst = max(worst, solve_selected(bodies, blocks, Gj, points, cone, m, n, tolerance, P, impulse, p, L))
    if large:
        for c in range(count):  # small islands are solved
            cone.asked[c] = points.on[c]
            if points.on[c] == 1 and cone.members[cone.island[c]] <= contacts.dense:
                points.on[c] = 0
        _, change = sweep_free(bodies, points, count, P, p, L, FREE_SWEEPS, tolerance)
        worst = max(worst, change)
        for c in range(count):
            points.on[c] = cone.asked[c]
    return worst
