"""Reactions: the torque that turns a slider-crank at constant speed, and the force in its guide.

The slider is at x = r cos φ + √(l² − r² sin² φ). For a light crank and rod the torque follows from the power of the
slider's inertia, and the force of the guide from the balance at the slider: N = m ẍ tan β, β the angle of the rod.
"""

import numpy as np

import livens as lv

R, L, MASS, RATE, LIGHT = 0.1, 0.35, 2.0, 20.0, 1e-7  # m, m, kg, rad/s, kg


def main(h=5e-4, until=2 * np.pi / RATE):
    m = lv.Model(name="crank torque", planar="xz")
    crank = m.add(lv.Body(lv.Box(R, 0.02, 0.02, mass=LIGHT), at=(R / 2, 0, 0), name="crank"))
    rod = m.add(lv.Body(lv.Box(L, 0.015, 0.015, mass=LIGHT), at=(R + L / 2, 0, 0), name="rod"))
    slider = m.add(lv.Body(lv.Box(0.08, 0.06, 0.06, mass=MASS), at=(R + L, 0, 0), name="slider"))
    m.add(
        lv.Revolute(
            m.world.point(0, 0, 0), crank.point_at(0, 0, 0), axis=(0, -1, 0),
            drive=lv.Expression("w*t", w=RATE), name="shaft",
        )
    )  # fmt: skip
    m.add(lv.Revolute(crank.point_at(R, 0, 0), rod.point_at(R, 0, 0), axis=(0, 1, 0), name="crank pin"))
    m.add(lv.Revolute(rod.point_at(R + L, 0, 0), slider.center, axis=(0, 1, 0), name="wrist pin"))
    m.add(lv.Prismatic(m.world.point(R + L, 0, 0), slider.center, axis=(1, 0, 0), name="guide"))
    return lv.simulate(m, h=h, until=until)


def closed_form(t):
    """Position, velocity and acceleration of the slider, and tan β."""
    phi, w = RATE * t, RATE
    root = np.sqrt(L**2 - (R * np.sin(phi)) ** 2)
    x = R * np.cos(phi) + root
    v = -R * w * np.sin(phi) * (1 + R * np.cos(phi) / root)
    bend = R**2 * np.cos(2 * phi) / root + R**4 * np.sin(2 * phi) ** 2 / (4 * root**3)
    return x, v, -(w**2) * (R * np.cos(phi) + bend), R * np.sin(phi) / root


def check():
    motion = main()
    x, v, a, beta = closed_form(motion.t)
    assert np.abs(motion.position("slider")[:, 0] - x).max() < 1e-10
    assert np.abs(motion.acceleration("slider")[:, 0] - a).max() < 1e-6 * np.abs(a).max()
    torque = MASS * a * v / RATE
    assert np.abs(motion.effort("shaft") - torque).max() < 1e-5 * np.abs(torque).max()
    assert np.abs(np.abs(motion.reaction("guide")[:, 2]) - np.abs(MASS * a * beta)).max() < 1e-5 * MASS * R * RATE**2


if __name__ == "__main__":
    motion = main()
    print(f"largest torque {motion.effort('shaft').max():.2f} N m")
    motion.to_html("crank_torque.html")
