"""The Hamiltonian side of a model: conjugate momenta, the Legendre transform both ways, H(q, p).

A body's configuration is q = (a, B) with a the centre of mass in the world and B the axes of the body frame as the
user described it. With v = ȧ, Ḃ = B ω̂ and J the inertia tensor about the centre of mass in body axes,

    Lagrangian  T(v, ω) − V(q),      T = ½ Σ m|v|² + ω·Jω                                       (1)
    p = ∂T/∂v = m v,                 L = ∂T/∂ω = J ω                                             (2)
    H(q, p) = p·v + L·ω − (T − V) = ½ Σ |p|²/m + L·J⁻¹L + V(q)                                   (3)

and, with δB = B δθ̂ and (f, τ) = −∂V/∂(a, θ), the equations of motion are Hamilton's:

    ȧ = ∂H/∂p,    Ḃ = B hat(∂H/∂L),    ṗ = f,    L̇ = L × ∂H/∂L + τ.                             (4)

The same in the twelve coordinates X = [a₀ | B] (3 × 4, a₀ the frame's origin), in which T = ½ ẊᵀM₁₂Ẋ has a constant
matrix and p₁₂ = M₁₂Ẋ needs no frame of reference but the user's: only its part along the rigid motions,

    p = P e₀,    hat(L) = 2 Skew(BᵀP_B) − hat(c × Bᵀp),    Skew(A) = ½(A − Aᵀ),                  (5)

is the momentum (2). Loads, forces and motors have no potential and take no part in H; joints are not in it either: they
restrict the states, and V holds their springs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, finite, number
from ..compile.compiled import Compiled
from ..compile.signals import Signals
from ..compile.states import as_record, copied, selected
from ..compile.system import registers, scratch
from ..describe.model import Model
from ..describe.pose import hat
from ..errors import ModelError
from ..kernels.arrays import State
from ..kernels.coordinates import update_coordinates
from ..kernels.forces import energies_of_record, forces_of_record
from ..record.trajectory import Trajectory

Pair = tuple[Array, Array]


class Hamiltonian:
    """H(q, p) of `model`, its potential and its Legendre transform, for all bodies at once.

    Rows are the bodies in the order they were added, without the world: a (n, 3) centres of mass [m], B (n, 3, 3)
    body frames, v (n, 3) velocities of the centres [m/s], omega (n, 3) body rates [rad/s], p (n, 3) [kg m/s] in world
    axes, L (n, 3) [kg m²/s] about the centres in body axes. Energies that vary with time are those of the time t [s].

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -10))
    >>> top = m.add(lv.Body(lv.MassProperties(2.0, (1, 2, 3)), at=(0, 0, 1), body_rates=(0, 1, 0), name="top"))
    >>> H = lv.Hamiltonian(m)
    >>> H(*H.start)
    21.0
    >>> p, L = H.momenta(v=[(1, 0, 0)], omega=[(0, 1, 0)])
    >>> p.tolist(), L.tolist()
    ([[2.0, 0.0, 0.0]], [[0.0, 2.0, 0.0]])
    """

    def __init__(self, model: Model, t: float = 0.0):
        self.model, self._t = model, np.array([number(t, "t")])
        start = Compiled.of(model, quiet=True)
        formulas = start.system.formulas._replace(forces=0)
        self._system, self._state = start.system._replace(formulas=formulas), start.state
        self._n = len(model.bodies) - 1
        bodies = self._system.bodies
        self._axes, self._center = bodies.axes[1:], bodies.center[1:]
        self._mass = bodies.mass[1:, None]
        self._inertia = np.array([body.mass_properties.inertia for body in model.bodies[1:]]).reshape(-1, 3, 3)
        self._inverse_inertia = np.einsum("nij,nj,nkj->nik", self._axes, bodies.inverse_inertia[1:], self._axes)

    # ── the Legendre transform ──

    def momenta(self, v: ArrayLike, omega: ArrayLike) -> Pair:
        """(v, ω) → (p, L) by (2)."""
        return self._mass * self._rows(v, "v"), _times(self._inertia, self._rows(omega, "omega"))

    def velocities(self, p: ArrayLike, L: ArrayLike) -> Pair:
        """(p, L) → (v, ω), the inverse of (2); ω is 0 about an axis without inertia."""
        return self._rows(p, "p") / self._mass, _times(self._inverse_inertia, self._rows(L, "L"))

    def lagrangian(self, a: ArrayLike, B: ArrayLike, v: ArrayLike, omega: ArrayLike) -> float:
        """T − V of (1) [J]."""
        p, L = self.momenta(v, omega)
        T = 0.5 * np.sum(p * self._rows(v, "v")) + 0.5 * np.sum(L * self._rows(omega, "omega"))
        return float(T) - self.potential(a, B)

    def __call__(self, a: ArrayLike, B: ArrayLike, p: ArrayLike, L: ArrayLike) -> float:
        """H of (3) [J]: the energy of the state."""
        v, omega = self.velocities(p, L)
        T = 0.5 * np.sum(self._rows(p, "p") * v) + 0.5 * np.sum(self._rows(L, "L") * omega)
        return float(T) + self.potential(a, B)

    # ── the potential ──

    def potential(self, a: ArrayLike, B: ArrayLike) -> float:
        """V(q₁, q₂, …): gravity, springs, attraction, springs in joints, user-written energies [J]."""
        T, V = np.empty(1), np.empty(1)
        energies_of_record(self._system, self._place(a, B), self._t, registers(self._system), T, V)
        return float(V[0])

    def forces(self, a: ArrayLike, B: ArrayLike) -> Pair:
        """(f, τ) = −∂V/∂(a, θ): forces [N] in world axes, torques about the centres [N m] in body axes, each (n, 3).

        Exact. Turning a body by a small δθ in its own axes, B → B(I + hat(δθ)), changes V by −τ·δθ.
        """
        here = self._place(a, B)
        f, tau = np.zeros_like(here.p), np.zeros_like(here.L)
        signals = np.zeros((1, Signals(self.model).width))
        if self._system.formulas.clock >= 0:
            signals[0, self._system.formulas.clock] = self._t[0]
        forces_of_record(self._system, here, signals, scratch(self._system), f, tau)
        return f[0, 1:], _times(self._axes, tau[0, 1:])

    def gradient(self, a: ArrayLike, B: ArrayLike) -> Pair:
        """(∂V/∂a, ∂V/∂θ) in [N] and [N m], each (n, 3): the forces with the other sign."""
        f, tau = self.forces(a, B)
        return -f, -tau

    # ── points of phase space ──

    @property
    def start(self) -> tuple[Array, Array, Array, Array]:
        """(a, B, p, L) at the start of the model."""
        return self._seen(self._state)

    def at(self, motion: Trajectory, k: int = -1) -> tuple[Array, Array, Array, Array]:
        """(a, B, p, L) of the k-th stored state of a motion of this model; the last one if k is not given."""
        if motion.model is not self.model:
            raise ModelError(f"the motion is one of model {motion.model.name!r}, not of {self.model.name!r}.")
        return self._seen(selected(motion.record, k))

    # ── twelve coordinates per body ──

    def coordinates12(self, a: ArrayLike, B: ArrayLike) -> Array:
        """X = [a₀ | B], (n, 3, 4), with a₀ = a − B c the origins of the body frames."""
        B = self._frames(B)
        return np.concatenate([(self._rows(a, "a") - _times(B, self._center))[:, :, None], B], axis=2)

    def velocities12(self, B: ArrayLike, v: ArrayLike, omega: ArrayLike) -> Array:
        """Ẋ = [ȧ₀ | B ω̂], (n, 3, 4), of bodies that move rigidly with (v, ω)."""
        B = self._frames(B)
        dB = B @ np.array([hat(w) for w in self._rows(omega, "omega")]).reshape(-1, 3, 3)
        return np.concatenate([(self._rows(v, "v") - _times(dB, self._center))[:, :, None], dB], axis=2)

    def momenta12(self, dX: ArrayLike) -> Array:
        """P = M₁₂Ẋ, (n, 3, 4), for any Ẋ, rigid or not."""
        dX = finite(dX, (self._n, 3, 4), "dX")
        blocks = [body.mass_properties.matrix12()[:4, :4] for body in self.model.bodies[1:]]
        return dX @ np.array(blocks).reshape(-1, 4, 4)

    def reduced(self, B: ArrayLike, P: ArrayLike) -> Pair:
        """(p, L) of the twelve momenta P: what they do along the rigid motions, (5)."""
        B, P = self._frames(B), finite(P, (self._n, 3, 4), "P")
        p, A = P[:, :, 0], np.swapaxes(B, 1, 2) @ P[:, :, 1:]
        about_origin = np.stack([A[:, 2, 1] - A[:, 1, 2], A[:, 0, 2] - A[:, 2, 0], A[:, 1, 0] - A[:, 0, 1]], axis=1)
        return p.copy(), about_origin - np.cross(self._center, _times(np.swapaxes(B, 1, 2), p))

    # ── inside ──

    def _rows(self, value: ArrayLike, what: str) -> Array:
        return finite(value, (self._n, 3), what)

    def _frames(self, B: ArrayLike) -> Array:
        return finite(B, (self._n, 3, 3), "B")

    def _place(self, a: ArrayLike, B: ArrayLike) -> State:
        """A record of one state with the bodies at (a, B)."""
        here = copied(as_record(self._state))
        here.a[0, 1:] = self._rows(a, "a")
        here.B[0, 1:] = self._frames(B) @ self._axes
        update_coordinates(self._system.coordinates, here.a[0], here.B[0], here.angle[0])
        return here

    def _seen(self, state: State) -> tuple[Array, Array, Array, Array]:
        """A state of the kernels in the user's body frames."""
        B = state.B[1:] @ np.swapaxes(self._axes, 1, 2)
        return state.a[1:].copy(), B, state.p[1:].copy(), _times(self._axes, state.L[1:])


def _times(A: Array, u: Array) -> Array:
    """A u for stacks of matrices and vectors."""
    return np.einsum("nij,nj->ni", A, u)
