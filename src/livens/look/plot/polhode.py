"""The polhode: the angular momentum of a body in its principal axes, on the surfaces of constant |L| and energy.

A free body conserves |L| and its energy of rotation T. In principal axes L therefore moves along the curve where

    the sphere   L₁² + L₂² + L₃² = |L|²      meets the ellipsoid   L₁²/2J₁ + L₂²/2J₂ + L₃²/2J₃ = T.        (1)

Of the two surfaces the outer one is drawn, so that they change places along the curve. Around the axis k, at the angle
φ from the axis i towards j, the curve has the distance ρ from the axis with

    ρ² (cos²φ/2Jᵢ + sin²φ/2Jⱼ − 1/2J_k) = T − |L|²/2J_k.                                                   (2)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...checks import Array
from ...describe.model import Body
from ...errors import ModelError
from ...record.trajectory import Trajectory
from .style import CURVE_POINTS, heading

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ELEVATION, AZIMUTH = 24.0, 35.0  # degrees
FREE = 1e-3  # largest relative change of |L| and of the energy of rotation of a body without torque
LIGHT = np.array([0.3, 0.75, 0.6])
SPHERE, ELLIPSOID = 0.97, 0.72  # grey


def polhode(figure: Figure, motion: Trajectory, body: Body | str | None = None) -> None:
    """Draw L of `body` (left out: the first that turns) on the sphere and the ellipsoid of its initial state. A body on
    which a torque acts has none: it is refused."""
    if body is None and len(motion.model.bodies) < 2:
        raise ModelError(f"model {motion.model.name!r} has no bodies: there is nothing to draw.")
    first = 1 + int(motion.record.L[0, 1:].any(axis=1).argmax())
    k = first if body is None else motion._number(body)
    name, bodies, L = motion.model.bodies[k].name, motion.system.bodies, motion.record.L[:, k]
    J, inverse = bodies.inertia[k], bodies.inverse_inertia[k]
    size, T = float(np.linalg.norm(L[0])), 0.5 * float((L[0] ** 2 * inverse).sum())
    if size == 0.0:
        raise ModelError(f"body {name!r} does not turn at the start: it has no polhode.")
    if not inverse.all():
        raise ModelError(f"body {name!r} has no inertia about an axis: it has no ellipsoid of energy.")
    _refuse_torque(name, L, inverse)
    figure.set_size_inches(5.0, 5.0)
    heading(figure, motion)
    axes = figure.add_subplot(projection="3d", computed_zorder=False)
    axes.view_init(elev=ELEVATION, azim=AZIMUTH)
    axes.set_proj_type("ortho")
    axes.set_axis_off()
    semi = np.sqrt(2.0 * J * T) / size
    axis, curve = curves(J, size, T)
    _surface(axes, semi, axis, curve / size)
    for side in (1.0, -1.0):
        _seen(axes, side * curve / size, color="black", linewidth=0.8, linestyle="--", zorder=4)
    step = -(-len(L) // CURVE_POINTS)
    path = L[::step] / size
    _seen(axes, path, color="#c0392b", linewidth=2.0, zorder=5, label=f"L of {name}, computed")
    axes.plot([], [], "--", color="black", linewidth=0.8, label="where sphere and ellipsoid meet")
    axes.plot(*path[:1].T, "o", color="#c0392b", markerfacecolor="white", markersize=5, zorder=6)
    _axes(axes, np.maximum(semi, 1.0))
    reach = 1.12 * max(1.0, float(semi.max()))
    for limit in (axes.set_xlim, axes.set_ylim, axes.set_zlim):
        limit(-reach, reach)
    axes.set_box_aspect((1, 1, 1), zoom=1.5)
    figure.text(0.02, 0.02, _facts(J, size, T), fontsize=8, va="bottom")
    axes.legend(loc="upper left", bbox_to_anchor=(-0.02, 1.02), fontsize=8)


def _refuse_torque(name: str, L: Array, inverse: Array) -> None:
    """Refuse a body whose |L| or energy of rotation changes: its momentum leaves both surfaces (1)."""
    size, T = np.linalg.norm(L, axis=1), 0.5 * (L**2 * inverse).sum(axis=1)
    change = max(float(np.ptp(x)) / float(x[0]) for x in (size, T))
    if change > FREE:
        raise ModelError(
            f"body {name!r} has no polhode: its angular momentum or energy of rotation changes by {change:.2g} of its "
            "initial value. A polhode belongs to a body without torque; for others use plot('phase') or "
            "plot('trajectory'). If no torque acts on it, the step is too long."
        )


def curves(J: Array, size: float, T: float, n: int = 180) -> tuple[int, Array]:
    """The axis k and one of the two curves (1) in closed form (2), (n + 1, 3) [kg m²/s], on the side of k > 0.

    The other is its mirror image. About a steady axis the curve is a point, and about equal moments a circle.

    >>> J = np.array([1.0, 2.0, 3.0])
    >>> k, curve = curves(J, 2.0, 0.9)
    >>> k, bool(np.allclose((curve**2).sum(axis=1), 4.0)), bool(np.allclose((curve**2 / (2 * J)).sum(axis=1), 0.9))
    (2, True, True)
    """
    order = np.argsort(J)
    k = int(order[0] if size**2 < 2.0 * T * J[order[1]] else order[2])
    i, j = (k + 1) % 3, (k + 2) % 3
    phi = np.linspace(0.0, 2.0 * np.pi, n + 1)
    c, s = np.cos(phi), np.sin(phi)
    below = c**2 / (2 * J[i]) + s**2 / (2 * J[j]) - 1 / (2 * J[k])
    flat = np.abs(below) < 1e-9 / J.min()  # equal moments: the surfaces coincide
    rho = np.sqrt(np.clip((T - size**2 / (2 * J[k])) / np.where(flat, np.inf, below), 0.0, size**2))
    out = np.zeros((n + 1, 3))
    out[:, i], out[:, j], out[:, k] = rho * c, rho * s, np.sqrt(size**2 - rho**2)
    return k, out


def _surface(axes: Any, semi: Array, k: int, curve: Array) -> None:
    """The outer of the unit sphere and the ellipsoid with these semi-axes, in two greys that meet along `curve`."""
    n = len(curve)
    meet = np.clip(np.arccos(np.clip(curve[:, k], 0.0, 1.0)), 1e-3, np.pi / 2 - 1e-3)
    part = np.linspace(0.0, 1.0, 31)[:, None]
    v = np.concatenate([part * meet, meet + part * (np.pi - 2 * meet), np.pi - (1 - part) * meet])
    u = np.linspace(0.0, 2.0 * np.pi, n)
    d = np.zeros((*v.shape, 3))
    d[..., (k + 1) % 3], d[..., (k + 2) % 3] = np.cos(u) * np.sin(v), np.sin(u) * np.sin(v)
    d[..., k] = np.cos(v)
    other = 1.0 / np.linalg.norm(d / semi, axis=-1)
    middle = 0.25 * (other[1:, 1:] + other[:-1, 1:] + other[1:, :-1] + other[:-1, :-1])
    outer = np.zeros_like(other, dtype=bool)
    outer[:-1, :-1] = middle > 1.0 + 1e-9
    normal = np.where(outer[..., None], d / semi**2, d)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    light = 0.72 + 0.28 * np.clip(normal @ (LIGHT / np.linalg.norm(LIGHT)), -0.4, 1.0)
    grey = np.clip(np.where(outer, ELLIPSOID, SPHERE) * light, 0.0, 1.0)
    x = d * np.maximum(other, 1.0)[..., None]
    colors = np.stack([grey, grey, grey, np.ones_like(grey)], axis=-1)
    shown = axes.plot_surface(
        *np.moveaxis(x, -1, 0), facecolors=colors, rstride=1, cstride=1, shade=False, antialiased=False, zorder=1
    )
    shown.set_rasterized(True)


def _seen(axes: Any, path: Array, **style: Any) -> None:
    """Draw the part of a curve near the sphere that is in front of it."""
    e, a = np.radians((ELEVATION, AZIMUTH))
    toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    front = (path @ toward > 0.0)[:, None]
    axes.plot(*(np.where(front, 1.005 * path, np.nan)).T, **style)


def _axes(axes: Any, out: Array) -> None:
    """The principal axes, from the surface outwards."""
    for k, e in enumerate(np.eye(3)):
        ends = np.stack([1.0 * out[k] * e, (out[k] + 0.22) * e])
        axes.plot(*ends.T, color="black", linewidth=1.0, zorder=6)
        axes.text(*((out[k] + 0.3) * e), f"$L_{k + 1}$", ha="center", va="center", zorder=7)


def _facts(J: Array, size: float, T: float) -> str:
    moments = ", ".join(f"{j:.4g}" for j in J)
    return f"|L| = {size:.4g} kg m²/s (light)\nT = {T:.4g} J (dark)\nJ = ({moments}) kg m²"
