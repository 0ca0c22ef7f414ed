"""Second derivatives of user-written energies, forces and rows, from their tapes with derivatives (tangent_tape.py).

A formula depends on handles x, each with δx = X δq + Y δ(p, l) for the body that carries it; its tape gives forces F on
targets, which are the wrenches W F of their bodies (force_tapes.py). A run of the tape for each component of a handle
gives the columns of ∂F/∂x, and

    K = W ∂F/∂x X,     C = W ∂F/∂x Y,     and (1) of tangent_blocks.py for the change of W with its body.        (1)

The tape of a row gives D = ∂g/∂(a, B) of each body, with the columns b_c of B and D_c of ∂g/∂B

    f = ∂g/∂a,     t = Σ b_c × D_c,     δt − δφ × t,                                                            (2)

and ∂g/∂t, whose change is part of the change of the rate of the row.
"""

from __future__ import annotations

from .._jit import njit
from .coordinates import to_world
from .force_tapes import gather_handles
from .kinds import ANGULAR_VELOCITY, DIRECTION, POINT, POINT_VELOCITY
from .opcodes import RESULT, TIME
from .potential import to_body
from .row_tapes import gather
from .tangent_blocks import add_hat, add_hat_hat
from .tangent_rows import contract, unit
from .tangent_tape import run_with_derivatives
from .vectors import cross


@njit
def inverse_inertia_world(bodies, B, b, u):
    """B J⁻¹ Bᵀ u."""
    w0, w1, w2 = to_body(B, b, u[0], u[1], u[2])
    i = bodies.inverse_inertia[b]
    return to_world(B, b, (i[0] * w0, i[1] * w1, i[2] * w2))


@njit
def add_columns(K, k, kind, s, F, at_place, at_turn):
    """K[k] += W F (at_place, at_turn)ᵀ for a target of this kind with the lever s."""
    turn = cross(s, F) if kind != ANGULAR_VELOCITY else (F[0], F[1], F[2])
    for y in range(3):
        for z in range(3):
            if kind == POINT:
                K[k, y, z] += F[y] * at_place[z]
                K[k, y, 3 + z] += F[y] * at_turn[z]
            K[k, 3 + y, z] += turn[y] * at_place[z]
            K[k, 3 + y, 3 + z] += turn[y] * at_turn[z]


@njit
def add_formulas(formulas, bodies, link, a, B, p, L, t, w, d, K, C):
    """K and C of all energies and forces, by (1)."""
    for k in range(formulas.energies + formulas.forces):
        begin, body, end = formulas.tape[k, 2], formulas.tape[k, 3], formulas.tape[k, 4]
        handles, numbers, acts = formulas.tape[k, 5], formulas.tape[k, 6], formulas.tape[k, 7]
        h, c, e = formulas.first[k, 1], formulas.first[k, 2], formulas.first[k, 3]
        o = 3 * handles + 1 + numbers
        for i in range(o, o + 1 + 3 * acts):  # a tape writes no result that is always zero
            w[i] = 0.0
        w[3 * handles] = t
        d[:] = 0.0
        run_with_derivatives(formulas.code, formulas.constant, begin, body, w, d)
        for _ in range(formulas.first[k + 1, 0] - formulas.first[k, 0]):
            for i in range(numbers):
                w[3 * handles + 1 + i] = formulas.number[c + i]
            for n in range(handles):
                for m in range(3):
                    gather_handles(formulas.handle, formulas.handle_point, h, handles, bodies, a, B, p, L, w, 1, 0)
                    d[3 * n + m] = 1.0
                    run_with_derivatives(formulas.code, formulas.constant, body, end, w, d)
                    d[3 * n + m] = 0.0
                    add_handle(formulas, bodies, h + n, m, e, acts, n, link, B, p, L, d, o + 1, K, C)
                    for i in range(o, o + 1 + 3 * acts):
                        d[i] = 0.0
            if handles == 0:
                run_with_derivatives(formulas.code, formulas.constant, body, end, w, d)
            add_targets(formulas, e, acts, link, B, w, o + 1, K)
            h, c, e = h + handles, c + numbers, e + acts


