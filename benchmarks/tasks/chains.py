"""Chains of slender rods on ball joints, horizontal and at rest, suspended at one end. The motion is planar, y = 0."""

from __future__ import annotations

from functools import partial

from . import Task
from .mechanism import Joint, Mechanism, Part

ROD = (1 / 1200, 1 / 12, 1 / 12)  # 1 m, 1 kg; the first moment has no effect


def chain(n: int) -> Mechanism:
    """n rods along +x."""
    parts = [Part(1.0, ROD, at=(k + 0.5, 0.0, 0.0)) for k in range(n)]
    joints = [Joint("ball", k - 1 if k else None, k, (float(k), 0.0, 0.0)) for k in range(n)]
    return Mechanism(parts, joints, gravity=(0.0, 0.0, -9.81))


def _task(n: int, until: float, coarse: int) -> Task:
    """The probes are the far ends of the last rod and of some rods near the support."""
    rods = "1 rod" if n == 1 else f"{n:,} rods"
    ends = [(k - 1, (0.5, 0.0, 0.0)) for k in (1, 2, 5, 10) if k < n] + [(n - 1, (0.5, 0.0, 0.0))]
    return Task(f"chain-{n}", f"chain of {rods}, {until:g} s", partial(chain, n), until, ends, 1.0, coarse)


TASKS = (
    _task(1, 10.0, 50),
    _task(2, 2.0, 20),
    _task(5, 1.0, 10),
    _task(10, 1.0, 12),
    _task(100, 1.0, 25),
    _task(1000, 0.2, 20),
)
