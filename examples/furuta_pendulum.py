"""Linear control: a Furuta pendulum (a rod on a turning arm) is kept upright by a torque on the arm alone.

Upright, with I the moment of arm and rod about the vertical, K that of the rod about its hinge, r the radius of the
hinge and l the distance of the rod's centre from it, small motions grow with λ² = I m g l / (I K − (m r l)²).
`lv.linearize` gives this number and the gains of the optimal feedback (LQR).
"""

import numpy as np

import livens as lv

ARM, ROD, RADIUS, LENGTH, THICK, G = 0.3, 0.1, 0.2, 0.3, 0.02, 9.81  # kg, kg, m, m, m, m/s²


def model(push=1.0):
    m = lv.Model(gravity=(0, 0, -G), name="Furuta pendulum")
    arm = m.add(lv.Body(lv.Box(RADIUS, THICK, THICK, mass=ARM), at=(RADIUS / 2, 0, 0), name="arm"))
    rod = m.add(lv.Body(lv.Box(THICK, THICK, LENGTH, mass=ROD), at=(RADIUS, 0, LENGTH / 2), name="rod"))
    m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point_at(0, 0, 0), axis=(0, 0, 1), name="motor"))
    m.add(
        lv.Revolute(
            arm.point_at(RADIUS, 0, 0), rod.point_at(RADIUS, 0, 0), axis=(1, 0, 0), start_rate=push, name="hinge"
        )
    )
    return m


def main(push=1.0):
    m = model(push)
    K = lv.linearize(m, inputs=["motor"]).lqr([1.0, 10.0, 0.1, 0.1], 10.0)
    m.add(lv.Motor(m["motor"], lambda t, now: -float(K[0] @ [*now.q, *now.v]), rate=500.0))
    return lv.simulate(m, h=1e-3, until=5.0, every=5)


def growth():
    """The rate λ [1/s] at which the rod falls over without control."""
    box = (THICK**2 + RADIUS**2) / 12 + RADIUS**2 / 4
    I = ARM * box + ROD * (2 * THICK**2 / 12 + RADIUS**2)
    K = ROD * ((THICK**2 + LENGTH**2) / 12 + LENGTH**2 / 4)
    return np.sqrt(I * ROD * G * LENGTH / 2 / (I * K - (ROD * RADIUS * LENGTH / 2) ** 2))


def check():
    lin = lv.linearize(model(push=0.0), inputs=["motor"])
    assert abs(np.linalg.eigvals(lin.A).real.max() / growth() - 1.0) < 1e-9
    motion = main()
    tilt = motion.coordinate("hinge")
    assert np.abs(tilt).max() > 0.02
    assert np.abs(motion.q[-1]).max() < 1e-2
    assert np.abs(tilt[motion.t > 4.0]).max() < 1e-3


if __name__ == "__main__":
    motion = main()
    print(f"without control it falls with {growth():.3f} 1/s; the largest tilt is {motion.q[:, 1].max():.3f} rad")
    motion.to_html("furuta_pendulum.html")
