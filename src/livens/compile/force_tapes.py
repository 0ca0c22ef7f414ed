"""User-written energies and forces compiled: one tape for each structure of formula, a table of its instances.

An instance reads points and directions and acts on points and directions, from centres of mass in principal axes; an
energy acts on all that it reads. Constants that come from differentiation are moved to registers of their own, so that
they are written once for all instances of a structure.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..checks import Array
from ..describe.body import Body, without_world
from ..describe.formula_derivatives import FormulaStructure, derived
from ..describe.term import FormulaEnergy, FormulaForce
from ..formula.formula import Flat, Formula
from ..kernels import kinds
from ..kernels.arrays import Formulas, Ints
from .bodies import Frames, stack
from .constraint_tapes import OPCODES, Places
from .signals import Signals

HANDLE_NUMBERS = {
    "point": kinds.POINT,
    "direction": kinds.DIRECTION,
    "velocity": kinds.POINT_VELOCITY,
    "angular_velocity": kinds.ANGULAR_VELOCITY,
}


NO_FORMULAS = Formulas(
    code=np.zeros((0, 4), dtype=np.int64),
    constant=np.zeros(0),
    tape=np.zeros((0, 8), dtype=np.int64),
    first=np.zeros((1, 4), dtype=np.int64),
    handle=np.zeros((0, 2), dtype=np.int64),
    handle_point=np.zeros((0, 3)),
    number=np.zeros(0),
    target=np.zeros((0, 2), dtype=np.int64),
    target_point=np.zeros((0, 3)),
    energies=0,
    forces=0,
    registers=1,
    clock=-1,
)


class _Instance(NamedTuple):
    """A formula with the handles that it reads and those on which it acts: kinds, body numbers, coordinates."""

    formula: Formula
    handles: list[tuple[int, int, Array]]
    acts: list[tuple[int, int, Array]]
    structure: FormulaStructure


def compile_formulas(frames: Frames, signals: Signals) -> Formulas:
    """The user-written energies of a model, then its forces and torques."""
    energies, pushes = [], []
    for owner, energy in signals.terms.of(FormulaEnergy):
        handles = _handles(energy.formula, without_world(energy.bodies), frames, Places(frames, owner))
        energies.append(_Instance(energy.formula, handles, handles, FormulaStructure.of(energy.formula)))
    for owner, force in signals.terms.of(FormulaForce):
        b = frames.number[force.point.body]
        acts = [(kinds.POINT, b, frames.local(force.point, owner)), (kinds.ANGULAR_VELOCITY, b, np.zeros(3))]
        if force.torque is not None:
            frames.refuse_torque(force.point, owner, "leave its torque out")
        for formula, act in zip(force.formulas, acts, strict=False):
            handles = _handles(formula, without_world(force.bodies), frames, None)
            pushes.append(_Instance(formula, handles, [act], FormulaStructure.of(formula)))
    return _compiled(energies + pushes, signals)


def _handles(
    formula: Formula, bodies: tuple[Body, ...], frames: Frames, places: Places | None
) -> list[tuple[int, int, Array]]:
    """The handles that a formula reads; if it acts on them, `places` refuses bodies without inertia."""
    found = []
    for slot, kind, r in zip(formula.handles, formula.kinds, formula.places, strict=True):
        b = frames.number[bodies[slot]]
        if places is not None:
            at = places(bodies[slot], kind, r)
        else:
            at = frames.axes[b].T @ (r if kind == "direction" else r - frames.center[b])
        found.append((HANDLE_NUMBERS[kind], b, at))
    return found


def _compiled(instances: list[_Instance], signals: Signals) -> Formulas:
    groups: dict[FormulaStructure, list[_Instance]] = {}
    for instance in instances:
        groups.setdefault(instance.structure, []).append(instance)
    code, constant, tape, length, registers = [], [], [], 0, 1
    first = [(0, 0, 0, 0)]
    for structure, mine in groups.items():
        parts = derived(structure)
        begins = []
        for flat, results in ((parts.value, 1), (parts.push, 1 + 3 * len(mine[0].acts))):
            lines, numbers, constants, size = hoisted(flat, 3 * structure.handles + 1 + structure.numbers + results)
            begins += [length, length + constants]
            length += len(lines)
            code.append(lines)
            constant.append(numbers)
            registers = max(registers, size)
        acts = len(mine[0].acts)
        tape.append((*begins, length, structure.handles, structure.numbers, acts))
        n = len(mine)
        i, h, c, e = first[-1]
        first.append((i + n, h + n * structure.handles, c + n * structure.numbers, e + n * acts))
    every = [instance for mine in groups.values() for instance in mine]
    handles = [handle for instance in every for handle in instance.handles]
    acts_of = [act for instance in every for act in instance.acts]
    return Formulas(
        code=np.concatenate([np.zeros((0, 4), dtype=np.int64), *code]),
        constant=np.concatenate([np.zeros(0), *constant]),
        tape=np.array(tape, dtype=np.int64).reshape(-1, 8),
        first=np.array(first, dtype=np.int64),
        handle=np.array([(kind, b) for kind, b, _ in handles], dtype=np.int64).reshape(-1, 2),
        handle_point=stack([r for _, _, r in handles], (3,)),
        number=np.concatenate([np.zeros(0), *(instance.formula.numbers for instance in every)]),
        target=np.array([(kind, b) for kind, b, _ in acts_of], dtype=np.int64).reshape(-1, 2),
        target_point=stack([r for _, _, r in acts_of], (3,)),
        energies=sum(structure.results == 1 for structure in groups),
        forces=sum(structure.results == 3 for structure in groups),
        registers=registers,
        clock=signals.clock if any(instance.formula.varies for instance in instances) else -1,
    )


def hoisted(flat: Flat, temporary: int) -> tuple[Ints, Array, int, int]:
    """The instructions of `flat` with its constants first, each in a register of its own; their numbers; the number of
    constants; the number of registers. Temporary registers begin at `temporary`."""
    constants: list[tuple[int, float]] = []
    where: dict[float, int] = {}  # a number → its register
    moved: dict[int, int] = {}  # a register for a constant → the register that contains it
    lines = []
    for name, (o, i, j), number in zip(flat.operations, flat.registers.tolist(), flat.constants.tolist(), strict=True):
        if name != "CONST":
            lines.append((OPCODES[name], o, moved.get(i, i), moved.get(j, j)))
            moved.pop(o, None)
        elif o < temporary:  # a result
            constants.append((o, number))
        else:
            if number not in where:
                where[number] = flat.size + len(where)
                constants.append((where[number], number))
            moved[o] = where[number]
    code: Any = [(OPCODES["CONST"], o, 0, 0) for o, _ in constants] + lines
    numbers = np.array([number for _, number in constants] + [0.0] * len(lines))
    return np.array(code, dtype=np.int64).reshape(-1, 4), numbers, len(constants), flat.size + len(where)
