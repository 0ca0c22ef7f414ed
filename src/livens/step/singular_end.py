"""The end of a step near a singular configuration: q₁ is corrected onto its branch, and S(q₁) is factored there.

With σ the least singular value of M^(-1/2) Gᵀ and κ its rate of change along the motion, a violation of round-off size
means a distance δ = g/σ from the branch, and velocities there would be wrong by κδ/σ. So the displacement that S(q₁)
gives for the violations is applied. Nearer still, δ is lost in the round-off of g = σδ, but G v = κδv shows it. There
q₁ is moved to where G v₁ = 0, and v₁ is not changed. v₁ is predicted from the forces at q₀, with G(q₀)ᵀλ, which a step
back gives; well-conditioned rows are satisfied directly, in position and velocity; and with G and S a time τ later, at
q₁ + τ v₁, where σ is large enough,

    (G + τ ∂(Gv)/∂q) δq = −τ G v.                                                                               (1)

`factorise_end` is a loop over five states. Each round begins with the Jacobian and the factors of S at the current
configuration:

                 condition < SINGULAR, or displacement small
      ARRIVED ─────────────────────────────────────────────────► end
      │ ▲   └─ apply the displacement, stay ARRIVED (at most three times)
      │ │
      │ └── condition at q₀ as large: S is singular all along, not in passing
      ▼     │
      AT_START   (bodies at q₀; reached if the condition at q₁ is ≥ FLAT)
      │
      │ predict v₁, bodies back to q₁
      ▼                  G v₁ ≠ 0
      ON_BRANCH ──────────────────────► AHEAD   (bodies at q₁ + τ v₁)
      │   ▲                               │
      │   └───────────────────────────────┘ δq by (1)
      │ g = 0 and G v₁ = 0
      ▼
      FINAL ─► end
"""

from __future__ import annotations

from .._jit import inline
from ..kernels.arrays import CONDITION, H_PIVOTS, S_PIVOTS
from ..kernels.constrain import RATE_TOLERANCE, apply_multipliers, largest_displacement, largest_violation
from ..kernels.row_tapes import all_jacobians, all_rates, all_violations
from ..kernels.singular import copy, copy_configuration, move_bodies, predict_momenta, set_zero, zero_dampers
from ..kernels.sparse import TINY, add_compliance, assemble, factor, remove_dampers, solve

# the condition of S is estimated by `factor`: the largest diagonal entry over its pivot
SINGULAR = 1e6  # from here on violations of round-off size are corrected
FLAT = 1e9  # from here on velocities show the branch better than violations
LOST = 1e15  # the largest condition that `factor` can see, since S has the squared condition of G
PASSING = 1e-2  # singular in passing: the condition at q₀ is below this part of that at q₁
TAU = 0.25  # τ/h of (1)
WEAK = 1e-7  # rows with pivots below this part of their diagonal entry are weak
ROUNDS = 24  # of the loop, at most
ARRIVED, AT_START, ON_BRANCH, AHEAD, FINAL = 0, 1, 2, 3, 4


@inline
def factorise(system, state, work, h, tiny, signals, row):
    """The Jacobian at the configuration of `state` and the factors of S there, with and without dampers and without the
    rows whose pivots are below `tiny`; returns the condition of S."""
    all_jacobians(system, state.a, state.B, signals, row, work, work.partial, work.G)
    assemble(system.bodies, system.blocks, work.G, work.G, True, work.S)
    add_compliance(system.rows, system.blocks, system.shift, h, work.S, work.diagonal)
    if system.damped:
        remove_dampers(system.blocks, work.S, work.H)
        factor(system.blocks, work.H, work.pivot[H_PIVOTS], tiny)
    return factor(system.blocks, work.S, work.pivot[S_PIVOTS], tiny)


@inline
def displace(system, state, work, c):
    """δq = c M⁻¹Gᵀx, x in work.x."""
    move_P, move_L = work.a, work.L
    set_zero(move_P, move_L)
    apply_multipliers(system.blocks, work.G, c, work.x, move_P, move_L)
    move_bodies(system.bodies, 1.0, move_P, move_L, state.a, state.B)


@inline
def satisfy_velocities(system, work, signals, row):
    """The predicted momenta (work.f, work.tau) satisfy the well-conditioned rows; the rates of all are in work.g."""
    for _ in range(4):
        all_rates(system, work.G, work.f, work.tau, signals, row, 0.0, work, work.g)
        zero_dampers(system.rows, work.g)
        copy(work.g, work.x)
        solve(system.blocks, work.S, work.pivot[S_PIVOTS], work.x)
        apply_multipliers(system.blocks, work.G, -1.0, work.x, work.f, work.tau)


@inline
def factorise_end(system, state, work, h, signals, row):
    """Factors at q₁, corrected near a singular configuration. `work.f, work.tau` hold the forces at q₀ on entry and may
    hold predicted momenta on return; `work.a, work.B` are scratch: the configuration q₁ during AT_START, displacements
    otherwise."""
    at = ARRIVED
    passing = True
    for i in range(ROUNDS):
        without_weak = at == ON_BRANCH or (at == FINAL and state.account[CONDITION] >= LOST)
        condition = factorise(system, state, work, h, WEAK if without_weak else TINY, signals, row)
        if i > 0 and (at == ARRIVED or at == ON_BRANCH):
            all_violations(system, state.a, state.B, state.angle, signals, row, work, work.g)
        if at == ARRIVED:
            state.account[CONDITION] = condition
            if condition < SINGULAR or system.rolls or i == 3:
                break
            if condition >= FLAT and passing:
                copy_configuration(state.a, state.B, work.a, work.B)
                move_bodies(system.bodies, -h, state.p, state.L, state.a, state.B)
                at = AT_START
                continue
            copy(work.g, work.x)
            solve(system.blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], work.x)
            if largest_displacement(system.rows, work.diagonal, work.x) <= 1e-2:
                break
            displace(system, state, work, -1.0)
        elif at == AT_START and condition > PASSING * state.account[CONDITION]:  # light bodies, for example
            copy_configuration(work.a, work.B, state.a, state.B)
            passing = False
            at = ARRIVED
        elif at == AT_START:
            predict_momenta(0.5 * h, state.p, state.L, work.f, work.tau)
            apply_multipliers(system.blocks, work.G, 0.5 * h, work.lam, work.f, work.tau)
            copy_configuration(work.a, work.B, state.a, state.B)
            at = ON_BRANCH
        elif at == ON_BRANCH:
            e, _ = largest_violation(system.rows, work.g)
            copy(work.g, work.x)
            solve(system.blocks, work.H, work.pivot[H_PIVOTS if system.damped else S_PIVOTS], work.x)
            displace(system, state, work, -1.0)
            satisfy_velocities(system, work, signals, row)
            if (e <= 1.0 and abs(h) * largest_violation(system.rows, work.g)[0] <= RATE_TOLERANCE) or i > 20:
                at = FINAL
            else:
                move_bodies(system.bodies, TAU * h, work.f, work.tau, state.a, state.B)
                at = AHEAD
        elif at == AHEAD:
            move_bodies(system.bodies, -TAU * h, work.f, work.tau, state.a, state.B)
            copy(work.g, work.x)
            solve(system.blocks, work.S, work.pivot[S_PIVOTS], work.x)
            displace(system, state, work, -TAU * h)
            at = ON_BRANCH
        else:
            break
