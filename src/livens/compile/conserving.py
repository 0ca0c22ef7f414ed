"""Measures and the pattern of Newton's matrix for the step that conserves energy (kernels/conserving/arrays.py).

Unknowns are eliminated in the order of least degree, like the blocks of S (ordering.py), except that the rows of a
joint come after its bodies: their own diagonal block is zero until then.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from ..kernels.arrays import System, Work
from ..kernels.conserving.arrays import (
    ALONG_AXIS,
    ATTRACTION_LAW,
    COORDINATE_LAW,
    HINGE_ANGLE,
    LENGTH,
    NO_LAW,
    PRODUCT,
    PROJECTION,
    SPRING_LAW,
    SQUARE,
    ConservingWork,
    Energies,
    Measures,
    Pattern,
    Trial,
)
from ..kernels.conserving.energies import push_of
from ..kernels.kinds import COINCIDE, COUPLE, DISPLACEMENT, DISTANCE, DOT1, DOT2, POINT, SPAN
from .ordering import symbolic

ROW_MEASURES = {COINCIDE: ALONG_AXIS, DOT1: PRODUCT, DOT2: PROJECTION, DISTANCE: SQUARE, SPAN: LENGTH}
BODY = 6  # unknowns of a body


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
    """Measures, pattern and scratch of a system without user-written rows and rolling."""
    made, row_measure, ratio = _measures(system)
    m, n, r = len(made.kind), len(system.bodies.mass), len(system.rows.kind)
    sizes = [BODY] * (n - 1) + [int(k) for k in np.diff(system.blocks.row)]
    block_of = np.repeat(np.arange(len(system.blocks.diagonal)), np.diff(system.blocks.row)) if r else np.zeros(0, int)
    cliques: list[set[int]] = []  # unknowns that occur in one equation; a body is number b − 1, a block n − 1 + J
    for k in range(r):
        for one in row_measure[k]:
            if one >= 0:
                cliques += [{b - 1, n - 1 + int(block_of[k])} for b in made.body[one] if b > 0]
    coupled = [
        i > 0 and j > 0 and i != j and kind != ALONG_AXIS for kind, (i, j) in zip(made.kind, made.body, strict=True)
    ]
    cliques += [{i - 1, j - 1} for (i, j), both in zip(made.body, coupled, strict=True) if both]
    instances = _instances(system)
    cliques += [set(np.subtract(touched, 1).tolist()) for _, _, touched, _ in instances]
    order = _order(cliques, sizes, n - 1)
    place = {unknown: k for k, unknown in enumerate(order)}
    members: list[list[int]] = [[] for _ in sizes]
    for number, clique in enumerate(dict.fromkeys(tuple(sorted(clique)) for clique in cliques)):
        for unknown in clique:
            members[unknown].append(number + 1)
    blocks, _, values = symbolic([members[k] for k in order], [sizes[k] for k in order], [0] * len(order))
    offset = _offsets(blocks)
    first = {unknown: int(blocks.row[place[unknown]]) for unknown in range(len(sizes))}
    diagonal = {unknown: int(blocks.diagonal[place[unknown]]) for unknown in range(len(sizes))}

    pair, swapped = np.full(m, -1), np.zeros(m, dtype=np.int64)
    for k, (i, j) in enumerate(made.body):
        if coupled[k]:
            one, two = place[i - 1], place[j - 1]
            pair[k], swapped[k] = offset[max(one, two), min(one, two)], int(two < one)
    row, row_diagonal, line = np.zeros(r, int), np.zeros(r, int), np.full((r, 2, 2), -1)
    for k in range(r):
        J = int(block_of[k])
        inside, size = k - int(system.blocks.row[J]), sizes[n - 1 + J]
        row[k] = first[n - 1 + J] + inside
        row_diagonal[k] = diagonal[n - 1 + J] + inside * size + inside
        for slot, one in enumerate(row_measure[k]):
            if one >= 0:
                for side, b in enumerate(made.body[one]):
                    if b > 0:
                        line[k, slot, side] = offset[place[n - 1 + J], place[b - 1]] + BODY * inside
    measures = Measures(
        kind=np.array(made.kind, dtype=np.int64),
        body=np.array(made.body, dtype=np.int64).reshape(-1, 2),
        point=np.array(made.point, dtype=np.float64).reshape(-1, 2, 3),
        direction=np.array(made.direction, dtype=np.float64).reshape(-1, 3, 3),
        axis=np.array(made.axis, dtype=np.int64),
        length=np.array(made.length, dtype=np.float64),
        points=_points(made),
        law=np.array(made.law, dtype=np.int64).reshape(-1, 2),
        pair=pair.astype(np.int64),
        swapped=swapped,
    )
    pattern = Pattern(
        blocks=blocks,
        body=np.array([0] + [first[b] for b in range(n - 1)], dtype=np.int64),
        body_diagonal=np.array([0] + [diagonal[b] for b in range(n - 1)], dtype=np.int64),
        row=row.astype(np.int64),
        row_diagonal=row_diagonal.astype(np.int64),
        row_measure=np.array(row_measure, dtype=np.int64).reshape(-1, 2),
        ratio=np.array(ratio, dtype=np.float64).reshape(-1, 2),
        line=line.astype(np.int64),
    )
    places = []
    for _, _, touched, _ in instances:
        for b in touched:
            for other in touched:
                one, two = place[b - 1], place[other - 1]
                at = diagonal[b - 1] if b == other else offset[max(one, two), min(one, two)]
                places.append(at if one >= two else -1 - at)
    energies = _energies(system, instances, places, len(work.registers))
    return ConservingWork(work, measures, pattern, _trial(m, int(blocks.row[-1]), values, r, len(work.S)), energies)


def _instances(system: System) -> list[tuple[int, int, list[int], list[int]]]:
    """Instances of user-written energies: formula, first handle, bodies, and which of them carries each handle."""
    formulas, found = system.formulas, []
    for k in range(formulas.energies):
        first, handles = int(formulas.first[k, 1]), int(formulas.tape[k, 5])
        for h in range(first, first + handles * int(formulas.first[k + 1, 0] - formulas.first[k, 0]), max(1, handles)):
            carriers = formulas.handle[h : h + handles, 1].tolist()
            touched = sorted(set(carriers))
            found.append((k, h, touched, [touched.index(b) for b in carriers]))
    return found


def _energies(
    system: System, instances: list[tuple[int, int, list[int], list[int]]], places: list[int], registers: int
) -> Energies:
    formulas, bodies = system.formulas, system.bodies
    most = max((len(touched) for _, _, touched, _ in instances), default=0)
    numbers = 3 * int(formulas.tape[:, 5].max(initial=0))
    counts = [len(touched) for _, _, touched, _ in instances]
    slot = np.zeros(len(formulas.handle), dtype=np.int64)
    for _, h, _, slots in instances:
        slot[h : h + len(slots)] = slots
    alike = [_depends_on_relative_positions(system, k) for k in range(formulas.energies)]
    turns = bodies.inverse_inertia > 0.0
    gyration = (np.where(turns, bodies.inertia, 0.0).max(axis=1)) * bodies.inverse_mass
    return Energies(
        bodies=np.array(counts, dtype=np.int64),
        slot=slot,
        pair_first=np.concatenate([[0], np.cumsum(np.square(counts))])[:-1].astype(np.int64),
        pair=np.array(places, dtype=np.int64),
        weight=np.array([max(gyration[touched].max(), 1e-30) for _, _, touched, _ in instances]),
        invariant=np.array([alike[k] for k, _, _, _ in instances], dtype=np.int64),
        V0=np.zeros(len(instances)),
        y=np.zeros((6, numbers)),
        q=np.zeros((3, numbers)),
        wrench=np.zeros((most, 6)),
        covector=np.zeros((most, 6)),
        d=np.zeros(registers),
    )


def _depends_on_relative_positions(system: System, k: int) -> bool:
    """True if the forces of energy k on its handles are in equilibrium, at random positions of several sizes."""
    formulas, random = system.formulas, np.random.default_rng(0)
    handles, first = int(formulas.tape[k, 5]), int(formulas.first[k, 1])
    points = formulas.handle[first : first + handles, 0] == POINT
    w, f = np.zeros(4 * formulas.registers + 4), np.zeros(3 * handles)
    seen = False
    for size in (1e-3, 0.03, 1.0, 30.0, 1e3):
        y = random.normal(size=(handles, 3))
        y[points] *= size
        y[~points] /= np.linalg.norm(y[~points], axis=1, keepdims=True)
        with np.errstate(all="ignore"):
            push_of(formulas, k, int(formulas.first[k, 2]), y.ravel(), w, f)
        F = f.reshape(-1, 3)
        if not np.isfinite(F).all():
            continue
        seen = True
        moments = np.cross(y, F)
        if np.abs(F[points].sum(axis=0)).max(initial=0.0) > 1e-9 * np.abs(F[points]).sum():
            return False
        if np.abs(moments.sum(axis=0)).max(initial=0.0) > 1e-9 * np.abs(moments).sum():
            return False
    return seen


def _trial(m: int, unknowns: int, values: int, r: int, of_rows: int) -> Trial:
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
        scratch=np.zeros(8),
        mu=np.zeros(r),
        change=np.zeros(r),
        tilt=np.ones(1),
        below=np.zeros(of_rows),
        above=np.zeros(of_rows),
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
    of_coordinate = {
        c: made.add(
            PROJECTION if coordinates.kind[c] == DISPLACEMENT else HINGE_ANGLE,
            coordinates.body[c],
            coordinates.point[c],
            np.array([coordinates.axis[c], none[0], none[0]])
            if coordinates.kind[c] == DISPLACEMENT
            else np.array([*coordinates.dial[c], coordinates.hand[c]]),
            law=(COORDINATE_LAW, c),
        )
        for c in _acting_coordinates(system)
    }
    row_measure, ratio = [], []
    for r, kind in enumerate(rows.kind):
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


def _order(cliques: Sequence[set[int]], sizes: Sequence[int], bodies: int) -> list[int]:
    """Unknowns in the order of least degree; rows, from number `bodies` on, wait for their bodies."""
    near: list[set[int]] = [set() for _ in sizes]
    for clique in cliques:
        for k in clique:
            near[k] |= clique - {k}
    waits = [{b for b in near[k] if b < bodies} if k >= bodies else set() for k in range(len(sizes))]
    claim = [sum(sizes[i] for i in near[k]) for k in range(len(sizes))]
    heap = [(claim[k], 0, k) for k in range(len(sizes)) if not waits[k]]
    heapq.heapify(heap)
    done, order = [False] * len(sizes), []
    while heap:
        seen, _, k = heapq.heappop(heap)
        if done[k] or seen != claim[k]:
            continue
        done[k] = True
        order.append(k)
        for i in near[k]:
            near[i] |= near[k]
            near[i] -= {i, k}
            claim[i] = sum(sizes[j] for j in near[i])
            waits[i].discard(k)
            if not waits[i]:
                heapq.heappush(heap, (claim[i], len(order), i))
    return order


def _offsets(blocks) -> dict[tuple[int, int], int]:  # type: ignore[no-untyped-def]
    """Places of the blocks below the diagonal: (row, column) → offset."""
    return {
        (int(blocks.below_block[k]), J): int(blocks.below_offset[k])
        for J in range(len(blocks.diagonal))
        for k in range(blocks.below[J], blocks.below[J + 1])
    }
