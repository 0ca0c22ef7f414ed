"""Bodies that overlap at the start are refused, with the depth."""

from __future__ import annotations

from ..describe.model import Model
from ..errors import ModelError
from ..kernels.arrays import State, System
from ..kernels.contact.arrays import BODY, GAP, KIND, OFFSET
from ..kernels.contact.broad import find_contacts
from ..kernels.contact.features import put_contact_frames
from ..kernels.kinds import ROPE, STOP
from .contacts import touch_scratch

OVERLAP = 1e-6  # depth relative to the smallest shape; a smaller one is corrected in the first step


def refuse_overlaps(model: Model, system: System, state: State) -> None:
    """Raise a ModelError if bodies overlap, or a joint is beyond a hard stop, in the state."""
    contacts = system.contacts
    if not contacts.capacity:
        return
    touch = touch_scratch(system, 0)
    touch.reach[:] = OVERLAP * contacts.size_scale
    points = touch.points
    count = min(contacts.capacity, find_contacts(contacts, system.coordinates, touch, 0.0, state.a, state.B))
    put_contact_frames(
        system.bodies, contacts, system.coordinates, points, count, False, state.a, state.B, state.angle
    )  # fmt: skip
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
