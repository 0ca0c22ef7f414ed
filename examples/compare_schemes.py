"""Comparison of nine schemes for a double pendulum, from one Lagrangian.

The Lagrangian is written once, in the angles; its mass matrix depends on them. Each scheme is measured: error and
observed order, range and trend of the energy error, deviation of a step from symplecticity, and cost.
"""

import livens.discrete as ld

SCHEMES = [
    ld.Rectangle("left"),
    ld.Midpoint(),
    ld.Trapezoidal(),
    ld.Newmark(beta=0.25),
    ld.Newmark(beta=0.3025, gamma=0.6),
    ld.GeneralizedAlpha(radius=0.5),
    ld.Galerkin(4),
    ld.Galerkin(6),
    ld.Galerkin(6, "lobatto"),
]


def lagrangian(q, v):
    """Two masses of 1 kg on rods of 1 m."""
    kinetic = v[0] ** 2 + 0.5 * v[1] ** 2 + v[0] * v[1] * ld.cos(q[0] - q[1])
    return kinetic + 9.81 * (2.0 * ld.cos(q[0]) + ld.cos(q[1]))


def main(h=(0.02, 0.01), until=2.0):
    system = ld.Lagrangian(lagrangian, n=2)
    problem = ld.Problem(system, q=[1.0, 0.4], v=[0.5, -1.0], until=until, name="double pendulum")
    return ld.compare(problem, SCHEMES, h)


def check():
    comparison = main()
    for scheme, row in zip(SCHEMES, comparison.rows[1::2], strict=True):
        assert abs(row.order - scheme.order) < 0.2
        assert (row.symplectic < 1e-10) == scheme.variational
    damped = comparison.rows[9]
    assert damped.slope < -0.5


if __name__ == "__main__":
    print(main())
    main(h=(0.05, 0.02, 0.01, 0.005)).plot("work-precision.png")
    print("work-precision.png shows the error over the step and over the time")
