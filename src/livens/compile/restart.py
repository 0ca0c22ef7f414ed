"""Models that differ from a compiled one in gravity and in the velocities of bodies at the start only.

Their arrays are those of the compiled model with another gravity g and other momenta, by (1) of system.py and (1) of
assembly.py. The factors of S are those of the compiled model, so that many models are projected in one call, and bits
are those of a model that is compiled by itself. This is possible where redundancy does not depend on velocities, which
is so without loops, and where no motion is prescribed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks import Array
from ..describe.body import Body, Point, is_shape
from ..describe.model import Model
from ..describe.pose import Pose
from ..describe.row import Coordinate
from ..describe.thing import Thing
from ..kernels.arrays import MU, State
from ..kernels.projection import project_rates
from .bodies import Frames, momenta, stack
from .compiled import Compiled, attributes
from .loops import loops
from .rows import PRECISION, Group
from .states import copied

FREE = frozenset(["velocity", "body_rates"])  # attributes of a body that may differ
PLAIN = frozenset([str, int, bool, type(None)])


class Restart:
    """A compiled model, and what its restarts share."""

    def __init__(self, compiled: Compiled):
        self.compiled, model, system = compiled, compiled.model, compiled.system
        self.things = {thing: k for k, thing in enumerate(model.things)}
        self.owners = [self.things.get(group.owner, -1) for group in compiled.groups]
        self.coordinates = [self._place(q) for q in compiled.coordinates]
        self.dials = [self._place(q) for q in compiled.dials]
        self.possible = not (
            compiled.left_out
            or len(system.tapes.row)
            or (system.rows.signal >= 0).any()
            or any(joint.start_rate is not None for joint in model.joints)
            or loops(system)
            or min([*self.owners, *(k for k, _ in (*self.coordinates, *self.dials))], default=0) < 0
        )
        if not self.possible:
            return
        self.frames = Frames(model)
        self.rotations = stack([body.pose.B for body in model.bodies[1:]], (3, 3))
        self.fit = compiled.assembly(copied(compiled.state))
        self.pivot = self.fit.factorise(shift=0.0, tiny=1e-13) if len(self.fit.hard) else np.zeros(0)

    def _place(self, q: Coordinate) -> tuple[int, int]:
        """The number of the joint of a coordinate among all things, and that of the coordinate in its joint."""
        return self.things.get(q.joint, -1), next((k for k, one in enumerate(q.joint.coordinates) if one is q), -1)

    def matches(self, model: Model) -> bool:
        """True if `model` differs in gravity and in velocities at the start only."""
        mine = self.compiled
        if not self.possible or not isinstance(model, Model):
            return False
        things = model.things
        if len(model.bodies) != len(mine.number) or len(things) != len(self.things):
            return False
        number = {body: k for k, body in enumerate(model.bodies)} | {thing: k for k, thing in enumerate(things)}
        compare = _Comparison(number, mine.number | self.things)
        described: list[Body | Thing] = [*model.bodies, *things]
        return all(
            compare.same(thing, before, FREE if isinstance(thing, Body) else frozenset())
            for thing, (_, before) in zip(described, mine.snapshot[1:], strict=True)
        )

    def compiled_for(self, models: Sequence[Model]) -> list[Compiled | None]:
        """The compiled forms of models that match; None for one whose velocities do not satisfy the joints."""
        mine, system, m = self.compiled, self.compiled.system, len(models)
        v = np.array([[body.velocity for body in model.bodies] for model in models])
        omega = np.array([[body.body_rates for body in model.bodies] for model in models])
        p, L = np.zeros_like(v), np.zeros_like(omega)
        p[:, 1:], L[:, 1:] = momenta(self.frames, self.rotations, v[:, 1:], omega[:, 1:])
        lam, satisfied = np.zeros((m, *mine.state.lam.shape)), np.ones(m, dtype=bool)
        if rows := len(self.fit.hard):
            before, g = self._fastest(p, L), np.zeros((m, rows))
            fit = self.fit
            project_rates(system, fit.work.G, fit.H, self.pivot, fit.work.partial, fit.signals, p, L, g)
            lam[:, MU] = -system.rows.rate * g
            off = (np.abs(np.where(fit.hard, g, 0.0)) * system.rows.weight * PRECISION).max(axis=1)
            rates = np.maximum(before, self._fastest(p, L))
            rest = np.array([fit.still(model.gravity) for model in models])
            satisfied = off <= np.maximum(1e-6 * rates, rest)
        return [self._made(models[k], p[k], L[k], lam[k]) if satisfied[k] else None for k in range(m)]

    def _fastest(self, p: Array, L: Array) -> Array:
        """`fastest` of system.py for each model."""
        bodies = self.compiled.system.bodies
        turns, moves = np.abs(L * bodies.inverse_inertia), np.abs(p * bodies.inverse_mass[:, None])
        return np.maximum(turns.max(axis=(1, 2)), moves.max(axis=(1, 2)) / self.fit.size)

    def _made(self, model: Model, p: Array, L: Array, lam: Array) -> Compiled:
        mine, things = self.compiled, model.things
        system = mine.system
        if system.gravity.tobytes() != model.gravity.tobytes():
            system = system._replace(gravity=model.gravity.copy())
        now = mine.state
        state = State(
            now.a, now.B, p, L, now.angle, lam, now.account, now.effort, now.half_turns, now.memory
        )  # fmt: skip
        return Compiled(
            model=model,
            system=system,
            full=system,
            state=state,
            groups=tuple(
                Group(things[k], rows, touched) for k, (_, rows, touched) in zip(self.owners, mine.groups, strict=True)
            ),
            coordinates=tuple(things[k].coordinates[j] for k, j in self.coordinates),
            dials=tuple(things[k].coordinates[j] for k, j in self.dials),
            compiled_signals=mine.compiled_signals,
            left_out=mine.left_out,
            adjustment=mine.adjustment,
            number={body: k for k, body in enumerate(model.bodies)},
            snapshot=tuple(attributes(model)),
        )


class _Comparison:
    """The attributes of things of two models, in which bodies and things have numbers."""

    def __init__(self, now: dict[Any, int], then: dict[Any, int]):
        self.now, self.then = now, then

    def same(self, thing: Body | Thing, before: dict[str, Any], free: frozenset[str]) -> bool:
        """True if the attributes of a thing are those of `before`, except those that are `free` to differ."""
        here = vars(thing)
        if len(here) != len(before):
            return False
        for name, value in here.items():
            if name not in free and not (name in before and self.equal(value, before[name])):
                return False
        return True

    def equal(self, one: Any, other: Any) -> bool:
        """True if two values are equal bit for bit."""
        kind = type(one)
        if kind is not type(other):
            return False
        if kind is np.ndarray:
            return one.shape == other.shape and one.tobytes() == other.tobytes()
        if kind is float:
            return bool(one == other) and (one != 0.0 or math.copysign(1.0, one) == math.copysign(1.0, other))
        if kind in PLAIN or one is other:
            return bool(one == other)
        if kind is Point:
            return self.now.get(one.body) == self.then.get(other.body) and one.r.tobytes() == other.r.tobytes()
        if kind is Pose:
            return one.a.tobytes() == other.a.tobytes() and one.B.tobytes() == other.B.tobytes()
        if kind is tuple or kind is list:
            return len(one) == len(other) and all(map(self.equal, one, other))
        if kind is Coordinate:
            return all(map(self.equal, vars(one).values(), vars(other).values()))
        if isinstance(one, Body | Thing):
            return one in self.now and self.now[one] == self.then.get(other)
        return self._same_matter(one, other)

    def _same_matter(self, one: Any, other: Any) -> bool:
        """True for shapes with the same mass properties; functions and formulas are never the same."""
        if not (is_shape(one) and is_shape(other)):
            return False
        a, b = one.mass_properties, other.mass_properties
        return all(self.equal(x, y) for x, y in ((a.mass, b.mass), (a.inertia, b.inertia), (a.center, b.center)))
