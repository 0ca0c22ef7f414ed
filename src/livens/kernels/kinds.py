"""The integers that kernels use for kinds of rows, of joint coordinates and of handles of user-written formulas."""

# rows: equations in rows.py, those of TAPE in row_tapes.py
COINCIDE = 0
DOT1 = 1
DOT2 = 2
DISTANCE = 3
COUPLE = 4
RIM = 5
TAPE = 6
SPAN = 7
ROLL = 8
EDGE = 9
VELOCITY_ONLY = SPAN  # kinds from here on constrain velocities only

# joint coordinates: equations in coordinates.py
ANGLE = 0
DISPLACEMENT = 1
ROTATION = 2
COMPONENT = ANGLE  # a component of a rotation vector: its rate and its effort are those of an angle about its axis

# handles of a user-written formula (force_tapes.py). A force acts at a POINT or on a DIRECTION, a torque is of the kind
# ANGULAR_VELOCITY
POINT = 0  # a + B r
DIRECTION = 1  # B r
POINT_VELOCITY = 2  # p/m + B (ω × r)
ANGULAR_VELOCITY = 3  # B ω

# shapes that touch (contact/narrow.py)
PLANE_SHAPE = 0  # the half space below a plane
BALL_SHAPE = 1
CAPSULE_SHAPE = 2  # a segment with a radius
HULL_SHAPE = 3  # a convex polyhedron
ROUND_SHAPE = 4  # an ellipsoid; with semi-axes of zero a disc or a segment
CYLINDER_SHAPE = 5

# features of a contact point (contact/features.py)
OVER_PLANE = 0
BETWEEN_POINTS = 1
BESIDE_LINE = 2
BETWEEN_EDGES = 3
ROUND_OVER_PLANE = 4
ROUND_AND_POINT = 5
ROUND_BESIDE_LINE = 6
BETWEEN_ROUNDS = 7
STOP = 8
ROPE = 9
RESISTANCE = 10  # against rolling and spinning, of another contact point
DRY_FRICTION = 11  # of a joint coordinate
RATE_ONLY = RESISTANCE  # kinds from here on have no gap
