"""Contacts of a state: bodies that overlap at the start are refused, with the depth; which forces jump."""

from __future__ import annotations

from ..describe.model import Model
from ..errors import ModelError
from ..kernels.arrays import State, System
from ..kernels.contact.arrays import BODY, GAP, KIND, OFFSET, Points
from ..kernels.contact.broad import find_contacts
from ..kernels.contact.features import put_contact_frames
from ..kernels.kinds import ROPE, STOP
from .contacts import touch_scratch

OVERLAP = 1e-6  # depth relative to the smallest shape; a smaller one is corrected in the first step


def jumping_force(model: Model, system: System, state: State) -> str:
    """What makes the forces at a state jump, in words: a contact, stop or rope that is closed, or dry friction; ""
    if nothing does."""
    if not system.contacts.capacity:
        return ""
    if system.contacts.dry.shape[1]:
        return "dry friction acts in its joints"
    points, count = _points(system, state)
    for c in range(count):
        i, j = (model.bodies[int(points.table[BODY + s, c])].name for s in range(2))
        kind = points.table[KIND, c]
        scale = 1.0 if kind == STOP else system.contacts.size_scale
        if points.number[GAP, c] > OVERLAP * scale:
            continue
        if kind == STOP:
            return f"the joint between {i!r} and {j!r} is at a stop"
        return f"the rope between {i!r} and {j!r} is taut" if kind == ROPE else f"bodies {i!r} and {j!r} touch"
    return ""


def _points(system: System, state: State) -> tuple[Points, int]:
    """The contact points of a state that are closed or nearly so, and their number."""
    contacts, touch = system.contacts, touch_scratch(system, 0)
    touch.reach[:] = OVERLAP * contacts.size_scale
    points = touch.points
    count = min(contacts.capacity, find_contacts(contacts, system.coordinates, touch, 0.0, state.a, state.B))
    put_contact_frames(
        system.bodies, contacts, system.coordinates, points, count, False, state.a, state.B, state.angle
    )  # fmt: skip
    return points, count


def refuse_overlaps(model: Model, system: System, state: State) -> None:
    """Raise a ModelError if bodies overlap, or a joint is beyond a hard stop, in the state."""
    contacts = system.contacts
    if not contacts.capacity:
        return
    points, count = _points(system, state)
    if not count:
        return
    c = int(points.number[GAP, :count].argmin())
    depth = -float(points.number[GAP, c])
    i, j = (model.bodies[int(points.table[BODY + s, c])].name for s in range(2))
    if points.table[KIND, c] == STOP:
        if depth > OVERLAP:
            limit = float(points.number[OFFSET, c])
            raise ModelError(
                f"the joint between {i!r} and {j!r} begins {depth:.3g} beyond its stop at {limit:g}: move the stop, or "
                "start the joint within its stops."
            )
    elif points.table[KIND, c] == ROPE:
        if depth > OVERLAP * contacts.size_scale:
            length = float(points.number[OFFSET, c])
            raise ModelError(
                f"the rope between {i!r} and {j!r} is {length:g} m long, and its ends are {depth:.3g} m farther apart "
                "in this state: move them together, or make it longer."
            )
    elif depth > OVERLAP * contacts.size_scale:
        raise ModelError(
            f"bodies {i!r} and {j!r} overlap at the start by {depth:.3g} m: move one of them, let "
            "lv.assemble(m, apart=True) move them apart, or exclude the pair (lv.Contacts(exclude=[…]))."
        )
