"""Random models from a seed: trees and forests of all joints, closed loops, springs and dampers.

Bodies have 0.3 to 3 kg, distances of decimetres and velocities of a few m/s and rad/s; springs vibrate with some rad/s.
A loop is closed by a joint between two bodies in their poses, in three ways:

    any joint of LOOPS between two bodies of the tree    generically no redundant constraints
    a ring of hinges with parallel axes                  three redundant constraints, along its whole motion
    a second hinge or guide on the axis of a first       all its constraints are redundant

It is skipped, and counted, if it would remove the last degree of freedom or be much worse conditioned than the tree
(fit.py).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .description import WORLD, Array, Description, Part, Pull, Tie
from .fit import grip, projected

AXIAL = ("Revolute", "Prismatic", "Cylindrical", "Screw")
PLAIN = (*AXIAL, "Spherical", "Universal", "Planar", "Rigid", "Rod", "PointOnLine", "PointOnPlane", "FixedOrientation")
TREE = (*PLAIN, "Revolute", "Spherical", "RollingBall", "RollingDisc", "KnifeEdge")
LOOPS = ("Rod", "Rod", "Spherical", "Revolute", "Universal", "Cylindrical", "Planar", "PointOnLine", "PointOnPlane")
THIN = ("Spherical", "Rod")  # joints for bodies without inertia about some axis
MOST = 20  # bodies
WORSE = 0.2  # conditioning of a loop, relative to the model without it, below which it is skipped


def describe(seed: int) -> Description:
    """The random model of this seed."""
    return Maker(seed).description()


class Maker:
    """A description under construction."""

    def __init__(self, seed: int):
        self.seed, self.rng = seed, np.random.default_rng(seed)
        self.parts: list[Part] = []
        self.ties: list[Tie] = []
        self.pulls: list[Pull] = []
        self.thin: set[str] = set()
        self.floating = self.chance(0.3)  # no connection to the world
        self.damped = self.chance(0.4)
        self.loops = self.left_out = 0

    # ── numbers ──

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def between(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def direction(self) -> Array:
        u = self.rng.normal(size=3)
        return u / np.linalg.norm(u)

    def across(self, axis: Array) -> Array:
        u = np.cross(axis, self.direction())
        return u / np.linalg.norm(u)

    def step(self, low: float = 0.2, high: float = 0.5) -> Array:
        return self.between(low, high) * self.direction()

    def one_of(self, things):
        return things[int(self.rng.integers(len(things)))]

    # ── the whole ──

    def description(self) -> Description:
        count = 1 + int((MOST - 1) * self.rng.random() ** 1.5 + 0.5)
        while len(self.parts) < count:
            if count - len(self.parts) >= 5 and self.chance(0.1):
                self.ring()
            else:
                self.branch()
        gravity = np.zeros(3) if self.chance(0.3) else 9.81 * self.direction()
        G = self.between(0.5, 3.0) if self.chance(0.2) and self.spread() > 0.25 else 0.0
        told = Description(self.seed, gravity, tuple(self.parts), tuple(self.ties), attraction=G)
        for _ in range(int(self.rng.integers(0, 4)) if self.chance(0.5) else 0):
            told = self.closed(told)
        for _ in range(int(self.rng.integers(0, 2 + len(self.parts)))):
            self.pull()
        return projected(replace(told, pulls=tuple(self.pulls), loops=self.loops, left_out=self.left_out))

    def spread(self) -> float:
        """The smallest distance of two centres."""
        x = np.array([part.center for part in self.parts])
        apart = np.linalg.norm(x[:, None] - x, axis=2) + 9.0 * np.eye(len(x))
        return float(apart.min())

    # ── bodies ──

    def body(self, center: Array, matter: str = "solid", along: Array | None = None) -> Part:
        """A moving body: asymmetric, a thin rod `along` a direction, or a point mass."""
        mass = float(np.exp(self.between(np.log(0.3), np.log(3.0))))
        spin = 1.5 * self.rng.normal(size=3)
        if matter == "solid":
            r = 0.2 * self.rng.normal(size=(6, 3)) * (1.0, 0.8, 0.6)
            r -= r.mean(axis=0)
            E = mass / 6 * r.T @ r
            J = np.trace(E) * np.eye(3) - E
        elif matter == "stick":
            assert along is not None
            J = mass * 0.04 * (np.eye(3) - np.outer(along, along))
            spin -= (spin @ along) * along
        else:
            J, spin = np.zeros((3, 3)), np.zeros(3)
        part = Part(f"b{len(self.parts)}", mass, J, center, self.rng.normal(size=3), spin)
        self.parts.append(part)
        if matter != "solid":
            self.thin.add(part.name)
        return part

    def solids(self) -> list[Part]:
        return [part for part in self.parts if part.name not in self.thin]

    def base(self) -> tuple[str, Array] | None:
        """A body to connect to, and its centre; None: no connection."""
        solids = self.solids()
        if not solids or self.chance(0.25):
            return None if self.floating or self.chance(0.3) else (WORLD, 1.5 * self.rng.normal(size=3))
        part = self.one_of(solids if self.chance(0.5) else solids[-2:])
        return part.name, part.center

    def branch(self) -> None:
        """A body, usually connected to an existing one."""
        found = self.base()
        if found is None:
            self.body(1.5 * self.rng.normal(size=3))
            return
        base, middle = found
        at = middle + self.step()
        thin = self.chance(0.1)
        kind = self.one_of(THIN if thin else TREE)
        axis, other, size, gap = self.geometry(kind)
        to, along = at + gap, self.direction()
        stick = thin and self.chance(0.5)
        if thin:
            center = to + (self.between(-0.3, 0.3) * along if stick else 0.0)
        else:
            center = to + (self.step(0.0, 0.08) if kind.startswith("Rolling") else self.step())
        part = self.body(center, "stick" if stick else "dot" if thin else "solid", along)
        self.tie(kind, base, part.name, at, to, axis, other, size, fixed=thin)

    def ring(self) -> None:
        """Bodies in a plane, in a closed chain of hinges perpendicular to it."""
        found = self.base()
        base, middle = (None, 1.5 * self.rng.normal(size=3)) if found is None else found
        axis, count = self.direction(), 3 + int(self.chance(0.3))
        e = self.across(axis)
        f = np.cross(axis, e)
        turns = 2 * np.pi * (np.arange(count + 1) + self.rng.uniform(-0.2, 0.2, count + 1)) / (count + 1)
        corners = [middle + self.between(0.3, 0.5) * (np.cos(s) * e + np.sin(s) * f) for s in turns]
        name = base if base is not None else self.body(middle + self.step()).name
        first = name
        for k in range(count):
            part = self.body((corners[k] + corners[k + 1]) / 2 + self.step(0.0, 0.15))
            self.tie("Revolute", name, part.name, corners[k], corners[k], axis)
            name = part.name
        self.tie("Revolute", name, first, corners[count], corners[count], axis, fixed=True)
        self.loops += 1

    # ── joints ──

    def geometry(self, kind: str) -> tuple[Array, Array, float, Array]:
        """Axis, second direction, size, and the vector from the first point to the second."""
        axis, other, size, gap = self.direction(), np.zeros(3), 0.0, np.zeros(3)
        match kind:
            case "Prismatic" | "Cylindrical" | "Screw" | "PointOnLine":
                gap = self.between(-0.2, 0.2) * axis
                size = self.between(-0.5, 0.5) if kind == "Screw" else 0.0
            case "Planar" | "PointOnPlane":
                gap = self.between(-0.3, 0.3) * self.across(axis)
            case "Rod":
                gap = self.step(0.2, 0.6)
            case "Universal":
                other = self.across(axis) + self.between(-0.3, 0.3) * axis
                other /= np.linalg.norm(other)
            case "RollingBall" | "RollingDisc":
                size = self.between(0.15, 0.4)
                height = size
                if kind == "RollingDisc":
                    lean = self.between(-0.7, 0.7)
                    other = np.cos(lean) * self.across(axis) + np.sin(lean) * axis
                    height = size * np.cos(lean)
                gap = height * axis + self.between(-0.3, 0.3) * self.across(axis)
        return axis, other, size, gap

    def tie(self, kind, a, b, at, to, axis, other=None, size=0.0, fixed=False) -> Tie:
        """A joint; if possible, sometimes with exchanged bodies, a spring or a damper."""
        other = np.zeros(3) if other is None else other
        if not fixed and kind in PLAIN and self.chance(0.3):
            a, b, at, to = b, a, to, at
            axis, other = (other, axis) if kind == "Universal" else (axis, other)
        tie = Tie(kind, f"j{len(self.ties)}", a, b, at, to, axis, other, size)
        if kind in AXIAL and not fixed:
            mass = self.parts[-1].mass * (1.0 if kind == "Prismatic" else 0.1)
            if self.chance(0.3):
                stiffness = mass * self.between(2.0, 10.0) ** 2
                tie = replace(tie, stiffness=stiffness, rest=self.between(-0.3, 0.3))
            if self.damped and self.chance(0.4):
                tie = replace(tie, damping=mass * self.between(0.2, 3.0))
        self.ties.append(tie)
        return tie

    def closed(self, told: Description) -> Description:
        """One more loop, if possible."""
        before = len(self.ties)
        way = self.rng.random()
        axial = [tie for tie in self.ties if tie.kind in AXIAL[:3]]
        if way < 0.2 and axial:
            self.twin(self.one_of(axial))
        elif way < 0.4 and len(axial) > 1:
            first, second = self.rng.choice(len(axial), 2, replace=False)
            pair = (axial[first].name, axial[second].name)
            ratio = self.between(0.3, 1.5) * self.one_of((-1.0, 1.0))
            self.ties.append(Tie("Coupling", f"j{before}", size=ratio, pair=pair))
        else:
            self.close()
        if len(self.ties) == before:
            return told
        new = replace(told, ties=tuple(self.ties))
        old_grip, new_grip = grip(told), grip(new)
        if new_grip.freedom < 1 or new_grip.least < WORSE * old_grip.least or not new_grip.clear:
            del self.ties[before:]
            self.left_out += 1
            return told
        self.loops += 1
        return new

    def close(self) -> None:
        """A joint between two existing bodies."""
        names = [part.name for part in self.solids()] + ([] if self.floating else [WORLD])
        if len(names) < 2:
            return
        i, j = self.rng.choice(len(names), 2, replace=False)
        a, b = names[i], names[j]
        if {a, b} in [{tie.a, tie.b} for tie in self.ties]:
            return
        middle = {part.name: part.center for part in self.parts}
        x = [middle.get(name, middle.get(b, middle.get(a))) for name in (a, b)]
        kind = self.one_of(LOOPS)
        if kind == "Rod":
            at, to = (place + self.step(0.05, 0.3) for place in x)
            axis, other, size = np.zeros(3), None, 0.0
        else:
            at = (x[0] + x[1]) / 2 + self.step(0.05, 0.3)
            axis, other, size, gap = self.geometry(kind)
            to = at + gap
        self.tie(kind, a, b, at, to, axis, other, size, fixed=True)

    def twin(self, tie: Tie) -> None:
        """A second joint whose constraints are redundant with the first."""
        shift = self.between(0.1, 0.4) * tie.axis
        kind = "Spherical" if tie.kind == "Revolute" and self.chance(0.3) else tie.kind
        self.tie(kind, tie.a, tie.b, tie.at + shift, tie.to + shift, tie.axis, fixed=True)

    # ── springs and dampers ──

    def pull(self) -> None:
        """A spring, a damper or both between two bodies."""
        names = [part.name for part in self.parts] + ([] if self.floating else [WORLD])
        if len(names) < 2:
            return
        i, j = self.rng.choice(len(names), 2, replace=False)
        part = {part.name: part for part in self.parts}
        ends = []
        for name in (names[i], names[j]):
            if name == WORLD:
                ends.append(1.5 * self.rng.normal(size=3))
            else:
                ends.append(part[name].center + (0.0 if name in self.thin else self.step(0.0, 0.3)))
        distance = float(np.linalg.norm(ends[1] - ends[0]))
        if distance < 0.3:
            return
        mass = min(part[name].mass for name in (names[i], names[j]) if name != WORLD)
        sprung = not self.damped or self.chance(0.7)
        stiffness = mass * self.between(2.0, 10.0) ** 2 if sprung else 0.0
        length = 0.0 if self.chance(0.1) else distance * self.between(0.6, 1.2)
        damping = mass * self.between(0.2, 3.0) if self.damped and (not sprung or self.chance(0.5)) else 0.0
        self.pulls.append(Pull(f"f{len(self.pulls)}", names[i], names[j], ends[0], ends[1], stiffness, length, damping))
