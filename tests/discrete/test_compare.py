"""Comparisons of schemes: what the rows hold, that the table reads well, and that failures are listed."""

import json

import numpy as np
import pytest

import livens as lv
import livens.discrete as ld
from livens.discrete.compare import drift
from tests.helpers import lagrangians

SCHEMES = [ld.Rectangle(), ld.Midpoint(), ld.Newmark(), ld.GeneralizedAlpha(0.5), ld.Galerkin(4)]


@pytest.fixture(scope="module")
def kepler():
    return ld.compare(lagrangians.kepler(), SCHEMES, [0.02, 0.01])


def test_rows(kepler):
    assert len(kepler) == 10
    assert [row.h for row in kepler.rows] == [0.02, 0.01] * 5
    by = {(row.scheme, row.h): row for row in kepler.rows}
    midpoint = by["Midpoint()", 0.01]
    assert midpoint.steps == 2000
    assert midpoint.order == pytest.approx(2.0, abs=0.1)
    assert midpoint.error_q > by["Galerkin(4, 'gauss')", 0.01].error_q
    assert midpoint.momenta["angular momentum"] < 1e-13
    assert midpoint.symplectic < 1e-9
    assert 1.0 <= midpoint.iterations < 4.0
    assert 0.0 < midpoint.per_step < 1e-3
    assert midpoint.seconds == pytest.approx(2000 * midpoint.per_step)
    other = by["GeneralizedAlpha(radius=0.5)", 0.02]
    assert other.symplectic > 1e-6
    assert other.momenta["angular momentum"] > 1e-4
    assert by["Newmark()", 0.02].order is None


def test_the_table_names_each_scheme_once_and_lines_up(kepler):
    lines = str(kepler).splitlines()
    assert lines[0] == "Kepler, e = 0.6: 20 s, reference: given"
    assert "angular momentum" in lines[1]
    assert sum("Midpoint()" in line for line in lines) == 1
    assert len({len(line) for line in lines[1:13]}) == 1
    assert repr(kepler) == str(kepler)


def test_data_and_html(kepler):
    data = json.loads(json.dumps(kepler.to_dict()))
    assert data["rows"][2]["scheme"] == "Midpoint()"
    html = kepler._repr_html_()
    assert html.count("<tr>") == 11
    assert "Galerkin(4, &#x27;gauss&#x27;)" in html


def test_failures_are_rows():
    given = lagrangians.spherical_pendulum(0.2)
    found = ld.compare(given, [ld.Newmark(beta=0.0), ld.Midpoint()], [0.02, 0.01])
    assert [bool(row.failure) for row in found.rows] == [True, True, False, False]
    assert "cannot hold constraints" in str(found)
    assert str(found).count("cannot hold constraints") == 1
    assert "cannot hold constraints" in found._repr_html_()
    assert found.rows[3].symplectic < 1e-9
    fall = ld.Problem(lagrangians.kepler().system, [1.0, 0.0], [0.0, 0.0], 2.0, reference=False)
    assert "failed at t = 1.1" in ld.compare(fall, [ld.Midpoint()], 0.01).rows[0].failure


def test_references():
    """Computed, given, a function, none."""
    given = lagrangians.harmonic(2.0)
    q, v = given.at(2.0)
    problems = [ld.Problem(given.system, [1.0], [0.0], 2.0, r) for r in (None, (q, v), lambda t: [np.cos(t)], False)]
    rows = [ld.compare(p, [ld.Midpoint()], 0.1).rows[0] for p in problems]
    assert rows[0].error_q == pytest.approx(rows[1].error_q, rel=1e-8)
    assert rows[0].error_q == pytest.approx(rows[2].error_q, rel=1e-8)
    assert rows[0].error_v == pytest.approx(rows[1].error_v, rel=1e-8)
    assert rows[2].error_v is None
    assert rows[3].error_q is None
    assert "DOP853" in str(ld.compare(problems[0], ld.Midpoint(), 0.1))
    uneven = ld.compare(problems[1], [ld.Midpoint()], [0.3, 0.1])
    assert (uneven.rows[0].h, uneven.rows[0].steps) == (
        2.0 / 7,
        7,
    )  # the next smaller step that divides the time is taken
    assert uneven.rows[0].error_q < 9 * uneven.rows[1].error_q
    assert not ld.compare(problems[0], [ld.Midpoint()], [0.3]).rows[0].failure


