"""A few random piles of the endurance tests, contact beside MuJoCo, and that faults are noticed."""

import numpy as np
import pytest

import livens as lv
from benchmarks import contact, piles


@pytest.mark.parametrize("seed", [2, 6, 7, 9, 10, 11, 14, 17, 18])
def test_random_piles(seed):
    assert piles.faults(piles.draw(seed)) == []


def test_a_pile_that_does_not_end_in_time_is_a_failure():
    done = piles.soak(1, report=lambda text: None, limit=1e-3, first=2)
    assert done.tried == 1
    assert done.failed == [f"{piles.draw(2)}: not finished after 0.001 s"]


def test_wrong_momentum_is_noticed():
    """The test can fail: with another force on the tray the momentum is not what it should be."""
    pile = piles.draw(6)
    assert pile.scene == "tray"
    [fault] = piles.faults(pile._replace(force=pile.force * (1.0 + 1e-9)))
    assert fault.startswith("momentum changes by")


def test_penetration_is_noticed():
    """The test can fail: contact is left out for one pair of bodies."""
    m = lv.Model()
    pieces = [piles.Piece("ball", (0.2,), 1.0), piles.Piece("box", (0.2, 0.1, 0.3), 1.0)]
    bodies = [
        m.add(lv.Body(piles.shape_of(p, 1.0, 1.0), at=(0.3 * k, 0, 0), name=p.kind)) for k, p in enumerate(pieces)
    ]
    m.add(lv.Contacts(exclude=[tuple(bodies)]))
    pile = piles.Pile(0, "cluster", m, pieces, 1.0, np.zeros(3), [])
    [fault] = piles.faults(pile)
    assert fault.startswith("penetration 1.0e-01 of a unit, ball and box")


def test_contact_beside_mujoco():
    """Livens neither creeps nor penetrates where MuJoCo does; MuJoCo's numbers are those of soft contact."""
    scene = contact.incline()
    found = contact.compare(scene, contact.moved)
    assert found["livens"].error < 1e-12 < 1e-4 < found["MuJoCo"].error
    assert found["livens"].penetration < 1e-12 < found["MuJoCo"].penetration
    found = contact.compare(contact.ball(), contact.ball_error)
    assert found["livens"].error < 1e-9 < found["MuJoCo"].error
