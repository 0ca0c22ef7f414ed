"""Time to accuracy, from measured curves: the time for a given error with the best settings of each program.

On each curve, ordered by refinement, the target is met after the last point whose error is above it (an accidentally
accurate coarse run does not count). Between that point and the next, time is interpolated over error, both
logarithmic. If every point meets the target, the cheapest of them counts; if none does, the target is not reached.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

TARGETS = (1e-4, 1e-6)
OURS = "livens"
EVEN = 1.05  # times within this factor are equal


@dataclass(frozen=True)
class Cost:
    """Cost of a target: seconds, the setting, and whether it was measured."""

    seconds: float
    program: str
    setting: str
    measured: bool  # at a point of the curve, otherwise interpolated between two points
    h: float


def cost(curve: dict[str, Any], target: float) -> Cost | None:
    """The time at which one curve meets the target, or None."""
    points = sorted(curve["points"], key=lambda p: p["rung"])
    above = [k for k, p in enumerate(points) if not p["error"] <= target]
    first = above[-1] + 1 if above else 0
    if first >= len(points):
        return None
    point = points[first]
    who = curve["program"], curve["setting"]
    if first == 0 or points[first - 1]["seconds"] >= point["seconds"]:
        cheapest = min(points[first:], key=lambda p: p["seconds"])
        return Cost(cheapest["seconds"], *who, True, cheapest["h"])
    before = points[first - 1]
    share = math.log(before["error"] / target) / math.log(before["error"] / max(point["error"], 1e-300))
    at = lambda name: before[name] * (point[name] / before[name]) ** share  # noqa: E731
    return Cost(at("seconds"), *who, False, at("h"))


def best(curves: list[dict[str, Any]], target: float, other: bool = False) -> dict[str, Cost]:
    """Program → its lowest cost; `other`: of different models with the same motion."""
    found: dict[str, Cost] = {}
    for curve in curves:
        if curve["other"] != other:
            continue
        price = cost(curve, target)
        if price and (price.program not in found or price.seconds < found[price.program].seconds):
            found[price.program] = price
    return found


@dataclass(frozen=True)
class Verdict:
    """livens and the best of the other programs, for one problem and target."""

    key: str
    title: str
    target: float
    ours: Cost | None
    peer: Cost | None
    all: dict[str, Cost]
    other: dict[str, Cost]

    @property
    def ratio(self) -> float | None:
        """Time of the best other program divided by that of livens."""
        return self.peer.seconds / self.ours.seconds if self.peer and self.ours else None

    @property
    def word(self) -> str:
        if self.ours is None:
            return "not reached" if self.peer is None else "behind"
        if self.peer is None:
            return "ahead: no other run reaches it"
        assert self.ratio is not None
        return "ahead" if self.ratio > EVEN else "behind" if self.ratio < 1 / EVEN else "even"


def verdicts(problems: list[dict[str, Any]], only: tuple[str, ...] = ()) -> list[Verdict]:
    """For every problem and target; `only`: these settings of livens, all if none is given."""
    found = []
    for problem in problems:
        curves = [c for c in problem["curves"] if c["program"] != OURS or not only or c["setting"] in only]
        for target in TARGETS:
            costs = best(curves, target)
            peers = [c for name, c in costs.items() if name != OURS]
            peer = min(peers, key=lambda c: c.seconds, default=None)
            other = best(problem["curves"], target, other=True)
            found.append(Verdict(problem["key"], problem["title"], target, costs.get(OURS), peer, costs, other))
    return found
