"""Reactions of random linkages with redundant constraints: python -m benchmarks.linkage_reactions [count].

The linkages of linkages.py move under gravity, in random orientation, position, units of length, mass and time. With
the wrenches A of index_one.py, masses M and scaled rows, Ã = D A M^(−½) = U Σ Vᵀ has the rank 6 n − freedom, which is
known. By dense singular values, without the matrices of the package,

    z = M^½ u̇ = −Ã⁺ D Ȧu + V₀V₀ᵀ f̃,      Ãᵀ λ = z − f̃,      f̃ = M^(−½) f                                        (1)

Multipliers U₀ c can be added to λ: a joint's wrench R = C λ is determined except for the range of C U₀. The part of R
perpendicular to this range must be that of `motion.reaction` and `motion.reaction_torque`, at the start and later.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import livens as lv

from .counts import Count
from .index_one import Mechanism, wrenches
from .linkages import build, draw

EPS = float(np.finfo(float).eps)
STEPS = 10
UNITS = 10.0 ** np.arange(-3, 4)
DETERMINED = 1e-7  # of a joint's scaled wrench: a smaller part of C U₀ is round-off


class Dense(NamedTuple):
    """The dense solution at one state: wrenches of the joints, and their undetermined parts, scaled."""

    wrench: dict[str, np.ndarray]  # force, and torque over the size [N] (6,)
    undetermined: dict[str, np.ndarray]  # orthonormal columns (6, k)
    grip: float  # smallest singular value, relative to the largest


def moving(seed: int) -> tuple[lv.Model, int, float]:
    """A linkage that moves, its degrees of freedom, and its size [m]."""
    linkages, floating = draw(seed)
    rng = np.random.default_rng((seed, 13))
    frame, mass, time = linkages[0][1], float(rng.choice(UNITS)), float(rng.choice(UNITS))
    model = build(linkages, floating, rng)
    freedom = linkages[0][0].freedom + 6 * floating
    model.gravity = frame.unit / time**2 * 9.81 * Rotation.random(random_state=rng).apply((0, 0, 1))
    for body in model.bodies[1:]:
        body.shape = body.shape.mass_properties.scaled(mass)
    mechanism = Mechanism(model)
    x, B, _, _ = mechanism.start()
    free = null_space(mechanism, x, B, freedom, frame.unit)[0]
    u = (free @ rng.normal(size=free.shape[1])).reshape(-1, 6)
    u /= time * max(np.abs(u[:, :3]).max() / frame.unit, np.abs(u[:, 3:]).max())  # a radian, or its size, in a unit
    for body, (v, omega) in zip(model.bodies[1:], zip(u[:, :3], u[:, 3:], strict=True), strict=True):
        body.body_rates = body.pose.B.T @ omega
        body.velocity = v - np.cross(omega, body.pose.B @ body.mass_properties.center)
    return model, freedom, frame.unit


def scales(mechanism: Mechanism, A: np.ndarray, size: float) -> np.ndarray:
    """D: the size for rows that are couples, whose multipliers are then forces as well."""
    couples = ~A.reshape(len(A), mechanism.n, 6)[:, :, :3].any(axis=(1, 2))
    return np.where(couples, size, 1.0)


def null_space(mechanism: Mechanism, x, B, freedom: int, size: float):
    """Velocities that the joints allow, as columns; and D, M^(−½), U, Σ, V of (1)."""
    A = mechanism.equations(x, B)
    D = scales(mechanism, A, size)
    values, Q = np.linalg.eigh(mechanism.inverse_masses(B))
    root = (Q * np.sqrt(values)) @ Q.T
    U, sigma, Vt = np.linalg.svd(D[:, None] * A @ root)
    rank = A.shape[1] - freedom
    return root @ Vt[rank:].T, D, root, U, sigma, Vt.T


def dense(mechanism: Mechanism, state, freedom: int, size: float) -> Dense:
    """(1) at a state (x, B, v, ω)."""
    x, B, v, omega = state
    _, D, root, U, sigma, V = null_space(mechanism, x, B, freedom, size)
    rank = V.shape[0] - freedom
    F, M = mechanism.applied(x, B, v, omega, 0.0)
    J = B @ mechanism.J @ np.swapaxes(B, 1, 2)
    M = M - np.cross(omega, np.einsum("nij,nj->ni", J, omega))
    f = root @ np.concatenate([F, M], axis=1).ravel()
    u = np.concatenate([v, omega], axis=1).ravel()
    step = 1e-30
    hats = np.array([[[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]] for w in omega])
    bias = mechanism.equations(x + 1j * step * v, B + 1j * step * (hats @ B)).imag @ u / step
    V1, V0 = V[:, :rank], V[:, rank:]
    z = -V1 @ (U[:, :rank].T @ (D * bias) / sigma[:rank]) + V0 @ (V0.T @ f)
    lam = D * (U[:, :rank] @ (V1.T @ (z - f) / sigma[:rank]))
    loose = D[:, None] * U[:, rank:]
    place, carried = mechanism.geometry(x, B)
    wrench, undetermined, r = {}, {}, 0
    for joint in mechanism.model.joints:
        rows = wrenches(joint, place, carried)
        C = np.array([np.concatenate([F, M / size]) for terms in rows for _, _, _, _, F, M in terms]).T
        mine = slice(r, r + len(rows))
        left, values, _ = np.linalg.svd(C @ loose[mine], full_matrices=False)
        wrench[joint.name] = C @ lam[mine]
        undetermined[joint.name] = left[:, values > DETERMINED]
        r += len(rows)
    return Dense(wrench, undetermined, float(sigma[rank - 1] / sigma[0]))


def error(seed: int, heavier: float = 1.0) -> tuple[float, int, int]:
    """The largest error of the determined parts, over its bound; the determined and all components of wrenches.
    heavier: gravity of the dense solution, relative to that of the motion; not 1 to see that errors are found."""
    model, freedom, size = moving(seed)
    time = np.sqrt(9.81 * size / np.linalg.norm(model.gravity))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        motion = lv.simulate(model, lv.Livens(), h=1e-3 * time, until=1e-3 * time * STEPS)
    if motion.freedom != freedom:
        return np.inf, 0, 0
    model.gravity = heavier * model.gravity
    mechanism, worst, known, every = Mechanism(model), 0.0, 0, 0
    bodies = model.bodies[1:]
    for k in (0, -1):
        x, v = (np.array([read(body.center)[k] for body in bodies]) for read in (motion.position, motion.velocity))
        B, w = (np.array([read(body)[k] for body in bodies]) for read in (motion.rotation, motion.angular_velocity))
        found = dense(mechanism, (x, B, v, w), freedom, size)
        weight = max(body.mass_properties.mass for body in bodies) * np.linalg.norm(model.gravity)
        largest = max(float(weight), *(float(np.abs(R).max()) for R in found.wrench.values()))
        for joint in model.joints:
            loose = found.undetermined[joint.name]
            ours = np.concatenate([motion.reaction(joint)[k], motion.reaction_torque(joint)[k] / size])
            apart = ours - found.wrench[joint.name]
            apart -= loose @ (loose.T @ apart)
            bound = (1e-12 + 1e3 * EPS / found.grip**2) * largest
            worst = max(worst, float(np.abs(apart).max()) / bound)
            known, every = known + 6 - loose.shape[1], every + 6
    return worst, known, every


def soak(count: int, seed: int = 1, report: Callable[[str], None] = print) -> Count:
    """Compare the reactions of `count` linkages."""
    done, known, every, closest = Count(), 0, 0, 0.0
    for k in range(count):
        number = 100_000 * (seed - 1) + k
        done.tried += 1
        try:
            worst, mine, all_of_them = error(number)
        except lv.LivensError as refusal:
            worst, mine, all_of_them = np.inf, 0, 0
            report(f"seed {number}: {refusal}")
        known, every, closest = known + mine, every + all_of_them, max(closest, worst)
        if not worst <= 1.0:
            done.failed.append(f"seed {number}: reactions are off by {worst:.2g} times their bound")
            report(done.failed[-1])
    done.remark = f"{known:,} of {every:,} components are determined; largest error {closest:.1g} of its bound"
    return done


if __name__ == "__main__":
    result = soak(int(float((sys.argv[1:] or ["200"])[0])))
    print(f"{result.tried} linkages, {len(result.failed)} failures: {result.remark}")
    sys.exit(bool(result.failed))
