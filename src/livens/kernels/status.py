"""What a step reports. Zero is good; everything else stops the run and is put into words by `simulation`."""

OK = 0
NOT_FINITE = 1  # a coordinate or momentum became infinite or NaN; fault[0] is the body
SPIN = 2  # equation (1) of spin.py has no solution: the body turns too far in one step; fault[0] is the body
AGAIN = -1  # user-written forces have not settled yet: inside a step only
POSITION = 3  # the position level found no multipliers with g(q₁) = 0; fault[0] is the worst row
STIFF = 4  # user-written forces change too much with velocity to settle; fault[0] is the body
SOLVE = 5  # an implicit step found no solution (kernels/implicit.py, newmark.py)
