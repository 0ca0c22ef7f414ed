"""The matrix of the contacts with the joints eliminated, and the solution of one contact problem on top of them.

With G_c, G_j the Jacobians of contacts and joints and S = G_j M⁻¹ G_jᵀ factored, impulses P of the contacts change the
rates of the contacts by A P, and the joints answer with −K P:

    K = S⁻¹ G_j M⁻¹ G_cᵀ,      A = G_c M⁻¹ G_cᵀ − (G_j M⁻¹ G_cᵀ)ᵀ K                                         (1)
"""

from __future__ import annotations

from ..._jit import njit
from ..constrain import apply_multipliers, constraint_rates
from ..sparse import solve
from .arrays import (
    ANGULAR,
    ASKED,
    BIAS,
    BODY,
    COULOMB,
    EARLIEST,
    FIRST_ROW,
    FREE_RATES,
    IMPULSES,
    ISLAND,
    LEVEL,
    LINEAR,
    MEMBERS,
    NUMBER,
    ON,
    PARENT,
    PARENT_OF,
    PLACED,
    SELECT,
    WIDTH,
    C,
    K,
)
from .cone import add_product, friction_rows, solve_dense_cone
from .features import apply_contact, contact_rate
from .sweeps import sweep_free

FREE_SWEEPS = 400  # Gauss–Seidel sweeps over many contacts


@njit
def select_contacts(points, cone, count, island, which):
    """The contacts of a problem: those that are `on`, of one island (−1: all), in the order of the levels of their
    bodies. Returns how many, and rows."""
    m = 0
    for c in range(count):
        if points.table[ON, c] == 1 and (island < 0 or which[c] == island):
            cone.table[SELECT, m] = c
            m += 1
    if island >= 0:
        put_levels(points, cone, m)
        sort_contacts(points, cone, m)
    cone.table[FIRST_ROW, 0] = 0
    for q in range(m):
        c = cone.table[SELECT, q]
        cone.table[PLACED, c] = q
        cone.table[FIRST_ROW, q + 1] = cone.table[FIRST_ROW, q] + friction_rows(points.number[COULOMB, c])
    return m, cone.table[FIRST_ROW, m]


@njit
def put_levels(points, cone, m):
    """The levels of the bodies of an island: how many contacts lie between a body and the first one, which is at an end
    of the island. Contacts in the order of levels have a narrow matrix."""
    level, start = cone.body[LEVEL], -1
    for _ in range(2):
        for q in range(m):
            for s in range(2):
                level[points.table[BODY + s, cone.table[SELECT, q]]] = m + 1
        if start < 0:
            start = max(points.table[BODY, cone.table[SELECT, 0]], points.table[BODY + 1, cone.table[SELECT, 0]])
        level[start] = 0
        changed = True
        while changed:
            changed = False
            for k in range(2 * m):  # forth and back
                c = cone.table[SELECT, k if k < m else 2 * m - 1 - k]
                i, j = points.table[BODY, c], points.table[BODY + 1, c]
                if i > 0 and j > 0:
                    if level[i] > level[j] + 1:
                        level[i] = level[j] + 1
                        changed = True
                    elif level[j] > level[i] + 1:
                        level[j] = level[i] + 1
                        changed = True
        for q in range(m):
            for s in range(2):
                b = points.table[BODY + s, cone.table[SELECT, q]]
                if b > 0 and level[b] > level[start]:
                    start = b


@njit
def level_of(points, cone, c):
    """The levels of both bodies of contact c; the world has none."""
    i, j = points.table[BODY, c], points.table[BODY + 1, c]
    return (cone.body[LEVEL, i] if i > 0 else cone.body[LEVEL, j]) + (
        cone.body[LEVEL, j] if j > 0 else cone.body[LEVEL, i]
    )


@njit
def sort_contacts(points, cone, m):
    """Sort the selected contacts by level; equal ones keep their order."""
    for q in range(1, m):
        c, o = cone.table[SELECT, q], q
        key = level_of(points, cone, c)
        while o > 0 and level_of(points, cone, cone.table[SELECT, o - 1]) > key:
            cone.table[SELECT, o] = cone.table[SELECT, o - 1]
            o -= 1
        cone.table[SELECT, o] = c


@njit
def share_body(points, c, d):
    """True if both contacts act on one body that can move."""
    for s in range(2):
        b = points.table[BODY + s, c]
        if b > 0 and (b == points.table[BODY, d] or b == points.table[BODY + 1, d]):
            return True
    return False


