"""The sparse factorisations by blocks against full matrices, for graphs of every kind."""

import numpy as np
import pytest
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

from livens.compile.ordering import NODE_ROWS, elimination_order, symbolic
from livens.kernels.arrays import Bodies, Rows
from livens.kernels.sparse import TINY, add_compliance, assemble, factor, remove_dampers, solve
from livens.kernels.sparse_lu import factor_lu, invert_block, solve_lu
from tests.helpers import dense

EPS = np.finfo(float).eps


def chain(n):
    return [(k, k + 1) for k in range(n)]


def tree(n, rng):
    return [(int(rng.integers(0, k)), k) for k in range(1, n + 1)]


def ring(n):
    return [(1 + k, 1 + (k + 1) % n) for k in range(n)] + [(0, 1)]


def grid(n):
    at = lambda i, j: 1 + i * n + j  # noqa: E731
    return [
        *((at(i, j), at(i, j + 1)) for i in range(n) for j in range(n - 1)),
        *((at(i, j), at(i + 1, j)) for i in range(n - 1) for j in range(n)),
        (0, 1),
    ]


def gears(n, rng):
    """Blocks that touch up to four bodies, as couplings do."""
    return [tuple(sorted({int(b) for b in rng.integers(0, n, size=4)})) for _ in range(n)]


def clique(n):
    return [(i, j) for i in range(n) for j in range(i)]


RANDOM = np.random.default_rng(7)
GRAPHS = {
    "one": [(0, 1)],
    "chain": chain(8),
    "tree": tree(10, RANDOM),
    "star": [(1, k) for k in range(2, 9)],
    "fixed points": [(0, k) for k in range(1, 6)],
    "ring": ring(7),
    "grid": grid(3),
    "clique": clique(6),
    "gears": [group for group in gears(7, RANDOM) if any(group)],
    "two pieces": [*chain(4), *((b + 10, c + 10) for b, c in ring(4)[:-1])],
}


class Graph:
    """A random matrix with the structure of a graph: blocks in the order of elimination, gradients, masses."""

    def __init__(self, name, seed=0, least=1, most=7):
        rng = np.random.default_rng(seed)
        touched = [sorted(group) for group in GRAPHS[name]]
        n = 1 + max(b for group in touched for b in group)
        sizes = [int(k) for k in rng.integers(least, most + 1, size=len(touched))]
        order = elimination_order(touched, sizes)
        assert sorted(order) == list(range(len(touched)))
        self.touched, self.sizes = [touched[k] for k in order], [sizes[k] for k in order]
        self.soft = [0] * len(order)
        self.rng = rng
        self.bodies = Bodies(
            mass=np.zeros(n),
            inverse_mass=np.concatenate([[0.0], rng.uniform(0.5, 2, n - 1)]),
            inertia=np.zeros((n, 3)),
            inverse_inertia=np.concatenate([[[0.0] * 3], rng.uniform(0.5, 2, (n - 1, 3))]),
            center=np.zeros((n, 3)),
            axes=np.zeros((n, 3, 3)),
        )
        self.build()

    def build(self):
        self.blocks, self.entries, self.values = symbolic(self.touched, self.sizes, self.soft)
        self.nodes = np.diff(self.blocks.node)
        self.G = self.rng.normal(size=(self.entries, 6))
        self.count = sum(self.sizes)

    def matrix(self, P, Q):
        """P M⁻¹ Qᵀ, full."""
        n = len(self.bodies.mass)
        P, Q = dense.spread(self.blocks, P, n), dense.spread(self.blocks, Q, n)
        return (P * dense.inverse_mass(self.bodies)) @ Q.T

    def assembled(self, P, Q):
        A = np.full(self.values, np.nan)
        assemble(self.bodies, self.blocks, P, Q, False, A)
        return A

    def regular(self):
        """S in blocks and in full, made regular by the identity: rows may outnumber the freedom of the bodies."""
        A, S = self.assembled(self.G, self.G), self.matrix(self.G, self.G)
        for J, o in enumerate(self.blocks.diagonal):
            n = self.nodes[J]
            A[o : o + n * n].reshape(n, n)[np.diag_indices(n)] += 1.0
        return A, S + np.eye(self.count)


def each_graph(test):
    return pytest.mark.parametrize("seed", range(2))(pytest.mark.parametrize("name", GRAPHS)(test))


@each_graph
def test_blocks_are_the_matrix(name, seed):
    graph = Graph(name, seed)
    N = graph.rng.normal(size=graph.G.shape)
    S = graph.matrix(graph.G, graph.G)
    assert np.abs(dense.matrix(graph.blocks, graph.assembled(graph.G, graph.G)) - S).max() <= 64 * EPS * np.abs(S).max()
    A = dense.matrix(graph.blocks, graph.assembled(N, graph.G), graph.assembled(graph.G, N))
    assert np.abs(A - graph.matrix(N, graph.G)).max() <= 64 * EPS * np.abs(A).max()


