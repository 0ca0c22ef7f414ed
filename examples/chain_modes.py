"""Natural modes: the frequencies of a hanging chain are zeros of a Laguerre polynomial.

For n equal point masses on massless links of length l the frequencies are ω² = (g/l) x with L_n(x) = 0 (Lagrange). The
links turn about parallel hinges, and `lv.linearize` finds the same frequencies.
"""

import numpy as np

import livens as lv

N, LINK, G = 8, 0.25, 9.81  # links, m, m/s²


def main(mode=2, swing=0.6, until=4.0):
    """The chain, moving in one of its modes."""
    m = chain()
    modes = lv.linearize(m).modes()
    shape = modes.shapes[:, mode] / np.abs(modes.shapes[:, mode]).max()
    start = lv.forward_kinematics(m, swing * shape)
    return lv.simulate(m, lv.Livens(order=4), h=5e-3, until=until, start=start.state)


def chain():
    m = lv.Model(gravity=(0, 0, -G), name="chain modes")
    before = m.world.point(0, 0, 0)
    look = lv.Cylinder(0.012, LINK, mass=1.0).surface.moved(lv.Pose((0, 0, -LINK / 2)))
    bead = lv.Solid(lv.MassProperties(0.1, (1e-10, 1e-10, 1e-10), center=(0, 0, -LINK)), look)
    for k in range(N):
        link = m.add(lv.Body(bead, at=(0, 0, -k * LINK), name=f"link {k}"))
        m.add(lv.Revolute(before, link.point(0, 0, 0), axis=(0, 1, 0), name=f"hinge {k}"))
        before = link.point(0, 0, -LINK)
    return m


def expected():
    """[rad/s], in ascending order."""
    x = np.polynomial.laguerre.lagroots(np.eye(N + 1)[N])
    return np.sqrt(G / LINK * np.sort(x))


def check():
    modes = lv.linearize(chain()).modes()
    np.testing.assert_allclose(modes.omega, expected(), rtol=1e-6)
    motion = main(mode=0, swing=1e-3, until=2.0)  # a small motion in a mode is harmonic
    q = motion.q[:, -1]
    np.testing.assert_allclose(q, q[0] * np.cos(expected()[0] * motion.t), atol=1e-7)


if __name__ == "__main__":
    print("frequencies [rad/s]:", expected().round(4))
    main().to_html("chain_modes.html")
