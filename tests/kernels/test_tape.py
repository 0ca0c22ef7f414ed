"""The interpreter: every operation against NumPy, and CasADi's own evaluation against ours."""

import inspect
import math

import numpy as np
import pytest

from livens import ModelError
from livens.kernels import opcodes
from livens.kernels.tape import run

NUMPY = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": np.divide,
    "NEG": np.negative,
    "SQ": np.square,
    "TWICE": lambda x: 2.0 * x,
    "INV": np.reciprocal,
    "ASSIGN": lambda x: x,
    "SQRT": np.sqrt,
    "SIN": np.sin,
    "COS": np.cos,
    "TAN": np.tan,
    "ASIN": np.arcsin,
    "ACOS": np.arccos,
    "ATAN": np.arctan,
    "ATAN2": np.arctan2,
    "SINH": np.sinh,
    "COSH": np.cosh,
    "TANH": np.tanh,
    "ASINH": np.arcsinh,
    "ACOSH": np.arccosh,
    "ATANH": np.arctanh,
    "EXP": np.exp,
    "LOG": np.log,
    "POW": np.power,
    "CONSTPOW": np.power,
    "FABS": np.abs,
    "SIGN": np.sign,
    "COPYSIGN": np.copysign,
    "FLOOR": np.floor,
    "CEIL": np.ceil,
    "FMOD": np.fmod,
    "REMAINDER": math.remainder,
    "FMIN": np.fmin,
    "FMAX": np.fmax,
    "HYPOT": np.hypot,
    "EXPM1": np.expm1,
    "LOG1P": np.log1p,
    "ERF": math.erf,
    "LT": np.less,
    "LE": np.less_equal,
    "EQ": np.equal,
    "NE": np.not_equal,
    "NOT": np.logical_not,
    "AND": np.logical_and,
    "OR": np.logical_or,
    "IF_ELSE_ZERO": lambda x, y: y if x else 0.0,
}
PLACES = ("TIME", "VELOCITIES", "RESULT")
NAMES = sorted(name for name in vars(opcodes) if name.isupper() and name not in (*PLACES, "CONST"))
VALUES = [(0.3, 0.7), (-0.4, 1.5), (0.9, -0.25), (2.5, 2.0), (-1.75, 3.0), (0.0, 0.5), (0.6, 0.0), (1.0, 1.0)]


def operands(function):
    return getattr(function, "nin", None) or len(inspect.signature(function).parameters)


def play(name, x, y):
    w = np.array([x, y, np.nan])
    code = np.array([[getattr(opcodes, name), 2, 0, 1]])
    with np.errstate(all="ignore"):
        run(code, np.zeros(1), 0, 1, w)
    return w[2]


@pytest.mark.parametrize("name", NAMES)
def test_every_operation_is_numpys(name):
    """To the last places of the library's functions; where NumPy has NaN or infinity, so have we."""
    assert set(NUMPY) == set(NAMES)
    for x, y in VALUES:
        with np.errstate(all="ignore"):
            try:
                expected = float(NUMPY[name](*(x, y)[: operands(NUMPY[name])]))
            except ValueError:  # math.remainder(x, 0)
                expected = np.nan
        assert np.allclose(play(name, x, y), expected, rtol=4 * np.finfo(float).eps, atol=0, equal_nan=True), (x, y)


def test_opcodes_are_different_small_numbers():
    numbers = [getattr(opcodes, name) for name in [*NAMES, "CONST"]]
    assert sorted(numbers) == list(range(len(numbers)))


def test_constants_and_chains():
    """w₃ = 2.5 + w₀, then w₂ = w₃²: instructions run in order, and only those asked for."""
    code = np.array([[opcodes.CONST, 1, 0, 0], [opcodes.ADD, 3, 1, 0], [opcodes.SQ, 2, 3, 0], [opcodes.NEG, 2, 2, 0]])
    w = np.array([0.5, 0.0, 0.0, 0.0])
    run(code, np.array([2.5, 0.0, 0.0, 0.0]), 0, 3, w)
    assert w.tolist() == [0.5, 2.5, 9.0, 3.0]


def test_the_symbolic_side_knows_the_same_operations():
    symbolic = pytest.importorskip("livens.formula.formula")
    assert set(symbolic.OPERATIONS) == set(NAMES)


def test_a_flattened_function_is_the_function():
    """Everything at once: inputs used twice, results that are inputs, constants, zero, or each other."""
    ca = pytest.importorskip("casadi")
    from livens.formula.formula import flatten

    x, t = ca.SX.sym("x", 3), ca.SX.sym("t")
    s = ca.sin(x[0]) * x[1] + ca.if_else(x[2] > 0.2, ca.sqrt(x[2]), x[2] ** 3)
    zero = ca.SX(3, 1)
    zero[1] = ca.atan2(s, t) + ca.fmax(x[0], t)
    f = ca.Function("f", [x, t], [s, zero, ca.gradient(s, x), x[1], ca.SX(4.0), s])
    flat = flatten(f)
    code = np.column_stack([[getattr(opcodes, name) for name in flat.operations], flat.registers])
    rng = np.random.default_rng(0)
    for _ in range(20):
        given = rng.normal(size=4)
        w = np.zeros(flat.size)
        w[:4] = given
        run(code, flat.constants, 0, len(code), w)
        expected = np.concatenate([np.array(ca.densify(y)).ravel() for y in f(given[:3], given[3])])
        assert np.allclose(w[4 : 4 + len(expected)], expected, rtol=1e-14, atol=1e-15)


def test_an_operation_nobody_knows_is_named():
    ca = pytest.importorskip("casadi")
    from livens.formula.formula import flatten

    x = ca.SX.sym("x")
    with pytest.raises(ModelError, match="the operation ERFINV of CasADi cannot be used"):
        flatten(ca.Function("f", [x], [ca.erfinv(x)]))
