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

from ...checks import Array
from ...errors import ModelError
from ...formula.formula import Flat, Formula, Wanted, casadi, flatten, listed, moving, traced
from ...formula.trace import line_of
from ..model import Body, Point

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
    """Where a body frame is and how it moves, at k moments."""

    a: Array  # (k, 3)
    B: Array  # (k, 3, 3)
    velocity: Array  # (k, 3)
    omega: Array  # body axes (k, 3)

    def sees(self, kind: str, r: Array) -> Array:
        """What a handle is there, in world axes (k, 3)."""
        if kind == "point":
            return self.a + self.B @ r
        if kind == "direction":
            return self.B @ r
        turning = self.omega if kind == "angular_velocity" else np.cross(self.omega, r)
        turned: Array = (self.B @ turning[:, :, None])[:, :, 0]
        return turned if kind == "angular_velocity" else self.velocity + turned


def evaluated(formula: Formula, motions: Sequence[Motion], t: Array) -> tuple[Array, Array]:
    """Value (k,) and push (k, 1 + 3 handles) of (1) where its bodies move so, at the times t (k,)."""
    every = zip(formula.handles, formula.kinds, formula.places, strict=True)
    x = [motions[slot].sees(kind, r) for slot, kind, r in every]
    rows = np.concatenate([*x, t[:, None], np.tile(formula.numbers, (len(t), 1))], axis=1)
    value, push = derived(Shape.of(formula)).function(rows.T)
    return np.array(value)[0], np.array(push).T


def at_start(formula: Formula, bodies: Sequence[Body]) -> tuple[float, Array]:
    """The same where its bodies begin, at t = 0."""
    motions = [
        Motion(body.pose.a[None], body.pose.B[None], body.velocity[None], body.body_rates[None])
        for body in moving(bodies)
    ]
    value, push = evaluated(formula, motions, np.zeros(1))
    return float(value[0]), push[0]


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
            raise ModelError(f"{label} is {value} J at the start{line_of(fn)}: it must be finite where it begins.")
        if not np.isfinite(push).all():
            raise ModelError(
                f"{label} has no finite gradient at the start{line_of(fn)}, as a norm or square root of zero has "
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
                raise ModelError(f"{label} is not finite at the start{line_of(given)}.")

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
