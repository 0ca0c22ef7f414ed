"""Which of the functions that make up a system is not a number at a state, with its line."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import Array
from ..formula.functions import casadi
from ..formula.trace import line_of
from .lagrangian import Lagrangian
from .terms import Term


def not_finite(system: Lagrangian, q: Array, v: Array, t: float) -> str:
    """The first function that is not finite at a state, or whose derivatives are not: "the potential (line 12 of
    net.py)"; empty where all are."""
    for label, fn, what in system.written:
        values = _of_elements(what, q, v) if isinstance(what, Term) else _of_all(system, what, q, v, t)
        bad = np.atleast_1d(~np.isfinite(values).all(axis=0))
        if bad.any():
            which = f", number {int(bad.argmax())}" if len(bad) > 1 else ""
            return f"{label}{which}{line_of(fn)}"
    return ""


def _of_all(system: Lagrangian, expression: Any, q: Array, v: Array, t: float) -> Array:
    """An expression of all coordinates, and its derivatives: a column."""
    ca = casadi()
    z = ca.vertcat(*system.variables)
    f = ca.Function("f", [z], [ca.densify(ca.horzcat(expression, ca.jacobian(expression, z)))])
    return np.asarray(f(np.concatenate([q, v, [t]])), dtype=np.float64).reshape(-1, 1)


def _of_elements(term: Term, q: Array, v: Array) -> Array:
    """A function of elements, and its derivatives: a column for each."""
    ca, s = casadi(), term.symbols()
    x, y = s.new("x"), s.new("y")
    value = s.g(x) if term.constraints else (term.lagrangian or term.dissipation)(x, y, s.p)
    z = ca.vertcat(x, y)
    f = ca.Function("f", [z, s.p], [ca.vec(ca.densify(ca.horzcat(value, ca.jacobian(value, z))))])
    states = np.hstack([q[term.index], v[term.index]])
    return np.asarray(f.map(len(states))(states.T, term.parameters.T), dtype=np.float64)
