"""User-written energies and forces: gather the inputs of a formula, run its tape (tape.py), apply its results.

A formula depends on world points, directions and velocities of bodies, its handles x, on the time and on numbers. The
tape of an energy gives −∂V/∂x of each. This force F at x = a + B r, or on the direction x = B r, is

    f = F,   τ = r × BᵀF        at a point,          f = 0,   τ = r × BᵀF        on a direction,               (1)

in body axes about the centre of mass; that of a force gives F itself, or a torque. A tape contains neither bodies nor
points, so that instances that differ only in numbers, bodies and points share it; they are run four at a time.
Registers: handles, time, numbers, then ∂V/∂t (or V) and the forces; the constants of a tape are computed once.

Velocity-dependent forces act at both ends of a step (trapezoidal rule): explicitly at its start, and at its end with

    p₁ = p⁻ + h/2 (f(q₁) + F(q₁, v₁)) + h/2 G(q₁)ᵀμ.                                                           (2)

F is found by fixed-point passes of kick and velocity level, which contract if h/2 ∂F/∂v M⁻¹ is below one. Second order
and symmetric in time.
"""

from __future__ import annotations

from .._jit import inline, njit
from .arrays import FORCE, FREE_FORCE, FREE_TORQUE, OLD_L, OLD_P, POWER_OF_FORCES, TORQUE
from .kinds import ANGULAR_VELOCITY, POINT, POINT_VELOCITY
from .status import AGAIN, NOT_FINITE, OK, STIFF
from .tape import run, run_four

PASSES = 60  # of (2) before a force is too stiff
SQUARED_ROUND_OFF = 1e-33  # squared change relative to the momentum that counts as none: half a unit in the last place
SQUARED_STALL = 1e-25  # below this squared change, passes may stop contracting


@njit
def gather_handles(handle, place, first, n, bodies, a, B, p, L, w, lanes, lane):
    """World coordinates of n handles into the first registers; register i is w[lanes·i + lane]."""
    for k in range(n):
        kind, b = handle[first + k, 0], handle[first + k, 1]
        x, y, z = place[first + k, 0], place[first + k, 1], place[first + k, 2]
        if kind >= POINT_VELOCITY:
            u = bodies.inverse_inertia[b, 0] * L[b, 0]
            v = bodies.inverse_inertia[b, 1] * L[b, 1]
            q = bodies.inverse_inertia[b, 2] * L[b, 2]
            if kind == ANGULAR_VELOCITY:
                x, y, z = u, v, q
            else:
                x, y, z = v * z - q * y, q * x - u * z, u * y - v * x
        for i in range(3):
            s = B[b, i, 0] * x + B[b, i, 1] * y + B[b, i, 2] * z
            if kind == POINT:
                s += a[b, i]
            elif kind == POINT_VELOCITY:
                s += bodies.inverse_mass[b] * p[b, i]
            w[lanes * (3 * k + i) + lane] = s


@njit
def apply_forces(acts, levers, first, n, bodies, B, p, L, w, o, lanes, lane, f, tau):
    """Apply the forces in the registers from o on by (1); returns their power [W]."""
    P = 0.0
    for k in range(n):
        kind, b = acts[first + k, 0], acts[first + k, 1]
        x, y, z = levers[first + k, 0], levers[first + k, 1], levers[first + k, 2]
        i = lanes * (o + 3 * k) + lane
        F0, F1, F2 = w[i], w[i + lanes], w[i + 2 * lanes]
        u0 = B[b, 0, 0] * F0 + B[b, 1, 0] * F1 + B[b, 2, 0] * F2
        u1 = B[b, 0, 1] * F0 + B[b, 1, 1] * F1 + B[b, 2, 1] * F2
        u2 = B[b, 0, 2] * F0 + B[b, 1, 2] * F1 + B[b, 2, 2] * F2
        if kind != ANGULAR_VELOCITY:
            u0, u1, u2 = y * u2 - z * u1, z * u0 - x * u2, x * u1 - y * u0
        if kind == POINT:
            f[b, 0] += F0
            f[b, 1] += F1
            f[b, 2] += F2
            P += bodies.inverse_mass[b] * (F0 * p[b, 0] + F1 * p[b, 1] + F2 * p[b, 2])
        tau[b, 0] += u0
        tau[b, 1] += u1
        tau[b, 2] += u2
        I = bodies.inverse_inertia
        P += u0 * I[b, 0] * L[b, 0] + u1 * I[b, 1] * L[b, 1] + u2 * I[b, 2] * L[b, 2]
    return P


@inline
def run_lanes(code, constant, begin, end, w, lanes):
    """A tape for four instances, or for one."""
    if lanes == 4:
        run_four(code, constant, begin, end, w)
    else:
        run(code, constant, begin, end, w)


