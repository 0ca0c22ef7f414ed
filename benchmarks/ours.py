"""livens on the problems of the comparison, with the same interface as the other programs.

`run` starts from a compiled system in its consistent initial state, copies the state and steps to the end, as the other
programs do with a compiled model. `lv.simulate` compiles on every call; this time is measured separately (`whole`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np

import livens as lv
import livens.discrete as ld
from livens.compile.compiled import Compiled
from livens.kernels.arrays import State
from livens.kernels.status import OK
from livens.run.loop import Run, room, scratch_of
from livens.run.progress import Progress
from livens.step.runge_kutta import divide

from .peers import Entry
from .tasks import Task
from .tasks.general import General
from .tasks.mechanism import Mechanism, States

NAME = "livens"


def version() -> str:
    return lv.__version__


def model(m: Mechanism) -> lv.Model:
    """The mechanism as a livens model."""
    found = lv.Model(gravity=m.gravity)
    bodies = [
        found.add(
            lv.Body(
                lv.MassProperties(p.mass, p.inertia), at=p.at, rotation=p.rotation, velocity=p.velocity,
                angular_velocity=p.rates,
            )
        )
        for p in m.parts
    ]  # fmt: skip
    side = lambda body: found.world if body is None else bodies[body]  # noqa: E731
    for joint in m.joints:
        ends = side(joint.a).point_at(joint.at), bodies[joint.b].point_at(joint.at)
        if joint.kind == "ball":
            found.add(lv.Spherical(*ends))
        elif joint.kind == "universal":
            found.add(lv.Universal(*ends, axis_a=joint.axis, axis_b=joint.axis_b))
        elif joint.kind == "slide":
            found.add(lv.Prismatic(*ends, axis=joint.axis))
        elif joint.closes and m.planar:  # a hinge would add three redundant constraints in the plane
            found.add(lv.PointOnLine(*ends, axis=joint.axis))
        else:
            found.add(lv.Revolute(*ends, axis=joint.axis))
    for s in m.springs:
        found.add(
            lv.Spring(side(s.a).point_at(s.at_a), bodies[s.b].point_at(s.at_b), stiffness=s.stiffness, length=s.length)
        )
    for turn in m.turns:
        found.add(lv.Load(bodies[turn.body].center, torque=(0.0, 0.0, turn.torque)))
    return found


def started(model: lv.Model) -> Compiled:
    """The compiled model in its consistent initial state."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)  # loops have redundant constraints, which cause warnings
        return Compiled.of(model)


class Prepared:
    """A compiled model in its consistent initial state, with a scheme and a number of steps for `run`."""

    def __init__(self, model: lv.Model, scheme: Any, until: float, steps: int, begin: Compiled | None = None):
        self.model, self.scheme, self.until, self.steps = model, scheme, until, steps
        self.begin = begin or started(model)
        self.start = self.begin.state._replace(memory=np.zeros(scheme.memory(self.begin.system)))
        self.state = self.start
        self.seconds = 0.0  # of the last run, in the compiled loop

    def run(self) -> None:
        self.advance(self.steps)

    def advance(self, steps: int) -> None:
        """The run from the initial to the final state in that many steps."""
        state = State(*(x.copy() for x in self.start))
        record = room(state, steps, steps)
        run = Run(self.begin, self.scheme, self.until / steps, 0.0, steps, record)
        run.go(state, 0, steps, Progress("", steps, False))
        self.state, self.seconds = state, run.seconds

    def nanoseconds(self) -> float:
        """Time of one step in one run."""
        self.run()
        return self.seconds / self.steps * 1e9


