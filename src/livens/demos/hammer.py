"""A CAD solid that is thrown."""

from __future__ import annotations

import livens as lv

from .demo import Demo


def throw_hammer() -> lv.Trajectory:
    """The hammer of the source documents, a CAD solid, thrown up spinning about its handle.

    That is its intermediate principal axis, about which rotation is unstable: the hammer turns over while its centre of
    mass flies on a parabola. Its angular momentum about the centre of mass is constant.

    >>> motion = throw_hammer()
    >>> bool(motion.rotation("hammer")[:, 1, 1].min() < -0.9), motion.report().angular_momentum.relative < 1e-11
    (True, True)
    """
    model = lv.Model(gravity=(0.0, 0.0, -9.81), name="hammer")
    model.add(lv.Body(lv.hammer(), velocity=(0.0, 2.0, 12.0), body_rates=(0.1, 10.0, -0.1), name="hammer"))
    return lv.simulate(model, lv.Livens(), h=1e-4, until=2.4, every=10)


DEMO = Demo(
    "a hammer from CAD, thrown spinning about its unstable intermediate axis", throw_hammer, moment=1.3, position=2
)
