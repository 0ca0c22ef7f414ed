"""Mass properties against direct integrals over matter without any symmetry.

The matter is a heap of turned boxes of different density. Gauss-Legendre points integrate quadratic functions over
a box without error, so every sum over these points *is* the integral, and agreement means round-off.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from livens.describe.mass import MassProperties
from livens.describe.pose import Pose
from livens.errors import ModelError

EPS = np.finfo(float).eps


def heap(seed=0, boxes=4):
    """(points, weights) of a heap: ∫ρ f = Σ weights f(points), exact for quadratic f; and the boxes themselves."""
    rng = np.random.default_rng(seed)
    node = np.array([-1.0, 1.0]) / np.sqrt(3.0)
    grid = np.stack(np.meshgrid(node, node, node, indexing="ij"), -1).reshape(-1, 3)
    points, weights, parts = [], [], []
    for B in Rotation.random(boxes, rng).as_matrix():
        sides, at, rho = rng.uniform(0.2, 2, 3), rng.normal(size=3), rng.uniform(0.5, 5)
        mass = rho * sides.prod()
        points.append(at + (grid * sides / 2) @ B.T)
        weights.append(np.full(8, mass / 8))
        J = mass / 12 * np.diag((sides**2).sum() - sides**2)
        parts.append(MassProperties(mass, J).moved(Pose(at, B)))
    return np.concatenate(points), np.concatenate(weights), parts


def integral(points, weights, f):
    return np.einsum("n,n...->...", weights, np.array([f(r) for r in points]))


def close(a, b, size):
    np.testing.assert_allclose(a, b, rtol=0, atol=64 * EPS * size)


@pytest.fixture(params=range(3))
def matter(request):
    points, weights, parts = heap(request.param)
    return points, weights, sum(parts[1:], parts[0])


def test_sum_of_parts_is_the_integral_over_all(matter):
    points, weights, body = matter
    m = weights.sum()
    c = weights @ points / m
    J = integral(points, weights, lambda r: (r - c) @ (r - c) * np.eye(3) - np.outer(r - c, r - c))
    close(body.mass, m, m)
    close(body.center, c, 1)
    close(body.inertia, J, np.trace(J))


def test_sum_does_not_depend_on_the_order():
    _, _, parts = heap(7)
    a, b = sum(parts[1:], parts[0]), sum(parts[-2::-1], parts[-1])
    close(a.inertia, b.inertia, np.trace(a.inertia))
    close(a.center, b.center, 1)


def test_euler_tensor_has_the_opposite_sign_off_the_diagonal(matter):
    """E = ∫ρ r rᵀ. The source documents print E_ij = +J_ij, which is wrong wherever it is not zero."""
    points, weights, body = matter
    E = integral(points, weights, lambda r: np.outer(r - body.center, r - body.center))
    size = np.trace(E)
    close(body.euler, E, size)
    off = ~np.eye(3, dtype=bool)
    assert np.abs(E[off]).min() > 1e-3 * size  # the matter is not symmetric, so the sign can be seen
    close(body.euler[off], -body.inertia[off], size)
    close(np.trace(body.euler) * np.eye(3) - body.euler, body.inertia, size)


def test_inertia_about_any_point(matter):
    points, weights, body = matter
    for p in np.random.default_rng(1).normal(size=(5, 3)):
        J = integral(points - p, weights, lambda r: r @ r * np.eye(3) - np.outer(r, r))
        close(body.about(p), J, np.trace(J))


def test_matrix12_is_the_kinetic_energy_of_any_affine_motion(matter):
    """T = ½∫ρ|ȧ + Ḃr|², also where Ḃ is no spin and the reference point is anywhere."""
    points, weights, body = matter
    rng = np.random.default_rng(2)
    for reference in rng.normal(size=(4, 3)):
        M = body.matrix12(reference)
        for adot, Bdot in zip(rng.normal(size=(4, 3)), rng.normal(size=(4, 3, 3)), strict=True):
            T = 0.5 * integral(points - reference, weights, lambda r, a=adot, B=Bdot: (a + B @ r) @ (a + B @ r))
            X = np.column_stack([adot, Bdot]).ravel()
            close(0.5 * X @ M @ X, T, np.abs(M).sum())
        close(M, M.T, 0)
        assert np.linalg.eigvalsh(M).min() > 0


def test_matrix6_is_the_kinetic_energy_of_a_rigid_motion(matter):
    points, weights, body = matter
    v, w = np.random.default_rng(3).normal(size=(2, 3))
    T = 0.5 * integral(points - body.center, weights, lambda r: (v + np.cross(w, r)) @ (v + np.cross(w, r)))
    u = np.concatenate([v, w])
    close(0.5 * u @ body.matrix6 @ u, T, 10 * T)


def test_matrix6_and_matrix12_agree_on_spins(matter):
    _, _, body = matter
    v, w = np.random.default_rng(4).normal(size=(2, 3))
    X = np.column_stack([v, [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]]).ravel()
    u = np.concatenate([v, w])
    close(X @ body.matrix12(body.center) @ X, u @ body.matrix6 @ u, 10 * u @ body.matrix6 @ u)


def test_moved_matter_is_the_integral_over_moved_points(matter):
    points, weights, body = matter
    pose = Pose((3, -1, 2), Rotation.from_rotvec((1, 2, 3)).as_matrix())
    moved, x = body.moved(pose), pose.point(points)
    c = weights @ x / weights.sum()
    J = integral(x - c, weights, lambda r: r @ r * np.eye(3) - np.outer(r, r))
    close(moved.center, c, 5)
    close(moved.inertia, J, np.trace(J))
    close(moved.moved(pose.inverse()).inertia, body.inertia, np.trace(J))


def test_principal_axes_diagonalise(matter):
    _, _, body = matter
    moments, Q = body.principal()
    size = np.trace(body.inertia)
    close(Q @ np.diag(moments) @ Q.T, body.inertia, size)
    close(Q.T @ Q, np.eye(3), 1)
    assert np.linalg.det(Q) > 0
    assert (np.diff(moments) >= 0).all()


def test_principal_axes_of_a_diagonal_tensor_stay_in_order():
    moments, Q = MassProperties(1, (3, 2, 4)).principal()
    assert moments.tolist() == [3, 2, 4]
    assert Q.tolist() == np.eye(3).tolist()


@pytest.mark.parametrize("J", [(0, 1, 1), (0, 0, 0), (-1e-12, 1, 1)])
def test_principal_moments_are_never_negative(J):
    for B in [np.eye(3), *Rotation.random(5, np.random.default_rng(0)).as_matrix()]:
        assert (MassProperties(1, B @ np.diag(J) @ B.T).principal()[0] >= 0).all()


@given(st.lists(st.tuples(*4 * [st.floats(-5, 5)]), min_size=1, max_size=6))
def test_any_heap_of_point_masses_is_a_possible_body(rows):
    """Points on one line, in one plane or all in one place: sums and turns of them are never refused."""
    turn = Pose.from_axis_angle((1, 2, 3), 0.7)
    points = [MassProperties(0.1 + abs(m), (0, 0, 0), r) for m, *r in rows]
    body = sum(points[1:], points[0]).moved(turn)
    c = body.center
    J = sum(
        p.mass * ((r - c) @ (r - c) * np.eye(3) - np.outer(r - c, r - c))
        for p in points
        for r in [turn.point(p.center)]
    )
    np.testing.assert_allclose(
        body.inertia, J, rtol=0, atol=64 * EPS * (1 + np.trace(J) + sum(p.mass for p in points) * 75)
    )


def test_scaled_density(matter):
    _, _, body = matter
    twice = body.scaled(2.0)
    assert (twice.mass, twice.inertia.tolist()) == (2 * body.mass, (2 * body.inertia).tolist())
    assert twice.center.tolist() == body.center.tolist()


def test_display_box_has_the_same_inertia(matter):
    _, _, body = matter
    s = body.surface
    corners = s.vertices[:8]
    # the eight corners with weight m/24 and the centre with the rest have the tensor of the uniform box
    E = body.mass / 24 * np.einsum("ni,nj->ij", corners - body.center, corners - body.center)
    close(E, body.euler, np.trace(E))
    close(corners.mean(0), body.center, 1)
    assert s.volume > 0


def test_display_of_a_point_and_of_a_rod_can_be_seen():
    assert MassProperties(1, (0, 0, 0)).surface.volume > 0
    assert MassProperties(1, (0, 1, 1)).surface.volume > 0


def test_is_a_shape_itself_and_prints():
    body = MassProperties(1, (1, 1, 1))
    assert body.mass_properties is body
    assert repr(body).startswith("MassProperties(mass=1, inertia=[[1.0, 0.0, 0.0]")


# ── what no body can have ──

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, (1, 1, 1)), r"mass must be positive, got 0 kg"),
        ((-2, (1, 1, 1)), r"mass must be positive, got -2 kg"),
        ((NAN, (1, 1, 1)), r"mass is not finite: nan"),
        ((INF, (1, 1, 1)), r"mass is not finite: inf"),
        (("heavy", (1, 1, 1)), r"mass must be a number, not 'heavy'"),
        (((1, 2), (1, 1, 1)), r"mass must be a number, got shape \(2,\)"),
        ((1, (1, 1, NAN)), r"inertia is not finite"),
        ((1, np.full((3, 3), INF)), r"inertia is not finite"),
        ((1, (1, 1)), r"inertia must be 3 numbers, got shape \(2,\)"),
        ((1, np.eye(4)), r"inertia must be 3 x 3 numbers, got shape \(4, 4\)"),
        ((1, "round"), r"inertia must be 3 numbers, not 'round'"),
        ((1, [[1, 0, 0], [0, 1]]), r"inertia must be 3 numbers, not \[\[1, 0, 0\], \[0, 1\]\]"),
        (
            (1, [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]),
            r"inertia tensor is not symmetric: J − Jᵀ has an entry of 0.5 kg m²",
        ),
        ((1, (-0.25, 1, 1)), r"inertia tensor has a negative principal moment: -0.25 kg m²"),
        ((1, (1, 2, 3.5)), r"triangle inequality: 3.5 > 1 \+ 2 kg m²"),
        ((1, (0, 1, 2)), r"triangle inequality: 2 > 0 \+ 1 kg m²"),
        ((1, (1, 1, 1), (0, NAN, 0)), r"center of mass is not finite"),
        ((1, (1, 1, 1), (0, 0)), r"center of mass must be 3 numbers"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ModelError, match=message):
        MassProperties(*arguments)


def test_refusals_do_not_depend_on_the_axes():
    B = Rotation.from_rotvec((1, 2, 3)).as_matrix()
    with pytest.raises(ModelError, match=r"triangle inequality: 3.5 > 1"):
        MassProperties(1, B @ np.diag([1, 2, 3.5]) @ B.T)
    with pytest.raises(ModelError, match=r"negative principal moment: -0.25"):
        MassProperties(1, B @ np.diag([-0.25, 1, 1]) @ B.T)


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_the_limits_of_the_triangle_inequality_are_allowed_at_every_size(size):
    B = Rotation.from_rotvec((1, 2, 3)).as_matrix()
    for J in [(0, 1, 1), (1, 2, 3), (0, 0, 0)]:
        MassProperties(1, size * B @ np.diag(J) @ B.T)


def test_points_are_checked_at_the_door():
    body = MassProperties(1, (1, 1, 1))
    with pytest.raises(ModelError, match="reference point is not finite"):
        body.matrix12((0, 0, NAN))
    with pytest.raises(ModelError, match="point is not finite"):
        body.about((0, 0, INF))
    with pytest.raises(ModelError, match="density factor must be positive"):
        body.scaled(0.0)
