"""The generalised-α method: the step of alpha.py with the four parameters that one spectral radius gives."""

from __future__ import annotations

from dataclasses import dataclass

from ..checks import number
from ..errors import ModelError
from .alpha import Alpha


@dataclass(frozen=True)
class GeneralizedAlpha(Alpha):
    """The generalised-α method: order 2, with numerical damping of high frequencies, down to `radius` (ρ∞, from 0, the
    most, to 1, none) per step at infinite frequency:

        α_m = (2ρ − 1)/(ρ + 1),   α_f = ρ/(ρ + 1),   γ = ½ + α_f − α_m,   β = ¼ (γ + ½)²

    >>> round(GeneralizedAlpha(radius=0.8).gamma, 4)
    0.6111
    """

    radius: float = 0.8

    dissipation = "end"

    def __post_init__(self) -> None:
        if not 0.0 <= number(self.radius, "the spectral radius") <= 1.0:
            raise ModelError(f"the spectral radius must be from 0 to 1, not {self.radius:g}.")

    @property
    def alphas(self) -> tuple[float, float]:
        return (2.0 * self.radius - 1.0) / (self.radius + 1.0), self.radius / (self.radius + 1.0)

    @property
    def gamma(self) -> float:  # type: ignore[override]
        return 0.5 + self.alphas[1] - self.alphas[0]

    @property
    def beta(self) -> float:  # type: ignore[override]
        return 0.25 * (self.gamma + 0.5) ** 2
