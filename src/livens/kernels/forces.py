"""Totals: all forces, the potential energy, the power of external forces."""

from __future__ import annotations

from .._jit import inline, njit
from .arrays import POWER_OF_ENERGIES, POWER_OF_FORCES
from .coordinates import coordinate_force, coordinate_potential, motor_force, motor_power
from .force_tapes import add_written_forces, written_energy
from .potential import (
    gravity_force,
    gravity_potential,
    kinetic,
    load_force,
    load_power,
    pair_force,
    pair_potential,
    spring_force,
    spring_potential,
)


@inline
def time_of(system, signals, row):
    """The time of a table row; 0 if no formula depends on it."""
    return signals[row, system.formulas.clock] if system.formulas.clock >= 0 else 0.0


@inline
def user_forces(system, a, B, p, L, signals, row, work, f, tau):
    """Add user-written forces at the velocities of (p, L); their power goes into work.power."""
    if system.formulas.forces > 0:
        t = time_of(system, signals, row)
        pushes, end = system.formulas.forces, system.formulas.energies + system.formulas.forces
        _, work.power[POWER_OF_FORCES] = add_written_forces(
            system.formulas, pushes, end, system.bodies, a, B, p, L, t, work.registers, f, tau
        )


@inline
def free_forces(system, a, B, p, L, signals, row, work, f, tau):
    """All forces in a system without joints: gravity, springs, attraction, loads and user-written energies, whose ∂V/∂t
    goes into work.power. Kinds without members are not called, which would cost a single body a tenth of its step.
    User-written forces are added by `user_forces` or in passes (force_tapes.py)."""
    gravity_force(system.bodies, system.gravity, f, tau)
    if system.springs.body.shape[0] > 0:
        spring_force(system.springs, a, B, f, tau)
    if system.pairs.body.shape[0] > 0:
        pair_force(system.pairs, a, f)
    if system.loads.body.shape[0] > 0:
        load_force(system.loads, B, signals, row, f, tau)
    if system.formulas.energies > 0:
        t = time_of(system, signals, row)
        n = system.formulas.energies
        work.power[POWER_OF_ENERGIES], _ = add_written_forces(
            system.formulas, n, n, system.bodies, a, B, p, L, t, work.registers, f, tau
        )


@inline
def forces(system, a, B, p, L, angle, signals, row, work, f, tau):
    """All applied forces [N] and body torques [N m] at the configuration (a, B): −∇V, loads and motors."""
    free_forces(system, a, B, p, L, signals, row, work, f, tau)
    coordinate_force(system.coordinates, a, B, angle, f, tau)
    motor_force(system.coordinates, a, B, signals, row, f, tau)


@inline
def potential(system, a, B, angle, t, w):
    """V [J]: gravity, springs, attraction, springs and stops in joints, user-written energies."""
    return (
        gravity_potential(system.bodies, system.gravity, a)
        + spring_potential(system.springs, a, B)
        + pair_potential(system.pairs, a)
        + coordinate_potential(system.coordinates, angle)
        + written_energy(system.formulas, system.bodies, a, B, t, w)
    )


@inline
def power(system, state, signals, row, work):
    """Power of loads, motors and user-written forces, and ∂V/∂t of energies that vary [W]."""
    return (
        load_power(system.bodies, system.loads, state.B, state.p, state.L, signals, row)
        + motor_power(system.bodies, system.coordinates, state.a, state.B, state.p, state.L, signals, row)
        + work.power[POWER_OF_ENERGIES]
        + work.power[POWER_OF_FORCES]
    )


@njit
def energies_of_record(system, record, t, w, T, V):
    """Kinetic and potential energy [J] of every state of a record, at the times t, with registers w."""
    for i in range(T.shape[0]):
        T[i] = kinetic(system.bodies, record.p[i], record.L[i])
        V[i] = potential(system, record.a[i], record.B[i], record.angle[i], t[i], w)


@njit
def forces_of_record(system, record, signals, work, f, tau):
    """Applied forces and body torques, user-written ones too, at every state of a record, with one row of signals for
    each."""
    for i in range(f.shape[0]):
        a, B, p, L = record.a[i], record.B[i], record.p[i], record.L[i]
        forces(system, a, B, p, L, record.angle[i], signals, i, work, f[i], tau[i])
        user_forces(system, a, B, p, L, signals, i, work, f[i], tau[i])
