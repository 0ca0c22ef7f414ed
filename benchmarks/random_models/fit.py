"""Conditioning of the joints of a description, allowed velocities and fastest rate, independent of the package.

With A the joint equations A u = 0 of index_one.py and W the inverse mass matrix, both scaled so that u is in the mass
norm and each equation is relative to its size, Ā = D A W^½:

    freedom   the dimension of u minus the rank of Ā               grip   the smallest nonzero singular value
    start     u ← u − W Aᵀ (A W Aᵀ)⁺ A u, the smallest change in the mass norm that makes it consistent        (1)
    rate      the fastest initial rate [1/s]: spins, √ of angular accelerations and of accelerations over the
              size of bodies, vibrations √(k a W aᵀ) and decays c a W aᵀ of springs and dampers and orbits
              √(G (m₁ + m₂)/d³) of attraction, without the joints                                               (2)
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np

from .. import index_one
from .description import Array, Description, build

NONE = 1e-10  # singular values below this count as zero
SIZE = 0.3  # size of bodies [m], the scale of random accelerations and velocities


@dataclass(frozen=True)
class Grip:
    freedom: int
    least: float
    clear: bool  # there is a clear gap between zero and nonzero singular values
    repeated: int  # redundant constraints


def inverse_roots(told: Description) -> Array:
    """W^½ (6 n, 6 n), with zeros for directions without inertia."""
    n = len(told.parts)
    W = np.zeros((n, 6, n, 6))
    for k, part in enumerate(told.parts):
        values, axes = np.linalg.eigh(part.inertia)
        inverse = np.where(values > 1e-12 * values.max(), 1.0 / np.sqrt(np.maximum(values, 1e-300)), 0.0)
        W[k, :3, k, :3] = np.eye(3) / np.sqrt(part.mass)
        W[k, 3:, k, 3:] = (axes * inverse) @ axes.T
    return W.reshape(6 * n, 6 * n)


def equations(told: Description) -> Array:
    """A at the initial state."""
    mechanism = index_one.Mechanism(build(told))
    return mechanism.equations(*mechanism.start()[:2])


def grip(told: Description) -> Grip:
    root = inverse_roots(told)
    dimension = np.linalg.matrix_rank(root)
    if not told.ties:
        return Grip(int(dimension), 1.0, True, 0)
    A = equations(told) @ root
    sizes = np.linalg.svd(A / np.linalg.norm(A, axis=1)[:, None], compute_uv=False)
    sizes = np.concatenate([sizes, np.zeros(len(A) - len(sizes))])
    rank = int((sizes > NONE).sum())
    return Grip(int(dimension) - rank, float(sizes[rank - 1]), bool((sizes[rank:] < 1e-3 * NONE).all()), len(A) - rank)


def projected(told: Description) -> Description:
    """The description with consistent velocities, by (1)."""
    if not told.ties:
        return told
    A, root = equations(told), inverse_roots(told)
    half = A @ root
    start = u = np.concatenate([[*part.velocity, *part.spin] for part in told.parts])
    for _ in range(2):  # repeated because of the round-off of the first
        u = u - root @ (np.linalg.pinv(half, rcond=NONE) @ (A @ u))
    if np.abs(u).max() <= NONE * np.abs(start).max():
        u = np.zeros_like(u)  # the joints allow no velocity: what is left is round-off, which no joint allows either
    parts = [
        replace(part, velocity=one[:3], spin=one[3:]) for part, one in zip(told.parts, u.reshape(-1, 6), strict=True)
    ]
    return replace(told, parts=tuple(parts), thrown=told)


def rate(told: Description) -> float:
    """(2) [1/s]."""
    model = build(told)
    mechanism = index_one.Mechanism(model)
    x, B, v, omega = mechanism.start()
    now = mechanism.found(x, B, v, omega, 0.0)
    found = [
        1.0,
        np.linalg.norm(omega, axis=1).max(),
        np.sqrt(np.linalg.norm(now.domega, axis=1).max()),
        np.sqrt(np.linalg.norm(now.dv, axis=1).max() / SIZE),
        np.linalg.norm(v, axis=1).max() / SIZE,
    ]
    place = {part.name: part for part in told.parts}
    for pull in told.pulls:
        d = pull.to - pull.at
        d = d / np.linalg.norm(d)
        ease = sum(mobility(place[name], x, d) for name, x in ((pull.a, pull.at), (pull.b, pull.to)) if name in place)
        found += [np.sqrt(pull.stiffness * ease), pull.damping * ease]
    if told.attraction:
        pairs = itertools.combinations(told.parts, 2)
        found += [np.sqrt(told.attraction * (a.mass + b.mass) / distance(a, b) ** 3) for a, b in pairs]
    for tie in told.ties:
        if tie.stiffness or tie.damping:
            held = [place[name] for name in (tie.a, tie.b) if name in place]
            turn = [tie.axis @ np.linalg.pinv(part.inertia) @ tie.axis for part in held]
            ease = sum(1.0 / part.mass for part in held) if tie.kind == "Prismatic" else sum(turn)
            found += [np.sqrt(tie.stiffness * ease), tie.damping * ease]
    return float(max(found))


def distance(one, other) -> float:
    """Distance of the centres of two bodies [m]."""
    return float(np.linalg.norm(one.center - other.center))


def mobility(part, x: Array, d: Array) -> float:
    """The acceleration of a point x of a body along d for a unit force along d [1/kg]."""
    arm = np.cross(x - part.center, d)
    return float(1.0 / part.mass + arm @ np.linalg.pinv(part.inertia, rcond=1e-12, hermitian=True) @ arm)
