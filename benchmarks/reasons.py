"""Where livens is not ahead: why, in one sentence, for each problem. Shown only where it is so."""

from __future__ import annotations

FEW_JOINTS = (
    "In minimal coordinates a few ball joints need no equations at all; ours solves for their forces at every look, "
    "and in half a millisecond the tenth that a run takes to begin shows too."
)
REASONS = {
    "free-body": "A stage costs about as much as two evaluations of the others, and a step of order 6 has thirteen.",
    "heavy-top": "An explicit scheme with three coordinates about the pivot has no constraint to solve.",
    "chain-1": FEW_JOINTS,
    "chain-2": FEW_JOINTS,
    "chain-5": FEW_JOINTS,
    "chain-10": FEW_JOINTS,
    "chain-100": "Pinocchio's articulated-body algorithm is linear in the bodies as our solve is, with fewer unknowns.",
    "four-bars-40": "Large steps make the position solve iterate, most of all near the singular position; explicit "
    "schemes with springs for joints pass it without noticing.",
    "andrews": "In minimal coordinates one freedom and seven bodies leave six equations, and ours has 41.",
    "slider-crank": "In minimal coordinates one freedom and three bodies leave three equations, and ours has 17.",
    "kepler": "Variable steps pay on an eccentric ellipse, and symplectic schemes keep theirs fixed.",
    "double-pendulum": "Variable steps of high order pay in a short and smooth motion.",
}
