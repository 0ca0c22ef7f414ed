"""Members on a graphics card: bits against the CPU, and steps per second.

    python -m benchmarks.gpu                         on a machine with a card
    python -m benchmarks.gpu --compile 9.0           compile for this architecture only, on a machine without a card

What is compiled is stored in the cache folder (NUMBA_CACHE_DIR), which may be copied to a machine without numba.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise

import numpy as np

import livens as lv
from livens.compile.compiled import Compiled
from livens.gpu.card import Cuda
from livens.gpu.compiler import machine_code
from livens.gpu.members import Chunk, Chunks, opened, varied_paths
from livens.gpu.source import kernel_source
from livens.run.follow import follow
from livens.run.plan import plan

DISTINCT = 64  # members with different numbers; larger ensembles repeat them


def chain(bodies, spin):
    """Rods on hinges, which begin in a horizontal line and turn with `spin` [rad/s] about the first hinge."""
    model = lv.Model(gravity=(0, 0, -9.81))
    last = model.world.point(0, 0, 0)
    for k in range(bodies):
        rod = model.add(
            lv.Body(
                lv.MassProperties(1.0, (1e-3, 1 / 12, 1 / 12)),
                at=(k + 0.5, 0, 0),
                velocity=(0, 0, -(k + 0.5) * spin),
                angular_velocity=(0, spin, 0),
                name=f"rod {k}",
            )
        )
        model.add(lv.Revolute(last, rod.point(-0.5, 0, 0), axis=(0, 1, 0), name=f"hinge {k}"))
        last = rod.point(0.5, 0, 0)
    return model


def double_pendulum(x):
    return chain(2, 3.0 * x)


def chain_of_twenty(x):
    return chain(20, 0.3 * x)


def free_body(x):
    """A body on a spring, with a stiffness, an inertia and a spin of each member."""
    model = lv.Model(gravity=(0, 0, -9.81))
    top = model.add(
        lv.Body(
            lv.MassProperties(1.0, (0.1, 0.2, 0.25 + 0.04 * x)),
            at=(1, 0, 0),
            velocity=(0, 0.5, 0),
            angular_velocity=(0.1, 3.0 * x, 0.2),
            name="top",
        )
    )
    model.add(lv.Spring(model.world.point(0, 0, 0), top.point(0.1, 0.2, 0.3), stiffness=20 + x, length=0.5))
    return model


def driven_four_bar(x):
    """A four-bar of hinges, whose three constraint equations out of its plane are redundant, with a damper in one
    hinge, a formula in another and a load that depends on time."""
    model = lv.Model(gravity=(0, 0, -9.81))
    corners = np.array([(0, 0, 0), (0, 0, 1.0), (2.0, 0, 1.5), (2.0, 0, 0)])
    last = model.world.point(*corners[0])
    for k, (a, b) in enumerate(pairwise(corners)):
        half = (b - a) / 2
        inertia = (1.0 + 0.1 * x) / 3.0 * (half @ half * np.eye(3) - np.outer(half, half)) + 1e-3 * np.eye(3)
        bar = model.add(lv.Body(lv.MassProperties(1.0 + 0.1 * x, inertia), at=a + half, name=f"bar {k}"))
        model.add(lv.Revolute(last, bar.point(*-half), axis=(0, 1, 0), damping=0.1 * (k == 1)))
        last = bar.point(*half)
    model.add(lv.Revolute(last, model.world.point(*corners[-1]), axis=(0, 1, 0)))
    model.add(lv.Load(bar.point(0, 0, 0), force=lambda t: (np.sin(3.0 * t), 0.0, 0.0)))
    return model


CASES = {
    "free body": (free_body, lv.Livens(), [10**5, 10**6]),
    "double pendulum": (double_pendulum, lv.Livens(), [10**4, 10**5, 10**6]),
    "chain of 20": (chain_of_twenty, lv.Livens(), [10**4, 10**5]),
    "double pendulum, order 4": (double_pendulum, lv.Livens(order=4), [10**5]),
    "double pendulum, Runge–Kutta": (double_pendulum, lv.RungeKutta(), [10**5]),
    "double pendulum, Newmark": (double_pendulum, lv.Newmark(), [10**5]),
    "driven four-bar": (driven_four_bar, lv.Livens(), [10**5]),
}


def members_of(make):
    return [Compiled.of(make(x), quiet=True) for x in np.linspace(0.0, 1.0, DISTINCT)]


def compile_for(architecture, names):
    """Compile the cases, which needs no card."""
    import numba.cuda.dispatcher as dispatcher

    class Described:
        compute_capability = architecture

    dispatcher.get_current_device = Described  # functions of a kernel ask the card for its architecture
    for name in names:
        make, scheme, _ = CASES[name]
        runs = Chunks(None, plan(scheme, 1e-3, 1.0, 1000), members := members_of(make))
        source = kernel_source(runs.run.system, runs.state, runs.work, varied_paths(members), len(scheme.weights))
        begin = time.process_time()
        made = machine_code(source, runs.run.prepare, runs.run.rollout, architecture, False)
        print(f"{name}: {len(made.code):,} bytes, {time.process_time() - begin:.0f} s of processor time", flush=True)


def speed_of_a_core(scheme, member):
    """Steps per second of a run that is long enough for its beginning not to count."""
    how, best = plan(scheme, 1e-3, 50.0, 50_000), 0.0
    for _ in range(3):
        begin = time.process_time()
        follow(how, member)
        best = max(best, how.steps / (time.process_time() - begin))
    return best


def measure(name, card):
    make, scheme, sizes = CASES[name]
    members = members_of(make)
    how = plan(scheme, 1e-3, 1.0, 500)
    found = Chunk(Chunks(card, how, members), members)
    equal = same = 0
    for k, one in enumerate(members):
        motion, expected = found.motion(k), follow(how, one)
        if motion is not None:
            same += 1
            equal += all(
                np.array_equal(x, y, equal_nan=True) for x, y in zip(motion.record, expected.record, strict=True)
            )
    core = speed_of_a_core(scheme, members[1])
    print(
        f"{name}: {equal} of {DISTINCT} motions of {how.steps} steps bitwise equal, {DISTINCT - same} failed",
        flush=True,
    )
    how = plan(scheme, 1e-3, 0.1, 100)
    for size in sizes:
        many = (members * (size // DISTINCT + 1))[:size]
        runs = Chunks(card, how, many)
        best = max(how.steps / Chunk(runs, many).seconds for _ in range(2))
        print(
            f"    {size:9,} members: {best:.3g} steps/s, {best / core:.0f} times one core ({core:.3g} steps/s)",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(CASES)}")
    parser.add_argument("--compile", metavar="ARCHITECTURE", help="such as 9.0: compile for it, and do not run")
    parser.add_argument("--fma", action="store_true", help="allow fused multiply-add instructions")
    given = parser.parse_args()
    names = given.cases or list(CASES)
    if given.compile:
        compile_for(tuple(map(int, given.compile.split("."))), names)
    else:
        card = opened(Cuda(fma=given.fma))
        for name in names:
            measure(name, card)


if __name__ == "__main__":
    main()
