"""Members: correct, bitwise identical for all executors and orders, and independent in failure."""

import gc
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import livens as lv
from livens.compile.compiled import Compiled
from livens.study.executors import BATCHES_PER_WORKER, cores
from tests.helpers.studies import Shuffled, chain, double_pendulum, last_height, oscillator, place, tip

GRID = {"stiffness": [1.0, 2.0, 4.0], "mass": [1.0, 0.5]}
RATES = {"rate": np.linspace(-2.0, 2.0, 12)}


def test_members_agree_with_the_closed_form():
    h, until = 1e-3, 2.0
    runs = lv.ensemble(oscillator, GRID, h=h, until=until, keep=place)
    k, m = np.meshgrid(GRID["stiffness"], GRID["mass"], indexing="ij")
    omega = np.sqrt(k / m)
    phase = omega**3 * h**2 / 24 * until  # what the step shifts the phase by, to leading order
    assert runs.x.dims == ("stiffness", "mass")
    assert (np.abs(runs.x.values - np.cos(omega * until)) <= 2 * phase).all()
    assert (runs.error == "").all()


def test_a_member_is_identical_to_simulate():
    runs = lv.ensemble(double_pendulum, RATES, lv.Livens(4), h=5e-3, until=0.5, keep=tip)
    for rate in RATES["rate"]:
        alone = tip(lv.simulate(double_pendulum(rate), lv.Livens(4), h=5e-3, until=0.5))
        assert np.array_equal(runs.tip.sel(rate=rate), alone["tip"])
        assert runs.drift.sel(rate=rate).item() == alone["drift"]


def test_the_result_is_bitwise_identical_for_all_executors_and_orders():
    arguments = {"h": 1e-3, "until": 0.3, "keep": tip}
    expected = lv.ensemble(double_pendulum, RATES, **arguments)
    assert np.ptp(expected.tip.values) > 0.1
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(5) as five, ProcessPoolExecutor(2) as processes:
        for executor in (one, five, processes, Shuffled(1), Shuffled(2)):
            assert lv.ensemble(double_pendulum, RATES, **arguments, executor=executor).identical(expected)


def test_members_may_differ_in_structure():
    grid = {"links": [1, 2, 3], "angle": [0.1, 0.2]}
    arguments = {"h": 1e-3, "until": 0.1, "keep": last_height}
    threads = lv.ensemble(chain, grid, **arguments)
    with ProcessPoolExecutor(2) as processes:
        assert lv.ensemble(chain, grid, **arguments, executor=processes).identical(threads)
    alone = lv.simulate(chain(3, 0.2), h=1e-3, until=0.1)
    assert threads.z.sel(links=3, angle=0.2).item() == alone.position("rod2")[-1, 2]


def test_members_of_one_structure_share_its_analysis():
    one, other = (Compiled.of(double_pendulum(rate)).system for rate in (1.0, 2.0))
    assert all(a is b for a, b in zip(one.blocks, other.blocks, strict=True))


def test_points_and_joints_of_another_model_refer_to_those_of_the_same_name():
    reference = double_pendulum(0.0)
    end, elbow = reference["fore"].point(0.4, 0, 0), reference["elbow"]

    def keep(motion):
        return {
            "tip": motion.position(end)[-1],
            "speed": motion.velocity(end)[-1],
            "angle": motion.coordinate(elbow)[-1],
            "force": motion.reaction(elbow)[-1],
        }

    runs = lv.ensemble(double_pendulum, {"rate": [1.5]}, h=1e-3, until=0.3, keep=keep).isel(rate=0)
    motion = lv.simulate(double_pendulum(1.5), h=1e-3, until=0.3)
    mine = motion.model["fore"].point(0.4, 0, 0)
    assert np.array_equal(runs.tip, motion.position(mine)[-1])
    assert np.array_equal(runs.speed, motion.velocity(mine)[-1])
    assert runs.angle.item() == motion.coordinate("elbow")[-1]
    assert np.array_equal(runs.force, motion.reaction("elbow")[-1])
    stranger = lv.Model().add(lv.Body(lv.Ball(0.1, density=1000), name="stranger"))
    with pytest.raises(lv.ModelError, match=r"Body\('stranger'\) is not a body of this motion's model"):
        motion.position(stranger)


