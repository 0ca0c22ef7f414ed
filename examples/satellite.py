"""Reaction wheels: a satellite turns by spinning its wheels; its total angular momentum stays zero.

Then J ω = −Σ I Ω e at all times, with J the inertia of satellite and wheels, Ω the rates of the wheels relative to the
satellite and e their axes. If only one wheel turns, the angles obey the same law: (J + …) θ = −I φ.
"""

import numpy as np

import livens as lv

WHEEL = lv.Cylinder(0.15, 0.05, mass=4.0)
SPIN = 0.5 * 4.0 * 0.15**2  # moment of a wheel about its axis [kg m²]
AXES = np.eye(3)


def main(torques=(0.2, -0.1, 0.15), h=1e-2, until=20.0):
    m = lv.Model(name="satellite")
    bus = m.add(lv.Body(lv.Box(1.0, 0.8, 1.4, mass=200.0), opacity=0.4, name="bus"))
    for k, (axis, torque) in enumerate(zip(AXES, torques, strict=True)):
        turn = np.roll(np.eye(3), 2 - k, axis=1)  # the axis of the cylinder, z, along `axis`
        wheel = m.add(lv.Body(WHEEL, rotation=turn, name=f"wheel {k}"))
        hinge = m.add(lv.Revolute(bus.center, wheel.center, axis=axis, name=f"hinge {k}"))
        m.add(lv.Motor(hinge, lv.Expression("M*sin(2*pi*t/T)", M=torque, T=until), name=f"motor {k}"))
    return lv.simulate(m, lv.Livens(order=4), h=h, until=until, every=10)


def inertia(m):
    """Of all bodies about the common centre of mass, at the start [kg m²]."""
    bodies = m.bodies[1:]
    mass = np.array([b.mass_properties.mass for b in bodies])
    x = np.array([b.pose.a for b in bodies])
    x = x - mass @ x / mass.sum()
    J = sum(b.pose.B @ b.mass_properties.inertia @ b.pose.B.T for b in bodies)
    return J + sum(k * (r @ r * np.eye(3) - np.outer(r, r)) for k, r in zip(mass, x, strict=True))


def check():
    motion = main()
    assert np.abs(motion.angular_momentum).max() < 1e-12
    J = inertia(motion.model)
    wheels = SPIN * np.stack([motion.rate(f"hinge {k}") for k in range(3)], axis=1) @ AXES
    np.testing.assert_allclose(motion.body_rates("bus") @ J, -wheels, atol=1e-11)
    one = main(torques=(0.0, 0.0, 0.2))  # about z alone: rest to rest, and the angle is exact
    angle = np.arctan2(one.rotation("bus")[:, 1, 0], one.rotation("bus")[:, 0, 0])
    turned = -SPIN * one.coordinate("hinge 2") / J[2, 2]
    assert abs(turned[-1]) > 0.1
    assert np.abs(angle - turned).max() < (one.h * one.rate("hinge 2").max()) ** 4 * np.abs(turned).max()  # order 4


if __name__ == "__main__":
    motion = main()
    turn = np.degrees(np.arccos((np.trace(motion.rotation("bus")[-1]) - 1) / 2))
    print(f"turned by {turn:.1f}°; angular momentum at most {np.abs(motion.angular_momentum).max():.1e} kg m²/s")
