"""The Jacobian of a user-written function in one pass: the columns are those of one pass for each number."""

import numpy as np
import pytest

from livens.kernels import opcodes
from livens.kernels.tangent_tape import run_with_derivatives, run_with_gradients

FUNCTIONS = [name for name, number in vars(opcodes).items() if name.isupper() and number <= opcodes.IF_ELSE_ZERO]
FUNCTIONS = [name for name in FUNCTIONS if name not in ("TIME", "VELOCITIES", "RESULT")]


@pytest.mark.parametrize("x", [(0.3, 0.7), (0.4, 0.2)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_columns_are_the_same(name, x):
    """w₂ = f(w₀, w₁), w₃ = w₂ w₀, with derivatives by both inputs, for every function of a tape."""
    shift = 1.0 if name == "ACOSH" else 0.0
    code = np.array([(getattr(opcodes, name), 2, 0, 1), (opcodes.MUL, 3, 2, 0)], dtype=np.int64)
    constant, start = np.array([1.7, 0.0]), np.array([x[0] + shift, x[1], 0.0, 0.0])
    w, d = start.copy(), np.zeros((4, 3))
    d[0, 0] = d[1, 1] = 1.0
    run_with_gradients(code, constant, 0, 2, w, d, 2)
    assert not d[:, 2].any()
    for column in range(2):
        v, e = start.copy(), np.zeros(4)
        e[column] = 1.0
        run_with_derivatives(code, constant, 0, 2, v, e)
        np.testing.assert_array_equal(v, w)
        np.testing.assert_allclose(d[:, column], e, rtol=1e-15, atol=0)


def test_a_zero_derivative_stays_zero_where_the_slope_is_infinite():
    code = np.array([(opcodes.SQRT, 1, 0, 0)], dtype=np.int64)
    w, d = np.zeros(2), np.zeros((2, 2))
    d[0, 1] = 1.0
    with np.errstate(all="ignore"):
        run_with_gradients(code, np.zeros(1), 0, 1, w, d, 2)
    assert d[1, 0] == 0.0
    assert d[1, 1] == np.inf
