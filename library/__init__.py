"""Builds the kernels as a shared library: python -m library.

    discover.py     which kernels there are, and which of them Python calls, from the source text
    exercises.py    small runs that call all of them
    trace.py        the types of their arguments in these runs
    signature.py    a type as text, for Python, numba and C
    entries.py      numba: one entry for each kernel and its types, as LLVM code
    by_address.py   NamedTuples by address in this code
    shortcuts.py    what numba need not do to make it
    facts.py        what is known of a library without numba: is it up to date, which wheel may contain it
    link.py         LLVM: all entries in two object files; the C compiler: these and call.c as one Python module

No list of kernels or types is kept: a new kernel that Python calls is found in the source, its types in the exercises.
If no exercise calls it, the build names it and leaves it out, numba or plain Python runs it, and a test fails.
"""
