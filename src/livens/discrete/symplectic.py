"""How far a scheme's step is from symplectic, by differences.

With Φ: (q, p) ↦ (q₁, p₁) the map of one step and J the canonical form, along tangent vectors T of the start,

    defect = max |(DΦ T)ᵀ J (DΦ T) − Tᵀ J T| / max |Tᵀ J T|                                                   (1)

Curves of starts run along each coordinate and each velocity (along random ones where there are many), on the
constraints where there are any; their starts and ends are differentiated by central differences of order 8.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import Array, finite, number, positive
from ..errors import LivensError, ModelError
from ..kernels import status
from . import state_maps, stepping
from .lagrangian import Lagrangian
from .legendre import ask
from .run import Run
from .scheme import scheme_of
from .simulation import compiled, first_guess, first_state

DIRECTIONS = 24  # at most so many tangent vectors
SPACING = 1e-3  # between two points of a curve, as a part of the size of q and of v
STENCIL = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}  # antisymmetric


def symplectic_defect(system: Lagrangian, scheme: Any, q: Any, v: Any, h: float, t: float = 0.0) -> float:
    """‖DΦᵀ J DΦ − J‖ (1) of one step of h [s] from q and v: round-off (1e-12) for symplectic schemes, of the order of
    a power of h for others.

    >>> import livens.discrete as ld
    >>> pendulum = ld.Lagrangian(lambda q, v: 0.5 * v[0]**2 + 9.81 * ld.cos(q[0]), n=1)
    >>> ld.symplectic_defect(pendulum, ld.Midpoint(), [2.0], [1.0], h=0.1) < 1e-10
    True
    >>> ld.symplectic_defect(pendulum, ld.GeneralizedAlpha(0.5), [2.0], [1.0], h=0.1) > 1e-6
    True
    """
    if not isinstance(system, Lagrangian):
        raise ModelError(f"symplectic_defect takes a Lagrangian or Mechanical system first, not {system!r}.")
    scheme_of(scheme)
    n = system.n
    h, t = positive(h, "the step h", "s"), number(t, "the time")
    center = np.concatenate([finite(q, (n,), "q"), finite(v, (n,), "v")])
    size = _sizes(system, center[:n], center[n:], h, t)
    directions = np.eye(2 * n)
    if 2 * n > DIRECTIONS:
        directions = np.random.default_rng(0).normal(size=(DIRECTIONS, 2 * n)) / np.sqrt(2 * n)
    offsets = np.array([s * k for k in STENCIL for s in (1, -1)]) * SPACING
    starts = (center + (offsets[None, :, None] * directions[:, None, :]) * size).reshape(-1, 2 * n)
    if system.constraints:
        starts = np.array([_held(system, y, t) for y in starts])
    p = ask(system, state_maps.LOOK, np.full(len(starts), t), starts)[:, :n]
    ends = stepped(system, scheme, starts, h, t)
    weights = np.array([s * STENCIL[k] for k in STENCIL for s in (1, -1)]) / SPACING
    T0 = np.tensordot(weights, np.hstack([starts[:, :n], p]).reshape(len(directions), -1, 2 * n), (0, 1))
    T1 = np.tensordot(weights, np.hstack([ends.q, ends.p]).reshape(len(directions), -1, 2 * n), (0, 1))
    before, after = (T[:, :n] @ T[:, n:].T - T[:, n:] @ T[:, :n].T for T in (T0, T1))
    return float(np.abs(after - before).max() / np.abs(before).max())


def stepped(system: Lagrangian, scheme: Any, starts: Array, h: float, t: float) -> Run:
    """One step of the scheme from each state (q, v), as the states of a run."""
    program, n = compiled(system, scheme), system.n
    advance = scheme_of(scheme).rollout
    ends = np.zeros((len(starts), program.state.size))
    for end, start in zip(ends, starts, strict=True):
        end[:] = first_state(system, program.state, start[:n], start[n:], t)
        work = stepping.memory(program)
        first_guess(program, work.past[0], system, start[:n], start[n:], t, h)
        code, _ = advance(program, work, t, h, end, 0, 1, 2, np.zeros((1, len(end))))
        if code != status.OK:
            raise LivensError(f"{scheme!r} cannot take a step of {h:g} s from a state near this one.")
    return Run(system, scheme, h, np.full(len(ends), t + h), ends, program.state, 0, 1)


def _sizes(system: Lagrangian, q: Array, v: Array, h: float, t: float) -> Array:
    """How large positions and velocities are, for the steps of differences; what is zero moves as in a few steps."""
    a = ask(system, state_maps.ACCELERATE, np.array([t]), np.concatenate([q, v])[None])[0, : system.n]
    speed = np.abs(v).max() or 10.0 * h * np.abs(a).max() or 1.0
    place = np.abs(q).max() or 10.0 * h * speed
    return np.repeat([place, speed], system.n)


def _held(system: Lagrangian, y: Array, t: float) -> Array:
    """The state of the constraints that is nearest to y = (q, v)."""
    when, n, none = np.array([t]), system.n, np.zeros(system.constraints)
    q = ask(system, state_maps.PLACE, when, y[None], np.concatenate([y[:n], none]))[0]
    y = np.concatenate([q, y[n:]])
    held = np.concatenate([q, ask(system, state_maps.TURN, when, y[None], np.concatenate([y[n:], none]))[0]])
    if not np.isfinite(held).all():
        raise ModelError("no state near this one satisfies the constraints.")
    return held
