"""Formulas of user-written energies V(q, t) and forces F(q, v, t), and their derivatives.

The function is called once, when the thing is made, with symbols x of the points and directions it uses. Its formula
runs inside the compiled loop (kernels/force_tapes.py) and is stored with the model: files contain the formula, not the
function. Formulas that differ in their numbers only have one structure, and a structure is differentiated once:

    value   V(x, t, c),      push   ∂V/∂t, −∂V/∂x   with c the numbers, and for a force   push   0, F(x, t, c).      (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..checks import Array
from ..errors import ModelError
from ..formula.formula import Flat, Formula, flatten
from ..formula.functions import casadi
from .body import Body, without_world
from .body_symbols import Expected, traced


class FormulaStructure(NamedTuple):
    """A formula without its numbers."""

    handles: int
    numbers: int
    operations: tuple[str, ...]
    registers: bytes
    results: int

    @classmethod
    def of(cls, formula: Formula) -> FormulaStructure:
        handles, numbers = len(formula.handles), formula.operations.count("CONST")
        return cls(handles, numbers, tuple(formula.operations), formula.registers.tobytes(), formula.results)


class Derived(NamedTuple):
    """The two parts of (1) as instructions, and both as a CasADi function of one column (x, t, c)."""

    value: Flat
    push: Flat
    function: Any


@lru_cache(maxsize=1024)
def derived(structure: FormulaStructure) -> Derived:
    """The parts of (1) for a structure: an energy has one result, a force three."""
    ca = casadi()
    lines = np.frombuffer(structure.registers, dtype=np.int64).reshape(-1, 3)
    n = structure.handles
    bare = Formula(
        [0] * n, ["point"] * n, np.zeros((n, 3)), structure.operations, lines, np.zeros(len(lines)), structure.results
    )
    x, t, c = ca.SX.sym("x", 3 * n), ca.SX.sym("t"), ca.SX.sym("c", structure.numbers)
    columns = [x[3 * k : 3 * k + 3] for k in range(n)]
    results = ca.vertcat(*bare(columns, t, [c[k] for k in range(structure.numbers)]))
    energy = structure.results == 1
    push = ca.vertcat(ca.jacobian(results, t), ca.gradient(-results, x)) if energy else ca.vertcat(0, results)
    inputs, value = [ca.vertcat(x, t, c)], ca.cse(results if energy else ca.SX(1, 1))
    push = ca.cse(push)
    flat_value, flat_push = (flatten(ca.Function("f", inputs, [part])) for part in (value, push))
    return Derived(flat_value, flat_push, ca.Function("f", inputs, [value, push]))


class Motion(NamedTuple):
    """Position and velocity of a body frame at k moments."""

    a: Array  # (k, 3)
    B: Array  # (k, 3, 3)
    velocity: Array  # (k, 3)
    omega: Array  # body axes (k, 3)

    def sees(self, kind: str, r: Array) -> Array:
        """The value of a handle of this kind, in world axes (k, 3)."""
        if kind == "point":
            return self.a + self.B @ r
        if kind == "direction":
            return self.B @ r
        turning = self.omega if kind == "angular_velocity" else np.cross(self.omega, r)
        turned: Array = (self.B @ turning[:, :, None])[:, :, 0]
        return turned if kind == "angular_velocity" else self.velocity + turned


def evaluated(formula: Formula, motions: Sequence[Motion], t: Array) -> tuple[Array, Array]:
    """Value (k,) and push (k, 1 + 3 handles) of (1) for these motions of its bodies, at the times t (k,)."""
    every = zip(formula.handles, formula.kinds, formula.places, strict=True)
    x = [motions[slot].sees(kind, r) for slot, kind, r in every]
    rows = np.concatenate([*x, t[:, None], np.tile(formula.numbers, (len(t), 1))], axis=1)
    value, push = derived(FormulaStructure.of(formula)).function(rows.T)
    return np.array(value)[0], np.array(push).T


def at_start(formula: Formula, bodies: Sequence[Body]) -> tuple[float, Array]:
    """The same for the initial motion of its bodies, at t = 0."""
    motions = [
        Motion(body.pose.a[None], body.pose.B[None], body.velocity[None], body.body_rates[None])
        for body in without_world(bodies)
    ]
    value, push = evaluated(formula, motions, np.zeros(1))
    return float(value[0]), push[0]


def checked_formula(fn: Any, bodies: tuple[Body, ...], label: str, expected: Expected) -> Formula:
    """The formula of a function, or a formula from a file, checked against what is expected."""
    if not callable(fn):
        raise ModelError(f"{label} needs a function of its bodies, such as lambda b: …, not {fn!r}.")
    formula = fn if isinstance(fn, Formula) else traced(fn, bodies, label, expected)
    if any(not 0 <= slot < len(without_world(bodies)) for slot in formula.handles):
        raise ModelError(f"{label} has a formula of more bodies than it lists.")
    if formula.results != expected.results or (formula.velocity_dependent and expected.no_velocity):
        raise ModelError(f"{label} must give {expected.answer}, which its formula does not.")
    return formula
