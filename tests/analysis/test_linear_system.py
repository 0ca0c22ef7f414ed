"""Names with units, Bode diagrams with many lines, and the conversion to python-control."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import livens as lv


def table():
    """A plate on a planar joint, with a ball on a spring, and a thruster."""
    m = lv.Model(gravity=(0, 0, -9.81))
    plate = m.add(lv.Body(lv.Box(1, 1, 0.1, mass=2.0), name="plate"))
    ball = m.add(lv.Body(lv.MassProperties(0.5, (0.1, 0.2, 0.3)), at=(0, 0, -0.5), name="ball"))
    stiffness = {"stiffness": (20.0, 30.0, 5.0), "damping": (1.0, 1.0, 0.2)}
    m.add(lv.Planar(m.world.point(0, 0, 0), plate.center, normal=(0, 0, 1), **stiffness, name="floor"))
    m.add(lv.Spherical(plate.point(0, 0, 0), ball.point(0, 0, 0.5), stiffness=4.0, damping=0.1, name="joint"))
    m.add(lv.Load(plate.center, force=(0, 0, 0), name="push"))
    m.add(lv.Motor(m["floor"], 0.0, coordinate="angle", name="turn"))
    return m


def test_names_have_the_units_of_their_numbers():
    speed = lambda now: now.velocity("ball")[0, 0]  # noqa: E731
    lin = lv.linearize(table(), inputs=["turn", "push"], outputs=["floor", "joint", "ball", speed, speed])
    assert lin.inputs[:3] == ("turn [N m]", "push.fx [N]", "push.fy [N]")
    assert lin.outputs == (
        "floor.x [m]", "floor.y [m]", "floor.angle [rad]", "joint.turn_x [rad]", "joint.turn_y [rad]",
        "joint.turn_z [rad]", "ball.x [m]", "ball.y [m]", "ball.z [m]", "output", "output 2",
    )  # fmt: skip
    assert lin.states[2] == "floor.angle [rad]"
    assert lin.states[8] == "rate of floor.angle [rad/s]"
    assert lin.C[:3, :3] == pytest.approx(np.eye(3), abs=1e-12)


def test_a_bode_diagram_of_many_lines_has_units():
    one = lv.linearize(table(), inputs=["turn"], outputs=["floor", "joint", "ball"]).bode()
    assert len(one.axes[0].lines) == 9
    assert one.axes[0].get_ylabel() == "gain"
    labels = [text.get_text() for text in one.axes[0].get_legend().get_texts()]
    assert labels[2] == "floor.angle [rad] / turn [N m]"
    two = lv.linearize(table(), inputs=["turn"], outputs=["joint"]).bode()
    assert two.axes[0].get_ylabel() == "gain [rad/(N m)]"
    with pytest.raises(lv.ModelError, match="one to 10 pairs of input and output, not 21"):
        lv.linearize(table(), inputs=["turn", "push"], outputs=["floor"]).bode()


@pytest.mark.parametrize("h", [None, 1e-2])
def test_python_control_gets_names_that_it_accepts(monkeypatch, h):
    """A stand-in for the package, which takes names without points, all different, and a time step (0: continuous)."""

    def ss(A, B, C, D, dt, states, inputs, outputs):
        for names, count in ((states, len(A)), (inputs, B.shape[1]), (outputs, len(C))):
            assert len(set(names)) == len(names) == count
            assert not any("." in name for name in names)
        return SimpleNamespace(A=A, B=B, C=C, D=D, dt=dt, states=states, inputs=inputs, outputs=outputs)

    monkeypatch.setitem(sys.modules, "control", SimpleNamespace(ss=ss))
    lin = lv.linearize(table(), inputs=["turn", "push"], outputs=["floor", "ball"], h=h)
    found = lin.to_control()
    assert found.outputs == ["floor_x", "floor_y", "floor_angle", "ball_x", "ball_y", "ball_z"]
    assert found.inputs[:2] == ["turn", "push_fx"]
    assert found.states[1] == "floor_y"
    assert found.dt == (h or 0)
    assert np.array_equal(found.A, lin.A)


def test_without_python_control_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(lv.ModelError, match="to_control needs the package python-control: pip install control"):
        lv.linearize(table(), inputs=["turn"]).to_control()


def test_a_rigid_mode_is_not_damped():
    m = lv.Model()
    m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), name="box"))
    modes = lv.linearize(m).modes()
    assert not np.signbit(modes.damping).any()
    assert "-0" not in str(modes)


def test_weights_that_give_no_feedback_are_refused():
    lin = lv.linearize(table(), inputs=["turn"])
    n = len(lin.A)
    for Q, R, words in (
        (np.ones(n), 0.0, "R must be positive"), (np.ones(n), -1.0, "R must be positive"),
        (-np.ones(n), 1.0, "Q must not be negative"), (np.full(n, np.nan), 1.0, "Q is not finite"),
        ("heavy", 1.0, "Q must be"), (np.ones(n - 1), 1.0, r"Q must be a symmetric matrix \(12, 12\)"),
    ):  # fmt: skip
        with pytest.raises(lv.ModelError, match=words):
            lin.lqr(Q, R)


def test_the_response_at_an_undamped_pole_is_infinite():
    m = lv.Model()
    box = m.add(lv.Body(lv.Box(1, 1, 1, mass=2.0), name="box"))
    m.add(lv.Prismatic(m.world.point(0, 0, 0), box.center, axis=(1, 0, 0), name="rail"))
    found = lv.linearize(m, inputs=["rail"]).frequency_response([0.0, 1.0])
    assert np.isinf(found[0, 0, 0])
    assert found[1, 0, 0] == pytest.approx(-0.5)


def test_a_model_without_freedoms():
    m = lv.Model()
    box = m.add(lv.Body(lv.Box(1, 1, 1, mass=1.0), name="box"))
    m.add(lv.Rigid(m.world.point(0, 0, 0), box.center, name="weld"))
    for given in ({}, {"h": 0.1}, {"h": 0.1, "scheme": lv.Newmark()}):
        assert lv.linearize(m, **given).A.shape == (0, 0)
    assert len(lv.linearize(m).modes()) == 0
    with pytest.raises(lv.ModelError, match="has no degrees of freedom"):
        lv.floquet(lv.simulate(m, h=1e-2, until=0.1))


@pytest.mark.parametrize("what", ["contact", "stop", "rope", "friction"])
def test_where_forces_jump_there_is_no_linearisation(what):
    m = lv.Model(gravity=(0, 0, -9.81))
    ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 0.1), name="ball"))
    rail = m.add(lv.Prismatic(m.world.point(0, 0, 0.1), ball.center, axis=(0, 0, 1), name="rail"))
    if what == "contact":
        m.add(lv.Contact(ball, m.world.plane((0, 0, 0))))
        words = "bodies 'ball' and 'world' touch|bodies 'world' and 'ball' touch"
    elif what == "stop":
        m.add(lv.Stop(rail, lower=0.0))
        words = "is at a stop"
    elif what == "rope":
        m.add(lv.Rope(m.world.point(0, 0, 1.1), ball.center, length=1.0))
        words = "is taut"
    else:
        m.add(lv.JointFriction(rail, dynamic=1.0))
        words = "dry friction acts in its joints"
    with pytest.raises(lv.ModelError, match=words):
        lv.linearize(m)
    if what != "friction":  # away from it there is one
        above = lv.JointSpace(m).state([0.05 if what != "rope" else 0.5])
        found = lv.linearize(m, at=above).A
        assert found == pytest.approx(np.eye(2, k=1), abs=1e-12)


def test_the_mass_matrix_of_a_motion_is_that_of_its_last_phase():
    m = lv.Model(gravity=(0, 0, -9.81))
    one = m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1.0), at=(0.5, 0, 0), name="one"))
    two = m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1.0), at=(1.5, 0, 0), name="two"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), one.point(-0.5, 0, 0), axis=(0, 1, 0), name="hinge"))
    m.add(lv.Revolute(one.point(0.5, 0, 0), two.point(-0.5, 0, 0), axis=(0, 1, 0), name="hook"))
    fall = lv.Event(lambda now: now.position("one")[0, 2] + 0.1, do=lv.release("hook"))
    motion = lv.simulate(m, h=1e-3, until=0.4, events=[fall])
    M = lv.mass_matrix(motion)
    assert M.shape == (7, 7)
    assert M[0, 0] == pytest.approx((1 + 0.01) / 12 + 0.25)
