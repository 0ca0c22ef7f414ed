"""A free body spinning about its intermediate axis turns over periodically (Dzhanibekov, Poinsot).

Spin about the axes of the smallest and largest moment of inertia is stable, about the intermediate axis it is not. The
exact solution is periodic, and so is the computed one. Energy and angular momentum are conserved to machine precision.
"""

import numpy as np

import livens as lv


def main():
    m = lv.Model(name="wrench in orbit")
    grip = lv.Box(0.30, 0.04, 0.02, density=7800)
    bar = (lv.Box(0.03, 0.20, 0.02, density=7800), lv.Pose((0.15, 0, 0)))
    shape = lv.Compound([grip, bar])
    matter = shape.mass_properties
    moments, axes = matter.principal()
    middle = axes[:, np.argsort(moments)[1]]
    rates = 5.0 * middle + 0.01
    at_rest = -np.cross(rates, matter.center)  # velocity of the origin of the frame for a centre of mass at rest
    m.add(lv.Body(shape, velocity=at_rest, body_rates=rates, name="wrench"))
    return lv.simulate(m, lv.Livens(order=4), h=0.01, until=30.0), middle


def turns_over(motion, axis):
    """Number of sign changes of the angular momentum along the intermediate axis."""
    along = np.einsum("tij,j,ti->t", motion.rotation("wrench"), axis, motion.angular_momentum)
    return int(np.count_nonzero(np.diff(np.sign(along))))


def check():
    motion, middle = main()
    eps = motion.steps * np.finfo(float).eps
    kept = motion.report()
    assert kept.energy.relative < 10 * eps
    assert kept.angular_momentum.relative < 10 * eps
    assert turns_over(motion, middle) >= 4


if __name__ == "__main__":
    motion, middle = main()
    print(motion.report())
    print(f"turned over {turns_over(motion, middle)} times in {motion.t[-1]:g} s")
