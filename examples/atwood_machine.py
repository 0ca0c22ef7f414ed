"""A cord over a pulley as an equation: Atwood's machine, with a pulley that has inertia.

The cord does not stretch or slip: z₁ + z₂ = const and z₂ = r φ, two couplings. The acceleration is
(m₁ − m₂) g / (m₁ + m₂ + J/r²), and the tensions on the two sides differ by J a/r².
"""

import numpy as np

import livens as lv

M1, M2, R, J, G = 3.0, 2.0, 0.2, 0.04, 9.81  # kg, kg, m, kg m², m/s²


def main(h=2e-3, until=1.5):
    m = lv.Model(gravity=(0, 0, -G), name="Atwood machine")
    look = lv.Cylinder(R, 0.04, mass=1.0).surface.moved(lv.Pose.from_axis_angle((1, 0, 0), np.pi / 2))
    wheel = m.add(lv.Body(lv.Solid(lv.MassProperties(1.0, (J, J, J)), look), name="pulley"))
    axle = m.add(lv.Revolute(m.world.point(0, 0, 0), wheel.center, axis=(0, 1, 0), name="axle"))
    for name, x, mass, ratio in (("left", -R, M1, R), ("right", R, M2, -R)):
        weight = m.add(lv.Body(lv.Box(0.12, 0.12, 0.04 * mass, mass=mass), at=(x, 0, -1), name=name))
        guide = lv.Prismatic(m.world.point(x, 0, -1), weight.center, axis=(0, 0, 1), name=f"{name} guide")
        m.add(guide)
        m.add(lv.Coupling(axle, m[f"{name} guide"], ratio=ratio, name=f"{name} cord"))
    return lv.simulate(m, h=h, until=until)


def check():
    motion = main()
    a = (M1 - M2) * G / (M1 + M2 + J / R**2)
    fallen, turned = 0.5 * a * motion.t**2, (a / R * motion.t[-1] * motion.h) ** 2  # the angle of a step, squared
    assert np.abs(motion.position("left")[:, 2] + 1.0 + fallen).max() < 0.1 * turned * fallen[-1]
    assert np.abs(motion.coordinate("axle") * R - motion.position("left")[:, 2] - 1.0).max() < 1e-11
    assert np.abs(motion.acceleration("right")[:, 2] - a).max() < 1e-10


if __name__ == "__main__":
    print(f"acceleration {(M1 - M2) * G / (M1 + M2 + J / R**2):.4f} m/s²")
    main().to_html("atwood_machine.html")
