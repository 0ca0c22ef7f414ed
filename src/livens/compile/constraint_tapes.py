"""User-written rows compiled: each equation becomes three tapes, for its value, its slope and its bend.

With v, ω the velocities of the bodies' centres and their body rates, Ḃ = B ω̂, and D the derivative along the motion,

    value  g,      slope  ∂g/∂t, ∂g/∂(a, B),      bend  D(D g)   at constant v and ω     (kernels/row_tapes.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import Array
from ..describe.joints.constraint import Equations
from ..describe.model import Body, Model, Point
from ..formula.formula import flatten
from ..formula.functions import casadi
from ..kernels import opcodes
from ..kernels.arrays import Ints, Tapes
from .bodies import Frames
from .rows import groups


def compile_tapes(model: Model, frames: Frames, clock: int, skip: frozenset[int]) -> Tapes:
    """The tapes of all TAPE rows, without the rows in `skip`; `clock` is the column of the time."""
    blocks = groups(model, skip)
    rows = [row for group in blocks for row in group.rows]
    owners = [group.owner for group in blocks for _ in group.rows]
    book = _Book()
    which = [r for r, row in enumerate(rows) if row.kind == "TAPE"]
    known: dict[int, Equations] = {}
    begin = np.zeros((len(which), 4), dtype=np.int64)
    body = np.zeros((len(which), 4), dtype=np.int64)
    for k, r in enumerate(which):
        owner = owners[r]
        if id(owner) not in known:
            known[id(owner)] = Equations(owner.fn, owner.moving, Places(frames, owner))
        begin[k] = book.write(functions(known[id(owner)], rows[r].component))
        body[k, : len(owner.moving)] = [frames.number[b] for b in owner.moving]
    return Tapes(
        code=np.concatenate([np.zeros((0, 4), dtype=np.int64), *book.code]),
        constant=np.concatenate([np.zeros(0), *book.constant]),
        begin=begin,
        row=np.array(which, dtype=np.int64),
        body=body,
        bodies=np.array([len(owners[r].moving) for r in which], dtype=np.int64),
        registers=book.registers,
        clock=clock if any(owners[r].timed for r in which) else -1,
    )


def functions(eq: Equations, k: int) -> list[Any]:
    """Value, slope and bend of equation k as CasADi functions of (a, B), t and (v, ω), in the layout of opcodes.py."""
    ca = casadi()
    g, n = eq.rows[k], len(eq.B)
    q = ca.vertcat(eq.q, ca.SX.sym("nobody", opcodes.TIME - 12 * n))
    u = ca.SX.sym("u", opcodes.RESULT - opcodes.VELOCITIES)
    dq = ca.vertcat(
        *(
            ca.vertcat(u[6 * s : 6 * s + 3], ca.reshape((eq.B[s] @ ca.skew(u[6 * s + 3 : 6 * s + 6])).T, 9, 1))
            for s in range(n)
        )
    )
    along = ca.jtimes(g, eq.q, dq) + ca.jacobian(g, eq.t)
    bend = ca.jtimes(along, eq.q, dq) + ca.jacobian(along, eq.t)
    slope = ca.vertcat(ca.jacobian(g, eq.t), ca.gradient(g, eq.q))
    inputs = [ca.vertcat(q, eq.t, u)]
    return [ca.Function("g", inputs, [expression]) for expression in (g, slope, bend)]


class Places:
    """Points and directions on which user-written `owner` acts, in principal axes, from the centre of mass; where a
    body has an axis without inertia, what could turn it about that is refused."""

    def __init__(self, frames: Frames, owner: Any):
        self.frames, self.owner = frames, owner

    def __call__(self, body: Body, kind: str, r: Array) -> Array:
        if kind == "point":
            return self.frames.local(Point(body, r), self.owner)
        u = self.frames.direction(body, r)
        without = self.frames.moments[self.frames.number[body]] == 0.0
        if without.all() or (without.any() and np.abs(u[~without]).max() > 1e-9 * np.abs(u).max()):
            self.frames.refuse_torque(body.center, self.owner)
        return np.where(without, u, 0.0) if without.any() else u


class _Book:
    """Tapes one after the other, equal ones once."""

    def __init__(self) -> None:
        self.code: list[Ints] = []
        self.constant: list[Array] = []
        self.length = 0
        self.registers = 1
        self.places: dict[bytes, list[int]] = {}

    def write(self, parts: list[Any]) -> list[int]:
        """Where the parts begin, and where the last ends."""
        flat = [flatten(part) for part in parts]
        code = [
            np.column_stack([np.array([getattr(opcodes, name) for name in f.operations], dtype=np.int64), f.registers])
            for f in flat
        ]
        key = b"|".join(x.tobytes() for c, f in zip(code, flat, strict=True) for x in (c, f.constants))
        if key not in self.places:
            self.places[key] = (self.length + np.cumsum([0, *(len(c) for c in code)])).tolist()
            self.code += code
            self.constant += [f.constants for f in flat]
            self.length = self.places[key][-1]
            self.registers = max(self.registers, *(f.size for f in flat))
        return self.places[key]
