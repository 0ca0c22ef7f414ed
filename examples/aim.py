"""Optimisation with exact gradients: the velocity with which a thrown stone on a spring passes a given point.

`lv.Objective` gives the value and the gradient of any number of a motion, and scipy minimises it. The gradient is that
of the computed motion: it agrees with differences. For a free flight the answer is known, v = (target + ½ g t²)/t.
"""

import numpy as np
from scipy.optimize import minimize

import livens as lv

TARGET, TIME, G = np.array([3.0, 1.0, 0.5]), 1.0, 9.81  # m, s, m/s²


def model(stiffness=0.0, velocity=(1.0, 0.0, 3.0)):
    m = lv.Model(gravity=(0, 0, -G), name="aim")
    stone = m.add(lv.Body(lv.Ball(0.1, mass=1.0), velocity=velocity, name="stone"))
    if stiffness:
        m.add(lv.Spring(m.world.point(0, 0, 2), stone.center, stiffness=stiffness, length=1.0, name="spring"))
    return m


def objective(stiffness):
    miss = lambda motion: float(((motion.position("stone")[-1] - TARGET) ** 2).sum())  # noqa: E731
    names = [f"bodies.stone.velocity.{k}" for k in range(3)]
    return lv.Objective(model(stiffness), of=miss, wrt=names, h=1e-2, until=TIME)


def main(stiffness=6.0):
    goal = objective(stiffness)
    found = minimize(goal, goal.start, jac=True, tol=1e-14)
    return lv.simulate(model(stiffness, tuple(found.x)), h=1e-2, until=TIME)


def check():
    free = main(stiffness=0.0)
    v = TARGET / TIME + np.array([0, 0, 0.5 * G * TIME])
    assert np.abs(free.velocity("stone")[0] - v).max() < 1e-6
    assert np.linalg.norm(main().position("stone")[-1] - TARGET) < 1e-6
    goal, x, d = objective(6.0), np.array([1.0, 0.5, 3.0]), 1e-5
    slopes = [(goal(x + d * e)[0] - goal(x - d * e)[0]) / (2 * d) for e in np.eye(3)]
    np.testing.assert_allclose(goal(x)[1], slopes, rtol=1e-7)


if __name__ == "__main__":
    print("velocity [m/s]:", main().velocity("stone")[0].round(6))
