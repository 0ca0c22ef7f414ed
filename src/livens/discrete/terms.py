"""The terms of a system: each a function of a few coordinates, with a table of the coordinates of each instance.

    L = Σ_e L(q[index_e], v[index_e], p_e),      likewise D, F and g                                          (1)

A function of all coordinates is a term with one instance. Users write many instances as `Elements`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import Array
from ..errors import ModelError
from ..formula.functions import casadi, norm
from .tracing import Fn, column, scalar

Ints = NDArray[np.int64]


class Elements:
    """Many equal pieces of an energy, a Lagrangian, a dissipation or a constraint.

    fn(x) or fn(x, p) for a potential and for constraints, fn(q, v) or fn(q, v, p) for a Lagrangian and for a
    dissipation: x[0], x[1], … are the coordinates that a row of `index` names. With dim > 1 coordinates come in nodes
    of so many numbers, `index` names nodes, and x[0] is a column of `dim` numbers. `parameters`: numbers p[0], p[1], …
    of each instance, one row each.

    >>> import livens.discrete as ld
    >>> springs = ld.Elements(lambda x, p: 0.5 * p[0] * (x[1] - x[0]) ** 2, [(0, 1), (1, 2)], [[10.0], [20.0]])
    >>> len(springs)
    2
    """

    def __init__(self, fn: Fn, index: ArrayLike, parameters: ArrayLike | None = None, dim: int = 1, name: str = ""):
        self.fn, self.dim, self.name = fn, dim, name
        self.label = f"the elements {name!r}" if name else "an element"
        try:
            self.nodes = np.array(index, dtype=np.int64)
        except (TypeError, ValueError):
            raise ModelError(f"the index of {self.label} must be a table of whole numbers.") from None
        if self.nodes.ndim != 2 or self.nodes.size == 0 or self.nodes.min() < 0:
            raise ModelError(f"the index of {self.label} must be a table (instances, places) of numbers from 0 on.")
        if not np.array_equal(self.nodes, np.asarray(index)):
            raise ModelError(f"the index of {self.label} must be whole numbers.")
        if len(self.nodes.T) > 1 and (np.diff(np.sort(self.nodes, axis=1), axis=1) == 0).any():
            raise ModelError(f"the index of {self.label} names a place twice in one row.")
        if isinstance(dim, bool) or not isinstance(dim, int | np.integer) or dim < 1:
            raise ModelError(f"dim of {self.label} must be a whole number above zero, not {dim!r}.")
        rows = len(self.nodes)
        try:
            table = np.zeros((rows, 0)) if parameters is None else np.array(parameters, dtype=np.float64)
        except (TypeError, ValueError):
            raise ModelError(f"the parameters of {self.label} must be {rows} rows of finite numbers.") from None
        if table.ndim == 1 and len(table) == rows:
            table = table[:, None]
        if table.ndim != 2 or len(table) != rows or not np.isfinite(table).all():
            raise ModelError(f"the parameters of {self.label} must be {rows} rows of finite numbers.")
        self.parameters = table
        self.index: Ints = (self.nodes[:, :, None] * dim + np.arange(dim)).reshape(rows, -1)

    def __len__(self) -> int:
        return len(self.nodes)

    def places(self, x: Any) -> Any:
        """Local coordinates as users see them."""
        return x if self.dim == 1 else [x[self.dim * k : self.dim * (k + 1)] for k in range(len(self.nodes.T))]


def springs(nodes: ArrayLike, stiffness: ArrayLike, length: ArrayLike, dim: int = 3) -> Elements:
    """Springs between nodes of `dim` coordinates: V = ½ k (|x₁ − x₀| − l)², k [N/m], l [m], each one number or many.

    >>> import livens.discrete as ld
    >>> net = ld.springs([(0, 1), (1, 2)], stiffness=100.0, length=[1.0, 2.0])
    """
    rows = len(np.atleast_1d(np.asarray(nodes, dtype=object)))
    try:
        table = np.column_stack([np.broadcast_to(np.asarray(x, dtype=np.float64), rows) for x in (stiffness, length)])
    except (TypeError, ValueError):
        raise ModelError(f"stiffness and length of {rows} springs must be one number each, or {rows}.") from None
    net = Elements(lambda x, p: 0.5 * p[0] * (norm(x[1] - x[0]) - p[1]) ** 2, nodes, table, dim, "springs")
    if net.nodes.shape[1] != 2:
        raise ModelError(f"a spring is between two nodes, and these name {net.nodes.shape[1]} each.")
    return net


@dataclass(frozen=True)
class Term:
    """Equal pieces of a system, compiled to CasADi functions: lagrangian and dissipation of (q, v, p), force of
    (q, v, t, p), constraints of (q, p); None where there is none."""

    index: Ints  # coordinates of each instance (instances, m)
    parameters: Array  # (instances, k)
    rows: Ints  # constraints of each instance (instances, c)
    lagrangian: Any = None
    dissipation: Any = None
    force: Any = None
    constraints: Any = None

    def symbols(self) -> Symbols:
        return Symbols(self)


def each(n: int) -> Term:
    """Every coordinate by itself."""
    return Term(np.arange(n)[:, None], np.zeros((n, 0)), np.zeros((n, 0), dtype=np.int64))


class Symbols:
    """New symbols for the coordinates of one instance, and the functions of the term in them."""

    def __init__(self, term: Term):
        ca = casadi()
        self.term, self.m, self.c = term, term.index.shape[1], term.rows.shape[1]
        self.p = ca.SX.sym("p", term.parameters.shape[1])
        self.t, self.h = ca.SX.sym("t"), ca.SX.sym("h")

    def new(self, name: str) -> Any:
        """A column of symbols, one for each coordinate of the instance."""
        return casadi().SX.sym(name, self.m)

    def multipliers(self, name: str) -> Any:
        return casadi().SX.sym(name, self.c)

    def L(self, q: Any, v: Any) -> Any:
        return self.term.lagrangian(q, v, self.p) if self.term.lagrangian else casadi().SX(0.0)

    def momentum(self, q: Any, v: Any) -> Any:
        """∂L/∂v at expressions q and v."""
        return self._at(lambda x, y: casadi().gradient(self.L(x, y), y), q, v)

    def pull(self, q: Any, v: Any) -> Any:
        """∂L/∂q at expressions q and v."""
        return self._at(lambda x, y: casadi().gradient(self.L(x, y), x), q, v)

    def energy(self, q: Any, v: Any) -> Any:
        """v·∂L/∂v − L."""
        return casadi().dot(v, self.momentum(q, v)) - self.L(q, v)

    def F(self, q: Any, v: Any, t: Any) -> Any:
        """The external force."""
        return self.term.force(q, v, t, self.p) if self.term.force else casadi().SX.zeros(self.m)

    def drag(self, q: Any, v: Any) -> Any:
        """∂D/∂v, which resists."""
        if not self.term.dissipation:
            return casadi().SX.zeros(self.m)
        return self._at(lambda x, y: casadi().gradient(self.term.dissipation(x, y, self.p), y), q, v)

    def g(self, q: Any) -> Any:
        return self.term.constraints(q, self.p) if self.c else casadi().SX.zeros(0)

    def reaction(self, q: Any, multipliers: Any) -> Any:
        """G(q)ᵀλ."""
        if not self.c:
            return casadi().SX.zeros(self.m)
        return self._at(lambda x, _: casadi().jtimes(self.g(x), x, multipliers, True), q, q)

    def rate(self, q: Any, v: Any) -> Any:
        """G(q) v."""
        if not self.c:
            return casadi().SX.zeros(0)
        return self._at(lambda x, y: casadi().jtimes(self.g(x), x, y), q, v)

    def inertia(self, q: Any, v: Any, a: Any) -> Any:
        """d/dt ∂L/∂v − ∂L/∂q along a motion with velocity v and acceleration a: the left side of the equations."""
        ca = casadi()

        def left(x: Any, y: Any) -> Any:
            p = ca.gradient(self.L(x, y), y)
            return ca.jtimes(p, x, y) + ca.jtimes(p, y, a) - ca.gradient(self.L(x, y), x)

        return self._at(left, q, v)

    def bend(self, q: Any, v: Any, a: Any) -> Any:
        """d²g/dt²."""
        if not self.c:
            return casadi().SX.zeros(0)
        ca = casadi()

        def second(x: Any, y: Any) -> Any:
            rate = ca.jtimes(self.g(x), x, y)
            return ca.jtimes(rate, x, y) + ca.jtimes(rate, y, a)

        return self._at(second, q, v)

    def _at(self, fn: Any, q: Any, v: Any) -> Any:
        """fn of new symbols (it differentiates by them), evaluated at expressions q and v."""
        ca = casadi()
        x, y = self.new("x"), self.new("y")
        return ca.substitute(fn(x, y), ca.vertcat(x, y), ca.vertcat(q, v))


def scalar_term(elements: Elements, n: int, moving: bool, sign: float, role: str) -> Term:
    """Elements whose function gives a number: `moving` ones take velocities too."""
    ca = casadi()
    _fits(elements, n)
    m = elements.index.shape[1]
    q, v, p = ca.SX.sym("q", m), ca.SX.sym("v", m), ca.SX.sym("p", elements.parameters.shape[1])
    given = (elements.places(q), elements.places(v), p) if moving else (elements.places(q), p)
    value = sign * scalar(elements.fn, given, elements.label, optional=1)
    function = ca.Function(role, [q, v, p], [value])
    rows = np.zeros((len(elements), 0), dtype=np.int64)
    if role == "dissipation":
        return Term(elements.index, elements.parameters, rows, dissipation=function)
    return Term(elements.index, elements.parameters, rows, lagrangian=function)


def constraint_term(elements: Elements, n: int, first: int) -> Term:
    """Elements whose function gives constraints, numbered from `first` on."""
    ca = casadi()
    _fits(elements, n)
    q, p = ca.SX.sym("q", elements.index.shape[1]), ca.SX.sym("p", elements.parameters.shape[1])
    g = column(elements.fn, (elements.places(q), p), None, elements.label, optional=1)
    rows = first + np.arange(len(elements) * g.numel()).reshape(len(elements), -1)
    return Term(elements.index, elements.parameters, rows, constraints=ca.Function("g", [q, p], [g]))


def _fits(elements: Elements, n: int) -> None:
    if elements.index.max() >= n:
        raise ModelError(f"{elements.label} names coordinate {elements.index.max()}, and the system has {n}.")
