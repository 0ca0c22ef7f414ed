"""An overconstrained closed loop passes its singular configuration: a four-bar linkage whose bars all lie flat.

Hinges in space give three redundant constraints in a planar loop: livens reports them and finds one degree of freedom.
With three equal bars the motion is that of a pendulum: I φ″ = W sin φ, I = 2/3 + 1, W = g (2/2 + 1).
"""

import warnings

import numpy as np
from scipy.integrate import solve_ivp

import livens as lv

TIME = 3.0


def main(h=2e-3, order=4):
    m = lv.Model(gravity=(0, -9.81, 0), name="four-bar")
    bar = lv.MassProperties(1.0, (1 / 12, 1e-3, 1 / 12))  # along y
    bars = {x: m.add(lv.Body(bar, at=(x, 0.5, 0), velocity=(0.5, 0, 0), angular_velocity=(0, 0, -1))) for x in (0, 1)}
    link = m.add(lv.Body(lv.MassProperties(1.0, (1e-3, 1 / 12, 1 / 12)), at=(0.5, 1, 0), velocity=(1, 0, 0)))
    for x, crank in bars.items():
        m.add(lv.Revolute(m.world.point(x, 0, 0), crank.point(0, -0.5, 0), axis=(0, 0, 1), name=f"ground{x}"))
        m.add(lv.Revolute(crank.point(0, 0.5, 0), link.point(x - 0.5, 0, 0), axis=(0, 0, 1), name=f"top{x}"))
    return lv.simulate(m, lv.Livens(order=order), h=h, until=TIME)


def expected(t):
    """Angle of the cranks from the vertical [rad]."""
    I, W = 2 / 3 + 1, 9.81 * 2.0
    answer = solve_ivp(
        lambda _, y: (y[1], W / I * np.sin(y[0])), (0, TIME), (0.0, 1.0), "DOP853", t, rtol=1e-12, atol=1e-12
    )
    return answer.y[0]


def check():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        motion = main()
    assert "3 constraint equations are redundant" in str(said[0].message)
    assert motion.freedom == 1
    angle = expected(motion.t)
    assert np.cos(angle).min() < -0.99
    assert np.cos(angle).max() > 0.99
    assert np.abs(-motion.coordinate("ground0") - angle).max() < 1e-7
    assert motion.defect_position.max() < 1e-11
    assert motion.defect_velocity.max() < 1e-11


if __name__ == "__main__":
    print(main().report())
