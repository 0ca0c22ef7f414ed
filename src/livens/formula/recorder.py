"""The recorder of functions of time: arithmetic on its registers is written down as a tape (kernels/tape.py).

A register behaves like a number: `x * y` appends the instruction MUL and returns a new register. Equal instructions are
written once, arithmetic on plain numbers is done at once, and what no result depends on is left out at the end.
Register 0 holds the time, the next ones the results.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..kernels import opcodes

Value = Any  # a Register, or a number
TIME = -1  # the key of the time among values that are recorded; values count from 0


class Tape(NamedTuple):
    """A recorded function of time: results as registers 1 to `results` from the time in register 0."""

    code: NDArray[np.int64]  # operation, register of the result, registers of the operands (instructions, 4)
    constant: Array  # the numbers of CONST (instructions,)
    results: int
    registers: int


class Recorder:
    """The instructions so far: each is an operation, its operands and, for CONST, a number."""

    def __init__(self) -> None:
        self.instructions: list[tuple[int, int, int, float]] = []
        self.known: dict[tuple[int, int, int, Any], int] = {}

    @property
    def time(self) -> Register:
        """t itself."""
        return Register(self, TIME)

    def place(self, op: int, i: int = TIME, j: int = TIME, number: float = 0.0) -> int:
        """The number of the instruction `op` on the values i and j, which is appended if it is new."""
        key = (op, i, j, np.float64(number).tobytes())  # bitwise: −0 is not 0, NaN is NaN
        if key not in self.known:
            self.known[key] = len(self.instructions)
            self.instructions.append((op, i, j, number))
        return self.known[key]

    def index(self, x: Value) -> int:
        """The place of a register, or of a number that is put into one."""
        return x.place if isinstance(x, Register) else self.place(opcodes.CONST, number=float(x))

    def tape(self, results: list[Value]) -> Tape:
        """The instructions that the results need, in order; the last ones copy the results to their registers."""
        wanted = [self.index(x) for x in results]
        needed, stack = set[int](), [k for k in wanted if k != TIME]
        while stack:
            k = stack.pop()
            if k not in needed:
                needed.add(k)
                stack.extend(n for n in self.instructions[k][1:3] if n != TIME)
        order = sorted(needed)
        register = {TIME: 0, **{k: 1 + len(results) + n for n, k in enumerate(order)}}
        rows = [(op, register[k], register[i], register[j]) for k in order for op, i, j, _ in [self.instructions[k]]]
        rows += [(opcodes.ASSIGN, 1 + n, register[k], 0) for n, k in enumerate(wanted)]
        constant = [self.instructions[k][3] for k in order] + [0.0] * len(wanted)
        return Tape(
            np.array(rows, dtype=np.int64).reshape(-1, 4),
            np.array(constant),
            len(results),
            1 + len(results) + len(order),
        )


class Register:
    """A value that is known when the tape runs."""

    __array_ufunc__ = None  # numbers of NumPy leave the arithmetic to this class

    def __init__(self, recorder: Recorder, place: int):
        self.recorder, self.place = recorder, place

    def apply(self, op: int, other: Value = None, swapped: bool = False) -> Register:
        """The operation `op` on this value, and on another one after it (or before it)."""
        i = self.place
        j = TIME if other is None else self.recorder.index(other)
        return Register(self.recorder, self.recorder.place(op, *((j, i) if swapped else (i, j))))

    def __add__(self, other: Value) -> Register:
        return self.apply(opcodes.ADD, other)

    def __sub__(self, other: Value) -> Register:
        return self.apply(opcodes.SUB, other)

    def __mul__(self, other: Value) -> Register:
        return self.apply(opcodes.MUL, other)

    def __truediv__(self, other: Value) -> Register:
        return self.apply(opcodes.DIV, other)

    def __radd__(self, other: Value) -> Register:
        return self.apply(opcodes.ADD, other, swapped=True)

    def __rsub__(self, other: Value) -> Register:
        return self.apply(opcodes.SUB, other, swapped=True)

    def __rmul__(self, other: Value) -> Register:
        return self.apply(opcodes.MUL, other, swapped=True)

    def __rtruediv__(self, other: Value) -> Register:
        return self.apply(opcodes.DIV, other, swapped=True)

    def __neg__(self) -> Register:
        return self.apply(opcodes.NEG)


UFUNCS = {
    opcodes.SIN: np.sin, opcodes.COS: np.cos, opcodes.TAN: np.tan, opcodes.ASIN: np.arcsin, opcodes.ACOS: np.arccos,
    opcodes.ATAN: np.arctan, opcodes.ATAN2: np.arctan2, opcodes.SINH: np.sinh, opcodes.COSH: np.cosh,
    opcodes.TANH: np.tanh, opcodes.SQRT: np.sqrt, opcodes.EXP: np.exp, opcodes.LOG: np.log, opcodes.FABS: np.fabs,
    opcodes.SIGN: np.sign, opcodes.FLOOR: np.floor, opcodes.CEIL: np.ceil, opcodes.FMIN: np.fmin,
    opcodes.FMAX: np.fmax, opcodes.POW: np.power, opcodes.SQ: np.square, opcodes.LT: np.less,
    opcodes.LE: np.less_equal, opcodes.EQ: np.equal, opcodes.NE: np.not_equal,
}  # fmt: skip


def applied(op: int, *x: Value) -> Value:
    """An operation of opcodes.py on registers and numbers: recorded, or computed at once if there are only numbers."""
    register = next((y for y in x if isinstance(y, Register)), None)
    if register is None:
        return np.float64(UFUNCS[op](*x))
    if isinstance(x[0], Register):
        return x[0].apply(op, *x[1:])
    return register.apply(op, x[0], swapped=True)


def selected(condition: Value, x: Value) -> Value:
    """x where the condition is not 0, otherwise 0."""
    if not isinstance(condition, Register):
        return x if condition else np.float64(0.0)
    return condition.apply(opcodes.IF_ELSE_ZERO, x)