@each_graph
def test_symmetric_factors_solve(name, seed):
    graph = Graph(name, seed)
    A, S = graph.regular()
    pivot, x = np.zeros(graph.count), graph.rng.normal(size=graph.count)
    b = x.copy()
    factor(graph.blocks, A, pivot, TINY)
    solve(graph.blocks, A, pivot, x)
    bound = 16 * graph.count * EPS * np.linalg.cond(S)
    assert np.linalg.norm(x - np.linalg.solve(S, b)) <= bound * np.linalg.norm(x)
    L = np.linalg.cholesky(S)  # in this order the pivots are the squares of Cholesky's diagonal
    assert np.abs(pivot * np.diag(L) ** 2 - 1.0).max() <= bound


@each_graph
def test_unsymmetric_factors_solve(name, seed):
    graph = Graph(name, seed)
    N = graph.G + 0.05 * graph.rng.normal(size=graph.G.shape)
    A, U = graph.assembled(N, graph.G), graph.assembled(graph.G, N)
    full = graph.matrix(N, graph.G) + np.eye(graph.count)
    for part in (A, U):
        for J, o in enumerate(graph.blocks.diagonal):
            n = graph.nodes[J]
            part[o : o + n * n].reshape(n, n)[np.diag_indices(n)] += 1.0
    x = graph.rng.normal(size=graph.count)
    b = x.copy()
    factor_lu(graph.blocks, A, U, np.zeros(2 * max(graph.nodes) ** 2))
    solve_lu(graph.blocks, A, U, x, np.zeros(graph.count))
    bound = 64 * graph.count * EPS * np.linalg.cond(full)
    assert np.linalg.norm(x - np.linalg.solve(full, b)) <= bound * np.linalg.norm(x)


@each_graph
def test_fill_is_what_cholesky_fills(name, seed):
    """Block by block: what elimination on a full table of booleans makes, and not one block more."""
    graph = Graph(name, seed)
    bodies = [set(group) - {0} for group in graph.touched]
    full = np.array([[bool(one & two) or i == j for j, two in enumerate(bodies)] for i, one in enumerate(bodies)])
    for k in range(len(full)):
        near = np.flatnonzero(full[k + 1 :, k]) + k + 1
        full[np.ix_(near, near)] = True
    blocks, _, values = symbolic(graph.touched, graph.sizes, graph.soft, merge=False)
    for J in range(len(full)):
        found = blocks.below_block[blocks.below[J] : blocks.below[J + 1]]
        assert found.tolist() == (np.flatnonzero(full[J + 1 :, J]) + J + 1).tolist()
    sizes = np.array(graph.sizes)
    assert values == np.sum(np.tril(full) * np.outer(sizes, sizes))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["ring", "grid", "clique", "two pieces"])
def test_nodes_are_small_blocks_with_their_column(name, seed):
    """Nodes begin with blocks, have few rows, contain what the blocks fill, and dampers are apart from joints."""
    graph = Graph(name, seed, most=2)
    graph.soft = [int(k) for k in graph.rng.integers(0, 2, size=len(graph.sizes))]
    graph.build()
    blocks, (single, _, _) = graph.blocks, symbolic(graph.touched, graph.sizes, graph.soft, merge=False)
    assert set(blocks.node) <= set(blocks.row) == set(single.node)
    assert max(graph.nodes) <= max(NODE_ROWS, *graph.sizes)
    assert np.array_equal(blocks.node_soft[np.searchsorted(blocks.node, blocks.row[:-1], "right") - 1], graph.soft)
    A, B = np.zeros(graph.values), np.zeros(int(single.diagonal[-1]) + graph.sizes[-1] ** 2)
    A[:], B[:] = 1.0, 1.0
    assert np.all(dense.matrix(blocks, A) >= dense.matrix(single, B))


def test_a_grid_has_larger_nodes_and_a_chain_has_not():
    for graph, most in ((lattice(10), 0.5), (chain(100), 1.0)):
        n = len(graph)
        order = elimination_order(graph, [1] * n)
        blocks, *_ = symbolic([graph[k] for k in order], [1] * n, [0] * n)
        assert len(blocks.diagonal) <= most * n
        assert (len(blocks.diagonal) == n) == (most == 1.0)


