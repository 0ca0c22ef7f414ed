"""Rows of joints that the planes of a planar model imply: they are left out of the stepping, and no warning names them.

In a planar model every body has rows that keep it to its plane with the normal n (describe/plane.py). Its motions are
δx ⟂ n and δθ ∥ n. A row of a joint whose gradient vanishes on all of these is implied:

    G_x (I − n nᵀ) = 0    and    G_θ Bᵀ n = 0    for each body.                                                     (1)

Of the kinds COINCIDE, DOT1 and DOT2 such rows are implied at every position, not only at the start: a component along
n, a direction along n against one across it.
"""

from __future__ import annotations

import numpy as np

from ..describe.plane import plane_normal
from ..kernels.kinds import COINCIDE, DOT1, DOT2
from .assembly import Assembly

FLAT = 1e-7  # part of the length of a gradient, below which its planar part counts as zero


def flat_rows(fit: Assembly) -> frozenset[int]:
    """The rows of joints that the planes of the bodies imply, by (1); none if the model is not planar."""
    if not fit.model.planar:
        return frozenset()
    n = plane_normal(fit.model.planar)
    fit.evaluate_jacobian()
    blocks, planes = fit.system.blocks, {id(plane) for plane in fit.model.planes}
    rows = len(fit.owners)
    planar, whole = np.zeros(rows), np.zeros(rows)
    for J in range(len(blocks.soft)):
        part = slice(int(blocks.row[J]), int(blocks.row[J + 1]))
        for s in range(int(blocks.side[J]), int(blocks.side[J + 1])):
            first = int(blocks.side_entry[s])
            G = fit.work.G[first : first + part.stop - part.start]
            about = fit.state.B[blocks.side_body[s]].T @ n
            across = G[:, :3] - np.outer(G[:, :3] @ n, n)
            lever = np.sqrt(np.maximum(1e-300, (G[:, 3:] ** 2).sum(axis=1)))
            planar[part] = np.maximum(planar[part], np.linalg.norm(across, axis=1))
            planar[part] = np.maximum(planar[part], np.abs(G[:, 3:] @ about) / np.maximum(1.0, lever))
            whole[part] = np.maximum(whole[part], np.maximum(np.linalg.norm(G[:, :3], axis=1), np.minimum(1.0, lever)))
    kinds = np.isin(fit.system.rows.kind, (COINCIDE, DOT1, DOT2)) & fit.hard
    found = np.flatnonzero(kinds & (planar <= FLAT * whole))
    return frozenset(r for r in found.tolist() if id(fit.owners[r]) not in planes)
