"""Poses: rigid motions (a, B) of SE(3), the position and orientation of a body.

A pose maps a body-fixed point r to the world point

    x = a + B r,        a ∈ ℝ³ [m],  B ∈ SO(3)                                              (1)

and poses compose as maps,

    (a₁, B₁) @ (a₂, B₂) = (a₁ + B₁ a₂, B₁ B₂),      (a, B)⁻¹ = (−Bᵀa, Bᵀ).                  (2)

The product does not commute: a rotation followed by a translation differs from the same two in the other order.
Quaternions are scalar first (w, x, y, z) and map body axes to world axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, direction, finite, number, vector
from ..errors import ModelError

ORTHONORMAL = 1e-9  # largest entry of BᵀB − I that counts as a rotation


def hat(w: ArrayLike) -> Array:
    """The skew matrix of w: hat(w) r = w × r."""
    x, y, z = np.asarray(w, dtype=np.float64)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cayley(x: Array) -> Array:
    """The rotation matrix of the Cayley vector x, whose length is the tangent of half the angle."""
    X = hat(x)
    return np.eye(3) + 2.0 / (1.0 + x @ x) * (X + X @ X)


def turned(B: Array, theta: Array) -> Array:
    """B cay(θ/2): rotation matrices B (…, 3, 3) turned by small rotations θ (…, 3) about their own axes."""
    x = 0.5 * theta
    X = np.cross(np.eye(3), x[..., None, :])  # hat(x)
    return np.asarray(B @ (np.eye(3) + (2.0 / (1.0 + np.sum(x * x, axis=-1)))[..., None, None] * (X + X @ X)))


def cross(u: Array, v: Array) -> Array:
    """u × v of two vectors, ten times as fast as numpy's for any number of them."""
    x, y, z = u.tolist()
    a, b, c = v.tolist()
    return np.array([y * c - z * b, z * a - x * c, x * b - y * a])


def rotation_matrix(value: ArrayLike, what: str = "rotation") -> Array:
    """`value` as a rotation matrix; refused, with the size of the error, if it is not orthonormal to 1e-9."""
    B = finite(value, (3, 3), what)
    defect = float(np.abs(B.T @ B - np.eye(3)).max())
    if defect > ORTHONORMAL:
        raise ModelError(
            f"{what} is not orthonormal: the largest entry of BᵀB − I is {defect:.2g}; Pose.nearest(B) projects it."
        )
    if np.linalg.det(B) < 0.0:
        raise ModelError(f"{what} is a reflection (determinant −1), not a rotation.")
    return B


