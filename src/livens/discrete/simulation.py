"""Run a scheme on a system, in chunks, from q and v to the end; only this module raises StepFailed."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, finite, number, positive
from ..errors import LivensError, ModelError, ModelWarning, StepFailed
from ..kernels import status
from ..run.plan import step_count
from ..run.progress import Progress
from . import state_maps, stepping
from .diagnosis import not_finite
from .energy_check import warn_of_energy_error
from .lagrangian import Lagrangian
from .legendre import evaluate
from .maps import Blocks, Program
from .massless import imbalance
from .run import Run
from .scheme import scheme_of

CHUNK = 0.25  # duration of a chunk [s]
BALANCED = 1e-6  # forces on coordinates without mass, relative to their parts, that count as balanced
MEMORY = 8 * 2**30  # largest record [bytes]
FAILURES = {
    status.NOT_FINITE: "the numbers are no longer finite, or the equations have no unique solution",
    status.SOLVE: "Newton's method did not converge",
}


def simulate(
    system: Lagrangian,
    scheme: Any,
    q: ArrayLike,
    v: ArrayLike,
    h: float,
    until: float,
    every: int = 1,
    start: float = 0.0,
    progress: bool | None = None,
) -> Run:
    """Step `system` from positions q and velocities v at time `start` to `until` [s] with steps of h [s].

    If h does not divide the time, the next smaller step that does is taken. Keeps every `every`-th state, the first and
    the last. Positions and velocities that violate the constraints slightly are projected onto them. A run whose energy
    error is above 5 % of the largest energy exchanged ends with a warning.

    >>> import livens.discrete as ld
    >>> kepler = ld.Mechanical(mass=[1.0, 1.0], potential=lambda x: -1.0 / ld.norm(x))
    >>> run = ld.simulate(kepler, ld.Trapezoidal(), q=[0.5, 0.0], v=[0.0, 1.7], h=0.01, until=10.0)
    >>> run.q.shape
    (1001, 2)
    """
    run = follow(system, scheme, q, v, h, until, every, start, progress)
    warn_of_energy_error(run)
    return run


def follow(
    system: Lagrangian,
    scheme: Any,
    q: ArrayLike,
    v: ArrayLike,
    h: float,
    until: float,
    every: int = 1,
    start: float = 0.0,
    progress: bool | None = None,
) -> Run:
    """The same without a check of the energy."""
    if not isinstance(system, Lagrangian):
        raise ModelError(f"simulate takes a Lagrangian or Mechanical system first, not {system!r}.")
    maps = scheme_of(scheme)
    begin = number(start, "the start")
    h, steps = _steps(number(until, "the end") - begin, positive(h, "the step h", "s"))
    every = _every(every)
    q0, v0 = consistent(system, finite(q, (system.n,), "q"), finite(v, (system.n,), "v"), begin)
    _check_symmetries(system, q0, v0)
    program = compiled(system, scheme)
    y = first_state(system, program.state, q0, v0, begin)
    work = stepping.memory(program)
    first_guess(program, work.past[0], system, q0, v0, begin, h)
    slots = steps // every + 1 + (steps % every > 0)
    if slots * len(y) * 8 > MEMORY:
        raise ModelError(
            f"keeping {slots:,} states would take {slots * len(y) * 8 / 2**30:.1f} GiB; keep fewer with every=…."
        )
    record = np.zeros((slots, len(y)))
    record[0] = y
    done, chunk, seconds = 0, 1, 0.0
    bar = Progress(f"{scheme!r}", steps, progress)
    code = status.OK
    while done < steps and code == status.OK:
        clock = time.perf_counter()
        take = min(chunk, steps - done)
        code, taken = maps.rollout(program, work, begin, h, y, done, take, every, record)
        done += taken
        spent = time.perf_counter() - clock
        seconds += spent
        chunk = max(1, min(4 * chunk, int(chunk * CHUNK / max(spent, 1e-9))))
        bar.update(done)
    bar.close()
    kept = done // every + 1
    numbers = np.arange(kept) * every
    if code == status.OK and done % every:
        record[-1] = y
        numbers, kept = np.append(numbers, done), kept + 1
    run = Run(
        system,
        scheme,
        h,
        np.asarray(begin + h * numbers, dtype=np.float64),
        record[:kept],
        program.state,
        int(work.tally[0]),
        done,
        seconds,
        v0,
    )
    if code != status.OK:
        what = maps.failures.get(code, FAILURES[code])
        if culprit := _culprit(run):
            what = f"{culprit}, or its derivative, is not finite there"
        raise StepFailed(
            f"{scheme!r} failed at t = {begin + h * done:.6g} s (step {done}): {what}. Try a smaller h, such as "
            f"{h / 4:.2g} s.",
            run,  # type: ignore[arg-type]
        )
    return run


def _culprit(run: Run) -> str:
    """The function that is not finite at the next state of a failed run; empty if that state is far away, because the
    run was unstable."""
    try:
        v = run.v[-1]
    except LivensError:
        return ""
    q = run.q[-1] + run.h * v
    far = np.abs([q, v]).max() > 1e6 * np.abs([run.q[0], run.v[0]]).max()
    return "" if far else not_finite(run.system, q, v, float(run.t[-1]) + run.h)


def compiled(system: Lagrangian, scheme: Any) -> Program:
    """The scheme's maps for a system, made once."""
    if scheme not in system.programs:
        maps = scheme_of(scheme)
        system.programs[scheme] = Program(maps.state(system), maps.chain(system))
    return system.programs[scheme]


