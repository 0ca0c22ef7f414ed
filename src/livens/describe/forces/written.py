"""Formulas of user-written energies V(q, t) and forces F(q, v, t), and their derivatives.

The function is called once, when the thing is made, with symbols x of the points and directions it uses. Its formula
runs inside the compiled loop (kernels/force_tapes.py) and is stored with the model: files hold the formula, not the
function. Formulas that differ in their numbers only have one shape, and a shape is differentiated once:

    value   V(x, t, c),      push   ∂V/∂t, −∂V/∂x   with c the numbers, and for a force   push   0, F(x, t, c).      (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...checks import Array
from ...errors import ModelError
from ...formula.formula import Flat, Formula, flatten
from ...formula.functions import casadi
from ..body_symbols import Wanted, moving, traced
from ..model import Body


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


def checked_formula(fn: Any, bodies: tuple[Body, ...], label: str, wanted: Wanted) -> Formula:
    """The formula of a function, or one that a file held, if it is what is wanted."""
    if not callable(fn):
        raise ModelError(f"{label} needs a function of its bodies, such as lambda b: …, not {fn!r}.")
    formula = fn if isinstance(fn, Formula) else traced(fn, bodies, label, wanted)
    if any(not 0 <= slot < len(moving(bodies)) for slot in formula.handles):
        raise ModelError(f"{label} has a formula of more bodies than it lists.")
    if formula.results != wanted.results or (formula.moving and wanted.still):
        raise ModelError(f"{label} must give {wanted.answer}, which its formula does not.")
    return formula
