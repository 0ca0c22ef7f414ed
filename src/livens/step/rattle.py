"""The Livens step with joints: the same kick, drift, kick, with multipliers at both levels (RATTLE).

One step of length h from (q₀, p₀), with S(q₀) factored from the step before:

    kick     p ← p₀ + h/2 (f(q₀) + damper forces at q₀)
    position p⁺ = p + h/2 G(q₀)ᵀλ,  q₁ = drift(q₀, p⁺),  λ such that g(q₁) = 0        simplified Newton with S(q₀)
    kick     p ← p⁻ + h/2 f(q₁)
    velocity p₁ = p + h/2 G(q₁)ᵀμ,  μ such that G(q₁) v₁ = 0                          S(q₁) factored here, once

λ starts from the last μ plus the lead that λ had over it, extrapolated from two steps. While simplified Newton
contracts, two drifts a step are usual. Where it does not (positions that are singular in passing: S(q₀) has the wrong
sign in the mode that changes branch), the exact matrix G(q₁) M⁻¹ G(q₀)ᵀ takes over until the step has converged.
With σ the least singular value of M^(-1/2) Gᵀ and κ how fast it changes along the motion, a step that ends so near to
such a position that round-off over σ² matters is put onto its branch by `land`.
"""

from __future__ import annotations

from .._jit import inline, njit
from ..kernels.compensated import careful_drift, remember
from ..kernels.constrain import correct, farthest, guess, push, rates, reach, slips, worst, yields
from ..kernels.coordinates import read
from ..kernels.force_tapes import PASSES, respond
from ..kernels.forces import forces, power, start_forces, time_of
from ..kernels.potential import earn
from ..kernels.record import keep
from ..kernels.row_tapes import all_defects, all_gradients, all_rates, tape_gradients, tape_work
from ..kernels.rows import gradients
from ..kernels.singular import clear, copy, copy_places, foresee, hold, ignore_dampers, nudge
from ..kernels.sparse import TINY, assemble, factor, factor_lu, harden, soften, solve, solve_lu
from ..kernels.spin import drift, kick
from ..kernels.status import AGAIN, NOT_FINITE, OK, POSITION

ROUND_OFF = 2e-15  # what a difference of two places is good to, as a part of them
NEAR = 100.0  # how far positions may be from where the rows want them, in tolerances
SINGULAR = 1e6  # largest diagonal entry over pivot of S: from here on the exact matrix is taken at once
ROUGH = 1e8  # from here on multipliers, which go with 1/σ, are anything but smooth
FLAT = 1e9  # from here on velocities show better than defects where the branch is
PASSING = 1e-2  # of how singular S is at a landing, what it may have been a step before: else it is so all along
AHEAD = 0.25  # how long after such a landing its branch is looked at, in steps: τ/h
WEAK = 1e-7  # rows with pivots below this part of their diagonal entry are weak there
LOST = 1e15  # as singular as S can be seen to be, its condition being that of G squared
GLIMPSE = 1e-5  # how long after such a landing G shows it again, in steps
SIMPLIFIED = 12  # iterations with S(q₀) before the exact matrix takes over
EXACT = 80  # iterations in all before the step has failed
THERE, BEFORE, HERE, AFTER, DONE = 0, 1, 2, 3, 4  # where `land` is: q₁ as it came, q₀, q₁, q₁ + τ v₁, q₁ for good


@inline
def factorise(system, state, work, h, tiny, signals, row):
    """Gradients at the configuration of `state` and the factors of S there, with and without dampers and without the
    rows whose pivots are `tiny`; how singular S is, as the largest diagonal entry over its pivot."""
    all_gradients(system, state.a, state.B, signals, row, work, work.partial, work.G)
    assemble(system.bodies, system.blocks, work.G, work.G, True, work.S)
    soften(system.rows, system.blocks, system.shift, h, work.S, work.diagonal)
    if system.damped:
        harden(system.blocks, work.S, work.H)
        factor(system.blocks, work.H, work.pivot[1], tiny)
    return factor(system.blocks, work.S, work.pivot[0], tiny)


