"""Poses between two stored states, from poses and velocities at both: cubic on the group of rigid motions.

Between t₀ and t₁ = t₀ + h, with s = (t − t₀)/h and the cubics H of Hermite,

    x(s) = H₀ x₀ + H₁ h v₀ + H₂ x₁ + H₃ h v₁                                                                 (1)
    R(s) = exp θ(s) R₀,     θ(s) = H₁ h ω₀ + H₂ θ₁ + H₃ J(θ₁)⁻¹ h ω₁                                          (2)

    H₁ = s (1 − s)²,   H₂ = s² (3 − 2s),   H₃ = s² (s − 1),   H₀ = 1 − H₂

θ₁ is the logarithm of R₁ R₀ᵀ; of its values, which differ by whole turns, the one nearest to h (ω₀ + ω₁)/2. J is the
derivative of the exponential map from the left. The error is O(h⁴), and bodies stay rigid. drawing.js has the same.
"""

from __future__ import annotations

import numpy as np

from ...checks import Array


def hermite(s: float) -> tuple[float, float, float, float]:
    """H₀, H₁, H₂, H₃ at s.

    >>> hermite(0.5)
    (0.5, 0.125, 0.5, -0.125)
    """
    two = s * s * (3.0 - 2.0 * s)
    return 1.0 - two, s * (1.0 - s) ** 2, two, s * s * (s - 1.0)


def positions_between(x0: Array, x1: Array, v0: Array, v1: Array, h: float, s: float) -> Array:
    """Equation (1)."""
    a, b, c, d = hermite(s)
    return a * x0 + b * h * v0 + c * x1 + d * h * v1


def rotations_between(R0: Array, R1: Array, w0: Array, w1: Array, h: float, s: float) -> Array:
    """Equation (2), for rotations (n, 3, 3) and angular velocities in world axes (n, 3) [rad/s].

    >>> R1 = exponential(np.array([[0.0, 0.0, 7.0]]))  # more than a turn in a second
    >>> w = np.array([[0.0, 0.0, 7.0]])
    >>> there = rotations_between(np.eye(3)[None], R1, w, w, 1.0, 0.3)
    >>> bool(np.allclose(there, exponential(np.array([[0.0, 0.0, 2.1]]))))
    True
    """
    _, b, c, d = hermite(s)
    end = _nearest(logarithm(R1 @ np.swapaxes(R0, 1, 2)), 0.5 * h * (w0 + w1))
    return exponential(b * h * w0 + c * end + d * _unrolled(end, h * w1)) @ R0


def exponential(theta: Array) -> Array:
    """Rotations (n, 3, 3) of rotation vectors (n, 3)."""
    angle = np.linalg.norm(theta, axis=1)[:, None, None]
    K = _hats(theta)
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    a = np.where(small, 1.0 - angle**2 / 6.0, np.sin(safe) / safe)
    b = np.where(small, 0.5 - angle**2 / 24.0, (1.0 - np.cos(safe)) / safe**2)
    return np.eye(3) + a * K + b * (K @ K)


def logarithm(R: Array) -> Array:
    """Rotation vectors (n, 3) of rotations, of angles up to π; from the largest component of the quaternion."""
    w = 1.0 + np.trace(R, axis1=1, axis2=2)
    diagonal = np.diagonal(R, axis1=1, axis2=2)
    four = np.concatenate([w[:, None], 1.0 + 2.0 * diagonal - np.trace(R, axis1=1, axis2=2)[:, None]], axis=1)
    odd = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    even = np.stack([R[:, 2, 1] + R[:, 1, 2], R[:, 0, 2] + R[:, 2, 0], R[:, 1, 0] + R[:, 0, 1]], axis=1)
    rows = np.stack(
        [
            np.concatenate([four[:, :1], odd], axis=1),
            np.stack([odd[:, 0], four[:, 1], even[:, 2], even[:, 1]], axis=1),
            np.stack([odd[:, 1], even[:, 2], four[:, 2], even[:, 0]], axis=1),
            np.stack([odd[:, 2], even[:, 1], even[:, 0], four[:, 3]], axis=1),
        ],
        axis=1,
    )
    q = rows[np.arange(len(R)), four.argmax(axis=1)]
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    q = np.where(q[:, :1] < 0.0, -q, q)
    size = np.linalg.norm(q[:, 1:], axis=1)
    angle = 2.0 * np.arctan2(size, q[:, 0])
    return q[:, 1:] * np.where(size > 1e-12, angle / np.maximum(size, 1e-300), 2.0)[:, None]


def _nearest(theta: Array, guess: Array) -> Array:
    """θ plus the whole turns about its axis that bring it nearest to the guess."""
    angle = np.linalg.norm(theta, axis=1)
    along = np.linalg.norm(guess, axis=1)
    still = angle < 1e-9
    axis = np.where(
        still[:, None], guess / np.maximum(along, 1e-300)[:, None], theta / np.maximum(angle, 1e-300)[:, None]
    )
    turns = np.round(((guess * axis).sum(axis=1) - angle) / (2.0 * np.pi))
    return theta + 2.0 * np.pi * turns[:, None] * axis


def _unrolled(theta: Array, w: Array) -> Array:
    """J(θ)⁻¹ w = w − ½ θ × w + c θ × (θ × w),    c = 1/θ² − (1 + cos θ)/(2 θ sin θ); at whole turns that of θ = 0,
    where J has no inverse."""
    angle = np.linalg.norm(theta, axis=1)
    half = 0.5 * angle
    regular = (angle > 1e-3) & (np.abs(np.sin(half)) > 0.05)
    safe = np.where(regular, half, 1.0)
    c = np.where(regular, (1.0 - safe / np.tan(safe)) / (4.0 * safe**2), np.where(angle > 1e-3, 0.0, 1.0 / 12.0))
    once = np.cross(theta, w)
    full = w - 0.5 * once + c[:, None] * np.cross(theta, once)
    return np.where((regular | (angle <= 1e-3))[:, None], full, w)


def _hats(v: Array) -> Array:
    K = np.zeros((len(v), 3, 3))
    K[:, 0, 1], K[:, 0, 2], K[:, 1, 2] = -v[:, 2], v[:, 1], -v[:, 0]
    return K - np.swapaxes(K, 1, 2)
