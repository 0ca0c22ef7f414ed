"""Contacts of a motion as lines. At a stored state, a contact point at x with the normal n (from the first body to the
second), the friction coefficient µ and the force F on the second body is drawn as

    normal   from x to x + ν n,
    force    from x to x + s F,
    cone     from x to the rim of a circle at x + s (F·n) n with the radius µ s (F·n), and its rim           (1)

F is inside the cone if the contact sticks, and on it if it slips. s is such that the largest forces have a readable
length. Positions, normals and µ are found by the kernels at the stored state; forces are those of its record.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...checks import Array
from ...compile.contacts import touch_scratch
from ...compile.states import selected
from ...kernels.contact.arrays import BODY, COULOMB, FRAME, GAP, KIND, PLACE_OF
from ...kernels.contact.broad import find_contacts
from ...kernels.contact.features import put_contact_frames
from ...kernels.kinds import RATE_ONLY, STOP
from ...record.contacts import contact_points, has_contacts
from ...record.trajectory import Trajectory

NORMAL, FORCE = 0.04, 0.35  # lengths of a normal and of the largest forces, in halves of the largest side of the motion
LARGE = 95.0  # percentile of the forces that has this length: an impact may be far above
CONE_SIDES, CONE_SPOKES = 12, 4  # of the rim of a cone, and lines from its tip
NEAR = 1e-3  # contact points with a gap below this part of the smallest shape are drawn
SAMPLE = 200  # states from which the largest forces are read


class ContactMarks(NamedTuple):
    """The contact points of one state: positions [m], normals, forces on the second bodies [N], world axes; and µ."""

    point: Array  # (n, 3)
    normal: Array  # (n, 3)
    force: Array  # (n, 3)
    friction: Array  # (n,)

    def lines(self, scale: float, half: float) -> dict[str, Array]:
        """The ends (n, 2, 3) of the lines of each kind by (1): `scale` s [m/N], `half` the size of the motion [m]."""
        x, n = self.point, self.normal
        height = scale * np.maximum(np.einsum("ij,ij->i", self.force, n), 0.0)
        return {
            "normal": np.stack([x, x + NORMAL * half * n], axis=1),
            "force": np.stack([x, x + scale * self.force], axis=1),
            "cone": cones(x, n, height, self.friction),
        }


def cones(x: Array, n: Array, height: Array, friction: Array) -> Array:
    """Spokes and rims of cones with tips x and axes n (count, 2, 3); none where the height or µ is zero.

    >>> one = cones(np.zeros((1, 3)), np.array([[0, 0, 1.0]]), np.array([2.0]), np.array([0.5]))
    >>> one.shape, np.hypot(one[:, 1, 0], one[:, 1, 1]).round(12).max()
    ((16, 2, 3), np.float64(1.0))
    """
    drawn = (height > 0.0) & (friction > 0.0)
    x, n, height, friction = x[drawn], n[drawn], height[drawn, None, None], friction[drawn, None, None]
    e1 = np.cross(n, np.eye(3)[np.argmin(np.abs(n), axis=1)])
    e1 /= np.linalg.norm(e1, axis=1, keepdims=True)
    e2 = np.cross(n, e1)
    angle = 2.0 * np.pi * np.arange(CONE_SIDES) / CONE_SIDES
    around = np.cos(angle)[:, None] * e1[:, None] + np.sin(angle)[:, None] * e2[:, None]
    rim = x[:, None] + height * (n[:, None] + friction * around)
    tips = np.broadcast_to(x[:, None], (len(x), CONE_SPOKES, 3))
    spokes = np.stack([tips, rim[:, :: CONE_SIDES // CONE_SPOKES]], axis=2)
    edges = np.stack([rim, np.roll(rim, -1, axis=1)], axis=2)
    return np.concatenate([spokes, edges], axis=1).reshape(-1, 2, 3)


class ContactPicture:
    """The contact marks of a motion, at any of its stored states."""

    def __init__(self, motion: Trajectory, half: float):
        """half: half the largest side of the motion [m]."""
        self.motion, self.half = motion, half
        self.exists = has_contacts(motion)
        if self.exists:
            self.touch = touch_scratch(motion.system, 0)
            self.scale = FORCE * half / self._largest()

    def _largest(self) -> float:
        """A force that is large in this motion [N]."""
        states = np.unique(np.linspace(0, len(self.motion) - 1, SAMPLE).astype(int))
        sizes = np.concatenate(
            [np.linalg.norm(contact_points(self.motion, int(k)).force, axis=1) for k in states] or [np.zeros(0)]
        )
        sizes = sizes[sizes > 0.0]
        return float(np.percentile(sizes, LARGE)) if len(sizes) else 1.0

    def at(self, k: int) -> ContactMarks:
        """The contact points of the stored state number k that are closed; stops of joints have no place."""
        system, state = self.motion.system, selected(self.motion.record, k)
        contacts, points = system.contacts, self.touch.points
        self.touch.reach[:] = NEAR * contacts.size_scale
        count = find_contacts(contacts, system.coordinates, self.touch, 0.0, state.a, state.B)
        count = min(count, contacts.capacity)
        put_contact_frames(
            system.bodies, contacts, system.coordinates, points, count, False, state.a, state.B, state.angle
        )  # fmt: skip
        names = [body.name for body in self.motion.model.bodies]
        held = contact_points(self.motion, k)
        left: dict[tuple[str, str], list[int]] = {}
        for i, pair in enumerate(zip(held.first, held.second, strict=True)):
            left.setdefault(pair, []).append(i)
        force = np.zeros((count, 3))
        kind = points.table[KIND, :count]
        drawn = (kind != STOP) & (kind < RATE_ONLY)  # bodies that touch, and ropes
        for c in np.flatnonzero(drawn):
            same = left.get((names[points.table[BODY, c]], names[points.table[BODY + 1, c]]))
            if same:  # the nearest one of the record
                far = np.linalg.norm(held.point[same] - points.vector[PLACE_OF, c], axis=1)
                force[c] = held.force[same.pop(int(far.argmin()))]
        close = drawn & (points.number[GAP, :count] < NEAR * contacts.size_scale)
        return ContactMarks(
            points.vector[PLACE_OF, :count][close],
            points.matrix[FRAME, :count, 0][close],
            force[close],
            points.number[COULOMB, :count][close],
        )

    def lines(self, k: int) -> dict[str, Array]:
        """The lines of the stored state number k, by kind: ends (n, 2, 3) [m]."""
        return self.at(k).lines(self.scale, self.half)

    def near(self, t: float) -> dict[str, Array]:
        """The lines of the stored state nearest to the time t [s]."""
        return self.lines(int(np.abs(self.motion.t - t).argmin()))

    def arrows(self, k: Array, most: int) -> Array:
        """The lines of the strongest forces at the states k (states, at most `most`, 2, 3) [m]; the rest have no
        length."""
        every = []
        for state in k:
            force = self.lines(int(state))["force"]
            every.append(force[np.argsort(-np.linalg.norm(force[:, 1] - force[:, 0], axis=1))[:most]])
        found = np.zeros((len(k), max(map(len, every), default=0), 2, 3))
        for row, force in zip(found, every, strict=True):
            row[: len(force)] = force
        return found
