"""The schemes for general Lagrangians that tests read, each with the order it claims: one list."""

import livens.discrete as ld

VARIATIONAL = [
    ld.Rectangle("left"),
    ld.Rectangle("right"),
    ld.Midpoint(),
    ld.Trapezoidal(),
    ld.Galerkin(4),
    ld.Galerkin(4, "lobatto"),
    ld.Galerkin(6),
    ld.Galerkin(6, "lobatto"),
]
NEWMARK = [ld.Newmark(beta) for beta in (0.0, 1 / 12, 1 / 6, 0.25, 0.3, 0.5)]  # γ = ½: variational in other variables
DAMPING = [ld.Newmark(0.3025, 0.6), ld.GeneralizedAlpha(0.0), ld.GeneralizedAlpha(0.5), ld.GeneralizedAlpha(0.8)]
EXACT_ENERGY = [ld.DiscreteGradient(), ld.DiscreteGradient("mean")]
SCHEMES = [*VARIATIONAL, *NEWMARK, *DAMPING, ld.GeneralizedAlpha(1.0), *EXACT_ENERGY]
MIDDLE = [ld.Midpoint(reaction="middle"), *EXACT_ENERGY]  # reactions at the middle of the step
HOLDING = [*VARIATIONAL, *MIDDLE, ld.Newmark(0.3), ld.Newmark(0.5), *DAMPING]  # take constraints
STEPS = {1: 1 / 3200, 2: 1 / 800, 4: 1 / 80, 6: 1 / 60}  # of a second, where each order shows


def name(scheme):
    return repr(scheme).replace(", dissipation='end'", "")