@njit
def add_handle(formulas, bodies, handle, m, e, acts, n, link, B, p, L, d, o, K, C):
    """The columns of component m of a handle, number n of its instance, from the derivatives of the forces in d[o:]."""
    kind, b = formulas.handle[handle, 0], formulas.handle[handle, 1]
    r, ek, none = formulas.handle_point[handle], unit(m, 1.0), (0.0, 0.0, 0.0)
    x = to_world(B, b, r)
    place, turn, push, spin = none, none, none, none
    if kind == POINT:
        place, turn = ek, cross(x, ek)
    elif kind == DIRECTION:
        turn = cross(x, ek)
    else:
        i = bodies.inverse_inertia[b]
        omega = i[0] * L[b, 0], i[1] * L[b, 1], i[2] * L[b, 2]
        if kind == POINT_VELOCITY:
            turn = cross(to_world(B, b, cross(omega, r)), ek)
            push = unit(m, bodies.inverse_mass[b])
            spin = inverse_inertia_world(bodies, B, b, cross(x, ek))
        else:
            turn = cross(to_world(B, b, omega), ek)
            spin = inverse_inertia_world(bodies, B, b, ek)
    for i in range(acts):
        F = d[o + 3 * i], d[o + 3 * i + 1], d[o + 3 * i + 2]
        act, s = formulas.target[e + i, 0], to_world(B, formulas.target[e + i, 1], formulas.target_point[e + i])
        add_columns(K, link[e + i, n], act, s, F, place, turn)
        if kind >= POINT_VELOCITY:
            add_columns(C, link[e + i, n], act, s, F, push, spin)


@njit
def add_targets(formulas, e, acts, link, B, w, o, K):
    """The change of the wrenches of the forces in w[o:] with their own bodies."""
    own = link.shape[1] - 1
    for i in range(acts):
        F = w[o + 3 * i], w[o + 3 * i + 1], w[o + 3 * i + 2]
        if formulas.target[e + i, 0] == ANGULAR_VELOCITY:
            add_hat(K, link[e + i, own], 3, 3, 1.0, F)
        else:
            s = to_world(B, formulas.target[e + i, 1], formulas.target_point[e + i])
            add_hat_hat(K, link[e + i, own], 3, 3, 1.0, s, F)


@njit
def tape_blocks(tapes, k, a, B, t, w, d, local, partial, one):
    """The blocks of the row of tape k for a unit multiplier into `one`, by (2), and the change of ∂g/∂t with the poses
    of its bodies into `partial` (4, 6)."""
    n = tapes.bodies[k]
    one[:, :, :] = 0.0
    d[:] = 0.0
    for s in range(n):
        for m in range(6):
            gather(tapes, k, a, B, t, w)
            for i in range(1 + 12 * n):
                w[RESULT + i] = 0.0
                d[RESULT + i] = 0.0
            seed(d, 12 * s, B, tapes.body[k, s], m, 1.0)
            run_with_derivatives(tapes.code, tapes.constant, tapes.begin[k, 1], tapes.begin[k, 2], w, d)
            partial[s, m] = d[RESULT]
            for y in range(n):
                put_column(one, local[y, s], m, B, tapes.body[k, y], y == s, w, d, RESULT + 1 + 12 * y)
            for i in range(12):
                d[12 * s + i] = 0.0
    d[TIME] = 0.0


@njit
def seed(d, o, B, b, m, c):
    """The derivatives of the pose of body b for a unit change m of it, at the registers from o on."""
    if m < 3:
        d[o + m] = c
        return
    for j in range(3):
        x = cross(unit(m - 3, c), (B[b, 0, j], B[b, 1, j], B[b, 2, j]))
        for i in range(3):
            d[o + 3 + 3 * i + j] = x[i]


@njit
def put_column(one, k, m, B, b, itself, w, d, o):
    """Column m of block k: the change (2) of the force and torque on body b, with ∂g/∂(a, B) from register o on."""
    f = d[o], d[o + 1], d[o + 2]
    t0 = t1 = t2 = x0 = x1 = x2 = 0.0
    e = unit(m - 3, 1.0)
    for j in range(3):
        column = B[b, 0, j], B[b, 1, j], B[b, 2, j]
        D = w[o + 3 + j], w[o + 6 + j], w[o + 9 + j]
        dD = d[o + 3 + j], d[o + 6 + j], d[o + 9 + j]
        y = cross(column, dD)
        x0, x1, x2 = x0 + y[0], x1 + y[1], x2 + y[2]
        if itself and m >= 3:
            y = cross(cross(e, column), D)
            x0, x1, x2 = x0 + y[0], x1 + y[1], x2 + y[2]
            y = cross(column, D)
            t0, t1, t2 = t0 + y[0], t1 + y[1], t2 + y[2]
    if itself and m >= 3:
        y = cross(e, (t0, t1, t2))
        x0, x1, x2 = x0 - y[0], x1 - y[1], x2 - y[2]
    for i in range(3):
        one[k, i, m] = f[i]
    one[k, 3, m], one[k, 4, m], one[k, 5, m] = x0, x1, x2


@njit
def add_tape_row(lam, local, link, n, one, K):
    """K += λ K_r, with the blocks of a row in `one`."""
    for y in range(n):
        for s in range(n):
            for i in range(6):
                for j in range(6):
                    K[link[y, s], i, j] += lam * one[local[y, s], i, j]


@njit
def tape_rates(entry, slot, local, one, partial, v, R):
    """R_r with the change of ∂g/∂t."""
    contract(entry, slot, local, one, v, R)
    for s in range(4):
        if slot[s] > 0:
            for m in range(6):
                R[entry[s], m] += partial[s, m]
