"""Discrete gradients of a function between two positions, q₀ and q₁ = q₀ + u.

A discrete gradient D of φ satisfies D·u = φ(q₁) − φ(q₀) and tends to ∇φ as u → 0. Here, with Gauss points c_i and
weights b_i,

    D = D̃ + (φ₁ − φ₀ − D̃·u) d / (d·u),          D̃ = Σ b_i ∇φ(q₀ + c_i u)                                       (1)

One point, D̃ = ∇φ(q̄), is Gonzalez' gradient; more points are the mean value ∫₀¹ ∇φ(q₀ + s u) ds, corrected for what the
quadrature leaves. d = M u, M the mass of the coordinates (a metric without which units would matter), or u where the
term has none. Linear symmetries ξ of φ, ∇φ·ξ = 0, are kept by Gonzalez' gradient, D·ξ(q̄) = 0, if ξ(q̄) is removed from
d. Motions along ξ then have d → 0; D̃ becomes

    D̃ = ∇φ(q̄) + P (½ ∇φ(q₀) + ½ ∇φ(q₁) − ∇φ(q̄)),         P without parts along ξ(q̄)                          (2)

so that the rest in (1) is of the order of d², and D is continuous there. A rest below the round-off of φ is left out:
its quotient would be noise.

The sum over terms of their discrete gradients is a discrete gradient of the sum, so that matrices stay sparse.
Gonzalez, J. Nonlinear Sci. 6 (1996); McLachlan, Quispel & Robidoux, Phil. Trans. R. Soc. A 357 (1999).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..formula.functions import casadi
from .lagrangian import Lagrangian
from .terms import Symbols, Term

ROUND_OFF = 8.0 * float(np.finfo(np.float64).eps)  # of a difference φ₁ − φ₀, as a part of |φ₀| + |φ₁|
ALONG = 1e-12  # the square of the part of u across symmetries, relative to u², below which d = M u
DEPENDENT = 1e-20  # likewise of the part of a symmetry that is independent of the symmetries before it


def secant(fn: Callable[[Any], Any], s: Symbols, q: Any, u: Any, along: list[Any], points: int) -> Any:
    """D (1) of a function of one position, with `points` Gauss points; `along`: the symmetries at the middle."""
    ca, x = casadi(), s.new("x")
    value = fn(x)
    gradient = ca.gradient(value, x)
    if not ca.depends_on(ca.jacobian(gradient, x), x):  # quadratic: the gradient at the middle is exact
        return ca.substitute(gradient, x, q + 0.5 * u)
    nodes, weights = np.polynomial.legendre.leggauss(points)
    places = [q + (0.5 + 0.5 * float(c)) * u for c in nodes]
    D = sum(0.5 * float(b) * ca.substitute(gradient, x, y) for b, y in zip(weights, places, strict=True))
    M = metric(s, q + 0.5 * u)
    basis = orthogonal(M, along)
    if basis and points == 1:
        ends = 0.5 * (ca.substitute(gradient, x, q) + ca.substitute(gradient, x, q + u))
        D += across(M, basis, ends - D)  # (2)
    before, after = ca.substitute(value, x, q), ca.substitute(value, x, q + u)
    d = across(M, basis, M @ u)
    d = ca.if_else(ca.dot(d, u) > ALONG * ca.dot(u, M @ u), d, M @ u) if basis else d
    share = quotient(after - before - ca.dot(D, u), ca.dot(d, u), ca.fabs(before) + ca.fabs(after))
    return D + share * d


def quotient(rest: Any, by: Any, size: Any) -> Any:
    """rest/by, or zero if the rest is at most round-off of numbers of a size."""
    ca = casadi()
    counts = ca.fabs(rest) > ROUND_OFF * size
    return ca.if_else(counts, rest, 0.0) / ca.if_else(counts, by, 1.0)


def mass(s: Symbols, q: Any, v: Any) -> Any:
    """∂²L/∂v² of a term."""
    ca, y = casadi(), s.new("y")
    return ca.substitute(ca.jacobian(s.momentum(q, y), y), y, v)


def metric(s: Symbols, q: Any) -> Any:
    """The mass of the term's coordinates at rest, or the identity if some of these have none in it."""
    ca = casadi()
    M = mass(s, q, ca.SX.zeros(s.m))
    return M if ca.diag(M).nnz() == s.m else ca.SX.eye(s.m)


def orthogonal(M: Any, along: list[Any]) -> list[tuple[Any, Any]]:
    """Directions made orthogonal in the metric M, each with the square of its length."""
    ca = casadi()
    basis: list[tuple[Any, Any]] = []
    for xi in along:
        rest = xi - sum((b * ca.dot(b, M @ xi) / square for b, square in basis), ca.SX.zeros(xi.shape))
        square = ca.dot(rest, M @ rest) + DEPENDENT * ca.dot(xi, M @ xi)
        basis.append((rest, ca.if_else(square > 0.0, square, 1.0)))  # ξ = 0: a rotation about a line with all points
    return basis


def across(M: Any, basis: list[tuple[Any, Any]], force: Any) -> Any:
    """A force without its parts along the symmetries of a basis: its product with each is zero."""
    ca = casadi()
    return force - sum((M @ b * ca.dot(b, force) / square for b, square in basis), ca.SX.zeros(force.shape))


def symmetries(system: Lagrangian, term: Term, x: Any) -> list[Any]:
    """The linear symmetries ξ = A q + b that the system names, at positions x of an instance of a term; without those
    that move an instance by coordinates of others, or each instance in its own way."""
    ca, found = casadi(), []
    z = ca.SX.sym("z", system.n)
    for xi in system.symmetries.values():
        A = ca.jacobian(xi(z), z)
        if ca.depends_on(A, z):
            continue
        matrix, shift = np.array(ca.evalf(A).full()), np.array(xi(np.zeros(system.n))).ravel()
        block = matrix[term.index[:, :, None], term.index[:, None, :]]
        inside = np.abs(block).sum(axis=(1, 2)) == np.abs(matrix[term.index]).sum(axis=(1, 2))
        offset = shift[term.index]
        moves = block[0].any() or offset[0].any()
        if moves and inside.all() and (block == block[0]).all() and (offset == offset[0]).all():
            found.append(ca.sparsify(ca.DM(block[0])) @ x + ca.DM(offset[0]))
    return found
