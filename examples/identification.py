"""Identification: inertia, friction and spring of a hinge from a noisy record of its angle.

A lever swings on a torsion spring. Its angle is measured 200 times with a standard deviation of 1 mrad. `lv.fit` finds
three numbers with exact derivatives of the motion; their errors agree with the standard deviations that it reports.
"""

import numpy as np

import livens as lv

TRUE = {"joints.hinge.stiffness": 12.0, "joints.hinge.damping": 0.15, "bodies.lever.inertia.1": 0.25}
GUESS = {"joints.hinge.stiffness": (8.0, 0.1, 50.0), "joints.hinge.damping": (0.4, 0.0, 5.0),
         "bodies.lever.inertia.1": (0.4, 0.05, 1.0)}  # fmt: skip
NOISE, H = 1e-3, 1e-2  # rad, s


def model(stiffness=12.0, damping=0.15, inertia=0.25):
    m = lv.Model(gravity=(0, 0, -9.81), name="identification")
    lever = m.add(lv.Body(lv.MassProperties(2.0, (0.6, inertia, 0.6)), at=(0.4, 0, 0), name="lever"))
    hinge = lv.Revolute(
        m.world.point(0, 0, 0), lever.point(-0.4, 0, 0), axis=(0, 1, 0), stiffness=stiffness, damping=damping,
        name="hinge",
    )  # fmt: skip
    m.add(hinge)
    return m


def main():
    return lv.simulate(model(), h=H, until=4.0, every=2)


def fitted(seed=0):
    motion = main()
    measured = motion.coordinate("hinge") + NOISE * np.random.default_rng(seed).normal(size=len(motion.t))
    return lv.fit(model(), {"t": motion.t, "hinge": measured}, vary=GUESS, h=H, sigma=NOISE)


def check():
    found = fitted()
    for name, value in TRUE.items():
        deviation = found.errors[name]
        assert abs(found.values[name] - value) < 4.0 * deviation
        assert deviation < 0.01 * value


if __name__ == "__main__":
    print(fitted().report())
