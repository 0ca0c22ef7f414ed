"""A flying spaghetti: a free, flexible beam that is thrown."""

from __future__ import annotations

import livens as lv

from .demo import Demo

LOAD_PEAK, LOAD_END = 8.0, 5.0  # of the force [N], and of its time [s]


def throw_spaghetti(sections: int = 16) -> lv.Trajectory:
    """A flexible beam of 10 m and 10 kg in free flight, thrown by a force and a torque at one end that rise and fall
    within 5 s, as that of Simo and Vu-Quoc (1988), and softer; its colours show the strain of its surface.

    Its momentum is the impulse of the force, 20 N s, to round-off.

    >>> motion = throw_spaghetti()
    >>> motion.momentum[-1].round(9).tolist()
    [20.0, 0.0, 0.0]
    """
    model = lv.Model(name="flying spaghetti")
    along, stiffnesses = [(6, 0, 0), (0, 0, 8)], (1e4, 1e4, 1e4, 100, 100, 100)
    beam = model.add(
        lv.Beam(along, sections, stiffnesses=stiffnesses, mass_per_length=1.0, inertia_per_length=(10, 10))
    )

    def ramp(t: float) -> float:
        return LOAD_PEAK * max(0.0, 1.0 - abs(2.0 * t / LOAD_END - 1.0))

    model.add(lv.Load(beam.start.center, force=lambda t: (ramp(t), 0, 0), name="force"))
    model.add(lv.Load(beam.start.center, torque=lambda t: (0, 10 * ramp(t), 5 * ramp(t)), name="torque"))
    return lv.simulate(model, h=5e-3, until=9.0, every=4)


DEMO = Demo(
    "a flexible beam in free flight, thrown by a force and a torque at one end",
    throw_spaghetti,
    moment=3.0,
    near=True,
    position=13,
)
