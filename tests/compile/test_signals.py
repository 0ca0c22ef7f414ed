"""Signals of known form: kernels give what calls of Python give, at any time, and Python is not called in a run."""

import warnings

import numpy as np
import pytest
from scipy import interpolate

import livens as lv
from livens.compile.drive_breaks import find_break
from livens.compile.signals import Signals

KNOTS = np.array([0.0, 0.31, 0.5, 0.9, 1.3, 1.7, 2.0])
VALUES = np.array([0.0, 0.4, -0.2, 0.7, 0.1, 0.3, 0.0])
SPLINES = {
    "cubic": interpolate.CubicSpline(KNOTS, VALUES),
    "periodic": interpolate.CubicSpline(KNOTS, VALUES, bc_type="periodic"),
    "pchip": interpolate.PchipInterpolator(KNOTS, VALUES),
    "akima": interpolate.Akima1DInterpolator(KNOTS, VALUES),
    "linear": interpolate.make_interp_spline(KNOTS, VALUES, k=1),
    "quintic": interpolate.make_interp_spline(KNOTS, VALUES, k=5),
}
POLYNOMIALS = {
    "polynomial": np.polynomial.Polynomial([0.1, 2.0, -3.0, 1.0]),
    "another domain": np.polynomial.Polynomial([0.1, 2.0, -3.0, 1.0], domain=[0.0, 3.0]),
    "chebyshev": np.polynomial.Chebyshev([0.1, 2.0, -3.0, 1.0]),
    "poly1d": np.poly1d([1.0, -3.0, 2.0, 0.1]),
}
EXPRESSIONS = ["0.3", "t", "sin(3*t)*exp(-t)", "where(t < 1, t**2, 2*t - 1)", "max(t, 1)*min(t, 0.5) + abs(t - 0.7)",
               "a = t**2; atan2(a, 1 + t)", "floor(t)*0 + (1 + t)**0.5", "2**t + t**t"]  # fmt: skip


def wheel(drive=None, force=None, effort=None):
    m = lv.Model()
    disc = m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), name="disc"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), disc.point(0, 0, 0), axis=(0, 0, 1), drive=drive, name="axle"))
    if force is not None:
        m.add(lv.Load(disc.center, force=force, name="push"))
    if effort is not None:
        m.add(lv.Motor(hinge, effort, name="motor"))
    return m


@pytest.mark.parametrize("name", SPLINES)
def test_splines_as_scipy_evaluates_them(name):
    """Values, rates and accelerations, inside and outside of the knots."""
    spline = SPLINES[name]
    signals = Signals(wheel(spline))
    assert signals.known == {0}
    t = np.concatenate([np.linspace(0.0, 2.0, 101), KNOTS])
    if spline.extrapolate:
        t = np.append(t, [2.3, 5.1, -0.7])
    found = signals.table(t)
    exact = np.stack([spline(t, k) if k <= getattr(spline, "k", 3) else 0.0 * t for k in range(3)], axis=1)
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_as_numpy_evaluates_them(name):
    p = POLYNOMIALS[name]
    signals = Signals(wheel(p))
    assert signals.known == {0}
    t = np.linspace(-1.0, 4.0, 41)
    np.testing.assert_allclose(
        signals.table(t), np.stack([p(t), p.deriv(1)(t), p.deriv(2)(t)], axis=1), rtol=1e-12, atol=1e-11
    )


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions_as_calls_evaluate_them(text):
    expression = lv.Expression(text)
    signals = Signals(wheel(expression))
    assert signals.known == {0}
    t = np.linspace(0.1, 2.0, 57)
    np.testing.assert_allclose(signals.table(t)[:, 0], [float(expression(x)) for x in t], rtol=4e-16, atol=0)


