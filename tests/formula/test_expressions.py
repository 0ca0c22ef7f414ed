"""Expressions against Python and NumPy, which evaluate the same text; and errors."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import livens as lv
from livens.formula.expression import evaluate
from livens.formula.grammar import MAX_DEPTH, MAX_LENGTH, MAX_OPERATORS, parsed

NAMES = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "atan2": np.arctan2, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "sqrt": np.sqrt, "exp": np.exp,
    "log": np.log, "abs": np.abs, "sign": np.sign, "floor": np.floor, "ceil": np.ceil, "min": np.fmin, "max": np.fmax,
    "where": np.where, "pi": np.pi,
}  # fmt: skip


def python(text, **names):
    """The value of the text in Python, whose grammar is the reference; the texts are those of this file."""
    with np.errstate(all="ignore"):
        return eval(text, {"__builtins__": {}}, {**NAMES, **names})


TEXTS = [
    "1 + 2*t - 3/4", "-t**2", "(-t)**2", "2**-t", "2**3**0.5", "-2**-2", "t - 1 - 2", "t/2/3", "t/(2*3)", "+t", "--t",
    "1.5e-3*t", ".5 + 2. + 1e2", "sin(3*t) + cos(t/2)**2", "atan2(t, 2) - atan(t/2)", "sqrt(abs(t)) + exp(-t)",
    "log(1 + t**2)", "asin(sin(t)/2) + acos(0.3)", "sinh(t) - cosh(t) + tanh(t)", "sign(t - 1)", "floor(t) + ceil(t)",
    "min(t, 1) + max(t, 1)", "where(t < 1, t, 1/t)", "1*(t > 1) + 1*(t <= 1)", "1*(t == 2) - 1*(t != 2)", "2*pi*t",
    "tan(t)", "(((t)))", "t ** 2 ** 3", "1e308*10",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_values_agree_with_python(text):
    for t in (-1.7, 0.3, 2.0):
        mine, theirs = lv.Expression(text)(t), python(text, t=np.float64(t))
        assert mine == theirs or (np.isnan(mine) and np.isnan(theirs))


def test_division_by_zero_is_infinite():
    assert lv.Expression("1/0*t")(2.0) == math.inf
    assert np.isnan(lv.Expression("0/0")(2.0))


trees = st.recursive(
    st.sampled_from(["t", "0.7", "2", "x"]),
    lambda x: st.one_of(
        st.tuples(x, st.sampled_from(["+", "-", "*", "/", "**"]), x).map(lambda p: f"{p[0]} {p[1]} {p[2]}"),
        x.map(lambda a: f"-{a}"),
        x.map(lambda a: f"({a})"),
        st.tuples(st.sampled_from(["sin", "exp", "sqrt"]), x).map(lambda p: f"{p[0]}({p[1]})"),
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(trees, st.floats(0.1, 2.0))
def test_values_of_random_texts_agree_with_python(text, t):
    numbers = {"t": np.float64(t), "x": np.float64(1.3)}
    try:
        theirs = python(text, **numbers)
    except (OverflowError, ZeroDivisionError, ValueError):
        return  # Python's own numbers are stricter than IEEE's
    mine = lv.Expression(text, x=1.3)(t)
    if isinstance(theirs, complex):
        return  # a negative constant to a broken power
    assert mine == theirs or (np.isnan(mine) and np.isnan(theirs))


def test_vectors():
    u, v = (1.0, 2.0, 3.0), (-1.0, 0.5, 2.0)
    value = lambda text: evaluate(parsed(text), {"u": u, "v": v, "k": 2.0}, text)  # noqa: E731
    assert value("dot(u, v)") == np.dot(u, v)
    assert value("cross(u, v)") == tuple(np.cross(u, v))
    assert value("norm(u)") == np.sqrt(np.dot(u, u))
    assert value("k*u - v/k + [1, 1, 1]") == tuple(2 * np.array(u) - np.array(v) / 2 + 1)
    assert value("u*k") == value("k*u")
    assert value("-u") == (-1.0, -2.0, -3.0)
    assert value("u[2]") == 3.0
    assert value("d = u - v; e = d[0]*k\n\n (e + # a word\n d[1])") == 5.5


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "cannot be empty"),
        ("1 +", "column 4: invalid syntax"),
        ("sinn(t)", "did you mean 'sin'"),
        ("sin t", r"'\(' is missing after the function 'sin'"),
        ("t^2", r"powers are written \*\*"),
        ("k*t", "'k', which is not defined"),
        ("(t", r"column 1: '\(' was never closed"),
        ("1 2", "column 1: invalid syntax"),
        ("t = 3; t", "'t' is reserved"),
        ("sin = 3; t", "'sin' is reserved"),
        ("a = b; b = 1; a", "'b', which is not defined"),
        ("a = 1 t; a", "column 5: invalid syntax"),
        ("a = 1", "the last line must be a value"),
        ("1; a", "every line before the last must be"),
        ("t < 1 < 2", "is not part of the language"),
        ("t // 2", r"the operators are \+ - \* / \*\*"),
        ("0x10 + 1_000", "is not part of the language"),
        ("sin(t, x=1)", "is not part of the language"),
        ("[]", "is not part of the language"),
        ("(1, 2)", "is not part of the language"),
        ("t if t else 1", "invalid syntax"),
        ("[x for x in t]", "invalid syntax"),
        ("t!", "is not allowed here"),
        ("atan2(t)", "atan2 takes 2 values, not 1"),
        ("a.b", "'.' is not allowed here"),
        ("'x'", "is not allowed here"),
        ("t[0.5]", "a whole number"),
        ("lambda: 0", "is not allowed here"),
        ("__import__('os').system('true')", "is not allowed here"),
        ("-" * (MAX_DEPTH + 1) + "1", "are nested"),
        ("(" * 1000 + "1" + ")" * 1000, "are nested"),
        ("1+" * MAX_LENGTH + "1", f"characters; the limit is {MAX_LENGTH}"),
    ],
)
def test_errors_when_a_text_is_parsed(text, fault):
    with pytest.raises(lv.ModelError, match=fault) as error:
        lv.Expression(text)
    assert len(str(error.value)) < 250


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[1, 2][5]", r"a vector of 2 has no entry \[5\]"),
        ("t[0]", "a number has no entry"),
        ("[1, [2, 3]]", "not vectors"),
        ("[1, 2, 3] + t", "only numbers, or vectors of equal length"),
        ("[1, 2, 3]*[1, 2, 3]", "dot"),
        ("2/[1, 2, 3]", "takes numbers, not vectors"),
        ("[1, 2, 3]**2", "takes numbers, not vectors"),
        ("sin([1, 2, 3])", "sin takes numbers"),
        ("dot(1, 2)", "dot takes vectors"),
        ("cross([1, 2], [3, 4])", "cross takes vectors"),
        ("[1, 2] < 3", "takes numbers"),
    ],
)
def test_errors_when_a_value_is_computed(text, fault):
    with pytest.raises(lv.ModelError, match=fault):
        lv.Expression(text)(1.0)


def test_long_sums():
    """A line may have a thousand operators; more are an error. The number of lines is limited by the length."""
    line = "t" + "+t" * MAX_OPERATORS
    assert lv.Expression(line)(1.0) == MAX_OPERATORS + 1
    lines = "\n".join(f"a{k} = {line}" for k in range(9)) + "\n" + "+".join(f"a{k}" for k in range(9))
    assert lv.Expression(lines)(1.0) == 9 * (MAX_OPERATORS + 1)
    with pytest.raises(lv.ModelError, match="more than 1000 operators"):
        lv.Expression(line + "+t")


@pytest.mark.parametrize("name", ["lambda", "in", "is", "None", "class", "λ"])
def test_reserved_words_of_python_are_names(name):
    assert lv.Expression(f"2*{name}*t", **{name: 3.0})(1.0) == 6.0


def test_an_error_gives_line_and_column():
    with pytest.raises(lv.ModelError, match="line 3, column 7: there is no function 'sinn'"):
        lv.Expression("a = 1\n# λλλ\n2*λ + sinn(t)", λ=1.0)


def test_a_formula_is_bitwise_identical_to_the_python_function():
    """Energies, forces and constraints as text give motions that are bitwise identical to those of Python functions."""
    one = lv.Model(gravity=(0, 0, -9.81))
    arm = one.add(lv.Body(lv.Box(1, 0.2, 0.1, density=100), body_rates=(0.1, 2, 0.1), name="arm"))
    bob = one.add(lv.Body(lv.Ball(0.1, mass=1), at=(1, 0, 0), name="bob"))

    def energy(b):
        d = b[arm].point(0.5, 0, 0) - b[bob].point(0, 0, 0.1)
        return 0.5 * 80.0 * lv.dot(d, d) + lv.norm(d) ** 3

    one.add(lv.Energy(energy, bodies=[arm, bob], name="net"))
    one.add(lv.Force(bob.point(0.1, 0, 0), lambda b, t: -0.2 * lv.sin(t) * b[bob].velocity(0.1, 0, 0), name="drag"))
    one.add(lv.Constraint(lambda b: b[bob].position[1] - b[bob].position[0] ** 2 + 1, bodies=[bob], name="bowl"))
    scene = lv.Scene(
        {
            "livens": 1,
            "gravity": [0, 0, -9.81],
            "parameters": {"k": 80.0},
            "bodies": {
                "arm": {
                    "shape": {"type": "Box", "x": 1, "y": 0.2, "z": 0.1, "density": 100},
                    "body_rates": [0.1, 2, 0.1],
                },
                "bob": {"shape": {"type": "Ball", "radius": 0.1, "mass": 1}, "at": [1, 0, 0]},
            },
            "joints": {
                "bowl": {"type": "Constraint", "formula": "x[1] - x[0]**2 + 1", "where": {"x": {"body": "bob"}}}
            },
            "forces": {
                "net": {
                    "type": "Energy",
                    "formula": "d = x1 - x2\n0.5*k*dot(d, d) + norm(d)**3",
                    "where": {
                        "x1": {"body": "arm", "point": [0.5, 0, 0]},
                        "x2": {"body": "bob", "point": [0, 0, 0.1]},
                    },
                },
                "drag": {
                    "type": "Force",
                    "point": {"body": "bob", "point": [0.1, 0, 0]},
                    "formula": "-0.2*sin(t)*v",
                    "where": {"v": {"body": "bob", "velocity": [0.1, 0, 0]}},
                },
            },
        }
    )
    two = scene.model()
    motions = [lv.simulate(m, h=1e-3, until=0.2) for m in (one, two)]
    assert np.array_equal(motions[0].record.a, motions[1].record.a)
    assert np.array_equal(motions[0].energy, motions[1].energy)
    assert abs(motions[0].energy[-1] - motions[0].energy[0]) > 0


@pytest.mark.parametrize("name", ["t", "pi", "inf", "sin"])
def test_a_number_cannot_have_a_reserved_name(name):
    """The given value would not be used."""
    with pytest.raises(lv.ModelError, match=f"{name!r} is reserved"):
        lv.Expression("2*t", **{name: 3.0})


SMOOTH = [
    "3*t**2 - 2*t + 1", "sin(3*t)*exp(-t/2)", "1/(1 + t**2)", "sqrt(1 + t)*log(2 + t)", "atan2(sin(t), 2 + cos(t))",
    "tanh(t)**3 + cosh(t)/sinh(t + 1)", "(1 + t)**(0.5*t)", "2**t", "asin(t/5) + acos(t/5) - atan(t)", "tan(t/4)",
    "where(t < 1, t**3, 3*t - 2) + abs(t - 5) + max(t, -1)*min(t, 9)", "0.5*(1 - cos(3*t))",
    "floor(t/100) + sign(t + 1)", "dot([t, t**2, 1], [1, t, t])", "norm([1, t, t**2])", "7",
    "a = t**2; b = sin(a); a*b",
]  # fmt: skip


@pytest.mark.parametrize("text", SMOOTH)
def test_exact_derivatives(text):
    """Against differences of order 8; values are those of single calls, up to the last digit of NumPy's functions and
    of the functions that kernels call."""
    expression, t = lv.Expression(text), np.linspace(0.13, 2.7, 41)
    value, rate, acceleration = expression.derivatives(t).T
    np.testing.assert_allclose(value, [float(expression(x)) for x in t], rtol=1e-15, atol=0)
    assert np.array_equal(expression.table(t), value)
    assert np.array_equal(np.concatenate([expression.table(part) for part in np.array_split(t, 7)]), value)  # in chunks
    s = 0.02
    near = np.array([expression.table(t + k * s) for k in range(-4, 5)])
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) @ near / s
    second = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]) @ near / s**2
    smooth = np.abs(t - 1.0) > 5 * s  # where one piece meets another
    size = max(1.0, np.abs(near).max())
    np.testing.assert_allclose(rate[smooth], first[smooth], rtol=1e-9, atol=1e-11 * size)
    np.testing.assert_allclose(acceleration[smooth], second[smooth], rtol=1e-7, atol=1e-9 * size)


def test_a_vector_has_no_derivatives_as_a_drive():
    with pytest.raises(lv.ModelError, match="is a vector, where a number is needed"):
        lv.Expression("[t, 0, 0]").derivatives(np.zeros(2))
