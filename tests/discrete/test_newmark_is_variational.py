"""Newmark's scheme with γ = ½ is variational for every β (Kane, Marsden, Ortiz & West 2000).

With a(q) = −M⁻¹∇V(q), eliminating velocities from (1) of newmark.py leaves

    q₂ − 2 q₁ + q₀ = h² (β a₂ + (1 − 2β) a₁ + β a₀),

so that y = q + βh² M⁻¹∇V(q) obeys M (y₂ − 2 y₁ + y₀)/h² = −∇V(q₁). The right side is a gradient by y₁, of

    Ṽ(y) = V(q) + ½ βh² ∇V(q)ᵀ M⁻¹ ∇V(q),      ∇Ṽ(y) = ∇V(q),

because dy = (1 + βh² M⁻¹ V″) dq. These are the discrete Euler–Lagrange equations of

    L_d(y₀, y₁) = (h/2) (Δy/h)ᵀ M (Δy/h) − (h/2) (Ṽ(y₀) + Ṽ(y₁)),      −∂L_d/∂y₀ = M v₀,

and the form dy ∧ d(Mv) is kept.
"""

import numpy as np
import pytest

import livens.discrete as ld
from livens.discrete import symplectic

M = np.array([[2.0, 0.4], [0.4, 1.0]])
H = 0.15
BETAS = (0.0, 1 / 12, 1 / 6, 0.25, 0.4, 0.5)


def potential(x):
    return 0.5 * ld.dot(x, x) + x[0] ** 2 * x[1] + 0.3 * (x[0] ** 4 + x[1] ** 4) + 0.1 * ld.cos(3.0 * x[1])


def force(x):
    """−∇V, of states (n, 2)."""
    a, b = x.T
    return -np.column_stack([a + 2.0 * a * b + 1.2 * a**3, b + a**2 + 1.2 * b**3 - 0.3 * np.sin(3.0 * b)])


def turned(q, beta):
    """y."""
    return q - beta * H**2 * force(q) @ np.linalg.inv(M)


@pytest.fixture(scope="module")
def system():
    return ld.Mechanical(M, potential)


@pytest.mark.parametrize("beta", BETAS)
def test_turned_positions_satisfy_discrete_euler_lagrange_equations(beta, system):
    run = ld.simulate(system, ld.Newmark(beta), [0.3, -0.2], [0.4, 0.1], H, 150.0)
    y = turned(run.q, beta)
    D2 = np.diff(y, axis=0)[:-1] @ M / H + 0.5 * H * force(run.q[1:-1])
    D1 = -np.diff(y, axis=0)[1:] @ M / H + 0.5 * H * force(run.q[1:-1])
    assert np.abs(D2 + D1).max() < 100.0 * np.finfo(float).eps / H
    p = np.diff(y, axis=0) @ M / H - 0.5 * H * force(run.q[:-1])  # −∂L_d/∂y₀
    np.testing.assert_allclose(p, run.v[:-1] @ M, atol=1e-13)


def test_the_turned_potential_has_that_gradient():
    """∇Ṽ(y) = ∇V(q), by differences along a curve of q."""
    beta, s = 0.25, np.linspace(-1e-4, 1e-4, 3)
    q = np.column_stack([0.3 + 2.0 * s, -0.2 + s])
    V = np.array([potential(x) for x in q])
    f = force(q)
    turned_V = V + 0.5 * beta * H**2 * np.einsum("ij,ij->i", f @ np.linalg.inv(M), f)
    y = turned(q, beta)
    np.testing.assert_allclose(turned_V[2] - turned_V[0], -f[1] @ (y[2] - y[0]), rtol=1e-6)


def forms(system, scheme, beta):
    """dy ∧ d(Mv) before and after a step, along the four coordinate directions."""
    center = np.array([0.3, -0.2, 0.4, 0.1])
    offsets = np.array([s * k for k in symplectic.STENCIL for s in (1, -1)]) * symplectic.SPACING
    weights = np.array([s * symplectic.STENCIL[k] for k in symplectic.STENCIL for s in (1, -1)]) / symplectic.SPACING
    starts = (center + offsets[None, :, None] * np.eye(4)[:, None, :]).reshape(-1, 4)
    ends = symplectic.stepped(system, scheme, starts, H, 0.0)
    for q, v in ((starts[:, :2], starts[:, 2:]), (ends.q, ends.v)):
        T = np.tensordot(weights, np.hstack([turned(q, beta), v @ M]).reshape(4, -1, 4), (0, 1))
        yield T[:, :2] @ T[:, 2:].T - T[:, 2:] @ T[:, :2].T


@pytest.mark.parametrize("beta", BETAS)
def test_the_symplectic_form_of_turned_positions_is_kept(beta, system):
    before, after = forms(system, ld.Newmark(beta), beta)
    assert np.abs(after - before).max() < 1e-10


@pytest.mark.parametrize("gamma", [0.45, 0.55, 1.0])
def test_and_is_not_for_other_gamma(gamma, system):
    before, after = forms(system, ld.Newmark(0.25, gamma), 0.25)
    assert np.abs(after - before).max() > 1e-2 * abs(gamma - 0.5)


def test_the_plain_form_is_not_kept(system):
    """dq ∧ dp is kept only for β = 0: the variables matter."""
    assert ld.symplectic_defect(system, ld.Newmark(0.0), [0.3, -0.2], [0.4, 0.1], H) < 1e-10
    assert ld.symplectic_defect(system, ld.Newmark(0.25), [0.3, -0.2], [0.4, 0.1], H) > 1e-4
