"""Motor, damper and energy balance: a controller, called at 100 Hz, lifts an arm and holds it.

The work of the motor minus the energy dissipated in the bearing is the change of the energy of the arm.
"""

import numpy as np

import livens as lv

GOAL = np.pi / 3  # rad, above the horizontal


def main(h=1e-3):
    m = lv.Model(gravity=(0, 0, -9.81), name="servo arm")
    arm = m.add(lv.Body(lv.Box(0.6, 0.05, 0.05, density=800), at=(0.3, 0, 0), name="arm"))
    shoulder = lv.Revolute(
        m.world.point(0, 0, 0), arm.point(-0.3, 0, 0), axis=(0, -1, 0), damping=0.05, name="shoulder"
    )
    m.add(shoulder)

    def controller(t, now):
        """Torque [N m]: compensation of the weight, proportional and derivative control."""
        angle, rate = now.coordinate(shoulder)[0], now.rate(shoulder)[0]
        return 1.2 * 9.81 * 0.3 * np.cos(angle) + 20.0 * (GOAL - angle) - 3.0 * rate

    m.add(lv.Motor(shoulder, controller, rate=100.0, name="motor"))
    return lv.simulate(m, h=h, until=4.0, every=10)


def check():
    errors = []
    for h in (1e-3, 5e-4):
        motion = main(h)
        assert abs(motion.coordinate("shoulder")[-1] - GOAL) < 1e-4
        errors.append(np.ptp(motion.energy - motion.work + motion.dissipated))
    assert errors[0] < 1e-3 * motion.work.max()
    assert 3.5 < errors[0] / errors[1] < 4.5  # the balance error has order 2
    assert motion.dissipated[-1] > 0.0


if __name__ == "__main__":
    print(main().report())
