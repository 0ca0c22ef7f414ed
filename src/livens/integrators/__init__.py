"""The schemes. `SCHEMES` is the table that documentation and tests read."""

from .livens import Livens

SCHEMES = (Livens(order=2), Livens(order=4), Livens(order=6))
__all__ = ["SCHEMES", "Livens"]
