"""The change of bias terms against differences of eighth order of the bias terms themselves, row by row."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from livens.compile.compiled import Compiled
from livens.kernels.kinds import TAPE, VELOCITY_ONLY
from livens.kernels.rows import bias_terms
from livens.kernels.tangent_bias import row_bias_change
from tests.helpers import mechanisms

STENCIL = ((1, 4.0 / 5.0), (2, -1.0 / 5.0), (3, 4.0 / 105.0), (4, -1.0 / 280.0))


@pytest.mark.filterwarnings("ignore::livens.ModelWarning")
def test_the_change_with_poses():
    """Every kind of row with a closed form, at poses and velocities that do not satisfy the joints."""
    compiled, rng = Compiled.of(mechanisms.every_joint(rolling=False), quiet=True), np.random.default_rng(5)
    system, state = compiled.system, compiled.state
    rows, bodies, n = system.rows, system.bodies, len(state.a)
    B = Rotation.from_rotvec(0.2 * rng.normal(size=(n, 3))).as_matrix() @ state.B
    B[0] = np.eye(3)
    a, omega, speed = state.a + 0.1 * rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    a[0] = omega[0] = speed[0] = 0.0
    p = speed * bodies.mass[:, None]
    L = np.where(bodies.inverse_inertia > 0.0, omega * bodies.inertia, 0.0)
    v = np.concatenate([speed, np.einsum("bij,bj->bi", B, bodies.inverse_inertia * L)], axis=1)
    place, turn = rng.normal(size=(2, n, 3))
    place[0] = turn[0] = 0.0

    def gamma(c):
        found = np.zeros(len(rows.kind))
        moved = Rotation.from_rotvec(c * turn).as_matrix() @ B
        bias_terms(rows, system.coordinates, bodies, a + c * place, moved, p, L, found)
        return found

    e = 1e-2
    expected = sum(w * (gamma(k * e) - gamma(-k * e)) for k, w in STENCIL) / e
    Q, change = np.zeros((int(rows.entry.max()) + 1, 6)), np.concatenate([place, turn], axis=1)
    closed = np.flatnonzero((rows.kind != TAPE) & (rows.kind < VELOCITY_ONLY) & (rows.rate == 0.0))
    assert len(set(rows.kind[closed])) >= 4
    body = {}
    for block in range(len(system.blocks.soft)):
        for side in range(system.blocks.side[block], system.blocks.side[block + 1]):
            for y in range(system.blocks.row[block + 1] - system.blocks.row[block]):
                body[int(system.blocks.side_entry[side] + y)] = int(system.blocks.side_body[side])
    for r in closed:
        row_bias_change(rows, system.coordinates, r, a, B, v, Q)
        found = sum(Q[k] @ change[body[k]] for k in set(rows.entry[r].tolist()) if body.get(k, 0))
        assert found == pytest.approx(expected[r], abs=1e-10 * max(1.0, np.abs(expected).max())), rows.kind[r]
