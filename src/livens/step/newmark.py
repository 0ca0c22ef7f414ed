"""Newmark's family: the step of alpha.py with α_m = α_f = 0, by β and γ."""

from __future__ import annotations

from dataclasses import dataclass

from ..checks import number
from ..errors import ModelError
from .alpha import Alpha


@dataclass(frozen=True)
class Newmark(Alpha):
    """Newmark's scheme with β and γ; order 2 for γ = ½. β = ¼ is the trapezoidal rule, β = 0 explicit (Störmer–Verlet;
    without constraints). For comparison: for rigid bodies and for any Lagrangian system (`livens.discrete`).

    dissipation: the velocity at which damping and dissipation act in general systems, "end" (v₁) or "step"
    ((q₁ − q₀)/h, as in the incremental potential).

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> bar = m.add(lv.Body(lv.ThinRod(1.0, mass=2.0), at=(0.5, 0, 0), name="bar"))
    >>> pin = m.add(lv.Spherical(m.world.point(0, 0, 0), bar.point(-0.5, 0, 0), name="pin"))
    >>> motion = lv.simulate(m, lv.Newmark(), h=1e-3, until=0.1)
    >>> bool(motion.defect_position.max() < 1e-11)
    True
    """

    beta: float = 0.25
    gamma: float = 0.5
    dissipation: str = "end"

    def __post_init__(self) -> None:
        if not 0.0 <= number(self.beta, "β of Newmark") <= 1.0 or not 0.0 < number(self.gamma, "γ of Newmark") <= 1.5:
            raise ModelError(f"Newmark needs 0 ≤ β ≤ 1 and 0 < γ ≤ 1.5, not β = {self.beta:g}, γ = {self.gamma:g}.")
        if not isinstance(self.dissipation, str) or self.dissipation not in ("end", "step"):
            raise ModelError(f"dissipation acts at the 'end' or over the 'step', not {self.dissipation!r}.")

    @property
    def order(self) -> int:
        return 2 if self.gamma == 0.5 and self.dissipation == "end" else 1
