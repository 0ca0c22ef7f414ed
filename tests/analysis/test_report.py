"""The numbers and texts of the report agree with the motion, and so does the figure."""

import re

import numpy as np
import pytest

import livens as lv
from livens.look.page.page import write_page
from livens.look.plot.style import CURVE_POINTS, thinned

EPS = np.finfo(float).eps
G = 9.81


def thrown(steps=1000, **options):
    m = lv.Model(gravity=(0, 0, -G), name="stick")
    m.add(lv.Body(lv.Box(1, 0.2, 0.1, density=500), velocity=(1, 0, 5), body_rates=(0.1, 4, 0.1), name="stick"))
    return lv.simulate(m, lv.Livens(), h=1e-3, until=1e-3 * steps, **options)


def pendulum(h=1e-2, until=20.0, **load):
    m = lv.Model(gravity=(0, 0, -G), name="bob")
    bob = m.add(lv.Body(lv.Ball(0.1, mass=2.0), at=(0.5, 0, -1), velocity=(0, 0.5, 0), name="bob"))
    m.add(lv.Spring(m.world.point(0, 0, 0), bob.point(0, 0, 0), stiffness=100.0, length=1.0, name="rope"))
    if load:
        m.add(lv.Load(bob.center, **load, name="wind"))
    return lv.simulate(m, lv.Livens(), h=h, until=until)


@pytest.fixture(scope="module")
def kept():
    return thrown().report()


def test_numbers_of_a_throw(kept):
    mass = 1 * 0.2 * 0.1 * 500
    assert kept.momentum.start == pytest.approx(mass * 1.0, rel=4 * EPS)
    inertia = mass / 12 * np.array([0.05, 1.01, 1.04])
    spin = 0.5 * inertia @ np.square([0.1, 4, 0.1])
    assert kept.energy.start == pytest.approx(0.5 * mass * 26 + spin, rel=10 * EPS)
    assert kept.angular_momentum.start == pytest.approx(np.linalg.norm(inertia * [0.1, 4, 0.1]), rel=10 * EPS)
    assert (kept.steps, kept.h, kept.time, kept.model) == (1000, 1e-3, pytest.approx(1.0), "stick")
    assert kept.steps_per_second > 0


def test_conserved_quantities_are_conserved_to_machine_precision(kept):
    for row in kept.rows:
        assert row.relative < 10 * kept.steps * EPS
    assert abs(kept.energy_slope) < 10 * kept.steps * EPS
    assert kept.energy_band < 10 * kept.steps * EPS


def test_the_energy_error_is_of_second_order_and_does_not_drift():
    coarse, fine = pendulum(2e-2).report(), pendulum(1e-2).report()
    assert coarse.energy_band / fine.energy_band == pytest.approx(4.0, abs=0.2)
    assert abs(fine.energy_slope) * fine.time < 0.1 * fine.energy_band


def test_the_drift_rate_is_the_slope_of_a_fitted_line():
    """A trajectory with an energy that is modified to increase by 0.1 % per second."""
    motion = thrown(every=10)
    vars(motion)["_energies"] = (motion.kinetic, motion.potential + 1e-3 * motion.kinetic.max() * motion.t)
    scale = max(motion.kinetic.max(), np.ptp(motion.potential))
    assert motion.report().energy_slope == pytest.approx(1e-3 * motion.kinetic.max() / scale, rel=1e-9)


def test_gravity_and_the_rope_are_named():
    kept = pendulum(until=1.0).report()
    assert kept.momentum is None
    assert kept.angular_momentum.name == "angular momentum along (0, 0, 1) about the origin"
    assert kept.notes == (
        "momentum is not conserved because of gravity and spring 'rope'.",
        "angular momentum across (0, 0, 1) is not conserved because of gravity.",
    )


def test_work_is_not_reported_as_drift():
    motion = pendulum(until=1.0, force=lambda t: (5.0, 0.0, 0.0))
    kept = motion.report()
    change = motion.energy[-1] - motion.energy[0]
    assert kept.notes[0].startswith(f"energy changes by {change:+.6g} J")
    assert kept.notes[0].endswith("work of load 'wind'.")
    assert kept.energy.name == "energy − work + dissipation"
    assert not kept.energy_conserved
    assert abs(kept.energy.change) < 0.01 * abs(change)
    pushed = 5.0 * np.ptp(motion.position("bob")[[0, -1], 0])  # a constant force: work = force × way
    assert abs(change) == pytest.approx(pushed, abs=0.1 * motion.h)