@njit
def put_widths(points, cone, m, n, joints):
    """The bandwidths of A and of Newton's matrix: joints couple all contacts."""
    width, source, earliest = 0, 2, cone.body[EARLIEST]
    for q in range(m - 1, -1, -1):
        for s in range(2):
            earliest[points.table[BODY + s, cone.table[SELECT, q]]] = q
    for q in range(m):
        c = cone.table[SELECT, q]
        first = 0 if joints else first_neighbour(points, cone, c, q)
        width = max(width, cone.table[FIRST_ROW, q + 1] - 1 - cone.table[FIRST_ROW, first])
        if points.table[PARENT_OF, c] >= 0:
            apart = cone.table[FIRST_ROW, q] - cone.table[FIRST_ROW, cone.table[PLACED, points.table[PARENT_OF, c]]]
            source = max(source, 2 + abs(apart))
    cone.table[WIDTH, 0], cone.table[WIDTH, 1] = min(width, n - 1), min(width + source, n - 1)


@njit
def first_neighbour(points, cone, c, q):
    """The first contact in the order of the problem that shares a body that can move with contact c, the q-th."""
    first = q
    for s in range(2):
        b = points.table[BODY + s, c]
        if b > 0:
            first = min(first, cone.body[EARLIEST, b])
    return first


@njit
def couple_contacts(bodies, index, G, c, k, d, l):
    """Entry (k of c, l of d) of G_c M⁻¹ G_cᵀ."""
    w = 0.0
    for s in range(2):
        b = index[BODY + s, c]
        if b == 0:
            continue
        for t in range(2):
            if index[BODY + t, d] == b:
                for i in range(3):
                    w += bodies.inverse_mass[b] * G[c, s, k, i] * G[d, t, l, i]
                    w += bodies.inverse_inertia[b, i] * G[c, s, k, 3 + i] * G[d, t, l, 3 + i]
    return w


@njit
def silence_dampers(blocks, x):
    """Zero for dampers: at the position level their forces are known, and impacts are too short for them."""
    for J in range(blocks.side.shape[0] - 1):
        if blocks.soft[J] == 1:
            for r in range(blocks.row[J], blocks.row[J + 1]):
                x[r] = 0.0


@njit
def contact_matrix(bodies, blocks, Gj, S, pivot, dampers, points, cone, m, n):
    """A and K of (1) for the selected contacts."""
    A = cone.A
    put_widths(points, cone, m, n, cone.answer.shape[2] > 0)
    for i in range(n):
        row = A[i * n + max(0, i - cone.table[WIDTH, 0]) : i * n + min(n, i + cone.table[WIDTH, 0] + 1)]
        for j in range(row.shape[0]):
            row[j] = 0.0
    for q in range(m):
        c = cone.table[SELECT, q]
        for o in range(first_neighbour(points, cone, c, q), q + 1):
            d = cone.table[SELECT, o]
            if not share_body(points, c, d):
                continue
            for k in range(cone.table[FIRST_ROW, q + 1] - cone.table[FIRST_ROW, q]):
                i = cone.table[FIRST_ROW, q] + k
                for l in range(cone.table[FIRST_ROW, o + 1] - cone.table[FIRST_ROW, o]):
                    j = cone.table[FIRST_ROW, o] + l
                    w = couple_contacts(bodies, points.table, points.G, c, k, d, l)
                    A[i * n + j] = w
                    A[j * n + i] = w
    r = cone.answer.shape[2]
    if r == 0:
        return
    for q in range(m):
        c = cone.table[SELECT, q]
        for k in range(cone.table[FIRST_ROW, q + 1] - cone.table[FIRST_ROW, q]):
            i = cone.table[FIRST_ROW, q] + k
            for b in range(cone.change.shape[1]):
                for x in range(3):
                    cone.change[LINEAR, b, x], cone.change[ANGULAR, b, x] = 0.0, 0.0
            f0, f1, f2 = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
            apply_contact(points.table, points.G, c, f0, f1, f2, cone.change[LINEAR], cone.change[ANGULAR])
            constraint_rates(bodies, blocks, Gj, cone.change[LINEAR], cone.change[ANGULAR], cone.answer[C, i])
            if not dampers:
                silence_dampers(blocks, cone.answer[C, i])
            for x in range(r):
                cone.answer[K, i, x] = cone.answer[C, i, x]
            solve(blocks, S, pivot, cone.answer[K, i])
    for i in range(n):
        for j in range(n):
            s = 0.0
            for x in range(r):
                s += cone.answer[C, i, x] * cone.answer[K, j, x]
            A[i * n + j] -= s


