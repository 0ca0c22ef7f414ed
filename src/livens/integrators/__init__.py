"""The schemes. `SCHEMES` is the table of the variational ones, which documentation and tests read; `COMPARED` stand
beside them to be compared with."""

from .livens import Livens
from .newmark import GeneralizedAlpha, Newmark

Scheme = Livens | Newmark | GeneralizedAlpha
SCHEMES = (Livens(order=2), Livens(order=4), Livens(order=6))
COMPARED = (Newmark(), GeneralizedAlpha())
__all__ = ["COMPARED", "SCHEMES", "GeneralizedAlpha", "Livens", "Newmark", "Scheme"]
