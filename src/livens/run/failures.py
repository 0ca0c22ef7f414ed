"""Why a step could not be taken: what happened, where, how large, and what to do, in the user's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..checks import Array
from ..kernels import status
from ..kernels.arrays import State

if TYPE_CHECKING:
    from .loop import Run


def sentence(run: Run, code: int, fault: int, done: int, state: State, g: Array) -> str:
    """The sentence for a status `code` after `done` steps; `fault` is the row or body it happened to."""
    when = f"at t = {run.t0 + done * run.h:.6g} s (step {done + 1})"
    so_far = "The motion so far is in error.trajectory."
    if code == status.POSITION:
        owner = run.compiled.owners[fault]
        turns = np.linalg.norm(state.L * run.system.bodies.inverse_inertia, axis=1) * run.h
        fastest = int(np.argmax(turns))
        return (
            f"the position solve stalled {when}: defect {abs(g[fault]):.1e} in joint {owner.name!r} "
            f"({type(owner).__name__}). Body {run.model.bodies[fastest].name!r} turns {turns[fastest]:.2g} rad "
            f"per step; try h ≤ {_round_down(0.3 * run.h):.0e}. {so_far}"
        )
    if code == status.SOLVE:
        return (
            f"{run.scheme!r} found no accelerations {when}: forces change too much within a step; "
            f"try h ≤ {_round_down(0.3 * run.h):.0e}. {so_far}"
        )
    if code == status.NOT_FINITE:
        speed = np.abs(np.hstack([state.a, state.p, state.L])).max(axis=1)  # NaN counts as the largest
        body = run.model.bodies[int(np.argmax(speed))].name
        return (
            f"the state of body {body!r} is no longer finite {when}: "
            f"forces grow without bound; try a smaller h. {so_far}"
        )
    body = run.model.bodies[fault].name
    if code == status.STIFF:
        return (
            f"the user-written forces on body {body!r} do not settle {when}: they change too much with velocity "
            f"for such a step; try h ≤ {_round_down(0.3 * run.h):.0e}, or an lv.Damper, which may be stiff. "
            f"{so_far}"
        )
    rates = state.L[fault] * run.system.bodies.inverse_inertia[fault]
    longest, limit = run.scheme.longest, run.scheme.limit
    turn = float(np.linalg.norm(rates)) * run.h * longest
    advice = f"try h ≤ {_round_down(0.5 * run.h / turn):.0e}." if np.isfinite(turn) and turn > 0 else "try a smaller h."
    return (
        f"the rotation of body {body!r} cannot be solved {when}: it turns {turn:.2g} rad per "
        f"{'step' if longest == 1.0 else 'stage'}, and {limit}; {advice} {so_far}"
    )


def _round_down(x: float) -> float:
    digit = 10.0 ** np.floor(np.log10(x))
    return float(np.floor(x / digit) * digit)
