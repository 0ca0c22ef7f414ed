"""User-written forces F(y, ẏ, t) and torques in the step that conserves energy: their values in its middle.

The handles y are points, directions, velocities of points and angular velocities (force_tapes.py). In a step they are

    points, directions:  ȳ = ½ (y₀ + y₁),        ẋ̄ = v̄ + ω̄ × (B̄ r) = (x₁ − x₀)/h,        ω̄ = B₀ Ω̄,                (1)

and F̄ = F(ȳ, ẏ̄, t̄) acts at the mean lever, so that its work is exactly h F̄·ẋ̄, or h M̄·ω̄ of a torque: what is booked.
Newton's matrix has the derivative of F by its tape, with

    δȳ = ½ δy₁,       δẋ̄ = δx₁/h,       δω̄ = (1 + |hΩ̄/2|²)/h B₀ (I + ½ (cay(hΩ̄) − I)) B₁ᵀ δφ.                      (2)

Rows without slip are such forces of unit size (compile/rolling_rows.py). Their equation is that the unit force has no
power, and the force is λ times as large: it does no work.
"""

from __future__ import annotations

from ..._jit import inline, njit
from ..coordinates import to_world
from ..kinds import ANGULAR_VELOCITY, POINT, POINT_VELOCITY
from ..potential import to_body
from ..tangent_tape import run_with_derivatives
from ..tape import run
from ..vectors import cross
from .arrays import NOWHERE, ROTATION_PART
from .balance import FORCE, MEAN_V, MEAN_W, MOMENT, add_product, cayley_increment
from .energies import mean_lever
from .energy_couplings import add_outer_product

UNIT_PUSH, PUSH_CHANGE = 0, 1  # rows of pushes.push


@inline
def mean_turning(B0, vectors, b):
    """ω̄ of body b, world axes."""
    return to_world(B0, b, (vectors[MEAN_W, b, 0], vectors[MEAN_W, b, 1], vectors[MEAN_W, b, 2]))


@njit
def gather_means(formulas, h, handles, a0, B0, a1, B1, vectors, w):
    """(1) into the first registers."""
    for k in range(handles):
        kind, b = formulas.handle[h + k, 0], formulas.handle[h + k, 1]
        if kind >= POINT_VELOCITY:
            x = mean_turning(B0, vectors, b)
            if kind == POINT_VELOCITY:
                u = cross(x, mean_lever(B0, B1, b, formulas.handle_point[h + k]))
                V = vectors[MEAN_V]
                x = V[b, 0] + u[0], V[b, 1] + u[1], V[b, 2] + u[2]
        else:
            x = mean_lever(B0, B1, b, formulas.handle_point[h + k])
            if kind == POINT:
                x = (
                    0.5 * (a0[b, 0] + a1[b, 0]) + x[0],
                    0.5 * (a0[b, 1] + a1[b, 1]) + x[1],
                    0.5 * (a0[b, 2] + a1[b, 2]) + x[2],
                )
        w[3 * k], w[3 * k + 1], w[3 * k + 2] = x


@njit
def load_means(formulas, k, h, c, a0, B0, a1, B1, t, vectors, w):
    """The registers of formula k; returns that of its first force."""
    handles, numbers, acts = formulas.tape[k, 5], formulas.tape[k, 6], formulas.tape[k, 7]
    gather_means(formulas, h, handles, a0, B0, a1, B1, vectors, w)
    w[3 * handles] = t
    o = 3 * handles + 1
    for i in range(numbers):
        w[o + i] = formulas.number[c + i]
    o += numbers
    for i in range(o, o + 1 + 3 * acts):  # a tape writes no result that is always zero
        w[i] = 0.0
    return o + 1


@njit
def push_of_means(formulas, k, h, c, a0, B0, a1, B1, t, vectors, w, push):
    """F̄ on the targets of an instance of formula k."""
    o = load_means(formulas, k, h, c, a0, B0, a1, B1, t, vectors, w)
    run(formulas.code, formulas.constant, formulas.tape[k, 2], formulas.tape[k, 4], w)
    for i in range(3 * formulas.tape[k, 7]):
        push[UNIT_PUSH, i] = w[o + i]


