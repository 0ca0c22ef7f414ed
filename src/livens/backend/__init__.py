"""The back ends of the kernels: a compiled library, numba, or plain Python. `_jit.py` chooses."""
