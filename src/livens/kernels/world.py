"""Everything that acts, together: all forces, the whole potential energy, the power from outside."""

from __future__ import annotations

from .._jit import inline, njit
from .coordinates import coordinate_force, coordinate_potential, motor_force, motor_power
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
def free_forces(system, a, B, signals, row, f, tau):
    """All that acts where there are no joints: gravity, springs, attraction and loads. Handing over an empty bag would
    cost a single body a tenth of its step, so it is not done."""
    gravity_force(system.bodies, system.gravity, f, tau)
    if system.springs.body.shape[0] > 0:
        spring_force(system.springs, a, B, f, tau)
    if system.pairs.body.shape[0] > 0:
        pair_force(system.pairs, a, f)
    if system.loads.body.shape[0] > 0:
        load_force(system.loads, B, signals, row, f, tau)


@inline
def forces(system, a, B, angle, signals, row, f, tau):
    """All applied forces [N] and body torques [N m] at the configuration (a, B): −∇V, loads and motors."""
    free_forces(system, a, B, signals, row, f, tau)
    coordinate_force(system.coordinates, a, B, angle, f, tau)
    motor_force(system.coordinates, a, B, signals, row, f, tau)


@inline
def potential(system, a, B, angle):
    """V [J]: gravity, springs, attraction, springs and stops in joints."""
    return (
        gravity_potential(system.bodies, system.gravity, a)
        + spring_potential(system.springs, a, B)
        + pair_potential(system.pairs, a)
        + coordinate_potential(system.coordinates, angle)
    )


@inline
def power(system, state, signals, row):
    """Power of loads and motors [W]."""
    return load_power(system.bodies, system.loads, state.B, state.p, state.L, signals, row) + motor_power(
        system.bodies, system.coordinates, state.a, state.B, state.p, state.L, signals, row
    )


def start_forces(system, state, signals, work):
    """`forces` and `power` of the first row of signals, as Python calls kernels that are compiled already."""
    a, B, p, L, f, tau = state.a, state.B, state.p, state.L, work.f, work.tau
    gravity_force(system.bodies, system.gravity, f, tau)
    spring_force(system.springs, a, B, f, tau)
    pair_force(system.pairs, a, f)
    load_force(system.loads, B, signals, 0, f, tau)
    coordinate_force(system.coordinates, a, B, state.angle, f, tau)
    motor_force(system.coordinates, a, B, signals, 0, f, tau)
    work.power[0] = load_power(system.bodies, system.loads, B, p, L, signals, 0) + motor_power(
        system.bodies, system.coordinates, a, B, p, L, signals, 0
    )


@njit
def energies(system, record, T, V):
    """Kinetic and potential energy [J] of every state of a record."""
    for i in range(T.shape[0]):
        T[i] = kinetic(system.bodies, record.p[i], record.L[i])
        V[i] = potential(system, record.a[i], record.B[i], record.angle[i])


@njit
def all_forces(system, record, signals, f, tau):
    """Applied forces and body torques at every state of a record, with one row of signals for each."""
    for i in range(f.shape[0]):
        forces(system, record.a[i], record.B[i], record.angle[i], signals, i, f[i], tau[i])
