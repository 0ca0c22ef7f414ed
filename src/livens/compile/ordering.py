"""The structure of the constraint matrix S: the order of elimination, and its fill.

Two blocks of rows are neighbours in S = G M⁻¹ Gᵀ if they act on a common body (the world does not count). Eliminating
a block makes all its remaining neighbours neighbours of each other (fill). The block of least degree is eliminated
first (minimum degree); for chains and trees of low degree there is no fill. Among blocks of equal degree the least
recently updated one (better for trees) or the most recently updated one (better for lattices) comes first: both orders
are computed, and the one with less fill is used.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..kernels.arrays import Blocks

STRUCTURES = 16  # cached: members of an ensemble share one structure


def elimination_order(bodies: Sequence[Sequence[int]], sizes: Sequence[int]) -> list[int]:
    """Blocks in the order of least degree (in rows), for blocks that touch the given bodies."""
    return list(_order(tuple(map(tuple, bodies)), tuple(sizes)))


@lru_cache(maxsize=STRUCTURES)
def _order(bodies: tuple[tuple[int, ...], ...], sizes: tuple[int, ...]) -> list[int]:
    neighbours = _neighbours(bodies)
    pattern = sum(sizes[k] * sizes[i] for k, near in enumerate(neighbours) for i in near) // 2
    even, values = _least_degree(neighbours, sizes, 1)
    if values == pattern:  # nothing fills in
        return even
    deep, fewer = _least_degree(_neighbours(bodies), sizes, -1)
    return deep if fewer < values else even


def _least_degree(neighbours: list[set[int]], sizes: Sequence[int], sign: int) -> tuple[list[int], int]:
    """The order, and the number of values below the diagonal. Among blocks of equal degree the least recently updated
    one comes first (sign 1), or the most recently updated one (−1)."""
    claim = [(sum(sizes[k] for k in near), 0) for near in neighbours]  # degree, and when it last changed
    heap = [(claim[k], k) for k in range(len(neighbours))]
    heapq.heapify(heap)
    done = [False] * len(neighbours)
    order: list[int] = []
    values = 0
    while heap:
        seen, k = heapq.heappop(heap)
        if done[k] or seen != claim[k]:
            continue
        done[k] = True
        order.append(k)
        values += sizes[k] * seen[0]
        near = neighbours[k]
        for i in near:
            neighbours[i] |= near
            neighbours[i] -= {i, k}
            claim[i] = (sum(sizes[j] for j in neighbours[i]), sign * len(order))
            heapq.heappush(heap, (claim[i], i))
    return order, values


def _neighbours(bodies: Sequence[Sequence[int]]) -> list[set[int]]:
    on_body: dict[int, list[int]] = {}
    for k, touched in enumerate(bodies):
        for b in touched:
            if b > 0:
                on_body.setdefault(b, []).append(k)
    neighbours: list[set[int]] = [set() for _ in bodies]
    for members in on_body.values():
        for k in members:
            neighbours[k].update(members)
    for k, near in enumerate(neighbours):
        near.discard(k)
    return neighbours


def symbolic(bodies: Sequence[Sequence[int]], sizes: Sequence[int], soft: Sequence[int]) -> tuple[Blocks, int, int]:
    """The `Blocks` of blocks given in elimination order, the number of gradient entries and of matrix values. Models of
    one structure share them."""
    return _symbolic(tuple(map(tuple, bodies)), tuple(sizes), tuple(soft))


@lru_cache(maxsize=STRUCTURES)
def _symbolic(
    bodies: tuple[tuple[int, ...], ...], sizes: tuple[int, ...], soft: tuple[int, ...]
) -> tuple[Blocks, int, int]:
    count = len(bodies)
    row = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]) if count else np.zeros(1, dtype=np.int64)
    touched = [sorted({b for b in group if b > 0}) for group in bodies]
    side = np.concatenate([[0], np.cumsum([len(t) for t in touched], dtype=np.int64)]).astype(np.int64)
    side_body = np.array([b for t in touched for b in t], dtype=np.int64)
    side_size = np.array([sizes[k] for k, t in enumerate(touched) for _ in t], dtype=np.int64)
    side_entry = np.concatenate([[0], np.cumsum(side_size)[:-1]]).astype(np.int64) if len(side_size) else side_size
    below = _fill(touched)

    offset: dict[tuple[int, int], int] = {}
    values = 0
    for J in range(count):
        for I in (J, *below[J]):
            offset[I, J] = values
            values += sizes[I] * sizes[J]

    pairs: list[tuple[int, ...]] = []
    on_body: dict[int, list[tuple[int, int]]] = {}
    for k, t in enumerate(touched):
        for s, b in enumerate(t):
            on_body.setdefault(b, []).append((k, int(side_entry[side[k] + s])))
    for b, members in on_body.items():
        for I, e in members:
            pairs += [(offset[I, J], sizes[I], sizes[J], e, d, b) for J, d in members if J <= I]
    pairs.sort()

    updates = [[offset[I, K] for p, I in enumerate(near) for K in near[: p + 1]] for near in below]
    flat = [I for near in below for I in near]
    blocks = Blocks(
        row=row.astype(np.int64),
        side=side,
        side_body=side_body,
        side_entry=side_entry,
        soft=np.array(soft, dtype=np.int64),
        pair=np.array(pairs, dtype=np.int64).reshape(-1, 6),
        diagonal=np.array([offset[J, J] for J in range(count)], dtype=np.int64),
        below=_starts([len(near) for near in below]),
        below_block=np.array(flat, dtype=np.int64),
        below_offset=np.array([offset[I, J] for J, near in enumerate(below) for I in near], dtype=np.int64),
        update=np.array([t for targets in updates for t in targets], dtype=np.int64),
        update_start=_starts([len(targets) for targets in updates]),
    )
    return blocks, int(side_size.sum()), values


def _starts(lengths: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(np.array(lengths, dtype=np.int64))]).astype(np.int64)


def _fill(touched: Sequence[Sequence[int]]) -> list[list[int]]:
    """For each block the later blocks in its column of the factor, ascending, by merging along the elimination tree."""
    near = _neighbours(touched)
    columns: list[set[int]] = [{i for i in n if i > k} for k, n in enumerate(near)]
    for column in columns:
        if column:
            parent = min(column)
            columns[parent] |= column - {parent}
    return [sorted(column) for column in columns]
