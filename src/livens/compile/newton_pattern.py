"""Where the unknowns of Newton's matrix are, and its blocks, for the step that conserves energy.

Unknowns are δa and δφ of each body, in two blocks of three, and λ of each block of rows. They are eliminated in the
order of least degree, like the blocks of S (ordering.py), except that the rows of a joint come after its bodies: their
own diagonal block is zero until then.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

import numpy as np

from ..kernels.conserving.arrays import DISPLACEMENT_PART, NOWHERE, ROTATION_PART
from .ordering import symbolic

PART = 3  # unknowns of δa or of δφ
PARTS = (DISPLACEMENT_PART, ROTATION_PART)


class Unknowns:
    """The blocks of unknowns of `bodies`, the world among them, and of blocks of rows. An unknown is a number: that of
    a part of a body, or of a block of rows. `cliques` are sets of unknowns that occur in one equation."""

    def __init__(self, bodies: int, rows: Sequence[int]) -> None:
        self.bodies = bodies
        self.sizes = [PART] * (2 * (bodies - 1)) + list(rows)
        self.cliques: dict[tuple[int, ...], None] = {}

    def part(self, body: int, part: int) -> int:
        return 2 * (body - 1) + part

    def parts(self, *bodies: int) -> list[int]:
        """Both parts of each body; the world has none."""
        return [self.part(b, s) for b in bodies if b > 0 for s in PARTS]

    def rows(self, block: int) -> int:
        return 2 * (self.bodies - 1) + block

    def couple(self, unknowns: Iterable[int]) -> None:
        """The equations of these unknowns depend on all of them."""
        self.cliques[tuple(sorted(set(unknowns)))] = None

    def eliminate(self) -> int:
        """Order and symbolic factorisation; returns how many numbers the matrix has."""
        self.order = self._order()
        self.position = {unknown: k for k, unknown in enumerate(self.order)}
        members: list[list[int]] = [[] for _ in self.sizes]
        for number, clique in enumerate(self.cliques):
            for unknown in clique:
                members[unknown].append(number + 1)
        self.blocks, _, values = symbolic(
            [members[k] for k in self.order],
            [self.sizes[k] for k in self.order],
            [0] * len(self.order),
            merge=False,
        )
        self.offset = {
            (int(self.blocks.below_block[k]), J): int(self.blocks.below_offset[k])
            for J in range(len(self.blocks.diagonal))
            for k in range(self.blocks.below[J], self.blocks.below[J + 1])
        }
        return values

    def first(self, unknown: int) -> int:
        """The place of its first number among all unknowns."""
        return int(self.blocks.row[self.position[unknown]])

    def place(self, one: int, two: int) -> int:
        """The place of the block of equations `one` and unknowns `two` (kernels/conserving/arrays.py)."""
        i, j = self.position[one], self.position[two]
        if i == j:
            return int(self.blocks.diagonal[i])
        o = self.offset.get((max(i, j), min(i, j)))
        return NOWHERE if o is None else (o if i > j else -1 - o)

    def places(self, one: int, two: int) -> np.ndarray:
        """The places of the four blocks of two bodies."""
        return np.array([[self.place(self.part(one, s), self.part(two, t)) for t in PARTS] for s in PARTS])

    def _order(self) -> list[int]:
        """Least degree first; the two parts of a body are neighbours, and rows wait for their bodies."""
        bodies, both = self.bodies - 1, 2 * (self.bodies - 1)
        whole = [k // 2 if k < both else k - bodies for k in range(len(self.sizes))]
        sizes = [2 * PART] * bodies + self.sizes[both:]
        near: list[set[int]] = [set() for _ in sizes]
        for clique in self.cliques:
            nodes = {whole[k] for k in clique}
            for k in nodes:
                near[k] |= nodes - {k}
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
        return [u for k in order for u in ((2 * k, 2 * k + 1) if k < bodies else (k + bodies,))]
