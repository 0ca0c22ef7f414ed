"""The integers kernels know joints by."""

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
