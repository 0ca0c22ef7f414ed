"""The motion must not depend on the order of adding, the position and orientation of the whole, body frames or units.

Two descriptions of one model may differ by round-off and by the residual of the joint solver, PRECISION of their size
divided by the grip, in every step, amplified by the motion by at most e^REACH.
"""

from __future__ import annotations

import numpy as np

import livens as lv

from .description import View
from .trial import STEPS, Check, Trial


def views(seed: int) -> dict[str, View]:
    """Other views of the same model."""
    rng = np.random.default_rng(seed)
    R, d = lv.Pose.from_quaternion(rng.normal(size=4)).B, 2.0 * rng.normal(size=3)
    return {
        "order of adding": View(shuffled=seed),
        "rigid motion of the whole": View(R=R, d=d),
        "frames of bodies": View(framed=seed + 1),
        "units mm, g, ms": View(length=1e3, mass=1e3, time=1e3),
    }


def checks(trial: Trial) -> list[Check]:
    found = []
    for name, view in views(trial.told.seed).items():
        apart = trial.apart(trial.end(view=view), trial.end())
        far = 1.0 + float(np.abs(view.d).max()) / trial.size
        found.append(Check(name, apart, far * trial.exact(STEPS)))
        same = trial.begin(view)[1].freedom == trial.begin()[1].freedom
        found.append(Check(f"freedom and {name}", float(not same), 0.0))
    return found
