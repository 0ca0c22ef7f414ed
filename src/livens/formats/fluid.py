"""The drag of a medium at rest on bodies, as MuJoCo computes it from their inertia.

A body is replaced by the box with sides b that has its mass m and principal moments J. With velocity v of its centre,
angular velocity ω in the axes of that box, density ρ, viscosity β and d = (b₁ + b₂ + b₃)/3, the drag is

    f_i = −½ρ b_j b_k |v_i| v_i − 3πβ d v_i                                                                       (1)
    τ_i = −(ρ/64) b_i (b_j⁴ + b_k⁴) |ω_i| ω_i − πβ d³ ω_i
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..checks import Array
from ..describe.forces.force import Force
from ..describe.model import Body, Model
from ..errors import ModelError
from ..formula.functions import dot, fabs
from .armature import unused_name


def add_fluid(mj: Any, m: Any, d: Any, model: Model, body: Callable[[int], Body]) -> None:
    """Equation (1) for all bodies of a compiled file that move."""
    if np.any(m.opt.wind):
        raise ModelError("the file has wind, which has no counterpart: write an lv.Force.")
    if np.any(m.geom_fluid):
        raise ModelError("the file has geoms with an ellipsoid model of the fluid, which has no counterpart.")
    for k in range(1, m.nbody):
        part = body(k)
        if part is model.world or m.body_mass[k] < mj.mjMINVAL:
            continue
        J = m.body_inertia[k]
        sides = np.sqrt(np.maximum(J.sum() - 2.0 * J, mj.mjMINVAL) / m.body_mass[k] * 6.0)
        axes = part.pose.B.T @ d.ximat[k].reshape(3, 3)
        center = part.point_at(d.xipos[k])
        push, turn = _drag(part, center.r, axes, sides, m.opt.density, m.opt.viscosity)
        model.add(Force(center, push, torque=turn, name=unused_name(model, f"{m.body(k).name or part.name} drag")))


def _drag(body: Body, r: Array, axes: Array, b: Array, rho: float, beta: float) -> tuple[Any, Any]:
    """Force and torque as functions of the body's motion, world axes."""
    mean = float(b.sum()) / 3.0
    others = [(b[(i + 1) % 3], b[(i + 2) % 3]) for i in range(3)]
    square = [0.5 * rho * j * k for j, k in others]
    spinning = [rho * b[i] * (j**4 + k**4) / 64.0 for i, (j, k) in enumerate(others)]

    def drag(sees: Any, v: Any, quadratic: list[float], linear: float) -> Any:
        total: Any = 0.0
        for u, c in zip(axes.T, quadratic, strict=True):
            w = sees[body].direction(u)
            along = dot(w, v)
            total = total - (c * fabs(along) + linear) * along * w
        return total

    def push(sees: Any) -> Any:
        return drag(sees, sees[body].velocity(r), square, 3.0 * np.pi * beta * mean)

    def turn(sees: Any) -> Any:
        return drag(sees, sees[body].angular_velocity, spinning, np.pi * beta * mean**3)

    return push, turn
