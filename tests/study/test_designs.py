"""Designs: the members, and the reproducibility of random samples."""

import itertools

import numpy as np
import pytest
from scipy.stats import qmc

import livens as lv
from livens.study.designs import design


def test_a_grid_is_every_combination_in_order():
    values = {"a": [1.0, 2.0], "b": [3, 4, 5], "c": ["x", "y"]}
    grid = design(values)
    assert [tuple(grid[k].values()) for k in range(len(grid))] == list(itertools.product(*values.values()))
    assert [type(x) for x in grid[0].values()] == [float, int, str]
    assert grid.axes == {"a": 2, "b": 3, "c": 2}


def test_samples_are_combined_by_position():
    samples = design(lv.Samples({"a": [1.0, 2.0, 3.0], "seed": [7, 8, 9]}))
    assert [samples[k] for k in range(len(samples))] == [{"a": a, "seed": a + 6} for a in (1.0, 2.0, 3.0)]
    assert samples.axes == {"member": 3}


@pytest.mark.parametrize(
    ("draw", "kind"), [(lv.Samples.sobol, qmc.Sobol), (lv.Samples.latin_hypercube, qmc.LatinHypercube)]
)
def test_drawn_samples_are_those_of_scipy_and_record_their_seed(draw, kind):
    bounds = {"mass": (1.0, 3.0), "stiffness": (-20.0, 60.0)}
    samples = draw(bounds, n=64, seed=11)
    points = np.stack(list(samples.values.values()), axis=1)
    expected = qmc.scale(kind(2, seed=np.random.default_rng(11)).random(64), [1.0, -20.0], [3.0, 60.0])
    assert np.abs(points - expected).max() <= 80 * np.finfo(float).eps
    assert samples.facts["seed"] == 11
    assert samples.facts["design"] == kind.__name__
    assert np.array_equal(draw(bounds, n=64, seed=11).values["mass"], samples.values["mass"])
    assert not np.array_equal(draw(bounds, n=64, seed=12).values["mass"], samples.values["mass"])


def test_a_latin_hypercube_has_one_sample_in_every_interval():
    samples = lv.Samples.latin_hypercube({"a": (0.0, 50.0), "b": (-50.0, 0.0)}, n=50, seed=4)
    for name, low in (("a", 0.0), ("b", -50.0)):
        assert sorted(np.floor(samples.values[name] - low).astype(int)) == list(range(50))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: design([1, 2]), "are a dictionary of values, an lv.Grid or lv.Samples, not list"),
        (lambda: lv.Grid({}), "at least one named parameter"),
        (lambda: lv.Grid({"a": 3.0}), "'a' needs a list of numbers or of texts, not 3.0"),
        (lambda: lv.Grid({"a": []}), "'a' needs a list"),
        (lambda: lv.Grid({"a": [1.0, np.nan]}), "parameter 'a' is not finite"),
        (lambda: lv.Grid({"a": [None]}), "'a' needs a list of numbers or of texts"),
        (lambda: lv.Grid({"error": [1.0]}), "'error' cannot be the name of a parameter"),
        (lambda: lv.Samples({"a": [1.0], "b": [1.0, 2.0]}), "the same number of values for every parameter"),
        (lambda: lv.Samples.sobol({"a": (2.0, 1.0)}, n=4), r"bounds of 'a' must be \(lower, upper\), got \(2, 1\)"),
        (lambda: lv.Samples.sobol({"a": (0.0, 1.0)}, n=0), "n must be a whole number, at least 1, got 0"),
        (lambda: lv.Samples.latin_hypercube({"a": (0.0, 1.0)}, n=4, seed=-1), "seed must be a whole number"),
    ],
)
def test_errors_of_wrong_designs(make, sentence):
    with pytest.raises(lv.ModelError, match=sentence):
        make()


def test_designs_that_are_too_large_are_errors():
    with pytest.raises(lv.ModelError, match="grid of 33 parameters has 1 members, and at most 32 parameters"):
        lv.Grid({f"p{k}": [1.0] for k in range(33)})
    with pytest.raises(lv.ModelError, match="1,000,000,000,000 members"):
        lv.Grid({"a": range(10**6), "b": range(10**6)})
    with pytest.raises(lv.ModelError, match="parameter 'a' mixes texts and numbers"):
        lv.Grid({"a": [1, "x"]})
    with pytest.raises(lv.ModelError, match="a fact about samples is a text or a number"):
        lv.Samples({"a": [1.0]}, facts={"drawn": {"by": "hand"}})
