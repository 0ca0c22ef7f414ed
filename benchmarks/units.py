"""Random models in eleven systems of units and ten orientations: `python -m benchmarks.units N [seed] [few]`.

Each view (1) of random_models/description.py, all units in all orientations (with `few`: each unit in one orientation,
and ten orientations in SI units), must have the degrees of freedom, the
motion and the reactions of the first: to TOLERANCE, or to the round-off of the joint solver if the model is worse
conditioned than that,

    motion      PRECISION · steps · e / σ        σ the least singular value of the joints (fit.py)
    reactions   the same, once more over σ       those of minimum norm where constraints are redundant

The motion is so short that its fastest part turns by a radian: two motions that begin with round-off between them are
apart by no more than a few times that. The largest deviations are printed at the end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import livens as lv

from .counts import Count
from .random_models import describe
from .random_models.description import View
from .random_models.trial import STEPS, Trial

TOLERANCE = 1e-9
UNITS = {  # values of a metre, a kilogram and a second in each system
    "m, kg, s": (1.0, 1.0, 1.0),
    "mm, g, ms": (1e3, 1e3, 1e3),
    "mm, t, s": (1e3, 1e-3, 1.0),
    "cm, g, s": (1e2, 1e3, 1.0),
    "ft, slug, s": (1 / 0.3048, 1 / 14.5939, 1.0),
    "in, lb, min": (1 / 0.0254, 1 / 0.45359237, 1 / 60.0),
    "nm, ag, ns": (1e9, 1e21, 1e9),
    "µm, pg, µs": (1e6, 1e15, 1e6),
    "km, Mt, h": (1e-3, 1e-9, 1 / 3600.0),
    "au, sun, year": (1 / 1.496e11, 1 / 1.989e30, 1 / 3.156e7),
    "m, kg, ps": (1.0, 1.0, 1e12),
}
ORIENTATIONS = 10


def views(seed: int, units: int = len(UNITS), orientations: int = ORIENTATIONS, few: bool = False) -> dict[str, View]:
    """The first `units` systems of units, each in `orientations` random orientations; few: each in one of them, and
    all orientations in the first units."""
    rng = np.random.default_rng((seed, 7))
    turns = [lv.Pose.from_quaternion(rng.normal(size=4)).B for _ in range(orientations)]
    return {
        f"{name}, orientation {k}": View(R=R, length=L, mass=M, time=T)
        for name, (L, M, T) in list(UNITS.items())[:units]
        for k, R in enumerate(turns, start=1)
        if not few or name == next(iter(UNITS)) or k == 1 + list(UNITS).index(name) % orientations
    }


def schemes(seed: int):
    """Every third model with RungeKutta."""
    return lv.RungeKutta(8) if seed % 3 == 0 else lv.Livens(2)


def reactions(motion: lv.Trajectory, names: list[str], view: View) -> tuple[np.ndarray, np.ndarray]:
    """Forces [N] and torques [N m] of joints at the end, in the axes of the description."""
    pairs = [(motion.reaction(name)[-1], motion.reaction_torque(name)[-1]) for name in names]
    forces, torques = (np.array(part).reshape(-1, 3) @ view.R for part in zip(*pairs, strict=True))
    return forces / view.unit(1, 1, -2), torques / view.unit(2, 1, -2)


class Apart(NamedTuple):
    """The deviations of a view: degrees of freedom, and motion and reactions relative to their largest values."""

    freedom: int
    motion: float
    reactions: float


def apart(trial: Trial, view: View, scheme: lv.Scheme) -> Apart:
    """How far a view is from the first."""
    first, motion = trial.motion(scheme), trial.motion(scheme, view=view)
    moved = trial.apart(trial.end(scheme, view=view), trial.end(scheme))
    names = [tie.name for tie in trial.told.ties if tie.kind != "Coupling"]
    if not names:
        return Apart(motion.freedom - first.freedom, moved, 0.0)
    ours, theirs = reactions(first, names, View()), reactions(motion, names, view)
    heaviest = max(part.mass for part in trial.told.parts) * trial.size * trial.rate**2
    force = max(float(np.abs(ours[0]).max()), heaviest)
    torque = max(float(np.abs(ours[1]).max()), force * trial.size)
    loads = max(np.abs(ours[0] - theirs[0]).max() / force, np.abs(ours[1] - theirs[1]).max() / torque)
    return Apart(motion.freedom - first.freedom, moved, float(loads))


def compare(trial: Trial, what: str, found: Apart, scheme: lv.Scheme) -> list[str]:
    """The deviations of a view that are too large, in words."""
    least = trial.grip.least if trial.told.ties else 1.0
    bound = max(TOLERANCE, trial.exact(STEPS * scheme.stages))
    bad = [f"{what}: {found.freedom:+} degrees of freedom"] if found.freedom else []
    if not found.motion <= bound:
        bad.append(f"{what}: motion differs by {found.motion:.1e} > {bound:.1e}")
    if not found.reactions <= (allowed := max(TOLERANCE, bound / least)):
        bad.append(f"{what}: reactions differ by {found.reactions:.1e} > {allowed:.1e}")
    return bad


def examine(
    seed: int, units: int = len(UNITS), orientations: int = ORIENTATIONS, few: bool = False
) -> tuple[list[str], Apart]:
    """What depends on units or orientation in the model of a seed, in words, and the largest deviations."""
    trial, scheme = Trial(describe(seed)), schemes(seed)
    bad: list[str] = []
    most = Apart(0, 0.0, 0.0)
    for what, view in views(seed, units, orientations, few).items():
        try:
            found = apart(trial, view, scheme)
            most = Apart(*(max(abs(one), other) for one, other in zip(found, most, strict=True)))
            bad += compare(trial, what, found, scheme)
        except lv.LivensError as error:
            bad.append(f"{what}: {type(error).__name__}: {error}")
        except Warning as warning:
            bad.append(f"{what}: {warning}")
    return bad, most


def soak(count: int, seed: int = 0, report: Callable[[str], object] = print, few: bool = False) -> Count:
    """Examine the models of `count` seeds from `seed` on."""
    done, most, beyond = Count(), Apart(0, 0.0, 0.0), 0
    for k in range(seed, seed + count):
        done.tried += 1
        bad, found = examine(k, few=few)
        most = Apart(*map(max, found, most))
        beyond += max(found.motion, found.reactions) > TOLERANCE
        if bad:
            done.failed.append(f"seed {k}: {'; '.join(bad)}")
            report(f"FAILED: {done.failed[-1]}")
        done.remark = (
            f"{len(views(k, few=few))} views in {len(UNITS)} units and {ORIENTATIONS} orientations; motions differ by "
            f"up to {most.motion:.1e}, reactions by {most.reactions:.1e}; {beyond} models by more than {TOLERANCE:.0e}"
        )
        if done.tried % 50 == 0:
            report(f"{done.tried:,} of {count:,} models, {len(done.failed)} failed: {done.remark}")
    return done


if __name__ == "__main__":
    few = "few" in sys.argv
    found = soak(int(float(sys.argv[1])), int(sys.argv[2]) if len(sys.argv) > 2 + few else 0, few=few)
    print(f"{found.tried:,} models, {len(found.failed)} failed: {found.remark}")
    sys.exit(bool(found.failed))
