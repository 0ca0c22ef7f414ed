"""Strain and curvature between two neighbouring sections of a beam, from their directors.

With x, d₁, d₂, d₃ of section a and x⁺, d⁺ of section b at the distance ℓ along the beam at rest, d = x⁺ − x and

    R_ij = d_i·d⁺_j,   g_i = (R_kj − R_jk)/(1 + tr R) = tan(θ/2) n_i   (i, j, k cyclic),  u_i = ½ (d_i + d⁺_i)·d,  (1)

the rotation vector φ = θ n from a to b and the translation of the screw motion from a to b, per length, are

    κ = φ/ℓ = 2 f g/ℓ,      Γ = (u − (f − e) g × (g × u))/ℓ,      f = atan(√y)/√y,  e = (1 − f)/y,  y = g·g.         (2)

These are the curvature and the strain if both are constant between the sections, which then lie on a helix: sections on
circles, helices and straight lines are exact, and of any other beam the error is of second order in ℓ (Sonneville,
Cardona, Brüls 2014). Only products of vectors occur, so that a rigid motion of both sections changes nothing. f and e
are analytic in y; e follows without a difference of equal numbers from half of the angle,

    e(y) = (1 + 2 e(y′)/w)/w²,    w = 1 + √(1 + y),    y′ = y/w²,                                                    (3)

and after three halvings from the series 1/3 − y/5 + y²/7 − …, whose error is below 1e-11 up to half a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...checks import Array
from ...formula.functions import casadi

HALVINGS = 3
SERIES = (1.0 / 3.0, -1.0 / 5.0, 1.0 / 7.0, -1.0 / 9.0, 1.0 / 11.0, -1.0 / 13.0)
UNITS = tuple(np.eye(3))


def _share(y: Any, sqrt: Any, halvings: int = HALVINGS) -> Any:
    """e(y), by (3); of symbols or numbers."""
    if halvings == 0:
        total: Any = 0.0
        for c in reversed(SERIES):
            total = total * y + c
        return total
    w = 1.0 + sqrt(1.0 + y)
    return (1.0 + 2.0 * _share(y / (w * w), sqrt, halvings - 1) / w) / (w * w)


def strain_symbols(a: Any, b: Any, length: float) -> tuple[Any, Any]:
    """Γ and κ of (2) as symbols, of two bodies inside a function that is traced (body_symbols.py)."""
    ca = casadi()
    mine, theirs = ([body.direction(u) for u in UNITS] for body in (a, b))
    R = [[ca.dot(p, q) for q in theirs] for p in mine]
    v = ca.vertcat(R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])
    g = v / (1.0 + R[0][0] + R[1][1] + R[2][2])
    d = b.position - a.position
    u = 0.5 * ca.vertcat(*(ca.dot(p + q, d) for p, q in zip(mine, theirs, strict=True)))
    y = ca.dot(g, g)
    e = _share(y, ca.sqrt)
    f = 1.0 - y * e
    return (u - (f - e) * ca.cross(g, ca.cross(g, u))) / length, 2.0 * f / length * g


def strains(x: Array, B: Array, lengths: Array) -> tuple[Array, Array]:
    """Γ and κ [1/m] of (2), each (…, n, 3), for sections at x (…, n + 1, 3) with the rotations B (…, n + 1, 3, 3)."""
    R = np.swapaxes(B[..., :-1, :, :], -1, -2) @ B[..., 1:, :, :]
    v = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    g = v / (1.0 + np.trace(R, axis1=-2, axis2=-1))[..., None]
    d = np.diff(x, axis=-2)
    u = 0.5 * np.einsum("...ij,...i->...j", B[..., :-1, :, :] + B[..., 1:, :, :], d)
    y = np.sum(g * g, axis=-1, keepdims=True)
    e = _share(y, np.sqrt)
    f = 1.0 - y * e
    return (u - (f - e) * np.cross(g, np.cross(g, u))) / lengths[:, None], 2.0 * f / lengths[:, None] * g


def reference_rows(x: Array, B: Array, lengths: Array) -> Array:
    """ℓ, Γ, κ between neighbours, one row each (n, 7): those of a beam that is free of stress there. Round-off is zero,
    so that beams with straight pieces have few different formulas."""
    gamma, kappa = strains(x, B, lengths)
    kappa = np.where(np.abs(kappa) * lengths[:, None] < 1e-13, 0.0, kappa)
    gamma = np.where(np.abs(gamma) < 1e-13, 0.0, gamma)
    gamma = np.where(np.abs(gamma - 1.0) < 1e-13, 1.0, gamma)
    return np.concatenate([lengths[:, None], gamma, kappa], axis=1)


def held_equations(a: Any, b: Any, row: Sequence[float], held: Sequence[int]) -> list[Any]:
    """ℓ (Γ_k − Γ_k⁰) for k in `held`, as symbols [m]."""
    gamma, _ = strain_symbols(a, b, row[0])
    return [row[0] * (gamma[k] - row[1 + k]) for k in held]


def mean_equations(a: Any, b: Any, row: Sequence[float], held: Sequence[int]) -> list[Any]:
    """u_k − u_k⁰ of (1) for k in `held`, as symbols [m]; u⁰ is that of the strains at rest."""
    length, gamma, kappa = row[0], np.array(row[1:4]), np.array(row[4:7])
    phi = length * kappa
    theta = float(np.linalg.norm(phi))
    n = phi / theta if theta > 0.0 else phi
    across = np.sinc(theta / np.pi)  # sin θ/θ
    rest = length * (across * gamma + (1.0 - across) * (n @ gamma) * n)
    d = b.position - a.position
    return [0.5 * casadi().dot(a.direction(UNITS[k]) + b.direction(UNITS[k]), d) - float(rest[k]) for k in held]


def energy_of(a: Any, b: Any, row: Sequence[float], stiffnesses: Sequence[float], held: Sequence[int] = ()) -> Any:
    """½ ℓ (δΓᵀ C₁ δΓ + δκᵀ C₂ δκ) as a symbol; `held`: those of the six that are constraints, and have no energy."""
    length, gamma, kappa = row[0], row[1:4], row[4:7]
    of = strain_symbols(a, b, length)
    changes = [x[i] - rest for x, rests in zip(of, (gamma, kappa), strict=True) for i, rest in enumerate(rests)]
    kept = [c * change**2 for k, (c, change) in enumerate(zip(stiffnesses, changes, strict=True)) if k not in held]
    return 0.5 * length * sum(kept)
