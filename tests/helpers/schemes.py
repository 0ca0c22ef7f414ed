"""The schemes that every test reads: one list, each with the order it claims."""

from livens.step import SCHEMES

TOLERANCE = {2: 0.05, 4: 0.2, 6: 0.2}  # of an observed order


def name(scheme):
    return f"{type(scheme).__name__}-{scheme.order}"


__all__ = ["SCHEMES", "TOLERANCE", "name"]
