"""Compiled kernels: arrays in, arrays out, an int back. They know no names, never allocate, never raise."""
