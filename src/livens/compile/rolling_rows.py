"""Rolling discs and rows without slip as formulas, for the step that conserves energy.

A row without slip is a force F at a point x_c, of the second body on the first, and the power of the unit force is its
equation. Its handles y and targets are

    ROLL  F = t,  x_c = x_j + ρ,  ρ = −R (n − s W)/√(1 − s²),  s = n·W         a_j, x_j, a_i, R t, n, W
    EDGE  F = W,  x_c = x_j                                                    a_j, x_j, a_i, W                      (1)
    forces  F, (x_c − a_j) × F on the second body, −F, −(x_c − a_i) × F on the first

(kernels/row_kinds). A RIM is an energy −g = R √(1 − s²) − n·(x_j − x_i) of x_i, x_j, n and W, like a user-written row.
"""

from __future__ import annotations

import numpy as np

from ..checks import Array
from ..kernels import opcodes
from ..kernels.arrays import Formulas, Ints, Rows
from ..kernels.kinds import ANGULAR_VELOCITY, DIRECTION, EDGE, POINT, RIM, ROLL

CENTER = np.zeros(3)
Vector = tuple[int, int, int]


class _Tape:
    """Instructions of a formula with handles, numbers and results; registers as in kernels/force_tapes.py."""

    def __init__(self, handles: int, numbers: int, acts: int):
        self.handles, self.numbers, self.acts = handles, numbers, acts
        self.result = 3 * handles + 1 + numbers
        self.size = self.result + 1 + 3 * acts
        self.lines: list[tuple[int, int, int, int]] = []

    def handle(self, k: int) -> Vector:
        return 3 * k, 3 * k + 1, 3 * k + 2

    def number(self, k: int) -> int:
        return 3 * self.handles + 1 + k

    def op(self, code: int, x: int, y: int = 0) -> int:
        self.lines.append((code, self.size, x, y))
        self.size += 1
        return self.size - 1

    def dot(self, u: Vector, w: Vector) -> int:
        x, y, z = (self.op(opcodes.MUL, p, q) for p, q in zip(u, w, strict=True))
        return self.op(opcodes.ADD, self.op(opcodes.ADD, x, y), z)

    def times(self, c: int, u: Vector) -> Vector:
        x, y, z = (self.op(opcodes.MUL, c, p) for p in u)
        return x, y, z

    def over(self, u: Vector, c: int) -> Vector:
        x, y, z = (self.op(opcodes.DIV, p, c) for p in u)
        return x, y, z

    def plus(self, u: Vector, w: Vector) -> Vector:
        x, y, z = (self.op(opcodes.ADD, p, q) for p, q in zip(u, w, strict=True))
        return x, y, z

    def minus(self, u: Vector, w: Vector) -> Vector:
        x, y, z = (self.op(opcodes.SUB, p, q) for p, q in zip(u, w, strict=True))
        return x, y, z

    def opposite(self, u: Vector) -> Vector:
        x, y, z = (self.op(opcodes.NEG, p) for p in u)
        return x, y, z

    def cross(self, u: Vector, w: Vector) -> Vector:
        pairs = ((1, 2), (2, 0), (0, 1))
        x, y, z = (
            self.op(opcodes.SUB, self.op(opcodes.MUL, u[i], w[j]), self.op(opcodes.MUL, u[j], w[i])) for i, j in pairs
        )
        return x, y, z

    def flatness(self, s: int) -> int:
        """√(1 − s²)."""
        square = self.op(opcodes.SQ, s)
        one = self.op(opcodes.CONST, 0)
        return self.op(opcodes.SQRT, self.op(opcodes.SUB, one, square))

    def put(self, k: int, u: Vector) -> None:
        """The force on target k."""
        for i, p in enumerate(u):
            self.lines.append((opcodes.ASSIGN, self.result + 1 + 3 * k + i, p, 0))

    def put_value(self, x: int) -> None:
        self.lines.append((opcodes.ASSIGN, self.result, x, 0))


