"""Loops of a mechanism: the biconnected components of the graph whose vertices are bodies and whose edges are joints.

A redundancy is a set of multipliers λ ≠ 0 with Gᵀλ = 0: a self-stress. At a body where two components meet, the forces
of each component balance on their own, because the rows of a component that does not contain the world do not change
under a rigid motion of all its bodies. So every self-stress lies within one component, and a joint that is in no loop
has none. User-written rows may depend on positions in the world: their bodies are joined to the world.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..kernels.arrays import System
from ..kernels.kinds import COUPLE, TAPE


def loops(system: System) -> list[list[int]]:
    """The blocks of constraints in each loop, and each block of user-written rows that is in none."""
    rows, blocks = system.rows, system.blocks
    touched = rows.body[blocks.row[:-1]].tolist()  # all rows of a joint are between the same two bodies
    special = np.flatnonzero((rows.kind == COUPLE) | (rows.kind == TAPE))
    for J in np.unique(np.searchsorted(blocks.row, special, side="right") - 1).tolist():
        touched[J] = sorted(_bodies(system, J))
    for J in np.flatnonzero(blocks.soft).tolist():
        touched[J] = []  # dampers are no constraints
    written = {int(J) for J in np.searchsorted(blocks.row, np.flatnonzero(rows.kind == TAPE), side="right") - 1}
    if _acyclic(touched):
        return [[J] for J in sorted(written)]
    return [part for part in components(touched) if len(part) > 1 or part[0] in written]


def _acyclic(touched: Sequence[Sequence[int]]) -> bool:
    """Whether the graph is a forest of edges with two ends, by joining sets of vertices."""
    parent: dict[int, int] = {}

    def root(vertex: int) -> int:
        while (above := parent.setdefault(vertex, vertex)) != vertex:
            parent[vertex] = vertex = parent[above]
        return vertex

    for vertices in touched:
        if len(vertices) > 2:
            return False
        if vertices:
            one, two = root(vertices[0]), root(vertices[1])
            if one == two:
                return False
            parent[one] = two
    return True


def _bodies(system: System, block: int) -> set[int]:
    """The bodies that the rows of a block depend on, the world among them."""
    rows = system.rows
    some = slice(system.blocks.row[block], system.blocks.row[block + 1])
    kind = rows.kind[some]
    bodies = {*rows.body[some][(kind != COUPLE) & (kind != TAPE)].ravel().tolist()}
    couple = kind == COUPLE
    for (first, second), ratio in zip(rows.coordinate[some][couple], rows.ratio[some][couple], strict=True):
        bodies |= {*system.coordinates.body[first].tolist()}
        bodies |= {*system.coordinates.body[second].tolist()} if ratio[1] != 0.0 else set()
    if (kind == TAPE).any():
        sides = slice(system.blocks.side[block], system.blocks.side[block + 1])
        bodies |= {0, *system.blocks.side_body[sides].tolist()}
    return bodies


def components(touched: Sequence[Sequence[int]]) -> list[list[int]]:
    """Edges grouped by biconnected component; edge k joins the vertices touched[k], two or more (Hopcroft & Tarjan).

    >>> components([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (3, 4)])
    [[0, 1, 2], [3], [4, 5]]
    """
    near: dict[int, list[tuple[int, int, int]]] = {}  # vertex → (other vertex, number of the side, edge)
    sides = 0
    for edge, vertices in enumerate(touched):
        ring = [(*pair,) for pair in zip(vertices, [*vertices[1:], vertices[0]], strict=True)] if vertices else []
        for one, two in ring if len(vertices) > 2 else ring[:1]:
            if one != two:
                near.setdefault(one, []).append((two, sides, edge))
                near.setdefault(two, []).append((one, sides, edge))
                sides += 1
    found: list[set[int]] = []
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    for root in near:
        if root not in number:
            found += _from(root, near, number, low)
    return sorted(sorted(edges) for edges in found)


def _from(
    root: int, near: dict[int, list[tuple[int, int, int]]], number: dict[int, int], low: dict[int, int]
) -> Iterator[set[int]]:
    """The components that a depth-first search from `root` finds."""
    number[root] = low[root] = len(number)
    path: list[tuple[int, int]] = []  # (side, edge) that were walked and are in no component yet
    stack = [(root, -1, iter(near[root]))]
    begin: dict[int, int] = {}  # vertex → place in `path` of the side by which it was entered
    while stack:
        vertex, entered, left = stack[-1]
        for other, side, edge in left:
            if side == entered:
                continue
            if other not in number:
                number[other] = low[other] = len(number)
                begin[other] = len(path)
                path.append((side, edge))
                stack.append((other, side, iter(near[other])))
                break
            if number[other] < number[vertex]:
                path.append((side, edge))
                low[vertex] = min(low[vertex], number[other])
        else:
            stack.pop()
            if stack:
                parent = stack[-1][0]
                low[parent] = min(low[parent], low[vertex])
                if low[vertex] >= number[parent]:
                    yield {edge for _, edge in path[begin[vertex] :]}
                    del path[begin[vertex] :]


def rows_of(system: System, blocks: Sequence[int]) -> np.ndarray:
    """The numbers of the rows in some blocks."""
    row = system.blocks.row
    return np.concatenate([np.arange(row[J], row[J + 1]) for J in blocks])
