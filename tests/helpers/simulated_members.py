"""Members on the simulator of a graphics card beside the CPU, as a process of its own: the kernels are plain Python.

    LIVENS_BACKEND=python NUMBA_ENABLE_CUDASIM=1 python -m tests.helpers.simulated_members

Prints one JSON object: case → [numbers of members whose bits are equal, members, chunks], and what failed.
"""

import json
import sys
import warnings

import numpy as np
from scipy.spatial.transform import Rotation

import livens as lv
from benchmarks.gpu import double_pendulum, driven_four_bar, free_body
from livens.compile.compiled import Compiled
from livens.gpu.members import Chunks, follow_on_device, opened
from livens.run.follow import follow
from livens.run.plan import plan


def turned(x):
    """Two bodies in random orientation: hinge with a spring and stops, ball joint, a damper, a formula, attraction."""
    rng = np.random.default_rng(3)
    R = Rotation.random(random_state=rng)
    m = lv.Model(gravity=R.apply((0.3, 0, -9.81)) * (1 + x))
    one = m.add(lv.Body(lv.Box(0.3, 0.2, 0.1, mass=1 + x), at=R.apply((0.5, 0, 0)), rotation=R.as_matrix(), name="one"))
    two = m.add(lv.Body(lv.Ball(0.1, mass=2.0), at=R.apply((1.0, 0, 0)), name="two"))
    hinge = lv.Revolute(m.world.point(0, 0, 0), one.point(-0.5, 0, 0), axis=R.apply((0, 1, 0)), stiffness=3 + x)
    m.add(hinge)
    m.add(lv.Spherical(one.point(0.25, 0, 0), two.point(*R.apply((-0.25, 0, 0)))))
    m.add(lv.Damper(m.world.point(0, 0, 1), two.point(0, 0, 0), 0.2 + x))
    m.add(lv.Energy(lambda b: (1.0 + x) * lv.norm(b[two].position) ** 4, bodies=[two]))
    m.add(lv.Attraction(0.1, [one, two]))
    return m


def falls_apart(x):
    """Members with x > 0 turn too fast for the step."""
    return double_pendulum(200.0 * x)


CASES = {
    "free body": (free_body, lv.Livens(), 7),
    "free body, order 6": (free_body, lv.Livens(order=6), 3),
    "free body, compensated": (free_body, lv.Livens(compensated=True), 3),
    "double pendulum": (double_pendulum, lv.Livens(), 5),
    "double pendulum, order 4": (double_pendulum, lv.Livens(order=4), 3),
    "double pendulum, Runge–Kutta": (double_pendulum, lv.RungeKutta(), 3),
    "double pendulum, Newmark": (double_pendulum, lv.Newmark(), 3),
    "driven four-bar": (driven_four_bar, lv.Livens(), 3),
    "two bodies, turned": (turned, lv.Livens(), 3),
    "a member fails": (falls_apart, lv.Livens(), 2),
}


def main():
    warnings.simplefilter("ignore")
    card, said = opened("cuda"), {}
    for name, (make, scheme, count) in CASES.items():
        members = [Compiled.of(make(x), quiet=True) for x in np.linspace(0.0, 1.0, count)]
        how, equal, failed = plan(scheme, 1e-2, 0.11, 4), 0, []
        for k, motion in follow_on_device(card, how, members):
            if isinstance(motion, Exception):
                failed.append([k, str(motion)])
                continue
            expected = follow(how, members[k])
            equal += (
                all(np.array_equal(x, y, equal_nan=True) for x, y in zip(motion.record, expected.record, strict=True))
                and np.array_equal(motion.t, expected.t)
                and motion.tally == expected.tally
            )
        said[name] = {"equal": equal, "members": count, "failed": failed}
    card.free_bytes = lambda: 40_000  # memory for a few members only
    members = [Compiled.of(free_body(x), quiet=True) for x in np.linspace(0.0, 1.0, 9)]
    how = plan(lv.Livens(), 1e-2, 0.1, 1)
    runs = Chunks(card, how, members)
    found = dict(runs.motions())
    same = [np.array_equal(found[k].record.a, follow(how, one).record.a) for k, one in enumerate(members)]
    said["chunks"] = {"equal": sum(same), "members": 9, "size": runs._size()}
    settings = {"h": 1e-2, "until": 0.05, "keep": lambda motion: {"end": motion.position("top")[-1]}, "progress": False}
    studies = [
        lv.ensemble(free_body, {"x": np.linspace(0, 1, 5)}, device=device, **settings) for device in (None, "cuda")
    ]
    said["ensemble"] = bool(studies[0].end.identical(studies[1].end))
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
