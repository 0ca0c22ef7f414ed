"""Modes and frequency response: a half-car model, whose body heaves and pitches on two sprung wheels.

The mass and stiffness matrices in (heave, pitch, front wheel, rear wheel) are written by hand in `by_hand`. A road that
shakes the front tyre by 2 mm at 3 Hz is compared with the frequency response of the linearised model.
"""

import numpy as np

import livens as lv

MASS, PITCH, WHEEL = 600.0, 900.0, 40.0  # kg, kg m², kg
ENDS, SPRING, TYRE, DAMPING = {"front": 1.2, "rear": -1.5}, 2e4, 1.5e5, 1.2e3  # m, N/m, N/m, N s/m
ROAD, OMEGA, G = 2e-3, 6 * np.pi, 9.81  # amplitude of the road [m], rad/s, m/s²


def model(damping=DAMPING):
    m = lv.Model(gravity=(0, 0, -G), name="half-car")
    shape = lv.Solid(lv.MassProperties(MASS, (PITCH / 4, PITCH, PITCH)), lv.Box(3.6, 1.2, 0.4, mass=1.0).surface)
    car = m.add(lv.Body(shape, at=(0, 0, 1.0), name="car"))
    m.add(lv.Planar(m.world.point(0, 0, 1.0), car.center, normal=(0, 1, 0), name="plane"))
    m.add(lv.PointOnPlane(m.world.point(0, 0, 1.0), car.center, normal=(1, 0, 0), name="guide"))
    for name, x in ENDS.items():
        load = G * MASS * abs(sum(ENDS.values()) - x) / (ENDS["front"] - ENDS["rear"])  # on this end, at rest
        wheel = m.add(lv.Body(lv.Ball(0.15, mass=WHEEL), at=(x, 0, 0.4), name=name))
        m.add(lv.Prismatic(m.world.point(x, 0, 0.4), wheel.center, axis=(0, 0, 1), name=f"{name} wheel"))
        spring = {"stiffness": SPRING, "length": 0.6 + load / SPRING, "damping": damping}
        m.add(lv.Spring(wheel.center, car.point_at(x, 0, 1.0), **spring))
        m.add(lv.Spring(m.world.point(x, 0, 0), wheel.center, stiffness=TYRE, length=0.4 + (load + WHEEL * G) / TYRE))
    return m


def main(until=10.0):
    m = model()
    m.add(lv.Load(m["front"].center, force=lambda t: (0, 0, TYRE * ROAD * np.sin(OMEGA * t)), name="road"))
    return lv.simulate(m, h=2e-3, until=until)


def by_hand():
    a, b = ENDS.values()
    r = [np.array([1.0, a, -1.0, 0.0]), np.array([1.0, b, 0.0, -1.0])]  # extension of the two springs
    K = SPRING * sum(np.outer(x, x) for x in r) + TYRE * np.diag([0, 0, 1, 1])
    M = np.diag([MASS, PITCH, WHEEL, WHEEL])
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))


def check():
    free = model(damping=0.0)
    assert np.abs(lv.dynamics(free).acceleration("car")).max() < 1e-9  # it starts at rest
    modes = lv.linearize(free).modes()
    np.testing.assert_allclose(modes.omega, by_hand(), rtol=1e-9)
    motion, car = main(), model()
    lin = lv.linearize(car, inputs=["front wheel"], outputs=["car"])
    gain = abs(lin.frequency_response([OMEGA])[0, 2, 0]) * TYRE * ROAD
    heave = motion.position("car")[motion.t > 8.0, 2]
    assert abs(np.ptp(heave) / 2 / gain - 1.0) < 1e-3


if __name__ == "__main__":
    print("natural frequencies [Hz]:", (by_hand() / (2 * np.pi)).round(3))
    main().to_html("half_car.html")