def test_the_table_can_be_read(kept):
    text = str(kept)
    lines = text.splitlines()
    assert lines[0].startswith("stick: Livens(order=2), h = 0.001 s, 1,000 steps to t = 1 s, ")
    assert re.search(r"[\d.]+ [kM]? ?steps/s$", lines[0])
    assert max(map(len, lines)) <= 80
    for name in ("energy [J]", "momentum across (0, 0, 1)", "angular momentum", "centre of mass", "orthogonality"):
        assert name in text
    assert lines[-1] == "momentum along (0, 0, 1) is not conserved because of gravity."


@pytest.mark.parametrize("seed", range(3))
def test_a_terminal_of_80_columns_holds_every_line(seed):
    """Large numbers, long names, units of any size; the words are all there."""
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.integers(-6, 7)
    m = lv.Model(gravity=size * rng.normal(size=3), name="a model with a long name, " * 3)
    arm = m.add(lv.Body(lv.Box(size, size, 0.1 * size, density=1e3), velocity=size * rng.normal(size=3), name="a" * 30))
    m.add(lv.Spherical(m.world.point(size, 0, 0), arm.point(size, 0, 0), name="a joint with a long name"))
    m.add(lv.Damper(m.world.point(0, 0, -size), arm.center, rate=1e-3, name="another long name"))
    kept = lv.simulate(m, h=1e-4, until=1e-3).report()
    lines = str(kept).splitlines()
    assert max(map(len, lines)) <= 80
    assert " ".join(str(kept).split()).endswith(" ".join(" ".join(kept.notes).split()))
    assert f"{kept.energy.start:.6g}" in str(kept)


def test_notebooks_show_a_table_with_escaped_names():
    m = lv.Model(name="<b>bold</b>")
    m.add(lv.Body(lv.Ball(0.1, mass=1)))
    html = lv.simulate(m, h=0.1, until=1.0).report()._repr_html_()
    assert html.startswith("<table>")
    assert "<b>" not in html


def test_a_model_at_rest_gives_no_division_by_zero():
    m = lv.Model()
    m.add(lv.Body(lv.Ball(0.1, mass=1)))
    with np.errstate(all="raise"):
        kept = lv.simulate(m, h=0.1, until=1.0).report()
    assert [row.worst for row in kept.rows] == [0.0] * 4
    assert kept.energy_slope == kept.energy_band == 0.0


def test_joints_are_in_the_report():
    m = lv.Model(gravity=(0, 0, -G))
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    motion = lv.simulate(m, h=1e-3, until=0.1)
    names = [row.name for row in motion.report().rows]
    assert names == ["energy", "orthogonality |BᵀB − I|", "joints, position", "joints, velocity"]
    assert all(row.worst < 1e-11 for row in motion.report().rows[1:])


# ── the figure and the page ──


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_figures_are_written(ending, tmp_path):
    motion = pendulum(until=1.0)
    motion.plot(tmp_path / f"figure.{ending}")
    assert (tmp_path / f"figure.{ending}").stat().st_size > 5000
    assert len(list(tmp_path.iterdir())) == 1


def test_a_figure_leaves_no_global_state():
    import matplotlib

    before = dict(matplotlib.rcParams)
    pendulum(until=1.0, force=(1, 0, 0)).plot()
    assert dict(matplotlib.rcParams) == before


def test_errors_of_figures(tmp_path):
    with pytest.raises(lv.FileError, match=r"the ending must be one of png, pdf, svg, not '\.doc'"):
        thrown(10).plot(tmp_path / "figure.doc")
    with pytest.raises(lv.FileError, match="does not exist"):
        thrown(10).plot(tmp_path / "gone" / "figure.png")


def test_decimated_curves_keep_their_extrema():
    t = np.linspace(0, 1, 100_000)
    x = np.random.default_rng(0).normal(size=len(t))
    s, y = thinned(t, x)
    assert len(s) <= CURVE_POINTS + 2
    assert (y.min(), y.max(), s[0], s[-1]) == (x.min(), x.max(), 0.0, 1.0)
    assert (np.diff(s) > 0).all()


def test_the_page_needs_no_network(tmp_path):
    motion = thrown()
    motion.model.name = "</script><b>"
    write_page(motion, tmp_path / "page.html", follow=True)
    text = (tmp_path / "page.html").read_text()
    assert "{{" not in text
    assert not re.search(r"https?://|src=|<link|import ", text)
    assert text.count("</script>") == 1
