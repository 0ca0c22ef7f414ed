"""Mechanical systems by their Lagrangian: any L(q, v), or M, V, C of M x″ + C x′ + ∂V/∂x + ∂D/∂x′ = f.

    d/dt ∂L/∂v − ∂L/∂q = F(q, v, t) − ∂D/∂v + G(q)ᵀλ,      g(q) = 0,   G = ∂g/∂q                               (1)

Functions are called once, with symbols, and differentiated exactly; `Elements` are many equal pieces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_matrix, csr_matrix, issparse, triu

from ..checks import Array, finite
from ..errors import ModelError
from ..formula.functions import casadi, dot
from .factors import SuperLU
from .terms import Elements, Term, constraint_term, scalar_term
from .tracing import Fn, column, of_time_alone, scalar

Pieces = Fn | Elements | Sequence[Fn | Elements]
FUSED = 64  # coordinates up to which a mass matrix is written into the whole expression


class Lagrangian:
    """A system by its Lagrangian L(q, v) of n coordinates; equations (1).

    L: a function of q and v that gives one expression, `Elements`, or a list of both, which are summed.
    constraints: g(q) = 0; dissipation: D(q, v) with the force −∂D/∂v; force: F(q, v, t), n numbers.
    symmetries: name → ξ(q), directions along which L does not change; p·ξ is then conserved, and `Run.momenta` has it.
    Use `ld.sin`, `ld.dot`, `ld.norm`, … on symbols.

    >>> import livens.discrete as ld
    >>> pendulum = ld.Lagrangian(lambda q, v: 0.5 * v[0]**2 + 9.81 * ld.cos(q[0]), n=1)
    >>> run = ld.simulate(pendulum, ld.Midpoint(), q=[2.0], v=[0.0], h=0.01, until=1.0)
    >>> bool(abs(run.energy[-1] - run.energy[0]) < 1e-3)
    True
    """

    name = "Lagrangian"

    def __init__(
        self,
        L: Pieces,
        n: int,
        constraints: Pieces | None = None,
        dissipation: Pieces | None = None,
        force: Fn | ArrayLike | None = None,
        symmetries: Mapping[str, Fn] | None = None,
    ):
        self.n = _count(n, f"n of a {self.name}")
        self._whole: dict[str, list[Any]] = {"L": [], "D": [], "F": [], "g": []}
        self._terms: list[Term] = []
        self.written: list[tuple[str, Any, Any]] = []  # what, the function, and its expression or its term
        ca = casadi()
        self._q, self._v, self._t = ca.SX.sym("q", self.n), ca.SX.sym("v", self.n), ca.SX.sym("t")
        self.constraints = 0  # how many
        self.dissipative = dissipation is not None
        self.forced = force is not None
        for piece in _listed(L):
            self._add_scalar("L", piece, True, 1.0, "lagrangian", "the Lagrangian")
        for piece in _listed(dissipation):
            self._add_scalar("D", piece, True, 1.0, "dissipation", "the dissipation")
        for piece in _listed(constraints):
            self._add_constraints(piece)
        if force is not None:
            self._whole["F"].append(self._force(force))
            self.written.append(("the force", force, self._whole["F"][-1]))
        if symmetries is not None and not isinstance(symmetries, Mapping):
            raise ModelError("symmetries must have names: {'angular momentum': lambda q: (-q[1], q[0])}.")
        self.symmetries = {name: self._symmetry(fn, name) for name, fn in (symmetries or {}).items()}
        self.programs: dict[Any, Any] = {}  # compiled maps, by scheme

    def _add_scalar(self, kind: str, piece: Any, moving: bool, sign: float, role: str, label: str) -> None:
        if isinstance(piece, Elements):
            self._terms.append(scalar_term(piece, self.n, moving, sign, role))
            self.written.append((piece.label, piece.fn, self._terms[-1]))
        else:
            given = (self._q, self._v) if moving else (self._q,)
            self._whole[kind].append(sign * scalar(piece, given, label))
            self.written.append((label, piece, self._whole[kind][-1]))

    def _add_constraints(self, piece: Any) -> None:
        if isinstance(piece, Elements):
            self._terms.append(constraint_term(piece, self.n, self.constraints))
            self.constraints += self._terms[-1].rows.size
            self.written.append((piece.label, piece.fn, self._terms[-1]))
        else:
            g = column(piece, (self._q,), None, "the constraints")
            self.written.append(("the constraints", piece, g))
            self._whole["g"].append((g, self.constraints))
            self.constraints += g.numel()

    def _force(self, force: Any) -> Any:
        if not callable(force):
            return casadi().SX(finite(force, (self.n,), "the force"))
        return column(force, (self._q, self._v, self._t), self.n, "the force", optional=1)

    def _symmetry(self, fn: Fn, name: str) -> Any:
        ca = casadi()
        xi = column(fn, (self._q,), self.n, f"the symmetry {name!r}")
        return ca.Function("xi", [self._q], [ca.densify(xi)])

    @property
    def variables(self) -> tuple[Any, Any, Any]:
        """The symbols q, v and t that functions of all coordinates were called with."""
        return self._q, self._v, self._t

    def asymmetry(self, name: str, q: Array, v: Array) -> float:
        """How much L, and the constraints, change along a symmetry ξ at (q, v), as a part of what they could:
        δL = ∂L/∂q·ξ + ∂L/∂v·(∂ξ/∂q v)."""
        ca = casadi()
        x, y = ca.SX.sym("x", self.n), ca.SX.sym("y", self.n)
        xi = self.symmetries[name](x)
        along = ca.Function("along", [x, y], [xi, ca.jtimes(xi, x, y)])
        dq, dv = (np.array(d).ravel() for d in along(q, v))
        change, size = 0.0, 1e-300
        for term in self.terms:
            s = term.symbols()
            a, b, da, db = s.new("a"), s.new("b"), s.new("da"), s.new("db")
            G = ca.jacobian(s.g(a), a)
            parts = [ca.gradient(s.L(a, b), a) * da, ca.gradient(s.L(a, b), b) * db, G @ da, ca.fabs(G) @ ca.fabs(da)]
            f = ca.Function("f", [a, b, da, db, s.p], [ca.densify(ca.vertcat(*parts))]).map(len(term.index))
            values = np.array(f(*(z[term.index].T for z in (q, v, dq, dv)), term.parameters.T))
            m = 2 * s.m
            change += float(values[:m].sum())
            size += float(np.abs(values[:m]).sum())
            crossed, could = values[m : m + s.c], values[m + s.c :]
            if (np.abs(crossed) > 1e-9 * could).any():
                return float(np.max(np.abs(crossed) / np.maximum(could, 1e-300)))
        return abs(change) / size

    @property
    def terms(self) -> list[Term]:
        """The terms of the system; a function of all coordinates is one term."""
        ca, whole = casadi(), self._whole
        if not any(whole.values()):
            return self._terms
        q, v, t, p = self._q, self._v, self._t, ca.SX.sym("p", 0)
        rows = [first + np.arange(g.numel()) for g, first in whole["g"]]
        return [
            Term(
                index=np.arange(self.n)[None, :],
                parameters=np.zeros((1, 0)),
                rows=np.concatenate([np.zeros(0, dtype=np.int64), *rows])[None, :],
                lagrangian=ca.Function("L", [q, v, p], [sum(whole["L"])]) if whole["L"] else None,
                dissipation=ca.Function("D", [q, v, p], [sum(whole["D"])]) if whole["D"] else None,
                force=ca.Function("F", [q, v, t, p], [ca.densify(sum(whole["F"]))]) if whole["F"] else None,
                constraints=ca.Function("g", [q, p], [ca.vertcat(*(g for g, _ in whole["g"]))]) if rows else None,
            ),
            *self._terms,
        ]

    def __repr__(self) -> str:
        held = f", {self.constraints} constraints" if self.constraints else ""
        return f"{self.name}({self.n} coordinates{held})"


class Mechanical(Lagrangian):
    """M x″ + C x′ + ∂V/∂x + ∂D/∂x′ = f(t), with constraints g(x) = 0 if there are any.

    mass: a number (give n), n numbers, an n × n matrix (an array, or sparse of SciPy), or a function M(x).
    potential: V(x), a function, `Elements`, or a list of them. damping: C as mass is given; dissipation: D(x, v).
    force: f(t), f(q, v, t), or n numbers.

    >>> import livens.discrete as ld
    >>> oscillator = ld.Mechanical(mass=[1.0], potential=lambda x: 0.5 * x[0]**2, damping=[0.1])
    >>> run = ld.simulate(oscillator, ld.Newmark(), q=[1.0], v=[0.0], h=0.1, until=10.0)
    >>> round(float(run.q[-1, 0]), 3)
    -0.532
    """

    name = "Mechanical"

    def __init__(
        self,
        mass: Any,
        potential: Pieces | None = None,
        damping: Any = None,
        dissipation: Pieces | None = None,
        force: Fn | ArrayLike | None = None,
        constraints: Pieces | None = None,
        symmetries: Mapping[str, Fn] | None = None,
        n: int | None = None,
    ):
        kinetic, size = quadratic(mass, n, "the mass")
        losses = [] if damping is None else quadratic(damping, size, "the damping")[0]
        super().__init__(kinetic, size, constraints, [*losses, *_listed(dissipation)] or None, force, symmetries)
        for piece in _listed(potential):
            self._add_scalar("L", piece, False, -1.0, "lagrangian", "the potential")

    def _force(self, force: Any) -> Any:
        if callable(force) and of_time_alone(force, "the force"):
            return column(force, (self._t,), self.n, "the force")
        return super()._force(force)


def quadratic(matrix: Any, n: int | None, what: str) -> tuple[list[Fn | Elements], int]:
    """½ vᵀ A v as pieces of a Lagrangian or of a dissipation, and the number of coordinates: A a number, a diagonal, a
    matrix, a sparse matrix or a function of q that gives one."""
    if n is not None:
        n = _count(n, "n")
    if callable(matrix):
        if n is None:
            raise ModelError(f"{what} is a function, so give the number of coordinates: n=….")
        return [lambda q, v: 0.5 * dot(v, _matrix(matrix(q), n, what) @ v)], n
    if issparse(matrix):
        matrix = matrix.tocsr()
        size = matrix.shape[0]
        flawed = matrix.shape != (size, size) or abs(matrix - matrix.T).max() > 1e-12 * abs(matrix).max()
        diagonal = matrix.diagonal()
    else:
        try:
            matrix = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise ModelError(f"{what} must be a number, n numbers or an n × n matrix, not {matrix!r}.") from None
        if matrix.ndim > 2 or matrix.size == 0:
            raise ModelError(f"{what} must be a number, n numbers or an n × n matrix, got shape {matrix.shape}.")
        if matrix.ndim == 0:
            if n is None:
                raise ModelError(f"{what} is one number, so give the number of coordinates: n=….")
            matrix = np.full(n, float(matrix))
        size = len(matrix)
        flawed = matrix.ndim == 2 and not _symmetric(matrix)
        diagonal = matrix if matrix.ndim == 1 else np.diag(matrix)
    if not np.isfinite(matrix.data if issparse(matrix) else matrix).all():
        raise ModelError(f"{what} is not finite.")
    if flawed:
        raise ModelError(f"{what} must be n numbers or a symmetric n × n matrix, got shape {matrix.shape}.")
    if n is not None and n != size:
        raise ModelError(f"{what} is of {size} coordinates, and there are {n}.")
    if not np.isfinite(diagonal).all() or diagonal.min() < 0.0:
        raise ModelError(f"{what} must be finite and positive, and has {diagonal.min():g} on its diagonal.")
    if size <= FUSED:
        full = np.diag(matrix) if np.ndim(matrix) == 1 else matrix.toarray() if issparse(matrix) else matrix
        least = float(np.linalg.eigvalsh(full).min())
        if least < -1e-12 * np.abs(full).max():
            raise ModelError(f"{what} must be positive definite, and has the eigenvalue {least:g}.")
        return [lambda q, v: 0.5 * dot(v, casadi().sparsify(casadi().DM(full)) @ v)], size
    if np.ndim(matrix) == 2 or issparse(matrix):
        whole = csc_matrix(matrix)
        whole.sort_indices()
        if what == "the mass" and not SuperLU(whole).factorise(whole.data):
            raise ModelError(f"{what} must be positive definite, and is not.")
    upper = triu(csr_matrix(np.diag(matrix)) if np.ndim(matrix) == 1 else csr_matrix(matrix), 1).tocoo()
    pieces: list[Fn | Elements] = [
        Elements(lambda q, v, p: 0.5 * p[0] * v[0] ** 2, np.arange(size)[:, None], diagonal, name=what)
    ]
    if upper.nnz:
        pairs = np.column_stack([upper.row, upper.col])
        pieces.append(Elements(lambda q, v, p: p[0] * v[0] * v[1], pairs, upper.data, name=what))
    return pieces, size


def _symmetric(matrix: Array) -> bool:
    size = len(matrix)
    return matrix.shape == (size, size) and bool(np.abs(matrix - matrix.T).max() <= 1e-12 * np.abs(matrix).max())


def _matrix(value: Any, n: int, what: str) -> Any:
    """A matrix of expressions from the result of a function M(q): symbols, or rows of rows."""
    ca = casadi()
    if isinstance(value, list | tuple | np.ndarray):
        if not all(np.ndim(row) == 1 and len(row) == n for row in value):
            raise ModelError(f"{what} must be a matrix of {n} × {n}, rows of expressions.")
        value = ca.vertcat(*(ca.horzcat(*row) for row in value))
    if tuple(ca.SX(value).shape) != (n, n):
        raise ModelError(f"{what} must be a matrix of {n} × {n}, and is {ca.SX(value).shape}.")
    return value


def _count(n: Any, what: str) -> int:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ModelError(f"{what} must be a whole number above zero, not {n!r}.")
    return int(n)


def _listed(pieces: Any) -> list[Any]:
    """None, one piece or several, as a list."""
    if pieces is None:
        return []
    return list(pieces) if isinstance(pieces, list | tuple) else [pieces]
