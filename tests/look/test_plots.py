"""Figures: their numbers are read back, and impossible figures give an error message."""

from functools import cache

import numpy as np
import pytest

import livens as lv
from livens.look.plot import FIGURES, STYLES
from livens.look.plot.energy import parts as energy_parts
from livens.look.plot.polhode import curves
from livens.look.plot.work_precision import order
from tests.helpers import mechanisms

EPS = np.finfo(float).eps


@cache
def arm():
    m = lv.Model(gravity=(0, 0, -9.81), name="arm")
    upper = m.add(lv.Body(lv.Box(1.0, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="upper"))
    fore = m.add(lv.Body(lv.Box(0.8, 0.1, 0.1, density=1000), at=(1.4, 0, 0), velocity=(0, 0.4, 0),
                         angular_velocity=(0, 0, 1), name="fore"))  # fmt: skip
    m.add(lv.Revolute(m.world.point(0, 0, 0), upper.point(-0.5, 0, 0), axis=(0, 1, 0), name="shoulder"))
    m.add(lv.Spherical(upper.point(0.5, 0, 0), fore.point(-0.4, 0, 0), name="elbow"))
    return lv.simulate(m, lv.Livens(), h=5e-3, until=1.0)


@cache
def tumbling(rates=(0.3, 1.0, 0.1), J=(1, 2, 3)):
    m = lv.Model(name="free body")
    m.add(lv.Body(lv.MassProperties(1.0, J), body_rates=rates, name="top"))
    return lv.simulate(m, lv.Livens(), h=0.05, until=10.0)


@cache
def motorised():
    m = lv.Model(gravity=(0, 0, -9.81), name="motor")
    bar = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=100), at=(0.5, 0, 0), name="bar"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Motor(hinge, lambda t: 30.0 * np.sin(4.0 * t), name="motor"))
    return lv.simulate(m, h=1e-2, until=1.0)


def lines(axes):
    return [np.array(line.get_data()) for line in axes.get_lines()]


@pytest.mark.parametrize("kind", FIGURES)
def test_every_figure_can_be_drawn_without_options(kind, tmp_path):
    motion = {"polhode": tumbling, "effort": motorised}.get(kind, arm)()
    figure = motion.plot(kind, path=tmp_path / "figure.pdf")
    assert (tmp_path / "figure.pdf").stat().st_size > 5000
    assert figure.axes


def test_curves_are_distinct_without_colour():
    assert len({str(style) for style, _, _ in STYLES}) == len({mark for _, _, mark in STYLES}) == len(STYLES)


def test_notebooks_show_figures():
    assert arm().plot("phase")._repr_png_().startswith(b"\x89PNG")


def test_a_path_in_the_place_of_the_kind(tmp_path):
    arm().plot(str(tmp_path / "one.svg"))
    arm().plot(path=tmp_path / "two.svg")
    assert {path.name for path in tmp_path.iterdir()} == {"one.svg", "two.svg"}


def test_phase_of_a_joint():
    axes = arm().plot("phase").axes[0]
    assert axes.get_xlabel() == "shoulder [rad]"
    assert np.array_equal(lines(axes)[0], [arm().coordinate("shoulder"), arm().rate("shoulder")])


def test_phase_of_a_component():
    axes = arm().plot("phase", "fore", "z").axes
    assert len(axes) == 1
    found = [arm().position("fore")[:, 2], arm().velocity("fore")[:, 2]]
    assert np.array_equal(lines(axes[0])[0], found)
    assert len(arm().plot("phase", arm().model["fore"].point(0.4, 0, 0)).axes) == 3


def test_parts_of_the_energy_add_up():
    parts = energy_parts(arm())
    total = parts.pop("total")
    assert set(parts) == {"translation", "rotation", "gravity"}
    scale = 10 * EPS * np.abs(arm().kinetic).max()
    assert np.abs(parts["translation"] + parts["rotation"] - arm().kinetic).max() < scale
    assert np.ptp(total - arm().energy) < 10 * scale
    assert np.abs(sum(parts.values()) - total).max() < scale


def test_springs_have_a_part_of_the_energy():
    m = lv.Model(name="spring")
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(2, 0, 0)))
    m.add(lv.Spring(m.world.point(0, 0, 0), ball.point(0, 0, 0), stiffness=10.0, length=1.0))
    assert energy_parts(lv.simulate(m, h=1e-2, until=1.0))["springs, attraction"][0] == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("rates", "J"),
    [
        ((0.3, 1.0, 0.1), (1, 2, 3)),
        ((1.0, 0.2, 0.3), (3, 1, 2)),
        ((1, 0, 0), (1, 2, 3)),
        ((0.3, 0.2, 1), (1, 1, 0.5)),
        ((0.01, 2, 0.01), (1, 1, 1)),
    ],
)
def test_the_polhode_lies_on_both_surfaces(rates, J):
    """The closed curve satisfies both equations, and the computed momentum follows it."""
    motion = tumbling(rates, J)
    moments, L = motion.system.bodies.inertia[1], motion.record.L[:, 1]
    size, T = np.linalg.norm(L[0]), 0.5 * (L[0] ** 2 / moments).sum()
    _, curve = curves(moments, size, T, n=4000)
    assert np.abs(np.linalg.norm(curve, axis=1) - size).max() < 10 * EPS * size
    assert np.abs(0.5 * (curve**2 / moments).sum(axis=1) - T).max() < 1e-12 * T
    if len(set(J)) > 1:
        both = np.concatenate([curve, -curve])
        far = max(np.linalg.norm(both - one, axis=1).min() for one in L[::20])
        assert far < 2 * np.pi * size / 4000


