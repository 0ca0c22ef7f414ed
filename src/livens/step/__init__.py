"""The schemes. `SCHEMES` is the table of the variational ones, which documentation and tests read; `COMPARED` stand
beside them to be compared with."""

from .livens import Livens
from .newmark import GeneralizedAlpha, Newmark
from .runge_kutta import RungeKutta

Scheme = Livens | Newmark | GeneralizedAlpha | RungeKutta
SCHEMES = (Livens(order=2), Livens(order=4), Livens(order=6))
COMPARED = (Newmark(), GeneralizedAlpha(), RungeKutta(order=4), RungeKutta(order=8))
__all__ = ["COMPARED", "SCHEMES", "GeneralizedAlpha", "Livens", "Newmark", "RungeKutta", "Scheme"]
