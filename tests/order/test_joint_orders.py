"""Positions, velocities and reactions have the order of the scheme, on one mechanism with every joint."""

from functools import cache

import numpy as np
import pytest

import livens as lv
from benchmarks import index_one
from tests.helpers import mechanisms, runs, schemes

UNTIL = 0.25
STEPS = {2: 400, 4: 50, 6: 25}


@cache
def reference(rolling):
    found = index_one.solve(mechanisms.every_joint(rolling=rolling), [UNTIL], rtol=1e-12)[0]
    assert found.slip < 1e-11
    return found


def deviations(model, order, n, found):
    return runs.deviations(runs.run(model, order, h=UNTIL / n, until=UNTIL), found)


def test_the_mechanism_contains_every_joint():
    kinds = {type(joint).__name__ for joint in mechanisms.every_joint().joints}
    public = {name for name in dir(lv) if getattr(getattr(lv, name), "kind", None) == "joint"}
    assert kinds == public - {"Constraint", "BeamConstraint"}  # which users and beams write


@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
@pytest.mark.parametrize("rolling", [False, True], ids=("holonomic", "rolling"))
def test_order(scheme, rolling):
    model, found = mechanisms.every_joint(rolling=rolling), reference(rolling)
    n = STEPS[scheme.order]
    errors = [deviations(model, scheme.order, k * n, found) for k in (1, 2)]
    orders = runs.order(errors)[0]
    assert np.abs(orders - scheme.order).max() < schemes.TOLERANCE[scheme.order], (orders, errors)


def test_order_of_the_multipliers():
    """All multipliers, also those of couplings and rolling, which have no reaction at a point."""
    model = mechanisms.every_joint()
    coarse, middle, fine = (
        runs.run(model, h=UNTIL / n, until=UNTIL, every=n).multipliers[-1] for n in (400, 800, 1600)
    )
    assert np.log2(np.abs(coarse - middle).max() / np.abs(middle - fine).max()) == pytest.approx(2, abs=0.05)


def test_order_with_dampers():
    """Order 2, with dampers in a hinge and between points; the energy balance has the same order."""
    model = mechanisms.every_joint(damping=0.8)
    model.add(lv.Damper(model["tail"].point(0, 0, 0), model.world.point(2.5, 0.5, -1.0), rate=3.0))
    found = index_one.solve(model, [UNTIL], rtol=1e-11)[0]
    errors = [deviations(model, 2, n, found) for n in (400, 800)]
    assert np.abs(runs.order(errors)[0] - 2).max() < 0.05, errors
    gaps = [
        np.abs(m.energy - m.energy[0] + m.dissipated).max()
        for m in (runs.run(model, h=UNTIL / n, until=UNTIL) for n in (400, 800))
    ]
    assert runs.order(gaps)[0] == pytest.approx(2, abs=0.05)


def test_order_with_drives_motors_and_loads():
    """Orders 2 and 4, with all kinds of functions of time."""

    def build():
        m = mechanisms.every_joint(rolling=False)
        m.add(lv.Motor(m["screw"], lambda t: 2 * np.cos(7 * t), name="motor"))
        m.add(lv.Load(m["puck"].point(0.1, 0.2, 0), force=lambda t: (3 * np.sin(5 * t), 1, 0), name="wind"))
        m.add(lv.Load(m["ghost"].center, torque=lambda t: (0, 0.1 * t, 0), axes="body", name="twist"))
        fan = m.add(
            lv.Body(lv.MassProperties(0.4, (0.02, 0.03, 0.04)), at=np.add(m["slab"].pose.a, (0, -0.5, 0)), name="fan")
        )
        slab = m["slab"]
        m.add(
            lv.Revolute(slab.point_at(fan.pose.a), fan.point(0, 0, 0), axis=(1, 1, 0),
                        drive=lambda t: 1 - np.cos(6 * t), name="drive")
        )  # fmt: skip
        return m

    found = index_one.solve(build(), [UNTIL], rtol=1e-11)[0]
    for order, n in ((2, 400), (4, 50)):
        errors = [deviations(build(), order, k * n, found) for k in (1, 2)]
        assert np.abs(runs.order(errors)[0] - order).max() < schemes.TOLERANCE[order], errors
        gaps = [
            np.abs(m.energy - m.energy[0] - m.work).max()
            for m in (runs.run(build(), order, h=UNTIL / (k * n), until=UNTIL) for k in (1, 2))
        ]
        assert runs.order(gaps)[0] > 2 - 0.05, gaps
