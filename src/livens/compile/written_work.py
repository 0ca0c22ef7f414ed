"""Scratch of user-written energies, rows and forces for the step that conserves energy, and their places in the matrix.

Rolling discs are rows of this kind, and rows without slip are forces (rolling_rows.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels.arrays import Formulas, Ints, System
from ..kernels.conserving.arrays import (
    DISPLACEMENT_PART,
    IN_SPACE,
    NOWHERE,
    QUADRATIC,
    RELATIVE,
    ROTATION_PART,
    Energies,
    Pushes,
)
from ..kernels.conserving.energies import push_of
from ..kernels.kinds import DIRECTION, POINT
from .newton_pattern import Unknowns


class Instance(NamedTuple):
    """An instance of a user-written formula: formula, first handle and target, the bodies that it touches, which of
    them carries each handle and each target, and the row that it is, or −1."""

    formula: int
    handle: int
    target: int
    touched: list[int]
    of_handles: list[int]
    of_targets: list[int]
    row: int


def parts_of_row(formulas: Formulas, instance: Instance, unknowns: Unknowns) -> dict[int, tuple[int, int]]:
    """The unknowns of the bodies on which a written row depends, with the number of the body and the part. Its handles
    are points and directions; a point that is not the centre depends on both parts."""
    found = {}
    for k, slot in enumerate(instance.of_handles):
        (kind, b), point = formulas.handle[instance.handle + k].tolist(), formulas.handle_point[instance.handle + k]
        turns = kind == DIRECTION or bool(point.any()) or formulas.forces > 0
        for part, depends in ((DISPLACEMENT_PART, kind == POINT), (ROTATION_PART, turns)):
            if b > 0 and depends:
                found[unknowns.part(b, part)] = (slot, part)
    return found


def instances_of(formulas: Formulas, forces: bool, rows: list[int] | None = None) -> list[Instance]:
    """The instances of all energies, or of all forces; `rows`: the row that each of them is."""
    found: list[Instance] = []
    groups = range(formulas.energies, formulas.energies + formulas.forces) if forces else range(formulas.energies)
    for k in groups:
        handles, acts = int(formulas.tape[k, 5]), int(formulas.tape[k, 7])
        for n in range(int(formulas.first[k + 1, 0] - formulas.first[k, 0])):
            h, e = int(formulas.first[k, 1]) + n * handles, int(formulas.first[k, 3]) + n * acts
            carriers = formulas.handle[h : h + handles, 1].tolist()
            acted = formulas.target[e : e + acts, 1].tolist()
            touched = sorted({*carriers, *acted})
            slots = [touched.index(b) for b in carriers], [touched.index(b) for b in acted]
            found.append(Instance(k, h, e, touched, *slots, -1 if rows is None else rows[len(found)]))
    return found


def _pair_places(instances: list[Instance], unknowns: Unknowns) -> tuple[Ints, Ints, Ints]:
    """Bodies of each instance, first of its places, and the places of the blocks of its bodies."""
    counts = [len(instance.touched) for instance in instances]
    nowhere = np.full((2, 2), NOWHERE)
    places = [
        unknowns.places(b, c) if b > 0 and c > 0 else nowhere
        for instance in instances
        for b in instance.touched
        for c in instance.touched
    ]
    return (
        np.array(counts, dtype=np.int64),
        np.concatenate([[0], np.cumsum(np.square(counts))])[:-1].astype(np.int64),
        np.array(places, dtype=np.int64).reshape(-1, 2, 2),
    )


def energies_work(system: System, formulas: Formulas, instances: list[Instance], unknowns: Unknowns) -> Energies:
    bodies = system.bodies
    counts, pair_first, pair = _pair_places(instances, unknowns)
    most = int(counts.max(initial=0))
    numbers = 3 * int(formulas.tape[: formulas.energies, 5].max(initial=0))
    slot = np.zeros(len(formulas.handle), dtype=np.int64)
    for instance in instances:
        slot[instance.handle : instance.handle + len(instance.of_handles)] = instance.of_handles
    forms = [_form(formulas, k) for k in range(formulas.energies)]
    turns = bodies.inverse_inertia > 0.0
    gyration = (np.where(turns, bodies.inertia, 0.0).max(axis=1)) * bodies.inverse_mass
    return Energies(
        row=np.array([instance.row for instance in instances], dtype=np.int64),
        factor=np.ones(len(instances)),
        line=np.full((len(instances), most, 2), -1, dtype=np.int64),
        bodies=counts,
        slot=slot,
        pair_first=pair_first,
        pair=pair,
        weight=np.array([max(gyration[instance.touched].max(), 1e-30) for instance in instances], dtype=np.float64),
        form=np.array([forms[instance.formula] for instance in instances], dtype=np.int64),
        V0=np.zeros(len(instances)),
        F0=np.zeros((len(formulas.handle), 3)),
        V1=np.zeros(len(instances)),
        F1=np.zeros((len(formulas.handle), 3)),
        y=np.zeros((6, numbers)),
        q=np.zeros((3, numbers)),
        wrench=np.zeros((most, 6)),
        covector=np.zeros((most, 6)),
        lever=np.zeros((numbers // 3, 3)),
        end=np.zeros((numbers // 3, 3)),
        frame=np.zeros(10),
        column=np.zeros(6 * most),
        K=np.zeros((6 * most, 6 * most)),
        d=np.zeros((formulas.registers, numbers)),
    )


def pushes_work(formulas: Formulas, instances: list[Instance], unknowns: Unknowns, registers: int) -> Pushes:
    counts, pair_first, pair = _pair_places(instances, unknowns)
    most = int(counts.max(initial=0))
    slot, target = np.zeros(len(formulas.handle), dtype=np.int64), np.zeros(len(formulas.target), dtype=np.int64)
    for instance in instances:
        slot[instance.handle : instance.handle + len(instance.of_handles)] = instance.of_handles
        target[instance.target : instance.target + len(instance.of_targets)] = instance.of_targets
    return Pushes(
        row=np.array([instance.row for instance in instances], dtype=np.int64),
        factor=np.ones(len(instances)),
        power=np.zeros(len(instances)),
        line=np.full((len(instances), most, 2), -1, dtype=np.int64),
        bodies=counts,
        slot=slot,
        target=target,
        pair_first=pair_first,
        pair=pair,
        push=np.zeros((2, 3 * int(formulas.tape[formulas.energies :, 7].max(initial=0)))),
        wrench=np.zeros((most, 6)),
        covector=np.zeros((most, 6)),
        d=np.zeros(registers),
    )


def _form(formulas: Formulas, k: int) -> int:
    """The form of energy k, found at random positions of several sizes, at random times: its forces are linear in its
    handles, or in equilibrium."""
    random = np.random.default_rng(0)
    handles, first = int(formulas.tape[k, 5]), int(formulas.first[k, 1])
    points = formulas.handle[first : first + handles, 0] == POINT
    w = np.zeros(4 * formulas.registers + 4)

    def forces(y: np.ndarray, t: float) -> np.ndarray:
        f = np.zeros(3 * handles)
        with np.errstate(all="ignore"):
            push_of(formulas, k, int(formulas.first[k, 2]), np.ascontiguousarray(y).ravel(), t, w, f)
        return f.reshape(-1, 3)

    seen, quadratic, relative = False, True, True
    for size in (1e-3, 0.03, 1.0, 30.0, 1e3):
        y, t = random.normal(size=(2, handles, 3)), float(random.uniform())
        y[:, points] *= size
        y[:, ~points] /= np.linalg.norm(y[:, ~points], axis=2, keepdims=True)
        F, other, mean = forces(y[0], t), forces(y[1], t), forces(0.5 * (y[0] + y[1]), t)
        if not np.isfinite([F, other, mean]).all():
            continue
        seen = True
        largest = np.abs([F, other]).max()
        quadratic = quadratic and bool(np.abs(mean - 0.5 * (F + other)).max() <= 1e-13 * largest)
        moments = np.cross(y[0], F)
        if np.abs(F[points].sum(axis=0)).max(initial=0.0) > 1e-9 * np.abs(F[points]).sum():
            relative = False
        if np.abs(moments.sum(axis=0)).max(initial=0.0) > 1e-9 * np.abs(moments).sum():
            relative = False
    if seen and quadratic:
        return QUADRATIC
    return RELATIVE if seen and relative else IN_SPACE
