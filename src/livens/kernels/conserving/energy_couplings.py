"""Newton's matrix of user-written energies and equations (energies.py): how their forces change with (δa, δφ).

The matrix has the derivative of f, by the tape, those of α, f̃ and n; where P changes with ȳ, it is the one that keeps
the equilibrium, Σ ȳ × δF = −Σ δȳ × F. A column is the change of the forces with one number of the handles.
"""

from __future__ import annotations

from ..._jit import njit
from ..coordinates import to_world
from ..kinds import POINT
from ..tangent_tape import run_with_gradients
from ..vectors import cross
from .arrays import NOWHERE, RELATIVE, ROTATION_PART
from .balance import add_product
from .energies import (
    CHANGE,
    MEAN,
    NORMAL,
    PUSH,
    Y1,
    discrete_force,
    load,
    mean_lever,
    rigid_remainder,
    weight_of,
)


@njit
def put_wrenches(formulas, slot, h, handles, B0, B1, f, wrench):
    """The forces and moments on the bodies of an instance, of the forces f on its handles, at mean levers."""
    wrench[:, :] = 0.0
    for n in range(handles):
        kind, b, s = formulas.handle[h + n, 0], formulas.handle[h + n, 1], slot[h + n]
        F = f[3 * n], f[3 * n + 1], f[3 * n + 2]
        m = cross(mean_lever(B0, B1, b, formulas.handle_point[h + n]), F)
        for j in range(3):
            if kind == POINT:
                wrench[s, j] += F[j]
            wrench[s, 3 + j] += m[j]


@njit
def put_covector(formulas, slot, h, handles, B1, q, covector):
    """How q·δy₁ depends on (δa, δφ) of the bodies of an instance."""
    covector[:, :] = 0.0
    for n in range(handles):
        kind, b, s = formulas.handle[h + n, 0], formulas.handle[h + n, 1], slot[h + n]
        u = cross(to_world(B1, b, formulas.handle_point[h + n]), (q[3 * n], q[3 * n + 1], q[3 * n + 2]))
        for j in range(3):
            if kind == POINT:
                covector[s, j] += q[3 * n + j]
            covector[s, 3 + j] += u[j]


