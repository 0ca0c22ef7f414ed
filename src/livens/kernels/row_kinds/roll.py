"""ROLL: t·(v_j + Ω_j × ρ) = 0, no slip along t = B_i r_i at the contact (rolling.py). Velocity level only.

The Jacobian is the force t at the contact. Its bias term is found by differences (`bias` of dynamics.py).
"""

from __future__ import annotations

from ..._jit import njit
from ..coordinates import to_world
from .rolling import put_contact_pair


@njit
def jacobian(rows, r, a, B, G):
    T0, T1, T2 = to_world(B, rows.body[r, 0], rows.point[r, 0])
    put_contact_pair(rows, r, a, B, T0, T1, T2, G)
