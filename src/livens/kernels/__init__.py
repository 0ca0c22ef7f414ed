"""Compiled kernels: arrays in, arrays out, an int back. They see no names, do not allocate and do not raise."""