@njit
def add_outer_product(energies, i, c, wrench, covector, lower, upper):
    """c wrench covectorᵀ, over the bodies of instance i."""
    n, first = energies.bodies[i], energies.pair_first[i]
    for s in range(n):
        for t in range(n):
            for y in range(6):
                x = c * wrench[s, y]
                if x != 0.0:
                    for z in range(6):
                        o = energies.pair[first + s * n + t, y // 3, z // 3]
                        if o >= 0:
                            lower[o + 3 * (y % 3) + z % 3] += x * covector[t, z]
                        elif o != NOWHERE:
                            upper[-1 - o + 3 * (z % 3) + y % 3] += x * covector[t, z]


@njit
def couple_row(formulas, energies, k, i, h, step, B0, B1, lower, upper):
    """The derivative of the equation of instance i, and of its forces with respect to the multiplier."""
    handles = formulas.tape[k, 5]
    put_wrenches(formulas, energies.slot, h, handles, B0, B1, energies.y[PUSH], energies.wrench)
    for j in range(3 * handles):
        energies.q[0, j] = energies.F1[h + j // 3, j % 3]
    put_covector(formulas, energies.slot, h, handles, B1, energies.q[0], energies.covector)
    for s in range(energies.bodies[i]):
        for part in range(2):
            o = energies.line[i, s, part]
            for z in range(3 if o >= 0 else 0):
                lower[o + z] += energies.covector[s, 3 * part + z]
                upper[o + z] -= step * energies.wrench[s, 3 * part + z]


@njit
def add_column(formulas, energies, h, handles, j, F, covector, K, size):
    """Add the wrenches of the forces F on the handles times how number j of them changes with (δa, δφ): one row of the
    transposed matrix K for each of the unknowns. If `covector`, times that covector instead."""
    wrench = energies.column
    wrench[:] = 0.0
    for n in range(handles):
        o = 6 * energies.slot[h + n]
        f, u = (F[3 * n], F[3 * n + 1], F[3 * n + 2]), energies.lever[n]
        if formulas.handle[h + n, 0] == POINT:
            wrench[o], wrench[o + 1], wrench[o + 2] = wrench[o] + f[0], wrench[o + 1] + f[1], wrench[o + 2] + f[2]
        wrench[o + 3] += u[1] * f[2] - u[2] * f[1]
        wrench[o + 4] += u[2] * f[0] - u[0] * f[2]
        wrench[o + 5] += u[0] * f[1] - u[1] * f[0]
    if covector:
        for y in range(size):
            c = energies.covector[y // 6, y % 6]
            for x in range(size):
                K[y, x] -= c * wrench[x]
        return
    n, i = j // 3, j % 3
    o, u = 6 * energies.slot[h + n], energies.end[n]
    one, two = (i + 1) % 3, (i + 2) % 3  # u × e_i has the components u_two and −u_one there
    if formulas.handle[h + n, 0] == POINT:
        for x in range(size):
            K[o + i, x] += wrench[x]
    for x in range(size):
        K[o + 3 + one, x] += u[two] * wrench[x]
        K[o + 3 + two, x] -= u[one] * wrench[x]


@njit
def scatter_instance(energies, i, c, K, lower, upper):
    """Add c Kᵀ, of the bodies of instance i."""
    n, first = energies.bodies[i], energies.pair_first[i]
    for s in range(n):
        for t in range(n):
            for y in range(2):
                for z in range(2):
                    o = energies.pair[first + s * n + t, y, z]
                    if o >= 0:
                        for k in range(3):
                            for m in range(3):
                                lower[o + 3 * k + m] += c * K[6 * t + 3 * z + m, 6 * s + 3 * y + k]
                    elif o != NOWHERE:
                        for k in range(3):
                            for m in range(3):
                                upper[-1 - o + 3 * m + k] += c * K[6 * t + 3 * z + m, 6 * s + 3 * y + k]


@njit
def couple_energies(formulas, energies, step, a0, B0, a1, B1, t, w, lower, upper):
    """Add −h times the derivative of all these forces to the matrix; of rows, that of their equations too."""
    y, q, d, frame = energies.y, energies.q, energies.d, energies.frame
    for k in range(formulas.energies):
        i, h, c = formulas.first[k, 0], formulas.first[k, 1], formulas.first[k, 2]
        handles, numbers = formulas.tape[k, 5], formulas.tape[k, 6]
        count, o = 3 * handles, 3 * handles + 1 + numbers
        for _ in range(formulas.first[k + 1, 0] - i):
            alpha, change = discrete_force(formulas, energies, k, i, h, c, a0, B0, a1, B1, t, w)
            if energies.row[i] >= 0:
                couple_row(formulas, energies, k, i, h, step, B0, B1, lower, upper)
            times = step * energies.factor[i]
            alike = energies.form[i] == RELATIVE
            at = Y1 if alike else MEAN
            for n in range(handles):
                F = y[PUSH, 3 * n], y[PUSH, 3 * n + 1], y[PUSH, 3 * n + 2]
                b = formulas.handle[h + n, 1]
                alone = energies.pair_first[i] + energies.slot[h + n] * (energies.bodies[i] + 1)
                place = energies.pair[alone, ROTATION_PART, ROTATION_PART]
                energies.lever[n] = mean_lever(B0, B1, b, formulas.handle_point[h + n])
                energies.end[n] = to_world(B1, b, formulas.handle_point[h + n])
                if place != NOWHERE:
                    u = energies.end[n, 0], energies.end[n, 1], energies.end[n, 2]
                    add_product(lower, place, -0.5 * times, F, u)
            follows = change > 0.0 and alpha != 0.0
            if follows:  # n ∂α/∂y₁, with ∂(n·Δy) = 2 n·δy₁
                for j in range(count):
                    q[0, j] = (y[PUSH, j] - energies.F1[h + j // 3, j % 3]) / change
            columns = count if times != 0.0 else 0
            if columns > 0:
                load(formulas, k, c, y[at], t, w)
                for e in range(o + 1 + count):
                    for j in range(count):
                        d[e, j] = 1.0 if e == j else 0.0
                run_with_gradients(
                    formulas.code, formulas.constant, formulas.tape[k, 2], formulas.tape[k, 4], w, d, count
                )
            K, size = energies.K, 6 * energies.bodies[i]
            K[:, :] = 0.0
            for j in range(columns):
                for e in range(count):
                    q[1, e] = 0.5 * d[o + 1 + e, j]
                q[1, j] -= alpha * weight_of(formulas, energies, i, h, j)
                if alike:
                    for e in range(count):
                        q[2, e] = q[1, e] / weight_of(formulas, energies, i, h, e)
                    n = j - j % 3
                    half = 0.5 if j == n else 0.0, 0.5 if j == n + 1 else 0.0, 0.5 if j == n + 2 else 0.0
                    moment = cross(half, (y[PUSH, n], y[PUSH, n + 1], y[PUSH, n + 2]))
                    rigid_remainder(formulas, h, handles, energies.weight[i], frame, y[MEAN], q[2], moment, q[1])
                if follows:
                    along = 0.0
                    for e in range(count):
                        along += q[1, e] * y[CHANGE, e]
                    q[0, j] += along / change
                add_column(formulas, energies, h, handles, j, q[1], False, K, size)
            if follows:
                put_covector(formulas, energies.slot, h, handles, B1, q[0], energies.covector)
                add_column(formulas, energies, h, handles, 0, y[NORMAL], True, K, size)
            scatter_instance(energies, i, -times, K, lower, upper)
            i, h, c = i + 1, h + handles, c + numbers