@njit
def power_of(formulas, k, e, B0, B1, vectors, push, which):
    """The power of the forces in row `which` of `push` on the targets from e on [W]."""
    power = 0.0
    for n in range(formulas.tape[k, 7]):
        kind, b = formulas.target[e + n, 0], formulas.target[e + n, 1]
        F = push[which, 3 * n], push[which, 3 * n + 1], push[which, 3 * n + 2]
        M, turning = F, mean_turning(B0, vectors, b)
        if kind != ANGULAR_VELOCITY:
            M = cross(mean_lever(B0, B1, b, formulas.target_point[e + n]), F)
        for j in range(3):
            if kind == POINT and b > 0:
                power += F[j] * vectors[MEAN_V, b, j]
            if b > 0:
                power += M[j] * turning[j]
    return power


@njit
def add_pushes(formulas, pushes, a0, B0, a1, B1, t, w, vectors):
    """Add all these forces and moments to F̄ and M̄; returns their power [W]."""
    total, i = 0.0, 0
    for k in range(formulas.energies, formulas.energies + formulas.forces):
        h, c, e = formulas.first[k, 1], formulas.first[k, 2], formulas.first[k, 3]
        for _ in range(formulas.first[k + 1, 0] - formulas.first[k, 0]):
            push_of_means(formulas, k, h, c, a0, B0, a1, B1, t, vectors, w, pushes.push)
            s = pushes.factor[i]
            for n in range(formulas.tape[k, 7]):
                kind, b = formulas.target[e + n, 0], formulas.target[e + n, 1]
                F = (
                    s * pushes.push[UNIT_PUSH, 3 * n],
                    s * pushes.push[UNIT_PUSH, 3 * n + 1],
                    s * pushes.push[UNIT_PUSH, 3 * n + 2],
                )
                M = F
                if kind != ANGULAR_VELOCITY:
                    M = cross(mean_lever(B0, B1, b, formulas.target_point[e + n]), F)
                for j in range(3):
                    if kind == POINT:
                        vectors[FORCE, b, j] += F[j]
                    vectors[MOMENT, b, j] += M[j]
            pushes.power[i] = power_of(formulas, k, e, B0, B1, vectors, pushes.push, UNIT_PUSH)
            total += s * pushes.power[i]
            i, h, c, e = i + 1, h + formulas.tape[k, 5], c + formulas.tape[k, 6], e + formulas.tape[k, 7]
    return total


@njit
def slip_residuals(h, pushes, g):
    """The violations of rows without slip: displacements along their forces in a step."""
    for i in range(pushes.row.shape[0]):
        g[pushes.row[i]] = h * pushes.power[i]


@njit
def put_wrench(formulas, pushes, k, e, B0, B1, which):
    """The forces and moments, of the forces in row `which`, on the bodies of an instance, into pushes.wrench."""
    pushes.wrench[:, :] = 0.0
    for n in range(formulas.tape[k, 7]):
        kind, b, s = formulas.target[e + n, 0], formulas.target[e + n, 1], pushes.target[e + n]
        F = pushes.push[which, 3 * n], pushes.push[which, 3 * n + 1], pushes.push[which, 3 * n + 2]
        M = F
        if kind != ANGULAR_VELOCITY:
            M = cross(mean_lever(B0, B1, b, formulas.target_point[e + n]), F)
        for j in range(3):
            if kind == POINT:
                pushes.wrench[s, j] += F[j]
            pushes.wrench[s, 3 + j] += M[j]


@inline
def turning_covector(step, B0, B1, vectors, b, u):
    """How u·ω̄ changes with δφ, by (2)."""
    D0, D1, D2, spread = cayley_increment(step, vectors[MEAN_W], b)
    x, y, z = to_body(B0, b, u[0], u[1], u[2])
    c = spread / step
    return to_world(
        B1,
        b,
        (
            c * (x + 0.5 * (x * D0[0] + y * D1[0] + z * D2[0])),
            c * (y + 0.5 * (x * D0[1] + y * D1[1] + z * D2[1])),
            c * (z + 0.5 * (x * D0[2] + y * D1[2] + z * D2[2])),
        ),
    )


