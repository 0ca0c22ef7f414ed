"""The reaction forces of all joints at one state, computed together; `motion.reaction` computes those of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...checks import Array
from ...compile.system import scratch
from ...errors import ModelError
from ...kernels.dynamics import wrenches_of_record
from ...record.joints import signals_of
from ...record.trajectory import Trajectory


class Reactions:
    """For each joint the block and the side of the compiled joints that hold the force on its second body."""

    def __init__(self, motion: Trajectory, joints: list[Any]):
        """joints: joints of the model."""
        self.compiled = motion.compiled
        blocks = motion.full.blocks
        number = motion.compiled.number
        place = {id(group.owner): block for block, group in enumerate(motion.compiled.groups) if not blocks.soft[block]}
        self.entries: list[tuple[int, int, float]] = []
        for joint in map(motion.own, joints):
            first, second = joint.ends
            b, sign = (second.body, 1.0) if number[second.body] else (first.body, -1.0)
            block = place[id(joint)]
            sides = range(blocks.side[block], blocks.side[block + 1])
            self.entries.append((block, next(s for s in sides if blocks.side_body[s] == number[b]), sign))

    def at(self, now: Trajectory) -> Array:
        """Forces [N] on the second bodies, world axes (joints, 3), at the only state of `now`; zero if they need a
        function that a file could not store."""
        out, all_six = np.zeros((len(self.entries), 3)), np.zeros((1, 6))
        if not self.entries:
            return out
        try:
            signals, lam = signals_of(now), now.multipliers
        except ModelError:
            return out
        work = scratch(now.full)
        for k, (block, side, sign) in enumerate(self.entries):
            wrenches_of_record(now.full, now.record, signals, lam, work, block, side, all_six)
            out[k] = sign * all_six[0, :3]
        return out