def _turn(axis: int, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    B = np.eye(3)
    B[i, i], B[i, j], B[j, i], B[j, j] = c, -s, s, c
    return B


@dataclass(frozen=True, eq=False)
class Pose:
    """A rigid motion: x = a + B r.

    a: position of the frame's origin in the world [m]; B: rotation matrix, body to world.

    >>> p = Pose.from_axis_angle((0, 0, 1), np.pi / 2, at=(1, 0, 0))
    >>> p.point((1, 0, 0)).round(12).tolist()
    [1.0, 1.0, 0.0]
    """

    a: Array
    B: Array

    def __init__(self, a: ArrayLike = (0.0, 0.0, 0.0), B: ArrayLike | None = None):
        object.__setattr__(self, "a", vector(a, "position"))
        object.__setattr__(self, "B", np.eye(3) if B is None else rotation_matrix(B))

    # ── the group ──

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.a + self.B @ other.a, self.B @ other.B)

    def inverse(self) -> Pose:
        """The inverse motion."""
        return Pose(-(self.B.T @ self.a), self.B.T)

    def point(self, r: ArrayLike) -> Array:
        """World position of the body-fixed point(s) r, shape (..., 3)."""
        return self.a + np.asarray(r, dtype=np.float64) @ self.B.T

    def direction(self, u: ArrayLike) -> Array:
        """World direction of the body-fixed direction(s) u, shape (..., 3)."""
        return np.asarray(u, dtype=np.float64) @ self.B.T

    # ── from other descriptions of a rotation ──

    @classmethod
    def nearest(cls, B: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """The pose whose rotation is nearest to the matrix B (Frobenius norm; polar decomposition)."""
        U, s, Vt = np.linalg.svd(finite(B, (3, 3), "rotation"))
        if s[1] <= 1e-12 * s[0]:
            raise ModelError(f"no nearest rotation: the matrix has rank one or less (singular values {s.tolist()}).")
        D = np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))])
        return cls(at, U @ D @ Vt)

    @classmethod
    def from_axis_angle(cls, axis: ArrayLike, angle: float, at: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """Rotation by `angle` [rad] about `axis`, right-handed."""
        u = direction(axis, "axis")
        angle = number(angle, "angle")
        K = hat(u)
        return cls(at, np.eye(3) + np.sin(angle) * K + 2.0 * np.sin(angle / 2) ** 2 * (K @ K))

    @classmethod
    def from_quaternion(cls, q: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """From a quaternion (w, x, y, z), which is scaled to length one."""
        q = finite(q, (4,), "quaternion")
        largest = float(np.abs(q).max())
        if largest == 0.0:
            raise ModelError("quaternion has length zero: the identity is (1, 0, 0, 0).")
        q = q / largest  # squares of huge or tiny numbers leave the floating-point range
        q = q / np.linalg.norm(q)
        w, v = q[0], q[1:]
        return cls(at, (w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * hat(v))

    @classmethod
    def from_euler(cls, angles: Sequence[float], order: str = "zyx", at: ArrayLike = (0.0, 0.0, 0.0)) -> Pose:
        """Three rotations by `angles` [degrees] about the *moving* axes named by `order`, first letter first.

        "zyx" is yaw, pitch, roll; "zxz" are the classical Euler angles. B = R_first R_second R_third.
        """
        i, j, k = _axes(order)
        a, b, c = np.radians(finite(angles, (3,), "Euler angles"))
        return cls(at, _turn(i, a) @ _turn(j, b) @ _turn(k, c))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Pose:
        """From the 4 × 4 matrix [[B, a], [0, 1]]."""
        T = finite(matrix, (4, 4), "4 x 4 matrix")
        if np.abs(T[3] - (0.0, 0.0, 0.0, 1.0)).max() > ORTHONORMAL:
            raise ModelError(f"the last row of a rigid 4 x 4 matrix is (0, 0, 0, 1), got {T[3].tolist()}.")
        return cls(T[:3, 3], T[:3, :3])

    # ── to other descriptions of a rotation ──

    def to_quaternion(self) -> Array:
        """The quaternion (w, x, y, z) with w ≥ 0."""
        return quaternions(self.B[None])[0]

    def to_axis_angle(self) -> tuple[Array, float]:
        """(axis, angle) with 0 ≤ angle ≤ π [rad]; the identity reports the axis (1, 0, 0)."""
        q = self.to_quaternion()
        size = float(np.linalg.norm(q[1:]))
        if size == 0.0:
            return np.array([1.0, 0.0, 0.0]), 0.0
        return q[1:] / size, 2.0 * float(np.arctan2(size, q[0]))

    def to_euler(self, order: str = "zyx") -> Array:
        """The angles [degrees] that `from_euler` with the same `order` takes.

        If the first and third axis coincide (gimbal lock), the third angle is zero.
        """
        i, j, k = _axes(order)
        B, m = self.B, 3 - i - j
        sign = 1.0 if (i + 1) % 3 == j else -1.0
        if i == k:  # proper Euler angles, such as zxz
            free = float(np.hypot(B[i, j], B[i, m]))
            b = np.arctan2(free, B[i, i])
            a = np.arctan2(B[j, i], -sign * B[m, i])
        else:
            free = float(np.hypot(B[i, i], B[i, j]))
            b = np.arctan2(sign * B[i, k], free)
            a = np.arctan2(-sign * B[j, k], B[k, k])
        if free <= 1e-12:
            a, c = np.arctan2(sign * B[m, j], B[j, j]), 0.0
        else:  # without the first rotation, row j depends on the third alone; the sum of a and c is exact near the lock
            row = _turn(i, a)[:, j] @ B
            c = np.arctan2(-sign * row[m] if i == k else sign * row[i], row[j])
        return np.degrees([a, b, c])

    @property
    def matrix(self) -> Array:
        """The 4 × 4 matrix [[B, a], [0, 1]]."""
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = self.B, self.a
        return T

    def column_major(self) -> list[float]:
        """The 4 × 4 matrix as 16 numbers, column after column, the order of three.js and glTF."""
        return [float(x) for x in self.matrix.T.ravel()]

    def __repr__(self) -> str:
        return f"Pose(at={self.a.round(6).tolist()}, quaternion={self.to_quaternion().round(6).tolist()})"


def quaternions(B: Array) -> Array:
    """Quaternions (n, 4) with w ≥ 0 of rotation matrices (n, 3, 3), accurate at every angle.

    4qqᵀ is linear in B; its column with the largest diagonal entry, normalised, is ±q.
    """
    d0, d1, d2 = B[:, 0, 0], B[:, 1, 1], B[:, 2, 2]
    x, y, z = B[:, 2, 1] - B[:, 1, 2], B[:, 0, 2] - B[:, 2, 0], B[:, 1, 0] - B[:, 0, 1]
    xy, yz, zx = B[:, 0, 1] + B[:, 1, 0], B[:, 1, 2] + B[:, 2, 1], B[:, 2, 0] + B[:, 0, 2]
    Q = np.stack(
        [
            np.stack([1 + d0 + d1 + d2, x, y, z], -1),
            np.stack([x, 1 + d0 - d1 - d2, xy, zx], -1),
            np.stack([y, xy, 1 - d0 + d1 - d2, yz], -1),
            np.stack([z, zx, yz, 1 - d0 - d1 + d2], -1),
        ],
        -1,
    )
    best = np.argmax(np.diagonal(Q, axis1=1, axis2=2), axis=1)
    q = np.take_along_axis(Q, best[:, None, None], axis=2)[:, :, 0]
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    return np.where(q[:, :1] < 0.0, -q, q)


def rotation_from(vector: Array) -> Array:
    """The rotation matrix of a rotation vector [rad]."""
    angle = float(np.linalg.norm(vector))
    return np.eye(3) if angle == 0.0 else Pose.from_axis_angle(vector, angle).B


def rotation_vectors(B: Array) -> Array:
    """Rotation vectors [rad] (n, 3) of rotation matrices (n, 3, 3); their lengths are at most π."""
    q = quaternions(B)
    size = np.linalg.norm(q[:, 1:], axis=1)
    scale = np.where(size > 0.0, 2.0 * np.arctan2(size, q[:, 0]) / np.where(size > 0.0, size, 1.0), 2.0)
    return scale[:, None] * q[:, 1:]


def _axes(order: str) -> tuple[int, int, int]:
    text = order.lower()
    if len(text) != 3 or set(text) - set("xyz") or text[0] == text[1] or text[1] == text[2]:
        raise ModelError(f"order of Euler angles must be three axes such as 'zyx' or 'zxz', got {order!r}.")
    return "xyz".index(text[0]), "xyz".index(text[1]), "xyz".index(text[2])