def test_loads_and_motors():
    """Vectors as an Expression and as a spline of three columns; efforts of all kinds."""
    t = np.linspace(0.0, 2.0, 31)
    three = interpolate.CubicSpline(KNOTS, np.stack([VALUES, VALUES**2, -VALUES], axis=1))
    for force in (three, lv.Expression("[t, sin(t), 2]")):
        signals = Signals(wheel(force=force, effort=lv.Expression("cos(t)")))
        assert signals.known == {0, 6}  # the torque of a load is a constant
        found = signals.table(t)
        np.testing.assert_allclose(found[:, :3], np.array([force(x) for x in t]), rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(found[:, 6], np.cos(t), rtol=1e-15)
        assert not found[:, 3:6].any()


def test_a_class_that_changes_what_a_call_returns_is_called():
    class Doubled(interpolate.CubicSpline):
        def __call__(self, t, *more):
            return 2.0 * super().__call__(t, *more)

    signals = Signals(wheel(Doubled(KNOTS, VALUES)))
    assert not signals.known
    assert signals.table(np.array([0.7]))[0, 0] == 2.0 * SPLINES["cubic"](0.7)


def test_a_row_does_not_depend_on_the_others():
    """An Expression without a rate at t = 0 is differentiated exactly at all other times."""
    signals = Signals(wheel(lv.Expression("t**2.5 + sqrt(t)**5")))
    t = np.linspace(0.0, 1.0, 11)
    whole = signals.table(t)
    assert np.array_equal(whole[1:], signals.table(t[1:]))
    assert np.array_equal(whole, np.concatenate([signals.table(t[k : k + 1]) for k in range(11)]))
    np.testing.assert_allclose(whole[1:, 1], 2 * 2.5 * t[1:] ** 1.5, rtol=1e-14)


def counting(call, counted):
    return lambda self, *t: counted.append(t) or call(self, *t)


SCHEMES = [lv.Livens(), lv.Livens(4), lv.Livens(6), lv.RungeKutta(8), lv.Newmark()]
NO_CALLS = [lv.Expression("0.3*sin(5*t) + 0.1*abs(t - 0.5) - 0.05"), SPLINES["cubic"], SPLINES["linear"]]


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_signals_of_known_form_are_not_called_in_a_run(scheme, monkeypatch):
    """The calls of 1000 steps are counted: those at the start, and those that examine kinks for jumps."""
    for drive in NO_CALLS:
        counted = []
        call = type(drive).__call__
        monkeypatch.setattr(type(drive), "__call__", counting(call, counted))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lv.ModelWarning)
            motion = lv.simulate(wheel(drive), scheme, h=1e-3, until=1.0)
        assert len(motion) == 1001
        assert len(counted) < 300
        monkeypatch.undo()


def test_an_expression_that_is_not_defined_is_named_with_its_time():
    with pytest.raises(lv.ModelError, match=r"drive of 'axle' at t = 0\.5\d* s must be a finite number, got .*nan"):
        lv.simulate(wheel(lv.Expression("sqrt(0.5 - t) - sqrt(0.5)")), h=1e-2, until=1.0)
    with pytest.raises(lv.ModelError, match=r"force of 'push' at t = 0 s must be 3 finite numbers"):
        lv.simulate(wheel(force=lv.Expression("[t, t]")), h=1e-2, until=1.0)
    ends = interpolate.CubicSpline(KNOTS, VALUES, extrapolate=False)
    with pytest.raises(lv.ModelError, match=r"drive of 'axle' at t = 2\.\d* s must be a finite number"):
        lv.simulate(wheel(ends), h=1e-2, until=3.0)


def test_a_spline_needs_to_cover_the_run_only():
    """A last time that is past the end by its round-off counts as the end."""
    for last in (0.7, 1.1, 2.3):
        t = np.linspace(0.0, last, 8)
        spline = interpolate.CubicSpline(t, np.sin(t), extrapolate=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lv.ModelWarning)
            motion = lv.simulate(wheel(spline), h=1e-2, until=last)
        assert motion.coordinate("axle")[-1] == pytest.approx(np.sin(last), abs=1e-12)


@pytest.mark.parametrize("seed", range(50))
def test_breaks_are_found_at_any_place_and_scale(seed):
    rng = np.random.default_rng(seed)
    T, Y = 10.0 ** rng.uniform(-4, 4, 2)
    low = T * rng.uniform(0, 10)
    at = low + T * rng.uniform(0.02, 0.98)
    change = Y * (1.0 + rng.random())

    def smooth(t, omega=1.0):
        return 0.1 * Y * np.sin(omega * (t - low) / T)

    kink = find_break(lambda t: smooth(t) + change * max(0.0, t - at) / T, low, low + T)
    jump = find_break(lambda t: smooth(t) + change * (t > at), low, low + T)
    assert kink.jump == 0.0
    assert jump.jump == pytest.approx(change, rel=1e-2)
    for found in (kink, jump):
        assert abs(found.t - at) <= found.width
    assert find_break(lambda t: smooth(t, 1.0 + seed % 5), low, low + T) is None
