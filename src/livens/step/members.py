"""Runs of many members in one compiled call, member after member: kernels/members.py has their arrays.

Each run is that of a rollout from the start of the member, with its own forces and factors at the start. Its bits do
not depend on the other members. `outcome` of a member: status, steps taken, what the status names, and the tally.
"""

from __future__ import annotations

from typing import Any

from .._jit import inline, njit
from ..kernels.members import copy_state, own, own_state, own_system
from ..kernels.record import store_state
from . import livens, rattle
from .scheme import Rollout

STATUS, TAKEN, FAULT, TALLY = 0, 1, 2, 3  # columns of an outcome
COLUMNS = 5


@inline
def begin(starts, k, state, records):
    """The start of member k in `state`, and in its record."""
    copy_state(own_state(starts, k), state)
    store_state(own_state(records, k), 0, state)


@inline
def finish(status, taken, steps, every, state, records, k, work, outcome):
    """The end of member k in its record, and its outcome."""
    if taken == steps and steps % every > 0:
        store_state(own_state(records, k), steps // every + 1, state)
    outcome[k, STATUS], outcome[k, TAKEN], outcome[k, FAULT] = status, taken, work.fault[0]
    for i in range(2):
        outcome[k, TALLY + i] = work.tally[i]
        work.tally[i] = 0


@njit
def livens_members(systems, starts, state, work, h, table, signals, steps, every, records, outcome):
    """The members by `rollout` of livens.py; `state` and `work` are scratch."""
    for k in range(outcome.shape[0]):
        system, mine = own_system(systems, k), own(signals, k)
        begin(starts, k, state, records)
        livens.prepare(system, state, work, mine, h)
        status, taken = livens.rollout(system, state, work, h, table, mine, 0, steps, every, own_state(records, k))
        finish(status, taken, steps, every, state, records, k, work, outcome)


@njit
def rattle_members(systems, starts, state, work, h, table, signals, steps, every, records, outcome):
    """The members by `rollout` of rattle.py."""
    for k in range(outcome.shape[0]):
        system, mine = own_system(systems, k), own(signals, k)
        begin(starts, k, state, records)
        rattle.prepare(system, state, work, mine, h)
        status, taken = rattle.rollout(system, state, work, h, table, mine, 0, steps, every, own_state(records, k))
        finish(status, taken, steps, every, state, records, k, work, outcome)


MEMBERS: dict[Rollout, Any] = {
    livens.rollout: livens_members,
    rattle.rollout: rattle_members,
}
"""Rollout → the kernel that runs members with it. Other rollouts have none: their members run one by one."""
