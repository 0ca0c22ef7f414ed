"""Coordinates without mass: N with M N = 0, M = ∂²L/∂v². The forces on them balance at each time,

    Nᵀ (F − ∂D/∂v + ∂L/∂q − (∂p/∂q) v + Gᵀλ) = 0                for some λ                                    (1)

which says where they are; their accelerations do not appear. A start that violates (1) is no state of the system: a
scheme then alternates about the balance, from step to step.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array
from ..formula.functions import casadi
from .lagrangian import Lagrangian

MOST = 1000  # coordinates, for matrices that are not sparse
NO_MASS = 1e-12  # an eigenvalue of M, relative to its diagonal, that is zero


def imbalance(system: Lagrangian, q: Array, v: Array, t: float) -> float:
    """The part of the forces on coordinates without mass that no multipliers balance, relative to their parts; zero
    for more than MOST coordinates."""
    n, c = system.n, system.constraints
    if n > MOST:
        return 0.0
    ca = casadi()
    M, G, force, size = np.zeros((n, n)), np.zeros((c, n)), np.zeros(n), np.zeros(n)
    for term in system.terms:
        s = term.symbols()
        x, y, p = ca.SX.sym("x", s.m), ca.SX.sym("y", s.m), s.p
        still = s.inertia(x, y, ca.SX.zeros(s.m))
        parts = [
            ca.jacobian(s.momentum(x, y), y), ca.jacobian(s.g(x), x), s.F(x, y, s.t) - s.drag(x, y) - still,
            ca.fabs(s.F(x, y, s.t)) + ca.fabs(s.drag(x, y)) + ca.fabs(still),
        ]  # fmt: skip
        evaluate = ca.Function("massless", [x, y, s.t, p], [ca.densify(part) for part in parts])
        for k, index in enumerate(term.index):
            m, g, f, whole = (np.array(part) for part in evaluate(q[index], v[index], t, term.parameters[k]))
            M[np.ix_(index, index)] += m
            np.add.at(force, index, f.ravel())
            np.add.at(size, index, whole.ravel())
            if s.c:
                G[np.ix_(term.rows[k], index)] += g.reshape(s.c, s.m)
    values, vectors = np.linalg.eigh(M)
    N = vectors[:, np.abs(values) <= NO_MASS * np.abs(np.diag(M)).max()]
    rest = N.T @ force
    if c:
        rest = rest - (N.T @ G.T) @ np.linalg.lstsq(N.T @ G.T, rest, rcond=None)[0]
    return float(np.abs(rest).max(initial=0.0) / max(np.abs(N.T) @ size, default=0.0)) if rest.any() else 0.0
