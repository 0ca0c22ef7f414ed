"""What the kernels keep in blocks, as plain matrices: the gradients, the inverse masses, S."""

import numpy as np

from livens.compile.system import scratch
from livens.kernels.rows import jacobians


def spread(blocks, entries, bodies):
    """Gradient entries as a matrix (rows, 6 · bodies)."""
    G = np.zeros((blocks.row[-1], bodies, 6))
    for J in range(len(blocks.soft)):
        first, last = blocks.row[J], blocks.row[J + 1]
        for s in range(blocks.side[J], blocks.side[J + 1]):
            e = blocks.side_entry[s]
            G[first:last, blocks.side_body[s]] = entries[e : e + last - first]
    return G.reshape(len(G), -1)


def gradient(system, a, B):
    """G at the configuration (a, B), (rows, 6 n), the world's columns zero."""
    work = scratch(system)
    work.G[:] = np.nan  # whatever is not written shows
    jacobians(system.rows, system.coordinates, a, B, work.G)
    return spread(system.blocks, work.G, len(a))


def inverse_mass(bodies):
    """The diagonal of M⁻¹, (6 n,)."""
    return np.concatenate([np.repeat(bodies.inverse_mass[:, None], 3, axis=1), bodies.inverse_inertia], axis=1).ravel()


def matrix(blocks, A, U=None):
    """The matrix whose lower blocks stand in A: symmetric, or with the upper blocks, transposed, in U."""
    full = np.zeros((blocks.row[-1],) * 2)
    U = A if U is None else U
    for J in range(len(blocks.diagonal)):
        j = slice(blocks.node[J], blocks.node[J + 1])
        n = j.stop - j.start
        full[j, j] = A[blocks.diagonal[J] :][: n * n].reshape(n, n)
        for k in range(blocks.below[J], blocks.below[J + 1]):
            I, o = blocks.below_block[k], blocks.below_offset[k]
            i = slice(blocks.node[I], blocks.node[I + 1])
            m = i.stop - i.start
            full[i, j] = A[o : o + m * n].reshape(m, n)
            full[j, i] = U[o : o + m * n].reshape(m, n).T
    return full
