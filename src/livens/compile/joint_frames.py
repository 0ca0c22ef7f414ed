"""Points, axes and coordinates of joints as they were when a model was compiled: copies, in body numbers.

A motion gives reactions and coordinates by these, so that it does not change if its model is changed afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..checks import Array
from ..describe.body import Body
from ..describe.pose import Pose
from ..describe.row import Coordinate, across
from ..describe.thing import Thing


class CoordinateFrame(NamedTuple):
    """A coordinate of a joint: as Coordinate of describe/row.py, points and directions in body axes."""

    kind: str
    a: int
    b: int
    point_a: Array
    point_b: Array
    axis: Array
    dial: Array
    hand: Array
    place: int  # in state.angle; −1 where nothing acts on it
    number: int  # in state.half_turns; −1 where it has a place, or is not an angle
    reference: Array  # axes of the second body in those of the first where a rotation vector is zero

    @property
    def is_angle(self) -> bool:
        """True for an angle over many turns."""
        return self.kind == "ANGLE"


class JointFrame(NamedTuple):
    """The bodies of a joint, its points in body axes, its axes in those of the first body, and its coordinates."""

    a: int
    b: int
    point_b: Array
    axes: Array  # as columns: across the axis of the joint, across it, along it
    coordinates: tuple[CoordinateFrame, ...]


def joint_frames(
    joints: Sequence[Thing],
    poses: dict[Body, Pose],
    number: dict[Body, int],
    acting: Sequence[Coordinate],
    dials: Sequence[Coordinate],
) -> dict[str, JointFrame]:
    """The frames of all joints with ends, and of those with coordinates, by name; `poses` of the bodies at the
    start."""
    place = {id(q): c for c, q in reversed(list(enumerate(acting)))}
    dial = {id(q): d for d, q in enumerate(dials)}

    found = {}
    for joint in joints:
        if joint.ends is None:
            continue
        first, second = joint.ends
        along = joint.directions[:1]
        axes = np.stack([*across(along[0]), along[0]], axis=1) if along else np.eye(3)
        coordinates = tuple(
            CoordinateFrame(
                q.kind,
                number[q.a.body],
                number[q.b.body],
                point_a=q.a.r.copy(),
                point_b=q.b.r.copy(),
                axis=q.axis.copy(),
                dial=q.dial.copy(),
                hand=q.hand.copy(),
                place=place.get(id(known), -1),
                number=dial.get(id(known), -1),
                reference=q.reference,
            )
            for known, q in ((known, known.of(joint)) for known in joint.coordinates)
        )
        local = poses[first.body].B.T @ axes
        found[joint.name] = JointFrame(number[first.body], number[second.body], second.r.copy(), local, coordinates)
    return found
