"""One body: free, or on a ball joint in gravity."""

from __future__ import annotations

from . import Task
from .mechanism import Joint, Mechanism, Part

AXES = ((0, (1.0, 0.0, 0.0)), (0, (0.0, 1.0, 0.0)), (0, (0.0, 0.0, 1.0)))


def free_body() -> Mechanism:
    """An asymmetric body spinning about its unstable axis; no forces."""
    return Mechanism([Part(1.0, (1.0, 2.0, 3.0), rates=(0.1, 2.0, 0.1))])


def heavy_top() -> Mechanism:
    """The fast top of Brüls, Cardona & Arnold (2012): 15 kg, its centre a metre from the pivot, 150 rad/s."""
    w = -4.61538
    top = Part(15.0, (0.234375, 0.46875, 0.234375), at=(0.0, 1.0, 0.0), velocity=(-w, 0.0, 0.0), rates=(0.0, 150.0, w))
    return Mechanism([top], [Joint("ball", None, 0, (0.0, 0.0, 0.0))], gravity=(0.0, 0.0, -9.81))


TASKS = (
    Task("free-body", "free asymmetric body, 100 s", free_body, 100.0, AXES, 1.0, 200),
    Task("heavy-top", "heavy top, 2 s", heavy_top, 2.0, [(0, (0.0, 0.0, 0.0))], 1.0, 90),
)