@inline
def newton(system, work, signals, row, exact):
    """x = what λ must change by, from the defects g, up to the factor −2/h²."""
    for r in range(work.g.shape[0]):
        work.x[r] = work.g[r]
    if exact:
        all_gradients(system, work.a, work.B, signals, row, work, work.y, work.N)
        assemble(system.bodies, system.blocks, work.N, work.G, False, work.H)
        assemble(system.bodies, system.blocks, work.G, work.N, False, work.U)
        if system.damped:  # dampers push with the force they have, at this level
            harden(system.blocks, work.H, work.H)
            harden(system.blocks, work.U, work.U)
        soften_exact(system.blocks, 1e-14, work.H)
        factor_lu(system.blocks, work.H, work.U, work.row)
        solve_lu(system.blocks, work.H, work.U, work.x, work.y)
    else:
        solve(system.blocks, work.H, work.pivot[1 if system.damped else 0], work.x)


@njit
def soften_exact(blocks, shift, A):
    """Keep the diagonal of the exact matrix away from zero."""
    for J in range(blocks.diagonal.shape[0]):
        n = blocks.row[J + 1] - blocks.row[J]
        for y in range(n):
            k = blocks.diagonal[J] + y * n + y
            A[k] += shift * abs(A[k])


@inline
def position(system, state, work, h, span, even, signals, row):
    """The position level: on return `work` holds q₁ and L⁻, `work.lam` the multipliers, `state` p⁺."""
    guess(system.rows, span, even, state.account[2] < ROUGH, state.lam, work.lam)
    push(system.blocks, work.G, 0.5 * h, work.lam, state.p, state.L)
    last = 1e300
    far = 1.0  # how many times its defect a position last moved
    place, turned = farthest(system.coordinates, state.a, state.angle)
    coarse = 1.0 + ROUND_OFF * max(system.finest * place, system.finest_turn * turned)  # round-off of places and angles
    exact = state.account[2] >= SINGULAR
    result = POSITION
    for i in range(EXACT):
        a, B, p, L = state.a, state.B, state.p, state.L
        if state.memory.shape[0] > 0:
            status = careful_drift(
                system.bodies, h, a, B, p, L, state.memory, work.a, work.B, work.L, work.trial, work.fault
            )
        else:
            status = drift(system.bodies, h, a, B, p, L, work.a, work.B, work.L, work.fault)
        if status != OK:
            result = status
            break
        all_defects(system, work.a, work.B, state.angle, signals, row, work, work.g)
        if system.rolls:
            all_gradients(system, work.a, work.B, signals, row, work, work.y, work.N)
            rates(system.bodies, system.blocks, work.G, state.p, state.L, work.x)
            rates(system.bodies, system.blocks, work.N, state.p, work.L, work.y)
            slips(system.rows, h, work.x, work.y, work.g)
        e, which = worst(system.rows, work.g)
        e /= coarse
        work.tally[0] += 1
        work.fault[0] = which
        near = e <= 1.0 and e * far <= NEAR  # both the defects and what they still mean for positions
        held = 5.0 if state.account[2] < LOST else 1e5  # where rows have lost their hold, `land` does the rest
        if near or (exact and e <= held and e > 0.1 * last):  # or as far as round-off lets it
            result = OK
            break
        if not e < 1e300:
            result = NOT_FINITE
            break
        if not exact and (e > 0.5 * last or i == SIMPLIFIED):
            exact = True
            work.tally[1] += 1
        last = e
        newton(system, work, signals, row, exact)
        far = reach(system.rows, work.diagonal, work.x) / (coarse * e)
        c = -2.0 / (h * h)
        correct(c, work.x, work.lam)
        push(system.blocks, work.G, 0.5 * h * c, work.x, state.p, state.L)
    return result


@njit
def accept(work, a, B, L):
    """The trial configuration becomes the configuration."""
    for b in range(1, a.shape[0]):
        for i in range(3):
            a[b, i] = work.a[b, i]
            L[b, i] = work.L[b, i]
            for j in range(3):
                B[b, i, j] = work.B[b, i, j]


