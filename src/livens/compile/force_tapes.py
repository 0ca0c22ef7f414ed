"""User-written energies and forces compiled: one tape for each shape of formula, a table of its instances.

What an instance looks at and where it acts are points and directions from centres of mass in principal axes; an energy
acts on whatever it looks at. Constants that differentiating brought in are moved to registers of their own, so that
they are written once for all instances of a shape.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..checks import Array
from ..describe.body_symbols import moving
from ..describe.forces.energy import Energy
from ..describe.forces.force import Force
from ..describe.forces.written import Shape, derived
from ..describe.model import Body, Model
from ..formula.formula import Flat, Formula
from ..kernels import kinds, opcodes
from ..kernels.arrays import Formulas, Ints
from .bodies import Frames, stack
from .constraint_tapes import Places
from .signals import Signals

KINDS = {
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
    """A formula with what it looks at and where it acts: kinds, body numbers, places."""

    formula: Formula
    handles: list[tuple[int, int, Array]]
    acts: list[tuple[int, int, Array]]
    shape: Shape


def compile_formulas(model: Model, frames: Frames, signals: Signals) -> Formulas:
    """The user-written energies of a model, then its forces and torques."""
    energies, pushes = [], []
    for force in model.forces:
        if isinstance(force, Energy):
            handles = _handles(force.fn, moving(force.bodies), frames, Places(frames, force))
            energies.append(_Instance(force.fn, handles, handles, Shape.of(force.fn)))
        elif isinstance(force, Force):
            b = frames.number[force.point.body]
            acts = [(kinds.POINT, b, frames.local(force.point, force)), (kinds.ANGULAR_VELOCITY, b, np.zeros(3))]
            if force.torque is not None:
                frames.refuse_torque(force.point, force)
            for formula, act in zip(force.formulas, acts, strict=False):
                handles = _handles(formula, moving(force.bodies), frames, None)
                pushes.append(_Instance(formula, handles, [act], Shape.of(formula)))
    return _compiled(energies + pushes, signals) if energies or pushes else NO_FORMULAS


def _handles(
    formula: Formula, bodies: tuple[Body, ...], frames: Frames, places: Places | None
) -> list[tuple[int, int, Array]]:
    """What a formula looks at; where it acts on that, `places` refuses what has no inertia."""
    found = []
    for slot, kind, r in zip(formula.handles, formula.kinds, formula.places, strict=True):
        b = frames.number[bodies[slot]]
        if places is not None:
            at = places(bodies[slot], kind, r)
        else:
            at = frames.axes[b].T @ (r if kind == "direction" else r - frames.center[b])
        found.append((KINDS[kind], b, at))
    return found


def _compiled(instances: list[_Instance], signals: Signals) -> Formulas:
    groups: dict[Shape, list[_Instance]] = {}
    for instance in instances:
        groups.setdefault(instance.shape, []).append(instance)
    code, constant, tape, length, registers = [], [], [], 0, 1
    first = [(0, 0, 0, 0)]
    for shape, mine in groups.items():
        parts = derived(shape)
        begins = []
        for flat, results in ((parts.value, 1), (parts.push, 1 + 3 * len(mine[0].acts))):
            lines, numbers, constants, size = hoisted(flat, 3 * shape.handles + 1 + shape.numbers + results)
            begins += [length, length + constants]
            length += len(lines)
            code.append(lines)
            constant.append(numbers)
            registers = max(registers, size)
        acts = len(mine[0].acts)
        tape.append((*begins, length, shape.handles, shape.numbers, acts))
        n = len(mine)
        i, h, c, e = first[-1]
        first.append((i + n, h + n * shape.handles, c + n * shape.numbers, e + n * acts))
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
        energies=sum(shape.results == 1 for shape in groups),
        forces=sum(shape.results == 3 for shape in groups),
        registers=registers,
        clock=signals.clock if any(instance.formula.timed for instance in instances) else -1,
    )


def hoisted(flat: Flat, temporary: int) -> tuple[Ints, Array, int, int]:
    """The instructions of `flat` with its constants first, each in a register that nothing else writes; their numbers;
    how many constants there are; registers needed. Temporary registers begin at `temporary`."""
    constants: list[tuple[int, float]] = []
    where: dict[float, int] = {}  # a number → its register
    holds: dict[int, int] = {}  # a register that a constant was to be written to → where it stands
    lines = []
    for name, (o, i, j), number in zip(flat.operations, flat.registers.tolist(), flat.constants.tolist(), strict=True):
        if name != "CONST":
            lines.append((getattr(opcodes, name), o, holds.get(i, i), holds.get(j, j)))
            holds.pop(o, None)
        elif o < temporary:  # a result
            constants.append((o, number))
        else:
            if number not in where:
                where[number] = flat.size + len(where)
                constants.append((where[number], number))
            holds[o] = where[number]
    code: Any = [(opcodes.CONST, o, 0, 0) for o, _ in constants] + lines
    numbers = np.array([number for _, number in constants] + [0.0] * len(lines))
    return np.array(code, dtype=np.int64).reshape(-1, 4), numbers, len(constants), flat.size + len(where)
