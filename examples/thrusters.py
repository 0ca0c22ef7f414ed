"""Loads: a spacecraft with a constant body-fixed thrust and a time-dependent torque.

The energy increases by the work of the loads, which the report takes into account. With the thrust through the
centre of mass along the spin axis the solution is known: v = ∫F/m dt along z, ω = ∫M/J dt about z.
"""

import numpy as np

import livens as lv

THRUST, TORQUE, TIME = 20.0, 3.0, 4.0  # newtons, newton metres, seconds


def main(h=1e-2):
    m = lv.Model(name="spacecraft")
    ship = m.add(lv.Body(lv.Cylinder(0.5, 2.0, mass=100.0), name="ship"))
    m.add(lv.Load(ship.center, force=(0, 0, THRUST), axes="body", name="main engine"))
    m.add(lv.Load(ship.center, torque=lambda t: (0, 0, TORQUE * np.sin(np.pi * t / TIME)), name="roll jets"))
    return lv.simulate(m, lv.Livens(order=4), h=h, until=TIME)


def expected():
    """Final velocity along z [m/s] and angular velocity about z [rad/s]."""
    inertia = 0.5 * 100.0 * 0.5**2
    return THRUST / 100.0 * TIME, TORQUE / inertia * TIME * 2.0 / np.pi


def check():
    motion, h = main(), 1e-2
    speed, rate = expected()
    assert abs(motion.velocity("ship")[-1, 2] - speed) < 1e-12
    assert abs(motion.body_rates("ship")[-1, 2] - rate) < h**4
    work = 0.5 * 100.0 * speed**2 + 0.5 * 12.5 * rate**2
    assert abs(motion.energy[-1] - work) < 100 * h**4
    assert "work of load 'main engine' and load 'roll jets'" in motion.report().notes[0]


if __name__ == "__main__":
    print(main().report())
