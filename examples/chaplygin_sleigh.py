"""A knife edge: the Chaplygin sleigh turns until it glides straight, although nothing damps it.

The centre of mass is the distance a ahead of the edge. With v along the edge and ω the turning rate, v′ = a ω² and
ω′ = −m a v ω/(J + m a²): the energy is constant and v → √(2E/m). With b² = a²m/(J + m a²) the solution is
v = V tanh(b²V t/a), ω = (V b/a) sech(b²V t/a), V = √(2E/m).
"""

import numpy as np

import livens as lv

A, MASS, J, SPIN = 0.3, 2.0, 0.1, 4.0  # m, kg, about the centre [kg m²], rad/s at the start


def main(h=2e-3, until=3.0):
    m = lv.Model(name="Chaplygin sleigh", planar="xy")
    matter = lv.MassProperties(MASS, (J, J, J), center=(A, 0, 0))
    look = lv.Box(0.8, 0.3, 0.06, mass=1.0).surface.moved(lv.Pose((A, 0, 0)))
    sleigh = m.add(lv.Body(lv.Solid(matter, look), angular_velocity=(0, 0, SPIN), name="sleigh"))
    m.add(lv.KnifeEdge(m.world.point(0, 0, 0), sleigh.point(0, 0, 0), across=(0, 1, 0), name="blade"))
    return lv.simulate(m, h=h, until=until)


def exact(t):
    """Speed along the blade [m/s] and turning rate [rad/s]."""
    full = J + MASS * A**2
    V, b = np.sqrt(full / MASS) * SPIN, A * np.sqrt(MASS / full)
    x = b**2 * V * t / A
    return V * np.tanh(x), V * b / A / np.cosh(x)


def check():
    errors = []
    for h in (2e-3, 1e-3):
        motion = main(h)
        along = (motion.velocity("sleigh") * motion.rotation("sleigh")[:, :, 0]).sum(axis=1)
        v, w = exact(motion.t)
        rate = motion.angular_velocity("sleigh")[:, 2]
        errors.append(max(np.abs(along - v).max(), A * np.abs(rate - w).max()))
        assert np.ptp(motion.energy) < 5 * (SPIN * h) ** 2 * motion.energy[0]
    assert 3.5 < errors[0] / errors[1] < 4.5


if __name__ == "__main__":
    print("speed at the end [m/s]:", exact(3.0)[0].round(4))
    main().to_html("chaplygin_sleigh.html", camera="top")
