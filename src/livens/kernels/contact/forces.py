"""Contact forces at a stored state: the impulses of its second half step over h/2."""

from __future__ import annotations

from ..._jit import njit
from ..kinds import DISPLACEMENT
from ..potential import apply_force, to_body
from .arrays import COORDINATE, COUNT, FIRST_BODY, HEAD, IMPULSE, LAST_STEP, PAIR, PLACE, RECORD


@njit
def is_torque(contacts, coordinates, pair):
    """True if a contact point with this PAIR exerts a torque: a stop or dry friction of an angle, or resistance."""
    special, stops, dry = -1 - pair, contacts.stop.shape[1], contacts.dry.shape[1]
    if special < 0:
        return False
    if special < stops:
        return coordinates.kind[int(contacts.stop[COORDINATE, special])] != DISPLACEMENT
    if special < stops + dry:
        return coordinates.kind[int(contacts.dry[COORDINATE, special - stops])] != DISPLACEMENT
    return special >= stops + dry + contacts.rope.shape[1]


@njit
def add_contact_forces(contacts, coordinates, memory, a, B, f, tau):
    """Add the forces [N] and body torques [N m] of all contact points."""
    if not memory[LAST_STEP] > 0.0:
        return
    scale = 2.0 / memory[LAST_STEP]
    for q in range(int(memory[COUNT])):
        o = HEAD + q * RECORD
        F0, F1, F2 = scale * memory[o + IMPULSE], scale * memory[o + IMPULSE + 1], scale * memory[o + IMPULSE + 2]
        torque = is_torque(contacts, coordinates, int(memory[o + PAIR]))
        for s in range(2):
            b, sign = int(memory[o + FIRST_BODY + s]), 2.0 * s - 1.0
            if b == 0:
                continue
            if torque:
                t0, t1, t2 = to_body(B, b, sign * F0, sign * F1, sign * F2)
                tau[b, 0] += t0
                tau[b, 1] += t1
                tau[b, 2] += t2
            else:
                d0 = memory[o + PLACE] - a[b, 0]
                d1 = memory[o + PLACE + 1] - a[b, 1]
                d2 = memory[o + PLACE + 2] - a[b, 2]
                apply_force(B, b, to_body(B, b, d0, d1, d2), sign * F0, sign * F1, sign * F2, f, tau)