@njit
def put_mean_covector(formulas, pushes, step, h, j, B0, B1, vectors):
    """(2): how number j of the handles from h on changes with (δa, δφ) of the bodies, into pushes.covector."""
    pushes.covector[:, :] = 0.0
    kind, b, s, i = formulas.handle[h + j // 3, 0], formulas.handle[h + j // 3, 1], pushes.slot[h + j // 3], j % 3
    e = 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0
    if kind == ANGULAR_VELOCITY:
        u = turning_covector(step, B0, B1, vectors, b, e)
        for z in range(3):
            pushes.covector[s, 3 + z] = u[z]
        return
    c = 1.0 / step if kind == POINT_VELOCITY else 0.5
    u = cross(to_world(B1, b, formulas.handle_point[h + j // 3]), e)
    for z in range(3):
        if kind == POINT or kind == POINT_VELOCITY:
            pushes.covector[s, z] = c * e[z]
        pushes.covector[s, 3 + z] = c * u[z]


@njit
def couple_slip(formulas, pushes, k, i, e, step, B0, B1, vectors, lower, upper):
    """For the row of instance i: the derivative of its forces with respect to the multiplier, and of its equation at
    constant forces. Its targets are centres of mass and torques."""
    put_wrench(formulas, pushes, k, e, B0, B1, UNIT_PUSH)
    for s in range(pushes.bodies[i]):
        for part in range(2):
            o = pushes.line[i, s, part]
            for z in range(3 if o >= 0 else 0):
                upper[o + z] -= step * pushes.wrench[s, 3 * part + z]
    for n in range(formulas.tape[k, 7]):
        b, s = formulas.target[e + n, 1], pushes.target[e + n]
        F, part = (
            (pushes.push[UNIT_PUSH, 3 * n], pushes.push[UNIT_PUSH, 3 * n + 1], pushes.push[UNIT_PUSH, 3 * n + 2]),
            0,
        )
        if formulas.target[e + n, 0] == ANGULAR_VELOCITY:
            u, part = turning_covector(step, B0, B1, vectors, b, F), 1
            F = step * u[0], step * u[1], step * u[2]
        o = pushes.line[i, s, part]
        for z in range(3 if o >= 0 else 0):
            lower[o + z] += F[z]


@njit
def couple_pushes(formulas, pushes, step, a0, B0, a1, B1, t, w, vectors, lower, upper):
    """Add −h times the derivative of all these forces to the matrix; of rows, that of their equations too."""
    push, d, i = pushes.push, pushes.d, 0
    for k in range(formulas.energies, formulas.energies + formulas.forces):
        handles, acts = formulas.tape[k, 5], formulas.tape[k, 7]
        h, c, e = formulas.first[k, 1], formulas.first[k, 2], formulas.first[k, 3]
        for _ in range(formulas.first[k + 1, 0] - formulas.first[k, 0]):
            push_of_means(formulas, k, h, c, a0, B0, a1, B1, t, vectors, w, push)
            times = step * pushes.factor[i]
            if pushes.row[i] >= 0:
                couple_slip(formulas, pushes, k, i, e, step, B0, B1, vectors, lower, upper)
            for n in range(acts):  # levers
                b = formulas.target[e + n, 1]
                alone = pushes.pair_first[i] + pushes.target[e + n] * (pushes.bodies[i] + 1)
                place = pushes.pair[alone, ROTATION_PART, ROTATION_PART]
                if formulas.target[e + n, 0] != ANGULAR_VELOCITY and place != NOWHERE:
                    F = push[UNIT_PUSH, 3 * n], push[UNIT_PUSH, 3 * n + 1], push[UNIT_PUSH, 3 * n + 2]
                    add_product(lower, place, -0.5 * times, F, to_world(B1, b, formulas.target_point[e + n]))
            d[:] = 0.0
            for j in range(3 * handles):
                o = load_means(formulas, k, h, c, a0, B0, a1, B1, t, vectors, w)
                for x in range(o - 1, o + 3 * acts):
                    d[x] = 0.0
                d[j] = 1.0
                run_with_derivatives(formulas.code, formulas.constant, formulas.tape[k, 2], formulas.tape[k, 4], w, d)
                d[j] = 0.0
                for x in range(3 * acts):
                    push[PUSH_CHANGE, x] = d[o + x]
                put_wrench(formulas, pushes, k, e, B0, B1, PUSH_CHANGE)
                put_mean_covector(formulas, pushes, step, h, j, B0, B1, vectors)
                add_outer_product(pushes, i, -times, pushes.wrench, pushes.covector, lower, upper)
                if pushes.row[i] >= 0:
                    more = step * power_of(formulas, k, e, B0, B1, vectors, push, PUSH_CHANGE)
                    for s in range(pushes.bodies[i]):
                        for x in range(6):
                            line = pushes.line[i, s, x // 3]
                            if line >= 0:
                                lower[line + x % 3] += more * pushes.covector[s, x]
            i, h, c, e = i + 1, h + handles, c + formulas.tape[k, 6], e + acts
