"""Discrete gradients of user-written energies V(y, t) and equations, of handles y: points and directions of bodies.

With ȳ the mean of y₀ and y₁, Δy their difference, and forces f = −∂V/∂y from the tape of the energy (force_tapes.py),

    F = f̃ − α n,     α = (V₁ − V₀ + f̃·Δy)/(n·Δy),     so that F·Δy = V₀ − V₁                    (Gonzalez 1996)   (1)

n = W Δy, with the weight 1 of points and the largest square of a radius of gyration for directions, and f̃ = f(ȳ). If V
depends only on the relative position of its handles,

    n = P (W Δy),     f̃ = P ½ (f(y₀) + f(y₁)),     P g = g − W (t + ζ × ȳ),     Σ P g = 0,   Σ ȳ × P g = 0          (2)

P takes the nearest rigid displacement away, so that n and f̃ are in equilibrium at ȳ: momentum and angular momentum are
conserved. For every finite rotation V₁ − V₀ + f̃·Δy is of second order in the deformation, so that α n vanishes with n,
and F is smooth there. (With f(ȳ) it would be of first order, and F would jump with the direction of n.)

The gradient of a quadratic energy at ȳ is a discrete gradient, and in equilibrium there if the energy depends on the
relative position: α = 0. (2) would not be smooth for handles that are almost on one line, such as those of a cable.

An energy that depends on time has this discrete gradient at t̄, the middle of the step; its change with t at y₀ and y₁
is work. A user-written equation g is an energy −g whose forces are multiplied by λ, its row's multiplier.
"""

from __future__ import annotations

import math

from ..._jit import inline, njit
from ..coordinates import to_world
from ..force_tapes import run_lanes
from ..kinds import POINT
from ..tape import run
from ..vectors import cross, dot
from .arrays import QUADRATIC, RELATIVE
from .balance import FORCE, MOMENT

Y0, Y1, MEAN, PUSH, NORMAL, CHANGE = 0, 1, 2, 3, 4, 5  # rows of energies.y, numbers of handles
WORK_ROUND_OFF = 4e-16  # of the numerator of α, relative to its terms: below it α is zero
QUADRATIC_ROUND_OFF = 1e-9  # likewise of a quadratic energy, for which it is always round-off
COLLINEAR = 1e-18  # squared sine of an angle that counts as none


@njit
def gather(formulas, h, handles, a, B, y):
    """World vectors of the handles of an instance."""
    for k in range(handles):
        kind, b = formulas.handle[h + k, 0], formulas.handle[h + k, 1]
        u = to_world(B, b, formulas.handle_point[h + k])
        for i in range(3):
            y[3 * k + i] = u[i] + (a[b, i] if kind == POINT else 0.0)


@njit
def load(formulas, k, c, y, t, w):
    """The registers of formula k, with the numbers from c on; returns the register of its first result."""
    handles, numbers, acts = formulas.tape[k, 5], formulas.tape[k, 6], formulas.tape[k, 7]
    o = 3 * handles + 1 + numbers
    for i in range(3 * handles):
        w[i] = y[i]
    w[3 * handles] = t
    for i in range(numbers):
        w[3 * handles + 1 + i] = formulas.number[c + i]
    for i in range(o, o + 1 + 3 * acts):
        w[i] = 0.0
    return o


@njit
def energy_of(formulas, k, c, y, t, w):
    """V of an instance of formula k."""
    o = load(formulas, k, c, y, t, w)
    run(formulas.code, formulas.constant, formulas.tape[k, 0], formulas.tape[k, 2], w)
    return w[o]


@njit
def push_of(formulas, k, c, y, t, w, f):
    """−∂V/∂y of an instance of formula k."""
    o = load(formulas, k, c, y, t, w)
    run(formulas.code, formulas.constant, formulas.tape[k, 2], formulas.tape[k, 4], w)
    for i in range(3 * formulas.tape[k, 5]):
        f[i] = w[o + 1 + i]


