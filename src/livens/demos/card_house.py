"""Friction that sticks: a house of cards."""

from __future__ import annotations

import numpy as np

import livens as lv

from .demo import Demo

LONG, WIDE, CARD_THICK, LEAN = 0.09, 0.06, 1e-3, 0.35  # of a card [m]; of leaning ones against the vertical [rad]


def stand_card_house(friction: float = 0.5, until: float = 1.0) -> lv.Trajectory:
    """A house of cards of two storeys: it stands, because friction sticks. With a friction of 0.1 it falls.

    Two cards lean against each other above each gap, and a flat one lies on their tops. A pair at the angle θ against
    the vertical needs a friction of ½ tan θ = 0.18 on the floor.

    >>> stands = stand_card_house(until=0.2)
    >>> moved = max(np.ptp(stands.position(b), axis=0).max() for b in stands.model.bodies[1:])
    >>> bool(moved < 1e-6)
    True
    """
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="house of cards")
    half, c, s = 0.5 * LONG, np.cos(LEAN), np.sin(LEAN)
    height = LONG * c + CARD_THICK * s  # of leaning cards
    spread = 2.0 * (half * s + 0.5 * CARD_THICK * c)  # of a pair, from the middle of one to the middle of the other
    pitch = 2.0 * (LONG * s + CARD_THICK * c)
    for storey, places in enumerate(((-0.5, 0.5), (0.0,))):
        floor = storey * (height + CARD_THICK)
        for k, place in enumerate(places):
            for side in (-1, 1):
                turn = lv.Pose.from_axis_angle((0, 1, 0), -side * LEAN).B
                at = (place * pitch + side * 0.5 * spread, 0.0, floor + 0.5 * height)
                name = f"{'right' if side > 0 else 'left'} {storey}{k}"
                model.add(lv.Body(lv.Box(CARD_THICK, WIDE, LONG, mass=1.8e-3), at=at, rotation=turn, name=name))
        if storey == 0:
            flat = lv.Box(pitch, WIDE, CARD_THICK, mass=1.8e-3)
            model.add(lv.Body(flat, at=(0, 0, height + 0.5 * CARD_THICK), name="flat"))
    model.add(lv.Contacts([model.world.plane((0, 0, 0))], friction=friction))
    return lv.simulate(model, h=2e-3, until=until, every=4)


DEMO = Demo("a house of cards that stands, because friction sticks", stand_card_house, near=True, position=22)
