"""Measures and the pattern of Newton's matrix for the step that conserves energy (kernels/conserving/arrays.py)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..kernels.arrays import Blocks, System, Work
from ..kernels.conserving.arrays import (
    ALONG_AXIS,
    ATTRACTION_LAW,
    COORDINATE_LAW,
    HINGE_ANGLE,
    LENGTH,
    NO_LAW,
    NOWHERE,
    PRODUCT,
    PROJECTION,
    ROTATION_ANGLE,
    ROTATION_PART,
    SPRING_LAW,
    SQUARE,
    STEP_TURN,
    ConservingWork,
    Measures,
    Pattern,
    Trial,
)
from ..kernels.kinds import (
    COINCIDE,
    COUPLE,
    DISPLACEMENT,
    DISTANCE,
    DOT1,
    DOT2,
    EDGE,
    RIM,
    ROLL,
    ROTATION,
    SPAN,
    TAPE,
)
from .newton_pattern import PART, PARTS, Unknowns
from .ordering import NODE_ROWS
from .rolling_rows import rolling_formulas
from .written_rows import written_rows
from .written_work import energies_work, instances_of, parts_of_row, pushes_work

ROW_MEASURES = {COINCIDE: ALONG_AXIS, DOT1: PRODUCT, DOT2: PROJECTION, DISTANCE: SQUARE, SPAN: LENGTH}


class _List:
    """Measures that are collected one after the other."""

    def __init__(self) -> None:
        self.kind: list[int] = []
        self.body: list[tuple[int, int]] = []
        self.point: list[np.ndarray] = []
        self.direction: list[np.ndarray] = []
        self.axis: list[int] = []
        self.length: list[float] = []
        self.law: list[tuple[int, int]] = []

    def add(
        self,
        kind: int,
        body: Sequence[int],
        point: np.ndarray,
        direction: np.ndarray,
        axis: int = 0,
        length: float = 1.0,
        law: tuple[int, int] = (NO_LAW, 0),
    ) -> int:
        self.kind.append(kind)
        self.body.append((int(body[0]), int(body[1])))
        self.point.append(point)
        self.direction.append(direction)
        self.axis.append(axis)
        self.length.append(length)
        self.law.append(law)
        return len(self.kind) - 1


def conserving_work(system: System, work: Work) -> ConservingWork:
    """Measures, pattern and scratch of a system."""
    made, row_measure, ratio = _measures(system)
    written, (rolling, rolling_row) = written_rows(system.tapes, system.rows), rolling_formulas(system.rows)
    energies, pushes = instances_of(system.formulas, False), instances_of(system.formulas, True)
    rows_written = instances_of(written.formulas, False, written.row)
    rows_rolling = instances_of(rolling, True, rolling_row)
    m, n, r = len(made.kind), len(system.bodies.mass), len(system.rows.kind)
    sizes = np.diff(system.blocks.row).astype(np.intp)  # 32 bits in the browser
    block_of = np.repeat(np.arange(len(sizes)), sizes).tolist()
    unknowns = Unknowns(n, sizes.tolist())
    _couple(unknowns, system, made, row_measure, block_of)
    for instance in (*energies, *pushes, *rows_written, *rows_rolling):
        unknowns.couple(unknowns.parts(*instance.touched))
    for formulas, some in ((written.formulas, rows_written), (rolling, rows_rolling)):
        for instance in some:
            for unknown in parts_of_row(formulas, instance, unknowns):
                unknowns.couple([unknown, unknowns.rows(block_of[instance.row])])
    values = unknowns.eliminate()
    measures = Measures(
        kind=np.array(made.kind, dtype=np.int64),
        body=np.array(made.body, dtype=np.int64).reshape(-1, 2),
        point=np.array(made.point, dtype=np.float64).reshape(-1, 2, 3),
        direction=np.array(made.direction, dtype=np.float64).reshape(-1, 3, 3),
        axis=np.array(made.axis, dtype=np.int64),
        length=np.array(made.length, dtype=np.float64),
        points=_points(made),
        law=np.array(made.law, dtype=np.int64).reshape(-1, 2),
        pair=_pairs(unknowns, made),
    )
    row, row_diagonal, line = np.zeros(r, int), np.zeros(r, int), np.full((r, 2, 2, 2), -1)
    for k in range(r):
        rows, inside = unknowns.rows(block_of[k]), k - int(system.blocks.row[block_of[k]])
        row[k] = unknowns.first(rows) + inside
        row_diagonal[k] = unknowns.place(rows, rows) + inside * (sizes[block_of[k]] + 1)
        for slot, one in enumerate(row_measure[k]):
            for side, b in enumerate(made.body[one] if one >= 0 else ()):
                for part in _parts(made.kind[one]) if b > 0 else ():
                    line[k, slot, side, part] = unknowns.place(rows, unknowns.part(b, part)) + PART * inside
    pattern = Pattern(
        blocks=unknowns.blocks,
        body=np.array([0] + [unknowns.first(unknowns.part(b, 0)) for b in range(1, n)], dtype=np.int64),
        block=np.array([np.full((2, 2), NOWHERE), *(unknowns.places(b, b) for b in range(1, n))], dtype=np.int64),
        row=row.astype(np.int64),
        row_diagonal=row_diagonal.astype(np.int64),
        row_measure=np.array(row_measure, dtype=np.int64).reshape(-1, 2),
        ratio=np.array(ratio, dtype=np.float64).reshape(-1, 2),
        line=line.astype(np.int64),
    )
    registers = max(len(work.registers), 4 * written.formulas.registers, rolling.registers)
    trial = _trial(m, unknowns.blocks, values, r, len(work.S), len(work.G), registers)
    for begin in np.flatnonzero(measures.points).tolist():
        for axis in range(3):
            trial.D[begin + axis, :, axis] = trial.N[begin + axis, :, axis] = -1.0, 1.0
    of_rows = energies_work(system, written.formulas, rows_written, unknowns)
    of_rolling = pushes_work(rolling, rows_rolling, unknowns, registers)
    for formulas, some, line in (
        (written.formulas, rows_written, of_rows.line),
        (rolling, rows_rolling, of_rolling.line),
    ):
        for k, instance in enumerate(some):
            block = block_of[instance.row]
            rows, inside = unknowns.rows(block), instance.row - int(system.blocks.row[block])
            for unknown, (s, part) in parts_of_row(formulas, instance, unknowns).items():
                line[k, s, part] = unknowns.place(rows, unknown) + PART * inside
    return ConservingWork(
        work,
        measures,
        pattern,
        trial,
        energies_work(system, system.formulas, energies, unknowns),
        pushes_work(system.formulas, pushes, unknowns, registers),
        written.formulas,
        of_rows,
        rolling,
        of_rolling,
    )


def _parts(kind: int) -> tuple[int, ...]:
    """The parts of its bodies on which a measure depends."""
    return (ROTATION_PART,) if kind in (PRODUCT, HINGE_ANGLE, ROTATION_ANGLE, STEP_TURN) else PARTS


def _couple(
    unknowns: Unknowns,
    system: System,
    made: _List,
    row_measure: list[list[int]],
    block_of: list[int],
) -> None:
    """Which unknowns occur in one equation: those of rows and their bodies, and of two bodies with a force that depends
    on both."""
    for k, measures in enumerate(row_measure):
        for one in measures:
            for b in made.body[one] if one >= 0 else ():
                for part in _parts(made.kind[one]) if b > 0 else ():
                    unknowns.couple([unknowns.part(b, part), unknowns.rows(block_of[k])])
    for kind, bodies in zip(made.kind, made.body, strict=True):
        if kind != ALONG_AXIS:  # its force depends on its multiplier only
            unknowns.couple(unknowns.part(b, part) for b in bodies if b > 0 for part in _parts(kind))
    for b, follows in zip(system.loads.body.tolist(), system.loads.follows.tolist(), strict=True):
        if follows:
            unknowns.couple(unknowns.parts(b))


def _pairs(unknowns: Unknowns, made: _List) -> np.ndarray:
    """Places of the blocks of the two bodies of each measure."""
    pair = np.full((len(made.kind), 2, 2, 2), NOWHERE)
    for k, (kind, (i, j)) in enumerate(zip(made.kind, made.body, strict=True)):
        if i > 0 and j > 0 and i != j and kind != ALONG_AXIS:
            needed = np.array([[s in _parts(kind) and t in _parts(kind) for t in PARTS] for s in PARTS])
            pair[k, 0] = np.where(needed, unknowns.places(i, j), NOWHERE)
            pair[k, 1] = np.where(needed, unknowns.places(j, i), NOWHERE)
    return pair.astype(np.int64)


def _trial(m: int, blocks: Blocks, values: int, r: int, of_rows: int, entries: int, registers: int) -> Trial:
    unknowns = int(blocks.row[-1])
    return Trial(
        s0=np.zeros(m),
        s1=np.zeros(m),
        F=np.zeros(m),
        slope=np.zeros(m),
        D=np.zeros((m, 2, 6)),
        N=np.zeros((m, 2, 6)),
        K=np.zeros((4, 6, 6)),
        lower=np.zeros(values),
        upper=np.zeros(values),
        x=np.zeros(unknowns),
        y=np.zeros(unknowns),
        scratch=np.zeros(2 * max(NODE_ROWS, int(np.diff(blocks.row).max(initial=0))) ** 2),
        mu=np.zeros(r),
        change=np.zeros(r),
        tilt=np.ones(2),
        below=np.zeros(of_rows),
        above=np.zeros(of_rows),
        both=np.zeros((entries, 6)),
        partial=np.zeros(r),
        registers=np.zeros(registers),
    )


def _measures(system: System) -> tuple[_List, list[list[int]], list[list[float]]]:
    """All measures; and the one or two of each row, with their factors."""
    made, none = _List(), np.zeros((2, 3))
    springs, coordinates, rows = system.springs, system.coordinates, system.rows
    for k, (body, point) in enumerate(zip(springs.body, springs.point, strict=True)):
        flat = springs.length[k] == 0.0  # V = ½ k |d|² = k s of a SQUARE with l = 1
        made.add(SQUARE if flat else LENGTH, body, point, np.zeros((3, 3)), law=(SPRING_LAW, k))
    for k, body in enumerate(system.pairs.body):
        made.add(LENGTH, body, none, np.zeros((3, 3)), law=(ATTRACTION_LAW, k))
    of_coordinate = {}
    for c in _acting_coordinates(system):
        kind, directions = _measure_of_coordinate(system, c)
        of_coordinate[c] = made.add(
            kind, coordinates.body[c], coordinates.point[c], directions, law=(COORDINATE_LAW, c)
        )
    row_measure, ratio = [], []
    for r, kind in enumerate(rows.kind):
        if kind in (TAPE, RIM, ROLL, EDGE):  # written_rows.py, rolling_rows.py
            row_measure.append([-1, -1])
            ratio.append([0.0, 0.0])
            continue
        if kind == COUPLE:
            used = [k for k in range(2) if rows.ratio[r, k] != 0.0]
            row_measure.append([of_coordinate[rows.coordinate[r, k]] if k in used else -1 for k in range(2)])
            ratio.append([float(rows.ratio[r, k]) if k in used else 0.0 for k in range(2)])
            continue
        one = made.add(
            ROW_MEASURES[int(kind)],
            rows.body[r],
            rows.point[r],
            np.array([*rows.direction[r], none[0]]),
            axis=int(rows.component[r]),
            length=float(rows.value[r]) if kind == DISTANCE else 1.0,
        )
        row_measure.append([one, -1])
        ratio.append([1.0, 0.0])
    return made, row_measure, ratio


def _measure_of_coordinate(system: System, c: int) -> tuple[int, np.ndarray]:
    """The kind of measure of coordinate c, and its directions. A component of a rotation vector has no hand."""
    q, none = system.coordinates, np.zeros(3)
    if q.kind[c] == DISPLACEMENT:
        return PROJECTION, np.array([q.axis[c], none, none])
    if q.kind[c] == ROTATION:
        return ROTATION_ANGLE, q.reference[c]
    if not q.hand[c].any():
        return STEP_TURN, np.array([q.axis[c], none, none])
    return HINGE_ANGLE, np.array([*q.dial[c], q.hand[c]])


def _points(made: _List) -> np.ndarray:
    """1 where three measures ALONG_AXIS of the same points begin: those of a joint between two points."""
    found = np.zeros(len(made.kind), dtype=np.int64)
    k = 0
    while k + 2 < len(made.kind):
        three = range(k, k + 3)
        if (
            [(made.kind[i], made.axis[i]) for i in three] == [(ALONG_AXIS, 0), (ALONG_AXIS, 1), (ALONG_AXIS, 2)]
            and len({made.body[i] for i in three}) == 1
            and all(np.array_equal(made.point[i], made.point[k]) for i in three)
        ):
            found[k] = 1
            k += 2
        k += 1
    return found


def _acting_coordinates(system: System) -> list[int]:
    """Coordinates with a spring, a stop, a motor or an equation."""
    coordinates, rows = system.coordinates, system.rows
    acts = (coordinates.stiffness != 0.0) | (coordinates.stop > 0.0) | (coordinates.signal >= 0)
    coupled = rows.coordinate[(rows.kind == COUPLE)[:, None] & (rows.ratio != 0.0)]
    return sorted({*np.flatnonzero(acts).tolist(), *coupled.tolist()})