def first_state(system: Lagrangian, layout: Blocks, q: Array, v: Array, t: float) -> Array:
    """y at the start: the blocks of a scheme's state that are known there."""
    when, qv = np.array([t]), np.concatenate([q, v])[None]
    p = evaluate(system, state_maps.MOMENTUM_AND_ENERGY, when, qv)[0]
    a = evaluate(system, state_maps.ACCELERATIONS, when, qv)[0, : system.n]
    known = {"q": q, "v": v, "p": p[: system.n], "A": a, "a": a}
    if not np.isfinite(p).all() or not (np.isfinite(a).all() or _massless(system, layout, q, v, t)):
        if culprit := not_finite(system, q, v, t):
            raise ModelError(
                f"{culprit}, or its derivative, is not finite at the start (ld.norm has no gradient at zero)."
            )
        raise ModelError(
            "the accelerations at the start cannot be found: the mass matrix ∂²L/∂v² is singular, the constraints "
            "repeat each other, or a second derivative is not finite there."
        )
    y = np.zeros(layout.size)
    for name, part in layout.part.items():
        if name in known:
            y[part] = known[name]
    return y


def _massless(system: Lagrangian, layout: Blocks, q: Array, v: Array, t: float) -> bool:
    """True if a scheme with this state needs no accelerations; the forces on coordinates without mass should balance at
    the start."""
    if "v" not in layout.part or {"A", "a"} & set(layout.part) or not_finite(system, q, v, t):
        return False
    if (part := imbalance(system, q, v, t)) > BALANCED:
        warnings.warn(
            f"coordinates without mass are out of balance at the start, by {part:.1g} of the forces on them, and will "
            "alternate from step to step: start where these forces balance.",
            ModelWarning,
            stacklevel=5,
        )
    return True


def first_guess(program: Program, past: Array, system: Lagrangian, q: Array, v: Array, t: float, h: float) -> None:
    """The first guess of the unknowns of the first step."""
    answer = evaluate(system, state_maps.ACCELERATIONS, np.array([t]), np.concatenate([q, v])[None])[0]
    if not np.isfinite(answer).all():  # coordinates without mass
        answer = np.zeros(len(answer))
    a, lam = answer[: system.n], answer[system.n :]
    for m, begin in zip(program.maps, program.arrays.unknown[:-1], strict=True):
        for name, (what, c) in m.first.items():
            values = {"u": c * m.share[0] * h * v, "v": v, "a": a, "lambda": lam}[what]
            part = m.unknowns.part[name]
            past[begin + part.start : begin + part.stop] = values


def consistent(system: Lagrangian, q: Array, v: Array, t: float) -> tuple[Array, Array]:
    """q and v on the constraints: the nearest, in the metric of the mass; a change above 1e-6 gives a warning."""
    if not system.constraints:
        return q, v
    when, zeros = np.array([t]), np.zeros(system.constraints)
    defects = evaluate(system, state_maps.VIOLATIONS, when, np.concatenate([q, v])[None])[0]
    if not np.isfinite(defects).all():
        raise ModelError(f"{not_finite(system, q, v, t)}, or its derivative, is not finite at the start.")
    placed = evaluate(
        system, state_maps.PROJECTED_POSITIONS, when, np.concatenate([q, v])[None], np.concatenate([q, zeros])
    )[0]
    size = float(np.abs(q).max())
    moved = float(np.abs(placed - q).max())
    if not moved <= 0.01 * size:
        worst = np.abs(defects[: system.constraints])
        why = "" if np.isfinite(moved) else "the constraints repeat each other, or "
        raise ModelError(
            f"{why}the start does not satisfy the constraints: number {int(worst.argmax())} is {worst.max():.3g} "
            "instead of zero."
        )
    if moved > 1e-15 * size:
        q = placed
    turned = evaluate(
        system, state_maps.PROJECTED_VELOCITIES, when, np.concatenate([q, v])[None], np.concatenate([v, zeros])
    )[0]
    if not np.isfinite(turned).all():
        raise ModelError("the velocities at the start cannot satisfy the constraints: these repeat each other.")
    changed = float(np.abs(turned - v).max())
    if moved > 1e-6 * size or changed > 1e-6 * np.abs(v).max():
        warnings.warn(
            f"the start was moved onto the constraints: coordinates by up to {moved:.3g}, velocities by up to "
            f"{changed:.3g}.",
            ModelWarning,
            stacklevel=3,
        )
    return q, turned


def _check_symmetries(system: Lagrangian, q: Array, v: Array) -> None:
    """Refuse a symmetry along which the Lagrangian changes, at the start or, without constraints, near it."""
    random = np.random.default_rng(1)
    spread = 0.1 * (np.abs(q).max() or 1.0) * (0.0 if system.constraints else 1.0)
    for name in system.symmetries:
        for k in range(3):
            x = q + spread * min(k, 1) * random.standard_normal(system.n)
            y = v + random.standard_normal(system.n) * (np.abs(v).max() or 1.0)
            defect = system.asymmetry(name, x, y)
            if defect > 1e-9:
                raise ModelError(
                    f"{name!r} is no symmetry of this system: its Lagrangian or its constraints change along it, by "
                    f"{defect:.1g} of what they could, so that the momentum p·ξ would not be conserved."
                )


def _steps(span: float, h: float) -> tuple[float, int]:
    """The step, h or the next smaller one that divides the span, and how many."""
    steps = step_count(span, h)
    if not steps:
        raise ModelError(f"a run of {span:g} s in steps of {h:g} s is not possible: until must lie after start.")
    return span / steps, steps


def _every(every: Any) -> int:
    if isinstance(every, bool) or not isinstance(every, int | np.integer) or every < 1:
        raise ModelError(f"every must be a whole number above zero, not {every!r}.")
    return int(every)
