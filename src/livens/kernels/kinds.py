"""The integers kernels know joints, and what users wrote, by."""

# rows: equations in rows.py, of TAPE in written.py
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
VELOCITY_ONLY = SPAN  # kinds from here on have a rate but no defect

# joint coordinates: equations in coordinates.py
ANGLE = 0
DISPLACEMENT = 1

# quantities of bodies in formulas (force_tapes.py); the conjugate force acts at a POINT, on a DIRECTION, or is a torque
POINT = 0  # a + B r
DIRECTION = 1  # B r
VELOCITY = 2  # p/m + B (ω × r)
ANGULAR_VELOCITY = 3  # B ω
