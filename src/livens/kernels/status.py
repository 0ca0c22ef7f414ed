"""The status that a kernel returns. OK is zero; every other code stops the run. run/failures.py has the sentence and
the advice for each."""

OK = 0
NOT_FINITE = 1  # a coordinate or momentum became infinite or NaN; fault[0] is the body
SPIN = 2  # equation (1) of spin.py has no solution: the body rotates too far in one step; fault[0] is the body
AGAIN = -1  # the fixed-point iteration of velocity-dependent forces needs another pass: inside a step only
POSITION = 3  # no multipliers with g(q₁) = 0 were found; fault[0] is the constraint equation with the largest violation
STIFF = 4  # the fixed-point iteration of velocity-dependent forces does not converge; fault[0] is the body
SOLVE = 5  # an implicit step found no solution (kernels/implicit.py, step/alpha.py)
BOUNCES = 7  # too many impacts in one step (step/contact.py)
RESTING = 8  # bodies stay in contact, and the scheme takes impacts only (step/impact_flight.py)
CONTACTS = 6  # more contact points at the same time than the capacity (step/contact.py)
TOLERANCE = 9  # no part of a step is short enough for the tolerance (step/step_control.py)
