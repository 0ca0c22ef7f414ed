"""Random models in eleven systems of units and ten orientations: `python -m benchmarks.units N [seed]`.

Each view (1) of random_models/description.py must have the degrees of freedom, the motion and the reactions of the
first: to TOLERANCE, or to the round-off of the joint solver if the model is worse conditioned than that,

    motion      PRECISION · steps · e / σ        σ the least singular value of the joints (fit.py)
    reactions   the same, once more over σ       where no constraint is redundant, so that they are unique

The motion is so short that its fastest part turns by a radian: two motions that begin with round-off between them are
apart by no more than a few times that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

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


def views(seed: int, units: int = len(UNITS), orientations: int = ORIENTATIONS) -> dict[str, View]:
    """The first `units` systems of units, each in a random orientation, and `orientations` more in SI units."""
    rng = np.random.default_rng((seed, 7))

    def turn() -> np.ndarray:
        return lv.Pose.from_quaternion(rng.normal(size=4)).B

    named = list(UNITS.items())[:units]
    found = {name: View(R=turn(), length=L, mass=M, time=T) for name, (L, M, T) in named}
    return found | {f"orientation {k}": View(R=turn()) for k in range(1, orientations + 1)}


def schemes(seed: int):
    """Every third model with RungeKutta."""
    return lv.RungeKutta(8) if seed % 3 == 0 else lv.Livens(2)


def reactions(motion: lv.Trajectory, names: list[str], view: View) -> tuple[np.ndarray, np.ndarray]:
    """Forces [N] and torques [N m] of joints at the end, in the axes of the description."""
    pairs = [(motion.reaction(name)[-1], motion.reaction_torque(name)[-1]) for name in names]
    forces, torques = (np.array(part).reshape(-1, 3) @ view.R for part in zip(*pairs, strict=True))
    return forces / view.unit(1, 1, -2), torques / view.unit(2, 1, -2)


def compare(trial: Trial, what: str, view: View, scheme: lv.Scheme) -> list[str]:
    """The deviations of a view from the first that are too large, in words."""
    first, plain = trial.motion(scheme), View()
    steps, least = STEPS * scheme.stages, trial.grip.least if trial.told.ties else 1.0
    bound = max(TOLERANCE, trial.exact(steps))
    motion = trial.motion(scheme, view=view)
    bad = []
    if motion.freedom != first.freedom:
        bad.append(f"{what}: {motion.freedom} degrees of freedom, not {first.freedom}")
    apart = trial.apart(trial.end(scheme, view=view), trial.end(scheme))
    if not apart <= bound:
        bad.append(f"{what}: motion differs by {apart:.1e} > {bound:.1e}")
    names = [tie.name for tie in trial.told.ties if tie.kind != "Coupling"]
    if names and not trial.grip.repeated:
        ours, theirs = reactions(first, names, plain), reactions(motion, names, view)
        heaviest = max(part.mass for part in trial.told.parts) * trial.size * trial.rate**2
        force = max(float(np.abs(ours[0]).max()), heaviest)
        torque = max(float(np.abs(ours[1]).max()), force * trial.size)
        apart = max(np.abs(ours[0] - theirs[0]).max() / force, np.abs(ours[1] - theirs[1]).max() / torque)
        if not apart <= max(TOLERANCE, bound / least):
            bad.append(f"{what}: reactions differ by {apart:.1e} > {max(TOLERANCE, bound / least):.1e}")
    return bad


def examine(seed: int, units: int = len(UNITS), orientations: int = ORIENTATIONS) -> list[str]:
    """What depends on units or orientation in the model of a seed, in words."""
    trial, scheme = Trial(describe(seed)), schemes(seed)
    bad: list[str] = []
    for what, view in views(seed, units, orientations).items():
        try:
            bad += compare(trial, what, view, scheme)
        except lv.LivensError as error:
            bad.append(f"{what}: {type(error).__name__}: {error}")
        except Warning as warning:
            bad.append(f"{what}: {warning}")
    return bad


def soak(count: int, seed: int = 0, report: Callable[[str], object] = print) -> Count:
    """Examine the models of `count` seeds from `seed` on."""
    done = Count()
    for k in range(seed, seed + count):
        done.tried += 1
        if bad := examine(k):
            done.failed.append(f"seed {k}: {'; '.join(bad)}")
            report(f"FAILED: {done.failed[-1]}")
        if done.tried % 50 == 0:
            report(f"{done.tried:,} of {count:,} models in {len(UNITS)} units, {len(done.failed)} failed")
    done.remark = f"{len(UNITS)} systems of units and {ORIENTATIONS} orientations each"
    return done


if __name__ == "__main__":
    found = soak(int(float(sys.argv[1])), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(f"{found.tried:,} models, {len(found.failed)} failed")
    sys.exit(bool(found.failed))
