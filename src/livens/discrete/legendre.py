"""Quantities of a system at a state: momentum and velocity, energy and Hamiltonian, accelerations and multipliers.

    p = ∂L/∂v(q, v),      v(q, p) its inverse,      E = p·v − L = H(q, p)                       Legendre transform

Arguments are one state (n,) or many (states, n).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, number
from ..errors import LivensError, ModelError
from ..kernels import status
from . import state_maps, stepping
from .lagrangian import Lagrangian
from .maps import Program


def state_program(system: Lagrangian, kind: Any) -> Program:
    """A program of state_maps.py for a system, made once."""
    if kind not in system.programs:
        system.programs[kind] = kind(system)
    program: Program = system.programs[kind]
    return program


def evaluate(system: Lagrangian, question: int, t: Array, qv: Array, guess: Array | None = None) -> Array:
    """The results of a map of state_maps.tangent at states (q, v); NaN if it has no solution."""
    code, seen = stepping.observe(state_program(system, state_maps.tangent), question, t, qv, guess)
    return seen if code == status.OK else np.full_like(seen, np.nan)


def invert(system: Lagrangian, q: Array, p: Array, held: bool, guess: Array | None = None) -> Array:
    """Velocities from momenta: those that satisfy the constraints, if `held`."""
    held = held and system.constraints > 0
    program = state_program(system, state_maps.cotangent if held else state_maps.legendre)
    if guess is not None and held:
        guess = np.concatenate([guess, np.zeros(system.constraints)])
    code, v = stepping.observe(program, 0, np.zeros(len(q)), np.hstack([q, p]), guess)
    if code != status.OK:
        raise LivensError(
            "velocities cannot be found from these momenta: ∂²L/∂v² is singular, or Newton's method did not converge."
        )
    return v


def momentum(system: Lagrangian, q: ArrayLike, v: ArrayLike) -> Array:
    """The canonical momentum ∂L/∂v.

    >>> import livens.discrete as ld
    >>> bead = ld.Lagrangian(lambda q, v: 0.5 * 2.0 * v[0]**2 - 0.5 * q[0]**2, n=1)
    >>> momentum(bead, [1.0], [3.0]).tolist()
    [6.0]
    """
    states, one = _states(system, q, v)
    return _shaped(evaluate(system, state_maps.MOMENTUM_AND_ENERGY, np.zeros(len(states)), states)[:, : system.n], one)


def velocity(system: Lagrangian, q: ArrayLike, p: ArrayLike) -> Array:
    """The velocity whose canonical momentum is p; with constraints, the one that satisfies them."""
    states, one = _states(system, q, p)
    return _shaped(invert(system, states[:, : system.n], states[:, system.n :], held=True), one)


def energy(system: Lagrangian, q: ArrayLike, v: ArrayLike) -> Array:
    """E = v·∂L/∂v − L [J], one for each state."""
    states, one = _states(system, q, v)
    return _shaped(evaluate(system, state_maps.MOMENTUM_AND_ENERGY, np.zeros(len(states)), states)[:, system.n], one)


def hamiltonian(system: Lagrangian, q: ArrayLike, p: ArrayLike) -> Array:
    """H(q, p) = p·v − L [J], one for each state.

    >>> import livens.discrete as ld
    >>> bead = ld.Lagrangian(lambda q, v: 0.5 * 2.0 * v[0]**2 - 0.5 * q[0]**2, n=1)
    >>> float(hamiltonian(bead, [1.0], [6.0]))
    9.5
    """
    return energy(system, q, velocity(system, q, p))


def acceleration(system: Lagrangian, q: ArrayLike, v: ArrayLike, t: float = 0.0) -> tuple[Array, Array]:
    """Accelerations, and multipliers λ of the constraints, from the equations of motion at time t [s]."""
    states, one = _states(system, q, v)
    found = evaluate(system, state_maps.ACCELERATIONS, np.full(len(states), number(t, "t")), states)
    if not np.isfinite(found).all():
        raise LivensError("the equations of motion have no unique solution here: mass or constraints are singular.")
    return _shaped(found[:, : system.n], one), _shaped(found[:, system.n :], one)


def _states(system: Lagrangian, q: ArrayLike, v: ArrayLike) -> tuple[Array, bool]:
    if not isinstance(system, Lagrangian):
        raise ModelError(f"the system must be a Lagrangian or Mechanical one, not {system!r}.")
    try:
        pair = [np.asarray(x, dtype=np.float64) for x in (q, v)]
    except (TypeError, ValueError):
        raise ModelError(f"states must be numbers, not {q!r} and {v!r}.") from None
    if pair[0].shape != pair[1].shape or pair[0].ndim not in (1, 2) or pair[0].shape[-1] != system.n:
        raise ModelError(
            f"states must be {system.n} numbers, or rows of as many, in both: got {pair[0].shape} and {pair[1].shape}."
        )
    return np.hstack([np.atleast_2d(x) for x in pair]), pair[0].ndim == 1


def _shaped(x: Array, one: bool) -> Array:
    return x[0] if one else x
