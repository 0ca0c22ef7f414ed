"""A CAD solid on a spring under gravity: energy error O(h²) without drift, conserved vertical angular momentum.

This needs the extra `cad`: the hammer is drawn with netgen.occ; the geometry kernel computes its mass and inertia.
"""

import livens as lv


def main(h=2e-3, until=20.0):
    m = lv.Model(gravity=(0, 0, -9.81), name="hammer on a spring")
    hammer = m.add(lv.Body(lv.hammer(density=5.0), at=(0, 0, -4), angular_velocity=(0.5, 0, 2), name="hammer"))
    m.add(lv.Spring(m.world.point(0, 0, 0), hammer.point(0, 2.5, 0), stiffness=200.0, length=3.0, name="spring"))
    return lv.simulate(m, lv.Livens(), h=h, until=until)


def check():
    coarse, fine = main(h=4e-3).report(), main(h=2e-3).report()
    assert 3.0 < coarse.energy_band / fine.energy_band < 5.0  # order 2: half the step, a quarter of the error
    assert abs(fine.energy_slope) * fine.time < 0.1 * fine.energy_band  # no drift
    assert fine.angular_momentum.relative < 10 * fine.steps * 2.2e-16  # about the vertical axis


if __name__ == "__main__":
    motion = main()
    print(motion.report())
    motion.plot("hammer_on_a_spring.png")
    motion.save("hammer_on_a_spring.nc")
