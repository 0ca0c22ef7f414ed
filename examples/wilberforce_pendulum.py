"""An energy of your own: in Wilberforce's pendulum a spring couples stretching and twisting, and they exchange energy.

V = ½ k z² + ½ δ θ² + ½ ε z θ. Tuned to k/m = δ/J = ω² the squares of the mode frequencies are ω² ± ε/(2√(mJ)), and all
energy goes from up-and-down to twisting and back with the beat of the two.
"""

import numpy as np

import livens as lv

MASS, J, OMEGA, EPS, PUSH = 0.5, 1.5e-4, 7.0, 0.03, 0.2  # kg, kg m², rad/s, N, m/s
K, DELTA = MASS * OMEGA**2, J * OMEGA**2


def main(h=2e-3, until=25.0):
    m = lv.Model(name="Wilberforce pendulum")
    look = lv.Cylinder(0.04, 0.08, mass=1.0).surface
    bob = m.add(lv.Body(lv.Solid(lv.MassProperties(MASS, (J, J, J)), look), velocity=(0, 0, PUSH), name="bob"))
    hook = m.world.point(0, 0, 0.2), bob.point(0, 0, 0.2)
    m.add(lv.Cylindrical(*hook, axis=(0, 0, 1), stiffness=(DELTA, K), name="spring"))

    def coupling(b):
        x, u = b[bob].position, b[bob].direction(1, 0, 0)
        return 0.5 * EPS * x[2] * lv.atan2(u[1], u[0])

    m.add(lv.Energy(coupling, bodies=[bob], name="coupling"))
    return lv.simulate(m, lv.Livens(order=4), h=h, until=until, every=5)


def frequencies():
    """Of the two modes [rad/s]."""
    return np.sqrt(OMEGA**2 + np.array([-1, 1]) * EPS / (2 * np.sqrt(MASS * J)))


def check():
    motion = main()
    slow, fast = frequencies()
    twist, height = motion.coordinate("spring").T
    t = motion.t
    expected = 0.5 * PUSH * (np.sin(slow * t) / slow + np.sin(fast * t) / fast)
    assert np.abs(height - expected).max() < 1e-6
    turned = 0.5 * PUSH * np.sqrt(MASS / J) * (np.sin(fast * t) / fast - np.sin(slow * t) / slow)
    assert np.abs(twist - turned).max() < 1e-4
    assert np.abs(twist).max() < np.pi  # the energy uses the angle between −π and π


if __name__ == "__main__":
    slow, fast = frequencies()
    print(f"modes {slow:.4f} and {fast:.4f} rad/s, exchange in {np.pi / (fast - slow):.2f} s")
