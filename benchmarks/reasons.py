"""Where livens is not ahead: why, in one sentence, for each problem. Shown only where it is so."""

from __future__ import annotations

FEW_JOINTS = (
    "In minimal coordinates a few ball joints need no equations at all; ours solves for their forces in each of five "
    "or thirteen stages, iterating three to six times at the large steps that such errors allow."
)
REASONS = {
    "heavy-top": "An explicit scheme with three coordinates about the pivot has no constraint to solve; ours iterates "
    "about ten times in each of thirteen stages, because the top turns by a fifth of a radian and more in one.",
    "chain-1": FEW_JOINTS,
    "chain-2": FEW_JOINTS,
    "chain-5": FEW_JOINTS,
    "chain-10": FEW_JOINTS,
    "chain-100": "Pinocchio's articulated-body algorithm is linear in the bodies as our solve is, and needs no "
    "iterations: four evaluations make a step of order four, where ours takes five stages of four iterations.",
    "four-bars-40": "Large steps make the position solve iterate four to six times in every stage.",
    "andrews": "In minimal coordinates one freedom and seven bodies leave six equations; ours solves 41 and iterates.",
    "slider-crank": "In minimal coordinates one freedom and three bodies leave three equations, and ours has 17.",
    "kepler": "Variable steps pay on an eccentric ellipse, and symplectic schemes keep theirs fixed.",
    "double-pendulum": "Variable steps of high order pay in a short and smooth motion.",
}
