"""Events and contact in one run: phases, impacts, files and resuming, at orders 2 and 4."""

from __future__ import annotations

import numpy as np
import pytest

import livens as lv
from tests.helpers.frames import Frame, G

SCHEMES = pytest.mark.parametrize("scheme", [lv.Livens(), lv.Livens(order=4)], ids=str)
DROP = 0.3333


def dropped(frame, scheme, until=1.6, events=True, **more):
    """A ball on a rod is released over a floor, on which a box stands."""
    m = frame.model()
    ball = frame.ball(m, 0.1, (0, 0, 1.1), name="ball")
    frame.box(m, (0.4, 0.4, 0.4), (2, 0, 0.2), name="box")
    m.add(lv.Rod(m.world.point(frame.place((0, 0, 3))), ball.center, name="hold"))
    friction = 0.3 if scheme.order == 2 else 0.0
    m.add(lv.Contacts([frame.floor(m)], restitution=0.5, friction=friction, name="floor"))
    up = frame.direction((0, 0, 1))
    watched = [
        lv.Event(lambda now: float(now.t[0]) - DROP, do=lv.release("hold"), name="drop"),
        lv.Event(lambda now: float(now.velocity("ball")[0] @ up), direction=-1, name="top"),
    ]
    return m, lv.simulate(m, scheme, h=0.01, until=until, events=watched if events else (), **more)


@SCHEMES
@pytest.mark.parametrize("seed", [0, 2])
def test_a_released_ball_bounces(scheme, seed):
    frame = Frame(seed)
    m, motion = dropped(frame, scheme)
    fall = np.sqrt(2.0 / G)
    hits = DROP + fall * np.array([1.0, 2.0, 2.5, 2.75])
    assert np.abs(motion.impacts.t - hits).max() < 1e-11
    assert set(motion.impacts.contact) == {"floor"}
    tops = [event.t for event in motion.events if event.name == "top"]
    assert np.abs(np.array(tops) - (hits[:3] + fall * np.array([0.5, 0.25, 0.125]))).max() < 1e-10
    assert np.ptp(motion.energy - motion.work + motion.dissipated) < 1e-11 * frame.unit**2
    assert motion.impact_loss[-1] == pytest.approx(G * frame.unit**2 * (1.0 - 0.25**4), rel=1e-9)
    assert (
        np.abs(frame.B.T @ motion.contact_force(m.world, "box")[-1] - (0, 0, G * frame.unit)).max() < 1e-9 * frame.unit
    )
    assert motion.gap(m.world, "ball")[0] == pytest.approx(frame.unit, rel=1e-9)
    assert len(motion.contact_points(-1)) == 4
    assert "4 impacts lost" in str(motion.report())


def test_files_and_resuming(tmp_path):
    frame = Frame(1)
    _, whole = dropped(frame, lv.Livens())
    _, half = dropped(frame, lv.Livens(), until=1.0)
    again = lv.resume(half, until=1.6)
    assert (again.position("ball") == whole.position("ball")).all()
    assert (again.impacts.t == whole.impacts.t).all()
    whole.save(tmp_path / "drop.nc")
    read = lv.load(tmp_path / "drop.nc")
    assert (read.impacts.t == whole.impacts.t).all()
    assert read.impacts.contact == whole.impacts.contact
    assert (read.impact_loss == whole.impact_loss).all()


def test_an_event_ends_a_run_between_impacts():
    frame = Frame(1)
    m = frame.model()
    ball = frame.ball(m, 0.1, (0, 0, 1.1), name="ball")
    m.add(lv.Contact(frame.floor(m), ball, restitution=0.8))
    up = frame.direction((0, 0, 1))
    rise = lv.Event(lambda now: float(now.velocity(ball)[0] @ up), direction=-1, stop=True)
    motion = lv.simulate(m, h=0.01, until=5.0, events=[rise])
    fall = np.sqrt(2.0 / G)
    assert motion.t[-1] == pytest.approx(fall * 1.8, abs=1e-11)
    assert motion.impacts.t.tolist() == pytest.approx([fall], abs=1e-12)


def test_bodies_that_overlap_after_a_release_are_named():
    """A joint keeps bodies from touching each other; without it they would overlap."""
    m = lv.Model(gravity=(0, 0, -G))
    arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, mass=1.0), name="arm"))
    stone = m.add(lv.Body(lv.Ball(0.2, mass=1.0), at=(0.55, 0, 0), name="stone"))
    m.add(lv.Rigid(arm.point(0.55, 0, 0), stone.center, name="glue"))
    m.add(lv.Contacts(friction=0.1))
    let_go = lv.Event(lambda now: float(now.t[0]) - 0.05, do=lv.release("glue"), name="let go")
    with pytest.raises(lv.ModelError, match=r"event 'let go'.*(stone.*arm|arm.*stone).*overlap at the start by 0\.1"):
        lv.simulate(m, h=0.01, until=0.1, events=[let_go])
