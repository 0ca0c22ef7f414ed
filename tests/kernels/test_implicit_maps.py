"""Implicit maps: residual, Jacobian and result against CasADi's own evaluation and differences; Newton's method."""

import numpy as np
import pytest

import livens.discrete as ld
from livens.discrete import stepping
from livens.discrete.simulation import compiled, first_guess, first_state
from livens.kernels import implicit, status
from livens.kernels.implicit_maps import is_convex, make_convex, residual, result

ca = pytest.importorskip("casadi")


def pendulum():
    return ld.Lagrangian(lambda q, v: 0.5 * v[0] ** 2 + ld.cos(q[0]) * (1.0 + 0.1 * v[0] ** 2), n=1)


def net():
    springs = ld.springs([(0, 1), (1, 2), (0, 2)], stiffness=[3.0, 4.0, 5.0], length=1.0, dim=2)
    return ld.Mechanical(1.5, springs, constraints=lambda x: x[0] + 0.5 * x[1] ** 2, n=6)


SYSTEMS = {
    "pendulum": (pendulum, [0.7], [0.4]),
    "net": (net, [0.0, 0.0, 1.2, 0.1, 0.4, 0.9], [0.0, 0.3, 0.1, 0.2, 0.3, 0.4]),
}
SCHEMES = [ld.Midpoint(), ld.Trapezoidal(), ld.Galerkin(4), ld.Newmark(0.3)]


def prepared(which, scheme, h=0.1):
    build, q, v = SYSTEMS[which]
    system = build()
    program = compiled(system, scheme)
    y = first_state(system, program.state, np.array(q), np.array(v), 0.0)
    work = stepping.memory(program)
    first_guess(program, work.past[0], system, np.array(q), np.array(v), 0.0, h)
    return program, work, y


@pytest.mark.parametrize("which", SYSTEMS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_the_jacobian_is_that_of_the_residual(which, scheme):
    program, work, y = prepared(which, scheme)
    n, ny = program.sizes[0], len(y)
    x = work.past[0, :n] + 0.01 * np.cos(np.arange(n))

    def R(x):
        z, r, A = np.concatenate([y, x]), np.zeros(n), np.zeros(n * n)
        residual(program.arrays, 0, z, 0.0, 0.1, work.w, r, A)
        return r, A.reshape(n, n)

    A, d = R(x)[1], 1e-6
    differences = np.column_stack([(R(x + d * e)[0] - R(x - d * e)[0]) / (2.0 * d) for e in np.eye(n)])
    np.testing.assert_allclose(A, differences, atol=1e-7 * np.abs(A).max())
    assert ny == program.state.size


@pytest.mark.parametrize("which", SYSTEMS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_a_step_solves_its_equations(which, scheme):
    program, work, y = prepared(which, scheme)
    begin, n = y.copy(), program.sizes[0]
    chain, record = np.array([0, 1]), np.zeros((2, len(y)))
    code, steps = implicit.rollout(program.arrays, chain, work, 0.0, 0.1, y, 0, 1, 1, record)
    assert (code, steps) == (status.OK, 1)
    z, r, A = np.concatenate([begin, work.past[0, :n]]), np.zeros(n), np.zeros(n * n)
    residual(program.arrays, 0, z, 0.0, 0.1, work.w, r, A)
    assert np.abs(r).max() < 1e-13 * np.abs(A).max()
    end = np.zeros_like(y)
    result(program.arrays, 0, z, 0.0, 0.1, work.w, end)
    np.testing.assert_array_equal(record[1], end)


def test_numbers_that_are_not_finite_stop_a_step():
    program, work, y = prepared("pendulum", ld.Midpoint())
    y[0] = np.nan
    code, steps = implicit.rollout(program.arrays, np.array([0, 1]), work, 0.0, 0.1, y, 0, 3, 1, np.zeros((4, len(y))))
    assert (code, steps) == (status.NOT_FINITE, 0)


def test_a_residual_of_round_off_is_known():
    """As against the numbers it is made of: rows of the matrix times the unknowns, and what R begins as."""
    system = ld.Mechanical(mass=[1.0, 1.0], potential=lambda x: 0.5 * ld.dot(x, x))
    program = compiled(system, ld.Midpoint())
    z = np.array([1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.1, 0.2])
    A = np.array([10.0, 0.0, 0.0, 10.0])
    for size, known in ((1e-13, True), (1e-11, False), (np.nan, False)):
        assert implicit.is_round_off(program.arrays, 0, A, 2, np.array([0.0, size]), z, program.state.size) == known


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_convex_blocks(size):
    """Negative eigenvalues become zero, the others stay; what is convex is not touched."""
    rng = np.random.default_rng(size)
    for shift in (0.0, 10.0):
        block = rng.normal(size=(size, size))
        block = block + block.T + shift * np.eye(size) - (1.0 - shift) * np.eye(size)
        w = np.zeros(3 + 3 * size * size)
        w[3 : 3 + size * size] = block.ravel()
        values, vectors = np.linalg.eigh(block)
        assert is_convex(w, 3, size, 1e-12) == bool(values.min() >= 0.0)
        w[3 + size * size :] = 0.0
        make_convex(w, 3, size)
        expected = vectors @ np.diag(np.maximum(values, 0.0)) @ vectors.T
        np.testing.assert_allclose(w[3 : 3 + size * size].reshape(size, size), expected, atol=1e-13 * max(1.0, shift))


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_guesses_are_polynomials_of_their_degree(degree):
    past = np.array([np.polyval([*(3.0, -2.0, 5.0)[:degree], 1.0], -k) for k in (1.0, 2.0, 3.0, 4.0)])[:, None]
    x = np.zeros(1)
    implicit.extrapolate(past, 0, 1, degree, x)
    assert x[0] == pytest.approx(1.0, abs=1e-12)  # of the polynomial at 0
    assert implicit.store_unknowns(past.copy(), 0, 1, 4, x) == degree
