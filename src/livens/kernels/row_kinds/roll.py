"""ROLL: t·(v_j + Ω_j × ρ) = 0, no slip along t = B_i r_i/R at the contact (rolling.py). Velocity level only.

The Jacobian is the force t at the contact. Its bias term is found by differences (`bias` of dynamics.py).
"""

from __future__ import annotations

from ..._jit import inline
from ..coordinates import to_world
from .rolling import put_contact_pair


@inline
def jacobian(rows, r, i, j, ei, ej, a, B, G):
    T0, T1, T2 = to_world(B, i, rows.point[r, 0])
    R = rows.value[r]
    put_contact_pair(rows, r, i, j, ei, ej, a, B, T0 / R, T1 / R, T2 / R, G)
