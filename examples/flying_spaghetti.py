"""A flying spaghetti: a free beam, thrown by a force and a torque at one end.

The loads are those of Simo and Vu-Quoc (1988), which rise and fall within 5 s; the beam is softer. Their impulse,
20 N s, is the momentum that the beam has afterwards, to round-off; its centre of mass moves as a point mass does, and
its energy is constant from then on.
"""

import numpy as np

import livens as lv

PEAK, END = 8.0, 5.0  # N; s


def main(sections=12, until=9.0):
    m = lv.Model(name="flying spaghetti")
    stiffnesses = (1e4, 1e4, 1e4, 100, 100, 100)  # GA, GA, EA [N], EI, EI, GJ [N m²]
    along = [(6, 0, 0), (0, 0, 8)]
    beam = m.add(lv.Beam(along, sections, stiffnesses=stiffnesses, mass_per_length=1.0, inertia_per_length=(10, 10)))

    def ramp(t):
        return PEAK * max(0.0, 1.0 - abs(2.0 * t / END - 1.0))

    m.add(lv.Load(beam.start.center, force=lambda t: (ramp(t), 0, 0), name="force"))
    m.add(lv.Load(beam.start.center, torque=lambda t: (0, 10 * ramp(t), 5 * ramp(t)), name="torque"))
    return lv.simulate(m, h=5e-3, until=until, every=4)


def check():
    motion = main(until=8.0)
    mass, impulse = 10.0, PEAK * END / 2
    np.testing.assert_allclose(motion.momentum[-1], [impulse, 0, 0], atol=1e-10)
    pieces = motion.model.bodies[1:]
    centre = sum(body.mass_properties.mass * motion.position(body.center) for body in pieces) / mass
    way = impulse / mass * (motion.t[-1] - END / 2)
    np.testing.assert_allclose(centre[-1], [3 + way, 0, 4], atol=1e-3)
    free = motion.t > END + 0.01
    assert np.ptp(motion.energy[free]) < 1e-4 * motion.energy[-1]
    assert np.ptp(motion.angular_momentum[free], axis=0).max() < 1e-9 * np.abs(motion.angular_momentum).max()


if __name__ == "__main__":
    motion = main()
    print(motion.report())
    motion.to_html("flying_spaghetti.html")
