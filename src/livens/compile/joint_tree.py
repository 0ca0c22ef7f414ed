"""The tree along which bodies are placed from joint coordinates, (4) of kernels/joint_space.py.

Bodies are reached from the world along joints in their order. A body that no joint reaches is free: it is placed from
the world. T₀ is the pose of a body relative to its neighbour after assembly; for a rotation vector, the pose where it
is zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..checks import Array
from ..describe.body import Body, Point
from ..describe.model import Model
from ..describe.row import Coordinate
from ..describe.thing import Thing
from ..kernels import joint_space as kernel
from .compiled import Compiled


class Variable(NamedTuple):
    """One coordinate."""

    name: str
    unit: str
    kind: int  # SLIDE, TURN or BALL
    q: Coordinate
    component: int = 0  # of a rotation vector
    own: bool = False  # no joint has it
    actuated: bool = False


class Link(NamedTuple):
    """A body of the tree: it is placed from a neighbour through a joint, or it is free."""

    body: Body
    neighbour: Body
    joint: Thing | None
    ends: tuple[Point, Point]  # of the joint, or a point of the world and the origin of the free body


def links_of(model: Model) -> Iterator[Link]:
    """A spanning tree: from the world along joints in their order, and a free body where no joint leads on."""
    placed = {model.world}
    joints = [(joint, joint.ends) for joint in model.joints if joint.motions is not None and joint.ends is not None]
    while len(placed) < len(model.bodies):
        grown = True
        while grown:
            grown = False
            for joint, ends in joints:
                one, two = (point.body for point in ends)
                if (one in placed) != (two in placed):
                    known, new = (one, two) if one in placed else (two, one)
                    placed.add(new)
                    grown = True
                    yield Link(new, known, joint, ends)
        free = next((body for body in model.bodies if body not in placed), None)
        if free is not None:
            placed.add(free)
            yield Link(free, model.world, None, (model.world.point(free.pose.a), free.point(0, 0, 0)))


def tree_of(links: Sequence[Link], every: Sequence[Variable], base: Compiled) -> kernel.Tree:
    """The tables of the tree, at the start after assembly."""
    number, axes, center, state = base.number, base.system.bodies.axes, base.system.bodies.center, base.state
    moves: list[tuple[int, Array, Array, Array, int]] = []
    first, place, turn, reverse = [0], [], [], []
    for link in links:
        one, two = link.ends
        i, j = number[one.body], number[two.body]
        reverse.append(int(two.body is not link.body))
        place.append(state.B[i].T @ (state.a[j] - state.a[i]))
        turn.append(state.B[i].T @ state.B[j])
        r = axes[j].T @ (two.r - center[j])
        o = state.B[i].T @ (state.a[j] + state.B[j] @ r - state.a[i])
        owner = link.body.name if link.joint is None else link.joint.name
        mine = [(k, x) for k, x in enumerate(every) if x.q.joint.name == owner and x.component == 0]
        for k, x in sorted(mine, key=lambda item: item[1].kind):  # slides first
            forward = x.q.a.body is one.body  # the second angle of a universal joint counts from the second body
            u = axes[i].T @ x.q.axis if forward else -turn[-1] @ (axes[j].T @ x.q.axis)
            if x.kind == kernel.BALL:  # T₀ is the pose where the rotation vector is zero
                back = axes[i].T @ x.q.reference @ axes[j] @ turn[-1].T
                place[-1], turn[-1] = o + back @ (place[-1] - o), back @ turn[-1]
            moves.append((x.kind, u, o, axes[i].T, k))
        first.append(len(moves))
    return kernel.Tree(
        body=np.array([number[link.body] for link in links], dtype=np.int64),
        neighbour=np.array([number[link.neighbour] for link in links], dtype=np.int64),
        reversed=np.array(reverse, dtype=np.int64),
        place=np.array(place).reshape(-1, 3),
        turn=np.array(turn).reshape(-1, 3, 3),
        first=np.array(first, dtype=np.int64),
        kind=np.array([move[0] for move in moves], dtype=np.int64),
        axis=np.array([move[1] for move in moves]).reshape(-1, 3),
        center=np.array([move[2] for move in moves]).reshape(-1, 3),
        frame=np.array([move[3] for move in moves]).reshape(-1, 3, 3),
        coordinate=np.array([move[4] for move in moves], dtype=np.int64),
        start=np.array([one.q.start for one in every]),
    )