@njit
def line_of(formulas, h, handles, y, center):
    """The direction of handles that lie on one line, or zero."""
    e = (0.0, 0.0, 0.0)
    most = 0.0
    for k in range(handles):
        s = 1.0 if formulas.handle[h + k, 0] == POINT else 0.0
        u = y[3 * k] - s * center[0], y[3 * k + 1] - s * center[1], y[3 * k + 2] - s * center[2]
        if dot(u, u) > most:
            most, e = dot(u, u), u
    if most == 0.0:
        return 1.0, 0.0, 0.0
    c = 1.0 / math.sqrt(most)
    e = c * e[0], c * e[1], c * e[2]
    for k in range(handles):
        s = 1.0 if formulas.handle[h + k, 0] == POINT else 0.0
        u = y[3 * k] - s * center[0], y[3 * k + 1] - s * center[1], y[3 * k + 2] - s * center[2]
        m = cross(u, e)
        if dot(m, m) > COLLINEAR * dot(u, u):
            return 0.0, 0.0, 0.0
    return e


@njit
def put_frame(formulas, h, handles, weight, y, frame):
    """The mean of the points y, how many they are, and the inverse inertia of all handles about it, for (2)."""
    total = 0.0
    x0 = x1 = x2 = 0.0
    for k in range(handles):
        if formulas.handle[h + k, 0] == POINT:
            total += 1.0
            x0, x1, x2 = x0 + y[3 * k], x1 + y[3 * k + 1], x2 + y[3 * k + 2]
    if total > 0.0:
        x0, x1, x2 = x0 / total, x1 / total, x2 / total
    I00 = I11 = I22 = I01 = I02 = I12 = 0.0
    for k in range(handles):
        c, s = (1.0, 1.0) if formulas.handle[h + k, 0] == POINT else (weight, 0.0)
        u = y[3 * k] - s * x0, y[3 * k + 1] - s * x1, y[3 * k + 2] - s * x2
        I00, I11, I22 = (
            I00 + c * (u[1] * u[1] + u[2] * u[2]),
            I11 + c * (u[2] * u[2] + u[0] * u[0]),
            I22 + c * (u[0] * u[0] + u[1] * u[1]),
        )
        I01, I02, I12 = I01 - c * u[0] * u[1], I02 - c * u[0] * u[2], I12 - c * u[1] * u[2]
    line = line_of(formulas, h, handles, y, (x0, x1, x2))
    c = I00 + I11 + I22 + 1e-300  # handles on one line do not show a rotation about it
    I00, I11, I22 = I00 + c * line[0] * line[0], I11 + c * line[1] * line[1], I22 + c * line[2] * line[2]
    I01, I02, I12 = I01 + c * line[0] * line[1], I02 + c * line[0] * line[2], I12 + c * line[1] * line[2]
    A00, A01, A02 = I11 * I22 - I12 * I12, I02 * I12 - I01 * I22, I01 * I12 - I02 * I11
    det = I00 * A00 + I01 * A01 + I02 * A02
    frame[0], frame[1], frame[2], frame[3] = x0, x1, x2, total
    frame[4], frame[5], frame[6] = A00 / det, A01 / det, A02 / det
    frame[7], frame[8], frame[9] = (
        (I00 * I22 - I02 * I02) / det,
        (I01 * I02 - I00 * I12) / det,
        (I00 * I11 - I01 * I01) / det,
    )


@njit
def rigid_remainder(formulas, h, handles, weight, frame, y, dy, moment, n):
    """n = P (W dy) of (2), at handles y with their frame; with a `moment` that remains, Σ y × n = −moment."""
    x0, x1, x2, total = frame[0], frame[1], frame[2], frame[3]
    t0 = t1 = t2 = 0.0
    if total > 0.0:
        for k in range(handles):
            if formulas.handle[h + k, 0] == POINT:
                t0, t1, t2 = t0 + dy[3 * k], t1 + dy[3 * k + 1], t2 + dy[3 * k + 2]
        t0, t1, t2 = t0 / total, t1 / total, t2 / total
    r0, r1, r2 = moment
    for k in range(handles):
        c, s = (1.0, 1.0) if formulas.handle[h + k, 0] == POINT else (weight, 0.0)
        u = y[3 * k] - s * x0, y[3 * k + 1] - s * x1, y[3 * k + 2] - s * x2
        v = dy[3 * k] - s * t0, dy[3 * k + 1] - s * t1, dy[3 * k + 2] - s * t2
        m = cross(u, v)
        r0, r1, r2 = r0 + c * m[0], r1 + c * m[1], r2 + c * m[2]
    z0 = frame[4] * r0 + frame[5] * r1 + frame[6] * r2
    z1 = frame[5] * r0 + frame[7] * r1 + frame[8] * r2
    z2 = frame[6] * r0 + frame[8] * r1 + frame[9] * r2
    for k in range(handles):
        c, s = (1.0, 1.0) if formulas.handle[h + k, 0] == POINT else (weight, 0.0)
        u = y[3 * k] - s * x0, y[3 * k + 1] - s * x1, y[3 * k + 2] - s * x2
        m = cross((z0, z1, z2), u)
        n[3 * k] = c * (dy[3 * k] - s * t0 - m[0])
        n[3 * k + 1] = c * (dy[3 * k + 1] - s * t1 - m[1])
        n[3 * k + 2] = c * (dy[3 * k + 2] - s * t2 - m[2])