class Runner(Prepared):
    """A problem of the comparison."""

    def end(self) -> States:
        return self.seen(self.state)

    def seen(self, s: State) -> States:
        """Positions, rotations and velocities of the bodies in a state."""
        bodies = self.begin.system.bodies
        B = s.B @ bodies.axes.transpose(0, 2, 1)
        v, w = s.p * bodies.inverse_mass[:, None], np.einsum("nij,nj->ni", bodies.axes, s.L * bodies.inverse_inertia)
        return States(*(x[None, 1:] for x in (s.a, B, v, w)))

    def states(self, samples: int) -> States:
        motion = simulate(self.model, self.scheme, self.until, self.steps, max(1, self.steps // samples))
        bodies = self.model.bodies[1:]
        get = lambda what: np.stack([what(body) for body in bodies], axis=1)  # noqa: E731
        return States(*(get(what) for what in (motion.position, motion.rotation, motion.velocity, motion.body_rates)))


class Divided(Runner):
    """A problem with a scheme that divides its steps: one step from the initial to the final state."""

    def __init__(self, model: lv.Model, scheme: Any, until: float, begin: Compiled):
        super().__init__(model, scheme, until, 1, begin)
        self.steps = sum(1 for _ in self.parts())

    def parts(self) -> Iterator[State]:
        """The state after each part of the step."""
        state = State(*(x.copy() for x in self.start))
        run = Run(self.begin, self.scheme, self.until, 0.0, 1, room(state, 1, 1))
        _, _, work = scratch_of(run.system, self.scheme, run.table.width)
        table, signals, length, left = self.scheme.table, run.signals(0, 0), np.zeros(1), self.until
        while left != 0.0:
            code, _, left = divide(run.system, state, work, self.until, left, table, signals, length)
            if code != OK:
                raise ValueError(f"{self.scheme!r} does not reach the end")
            yield State(*(x.copy() for x in state))

    def run(self) -> None:
        self.advance(1)

    def states(self, samples: int) -> States:
        """The states between the parts."""
        some = [self.seen(state) for state in (self.start, *self.parts())]
        return States(*(np.concatenate(each) for each in zip(*some, strict=True)))


def simulate(model: lv.Model, scheme: Any, until: float, steps: int, every: int) -> lv.Trajectory:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        return lv.simulate(model, scheme, h=until / steps, until=until, every=every, progress=False)


class Discrete:
    """A general system stepped by a scheme of `livens.discrete`; compiled once, by a first step."""

    def __init__(self, task: General, scheme: Any, steps: int, system: ld.Lagrangian):
        self.task, self.scheme, self.steps, self.system = task, scheme, steps, system
        self.call(task.until / steps, 1)
        self.y = np.array([[*task.q, *task.v]])

    def call(self, until: float, every: int) -> Any:
        h = self.task.until / self.steps
        return ld.simulate(self.system, self.scheme, self.task.q, self.task.v, h, until, every=every, progress=False)

    def run(self) -> None:
        found = self.call(self.task.until, self.steps)
        self.y = np.hstack([found.q, found.v])[-1:]

    def end(self) -> np.ndarray:
        return self.y

    def states(self, samples: int) -> np.ndarray:
        found = self.call(self.task.until, max(1, self.steps // samples))
        return np.hstack([found.q, found.v])


def lagrangian(task: General) -> ld.Lagrangian:
    """The system from its Lagrangian T − V, or from its masses and its potential."""
    if task.mass:
        return ld.Mechanical(list(task.mass), lambda q: task.energies(ld)(q, q)[1])

    def L(q: Any, v: Any) -> Any:
        T, V = task.energies(ld)(q, v)
        return T - V

    return ld.Lagrangian(L, n=len(task.q))


RIGID = (
    ("order 2", lv.Livens(2)),
    ("order 4", lv.Livens(4)),
    ("order 6", lv.Livens(6)),
    ("Runge–Kutta 8", lv.RungeKutta(8)),
    ("Newmark", lv.Newmark()),
)
DISCRETE = (
    ("trapezoidal", ld.Trapezoidal()),
    ("midpoint", ld.Midpoint()),
    ("Newmark", ld.Newmark()),
    ("Galerkin 4", ld.Galerkin(4)),
    ("Galerkin 6", ld.Galerkin(6)),
    ("Verlet, composed to 6", ld.compose(ld.Trapezoidal(), 6)),
)


def entries(task: Task | General) -> Iterator[Entry]:
    """Every order of the Livens scheme and Newmark; for general systems the schemes of `livens.discrete`."""
    if isinstance(task, General):
        system = lagrangian(task)
        for label, scheme in DISCRETE:
            yield Entry(NAME, label, lambda t, rung, s=scheme: Discrete(t, s, t.steps(rung), system))
    else:
        described = cache(lambda: model(task.mechanism))
        begin = cache(lambda: started(described()))
        for label, scheme in RIGID:

            def make(t: Task, rung: int, scheme: Any = scheme) -> Runner:
                return Runner(described(), scheme, t.until, t.steps(rung), begin())

            def whole(t: Task, rung: int, scheme: Any = scheme) -> Any:
                return partial(simulate, described(), scheme, t.until, t.steps(rung), t.steps(rung))

            yield Entry(NAME, label, make, whole)

        def divided(t: Task, rung: int) -> Divided:  # tolerances half a decade apart
            return Divided(described(), lv.RungeKutta(8, tolerance=10.0 ** (-2 - rung / 2)), t.until, begin())

        yield Entry(NAME, "Runge–Kutta 8, tolerance", divided)
