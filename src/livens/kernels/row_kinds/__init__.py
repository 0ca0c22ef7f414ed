"""One kind of constraint equation, one file: its violation g, its Jacobian G and its bias term γ.

A new kind is a file here, its number in kinds.py and one branch in each function of rows.py, which loops over all rows.
The functions are inlined there, so that a call costs nothing.
"""