def faulty(motion):
    """A `keep` function that fails for some members."""
    stiffness = motion.model.forces[0].stiffness
    if stiffness == 2.0:
        raise ZeroDivisionError("no reason")
    if stiffness == 3.0:
        return {"x": [1.0, 2.0]}
    if stiffness == 4.0:
        return {"x": "far"}
    if stiffness == 5.0:
        return {"stiffness": 1.0}
    return {"x": motion.position("ball")[-1, 0]}


def test_a_failed_member_has_a_message_and_does_not_affect_others():
    values = {"stiffness": [1.0, -1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "mass": [1.0]}
    told = pytest.warns(
        lv.ModelWarning, match="5 of 7 members failed; the first error is: stiffness of a spring must not be"
    )
    with told:
        runs = lv.ensemble(oscillator, values, h=0.1, until=1.0, keep=faulty).isel(mass=0)
    assert np.isfinite(runs.x).values.tolist() == [True, False, False, False, False, False, True]
    assert runs.attrs["failed"] == 5
    assert [text[:40] for text in runs.error.values] == [
        "",
        "stiffness of a spring must not be negati",
        "ZeroDivisionError: no reason",
        "keep returned x (2,); other members retu",
        "keep returned 'x' = 'far', which does no",
        "keep returned the name 'stiffness', whic",
        "",
    ]
    with told:
        shuffled = lv.ensemble(oscillator, values, h=0.1, until=1.0, keep=faulty, executor=Shuffled(3)).isel(mass=0)
    assert shuffled.identical(runs)


def test_a_failed_step_is_a_failed_member():
    def spun(rate):
        m = lv.Model()
        m.add(lv.Body(lv.MassProperties(1.0, (1, 2, 2.5)), body_rates=(0.1, rate, 0), name="top"))
        return m

    with pytest.warns(lv.ModelWarning, match="1 of 2 members failed"):
        runs = lv.ensemble(spun, {"rate": [1.0, 1e3]}, h=1e-2, until=0.1, keep=lambda m: {"E": m.energy[-1]})
    why = runs.error.sel(rate=1e3).item()
    assert why.startswith("the rotation of body 'top' cannot be solved at t = 0 s")
    assert "error.trajectory" not in why


def test_a_function_that_returns_no_model():
    with pytest.warns(lv.ModelWarning, match="the first error is: make_model returned 2.0, which is not a Model"):
        runs = lv.ensemble(lambda x: 2.0 * x, {"x": [1.0, 2.0]}, h=0.1, until=1.0, keep=place)
    assert list(runs.data_vars) == ["error"]


def test_axes_units_and_facts():
    drawn = lv.Samples.sobol({"stiffness": (1.0, 2.0), "mass": (1.0, 2.0)}, n=4, seed=5)
    runs = lv.ensemble(
        oscillator, drawn, lv.Livens(4), h=0.1, until=1.0, every=5, units={"path": "m", "mass": "kg"},
        keep=lambda motion: {"path": motion.position("ball"), "count": len(motion)},
    )  # fmt: skip
    assert runs.path.dims == ("member", "path_1", "path_2")
    assert runs.path.shape == (4, 3, 3)
    assert (runs["count"] == 3).all()
    assert (runs.path.units, runs.mass.units, runs.mass.dims) == ("m", "kg", ("member",))
    assert np.array_equal(runs.stiffness, drawn.values["stiffness"])
    assert {name: runs.attrs[name] for name in ("design", "seed", "scheme", "h", "steps", "every")} == {
        "design": "Sobol", "seed": 5, "scheme": "Livens(order=4)", "h": 0.1, "steps": 10, "every": 5,
    }  # fmt: skip


def test_few_members_are_submitted_at_a_time_and_motions_are_released():
    def motions():
        gc.collect()
        return sum(issubclass(type(thing), lv.Trajectory) for thing in gc.get_objects())  # not through proxies

    before, executor = motions(), Shuffled(4)
    many = {"stiffness": np.linspace(1, 2, 300), "mass": [1.0]}
    lv.ensemble(oscillator, many, h=0.1, until=1.0, keep=place, executor=executor)
    assert executor.most <= BATCHES_PER_WORKER * cores()
    assert motions() <= before  # those of earlier tests may have been released meanwhile


def test_progress_counts_members(monkeypatch, capsys):
    monkeypatch.setattr("livens.run.progress.PATIENCE", 0.0)
    lv.ensemble(oscillator, GRID, h=0.1, until=1.0, keep=place, progress=True)
    said = capsys.readouterr().err.replace("\r", "\n").splitlines()[-1]
    assert said.startswith("ensemble: 100%")
    assert "members/s" in said
    assert "left" in said


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"parameters": {"stifness": [1.0], "mass": [1.0]}}, r"cannot be called with \['stifness', 'mass'\]"),
        ({"make_model": 3}, "make_model must be a function, not 3"),
        ({"keep": None}, "keep must be a function, not None"),
        ({"h": -1.0}, "h must be positive"),
        ({"scheme": "livens"}, "the scheme must be one such as"),
        ({"every": 0}, "every must be a whole number of steps"),
        ({"executor": 2}, "executor must be one of concurrent.futures, a Dask client or None for threads, not int"),
        ({"executor": 2, "cluster": "tcp://127.0.0.1:1"}, "on an executor or on a cluster: give one"),
    ],
)
def test_errors_of_wrong_arguments(change, sentence):
    arguments = {"make_model": oscillator, "parameters": GRID, "h": 0.1, "until": 1.0, "keep": place, **change}
    with pytest.raises(lv.ModelError, match=sentence):
        lv.ensemble(**arguments)