@inline
def weight_of(formulas, energies, i, h, j):
    """W of number j of the handles of instance i, of which h is the first."""
    return 1.0 if formulas.handle[h + j // 3, 0] == POINT else energies.weight[i]


@njit
def discrete_force(formulas, energies, k, i, h, c, a0, B0, a1, B1, t, w):
    """(1) for instance i of formula k, with V₁ and F₁: F in row PUSH of energies.y. Returns α and n·Δy."""
    handles = formulas.tape[k, 5]
    y, q = energies.y, energies.q
    gather(formulas, h, handles, a0, B0, y[Y0])
    gather(formulas, h, handles, a1, B1, y[Y1])
    for j in range(3 * handles):
        y[MEAN, j] = 0.5 * (y[Y0, j] + y[Y1, j])
        y[CHANGE, j] = y[Y1, j] - y[Y0, j]
    V1 = energies.V1[i]
    if energies.form[i] == RELATIVE:
        none, frame = (0.0, 0.0, 0.0), energies.frame
        put_frame(formulas, h, handles, energies.weight[i], y[MEAN], frame)
        for j in range(3 * handles):
            mean = 0.5 * (energies.F0[h + j // 3, j % 3] + energies.F1[h + j // 3, j % 3])
            q[0, j] = mean / weight_of(formulas, energies, i, h, j)
        rigid_remainder(formulas, h, handles, energies.weight[i], frame, y[MEAN], q[0], none, y[PUSH])
        rigid_remainder(formulas, h, handles, energies.weight[i], frame, y[MEAN], y[CHANGE], none, y[NORMAL])
    else:
        push_of(formulas, k, c, y[MEAN], t, w, y[PUSH])
        for j in range(3 * handles):
            y[NORMAL, j] = weight_of(formulas, energies, i, h, j) * y[CHANGE, j]
    change, work, noise = 0.0, 0.0, abs(V1) + abs(energies.V0[i])
    for j in range(3 * handles):
        change += y[NORMAL, j] * y[CHANGE, j]
        work += y[PUSH, j] * y[CHANGE, j]
        noise += abs(y[PUSH, j] * y[MEAN, j])
    alpha, defect = 0.0, V1 - energies.V0[i] + work
    least = QUADRATIC_ROUND_OFF if energies.form[i] == QUADRATIC else WORK_ROUND_OFF
    if change > 0.0 and abs(defect) > least * noise:
        alpha = defect / change
        for j in range(3 * handles):
            y[PUSH, j] -= alpha * y[NORMAL, j]
    return alpha, change


@njit
def evaluate_ends(formulas, energies, a, B, t, w):
    """V₁ of all instances and the forces on their handles, at (a, B) and the time t: four at a time."""
    for k in range(formulas.energies):
        i, h, c = formulas.first[k, 0], formulas.first[k, 1], formulas.first[k, 2]
        handles, numbers, left = formulas.tape[k, 5], formulas.tape[k, 6], formulas.first[k + 1, 0] - i
        o = 3 * handles + 1 + numbers
        for lanes in (4, 1):
            for _ in range(left // lanes):
                for lane in range(lanes):
                    for n in range(handles):
                        first = h + lane * handles + n
                        kind, b = formulas.handle[first, 0], formulas.handle[first, 1]
                        u = to_world(B, b, formulas.handle_point[first])
                        for x in range(3):
                            w[lanes * (3 * n + x) + lane] = u[x] + (a[b, x] if kind == POINT else 0.0)
                    w[lanes * 3 * handles + lane] = t
                    for n in range(numbers):
                        w[lanes * (3 * handles + 1 + n) + lane] = formulas.number[c + lane * numbers + n]
                for part in range(2):  # the energy, the forces
                    for x in range(lanes * o, lanes * (o + 1 + 3 * handles)):
                        w[x] = 0.0
                    begin, end = formulas.tape[k, 2 * part], formulas.tape[k, 2 * part + 2]
                    run_lanes(formulas.code, formulas.constant, begin, end, w, lanes)
                    for lane in range(lanes):
                        if part == 0:
                            energies.V1[i + lane] = w[lanes * o + lane]
                        for x in range(3 * handles if part == 1 else 0):
                            energies.F1[h + lane * handles + x // 3, x % 3] = w[lanes * (o + 1 + x) + lane]
                i, h, c = i + lanes, h + lanes * handles, c + lanes * numbers
            left %= lanes


@njit
def start_energies(formulas, energies, a, B, t, w):
    """V₀ and F₀, at the start of a step."""
    evaluate_ends(formulas, energies, a, B, t, w)
    keep_energies(energies)


@njit
def keep_energies(energies):
    """V₁ and the forces at the end of a step are those at the start of the next one, if the time does not matter."""
    for i in range(energies.V0.shape[0]):
        energies.V0[i] = energies.V1[i]
    for n in range(energies.F0.shape[0]):
        for j in range(3):
            energies.F0[n, j] = energies.F1[n, j]


@njit
def all_energies(formulas, energies, a, B, t, w):
    """The sum of all V."""
    total = 0.0
    for k in range(formulas.energies):
        h, c = formulas.first[k, 1], formulas.first[k, 2]
        for _ in range(formulas.first[k + 1, 0] - formulas.first[k, 0]):
            gather(formulas, h, formulas.tape[k, 5], a, B, energies.y[Y0])
            total += energy_of(formulas, k, c, energies.y[Y0], t, w)
            h, c = h + formulas.tape[k, 5], c + formulas.tape[k, 6]
    return total


@njit
def work_of_rows(energies, lam):
    """Σ λ (g(y₁, t̄) − g(y₀, t̄)): the work of equations that depend on time."""
    total = 0.0
    for i in range(energies.row.shape[0]):
        total += lam[energies.row[i]] * (energies.V0[i] - energies.V1[i])
    return total


@njit
def take_multipliers(energies, lam):
    """The factors of the forces of rows."""
    for i in range(energies.row.shape[0]):
        energies.factor[i] = lam[energies.row[i]]


@njit
def add_energy_forces(formulas, energies, a0, B0, a1, B1, t, w, vectors):
    """Add the forces and moments of all energies to F̄ and M̄; V₁ and F₁ are those of (a₁, B₁)."""
    for k in range(formulas.energies):
        i, h, c = formulas.first[k, 0], formulas.first[k, 1], formulas.first[k, 2]
        handles = formulas.tape[k, 5]
        for _ in range(formulas.first[k + 1, 0] - i):
            discrete_force(formulas, energies, k, i, h, c, a0, B0, a1, B1, t, w)
            s = energies.factor[i]
            for n in range(handles):
                kind, b = formulas.handle[h + n, 0], formulas.handle[h + n, 1]
                F = s * energies.y[PUSH, 3 * n], s * energies.y[PUSH, 3 * n + 1], s * energies.y[PUSH, 3 * n + 2]
                m = cross(mean_lever(B0, B1, b, formulas.handle_point[h + n]), F)
                for j in range(3):
                    if kind == POINT:
                        vectors[FORCE, b, j] += F[j]
                    vectors[MOMENT, b, j] += m[j]
            i, h, c = i + 1, h + handles, c + formulas.tape[k, 6]


@njit
def mean_lever(B0, B1, b, r):
    u, v = to_world(B0, b, r), to_world(B1, b, r)
    return 0.5 * (u[0] + v[0]), 0.5 * (u[1] + v[1]), 0.5 * (u[2] + v[2])
