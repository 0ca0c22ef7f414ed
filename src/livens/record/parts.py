"""Parts of a motion: motion[k], and the one line that describes a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..kernels.contact.arrays import LOG_TIME

if TYPE_CHECKING:
    from .trajectory import Trajectory


def part(motion: Trajectory, k: Any) -> Trajectory:
    """The motion at some of its stored states: k is a number, a slice, or a list of numbers or of truth values.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> top = m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 3)), velocity=(1, 0, 0), name="top"))
    >>> motion = lv.simulate(m, h=1e-2, until=1.0)
    >>> motion[-1].position(top).tolist(), len(motion[10:20]), motion[::50].t.tolist()
    ([[1.0, 0.0, 0.0]], 10, [0.0, 0.5, 1.0])
    """
    try:
        chosen = np.atleast_1d(np.arange(len(motion))[k])
    except (IndexError, TypeError, ValueError):
        raise ModelError(f"there is no state {k!r}: this motion has {len(motion):,}, counted from 0.") from None
    if not len(chosen) or chosen.ndim > 1:
        raise ModelError(f"{k!r} chooses no state: this motion has {len(motion):,}, counted from 0.")
    if (np.diff(chosen) <= 0).any():
        raise ModelError(f"{k!r} chooses states backwards or twice: a motion goes forward in time.")
    found = motion.chosen_states(chosen)
    begin, end = float(found.t.min()), float(found.t.max())
    log = motion.impact_log
    found.impact_log = log[(log[:, LOG_TIME] >= begin) & (log[:, LOG_TIME] <= end)]
    found.chosen, found.events = motion.chosen, motion.events
    return found


def in_one_line(motion: Trajectory) -> str:
    """The motion in words: model, states, times, scheme and step.

    >>> import livens as lv
    >>> m = lv.Model(name="throw")
    >>> stone = m.add(lv.Body(lv.Ball(0.1, density=2500), velocity=(1, 0, 0), name="stone"))
    >>> lv.simulate(m, h=1e-2, until=1.0)
    Trajectory('throw': 1 body, 101 states, t = 0 to 1 s, Livens(order=2), h = 0.01 s)
    """
    bodies, states = len(motion.model.bodies) - 1, len(motion)
    what = f"{bodies} {'body' if bodies == 1 else 'bodies'}, {states:,} state{'s' * (states != 1)}"
    when = f"t = {motion.t[0]:.6g} to {motion.t[-1]:.6g} s" if states > 1 else f"t = {motion.t[0]:.6g} s"
    phases = f", {len(motion.phases)} phases" if len(motion.phases) > 1 else ""
    cut = f", stopped before {motion.end:.6g} s" if motion.wanted > motion.steps else ""
    return f"Trajectory({motion.model.name!r}: {what}, {when}{phases}{cut}, {motion.scheme!r}, h = {motion.h:.6g} s)"
