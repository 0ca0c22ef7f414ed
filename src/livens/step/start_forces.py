"""Forces and power at the start of a run.

`start_forces` computes the same as `forces`, `user_forces` and `power` of kernels/forces.py do inside a compiled step.
It is a second definition because those are inlined into their callers: what is called here is compiled for the rollout
anyway.
"""

from __future__ import annotations

from .._jit import njit
from ..kernels.arrays import POWER_BEFORE, POWER_OF_ENERGIES, POWER_OF_FORCES
from ..kernels.coordinates import coordinate_force, motor_force, motor_power
from ..kernels.force_tapes import add_written_forces
from ..kernels.potential import gravity_force, load_force, load_power, pair_force, spring_force


@njit
def start_forces(system, state, signals, work):
    """Forces in work.f and work.tau, and their power in work.power, with the first row of signals."""
    a, B, p, L, f, tau = state.a, state.B, state.p, state.L, work.f, work.tau
    formulas, bodies, P = system.formulas, system.bodies, work.power
    t = signals[0, formulas.clock] if formulas.clock >= 0 else 0.0
    gravity_force(system.bodies, system.gravity, f, tau)
    if len(system.springs.body):
        spring_force(system.springs, a, B, f, tau)
    if len(system.pairs.body):
        pair_force(system.pairs, a, f)
    if len(system.loads.body):
        load_force(system.loads, B, signals, 0, f, tau)
    if formulas.energies:
        n = formulas.energies
        P[POWER_OF_ENERGIES], _ = add_written_forces(formulas, n, n, bodies, a, B, p, L, t, work.registers, f, tau)
    if len(system.coordinates.kind):
        coordinate_force(system.coordinates, a, B, state.angle, f, tau)
        motor_force(system.coordinates, a, B, signals, 0, f, tau)
    if formulas.forces:
        n, end = formulas.forces, formulas.energies + formulas.forces
        _, P[POWER_OF_FORCES] = add_written_forces(formulas, n, end, bodies, a, B, p, L, t, work.registers, f, tau)
    P[POWER_BEFORE] = load_power(bodies, system.loads, B, p, L, signals, 0) if len(system.loads.body) else 0.0
    if len(system.coordinates.kind):
        P[POWER_BEFORE] += motor_power(bodies, system.coordinates, a, B, p, L, signals, 0)
    P[POWER_BEFORE] += P[POWER_OF_ENERGIES]
    P[POWER_BEFORE] += P[POWER_OF_FORCES]
