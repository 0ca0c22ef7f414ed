"""Where livens is not ahead: why, in one sentence, for each problem. Shown only where it is so."""

from __future__ import annotations

REASONS = {
    "free-body": "A stage of the composition costs as much as two of Exudyn's right-hand sides, and there are thirteen.",
    "heavy-top": "Explicit programs with three coordinates about the pivot have no constraint to solve, and ours iterates on one "
    "in each of thirteen stages, four to ten times because the top turns far in a step.",
    "chain-1": "One rod is one freedom in minimal coordinates, and ours solves three equations for the joint instead.",
    "chain-2": "Few joints in minimal coordinates need no equations, and ours iterates four to six times in every stage.",
    "chain-5": "Few joints in minimal coordinates need no equations, and ours iterates four to six times in every stage.",
    "chain-10": "Few joints in minimal coordinates need no equations, and ours iterates four to six times in every stage.",
    "four-bars-40": "Large steps make the position solve iterate often near the singular position.",
    "andrews": "With one freedom and seven small bodies, minimal coordinates leave six equations where ours has 41.",
    "slider-crank": "With one freedom and three bodies, minimal coordinates leave three equations where ours has 17.",
    "kepler": "Variable steps pay on an eccentric ellipse, and symplectic schemes keep theirs fixed.",
    "double-pendulum": "Variable steps and orders of eight or more pay in a short smooth motion in minimal coordinates.",
}