@inline
def land(system, state, work, h, signals, row):
    """Factors at q₁. Near a singular position a defect of round-off size still means a distance δ = g/σ from the
    branch, and velocities there would turn by κδ/σ: so what S(q₁) makes of the defects is moved.

    Nearer still, δ drowns in the round-off of g = σδ but shows in G v = κδv. There q₁ is moved to where G v₁ = 0, and
    v₁ is not turned. v₁ is foreseen from the forces at q₀, G(q₀)ᵀλ among them, a step back; strong rows are met at
    once, in position and velocity; and with G and S a moment ahead, at q₁ + τ v₁, where σ is large enough again,

        (G + τ ∂(Gv)/∂q) δq = −τ G v.
    """
    place = THERE
    passing = True
    for i in range(24):
        weak = place == HERE or (place == DONE and state.account[2] >= LOST)
        most = factorise(system, state, work, h, WEAK if weak else TINY, signals, row)
        if i > 0 and (place == THERE or place == HERE):
            all_defects(system, state.a, state.B, state.angle, signals, row, work, work.g)
        if place == THERE:
            state.account[2] = most
            if most < SINGULAR or system.rolls or i == 3:
                break
            if most >= FLAT and passing:
                copy_places(state.a, state.B, work.a, work.B)
                nudge(system.bodies, -h, state.p, state.L, state.a, state.B)
                place = BEFORE
                continue
            copy(work.g, work.x)
            solve(system.blocks, work.H, work.pivot[1 if system.damped else 0], work.x)
            if reach(system.rows, work.diagonal, work.x) <= 1e-2:
                break
            clear(work.a, work.L)
            push(system.blocks, work.G, -1.0, work.x, work.a, work.L)
            nudge(system.bodies, 1.0, work.a, work.L, state.a, state.B)
        elif place == BEFORE and most > PASSING * state.account[2]:  # S is like this all along: light bodies, say
            copy_places(work.a, work.B, state.a, state.B)
            passing = False
            place = THERE
        elif place == BEFORE:
            foresee(0.5 * h, state.p, state.L, work.f, work.tau)
            push(system.blocks, work.G, 0.5 * h, work.lam, work.f, work.tau)
            copy_places(work.a, work.B, state.a, state.B)
            place = HERE
        elif place == HERE:
            e, _ = worst(system.rows, work.g)
            copy(work.g, work.x)
            solve(system.blocks, work.H, work.pivot[1 if system.damped else 0], work.x)
            clear(work.a, work.L)
            push(system.blocks, work.G, -1.0, work.x, work.a, work.L)
            nudge(system.bodies, 1.0, work.a, work.L, state.a, state.B)
            for _ in range(4):
                all_rates(system, work.G, work.f, work.tau, signals, row, 0.0, work, work.g)
                ignore_dampers(system.rows, work.g)
                copy(work.g, work.x)
                solve(system.blocks, work.S, work.pivot[0], work.x)
                push(system.blocks, work.G, -1.0, work.x, work.f, work.tau)
            if (e <= 1.0 and worst(system.rows, work.g)[0] <= 0.1) or i > 20:
                place = DONE
            else:
                nudge(system.bodies, AHEAD * h, work.f, work.tau, state.a, state.B)
                place = AFTER
        elif place == AFTER:
            nudge(system.bodies, -AHEAD * h, work.f, work.tau, state.a, state.B)
            copy(work.g, work.x)
            solve(system.blocks, work.S, work.pivot[0], work.x)
            clear(work.a, work.L)
            push(system.blocks, work.G, -AHEAD * h, work.x, work.a, work.L)
            nudge(system.bodies, 1.0, work.a, work.L, state.a, state.B)
            place = HERE
        else:
            break


@inline
def glimpse(system, state, work, ahead, signals, row):
    """G where the motion will be in the time `ahead`."""
    copy_places(state.a, state.B, work.a, work.B)
    nudge(system.bodies, ahead, state.p, state.L, work.a, work.B)
    all_gradients(system, work.a, work.B, signals, row, work, work.partial, work.G)


@inline
def velocity(system, state, work, h, signals, row):
    """The velocity level: `work.y` becomes the impulses x = (h/2) μ. Rows that S has lost are met a moment ahead,
    where G shows them; then the others at q₁."""
    for r in range(work.y.shape[0]):
        work.y[r] = 0.0
    moments = 3 if state.account[2] >= LOST else 1
    for k in range(moments):
        ahead = GLIMPSE * h if k + 1 < moments and system.tapes.clock < 0 else 0.0
        if moments > 1:
            glimpse(system, state, work, ahead, signals, row)
        start = last = 1e300
        for i in range(12):
            all_rates(system, work.G, state.p, state.L, signals, row, ahead, work, work.g)
            yields(system.rows, h, work.y, work.g)
            e, _ = worst(system.rows, work.g)
            if i == 0:
                start = e
            if i > 0 and (e <= 1e-11 * start or e <= 0.1 or (i > 1 and e > 0.3 * last)):
                break
            last = e
            for r in range(work.x.shape[0]):
                work.x[r] = work.g[r]
            solve(system.blocks, work.S, work.pivot[0], work.x)
            correct(-1.0, work.x, work.y)
            push(system.blocks, work.G, -1.0, work.x, state.p, state.L)
        if k + 1 < moments:
            hold(system, work, signals, row, ahead, state.p, state.L)


