"""Measured properties of a step: reversibility, symplecticity, order of convergence.

On T*SE(3)ⁿ in left-trivialised coordinates ξ = (δa, δθ, δp, δL) per body, δB = B δθ̂, the canonical form is

    Ω(ξ, η) = δa·δp' − δp·δa' + δθ·δL' − δL·δθ' + L·(δθ × δθ')                                   (1)

where the last term is there because rotations do not commute. A map with the derivative A is symplectic if AᵀΩ₁A = Ω₀,
with Ω at its end and at its start. A comes from central differences, extrapolated (Richardson) from spacings s, s/2
and s/4, so that the error is O(s⁶) + O(eps/s). The result is dimensionless, and of order one for a map that is
not symplectic at all. With ℓ = √(J/m) of a body (or a hundredth of its distance from the origin, if that is longer),
its action S = m ℓ²/h, σ = √(S_max/S) and S_max the largest S of all bodies, the units of ξ are

    a: σ ℓ,    θ: σ,    p: S σ/ℓ,    L: S σ,        in which Ω/S_max has the entries 1 and L/S.          (2)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, finite
from ..compile.compiled import Compiled
from ..compile.signals import Signals
from ..compile.states import as_record, copied
from ..compile.system import scratch
from ..describe.model import Model
from ..describe.pose import hat
from ..errors import ModelError
from ..kernels.arrays import Bodies, State
from ..kernels.dynamics import violations_of_record
from ..run.given_state import checked_start
from ..run.simulate import advance
from ..step import Scheme

MAP_SPACING = 1.0 / 256.0  # s, in units of ℓ, radians, m ℓ/h and m ℓ²/h


def reversibility(model: Model, scheme: Scheme, h: float, steps: int) -> float:
    """The deviation from the start after `steps` steps of length h [s] and as many of −h.

    The largest deviation of any entry of a, B, p or L, relative to the largest entry of that array on the way; bodies
    that do not move, or do not turn, are measured by their radius of gyration, and by each other's momenta over it.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> top = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    >>> lv.reversibility(m, lv.Livens(), h=1e-2, steps=100) < 1e-12
    True
    """
    compiled = Compiled.of(model, quiet=True)
    start, radius = compiled.state, float(_gyration(compiled.system.bodies).max())
    there = advance(model, scheme, start, h, steps)
    back = advance(model, scheme, there, -h, steps, t0=steps * h)
    states = [state._asdict() for state in (start, there, back)]
    pairs = {name: [state[name][1:] for state in states] for name in ("a", "B", "p", "L")}
    size = {name: float(max(np.abs(x0).max(), np.abs(x1).max())) for name, (x0, x1, _) in pairs.items()}
    size["a"] = max(size["a"], radius)
    if radius > 0.0:
        size["p"], size["L"] = max(size["p"], size["L"] / radius), max(size["L"], size["p"] * radius)
    return max(float(np.abs(x2 - x0).max()) / (size[name] or 1.0) for name, (x0, _, x2) in pairs.items())


def symplecticity(
    model: Model, scheme: Scheme, h: float, state: State | None = None, basis: Array | None = None
) -> float:
    """‖AᵀΩ₁A − Ω₀‖ (largest entry) of one step of length h [s] from `state` (None: the model's start).

    A symplectic step gives round-off, about 1e-11; any other a number that goes to zero with a power of h.
    basis: columns of tangent vectors (12 n, k) in the units (2), the four blocks δa, δθ, δp, δL of
    all bodies one after the other; None means all that the joints allow. States are projected onto the joints
    before the step, which does not change a derivative along them.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> top = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), body_rates=(0.1, 2, 0.1), name="top"))
    >>> lv.symplecticity(m, lv.Livens(), h=0.1) < 1e-10
    True
    """
    compiled = Compiled.of(model, quiet=True)
    start = compiled.state if state is None else checked_start(state, compiled.state)
    unit = units(compiled.system.bodies, start, h)
    V = joint_tangents(compiled, start, unit) if basis is None else basis
    return defect(lambda x: advance(model, scheme, compiled.fitted(x), h), start, unit, V)


def defect(step: Callable[[State], State], start: State, unit: State, V: Array) -> float:
    """‖VᵀAᵀΩ₁A V − VᵀΩ₀V‖ of any map of states at `start`, on tangent vectors V (columns) measured in `unit`."""
    end = step(start)
    AV = np.stack([_derivative(step, start, end, unit, column) for column in V.T], axis=1)
    R = AV.T @ form(end, unit) @ AV - V.T @ form(start, unit) @ V
    return float(np.abs(R).max(initial=0.0))


def form(state: State, unit: State) -> Array:
    """Ω of (1) as a matrix, in the units `unit`."""
    n = 3 * (len(state.a) - 1)
    I, O = np.eye(n), np.zeros((n, n))
    gyro = O.copy()
    for b, L in enumerate((state.L * unit.B / unit.L)[1:]):
        gyro[3 * b : 3 * b + 3, 3 * b : 3 * b + 3] = -hat(L)
    return np.block([[O, O, I, O], [O, gyro, O, I], [-I, O, O, O], [O, -I, O, O]])


def tangents(bodies: Bodies) -> Array:
    """Every direction of phase space as a column (12 n, k); no δL about axes without inertia, where L stays 0."""
    can_turn = (bodies.inverse_inertia[1:] > 0.0).ravel()
    return np.eye(4 * can_turn.size)[:, np.concatenate([np.ones(3 * can_turn.size, dtype=bool), can_turn])]


def joint_tangents(compiled: Compiled, state: State, unit: State) -> Array:
    """Every direction of phase space that satisfies the joints in position and velocity, as columns."""
    V, system = tangents(compiled.system.bodies), compiled.system
    rows = int((system.rows.rate == 0.0).sum())
    if not rows:
        return V

    def closed(x: State) -> Array:
        g, v = np.zeros((1, len(system.rows.kind))), np.zeros((1, len(system.rows.kind)))
        signals = np.ascontiguousarray(Signals(compiled.model).table(np.zeros(1)))
        violations_of_record(system, as_record(x), signals, scratch(system), g, v)
        return np.concatenate([g[0], v[0]])

    s = MAP_SPACING / 16.0
    columns = []
    for xi in V.T:
        near = [closed(moved(state, k * s * xi, unit)) for k in (-2.0, -1.0, 1.0, 2.0)]
        columns.append((near[0] - near[3] + 8.0 * (near[2] - near[1])) / (12.0 * s))
    C = np.stack(columns, axis=1)
    C = C / np.maximum(np.abs(C).max(axis=1, keepdims=True), 1e-300)
    _, sizes, Vt = np.linalg.svd(C)
    return V @ Vt[int((sizes > 1e-8 * sizes[0]).sum()) :].T


def units(bodies: Bodies, state: State, h: float) -> State:
    """The units (2) of a, θ (in the place of B), p and L, each (n, 3)."""
    length = np.maximum(_gyration(bodies), 1e-2 * np.linalg.norm(state.a, axis=1))
    length[length == 0.0] = 1.0
    action = bodies.mass * length**2 / abs(h)
    action[0] = action.max()
    sigma = np.sqrt(action.max() / action)
    columns = (sigma * length, sigma, action * sigma / length, action * sigma)
    a, B, p, L = (np.repeat(column[:, None], 3, axis=1) for column in columns)
    return state._replace(a=a, B=B, p=p, L=L)


def _gyration(bodies: Bodies) -> Array:
    """The largest radius of gyration of each body [m]; 0 of a point mass and of the world."""
    return np.sqrt(bodies.inertia * (bodies.inverse_inertia > 0.0)).max(axis=1) * np.sqrt(bodies.inverse_mass)


def moved(state: State, xi: Array, unit: State) -> State:
    """`state` carried along the tangent vector ξ, rotations by the exponential map."""
    da, turn, dp, dL = xi.reshape(4, -1, 3)
    after = copied(state)
    after.a[1:] += da * unit.a[1:]
    after.p[1:] += dp * unit.p[1:]
    after.L[1:] += dL * unit.L[1:]
    for b, w in enumerate(turn * unit.B[1:], start=1):
        after.B[b] = after.B[b] @ _exp(w)
    return after


def difference(state: State, other: State, unit: State) -> Array:
    """The ξ that carries `state` to `other`, the inverse of `moved`."""
    turn = [_log(B.T @ C) for B, C in zip(state.B[1:], other.B[1:], strict=True)]
    return np.concatenate(
        [
            ((other.a - state.a) / unit.a)[1:].ravel(),
            (np.reshape(turn, (-1, 3)) / unit.B[1:]).ravel(),
            ((other.p - state.p) / unit.p)[1:].ravel(),
            ((other.L - state.L) / unit.L)[1:].ravel(),
        ]
    )


def observed_order(run: Callable[[float], ArrayLike], hs: Sequence[float], reference: ArrayLike) -> Array:
    """Slopes of log(error) against log(h) between neighbours of `hs`: the order of convergence, len(hs) − 1 of them.

    run: what is computed with the step h; the error is its largest deviation from `reference`.

    >>> import livens as lv
    >>> lv.observed_order(lambda h: 1.0 + 3.0 * h**2, [0.1, 0.05, 0.025], 1.0).round(6).tolist()
    [2.0, 2.0]
    """
    sizes = finite(hs, (len(hs),), "hs")
    if len(sizes) < 2 or (sizes <= 0.0).any() or (np.diff(sizes) == 0.0).any():
        raise ModelError(f"an order needs two or more different positive steps, got hs = {sizes.tolist()}.")
    errors = np.array([np.abs(np.asarray(run(h)) - np.asarray(reference)).max() for h in sizes.tolist()])
    if not (errors > 0.0).all():
        raise ModelError(
            f"an order cannot be seen in errors of {errors.tolist()}: one of them is zero or not a number."
        )
    return np.diff(np.log(errors)) / np.diff(np.log(sizes))


def _derivative(step: Callable[[State], State], start: State, end: State, unit: State, xi: Array) -> Array:
    """A ξ by central differences with spacings s, s/2, s/4, twice extrapolated."""

    def central(s: float) -> Array:
        ahead, behind = (difference(end, step(moved(start, c * xi, unit)), unit) for c in (s, -s))
        return (ahead - behind) / (2.0 * s)

    sigma = np.broadcast_to(unit.B[1:], (4, *unit.B[1:].shape)).ravel()
    s = MAP_SPACING / float(np.abs(sigma * xi).max())
    D0, D1, D2 = central(s), central(s / 2), central(s / 4)
    return (64.0 * D2 - 20.0 * D1 + D0) / 45.0


def _exp(w: Array) -> Array:
    """The rotation by |w| about w."""
    angle = float(np.linalg.norm(w))
    K = hat(w)
    return np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * (K @ K)


def _log(R: Array) -> Array:
    """The w with exp(ŵ) = R, for rotations by less than a right angle."""
    w = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])  # sin(angle) times the axis
    sine = float(np.linalg.norm(w))
    return w * (np.arcsin(min(sine, 1.0)) / sine) if sine > 0.0 else w