@njit
def add_written_forces(formulas, shapes, end_shape, bodies, a, B, p, L, t, w, f, tau):
    """Add the forces of the `shapes` formulas before `end_shape` to f and τ; returns Σ∂V/∂t and the power of the forces
    [W]. (With the first formula as an argument numba would compile it twice: once for the literal 0.)"""
    partial = power = 0.0
    for k in range(end_shape - shapes, end_shape):
        begin, body, end = formulas.tape[k, 2], formulas.tape[k, 3], formulas.tape[k, 4]
        handles, numbers, acts = formulas.tape[k, 5], formulas.tape[k, 6], formulas.tape[k, 7]
        h, c, e = formulas.first[k, 1], formulas.first[k, 2], formulas.first[k, 3]
        left, o = formulas.first[k + 1, 0] - formulas.first[k, 0], 3 * handles + 1 + numbers
        for lanes in (4, 1):
            times = left // lanes
            if times == 0:
                continue
            left -= lanes * times
            for i in range(lanes * o, lanes * (o + 1 + 3 * acts)):  # a tape writes no result that is always zero
                w[i] = 0.0
            for lane in range(lanes):
                w[lanes * 3 * handles + lane] = t
            run_lanes(formulas.code, formulas.constant, begin, body, w, lanes)
            for _ in range(times):
                for lane in range(lanes):
                    gather_handles(
                        formulas.handle, formulas.handle_point, h, handles, bodies, a, B, p, L, w, lanes, lane
                    )
                    for i in range(numbers):
                        w[lanes * (3 * handles + 1 + i) + lane] = formulas.number[c + i]
                    h, c = h + handles, c + numbers
                run_lanes(formulas.code, formulas.constant, body, end, w, lanes)
                for lane in range(lanes):
                    partial += w[lanes * o + lane]
                    power += apply_forces(
                        formulas.target, formulas.target_point, e, acts, bodies, B, p, L, w, o + 1, lanes, lane, f, tau
                    )
                    e += acts
    return partial, power


@njit
def written_energy(formulas, bodies, a, B, t, w):
    """V of all energies [J]."""
    V = 0.0
    for k in range(formulas.energies):
        begin, body, end = formulas.tape[k, 0], formulas.tape[k, 1], formulas.tape[k, 2]
        handles, numbers = formulas.tape[k, 5], formulas.tape[k, 6]
        first, h, c = formulas.first[k, 0], formulas.first[k, 1], formulas.first[k, 2]
        o = 3 * handles + 1 + numbers
        w[o] = 0.0
        run(formulas.code, formulas.constant, begin, body, w)
        w[3 * handles] = t
        for _ in range(formulas.first[k + 1, 0] - first):
            gather_handles(formulas.handle, formulas.handle_point, h, handles, bodies, a, B, a, a, w, 1, 0)
            for i in range(numbers):
                w[3 * handles + 1 + i] = formulas.number[c + i]
            run(formulas.code, formulas.constant, body, end, w)
            V += w[o]
            h, c = h + handles, c + numbers
    return V


@njit
def velocity_force_pass(i, last, h, formulas, bodies, a, B, t, p, L, f, tau, held, w, power, fault):
    """Pass i of (2): F at the present velocities, added to f and τ. The first pass stores these and the momenta before
    the kick in `held`; the momenta are restored for the next pass. Returns (status or AGAIN, relative change of F)."""
    n = f.shape[0]
    for b in range(n):
        for k in range(3):
            if i == 0:
                held[FREE_FORCE, b, k], held[FREE_TORQUE, b, k] = f[b, k], tau[b, k]
                held[OLD_P, b, k], held[OLD_L, b, k] = p[b, k], L[b, k]
            held[FORCE, b, k], held[TORQUE, b, k] = held[FREE_FORCE, b, k], held[FREE_TORQUE, b, k]
    pushes, end = formulas.forces, formulas.energies + formulas.forces
    _, power[POWER_OF_FORCES] = add_written_forces(
        formulas, pushes, end, bodies, a, B, p, L, t, w, held[FORCE], held[TORQUE]
    )
    most, which = 0.0, 0
    for b in range(1, n):
        change = size = 0.0
        for k in range(3):
            im, ij = bodies.inverse_mass[b], bodies.inverse_inertia[b, k]
            F, M = 0.5 * h * held[FORCE, b, k], 0.5 * h * held[TORQUE, b, k]
            dF, dM = F - 0.5 * h * f[b, k], M - 0.5 * h * tau[b, k]
            change += im * dF * dF + ij * dM * dM
            size += im * (p[b, k] * p[b, k] + F * F + dF * dF) + ij * (L[b, k] * L[b, k] + M * M + dM * dM)
            f[b, k], tau[b, k] = held[FORCE, b, k], held[TORQUE, b, k]
        if not change < 1e300:
            fault[0] = b
            return NOT_FINITE, change
        if change > most * size:
            most, which = change / size, b
    if i == 0:
        return AGAIN, 1e300
    slow = i > 1 and most > 0.25 * last
    if most <= SQUARED_ROUND_OFF or (slow and most <= SQUARED_STALL):
        return OK, most
    if i == PASSES or (i > 8 and most > 0.8 * last):
        fault[0] = which
        return STIFF, most
    for b in range(n):
        for k in range(3):
            p[b, k], L[b, k] = held[OLD_P, b, k], held[OLD_L, b, k]
    return AGAIN, most
