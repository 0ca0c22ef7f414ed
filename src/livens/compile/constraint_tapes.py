"""User-written rows compiled: each equation becomes three tapes, for its value, its gradient and its bias term.

With v, ω the velocities of the bodies' centres and their body rates, Ḃ = B ω̂, and D the derivative along the motion,

    value  g,      gradient  ∂g/∂t, ∂g/∂(a, B),      bias  D(D g)   at constant v and ω     (kernels/row_tapes.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks import Array
from ..describe.body import Body, Point
from ..describe.formula_rows import PoseEquations
from ..describe.thing import Thing
from ..formula.formula import Formula, flatten, with_numbers
from ..formula.functions import casadi
from ..kernels import opcodes
from ..kernels.arrays import Ints, Tapes
from .bodies import Frames
from .rows import Group

OPCODES: dict[str, int] = {name: number for name, number in vars(opcodes).items() if name.isupper()}


def compile_tapes(blocks: list[Group], frames: Frames, clock: int) -> Tapes:
    """The tapes of all TAPE rows of `blocks`; `clock` is the column of the time."""
    rows = [row for group in blocks for row in group.rows]
    owners = [group.owner for group in blocks for _ in group.rows]
    book = _Book()
    which = [r for r, row in enumerate(rows) if row.kind == "TAPE"]
    known: dict[tuple[int, int], PoseEquations] = {}
    written: dict[
        tuple[object, ...], list[int]
    ] = {}  # equal formulas at equal places, as along a beam, are derived once
    begin = np.zeros((len(which), 4), dtype=np.int64)
    body = np.zeros((len(which), 4), dtype=np.int64)
    varies = False
    for k, r in enumerate(which):
        formula, bodies = rows[r].formula, rows[r].bodies
        assert formula is not None
        places = Places(frames, owners[r])
        key = id(owners[r]), id(formula)
        same = (rows[r].component, *_content(formula), *_placed(formula, bodies, places))
        if formula.own_numbers:  # they may differ between models of one structure
            same = (*same, key)
        if same not in written:
            if key not in known:
                known[key] = PoseEquations(formula, bodies, places)
            written[same] = book.write(functions(known[key], rows[r].component), known[key].numbers)
        begin[k] = written[same]
        body[k, : len(bodies)] = [frames.number[b] for b in bodies]
        varies = varies or formula.varies
    return Tapes(
        code=np.concatenate([np.zeros((0, 4), dtype=np.int64), *book.code]),
        constant=np.concatenate([np.zeros(0), *book.constant]),
        begin=begin,
        row=np.array(which, dtype=np.int64),
        body=body,
        bodies=np.array([len(rows[r].bodies) for r in which], dtype=np.int64),
        registers=book.registers,
        clock=clock if varies else -1,
    )


def _content(formula: Formula) -> tuple[object, ...]:
    """What two formulas that compute the same have in common."""
    numbers = (formula.registers.tobytes(), formula.constants.tobytes())
    return (*numbers, tuple(formula.operations), tuple(formula.handles), tuple(formula.kinds), formula.results)


def _placed(formula: Formula, bodies: Sequence[Body], place: Places) -> list[bytes]:
    """The coordinates of its points and directions."""
    handles = zip(formula.handles, formula.kinds, formula.places, strict=True)
    return [np.asarray(place(bodies[slot], kind, r)).tobytes() for slot, kind, r in handles]


def functions(eq: PoseEquations, k: int) -> list[Any]:
    """Value, gradient and bias term of equation k as CasADi functions of (a, B), t, (v, ω), in the order of opcodes,
    and of the numbers with names."""
    ca = casadi()
    g, n = eq.rows[k], len(eq.B)
    q = ca.vertcat(eq.q, ca.SX.sym("unused", opcodes.TIME - 12 * n))
    u = ca.SX.sym("u", opcodes.RESULT - opcodes.VELOCITIES)
    dq = ca.vertcat(
        *(
            ca.vertcat(u[6 * s : 6 * s + 3], ca.reshape((eq.B[s] @ ca.skew(u[6 * s + 3 : 6 * s + 6])).T, 9, 1))
            for s in range(n)
        )
    )
    along = ca.jtimes(g, eq.q, dq) + ca.jacobian(g, eq.t)
    bias = ca.jtimes(along, eq.q, dq) + ca.jacobian(along, eq.t)
    gradient = ca.vertcat(ca.jacobian(g, eq.t), ca.gradient(g, eq.q))
    inputs = [ca.vertcat(q, eq.t, u), eq.c]
    return [ca.Function("g", inputs, [expression]) for expression in (g, gradient, bias)]


class Places:
    """Points and directions on which the user-written `owner` acts, in principal axes, from the centre of mass. An
    `owner` that could turn a body about an axis without inertia is refused."""

    def __init__(self, frames: Frames, owner: Thing):
        self.frames, self.owner = frames, owner

    def __call__(self, body: Body, kind: str, r: Array) -> Array:
        if kind == "point":
            return self.frames.local(Point(body, r), self.owner)
        u = self.frames.direction(body, r)
        without = self.frames.moments[self.frames.number[body]] == 0.0
        if without.all() or (without.any() and np.abs(u[~without]).max() > 1e-9 * np.abs(u).max()):
            remedy = "write it with points of the body that stay where they are as it turns"
            self.frames.refuse_torque(body.center, self.owner, remedy)
        return np.where(without, u, 0.0) if without.any() else u


class _Book:
    """All tapes in one array, equal ones once."""

    def __init__(self) -> None:
        self.code: list[Ints] = []
        self.constant: list[Array] = []
        self.length = 0
        self.registers = 1
        self.places: dict[bytes, list[int]] = {}

    def write(self, parts: list[Any], numbers: Array) -> list[int]:
        """The first instructions of the parts with the numbers with names, and the end of the last."""
        flat = [with_numbers(flatten(part), opcodes.RESULT, numbers.tolist()) for part in parts]
        code = [
            np.column_stack([np.array([OPCODES[name] for name in f.operations], dtype=np.int64), f.registers])
            for f in flat
        ]
        key = b"|".join(x.tobytes() for c, f in zip(code, flat, strict=True) for x in (c, f.constants))
        if len(numbers):
            key = str(self.length).encode()  # by itself
        if key not in self.places:
            self.places[key] = (self.length + np.cumsum([0, *(len(c) for c in code)])).tolist()
            self.code += code
            self.constant += [f.constants for f in flat]
            self.length = self.places[key][-1]
            self.registers = max(self.registers, *(f.size for f in flat))
        return self.places[key]
