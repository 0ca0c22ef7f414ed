"""The result of a simulation of a general system: times, positions, and all that follows from them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..checks import Array
from ..errors import LivensError
from . import state_maps
from .lagrangian import Lagrangian
from .legendre import evaluate, invert
from .maps import Blocks
from .scheme import scheme_of


class Run:
    """A motion of a general system: `t` [s] (n,), `q`, `v`, `p` (n, coordinates), `energy` (n,), `momenta`, `work`,
    `lost`, `multipliers`, `defect`.

    work, lost: the work of external forces and the energy dissipated since the start, by the scheme's quadrature:
    energy − energy[0] = work − lost, up to the scheme's error, which is `imbalance`. iterations: Newton iterations, or
    evaluations of the equations, in all; steps: how many; seconds: what stepping took, without making or compiling the
    system.
    """

    def __init__(
        self,
        system: Lagrangian,
        scheme: Any,
        h: float,
        t: Array,
        record: Array,
        layout: Blocks,
        iterations: int,
        steps: int,
        seconds: float = 0.0,
        start: Array | None = None,
    ):
        self.system, self.scheme, self.h, self.t = system, scheme, h, t
        self.iterations, self.steps, self.seconds = iterations, steps, seconds
        self._record, self._layout, self._start = record, layout, start  # the velocities at the start
        self.q = record[:, layout.part["q"]]

    def thinned(self, every: int) -> Run:
        """The same run with every `every`-th state."""
        some = slice(None, None, every)
        return Run(
            self.system, self.scheme, self.h, self.t[some], self._record[some], self._layout, self.iterations,
            self.steps, self.seconds, self._start,
        )  # fmt: skip

    def _part(self, name: str) -> Array | None:
        part = self._layout.part.get(name)
        return None if part is None else self._record[:, part]

    @cached_property
    def v(self) -> Array:
        """Velocities; for schemes that carry momenta, by the inverse Legendre transform."""
        known = self._part("v")
        if known is not None:
            return known
        p = self._part("p")
        assert p is not None
        return invert(self.system, self.q, p, scheme_of(self.scheme).reaction == "ends", self._start)

    @cached_property
    def p(self) -> Array:
        """Canonical momenta ∂L/∂v."""
        known = self._part("p")
        return self._momentum_and_energy[:, : self.system.n] if known is None else known

    @cached_property
    def energy(self) -> Array:
        """v·∂L/∂v − L [J]."""
        return self._momentum_and_energy[:, self.system.n]

    @property
    def work(self) -> Array:
        """Work of the external forces since the start [J]."""
        return self._record[:, self._layout.part["work"]][:, 0]

    @property
    def lost(self) -> Array:
        """Energy dissipated since the start [J]."""
        return self._record[:, self._layout.part["lost"]][:, 0]

    @property
    def imbalance(self) -> Array:
        """The error of the energy balance, E − E₀ − work + lost [J]."""
        return self.energy - self.energy[0] - self.work + self.lost

    @cached_property
    def acceleration(self) -> Array:
        """From the equations of motion at each state."""
        return self._accelerations[:, : self.system.n]

    @cached_property
    def multipliers(self) -> Array:
        """λ of the constraints, from the equations of motion at each state: the reactions are G(q)ᵀλ."""
        return self._accelerations[:, self.system.n :]

    @cached_property
    def momenta(self) -> dict[str, Array]:
        """p·ξ(q) of each symmetry the system names."""
        found = {}
        for name, xi in self.system.symmetries.items():
            directions = np.array(xi.map(len(self.t))(self.q.T)).T
            found[name] = np.einsum("ij,ij->i", self.p, directions)
        return found

    @cached_property
    def defect(self) -> Array:
        """|g| and |G v|, the largest of each state (n, 2)."""
        c = self.system.constraints
        if not c:
            return np.zeros((len(self.t), 2))
        seen = np.abs(self._evaluated(state_maps.VIOLATIONS))
        return np.column_stack([seen[:, :c].max(1), seen[:, c:].max(1)])

    @cached_property
    def _momentum_and_energy(self) -> Array:
        return self._evaluated(state_maps.MOMENTUM_AND_ENERGY)

    @cached_property
    def _accelerations(self) -> Array:
        return self._evaluated(state_maps.ACCELERATIONS)

    def _evaluated(self, question: int) -> Array:
        seen = evaluate(self.system, question, self.t, np.hstack([self.q, self.v]))
        if not np.isfinite(seen).all():
            raise LivensError("the equations of motion cannot be solved at a state of the run: they are singular.")
        return seen

    def report(self) -> str:
        """Energy, energy balance, momenta and constraints, in a few lines.

        >>> import livens.discrete as ld
        >>> oscillator = ld.Mechanical(mass=[1.0], potential=lambda x: 0.5 * x[0]**2, damping=[0.1])
        >>> print(ld.simulate(oscillator, ld.Midpoint(), q=[1.0], v=[0.0], h=0.1, until=10.0).report())
        Midpoint(), h = 0.1 s, 100 steps to t = 10 s: 100 iterations
        energy        0.5 J at the start, 0.1929 J at the end
        account       work 0 J, dissipated 0.3071 J, error at most ... J
        """
        exact = " (conserved exactly by the scheme)" if scheme_of(self.scheme).exact_energy else ""
        lines = [
            f"{self.scheme!r}, h = {self.h:.6g} s, {self.steps:,} steps to t = {self.t[-1]:.6g} s: "
            f"{self.iterations:,} iterations",
            f"energy        {self.energy[0]:.4g} J at the start, {self.energy[-1]:.4g} J at the end",
            f"account       work {self.work[-1]:.4g} J, dissipated {self.lost[-1]:.4g} J, error at most "
            f"{np.abs(self.imbalance).max():.1e} J{exact}",
        ]
        for name, momentum in self.momenta.items():
            lines.append(f"{name:<13} {momentum[0]:.6g}, changes by {np.ptp(momentum):.1e}")
        if self.system.constraints:
            g, rate = self.defect.max(0)
            lines.append(f"constraints   |g| ≤ {g:.1e}, |G v| ≤ {rate:.1e}")
        return "\n".join(lines)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"Run({self.scheme!r}, {self.steps:,} steps of {self.h:g} s, {len(self.t):,} kept)"
