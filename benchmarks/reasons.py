"""The reason why livens is slower, in one sentence for each problem. Shown only where it is slower."""

from __future__ import annotations

FEW_JOINTS = (
    "In minimal coordinates a few ball joints need no constraint equations; livens solves for constraint forces at "
    "each evaluation, and 0.1 ms start-up is visible in a 0.5 ms run."
)
REASONS = {
    "free-body": "A stage costs about as much as two evaluations of the other programs, and a step of order 6 has "
    "thirteen stages.",
    "heavy-top": "An explicit scheme with three coordinates about the pivot has no constraints to solve.",
    "chain-1": FEW_JOINTS,
    "chain-2": FEW_JOINTS,
    "chain-5": FEW_JOINTS,
    "chain-10": FEW_JOINTS,
    "chain-100": "Pinocchio's articulated-body algorithm is also linear in the number of bodies, with fewer unknowns.",
    "four-bars-40": "Large steps need many position iterations, especially near the singular configuration; explicit "
    "schemes with springs for joints are not affected by it.",
    "andrews": "In minimal coordinates one degree of freedom and seven bodies leave six equations; livens has 41.",
    "slider-crank": "In minimal coordinates one degree of freedom and three bodies leave three equations; livens "
    "has 17.",
    "kepler": "Variable steps are efficient on an eccentric ellipse; symplectic schemes use a constant step.",
    "double-pendulum": "Variable steps of high order are efficient for a short, smooth motion.",
}
