"""Mass properties: mass, centre of mass, inertia tensor, Euler tensor and the two mass matrices.

For density ρ over the body, r measured from the centre of mass c,

    m = ∫ρ,    E = ∫ρ r rᵀ  (Euler tensor),    J = ∫ρ (|r|² I − r rᵀ)  (inertia tensor)      (1)
    J = tr(E) I − E,        E = ½ tr(J) I − J,       so E_ij = −J_ij off the diagonal         (2)

Kinetic energy about the centre of mass with velocity v and body rates ω, and about any reference point with
the twelve coordinates X = (a, B), whose rows (a_i, B_i1, B_i2, B_i3) have the same 4 × 4 block:

    T = ½ (v, ω)ᵀ diag(m, m, m, J) (v, ω)                                                     (3)
    T = ½ ẊᵀM₁₂Ẋ = ½ Σ_i (ȧ_i, Ḃ_i·) [[m, m cᵀ], [m c, E₀]] (ȧ_i, Ḃ_i·)ᵀ                     (4)

with E₀ = E + m c cᵀ and c both taken from the reference point. Parallel axes: J₀ = J + m(|c|² I − c cᵀ).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, finite, positive, vector
from ..errors import ModelError, ModelWarning
from .pose import Pose
from .surface import Surface, box_surface

HUGE = 1e100  # kg or kg m²; products of such numbers do not overflow
UPRIGHT = np.eye(3)  # axes that are those of the body
TENSOR_TOLERANCE = 1e-9  # relative size below which a wrong sign in a tensor counts as round-off
LEAST_EIGENVALUE = 1e-6  # smallest eigenvalue of a repaired Euler tensor, relative to its largest


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass [kg], inertia tensor about the centre of mass in body axes [kg m²], centre of mass [m].

    `inertia` is a 3 × 3 tensor or its three diagonal entries. A point mass has zero inertia, a thin rod zero
    inertia about its axis; an inertia that no distribution of mass has is refused (`repaired` takes the nearest one).

    >>> rod = MassProperties(2.0, (0.0, 1.5, 1.5))
    >>> rod.about((0, 1, 0)).tolist()[0][0]
    2.0
    """

    mass: float
    inertia: Array
    center: Array

    def __init__(self, mass: float, inertia: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0)):
        J = inertia_tensor(inertia)
        object.__setattr__(self, "mass", positive(mass, "mass", "kg"))
        if self.mass > HUGE:
            raise ModelError(f"mass of {self.mass:.3g} kg is too large to compute with: check its unit.")
        if fault := inertia_fault(J):
            raise ModelError(f"{fault}.")
        object.__setattr__(self, "inertia", 0.5 * (J + J.T))  # exactly symmetric
        object.__setattr__(self, "center", vector(center, "center of mass"))

    @classmethod
    def repaired(cls, mass: float, inertia: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0)) -> MassProperties:
        """Mass properties with the nearest inertia that a body can have; a ModelWarning gives the change. Nearest: in
        the Frobenius norm of the Euler tensor E, whose eigenvalues become at least 10⁻⁶ of the largest.

        >>> import warnings; warnings.simplefilter("ignore")
        >>> MassProperties.repaired(1.0, (1.0, 1.0, 5.0)).principal()[0].round(3).tolist()
        [2.5, 2.5, 5.0]
        """
        J = inertia_tensor(inertia)
        if (fault := inertia_fault(J)) and np.abs(J).max() <= HUGE:
            new = nearest_inertia(J)
            warnings.warn(f"{fault}: {inertia_change(J, new)}.", ModelWarning, stacklevel=2)
            J = new
        return cls(mass, J, center)

    @property
    def mass_properties(self) -> MassProperties:
        """Itself, so that MassProperties can replace a shape."""
        return self

    @property
    def surface(self) -> Surface:
        """For display: the uniform box that has this mass, centre and inertia."""
        moments, axes = self.principal()
        e = np.clip(0.5 * moments.sum() - moments, 0.0, None)  # principal Euler moments = m side²/12
        side = np.maximum(np.sqrt(12.0 * e / self.mass), 1e-3 * np.sqrt(12.0 * e.max() / self.mass))
        side = np.where(side > 0.0, side, 0.05)
        return box_surface(side).moved(Pose(self.center, axes))

    @property
    def euler(self) -> Array:
        """Euler tensor about the centre of mass [kg m²], equation (2)."""
        return 0.5 * np.trace(self.inertia) * np.eye(3) - self.inertia

    def about(self, point: ArrayLike) -> Array:
        """Inertia tensor about `point` (body axes, m) by the parallel-axis theorem [kg m²]."""
        d = self.center - vector(point, "point")
        return self.inertia + self.mass * ((d @ d) * np.eye(3) - np.outer(d, d))

    @property
    def matrix6(self) -> Array:
        """The 6 × 6 mass matrix diag(m, m, m, J) of (v, ω) about the centre of mass, equation (3)."""
        M = np.zeros((6, 6))
        M[:3, :3] = self.mass * np.eye(3)
        M[3:, 3:] = self.inertia
        return M

    def matrix12(self, reference: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """The 12 × 12 mass matrix of Ẋ = (ȧ₁, Ḃ₁₁, Ḃ₁₂, Ḃ₁₃, ȧ₂, …) about `reference`, equation (4)."""
        c = self.center - vector(reference, "reference point")
        block = np.zeros((4, 4))
        block[0, 0] = self.mass
        block[0, 1:] = block[1:, 0] = self.mass * c
        block[1:, 1:] = self.euler + self.mass * np.outer(c, c)
        return np.asarray(np.kron(np.eye(3), block), dtype=np.float64)

    def principal(self) -> tuple[Array, Array]:
        """Principal moments (3,) and the right-handed axes as columns of a rotation matrix.

        The axes of a diagonal tensor are the body axes, in their order.
        """
        J = self.inertia
        (a, f, e), (_, b, d), (_, _, c) = J.tolist()  # symmetric
        if d == e == f == 0.0:
            return np.array([max(0.0, a), max(0.0, b), max(0.0, c)]), UPRIGHT.copy()
        moments, Q = np.linalg.eigh(J)
        if np.linalg.det(Q) < 0.0:
            Q[:, 2] = -Q[:, 2]
        moments[np.abs(moments) < TENSOR_TOLERANCE * moments.max()] = 0.0
        return moments, Q

    def moved(self, pose: Pose) -> MassProperties:
        """The same matter after the rigid motion `pose`."""
        return MassProperties(self.mass, pose.B @ self.inertia @ pose.B.T, pose.point(self.center))

    def scaled(self, factor: float) -> MassProperties:
        """The same shape with `factor` times the density."""
        factor = positive(factor, "density factor")
        return MassProperties(factor * self.mass, factor * self.inertia, self.center)

    def __add__(self, other: MassProperties) -> MassProperties:
        """Both parts as one rigid body."""
        mass = self.mass + other.mass
        center = (self.mass * self.center + other.mass * other.center) / mass
        return MassProperties(mass, self.about(center) + other.about(center), center)

    def __repr__(self) -> str:
        return f"MassProperties(mass={self.mass:g}, inertia={self.inertia.tolist()}, center={self.center.tolist()})"


def inertia_tensor(value: ArrayLike) -> Array:
    """A 3 × 3 tensor, or its three diagonal entries, as a tensor of finite numbers."""
    try:
        full = np.ndim(np.asarray(value, dtype=object)) == 2
    except Exception:  # an object of the user may raise any
        full = False
    return finite(value, (3, 3), "inertia") if full else np.diag(finite(value, (3,), "inertia"))


def inertia_fault(J: Array) -> str:
    """Why no distribution of mass has the inertia tensor J [kg m²], in words; "" if one has it."""
    size = float(np.abs(J).max())
    if size > HUGE:
        return f"inertia of {size:.3g} kg m² is too large to compute with: check its unit"
    skew = np.abs(J - J.T).max()
    if skew > TENSOR_TOLERANCE * size:
        return f"inertia tensor is not symmetric: J − Jᵀ has an entry of {skew:.3g} kg m²"
    (a, f, e), (_, b, d), (_, _, c) = (0.5 * (J + J.T)).tolist()
    a, b, c = sorted((a, b, c)) if d == e == f == 0.0 else np.linalg.eigvalsh(0.5 * (J + J.T)).tolist()
    if a < -TENSOR_TOLERANCE * size:
        return f"inertia tensor has a negative principal moment: {a:.6g} kg m²"
    if c - a - b > TENSOR_TOLERANCE * size:
        return (
            f"inertia tensor breaks the triangle inequality: {c:.6g} > {a:.6g} + {b:.6g} kg m² (principal moments); "
            "no distribution of mass has it"
        )
    return ""


def nearest_inertia(J: Array) -> Array:
    """The possible inertia tensor nearest to J, in the Frobenius norm of the Euler tensor (2): its eigenvalues below
    LEAST_EIGENVALUE times the largest, also the negative ones, are raised to that. So every axis has some inertia."""
    J = 0.5 * (J + J.T)
    e, Q = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
    e = np.maximum(e, LEAST_EIGENVALUE * max(float(e[2]), 0.0))
    E = (Q * e) @ Q.T
    nearest = np.trace(E) * np.eye(3) - E
    return 0.5 * (nearest + nearest.T)


def inertia_change(old: Array, new: Array) -> str:
    """The change of an inertia tensor in words: principal moments before and after."""
    moments = [np.linalg.eigvalsh(0.5 * (J + J.T)) for J in (old, new)]
    before, after = (", ".join(f"{x:.4g}" for x in each) for each in moments)
    return f"principal moments {before} became {after} kg m²"
