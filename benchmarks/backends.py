"""Equal bits from all back ends of the kernels, on random models: python -m benchmarks.backends N [seed] [BACKEND …].

Every back end runs in a process of its own and prints one hash for each model and scheme: of all stored states,
energies, accelerations and reactions, and of the sentence of a step that failed. The processes must print the same.

    models     benchmarks/random_models, in random units; every second one with an energy and a force of the user
    schemes    all schemes for rigid bodies
    systems    random Lagrangian systems with a few schemes of livens.discrete

User-written formulas contain functions such as exp only if `python` is not among the back ends: as plain Python the
kernels call numpy's functions, which may differ from those of the C library in the last bit.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

import livens as lv
import livens.discrete as ld
from livens.step import COMPARED, SCHEMES

from .random_models.description import View, build
from .random_models.fit import rate
from .random_models.generate import describe

STEPS = 6
ROOT = Path(__file__).parents[1]


def formulas(model: lv.Model, view: View, rng: np.random.Generator, wide: bool) -> None:
    """Add an energy and a force of the user, in the units of the view, to a random body with inertia about all axes."""
    bodies = [body for body in model.bodies[1:] if np.all(np.asarray(body.mass_properties.inertia).diagonal() > 0.0)]
    if not bodies:
        return
    body, r = bodies[rng.integers(len(bodies))], view.length * rng.normal(size=3)
    k, c = view.unit(2, 1, -2) * rng.uniform(0.1, 2.0), view.unit(0, 1, -1) * rng.uniform(0.1, 1.0)

    def energy(b):
        x = b[body].point(tuple(r)) / view.length
        square = lv.dot(x, x)
        narrow = lv.sqrt(1.0 + square) + 0.3 * lv.sin(x[0]) * lv.cos(x[1])
        wider = lv.exp(-square) + lv.log(2.0 + lv.tanh(x[2])) + lv.atan2(x[0], 3.0) if wide else 0.0
        return k * (narrow + wider)

    model.add(lv.Energy(energy, bodies=[body], name="written"))
    model.add(lv.Force(body.center, lambda b: -c * b[body].velocity((0, 0, 0)), name="drag"))


def bits(*arrays: np.ndarray) -> str:
    """A hash of the bits of arrays. The sign of a NaN is left out: it means nothing, and processors choose it."""
    numbers = (np.where(np.isnan(x), np.nan, x) for x in arrays)
    return hashlib.sha256(b"".join(np.ascontiguousarray(x).tobytes() for x in numbers)).hexdigest()[:16]


def motion_bits(model: lv.Model, scheme: lv.Livens, h: float) -> str:
    """The hash of a motion, or the message of the error that ended it."""
    try:
        motion = lv.simulate(model, scheme, h=h, until=STEPS * h)
    except lv.StepFailed as error:
        return f"{error} {bits(*error.trajectory.record)}"
    except lv.ModelError as error:
        return str(error)
    parts = [*motion.record, motion.energy, motion.defect_position, motion.defect_velocity]
    parts += [motion.acceleration(body) for body in model.bodies[1:]]
    for joint in model.joints:
        with suppress(lv.ModelError):  # a coupling has no reaction of its own
            parts.append(motion.reaction(joint))
    return bits(*parts)


def rigid_bodies(seed: int, wide: bool) -> Iterator[tuple[str, str]]:
    """The hash of each scheme for the random model of a seed."""
    rng = np.random.default_rng(seed)
    told = describe(seed)
    view = View(length=10.0 ** rng.integers(-3, 4), mass=10.0 ** rng.integers(-3, 4), time=10.0 ** rng.integers(-2, 3))
    h = view.time * 0.1 / rate(told)
    for scheme in (*SCHEMES, *COMPARED, lv.Livens(compensated=True)):
        model = build(told, view)
        if seed % 2:
            formulas(model, view, np.random.default_rng(seed), wide)
        yield f"model {seed}, {scheme!r}", motion_bits(model, scheme, h)


def lagrangian(seed: int, wide: bool) -> Iterator[tuple[str, str]]:
    """The hash of each scheme for a random Lagrangian system."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 5, 70]))
    k, q, v = rng.uniform(1.0, 3.0, size=n), rng.normal(size=n), rng.normal(size=n)

    def potential(x):
        total = 0.25 * x[0] ** 4
        for i in range(n):
            total = total + 0.5 * k[i] * x[i] ** 2 + (0.1 * ld.exp(0.1 * x[i]) if wide else 0.1 * ld.sin(x[i]))
        return total

    system = ld.Mechanical(mass=rng.uniform(1.0, 2.0, size=n), potential=potential)
    for scheme in (ld.Trapezoidal(), ld.Midpoint(), ld.Galerkin(4), ld.Newmark(0.3025, 0.6), ld.IncrementalPotential()):
        run = ld.simulate(system, scheme, q=q, v=v, h=0.02, until=0.02 * STEPS)
        yield f"system {seed}, {scheme!r}", bits(run.q, run.v, run.energy)


def hashes(count: int, seed: int, wide: bool) -> dict[str, str]:
    """Model and scheme → hash, in this process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            what: found
            for k in range(seed, seed + count)
            for some in (rigid_bodies(k, wide), lagrangian(k, wide) if k % 4 == 0 else iter(()))
            for what, found in some
        }


def in_process(backend: str, count: int, seed: int, wide: bool) -> dict[str, str]:
    """The same in a process with another back end."""
    code = (
        "import json, sys, livens; from benchmarks.backends import hashes; from livens import _jit; "
        f"assert _jit.BACKEND == {backend!r}; json.dump(hashes({count}, {seed}, {wide}), sys.stdout)"
    )
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"} | {"LIVENS_BACKEND": backend}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(run.stdout)


def differences(count: int, seed: int, backends: list[str]) -> tuple[int, list[str]]:
    """(number of motions, one line for each that differs between back ends)."""
    wide = "python" not in backends
    found = {backend: in_process(backend, count, seed, wide) for backend in backends}
    first = found[backends[0]]
    different = [
        f"{what}: {backends[0]} {mine}, {backend} {theirs.get(what)}"
        for backend, theirs in found.items()
        for what, mine in first.items()
        if theirs.get(what) != mine
    ]
    return len(first), different


def main(arguments: list[str]) -> int:
    numbers = [int(word) for word in arguments if word.isdigit()]
    backends = [word for word in arguments if not word.isdigit()] or ["library", "numba"]
    count, seed = (*numbers, 0)[:2] if numbers else (200, 0)
    motions, different = differences(count, seed, backends)
    print("\n".join([*different, f"{motions:,} motions, {len(different)} differ between {', '.join(backends)}"]))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