@njit
def settle(rows, h, span, signals, before, row, work_lam, impulse, smooth, lam, account):
    """Keep the multipliers for the next guess, and the books: work of drives, energy lost in dampers."""
    for r in range(rows.kind.shape[0]):
        mu = impulse[r] * 2.0 / h
        if rows.rate[r] > 0.0:
            account[1] += 0.5 * h * (lam[0, r] ** 2 + mu**2) / rows.rate[r]
        elif rows.signal[r] >= 0:
            k = rows.signal[r] + 1
            account[0] += 0.5 * h * (work_lam[r] * signals[before, k] + mu * signals[row, k])
        lam[2, r] = lam[1, r]
        lam[1, r] = (work_lam[r] - lam[0, r]) / span if smooth else 0.0
        lam[0, r] = mu


@inline
def stage(system, state, work, h, span, even, signals, before, row):
    """One step of order 2 with joints; `work` holds forces and factors at its start and, afterwards, at its end."""
    if state.account[2] >= LOST and system.tapes.clock < 0:
        glimpse(system, state, work, GLIMPSE * h, signals, before)
    kick(0.5 * h, work.f, work.tau, state.p, state.L)
    status = position(system, state, work, h, span, even, signals, row)
    if status == OK:
        accept(work, state.a, state.B, state.L)
        if state.memory.shape[0] > 0:
            remember(work.trial, state.memory)
        smooth = state.account[2] < ROUGH
        if system.tapes.clock >= 0:
            tape_work(system.tapes, 0.5 * h, work.lam, work.partial, state.account)
        land(system, state, work, h, signals, row)
        read(system.coordinates, state.a, state.B, state.angle)
        forces(system, state.a, state.B, state.p, state.L, state.angle, signals, row, work, work.f, work.tau)
        change = 0.0
        for i in range(PASSES + 1):  # one, but for user-written forces: (2) of force_tapes.py
            if system.formulas.pushes > 0:
                status, change = respond(
                    i, change, h, system.formulas, system.bodies, state.a, state.B, time_of(system, signals, row),
                    state.p, state.L, work.f, work.tau, work.held, work.registers, work.power, work.fault,
                )  # fmt: skip
                if status != AGAIN:
                    break
            kick(0.5 * h, work.f, work.tau, state.p, state.L)
            velocity(system, state, work, h, signals, row)
            if system.formulas.pushes == 0:
                break
        if system.tapes.clock >= 0:  # work.y are the impulses (h/2) μ
            tape_work(system.tapes, 1.0, work.y, work.partial, state.account)
        settle(system.rows, h, span, signals, before, row, work.lam, work.y, smooth, state.lam, state.account)
        earn(h, power(system, state, signals, row, work), work.power, state.account)
    return status


def prepare(system, state, work, signals, h):
    """Forces and factors at the start of a run, which `rollout` expects in `work`. In Python, kernel by kernel: those
    are compiled for `rollout` anyway, and another compiled piece would take many seconds more on a fresh machine."""
    start_forces(system, state, signals, work)
    gradients(system.rows, system.coordinates, state.a, state.B, work.G)
    tapes = system.tapes
    if len(tapes.row):
        t = signals[0, tapes.clock] if tapes.clock >= 0 else 0.0
        tape_gradients(tapes, system.rows.entry, state.a, state.B, t, work.registers, work.partial, work.G)
    assemble(system.bodies, system.blocks, work.G, work.G, True, work.S)
    soften(system.rows, system.blocks, system.shift, h, work.S, work.diagonal)
    if system.damped:
        harden(system.blocks, work.S, work.H)
        factor(system.blocks, work.H, work.pivot[1], TINY)
    state.account[2] = factor(system.blocks, work.S, work.pivot[0], TINY)


@njit
def rollout(system, state, work, h, weights, signals, first, steps, every, record):
    """As in livens.py: (status, steps taken)."""
    stages = len(weights)
    varies = 1 if signals.shape[0] > 1 else 0
    for n in range(steps):
        for i in range(stages):
            row = varies * (n * stages + i)
            span = h * (weights[i] + weights[i - 1])  # with the stage before
            status = stage(system, state, work, h * weights[i], span, stages == 1, signals, row, row + varies)
            if status != OK:
                return status, n
        if (first + n + 1) % every == 0:
            keep(record, (first + n + 1) // every, state)
    return OK, steps
