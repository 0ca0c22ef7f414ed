"""User-written rows as energies −g of handles, for the step that conserves energy.

The tapes of a row (kernels/row_tapes.py) give g and its gradient in the poses (a, B) of its bodies. The centre of mass
of a body and its principal axes are handles, if the row depends on them; the tapes are the same instructions on other
registers, those of a formula (kernels/force_tapes.py), with the opposite sign of g. RIM rows are formulas of the same
kind (rolling_rows.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels import opcodes
from ..kernels.arrays import Formulas, Ints, Rows, Tapes
from ..kernels.kinds import DIRECTION, POINT
from .constraint_tapes import OPCODES
from .rolling_rows import Rims

COMPONENTS = 12  # of a pose: the centre, then B row by row
UNUSED = -1
TWO_OPERANDS = "ADD SUB MUL DIV POW CONSTPOW ATAN2 COPYSIGN FMOD REMAINDER FMIN FMAX HYPOT LT LE EQ NE AND OR"
WITH_TWO = [OPCODES[name] for name in (*TWO_OPERANDS.split(), "IF_ELSE_ZERO")]


class WrittenRows(NamedTuple):
    """The formulas of all user-written rows and RIM rows, and which of the rows is each of their instances."""

    formulas: Formulas
    row: list[int]


def written_rows(tapes: Tapes, rows: Rows) -> WrittenRows:
    """The user-written rows and RIM rows of a system as formulas; rows with the same tape are instances of one."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for k in range(len(tapes.row)):
        groups.setdefault((*tapes.begin[k].tolist(), int(tapes.bodies[k])), []).append(k)
    code: list[Ints] = []
    constant, tape, handle, point, row = [], [], [], [], []
    first, length, registers = [(0, 0, 0, 0)], 0, 1
    for (begin, middle, end, _, bodies), mine in groups.items():
        used = _used(tapes, begin, middle, end, bodies)
        handles = sorted({_handle(c) for c in used})
        parts = _on_handles(tapes, begin, middle, end, bodies, {at: k for k, at in enumerate(handles)})
        code += [lines for lines, _ in parts]
        constant += [numbers for _, numbers in parts]
        begins = [length, length, length + len(parts[0][0]), length + len(parts[0][0])]
        length = begins[-1] + len(parts[1][0])
        tape.append((*begins, length, len(handles), 0, len(handles)))
        registers = max(registers, *(int(lines.max(initial=0)) + 1 for lines, _ in parts))
        i, h, *_ = first[-1]
        first.append((i + len(mine), h + len(mine) * len(handles), 0, h + len(mine) * len(handles)))
        for k in mine:
            row.append(int(tapes.row[k]))
            for s, axis in handles:
                handle.append((POINT if axis < 0 else DIRECTION, int(tapes.body[k, s])))
                point.append(np.zeros(3) if axis < 0 else np.eye(3)[axis])
    rims = Rims(rows)
    if rims.rows:
        code, constant = [*code, rims.code], [*constant, np.ones(len(rims.code))]
        value, end = length + rims.value, length + len(rims.code)
        tape.append((length, length, value, value, end, 4, 1, 4))
        registers = max(registers, rims.registers)
        i, h, *_ = first[-1]
        n = len(rims.rows)
        first.append((i + n, h + 4 * n, n, h + 4 * n))
        row += rims.rows
        handle += [(kind, b) for kind, b, _ in rims.handles]
        point += [x for _, _, x in rims.handles]
    handles_of_all = np.array(handle, dtype=np.int64).reshape(-1, 2)
    points_of_all = np.array(point, dtype=np.float64).reshape(-1, 3)
    made = Formulas(
        code=np.concatenate([np.zeros((0, 4), dtype=np.int64), *code]),
        constant=np.concatenate([np.zeros(0), *constant]),
        tape=np.array(tape, dtype=np.int64).reshape(-1, 8),
        first=np.array(first, dtype=np.int64),
        handle=handles_of_all,
        handle_point=points_of_all,
        number=np.array(rims.numbers, dtype=np.float64),
        target=handles_of_all,
        target_point=points_of_all,
        energies=len(tape),
        forces=0,
        registers=registers,
        clock=tapes.clock,
    )
    return WrittenRows(made, row)


def _handle(component: int) -> tuple[int, int]:
    """The body and the axis of the handle to which a component of the poses belongs; axis −1 is the centre."""
    s, c = divmod(component, COMPONENTS)
    return s, (-1 if c < 3 else (c - 3) % 3)


def _inside(component: int) -> int:
    """Which number of its handle it is."""
    c = component % COMPONENTS
    return c if c < 3 else (c - 3) // 3


def _used(tapes: Tapes, begin: int, middle: int, end: int, bodies: int) -> list[int]:
    """The components of the poses that the instructions read, or with respect to which there is a derivative."""
    found = set()
    for op, _, i, j in tapes.code[begin:end].tolist():
        operands = () if op == opcodes.CONST else ((i, j) if op in WITH_TWO else (i,))
        found |= {x for x in operands if x < COMPONENTS * bodies}
    of_gradient = tapes.code[middle:end, 1] - opcodes.RESULT - 1
    found |= {c for c in of_gradient.tolist() if 0 <= c < COMPONENTS * bodies}
    return sorted(found)


def _on_handles(
    tapes: Tapes, begin: int, middle: int, end: int, bodies: int, handles: dict[tuple[int, int], int]
) -> list[tuple[Ints, np.ndarray]]:
    """The instructions of −g, and of ∂g/∂t and its gradient, on the registers of a formula with these handles."""
    n = len(handles)
    result = 3 * n + 1
    parts = []
    for first, last, results in ((begin, middle, 1), (middle, end, 1 + COMPONENTS * bodies)):
        place = np.full(int(tapes.code[first:last, 1:].max(initial=opcodes.RESULT)) + 1, UNUSED, dtype=np.int64)
        for c in range(COMPONENTS * bodies):
            if _handle(c) in handles:
                number = 3 * handles[_handle(c)] + _inside(c)
                place[c] = number
                if opcodes.RESULT + 1 + c < len(place) and results > 1:
                    place[opcodes.RESULT + 1 + c] = result + 1 + number
        place[opcodes.TIME], place[opcodes.RESULT] = 3 * n, result
        temporary = np.arange(opcodes.RESULT + results, len(place))
        place[temporary] = result + 1 + 3 * n + np.arange(len(temporary))
        lines = tapes.code[first:last].copy()
        lines[:, 1:] = place[lines[:, 1:]]
        lines[:, 2:] = np.where(lines[:, 2:] == UNUSED, 0, lines[:, 2:])  # an operand that the operation has not
        numbers = tapes.constant[first:last]
        if results == 1:
            lines = np.concatenate([lines, [[opcodes.NEG, result, result, 0]]])
            numbers = np.append(numbers, 0.0)
        parts.append((lines, numbers))
    return parts
