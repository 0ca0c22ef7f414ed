"""What lv.EnergyMomentum conserves over long runs, and what its steps cost: python -m benchmarks.exact_energy [steps].

Three motions of `steps` steps (10⁶ unless told): a chaotic double pendulum on stiff springs, a four-bar linkage with
redundant constraints in a random orientation, and a chain of five bodies that floats freely. Then the time of a step on
chains, beside lv.Livens(), and the exponent of its growth with the number of bodies: processor time, the best of
several runs of compiled models, which take turns. A number above its limit ends the program with an error.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
from scipy.spatial.transform import Rotation

import livens as lv

SCHEME = lv.EnergyMomentum()
BEST_OF = 7
ENERGY, MOMENTUM = 1e-11, 1e-12  # limits of relative changes
RATIO, EXPONENT = 5.0, 1.05  # limits of the cost on chains of 100, and of its growth up to 400


def double_pendulum() -> lv.Model:
    """Two boxes on a ball joint and a hinge; a stiff spring in the hinge (hω = 1.2) and one to the world."""
    m = lv.Model(gravity=(0, 0, -9.81), name="double pendulum on stiff springs")
    one = m.add(lv.Body(lv.Box(0.1, 0.2, 0.8, density=300), at=(0.4, 0, 0), rotation=_from_z((1, 0, 0)), name="one"))
    two = m.add(lv.Body(lv.Box(0.1, 0.1, 0.6, density=300), at=(1.1, 0, 0), rotation=_from_z((1, 0, 0)), name="two"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), one.point_at(0, 0, 0), name="ball"))
    m.add(lv.Revolute(one.point_at(0.8, 0, 0), two.point_at(0.8, 0, 0), axis=(0.2, 1, 0.1), name="hinge"))
    m.add(lv.Spring(one.point_at(0.4, 0.3, 0), two.point_at(1.1, 0.3, 0), stiffness=2e4, name="stiff"))
    m.add(lv.Spring(m.world.point(0, 1, 0), two.center, stiffness=1e3, length=1.0, name="spring"))
    return m


def four_bar() -> lv.Model:
    """A planar four-bar linkage of hinges: three constraint equations are redundant."""
    m = lv.Model(gravity=(0, 0, -9.81), name="four-bar linkage")
    turn = Rotation.random(random_state=5)
    corners = [turn.apply(x) for x in ((0, 0, 0), (0.2, 0, 1), (2, 0, 1.3), (2.2, 0, 0))]
    ends = [m.world]
    for k in range(3):
        x = (corners[k] + corners[k + 1]) / 2
        box = lv.Box(0.1, 0.1, float(np.linalg.norm(corners[k + 1] - corners[k])), density=500)
        ends.append(m.add(lv.Body(box, at=x, rotation=_from_z(corners[k + 1] - corners[k]), name=f"bar {k}")))
    for k, (one, two, x) in enumerate(zip(ends, [*ends[1:], m.world], corners, strict=True)):
        m.add(lv.Revolute(one.point_at(*x), two.point_at(*x), axis=turn.apply((0, 1, 0)), name=f"pin {k}"))
    return m


def floating_chain() -> lv.Model:
    """Five boxes on ball joints that turn and swing freely."""
    m = lv.Model(name="floating chain")
    random, last = np.random.default_rng(3), None
    for k in range(5):
        b = m.add(
            lv.Body(lv.Box(1, 0.3, 0.2, density=100), at=(k, 0, 0), body_rates=random.normal(size=3), name=f"{k}")
        )
        if last is not None:
            m.add(lv.Spherical(last.point_at(k - 0.5, 0, 0), b.point_at(k - 0.5, 0, 0), name=f"ball {k}"))
        last = b
    return m


def chain(bodies: int, hinges: bool) -> lv.Model:
    """A chain that is released horizontally."""
    m = lv.Model(gravity=(0, 0, -9.81), name=f"chain of {bodies} {'hinges' if hinges else 'ball joints'}")
    last = m.world
    for k in range(bodies):
        b = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=100), at=(k + 0.5, 0, 0), name=f"{k}"))
        ends = (last.point_at(k, 0, 0), b.point_at(k, 0, 0))
        m.add(lv.Revolute(*ends, axis=(0, 1, 0)) if hinges else lv.Spherical(*ends))
        last = b
    return m


def _from_z(direction) -> np.ndarray:
    """A rotation that carries z into a direction."""
    return Rotation.align_vectors([np.asarray(direction, dtype=float)], [(0, 0, 1)])[0].as_matrix()


def conserved(model: lv.Model, h: float, steps: int) -> bool:
    """Print the changes of energy and angular momentum over a run; False if they are above their limits."""
    motion = lv.simulate(model, SCHEME, h=h, until=h * steps, every=max(1, steps // 1000))
    energy, turned = np.abs(motion.energy - motion.energy[0]).max() / np.abs(motion.kinetic).max(), 0.0
    line = f"{model.name:36} {steps:9,} steps   energy {energy:.1e}   joints {motion.defect_position.max():.0e} m"
    if not model.joints or all(body is not model.world for j in model.joints for body in (j.a.body, j.b.body)):
        L = motion.angular_momentum
        turned = np.abs(L - L[0]).max() / np.linalg.norm(L[0])
        line += f"   angular momentum {turned:.1e}"
    print(f"{line}   {motion.iterations:.1f} iterations", flush=True)
    return bool(energy <= ENERGY and turned <= MOMENTUM)


def step_times(model: lv.Model, h: float, steps: int) -> tuple[float, float]:
    """The processor time of a step of both schemes [s]: a long run less a short one with the same start-up time."""
    runs = [lv.prepare(model, scheme, h=h) for scheme in (SCHEME, lv.Livens())]
    few = max(20, steps // 10)
    best = np.full((2, 2), np.inf)
    for _ in range(BEST_OF):
        for k, run in enumerate(runs):
            for j, n in enumerate((few, steps)):
                begin = time.process_time()
                run(until=h * n, every=n)
                best[k, j] = min(best[k, j], time.process_time() - begin)
    one, other = (best[:, 1] - best[:, 0]) / (steps - few)
    return float(one), float(other)


def costs(hinges: bool) -> bool:
    """Print the cost on chains of several lengths; False if it is above its limits."""
    last, kept = np.nan, True
    for bodies in (1, 10, 100, 400):
        mine, other = step_times(chain(bodies, hinges), 1e-3, max(120, 10_000 // bodies))
        exponent = np.log(mine / last) / np.log(4.0) if bodies == 400 else np.nan
        name = f"chain of {bodies} {'hinges' if hinges else 'ball joints'}"
        grows = "" if np.isnan(exponent) else f"{exponent:10.2f}"
        print(f"{name:36} {1e6 * mine:9.1f} µs   {1e6 * other:8.1f} µs   {mine / other:.1f} {grows}", flush=True)
        kept = kept and not (bodies == 100 and mine / other > RATIO) and not exponent > EXPONENT
        last = mine
    return kept


def main(steps: int = 1_000_000) -> None:
    warnings.simplefilter("ignore", lv.ModelWarning)
    motions = ((double_pendulum, 5e-3), (four_bar, 5e-3), (floating_chain, 1e-2))
    exact = [conserved(make(), h, steps) for make, h in motions]
    print(f"\n{'':36} EnergyMomentum     Livens   ratio   exponent")
    cheap = [costs(hinges) for hinges in (True, False)]
    if not all(exact + cheap):
        raise SystemExit("exact_energy: a number is above its limit")


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000)
