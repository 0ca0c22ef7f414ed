"""Rigid bodies about a fixed point, free, or on springs: Euler's equations with quaternions.

    J ω' = τ − ω × J ω,     q' = ½ q ∘ ω                                                                            (1)

with ω and τ in body axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tasks import Task
from .integrate import integrate


def matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices of quaternions, scalar first (n, 4), normalised here."""
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)


def turning(q: np.ndarray, w: np.ndarray) -> np.ndarray:
    """½ q ∘ ω (n, 4)."""
    s, v = q[:, :1], q[:, 1:]
    return 0.5 * np.hstack([-np.sum(v * w, axis=1, keepdims=True), s * w + np.cross(v, w)])


def about_a_point(task: Task, rtol: float) -> np.ndarray:
    """One body that rotates about its joint or its centre of mass, in gravity: positions of the probes."""
    m = task.mechanism
    (part,) = m.parts
    pivot = np.array(m.joints[0].at if m.joints else part.at)
    r = part.rotation.T @ (np.array(part.at) - pivot)  # to the centre, body axes
    J = np.diag(part.inertia) + part.mass * (r @ r * np.eye(3) - np.outer(r, r))
    inverse, weight = np.linalg.inv(J), part.mass * np.array(m.gravity)
    assert np.array_equal(part.rotation, np.eye(3))

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        q, w = y[:4], y[4:]
        B = matrices(q[None])[0]
        torque = np.cross(r, B.T @ weight)
        return np.concatenate([turning(q[None], w[None])[0], inverse @ (torque - np.cross(w, J @ w))])

    y = integrate(slope, np.array([1.0, 0, 0, 0, *part.rates]), task.until, rtol)
    B = matrices(y[None, :4])[0]
    return np.array([pivot + B @ (r + np.array(probe)) for _, probe in task.probes])


def on_springs(task: Task, rtol: float) -> np.ndarray:
    """Free bodies in gravity with springs between them."""
    m = task.mechanism
    n = len(m.parts)
    mass, inertia = np.array([p.mass for p in m.parts]), np.array([p.inertia for p in m.parts])
    world = n  # an additional fixed body
    ends = np.array([[world if s.a is None else s.a, s.b] for s in m.springs])
    r = np.array([[m.local(s.a, s.at_a), m.local(s.b, s.at_b)] for s in m.springs])
    k, length = (np.array([getattr(s, name) for s in m.springs]) for name in ("stiffness", "length"))
    assert all(np.array_equal(p.rotation, np.eye(3)) for p in m.parts)

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        a, q, v, w = np.split(y.reshape(n, 13), [3, 7, 10], axis=1)
        B = np.concatenate([matrices(q), np.eye(3)[None]])
        place = np.concatenate([a, np.zeros((1, 3))])
        lever = np.einsum("seij,sej->sei", B[ends], r)
        d = (place[ends] + lever)[:, 1] - (place[ends] + lever)[:, 0]
        long = np.linalg.norm(d, axis=1)
        pull = (k * (long - length) / long)[:, None] * d
        force, torque = np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
        for end, sign in ((0, 1.0), (1, -1.0)):
            np.add.at(force, ends[:, end], sign * pull)
            np.add.at(torque, ends[:, end], sign * np.cross(lever[:, end], pull))
        body = np.einsum("nji,nj->ni", B[:n], torque[:n])
        rate = (body - np.cross(w, inertia * w)) / inertia
        return np.hstack([v, turning(q, w), force[:n] / mass[:, None] + np.array(m.gravity), rate]).ravel()

    start: Any = [[*p.at, 1.0, 0, 0, 0, *p.velocity, *p.rates] for p in m.parts]
    y = integrate(slope, np.array(start).ravel(), task.until, rtol).reshape(n, 13)
    B = matrices(y[:, 3:7])
    return np.array([y[body, :3] + B[body] @ np.array(probe) for body, probe in task.probes])