@pytest.mark.parametrize("package", ["xarray", "threadpoolctl"])
def test_a_missing_package_is_an_error_before_any_run(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    ran = []
    with pytest.raises(lv.MissingExtra, match=rf"ensembles need {package} .*pip install 'livens\[data\]'"):
        lv.ensemble(oscillator, GRID, h=0.1, until=1.0, keep=ran.append)
    assert not ran


def test_functions_that_cannot_be_pickled_are_errors_with_processes():
    with ProcessPoolExecutor(1) as processes, pytest.raises(lv.ModelError, match="keep cannot be sent to another"):
        lv.ensemble(oscillator, GRID, h=0.1, until=1.0, keep=lambda motion: {}, executor=processes)


def pushed(x_1, y=0.0):
    return oscillator(x_1, 1.0)


def test_axes_of_arrays_have_unique_names():
    """The axis of x would be called x_1, like a parameter."""
    keep = lambda motion: {"x": motion.position("ball")[-1], "y_1": 1.0, "y": [1.0, 2.0]}  # noqa: E731
    runs = lv.ensemble(pushed, {"x_1": [1.0, 2.0, 3.0]}, h=0.1, until=0.2, keep=keep)
    assert (runs.x.dims, runs.y.dims, runs.y_1.dims) == (("x_1", "x_1_"), ("x_1", "y_1_"), ("x_1",))
    runs = lv.ensemble(pushed, lv.Samples({"x_1": [1.0, 2.0]}), h=0.1, until=0.2, keep=keep)
    assert runs.x.dims == ("member", "x_1_")


def test_integers_that_a_double_cannot_represent_are_errors():
    kept = {"exact": 2**53, "large": 2**53 + 1}
    with pytest.warns(lv.ModelWarning, match="'large' = 9007199254740993, which a double cannot represent exactly"):
        lv.ensemble(oscillator, {"stiffness": [1.0], "mass": [1.0]}, h=0.1, until=0.2, keep=lambda motion: kept)
    runs = lv.ensemble(
        oscillator, {"stiffness": [1.0], "mass": [1.0]}, h=0.1, until=0.2, keep=lambda motion: {"exact": -(2**53)}
    )
    assert runs.exact.values.item() == -(2**53)


def test_units_are_texts():
    with pytest.raises(lv.ModelError, match="unit of 'x' must be a text such as 'm', not 5"):
        lv.ensemble(
            oscillator,
            {"stiffness": [1.0], "mass": [1.0]},
            h=0.1,
            until=0.2,
            keep=lambda motion: {"x": 1},
            units={"x": 5},
        )


def test_an_executor_that_was_shut_down_is_an_error():
    with ThreadPoolExecutor(1) as executor:
        pass
    with pytest.raises(lv.LivensError, match="the executor accepts no members: cannot schedule new futures"):
        lv.ensemble(
            oscillator, {"stiffness": [1.0], "mass": [1.0]}, h=0.1, until=0.2, keep=lambda motion: {}, executor=executor
        )