@pytest.mark.parametrize("seed", range(4))
def test_a_body_under_torque_has_no_polhode(seed):
    """Free bodies have one in any orientation, also in gravity; an off-centre load or a joint takes it away."""
    rng = np.random.default_rng(seed)
    m = lv.Model(gravity=rng.normal(size=3), name="thrown")
    top = m.add(lv.Body(lv.Box(1.0, 0.4, 0.2, density=500), body_rates=rng.normal(size=3), name="top"))
    free = lv.simulate(m, h=1e-2, until=2.0)
    assert free.plot("polhode", "top").axes[0].name == "3d"
    m.add(lv.Load(top.point(0.5, 0, 0), force=20.0 * rng.normal(size=3)))
    with pytest.raises(lv.ModelError, match=r"'top' has no polhode: .* changes by .* a body without torque"):
        lv.simulate(m, h=1e-2, until=2.0).plot("polhode", "top")


def test_paths_in_a_plane_and_in_space():
    flat = lv.simulate(mechanisms.chain(2), h=5e-3, until=0.5).plot("trajectory").axes[0]
    assert (flat.get_xlabel(), flat.get_ylabel()) == ("x [m]", "z [m]")
    assert arm().plot("trajectory", "fore").axes[0].name == "3d"
    still = lv.Model()
    still.add(lv.Body(lv.Ball(0.1, mass=1.0), name="ball"))
    assert lv.simulate(still, h=0.1, until=1.0).plot("trajectory").axes[0].get_ylabel() == "z [m]"


def test_reactions():
    one = lines(arm().plot("reactions", "elbow").axes[0])
    assert np.array_equal([line[1] for line in one], arm().reaction("elbow").T)
    both = lines(arm().plot("reactions").axes[0])
    assert np.array_equal(both[1][1], np.linalg.norm(arm().reaction("elbow"), axis=1))


def test_quantities_against_time():
    """The curves are those of the motion, one panel for each unit or component, with units."""
    motion = motorised()
    for kind, read, unit in (
        ("coordinate", motion.coordinate, "coordinate [rad]"),
        ("rate", motion.rate, "rate [rad/s]"),
        ("effort", motion.effort, "effort [N m]"),
    ):
        figure = motion.plot(kind, "hinge")
        assert figure.axes[0].get_ylabel() == unit
        assert np.array_equal(lines(figure.axes[0])[0], [motion.t, read("hinge")])
        assert figure.axes[-1].get_xlabel() == "time [s]"
    tip = motion.model["bar"].point(0.5, 0, 0)
    for kind, read in (
        ("position", motion.position),
        ("velocity", motion.velocity),
        ("acceleration", motion.acceleration),
    ):
        figure = motion.plot(kind, "bar", tip)
        assert [axes.get_ylabel()[0] for axes in figure.axes] == ["x", "y", "z"]
        for k, axes in enumerate(figure.axes):
            assert np.array_equal(lines(axes)[0][1], read("bar")[:, k])
            assert np.array_equal(lines(axes)[1][1], read(tip)[:, k])
    both = arm().plot("coordinate")
    assert len(both.axes) == 1  # both joints have angles
    assert len(lines(both.axes[0])) == 4  # of the hinge, and three of the ball joint


def test_work_and_precision(tmp_path):
    rows = [(lv.Livens(p), h, p / h, h**p) for p in (2, 4, 6) for h in (0.1, 0.05, 0.025)]
    figure = lv.plot_work_precision([*rows, (lv.Livens(6), 0.01, 600.0, 0.0)], tmp_path / "wp.pdf", cost="stages")
    _, work = figure.axes
    assert [len(line[0]) for line in lines(work)] == [3, 3, 3]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == [f"Livens(order={p}) (slope {p}.0)" for p in (2, 4, 6)]
    assert np.isnan(order([0.1], [0.1]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pie",), "there is no figure 'pie'; there is invariants, energy, phase"),
        (("a.png", "fore"), "there is no figure 'a.png'"),
        (("phase", "gravity"), "nothing named 'gravity'"),
        (("phase", "shoulder", "x"), "a component x, y or z of a body or point can be drawn"),
        (("phase", "fore", "w"), "not 'w'"),
        (("trajectory", *["fore"] * 11), "one to 10 paths fit into a figure, not 11"),
        (("reactions", *["elbow"] * 11), "11 are too many for one figure"),
        (("effort",), "has no joint with a motor or a prescribed motion"),
        (("position", "elbow"), "belongs to a body or a point of one"),
        (("coordinate", "nobody"), "nothing named 'nobody'"),
        (("velocity", *["fore"] * 11), "11 curves are too many"),
        (("polhode", "upper"), "body 'upper' does not turn at the start"),
    ],
)
def test_errors_of_figures(arguments, words):
    with pytest.raises(lv.ModelError, match=words):
        arm().plot(*arguments)


def test_nothing_to_draw():
    empty = lv.simulate(lv.Model(), h=1.0, until=1.0)
    for kind, words in (("phase", "has no bodies"), ("polhode", "has no bodies"), ("reactions", "has none")):
        with pytest.raises(lv.ModelError, match=words):
            empty.plot(kind)
    with pytest.raises(lv.ModelError, match="one to 10 schemes"):
        lv.plot_work_precision([])
    rod = lv.Model()
    rod.add(lv.Body(lv.ThinRod(1.0, mass=1.0), body_rates=(0, 1, 0), name="rod"))
    with pytest.raises(lv.ModelError, match="no ellipsoid of energy"):
        lv.simulate(rod, h=0.1, until=1.0).plot("polhode")
