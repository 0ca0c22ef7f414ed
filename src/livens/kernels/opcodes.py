"""The integers of operations (tape.py), and the registers of a user-written row.

Names are those of CasADi's operations without their `OP_`; numbers are our own. x and y are the operands.
"""

ADD = 0
SUB = 1
MUL = 2
DIV = 3
NEG = 4
SQ = 5  # x²
TWICE = 6  # 2x
INV = 7  # 1/x
SQRT = 8
SIN = 9
COS = 10
CONST = 11  # a number of the tape
ASSIGN = 12  # x
EXP = 13
LOG = 14
POW = 15  # xʸ
CONSTPOW = 16  # xʸ, y constant
TAN = 17
ASIN = 18
ACOS = 19
ATAN = 20
ATAN2 = 21
SINH = 22
COSH = 23
TANH = 24
ASINH = 25
ACOSH = 26
ATANH = 27
FABS = 28
SIGN = 29
COPYSIGN = 30
FLOOR = 31
CEIL = 32
FMOD = 33
REMAINDER = 34  # x − y · the whole number nearest to x/y
FMIN = 35
FMAX = 36
HYPOT = 37
EXPM1 = 38
LOG1P = 39
ERF = 40
LT = 41  # comparisons and logic give 1 or 0
LE = 42
EQ = 43
NE = 44
NOT = 45
AND = 46
OR = 47
IF_ELSE_ZERO = 48  # y where x is not 0, else 0

# the registers of a user-written row: (a, B) of up to four bodies, the time, (v, ω) of the bodies, then its results
TIME = 48
VELOCITIES = 49
RESULT = 73
