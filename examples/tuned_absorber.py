"""Frequency response: a small mass on a tuned spring keeps a shaken machine at rest (Frahm 1909).

Where the absorber's own frequency √(k₂/m₂) is that of the shaking, the machine does not move, and the absorber moves by
−F/k₂. The two resonances lie on both sides, at the eigenvalues of a 2 × 2 matrix.
"""

import numpy as np

import livens as lv

M1, M2, K1, K2, FORCE = 10.0, 1.0, 4000.0, 400.0, 20.0  # kg, kg, N/m, N/m, N
OMEGA = np.sqrt(K2 / M2)


def model():
    m = lv.Model(name="tuned absorber")
    machine = m.add(lv.Body(lv.Box(0.4, 0.3, 0.3, mass=M1), name="machine"))
    small = m.add(lv.Body(lv.Box(0.12, 0.12, 0.12, mass=M2), at=(0.5, 0, 0), name="absorber"))
    slide = lv.Prismatic(m.world.point(0, 0, 0), machine.center, axis=(1, 0, 0), stiffness=K1, name="foundation")
    m.add(slide)
    m.add(lv.Prismatic(machine.point_at(0.5, 0, 0), small.center, axis=(1, 0, 0), stiffness=K2, name="spring"))
    return m


def main(until=2 * np.pi / OMEGA * 8, h=2e-3):
    """The steady motion: the machine rests, the absorber swings."""
    m = model()
    m.add(lv.Load(m["machine"].center, force=lambda t: (FORCE * np.sin(OMEGA * t), 0, 0), name="shaking"))
    rate = -FORCE / K2 * OMEGA
    start = lv.forward_kinematics(m, [0.0, 0.0], [0.0, rate])
    return lv.simulate(m, h=h, until=until, start=start.state)


def check():
    lin = lv.linearize(model(), inputs=["foundation"])
    gain = lin.frequency_response([OMEGA, 0.8 * OMEGA])[:, 0, 0]
    assert abs(gain[0]) < 1e-12 / K1 * FORCE + 1e-15
    assert abs(gain[1]) > 1e-4
    both = np.array([[K1 + K2, -K2], [-K2, K2]]) / np.array([[M1], [M2]])
    np.testing.assert_allclose(lin.modes().omega, np.sort(np.sqrt(np.linalg.eigvals(both))), rtol=1e-10)
    motion = main()
    swing = -FORCE / K2 * np.sin(OMEGA * motion.t)
    assert (
        np.abs(motion.coordinate("spring") - swing).max() < (OMEGA * motion.h) ** 2 * OMEGA * motion.t[-1] * FORCE / K2
    )
    assert np.abs(motion.coordinate("foundation")).max() < 1e-2 * FORCE / K2


if __name__ == "__main__":
    print("resonances [rad/s]:", lv.linearize(model()).modes().omega.round(3), "absorbed:", OMEGA)
