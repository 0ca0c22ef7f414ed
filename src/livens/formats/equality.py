"""MuJoCo's equality constraints, which are soft there, as joints, which are exact: connect, weld and joint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..describe.joints.coupling import Coupling
from ..describe.joints.rigid import Rigid
from ..describe.joints.spherical import Spherical
from ..describe.model import Body, Model
from ..errors import ModelError
from .armature import unused_name

NEAR = 1e-6  # largest violation at the start [m] or [rad]


def add_equality(
    mj: Any, m: Any, d: Any, model: Model, body: Callable[[int], Body], joints: dict[int, Any], notes: list[str]
) -> None:
    """Add the joints for the equalities of a compiled file that are active."""
    kinds = mj.mjtEq
    for k in np.flatnonzero(m.eq_active0).tolist():
        name = unused_name(model, m.equality(k).name or f"equality{k}")
        kind, first, second = m.eq_type[k], int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
        data = m.eq_data[k]
        if kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
            one, two = _bodies(mj, m, k, first, second)
            if body(one) is body(two):
                continue
            if kind == kinds.mjEQ_CONNECT and m.eq_objtype[k] == mj.mjtObj.mjOBJ_BODY:
                ends = [d.xpos[i] + d.xmat[i].reshape(3, 3) @ r for i, r in ((one, data[:3]), (two, data[3:6]))]
            elif kind == kinds.mjEQ_CONNECT:
                ends = [d.site_xpos[first], d.site_xpos[second]]
            else:
                ends = [d.xpos[two], d.xpos[two]]
                _fits_weld(mj, m, d, k, one, two, name)
            joint = Spherical if kind == kinds.mjEQ_CONNECT else Rigid
            model.add(joint(body(one).point_at(ends[0]), body(two).point_at(ends[1]), name=name))
        elif kind == kinds.mjEQ_JOINT:
            _couple(m, d, model, joints, first, second, data, name)
        else:
            notes.append(f"equality {name!r}, which is not connect, weld or joint")


def _bodies(mj: Any, m: Any, k: int, first: int, second: int) -> tuple[int, int]:
    if m.eq_objtype[k] == mj.mjtObj.mjOBJ_SITE:
        return int(m.site_bodyid[first]), int(m.site_bodyid[second])
    return first, second


def _fits_weld(mj: Any, m: Any, d: Any, k: int, one: int, two: int, name: str) -> None:
    """Refuse a weld that prescribes another pose than the initial one."""
    if m.eq_objtype[k] == mj.mjtObj.mjOBJ_SITE:
        raise ModelError(f"weld {name!r} joins sites, which has no counterpart: weld bodies.")
    anchor, relpos, relquat = m.eq_data[k][:3], m.eq_data[k][3:6], m.eq_data[k][6:10]
    R1, R2, wanted = d.xmat[one].reshape(3, 3), d.xmat[two].reshape(3, 3), np.zeros(9)
    mj.mju_quat2Mat(wanted, relquat)
    gap = d.xpos[two] + R2 @ anchor - (d.xpos[one] + R1 @ relpos)
    if np.abs(gap).max() > NEAR or np.abs(R1.T @ R2 - wanted.reshape(3, 3)).max() > NEAR:
        raise ModelError(f"weld {name!r} prescribes another pose than the initial one: start where it is satisfied.")


def _couple(m: Any, d: Any, model: Model, joints: dict[int, Any], j: int, i: int, data: Any, name: str) -> None:
    """q_j = q_j⁰ + c₀ + c₁ (q_i − q_i⁰) as a coupling."""
    label = f"equality {name!r}"
    if i < 0 or np.any(data[2:5]) or not data[1]:
        raise ModelError(f"{label} is not linear in another joint, so there is no joint for it.")
    if j not in joints or i not in joints:
        raise ModelError(f"{label} couples joints that have no coordinate of their own in this model.")
    qj, qi = (d.qpos[m.jnt_qposadr[k]] - m.qpos0[m.jnt_qposadr[k]] for k in (j, i))
    if abs(qj - data[0] - data[1] * qi) > NEAR:
        raise ModelError(f"{label} is not satisfied at the start: start where it is.")
    model.add(Coupling(joints[i], joints[j], ratio=float(data[1]), name=name))