@njit
def solve_selected(bodies, blocks, Gj, points, cone, m, n, tolerance, P, impulse, p, L):
    """Solve the problem of the selected contacts, with the matrix in cone.A, for their impulses P: P, p, L and the
    impulses of the joints change together. Returns the residual [m/s]."""
    for q in range(m):
        c = cone.table[SELECT, q]
        for k in range(cone.table[FIRST_ROW, q + 1] - cone.table[FIRST_ROW, q]):
            cone.row[IMPULSES, cone.table[FIRST_ROW, q] + k] = P[c, k]
    for q in range(m):
        c = cone.table[SELECT, q]
        for k in range(cone.table[FIRST_ROW, q + 1] - cone.table[FIRST_ROW, q]):
            rate = contact_rate(bodies, points.table, points.G, c, k, p, L) + points.vector[BIAS, c, k]
            cone.row[FREE_RATES, cone.table[FIRST_ROW, q] + k] = rate
    add_product(cone.A, n, cone.table[WIDTH, 0], -1.0, cone.row[IMPULSES], cone.row[FREE_RATES])
    residual = solve_dense_cone(points, cone, m, n, tolerance)
    r = cone.answer.shape[2]
    if r > 0:
        for x in range(r):
            cone.reply[x] = 0.0
    for q in range(m):
        c, i = cone.table[SELECT, q], cone.table[FIRST_ROW, q]
        rows = cone.table[FIRST_ROW, q + 1] - i
        dx = cone.row[IMPULSES, i] - P[c, 0]
        d1 = cone.row[IMPULSES, i + 1] - P[c, 1] if rows == 3 else 0.0
        d2 = cone.row[IMPULSES, i + 2] - P[c, 2] if rows == 3 else 0.0
        apply_contact(points.table, points.G, c, dx, d1, d2, p, L)
        for x in range(r):
            cone.reply[x] -= cone.answer[K, i, x] * dx
            if rows == 3:
                cone.reply[x] -= cone.answer[K, i + 1, x] * d1 + cone.answer[K, i + 2, x] * d2
        P[c, 0] = cone.row[IMPULSES, i]
        if rows == 3:
            P[c, 1], P[c, 2] = cone.row[IMPULSES, i + 1], cone.row[IMPULSES, i + 2]
    if r > 0:
        apply_multipliers(blocks, Gj, 1.0, cone.reply, p, L)
        for x in range(r):
            impulse[x] += cone.reply[x]
    return residual


@njit
def find_islands(bodies, points, cone, count, which):
    """Number the islands: contacts that are `on` and connected through bodies that can move. `which` gets the island of
    each contact, −1 for those that are off. Returns the number of islands."""
    parent = cone.body[PARENT]
    for b in range(parent.shape[0]):
        parent[b] = b
    for c in range(count):
        if points.table[ON, c] == 1 and points.table[BODY, c] > 0 and points.table[BODY + 1, c] > 0:
            i, j = root_of(parent, points.table[BODY, c]), root_of(parent, points.table[BODY + 1, c])
            parent[max(i, j)] = min(i, j)
    number = 0
    for b in range(parent.shape[0]):
        cone.body[NUMBER, b] = -1
    for c in range(count):
        which[c] = -1
        if points.table[ON, c] == 1:
            b = root_of(parent, max(points.table[BODY, c], points.table[BODY + 1, c]))
            if cone.body[NUMBER, b] < 0:
                cone.body[NUMBER, b] = number
                cone.body[MEMBERS, number] = 0
                number += 1
            which[c] = cone.body[NUMBER, b]
            cone.body[MEMBERS, which[c]] += 1
    return number


@njit
def root_of(parent, b):
    while parent[b] != b:
        parent[b] = parent[parent[b]]
        b = parent[b]
    return b


@njit
def solve_contacts(
    bodies, contacts, blocks, Gj, S, pivot, dampers, points, cone, count, fresh, tolerance, P, impulse, p, L
):
    """Solve the contact problem of all contacts that are on, with the terms BIAS besides their rates. `dampers`:
    those in S answer too. `fresh`: the Jacobians have changed since the last call. Returns the largest residual [m/s].

    Islands that are small enough are solved by Newton's method; for a single one the matrix is kept between calls.
    """
    worst = 0.0
    if cone.answer.shape[2] > 0:  # joints connect all bodies
        m, n = select_contacts(points, cone, count, -1, cone.table[ISLAND])
        if m > 0:
            if fresh:
                contact_matrix(bodies, blocks, Gj, S, pivot, dampers, points, cone, m, n)
            worst = solve_selected(bodies, blocks, Gj, points, cone, m, n, tolerance, P, impulse, p, L)
        return worst
    islands = find_islands(bodies, points, cone, count, cone.table[ISLAND])
    large = False
    for k in range(islands):
        if cone.body[MEMBERS, k] > contacts.dense:
            large = True
            continue
        m, n = select_contacts(points, cone, count, k, cone.table[ISLAND])
        if fresh or islands > 1:
            contact_matrix(bodies, blocks, Gj, S, pivot, dampers, points, cone, m, n)
        worst = max(worst, solve_selected(bodies, blocks, Gj, points, cone, m, n, tolerance, P, impulse, p, L))
    if large:
        for c in range(count):  # small islands are solved
            cone.table[ASKED, c] = points.table[ON, c]
            if points.table[ON, c] == 1 and cone.body[MEMBERS, cone.table[ISLAND, c]] <= contacts.dense:
                points.table[ON, c] = 0
        _, change = sweep_free(bodies, points, count, P, p, L, FREE_SWEEPS, tolerance)
        worst = max(worst, change)
        for c in range(count):
            points.table[ON, c] = cone.table[ASKED, c]
    return worst
