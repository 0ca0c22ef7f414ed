"""The table of schemes, read from the public names that are defined in this package (`livens/__init__.pyi`).

CLASSES has every class by its name. SCHEMES are the variational ones and COMPARED the others, one for each order:
the menu of the live page, the documentation and the tests of order, reversibility and symplecticity read them.
"""

from .. import exported
from .livens import Livens
from .scheme import Scheme, is_scheme

CLASSES: dict[str, type[Scheme]] = exported("step")
_ALL: list[Scheme] = [
    made
    for kind in CLASSES.values()
    for made in ([kind(order=order) for order in kind.orders] or [kind()])  # type: ignore[call-arg]
]
SCHEMES = tuple(scheme for scheme in _ALL if scheme.variational)
COMPARED = tuple(scheme for scheme in _ALL if not scheme.variational)
__all__ = ["CLASSES", "COMPARED", "SCHEMES", "Livens", "Scheme", "is_scheme"]
