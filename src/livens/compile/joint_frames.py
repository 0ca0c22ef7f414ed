"""Points, axes and coordinates of joints as they were when a model was compiled: copies, in body numbers.

A motion gives reactions and coordinates by these, so that it does not change if its model is changed afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, NamedTuple

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


class JointFrames:
    """The frames of all joints with ends, each made when it is first asked for. What a user can change in place is
    copied at once: the attributes of joints, their first direction and the points of their coordinates."""

    def __init__(
        self,
        joints: Iterable[tuple[Thing, dict[str, Any]]],
        poses: dict[Body, Pose],
        number: dict[Body, int],
        acting: Sequence[Coordinate],
        dials: Sequence[Coordinate],
    ):
        """joints: with their attributes when the model was compiled; poses: of the bodies then."""
        self.past = {
            joint: (before, [u.copy() for u in joint.directions[:1]], _points(joint))
            for joint, before in joints
            if joint.ends is not None
        }
        self.poses, self.number = poses, number
        self.place = {id(q): c for c, q in reversed(list(enumerate(acting)))}
        self.dial = {id(q): d for d, q in enumerate(dials)}
        self.made: dict[Thing, JointFrame] = {}

    def get(self, joint: Thing) -> JointFrame | None:
        """The frame of a joint; None if it has none."""
        if joint not in self.made and joint in self.past:
            self.made[joint] = self._frame(joint, *self.past[joint])
        return self.made.get(joint)

    def _frame(
        self, joint: Thing, before: dict[str, Any], along: list[Array], points: list[tuple[Array, Array]]
    ) -> JointFrame:
        past = copy(joint)
        vars(past).update(before)
        assert past.ends is not None
        first, second = past.ends
        axes = np.stack([*across(along[0]), along[0]], axis=1) if along else np.eye(3)
        coordinates = tuple(
            CoordinateFrame(
                q.kind,
                self.number[q.a.body],
                self.number[q.b.body],
                point_a=point_a,
                point_b=point_b,
                axis=q.axis.copy(),
                dial=q.dial.copy(),
                hand=q.hand.copy(),
                place=self.place.get(id(known), -1),
                number=self.dial.get(id(known), -1),
                reference=q.reference,
            )
            for known, q, (point_a, point_b) in (
                (known, known.of(past), pair) for known, pair in zip(past.coordinates, points, strict=True)
            )
        )
        local = self.poses[first.body].B.T @ axes
        return JointFrame(self.number[first.body], self.number[second.body], second.r.copy(), local, coordinates)


def _points(joint: Thing) -> list[tuple[Array, Array]]:
    """The two points of each of its coordinates."""
    return [(q.a.r.copy(), q.b.r.copy()) for q in joint.coordinates]