def test_forced_systems_have_no_symplectic_defect():
    found = ld.compare(lagrangians.damped(), [ld.Midpoint()], 0.1)
    assert found.rows[0].symplectic is None
    assert "forces act" in str(found)
    assert found.rows[0].band < 1e-14  # midpoint's account closes for quadratic energies


def test_slope_of_an_error():
    t = np.linspace(0.0, 50.0, 20_001)
    rng = np.random.default_rng(1)
    e = np.sin(40.0 * t) + 0.3 * rng.normal(size=len(t))
    band, slope, uncertain = drift(t, e)
    assert band == pytest.approx(3.5, abs=0.8)
    assert abs(slope) < 4.0 * uncertain < 0.05
    _, slope, uncertain = drift(t, e + 0.01 * t)
    assert slope * band == pytest.approx(0.5, abs=0.15)
    assert slope > 8.0 * uncertain
    assert drift(t[:10], e[:10])[1] is None


def test_figure(kepler, tmp_path):
    figure = kepler.plot(tmp_path / "work.png")
    assert (tmp_path / "work.png").stat().st_size > 10_000
    left, right = figure.axes
    assert left.get_yscale() == right.get_xscale() == "log"
    looks = {(line.get_marker(), line.get_linestyle()) for line in left.lines}
    assert len(looks) >= len(SCHEMES)  # told apart without colour
    nothing = ld.Comparison("", 1.0, "none", [])
    with pytest.raises(lv.ModelError, match="nothing to draw"):
        nothing.plot()


REFUSED = {
    "compare takes an ld.Problem first, not 3": lambda p: ld.compare(3, [ld.Midpoint()], 0.1),
    "not <function Midpoint": lambda p: ld.compare(p, [ld.Midpoint], 0.1),
    "at least one scheme": lambda p: ld.compare(p, [], 0.1),
    "the step h must be positive, got -0.1": lambda p: ld.compare(p, [ld.Midpoint()], [0.1, -0.1]),
    "the step h must be a number, not 'a'": lambda p: ld.compare(p, [ld.Midpoint()], "a"),
    "q must be 1 numbers": lambda p: ld.Problem(p.system, [1.0, 2.0], [0.0], 1.0),
    "a Problem is of a Lagrangian": lambda p: ld.Problem(3, [1.0], [0.0], 1.0),
    "the end of the problem must be positive": lambda p: ld.Problem(p.system, [1.0], [0.0], 0.0),
    "the reference must be": lambda p: ld.Problem(p.system, [1.0], [0.0], 1.0, reference=3.0),
    "v of the reference is not finite": lambda p: ld.Problem(p.system, [1.0], [0.0], 1.0, ([1.0], [np.nan])),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_refused(sentence):
    with pytest.raises(lv.ModelError, match=sentence):
        REFUSED[sentence](lagrangians.harmonic())


ZOO = {
    lagrangians.harmonic: 0.1,
    lagrangians.pendulum: 0.02,
    lagrangians.double_pendulum: 0.02,
    lagrangians.double_pendulum_in_places: 0.02,
    lagrangians.kepler: 0.02,
    lambda: lagrangians.henon_heiles(20.0): 0.1,
    lagrangians.stiff_chain: 0.002,
    lagrangians.solar_system: 100.0,
    lambda: lagrangians.spring_network(3, 0.2): 0.002,
    lagrangians.spherical_pendulum: 0.02,
    lagrangians.damped: 0.1,
    lagrangians.relativistic: 0.1,
}


@pytest.mark.parametrize("build", ZOO, ids=lambda build: build().name)
def test_every_problem_can_be_compared(build):
    found = ld.compare(build(), [ld.Trapezoidal(), ld.Galerkin(4)], [ZOO[build], ZOO[build] / 2])
    second, fourth = found.rows[1], found.rows[3]
    assert second.order == pytest.approx(2.0, abs=0.1)
    assert fourth.order == pytest.approx(4.0, abs=0.1)
    assert fourth.error_q < 0.01 * second.error_q
    assert fourth.band < max(0.01 * second.band, 1e-13)
    for row in (second, fourth):
        assert row.symplectic is None or row.symplectic < 1e-9
        assert max(row.momenta.values(), default=0.0) < 1e-13
