"""Poses against scipy's Rotation, which shares no code with them, and against the laws of the group."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from livens.describe.pose import Pose, hat, quaternions, rotation_matrix
from livens.errors import ModelError

EPS = np.finfo(float).eps
TIGHT = 32 * EPS  # a handful of operations on numbers of size one
ORDERS = ["".join(o) for o in product("xyz", repeat=3) if o[0] != o[1] and o[1] != o[2]]

number = st.floats(-10, 10)
triple = st.tuples(number, number, number)
unit = st.tuples(*4 * [st.floats(-1, 1)]).filter(lambda q: np.linalg.norm(q) > 0.1)
poses = st.builds(lambda q, a: Pose.from_quaternion(q, at=a), unit, triple)


def random_poses(count, seed=1):
    rng = np.random.default_rng(seed)
    return [
        Pose(a, B) for a, B in zip(rng.normal(size=(count, 3)), Rotation.random(count, rng).as_matrix(), strict=True)
    ]


def close(a, b, size=1.0):
    np.testing.assert_allclose(a, b, rtol=0, atol=TIGHT * size)


# ── the group ──


@given(poses, poses, triple)
def test_product_is_one_motion_after_the_other(p, q, r):
    close((p @ q).point(r), p.point(q.point(r)), 50)
    close((p @ q).direction(r), p.direction(q.direction(r)), 50)


@given(poses, poses, poses)
def test_product_is_associative(p, q, s):
    close(((p @ q) @ s).matrix, (p @ (q @ s)).matrix, 50)


@given(poses, triple)
def test_inverse_undoes_from_both_sides(p, r):
    close((p @ p.inverse()).matrix, np.eye(4), 50)
    close((p.inverse() @ p).matrix, np.eye(4), 50)
    close(p.inverse().point(p.point(r)), r, 50)


def test_product_does_not_commute():
    turn, move = Pose.from_axis_angle((0, 0, 1), np.pi / 2), Pose((1, 0, 0))
    close((turn @ move).a, (0, 1, 0))
    close((move @ turn).a, (1, 0, 0))


def test_matrix_product_is_the_pose_product():
    for p, q in zip(random_poses(50, 1), random_poses(50, 2), strict=True):
        close((p @ q).matrix, p.matrix @ q.matrix, 4)


def test_points_of_any_shape():
    p = random_poses(1)[0]
    r = np.random.default_rng(0).normal(size=(4, 5, 3))
    close(p.point(r), p.a + np.einsum("ij,abj->abi", p.B, r), 4)
    close(p.direction(r), p.point(r) - p.a, 8)


def test_hat_is_the_cross_product():
    w, r = np.random.default_rng(0).normal(size=(2, 3))
    close(hat(w) @ r, np.cross(w, r))


# ── other descriptions, against scipy ──


@given(triple.filter(lambda u: np.linalg.norm(u) > 1e-3), st.floats(-20, 20))
def test_axis_angle(axis, angle):
    u = np.array(axis) / np.linalg.norm(axis)
    close(Pose.from_axis_angle(axis, angle).B, Rotation.from_rotvec(angle * u).as_matrix(), 40)


@given(unit)
def test_quaternion_is_scalar_first(q):
    B = Rotation.from_quat(q, scalar_first=True).as_matrix()
    close(Pose.from_quaternion(q).B, B)
    back = Pose.from_quaternion(q).to_quaternion()
    assert back[0] >= 0
    close(abs(back @ np.array(q)), np.linalg.norm(q))


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (-1, 2, 3), (1e-9, 0, -1)])
@pytest.mark.parametrize("gap", [0.0, 1e-16, 1e-12, 1e-8, 1e-4, -1e-8])
def test_quaternion_near_a_half_turn(axis, gap):
    """The formula that divides by w loses all digits here."""
    u, angle = np.array(axis) / np.linalg.norm(axis), np.pi - gap
    q = Pose.from_axis_angle(axis, angle).to_quaternion()
    exact = np.array([np.cos(angle / 2), *np.sin(angle / 2) * u])
    close(q, exact * np.sign(exact[0] * q[0] or exact[1:] @ q[1:]))
    found, turn = Pose.from_axis_angle(axis, angle).to_axis_angle()
    close(turn, angle if angle <= np.pi else 2 * np.pi - angle, 4)
    close(np.outer(found, found), np.outer(u, u))


def test_quaternions_of_many_at_once():
    R = Rotation.random(500, np.random.default_rng(3))
    q = quaternions(R.as_matrix())
    close(q, R.as_quat(canonical=True, scalar_first=True))
    assert quaternions(np.zeros((0, 3, 3))).shape == (0, 4)


@pytest.mark.parametrize("angle", [1e-12, 1e-8, 1e-4, 1.0, 3.0])
def test_axis_angle_round_trip_keeps_small_angles(angle):
    axis, back = Pose.from_axis_angle((1, -2, 2), angle).to_axis_angle()
    assert abs(back - angle) <= TIGHT
    np.testing.assert_allclose(axis, np.array([1, -2, 2]) / 3, atol=TIGHT / angle)


def test_identity_has_an_axis():
    axis, angle = Pose().to_axis_angle()
    assert (axis.tolist(), angle) == ([1.0, 0.0, 0.0], 0.0)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_are_degrees_about_moving_axes(order):
    rng = np.random.default_rng(4)
    for angles in rng.uniform(-180, 180, size=(20, 3)):
        R = Rotation.from_euler(order.upper(), angles, degrees=True)
        p = Pose.from_euler(angles, order)
        close(p.B, R.as_matrix())
        np.testing.assert_allclose(p.to_euler(order), R.as_euler(order.upper(), degrees=True), atol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("gap", [0.0, 1e-14, 1e-12, 3e-12, 1e-10, 1e-8, 1e-7, 1e-5])
@pytest.mark.parametrize("pole", [-1, 1])
def test_euler_angles_at_and_near_gimbal_lock_still_give_the_rotation(order, gap, pole):
    """There the single angles are free or ill determined, but the rotation they describe together is not."""
    middle = pole * 90.0 if order[0] != order[2] else (0.0 if pole < 0 else 180.0)
    exact = Pose.from_euler((25.0, middle - pole * np.degrees(gap), -70.0), order)
    for q in random_poses(5):
        B = (q.inverse() @ (q @ exact)).B  # the same with the round-off of a computation in every entry
        close(Pose.from_euler(Pose(B=B).to_euler(order), order).B, B, 2e-12 / TIGHT)


@pytest.mark.parametrize("order", ["zyx", "zxz"])
def test_gimbal_lock_sets_the_third_angle_to_zero(order):
    middle = 90.0 if order == "zyx" else 0.0
    angles = Pose.from_euler((25.0, middle, -70.0), order).to_euler(order)
    assert angles[2] == 0.0
    np.testing.assert_allclose(angles[0], 95.0 if order == "zyx" else -45.0, atol=1e-9)


def test_matrix_and_column_major():
    for p in random_poses(5):
        close(Pose.from_matrix(p.matrix).matrix, p.matrix)
        c = p.column_major()
        assert all(type(x) is float for x in c)
        assert c[12:] == [*p.a, 1.0]  # three.js and glTF keep the translation in the last four numbers
        assert np.array(c).reshape(4, 4, order="F").tolist() == p.matrix.tolist()


def test_nearest_is_the_polar_factor():
    rng = np.random.default_rng(5)
    for p in random_poses(20):
        B = p.B + 0.1 * rng.normal(size=(3, 3))
        near = Pose.nearest(B, at=p.a)
        best = np.linalg.norm(near.B - B)
        assert all(np.linalg.norm(R - B) >= best for R in Rotation.random(20, rng).as_matrix())
        close((near.B.T @ B), (near.B.T @ B).T, 8)  # the rest of a polar decomposition is symmetric
        close(near.a, p.a)
        close(Pose.nearest(p.B).B, p.B)


def test_nearest_to_a_reflection_is_a_rotation():
    assert np.linalg.det(Pose.nearest(np.diag([1.0, 1.0, -0.5])).B) > 0


def test_a_pose_keeps_its_own_numbers():
    a, B = np.zeros(3), np.eye(3)
    p = Pose(a, B)
    a[0], B[0, 0] = 5.0, 7.0
    assert p.point((1, 0, 0)).tolist() == [1.0, 0.0, 0.0]
    assert repr(p) == "Pose(at=[0.0, 0.0, 0.0], quaternion=[1.0, 0.0, 0.0, 0.0])"


# ── refusals ──

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pose((0, 0, NAN)), r"position is not finite: \[0.0, 0.0, nan\]"),
        (lambda: Pose((0, INF, 0)), r"position is not finite"),
        (lambda: Pose((0, 0)), r"position must be 3 numbers, got shape \(2,\)"),
        (lambda: Pose("here"), r"position must be 3 numbers, not 'here'"),
        (lambda: Pose(B=np.full((3, 3), NAN)), "rotation is not finite"),
        (lambda: Pose(B=np.eye(2)), r"rotation must be 3 x 3 numbers, got shape \(2, 2\)"),
        (lambda: Pose(B=np.diag([1, 1, 1.001])), r"not orthonormal: the largest entry of BᵀB − I is 0.002"),
        (lambda: Pose(B=np.diag([1.0, 1.0, -1.0])), r"rotation is a reflection"),
        (lambda: Pose.from_axis_angle((0, 0, 0), 1.0), r"axis has length zero: give a direction"),
        (lambda: Pose.from_axis_angle((0, NAN, 1), 1.0), r"axis is not finite"),
        (lambda: Pose.from_axis_angle((0, 0, 1), INF), r"angle is not finite"),
        (lambda: Pose.from_quaternion((0, 0, 0, 0)), r"quaternion has length zero"),
        (lambda: Pose.from_quaternion((1, 0, 0, NAN)), r"quaternion is not finite"),
        (lambda: Pose.from_euler((0, INF, 0)), r"Euler angles is not finite|Euler angles are not finite"),
        (lambda: Pose.from_euler((0, 0, 0), "zzx"), r"order of Euler angles must be three axes .* got 'zzx'"),
        (lambda: Pose.from_matrix(2 * np.eye(4)), r"last row of a rigid 4 x 4 matrix"),
        (lambda: Pose.from_matrix(np.diag([2.0, 1, 1, 1])), r"not orthonormal"),
        (lambda: Pose.nearest(np.zeros((3, 3))), r"rank one or less"),
        (lambda: Pose.nearest(np.full((3, 3), INF)), r"rotation is not finite"),
    ],
)
def test_refuses(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_orthonormality_is_judged_at_1e_9_and_nearest_repairs_it():
    B = random_poses(1)[0].B
    assert rotation_matrix(B * (1 + 2e-10)) is not None
    bad = B * (1 + 1e-8)
    with pytest.raises(ModelError, match=r"elbow is not orthonormal: .* is 2e-08; Pose.nearest\(B\) projects it"):
        rotation_matrix(bad, "elbow")
    close(Pose.nearest(bad).B, B, 4)


@pytest.mark.parametrize("size", [1e-200, 1e200, 1e-320, 1e308])
def test_directions_and_quaternions_of_any_size(size):
    close(Pose.from_axis_angle((0, size, size), 1.0).B, Pose.from_axis_angle((0, 1, 1), 1.0).B)
    close(Pose.from_quaternion((size, 0, 0, size)).B, Pose.from_quaternion((1, 0, 0, 1)).B)