def rolling_formulas(rows: Rows) -> tuple[Formulas, list[int]]:
    """The forces of all ROLL and EDGE rows, and which of the rows is each of their instances."""
    groups = [(_roll(), np.flatnonzero(rows.kind == ROLL)), (_edge(), np.flatnonzero(rows.kind == EDGE))]
    handle, number, target = [], [], []
    for tape, mine in groups:
        for r in mine.tolist():
            (i, j), (t, x), (n, W) = rows.body[r].tolist(), rows.point[r], rows.direction[r]
            handle += [(POINT, j, CENTER), (POINT, j, x), (POINT, i, CENTER)]
            handle += [(DIRECTION, i, t), (DIRECTION, i, n)] if tape.numbers else []
            handle.append((DIRECTION, j, W))
            number += [float(rows.value[r])] * tape.numbers
            target += [(POINT, j), (ANGULAR_VELOCITY, j), (POINT, i), (ANGULAR_VELOCITY, i)]
    code = np.array([line for tape, _ in groups for line in tape.lines], dtype=np.int64).reshape(-1, 4)
    begin = np.cumsum([0, *(len(tape.lines) for tape, _ in groups)]).tolist()
    counts = np.array([len(mine) for _, mine in groups])
    of_each = np.array([(1, tape.handles, tape.numbers, tape.acts) for tape, _ in groups])
    first = np.concatenate([np.zeros((1, 4), dtype=np.int64), np.cumsum(counts[:, None] * of_each, axis=0)])
    made = Formulas(
        code=code,
        constant=np.ones(len(code)),
        tape=np.array(
            [(b, b, b, b, e, *numbers[1:]) for b, e, numbers in zip(begin, begin[1:], of_each.tolist(), strict=False)],
            dtype=np.int64,
        ),
        first=first.astype(np.int64),
        handle=np.array([(kind, b) for kind, b, _ in handle], dtype=np.int64).reshape(-1, 2),
        handle_point=_points([x for _, _, x in handle]),
        number=np.array(number, dtype=np.float64),
        target=np.array(target, dtype=np.int64).reshape(-1, 2),
        target_point=np.zeros((len(target), 3)),
        energies=0,
        forces=len(groups),
        registers=max(tape.size for tape, _ in groups),
        clock=-1,
    )
    return made, [int(r) for _, mine in groups for r in mine]


def _points(points: list[Array]) -> Array:
    return np.array(points, dtype=np.float64).reshape(-1, 3)


def _roll() -> _Tape:
    tape = _Tape(handles=6, numbers=1, acts=4)
    center, x, other, t, n, W = (tape.handle(k) for k in range(6))
    s = tape.dot(n, W)
    down = tape.over(tape.minus(n, tape.times(s, W)), tape.flatness(s))
    contact = tape.minus(x, tape.times(tape.number(0), down))
    return _pushed(tape, center, other, tape.over(t, tape.number(0)), contact)


def _edge() -> _Tape:
    tape = _Tape(handles=4, numbers=0, acts=4)
    center, x, other, W = (tape.handle(k) for k in range(4))
    return _pushed(tape, center, other, W, x)


def _pushed(tape: _Tape, center: Vector, other: Vector, F: Vector, contact: Vector) -> _Tape:
    """The forces of (1)."""
    tape.put(0, F)
    tape.put(1, tape.cross(tape.minus(contact, center), F))
    tape.put(2, tape.opposite(F))
    tape.put(3, tape.cross(F, tape.minus(contact, other)))
    return tape


class Rims:
    """The formula of all RIM rows, as energies −g."""

    def __init__(self, rows: Rows):
        tape = _Tape(handles=4, numbers=1, acts=4)
        xi, xj, n, W = (tape.handle(k) for k in range(4))
        R, d, s = tape.number(0), tape.minus(xj, xi), tape.dot(n, W)
        flat = tape.flatness(s)
        tape.put_value(tape.op(opcodes.SUB, tape.op(opcodes.MUL, R, flat), tape.dot(n, d)))
        self.value = len(tape.lines)
        flat = tape.flatness(s := tape.dot(n, W))
        d, c = tape.minus(xj, xi), tape.op(opcodes.DIV, tape.op(opcodes.MUL, R, s), flat)
        tape.put(0, tape.opposite(n))
        tape.put(1, n)
        tape.put(2, tape.plus(d, tape.times(c, W)))
        tape.put(3, tape.times(c, n))
        self.code: Ints = np.array(tape.lines, dtype=np.int64)
        self.registers = tape.size
        self.rows = np.flatnonzero(rows.kind == RIM).tolist()
        self.numbers = [float(rows.value[r]) for r in self.rows]
        self.handles: list[tuple[int, int, Array]] = []
        for r in self.rows:
            (i, j), (x, y), (u, w) = rows.body[r].tolist(), rows.point[r], rows.direction[r]
            self.handles += [(POINT, i, x), (POINT, j, y), (DIRECTION, i, u), (DIRECTION, j, w)]