@pytest.mark.parametrize("n", [6, 62, 510])
def test_chains_do_not_fill_and_trees_hardly(n):
    """Blocks below the diagonal against pairs of joints that share a body, in whatever order joints were added."""
    branching = [((k - 1) // 2, k) for k in range(1, n + 1)]
    for graph, most in ((chain(n), 1.0), (branching, 1.1)):
        shuffled = [graph[k] for k in np.random.default_rng(n).permutation(n)]
        order = elimination_order(shuffled, [3] * n)
        blocks, *_ = symbolic([shuffled[k] for k in order], [3] * n, [0] * n)
        on_body = np.bincount([b for group in graph for b in group])[1:]
        assert len(blocks.below_block) <= most * np.sum(on_body * (on_body - 1) // 2)


def lattice(n):
    """n × n bodies in a lattice on rods, hung by one corner."""
    at = {(i, j): 1 + i * n + j for i in range(n) for j in range(n)}
    beside = [
        (b, at[i + di, j + dj]) for (i, j), b in at.items() for di, dj in ((1, 0), (0, 1)) if (i + di, j + dj) in at
    ]
    return [*beside, (0, 1)]


@pytest.mark.parametrize("graph", [lattice(10), lattice(30), [((k - 1) // 2, k) for k in range(1, 1024)]])
def test_fill_is_no_more_than_that_of_superlu(graph):
    """Against SuperLU's minimum degree on the same pattern, up to the luck of small numbers."""
    n = len(graph)
    pairs = [(i, j) for i in range(n) for j in range(n) if set(graph[i]) & set(graph[j]) - {0}]
    i, j = np.array(pairs).T
    pattern = csc_matrix((np.where(i == j, float(n), 1.0), (i, j)))
    theirs = splu(pattern, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    order = elimination_order(graph, [1] * n)
    blocks, *_ = symbolic([graph[k] for k in order], [1] * n, [0] * n, merge=False)
    assert n + len(blocks.below_block) <= 1.02 * theirs.L.nnz


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["chain", "ring", "clique"])
def test_repeated_rows_have_no_pivot(name, seed):
    """A row that is a multiple of another gets pivot zero, and the rest is solved as if it were not there."""
    graph = Graph(name, seed, least=2, most=2)
    J = len(graph.sizes) // 2
    for s in range(graph.blocks.side[J], graph.blocks.side[J + 1]):
        e = graph.blocks.side_entry[s]
        graph.G[e + 1] = 3.0 * graph.G[e]
    S = graph.matrix(graph.G, graph.G)
    rank = np.linalg.matrix_rank(S, tol=1e-10)
    A, pivot = graph.assembled(graph.G, graph.G), np.zeros(graph.count)
    factor(graph.blocks, A, pivot, 1e-13)
    assert np.sum(pivot == 0.0) == graph.count - rank
    x = S @ graph.rng.normal(size=graph.count)
    b = x.copy()
    solve(graph.blocks, A, pivot, x)
    values = np.linalg.eigvalsh(S)
    bound = 64 * graph.count * EPS * values[-1] / values[values > 1e-10 * values[-1]][0]
    assert np.abs(S @ x - b).max() <= bound * np.abs(b).max()
    assert not x[pivot == 0.0].any()


def test_soft_rows():
    """soften adds 2/(hc) and the shift to the diagonal; harden turns soft blocks into the identity, alone."""
    graph = Graph("grid", 3, most=3)
    graph.soft = [int(k % 3 == 0) for k in range(len(graph.sizes))]
    graph.build()
    soft = np.repeat(graph.soft, graph.sizes).astype(bool)
    rate = np.where(soft, graph.rng.uniform(0.5, 2, graph.count), 0.0)
    metric = graph.rng.uniform(0.5, 2, graph.count)
    rows = Rows(**{field: np.zeros(0) for field in Rows._fields} | {"rate": rate, "metric": metric})
    A, S = graph.assembled(graph.G, graph.G), graph.matrix(graph.G, graph.G)
    diagonal, h, shift = np.zeros(graph.count), 0.02, 1e-3
    add_compliance(rows, graph.blocks, shift, h, A, diagonal)
    S[np.diag_indices_from(S)] += shift * metric
    S[np.diag_indices_from(S)] += np.divide(2.0, h * rate, out=np.zeros_like(rate), where=soft)
    assert np.abs(dense.matrix(graph.blocks, A) - S).max() <= 64 * EPS * np.abs(S).max()
    assert np.abs(diagonal - np.diag(S)).max() <= 64 * EPS * np.abs(S).max()
    H = np.full_like(A, np.nan)
    remove_dampers(graph.blocks, A, H)
    hard = np.where(soft[:, None] | soft, np.eye(graph.count), S)
    assert np.abs(dense.matrix(graph.blocks, H) - hard).max() <= 64 * EPS * np.abs(S).max()
    assert np.abs(dense.matrix(graph.blocks, A) - S).max() <= 64 * EPS * np.abs(S).max()


@pytest.mark.parametrize("n", range(1, 8))
def test_small_inverses(n):
    """With exchanges of rows: also where the first pivot is zero."""
    rng = np.random.default_rng(n)
    for _ in range(5):
        X = rng.normal(size=(n, n))
        if n > 1:
            X[0, 0] = 0.0
        A = np.concatenate([[7.0], X.ravel(), [8.0]])
        invert_block(A, 1, n)
        assert A[0] == 7.0
        assert A[-1] == 8.0
        bound = 64 * n * EPS * np.linalg.cond(X)
        assert np.linalg.norm(A[1:-1].reshape(n, n) @ X - np.eye(n)) <= bound


def test_nothing_to_factor():
    blocks, entries, values = symbolic([], [], [])
    assert (entries, values, elimination_order([], [])) == (0, 0, [])
    factor(blocks, np.zeros(0), np.zeros(0), TINY)
    solve(blocks, np.zeros(0), np.zeros(0), np.zeros(0))
