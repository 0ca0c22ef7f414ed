"""Energies V(q, t) and forces F(q, v, t) that users write, and what their formulas become when they are differentiated.

The function is called once, when the thing is made, with symbols x of the points and directions it asks for; what it
computes runs inside the compiled loop (kernels/formulas.py), and is stored with the model: files hold the formula, not
the function. Formulas that differ in their numbers only have one shape, and a shape is differentiated once:

    value   V(x, t, c),      push   ∂V/∂t, −∂V/∂x   with c the numbers, and for a force   push   0, F(x, t, c).      (1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .checks import Array
from .errors import ModelError
from .model import Body, Point
from .symbolic import Flat, Formula, Wanted, _line, casadi, flatten, listed, moving, traced

ENERGY = Wanted(
    "one number [J], an expression such as 0.5*k*lv.dot(d, d)",
    results=1,
    still="an energy is one of places, directions and time: write what depends on velocity as an lv.Force",
)
FORCE = Wanted("three numbers [N], such as −c*b[body].velocity((0, 0, 0))", results=3, still="")
TORQUE = Wanted("three numbers [N m], such as −c*b[body].angular_velocity", results=3, still="")


class Shape(NamedTuple):
    """A formula without its numbers."""

    handles: int
    numbers: int
    operations: tuple[str, ...]
    registers: bytes
    results: int

    @classmethod
    def of(cls, formula: Formula) -> Shape:
        handles, numbers = len(formula.handles), formula.operations.count("CONST")
        return cls(handles, numbers, tuple(formula.operations), formula.registers.tobytes(), formula.results)


class Derived(NamedTuple):
    """The two parts of (1) as instructions, and both as a CasADi function of one column (x, t, c)."""

    value: Flat
    push: Flat
    function: Any


@lru_cache(maxsize=1024)
def derived(shape: Shape) -> Derived:
    """What (1) makes of a shape: an energy has one result, a force three."""
    ca = casadi()
    lines = np.frombuffer(shape.registers, dtype=np.int64).reshape(-1, 3)
    bare = Formula(
        [0] * shape.handles, ["point"] * shape.handles, np.zeros((shape.handles, 3)), shape.operations, lines,
        np.zeros(len(lines)), shape.results,
    )  # fmt: skip
    x, t, c = ca.SX.sym("x", 3 * shape.handles), ca.SX.sym("t"), ca.SX.sym("c", shape.numbers)
    columns = [x[3 * k : 3 * k + 3] for k in range(shape.handles)]
    results = ca.vertcat(*bare(columns, t, [c[k] for k in range(shape.numbers)]))
    energy = shape.results == 1
    push = ca.vertcat(ca.jacobian(results, t), ca.gradient(-results, x)) if energy else ca.vertcat(0, results)
    inputs, value = [ca.vertcat(x, t, c)], ca.cse(results if energy else ca.SX(1, 1))
    push = ca.cse(push)
    flat_value, flat_push = (flatten(ca.Function("f", inputs, [part])) for part in (value, push))
    return Derived(flat_value, flat_push, ca.Function("f", inputs, [value, push]))


class Motion(NamedTuple):
    """Where a body frame is and how it moves."""

    a: Array
    B: Array
    velocity: Array
    omega: Array  # body axes

    def sees(self, kind: str, r: Array) -> Array:
        """What a handle is there, in world axes."""
        match kind:
            case "point":
                return self.a + self.B @ r
            case "direction":
                return self.B @ r
            case "velocity":
                return self.velocity + self.B @ np.cross(self.omega, r)
        return self.B @ self.omega


def evaluated(formula: Formula, motions: Sequence[Motion], t: float = 0.0) -> tuple[float, Array]:
    """Value and push (1) of a formula where its bodies move so."""
    every = zip(formula.handles, formula.kinds, formula.places, strict=True)
    x = [motions[slot].sees(kind, r) for slot, kind, r in every]
    value, push = derived(Shape.of(formula)).function(np.concatenate([*x, [t], formula.numbers]))
    return float(value), np.array(push).ravel()


def at_start(formula: Formula, bodies: Sequence[Body]) -> tuple[float, Array]:
    """The same where its bodies begin, at t = 0."""
    motions = [Motion(body.pose.a, body.pose.B, body.velocity, body.body_rates) for body in moving(bodies)]
    return evaluated(formula, motions)


class Energy:
    """A potential energy V [J], written as a function of places and directions of any number of bodies, and of time.

    fn(b) or fn(b, t) gets symbols: `b[body].point(r)` and `b[body].direction(u)` in world axes (r, u in the body
    frame), `b[body].position`, `b[body].rotation`, and the time t [s]; it gives one number [J]. Use `lv.dot`,
    `lv.norm`, `lv.sin`, … on them. Forces and torques are its exact gradients, and it is part of `motion.potential`;
    one that depends on time does work, ∂V/∂t. Needs the extra `symbolic`.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> ball = m.add(lv.Body(lv.PointMass(2.0), at=(1, 0, 0), name="ball"))
    >>> well = m.add(lv.Energy(lambda b: 0.25 * lv.norm(b[ball].position) ** 4, bodies=[ball], name="well"))
    >>> lv.dynamics(m).acceleration(ball)[0].tolist()
    [-0.5, 0.0, 0.0]
    >>> motion = lv.simulate(m, lv.Livens(order=4), h=1e-2, until=10.0)
    >>> bool(abs(motion.energy - 0.25).max() < 1e-9)
    True
    """

    kind = "force"

    def __init__(self, fn: Callable[..., Any] | Formula, bodies: Sequence[Body], name: str = ""):
        label = f"Energy {name!r}" if name else "an Energy"
        self.name, self.bodies = name, listed(bodies, label)
        if not moving(self.bodies):
            raise ModelError(f"{label} acts on the world alone, which does not move.")
        self.fn = _formula(fn, self.bodies, label, ENERGY)
        value, push = at_start(self.fn, self.bodies)
        if not np.isfinite(value):
            raise ModelError(f"{label} is {value} J at the start{_line(fn, None)}: it must be finite where it begins.")
        if not np.isfinite(push).all():
            raise ModelError(
                f"{label} has no finite gradient at the start{_line(fn, None)}, as a norm or square root of zero has "
                "none: write it without the root, or begin elsewhere."
            )

    @property
    def formulas(self) -> list[Formula]:
        """The one it has."""
        return [self.fn]

    @property
    def timed(self) -> bool:
        """True if it depends on time."""
        return self.fn.timed

    @property
    def points(self) -> tuple[Point, ...]:
        """The origins of its bodies."""
        return tuple(Point(body, np.zeros(3)) for body in self.bodies)

    def __repr__(self) -> str:
        return f"Energy({self.name!r})"


class Force:
    """A force F(q, v, t) [N] at a point, and a torque [N m] on its body, in world axes, written as functions.

    fn(b) or fn(b, t), and torque, get symbols as those of `lv.Energy` do, and velocities: `b[body].velocity(r)` of the
    body-fixed point r [m/s] and `b[body].angular_velocity` [rad/s], both in world axes; each gives three numbers.
    bodies: those whose symbols they use; None means the body of the point alone. A force has no potential: it does
    work. One that depends on velocity runs at order 2; one so stiff that h c/m nears 1, c = |∂F/∂v| [N s/m], belongs in
    an `lv.Damper`. Needs the extra `symbolic`.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, mass=2.0), name="ball"))
    >>> drag = m.add(lv.Force(ball.center, lambda b: -0.5 * b[ball].velocity((0, 0, 0)), name="drag"))
    >>> motion = lv.simulate(m, h=1e-2, until=40.0)
    >>> motion.velocity(ball)[-1].round(2).tolist()
    [0.0, 0.0, -39.24]
    """

    kind = "force"

    def __init__(
        self,
        point: Point,
        fn: Callable[..., Any] | Formula,
        bodies: Sequence[Body] | None = None,
        torque: Callable[..., Any] | Formula | None = None,
        name: str = "",
    ):
        label = f"Force {name!r}" if name else "a Force"
        if not isinstance(point, Point):
            raise ModelError(f"{label} acts at a point such as body.point(0, 0, 0), not {point!r}.")
        if point.body.name == "world":
            raise ModelError(f"{label} acts on the world, which does not move.")
        self.point, self.name = point, name
        self.bodies = listed([point.body] if bodies is None else bodies, label)
        self.fn = _formula(fn, self.bodies, label, FORCE)
        self.torque = None if torque is None else _formula(torque, self.bodies, f"torque of {label}", TORQUE)
        for formula, given in ((self.fn, fn), (self.torque, torque)):
            if formula is not None and not np.isfinite(at_start(formula, self.bodies)[1]).all():
                raise ModelError(f"{label} is not finite at the start{_line(given, None)}.")

    @property
    def formulas(self) -> list[Formula]:
        """That of the force, and that of the torque if there is one."""
        return [self.fn] if self.torque is None else [self.fn, self.torque]

    @property
    def timed(self) -> bool:
        """True if it depends on time."""
        return any(formula.timed for formula in self.formulas)

    @property
    def moving(self) -> bool:
        """True if it depends on velocity."""
        return any(formula.moving for formula in self.formulas)

    @property
    def points(self) -> tuple[Point, ...]:
        """Its point, and the origins of its bodies."""
        return (self.point, *(Point(body, np.zeros(3)) for body in self.bodies))

    def __repr__(self) -> str:
        return f"Force({self.name!r})"


def _formula(fn: Any, bodies: tuple[Body, ...], label: str, wanted: Wanted) -> Formula:
    """The formula of a function, or one that a file held, if it is what is wanted."""
    if not callable(fn):
        raise ModelError(f"{label} needs a function of its bodies, such as lambda b: …, not {fn!r}.")
    formula = fn if isinstance(fn, Formula) else traced(fn, bodies, label, wanted)
    if any(not 0 <= slot < len(moving(bodies)) for slot in formula.handles):
        raise ModelError(f"{label} has a formula of more bodies than it lists.")
    if formula.results != wanted.results or (formula.moving and wanted.still):
        raise ModelError(f"{label} must give {wanted.answer}, which its formula does not.")
    return formula


def wrenches(thing: Energy | Force, count: int = 12) -> tuple[Array, Array, float]:
    """The total force F and the total torque M about the world's origin at states chosen at random, in parts of the
    largest force and of that times a length: (k, 3), (k, 3), and the length. Where nothing is finite, anything goes."""
    rng = np.random.default_rng(1)
    bodies = moving(thing.bodies)
    if isinstance(thing, Force) and not any(body is thing.point.body for body in bodies):
        bodies = (*bodies, thing.point.body)
    places = [body.pose.a for body in bodies] + [r for formula in thing.formulas for r in formula.places]
    length = float(np.abs(places).max(initial=0.0)) or 1.0
    table = []
    for _ in range(4 * count):
        motions = [
            Motion(
                a=body.pose.a + length * rng.normal(size=3), B=_turned(rng),
                velocity=length * rng.normal(size=3), omega=rng.normal(size=3),
            )
            for body in bodies
        ]  # fmt: skip
        F, M = _exerted(thing, bodies, motions, float(rng.uniform(0.0, 10.0)))
        row = [F.sum(axis=0), M.sum(axis=0), np.abs(F).max(axis=0), np.abs(M).max(axis=0)]
        if np.isfinite(row).all() and len(table) < count:
            table.append(row)
    F, M, f, m = np.swapaxes(table, 0, 1) if table else rng.normal(size=(4, count, 3))
    size = max(float(np.abs(f).max()), float(np.abs(m).max()) / length) or 1.0
    return F / size, M / (size * length), length


def _exerted(thing: Energy | Force, bodies: Sequence[Body], motions: list[Motion], t: float) -> tuple[Array, Array]:
    """The forces that a thing exerts and their torques about the origin, one row each."""
    push = [evaluated(formula, motions, t)[1][1:].reshape(-1, 3) for formula in thing.formulas]
    if isinstance(thing, Force):
        at = motions[[body is thing.point.body for body in bodies].index(True)].sees("point", thing.point.r)
        return push[0], np.concatenate([np.cross(at, push[0]), *push[1:]])
    every = zip(thing.fn.handles, thing.fn.kinds, thing.fn.places, push[0], strict=True)
    torques = [np.cross(motions[slot].sees(kind, r), force) for slot, kind, r, force in every]
    return push[0] * [[kind == "point"] for kind in thing.fn.kinds], np.array(torques)


def _turned(rng: np.random.Generator) -> Array:
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.linalg.det(Q)
