"""Parts of a motion and the motion between its states: motion[k], motion.at(t), repr, to_csv."""

import csv

import numpy as np
import pytest

import livens as lv
from tests.helpers import problems
from tests.helpers.mechanisms import chain, every_joint


def tumbling(seed=0):
    rng = np.random.default_rng(seed)
    m = lv.Model(gravity=(0, 0, -9.81), name="tumbling")
    B = problems.turned(seed)
    body = m.add(lv.Body(lv.Box(1, 0.4, 0.2, density=100), rotation=B, body_rates=rng.normal(size=3), name="body"))
    m.add(lv.Spherical(m.world.point(0, 0, 0), body.point_at(0, 0, 0), name="pin"))
    m.add(lv.Spring(m.world.point(1, 0, 1), body.point(0.5, 0.2, 0.1), stiffness=30.0, length=0.5, name="spring"))
    return m


# ── motion[k] ──


def test_states_by_number_slice_and_list():
    motion = lv.simulate(chain(3), h=1e-3, until=0.1)
    for k in (0, 50, -1):
        now = motion[k]
        assert len(now) == 1
        assert now.t[0] == motion.t[k]
        assert np.array_equal(now.position("rod1")[0], motion.position("rod1")[k])
        assert now.energy[0] == motion.energy[k]
    assert np.array_equal(motion[10:20:2].t, motion.t[10:20:2])
    assert np.array_equal(motion[[3, 7]].t, motion.t[[3, 7]])
    assert np.array_equal(motion[motion.t > 0.05].energy, motion.energy[motion.t > 0.05])
    assert [now.t[0] for now in motion][-1] == motion.t[-1]
    assert str(motion[10:60].report()).count("energy") > 0


@pytest.mark.parametrize("k", [slice(None, None, -1), [5, 5], [7, 3]])
def test_states_go_forward_in_time(k):
    motion = lv.simulate(chain(1), h=1e-3, until=0.1)
    with pytest.raises(lv.ModelError, match="a motion goes forward in time"):
        motion[k]


@pytest.mark.parametrize("k", [101, -102, "last", slice(50, 50), 1.5, None])
def test_states_that_do_not_exist(k):
    motion = lv.simulate(chain(1), h=1e-3, until=0.1)
    with pytest.raises(lv.ModelError, match=r"this motion has 101, counted from 0"):
        motion[k]


# ── motion.at(t) ──


@pytest.mark.parametrize(("scheme", "order"), [(lv.Livens(), 2), (lv.Livens(4), 4), (lv.Livens(6), 6)])
@pytest.mark.parametrize("every", [1, 7])
def test_between_states_the_motion_has_the_order_of_the_scheme(scheme, order, every):
    """Against an eighth-order run with small steps, at times that are no multiples of the step."""
    m, until = tumbling(3), 0.9
    times = np.array([0.0137, 0.2711, 0.5123, 0.8888])
    exact = lv.simulate(m, lv.RungeKutta(8), h=1e-3, until=until).at(times)
    steps = {2: (300, 600), 4: (90, 180), 6: (60, 120)}[order]
    errors = []
    for count in steps:
        there = lv.simulate(m, scheme, h=until / count, until=until, every=every).at(times)
        errors.append(np.abs(there.rotation("body") - exact.rotation("body")).max())
        assert there.defect_position.max() < 1e-11
    assert errors[1] < 1e-3
    assert np.log2(errors[0] / errors[1]) > order - 0.5


def test_at_a_stored_time_it_is_the_stored_state_and_in_between_the_run_itself():
    m = every_joint()
    motion, coarse = (lv.simulate(m, h=1e-3, until=0.05, every=every) for every in (1, 10))
    assert np.array_equal(motion.at(motion.t).record.a, motion.record.a)
    assert np.array_equal(coarse.at(motion.t[:-1]).record.B, motion.record.B[:-1])  # whole steps, to the bit


