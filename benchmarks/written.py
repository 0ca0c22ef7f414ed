"""Cost of user-written energies compared with equal built-in springs, and time to the first step of a new one."""

from __future__ import annotations

from functools import partial

import livens as lv

from . import problems
from .speeds import best, nanoseconds
from .starts import fresh

SIZE = 300  # bodies of the net
STEPS, ROUNDS = 60, 40  # many short runs, so that a disturbance affects few of them
FIRST = """
import time
import livens as lv
m = lv.Model(gravity=(0, 0, -9.81))
b = m.add(lv.Body(lv.Box(0.6, 0.4, 0.2, density=20.0), name="b"))
begin = time.perf_counter()
m.add(lv.Energy(lambda s: 3.0 * lv.dot(s[b].point(0.1, 0, 0), s[b].point(0.1, 0.2, 0)) ** 2, bodies=[b]))
lv.simulate(m, h=1e-3, until=1e-3)
print(time.perf_counter() - begin)
"""


def written_spring(spring: lv.Spring) -> lv.Energy:
    """The energy ½ k (|d| − l)² of a spring, as a user would write it."""
    p, q, k, l = spring.a, spring.b, spring.stiffness, spring.length
    return lv.Energy(
        lambda b: 0.5 * k * (lv.norm(b[q.body].point(q.r) - b[p.body].point(p.r)) - l) ** 2, bodies=[p.body, q.body]
    )


def nets(n: int = SIZE) -> tuple[lv.Model, lv.Model, lv.Model]:
    """The same net with no springs, built-in springs, and springs written as energies."""
    built_in, bare, written = problems.net(n), lv.Model(gravity=problems.GRAVITY), problems.net(n)
    for body in built_in.bodies[1:]:
        bare.add(lv.Body(body.shape, at=body.pose.a, body_rates=body.body_rates))
    springs, written.forces[:] = list(written.forces), []
    for spring in springs:
        written.add(written_spring(spring))
    return bare, built_in, written


def written() -> list[list[object]]:
    """Rows: a spring built in and written, their ratio, and the first step of a new energy."""
    models = nets()
    times = best([partial(nanoseconds, model, lv.Livens(), 1e-3, STEPS) for model in models], ROUNDS)
    springs = len(models[1].forces)
    built_in, own = ((time - times[0]) / springs for time in times[1:])
    first = min(float(fresh(FIRST).out.split()[-1]) for _ in range(4))  # one may compile
    return [
        ["a spring in a net, built in", f"{built_in:.0f} ns per step", ""],
        ["a spring in a net, user-written", f"{own:.0f} ns per step", ""],
        ["user-written relative to built in", f"{own / built_in:.1f}", "≤ 5"],
        ["first step of a new user-written energy, kernels on disk", f"{first:.2f} s", "≤ 1 s"],
    ]


def main() -> None:
    """Print the rows."""
    for row in written():
        print(*row, sep=" | ")


if __name__ == "__main__":
    main()
