"""The structure of the constraint matrix S: the order of elimination, and its fill.

Two blocks of rows are neighbours in S = G M⁻¹ Gᵀ if they act on a common body (the world does not count). Eliminating
a block makes all its remaining neighbours neighbours of each other (fill). The block of least degree is eliminated
first (minimum degree). For chains and trees of low degree there is no fill; among blocks of equal degree the least
recently updated one comes first. Where there is fill, as in grids, the degree of a block i in the clique C that the
last elimination made is replaced by its upper bound (approximate minimum degree: P. R. Amestoy, T. A. Davis,
I. S. Duff 1996)

    d_i ≤ |C ∖ i| + Σ |c ∖ C|     over the other cliques c that contain i,                                      (1)

the most recently updated block comes first, and small blocks with nearly the same column of the factor form one node:
the factorisation by nodes (kernels/sparse.py) needs fewer indices and uses the kernels of hinges and ball joints.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..kernels.arrays import Blocks
from ..kernels.sparse import HINGE_ROWS

STRUCTURES = 16  # cached: members of an ensemble share one structure
NODE_ROWS = HINGE_ROWS  # of a node with several blocks, at most: the largest for which kernels are unrolled
ZEROS = 4  # rows by which the column of a block may be longer than that of the node which it joins


def elimination_order(bodies: Sequence[Sequence[int]], sizes: Sequence[int]) -> list[int]:
    """Blocks in the order of least degree (in rows), for blocks that touch the given bodies."""
    return list(_order(tuple(map(tuple, bodies)), tuple(sizes)))


@lru_cache(maxsize=STRUCTURES)
def _order(bodies: tuple[tuple[int, ...], ...], sizes: tuple[int, ...]) -> list[int]:
    return _without_fill(_neighbours(bodies), sizes) or _postorder(bodies, _least_degree(bodies, sizes))


def _without_fill(neighbours: list[set[int]], sizes: Sequence[int]) -> list[int] | None:
    """The order of least degree, the least recently updated block first among equals; None if there is fill."""
    claim = [(sum(sizes[k] for k in near), 0) for near in neighbours]  # degree, and when it last changed
    heap = [(claim[k], k) for k in range(len(neighbours))]
    heapq.heapify(heap)
    done = [False] * len(neighbours)
    order: list[int] = []
    while heap:
        seen, k = heapq.heappop(heap)
        if done[k] or seen != claim[k]:
            continue
        done[k] = True
        order.append(k)
        near = neighbours[k]
        for i in near:
            if len(near - neighbours[i]) > 1:  # near contains i itself
                return None
            neighbours[i].discard(k)
            claim[i] = (claim[i][0] - sizes[k], len(order))
            heapq.heappush(heap, (claim[i], i))
    return order


def _least_degree(bodies: Sequence[Sequence[int]], sizes: Sequence[int]) -> list[int]:
    """The order of least approximate degree. A clique is a set of blocks that are neighbours of each other: at first
    those on a body; the elimination of block k replaces its cliques by their union without k, C. The degree of a block
    in C is bounded by (1). Blocks that are in no other clique are eliminated together with k."""
    blocks: dict[int, set[int]] = {}  # of a clique
    for k, touched in enumerate(bodies):
        for b in touched:
            if b > 0:
                blocks.setdefault(b, set()).add(k)
    cliques = [{b for b in touched if b > 0} for touched in bodies]
    weight = {c: sum(sizes[k] for k in mine) for c, mine in blocks.items()}
    degree = [sum(weight[c] - sizes[k] for c in mine) for k, mine in enumerate(cliques)]
    heap = [(d, 0, k) for k, d in enumerate(degree)]
    heapq.heapify(heap)
    done = [False] * len(sizes)
    order: list[int] = []
    new = max(blocks, default=0)
    while heap:
        seen, _, k = heapq.heappop(heap)
        if done[k] or seen != degree[k]:
            continue
        union: set[int] = set()
        for c in cliques[k]:
            union |= blocks[c]
        together = [i for i in union if cliques[i] <= cliques[k]]
        for i in together:
            done[i] = True
        order += sorted(together)
        union.difference_update(together)
        gone = set(cliques[k])
        new += 1
        blocks[new], weight[new] = union, sum(sizes[i] for i in union)
        outside: dict[int, int] = {}  # of each other clique that shares blocks with C, the weight outside C
        for i in union:
            cliques[i] -= gone
            for c in cliques[i]:
                outside[c] = outside.get(c, weight[c]) - sizes[i]
        inside = {c for c, rest in outside.items() if rest == 0}  # within C: no longer needed
        for i in union:
            if inside:
                cliques[i] -= inside
            degree[i] = weight[new] - sizes[i] + sum(outside[c] for c in cliques[i])
            cliques[i].add(new)
            heapq.heappush(heap, (degree[i], -len(order), i))
        for c in gone | inside:
            del blocks[c], weight[c]
    return order


def _postorder(bodies: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    """An equivalent order in which each block follows its children in the elimination tree: columns of equal pattern
    are neighbours."""
    columns = _fill(_neighbours([bodies[k] for k in order]))
    children: list[list[int]] = [[] for _ in order]
    roots: list[int] = []
    for k, column in enumerate(columns):
        (children[column[0]] if column else roots).append(k)
    found: list[int] = []
    stack = roots
    while stack:  # parents first, and then reversed
        k = stack.pop()
        found.append(order[k])
        stack += sorted(children[k], key=lambda child: -len(columns[child]), reverse=True)
    return found[::-1]


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


def symbolic(
    bodies: Sequence[Sequence[int]], sizes: Sequence[int], soft: Sequence[int], *, merge: bool = True
) -> tuple[Blocks, int, int]:
    """The `Blocks` of blocks given in elimination order, the number of gradient entries and of matrix values. Models of
    one structure share them. merge: nodes of several blocks, where there is fill."""
    return _symbolic(tuple(map(tuple, bodies)), tuple(sizes), tuple(soft), merge)


@lru_cache(maxsize=STRUCTURES)
def _symbolic(
    bodies: tuple[tuple[int, ...], ...], sizes: tuple[int, ...], soft: tuple[int, ...], merge: bool
) -> tuple[Blocks, int, int]:
    count = len(bodies)
    row = _starts(sizes)
    touched = [sorted({b for b in group if b > 0}) for group in bodies]
    side = _starts([len(t) for t in touched])
    side_body = np.array([b for t in touched for b in t], dtype=np.int64)
    side_size = np.array([sizes[k] for k, t in enumerate(touched) for _ in t], dtype=np.int64)
    side_entry = np.concatenate([[0], np.cumsum(side_size)[:-1]]).astype(np.int64) if len(side_size) else side_size
    near = _neighbours(touched)
    below = _fill(near)
    fill = sum(map(len, below)) * 2 > sum(map(len, near))
    first = _nodes(below, sizes, soft) if merge and fill else list(range(count))
    node_of = (np.searchsorted(first, np.arange(count), side="right") - 1).tolist()
    below = _node_columns(below, node_of, len(first))
    node = np.append(row[first], row[-1]) if count else row
    rows = np.diff(node).tolist()

    offset: dict[tuple[int, int], int] = {}
    values = 0
    for J in range(len(first)):
        for I in (J, *below[J]):
            offset[I, J] = values
            values += rows[I] * rows[J]

    inside = (row[:-1] - node[node_of]).tolist()  # first row of a block in its node
    pairs: list[tuple[int, ...]] = []
    on_body: dict[int, list[tuple[int, int]]] = {}
    for k, t in enumerate(touched):
        for s, b in enumerate(t):
            on_body.setdefault(b, []).append((k, int(side_entry[side[k] + s])))
    for b, members in on_body.items():
        for I, e in members:
            for J, d in members:
                m, n = node_of[I], node_of[J]
                if J <= I or m == n:  # a diagonal block has both halves
                    place = offset[m, n] + inside[I] * rows[n] + inside[J]
                    pairs.append((place, sizes[I], sizes[J], e, d, b, rows[n]))
    pairs.sort()

    updates = [[offset[I, K] for p, I in enumerate(near) for K in near[: p + 1]] for near in below]
    flat = [I for near in below for I in near]
    blocks = Blocks(
        row=row,
        side=side,
        side_body=side_body,
        side_entry=side_entry,
        soft=np.array(soft, dtype=np.int64),
        pair=np.array(pairs, dtype=np.int64).reshape(-1, 7),
        node=node,
        node_soft=np.array([soft[k] for k in first], dtype=np.int64),
        diagonal=np.array([offset[J, J] for J in range(len(first))], dtype=np.int64),
        below=_starts([len(near) for near in below]),
        below_block=np.array(flat, dtype=np.int64),
        below_offset=np.array([offset[I, J] for J, near in enumerate(below) for I in near], dtype=np.int64),
        update=np.array([t for targets in updates for t in targets], dtype=np.int64),
        update_start=_starts([len(targets) for targets in updates]),
    )
    return blocks, int(side_size.sum()), values


def _nodes(below: Sequence[Sequence[int]], sizes: Sequence[int], soft: Sequence[int]) -> list[int]:
    """The first block of each node. A block joins the node before it if it is the parent of its last block, and if
    their columns have nearly the same pattern."""
    height = [sum(sizes[i] for i in column) for column in below]
    found = [0]
    rows = 0
    for k in range(1, len(below)):
        rows += sizes[k - 1]
        parent = bool(below[k - 1]) and below[k - 1][0] == k
        zeros = height[k] + sizes[k] - height[k - 1]
        if not (parent and soft[k] == soft[k - 1] and rows + sizes[k] <= NODE_ROWS and zeros <= ZEROS):
            found.append(k)
            rows = 0
    return found


def _node_columns(below: Sequence[Sequence[int]], node_of: Sequence[int], count: int) -> list[list[int]]:
    """For each node the later nodes in its columns of the factor, ascending."""
    if count == len(below):
        return [list(column) for column in below]
    columns: list[set[int]] = [set() for _ in range(count)]
    for k, column in enumerate(below):
        columns[node_of[k]].update(node_of[i] for i in column)
    for J, found in enumerate(columns):
        found.discard(J)
        if found:
            parent = min(found)
            columns[parent] |= found - {parent}
    return [sorted(found) for found in columns]


def _starts(lengths: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(np.array(lengths, dtype=np.int64))]).astype(np.int64)


def _fill(near: Sequence[set[int]]) -> list[list[int]]:
    """For each block the later blocks in its column of the factor, ascending, by merging along the elimination tree;
    near: the neighbours of each block."""
    columns: list[set[int]] = [{i for i in n if i > k} for k, n in enumerate(near)]
    for column in columns:
        if column:
            parent = min(column)
            columns[parent] |= column - {parent}
    return [sorted(column) for column in columns]