def test_between_states_with_controllers_drives_and_contact():
    m = lv.Model(gravity=(0, 0, -9.81))
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=100), at=(0.5, 0, 0), name="arm"))
    hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Motor(hinge, lambda t, now: -20.0 * now.coordinate("hinge")[0] - 49.0, rate=100.0))
    fine, coarse = (lv.simulate(m, h=1e-3, until=0.5, every=every) for every in (1, 33))
    assert np.abs(coarse.at(fine.t).coordinate("hinge") - fine.coordinate("hinge")).max() < 1e-12
    ball = lv.Model(gravity=(0, 0, -9.81))
    ball.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 0.5), name="ball"))
    ball.add(lv.Contact(ball.world.plane((0, 0, 0)), ball["ball"], restitution=0.5))
    bounce = lv.simulate(ball, h=1e-3, until=1.0, every=20)
    there = bounce.at([0.1234, 0.2222])
    assert there.position("ball")[:, 2] == pytest.approx(0.5 - 0.5 * 9.81 * np.array([0.1234, 0.2222]) ** 2, abs=1e-9)
    assert bounce.at(0.77).position("ball")[0, 2] > 0.0999


def test_between_states_of_a_motion_with_events():
    m = lv.Model(gravity=(0, 0, -9.81))
    bob = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(1, 0, 0), name="bob"))
    m.add(lv.Rod(m.world.point(0, 0, 0), bob.center, name="rope"))
    event = lv.Event(lambda now: now.position("bob")[0, 2] + 0.7, do=lv.release("rope"))
    motion = lv.simulate(m, h=1e-3, until=1.0, events=[event])
    assert len(motion.phases) == 2
    release = motion.events[0].t
    free = motion.at([release + 0.1003, release + 0.2003]).position("bob")
    v = motion.phases[1].velocity("bob")[0] + (0, 0, -9.81 * (release + 0.1003 - motion.phases[1].t[0]))
    drop = free[1] - free[0] - 0.1 * v - (0, 0, -0.5 * 9.81 * 0.01)
    assert np.abs(drop).max() < 1e-12
    assert len(motion.at([0.0, 0.9]).phases) == 2


@pytest.mark.parametrize("t", [-0.1, 1.1, np.nan, "now", [], [[0.1]]])
def test_times_outside_the_motion(t):
    motion = lv.simulate(chain(1), h=1e-2, until=1.0)
    with pytest.raises(lv.ModelError, match=r"lasts from t = 0 s to 1 s|at times in seconds"):
        motion.at(t)


# ── words and tables ──


def test_a_motion_in_one_line():
    motion = lv.simulate(tumbling(), lv.Livens(4), h=1e-3, until=0.5)
    assert repr(motion) == ("Trajectory('tumbling': 1 body, 501 states, t = 0 to 0.5 s, Livens(order=4), h = 0.001 s)")
    assert repr(motion[3]).startswith("Trajectory('tumbling': 1 body, 1 state, t = 0.003 s")
    html = motion._repr_html_()
    assert "<iframe" in html
    assert "501 states" in html
    assert lv.simulate(lv.Model(), h=1.0, until=1.0)._repr_html_().startswith("<p><code>Trajectory")


def test_a_table_has_the_numbers_of_the_motion(tmp_path):
    motion = lv.simulate(every_joint(), h=1e-3, until=0.01)
    motion.to_csv(tmp_path / "all.csv")
    motion.to_csv(tmp_path / "all.csv")  # its own file is replaced
    with open(tmp_path / "all.csv", newline="", encoding="utf-8") as file:
        names, *rows = list(csv.reader(file))
    table = np.array(rows, dtype=float)
    assert len(names) == len(set(names)) == table.shape[1]
    column = dict(zip(names, table.T, strict=True))
    assert np.array_equal(column["t [s]"], motion.t)
    assert np.array_equal(column["axle [rad]"], motion.coordinate("axle"))
    assert column["rail rate [m/s]"] == pytest.approx(motion.rate("rail"), rel=1e-12, abs=1e-15)
    assert np.array_equal(column["tail z [m]"], motion.position("tail")[:, 2])
    assert np.array_equal(column["tail ωx [rad/s]"], motion.angular_velocity("tail")[:, 0])
    assert np.array_equal(column["kinetic energy [J]"], motion.kinetic)
    lv.simulate(chain(3), h=1e-3, until=0.01).to_csv(tmp_path / "rods.csv")  # without joint space: rods have no roll
    assert "ball1.turn_x [rad]" in (tmp_path / "rods.csv").read_text(encoding="utf-8")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(lv.FileError, match="was not written by livens"):
        motion.to_csv(tmp_path / "other.csv")
