"""Natural modes of a linear system, from the eigenvalues of its matrix A.

    λ = ω (−ζ ± i √(1 − ζ²)):    ω the undamped natural frequency [rad/s], ζ the damping ratio              (1)

Without damping and gyroscopic forces the eigenvalues are those of K φ = ω² M φ with symmetric matrices, and the shapes
are real with φᵀ M φ = 1. Otherwise shapes are complex, with largest component 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from ..checks import Array, number
from ..compile.states import as_record
from ..errors import ModelError
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from ..step import Livens

if TYPE_CHECKING:
    from .joint_space import JointSpace

RIGID = 1e-6  # of the largest frequency: below, a mode counts as rigid, ω = 0
NEGLIGIBLE = 1e-10  # of the largest frequency: damping and gyroscopic terms below are round-off
FRAMES = 60  # states of an animated shape
SHOWN = 0.3  # rad, or parts of the model's size: largest deflection of an animated shape


class Modes:
    """Modes in the order of their frequency: `omega` [rad/s] (k,), `damping` ratio (k,), `shapes` (m, k) in the joint
    coordinates, `eigenvalues` [1/s] (k,); `frequency` is omega/2π [Hz]. An unstable mode has a negative damping."""

    def __init__(self, space: JointSpace, q: Array, eigenvalues: NDArray[np.complex128], shapes: NDArray[Any]):
        self.space, self.q, self.eigenvalues, self.shapes = space, q, eigenvalues, shapes
        self.omega: Array = np.abs(eigenvalues)
        self.damping: Array = 0.0 - eigenvalues.real / np.where(self.omega > 0.0, self.omega, 1.0)  # 0.0 and not −0.0
        self.names = space.names

    def __len__(self) -> int:
        return len(self.omega)

    @property
    def frequency(self) -> Array:
        """Undamped natural frequencies [Hz]."""
        return self.omega / (2.0 * np.pi)

    @property
    def stable(self) -> bool:
        """True if no mode grows."""
        return bool((self.eigenvalues.real <= 1e-9 * max(float(self.omega.max(initial=0.0)), 1e-300)).all())

    def motion(self, k: int, amplitude: float | None = None) -> Trajectory:
        """One period of the shape of mode k without decay, as a motion to look at. amplitude [rad or m]: of the largest
        component; None: well visible."""
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not -len(self) <= k < len(self):
            raise ModelError(f"there are modes 0 to {len(self) - 1}, not {k!r}.")
        shape = self.shapes[:, k] / np.abs(self.shapes[:, k]).max()
        lengths = float(np.abs(self.space.space.system.rows.point).max(initial=0.0)) or 1.0
        unit = np.where([u == "rad" for u in self.space.units], 1.0, lengths)
        size = SHOWN / float(np.abs(shape / unit).max()) if amplitude is None else number(amplitude, "amplitude")
        period = 2.0 * np.pi / self.omega[k] if self.omega[k] > 0.0 else 1.0
        t = np.linspace(0.0, period, FRAMES + 1)
        phase = np.exp(1j * (2.0 * np.pi * t / period - 0.5 * np.pi))
        states = [as_record(self.space.state(self.q + size * (shape * z).real)) for z in phase]
        record = State(*(np.concatenate(column) for column in zip(*states, strict=True)))
        return Trajectory(self.space.compiled, Livens(), period / FRAMES, 1, t, record, FRAMES, 0.0)

    def view(self, k: int, **options: Any) -> Any:
        """Show the shape of mode k, as `motion.show()`."""
        return self.motion(k).show(**options)

    def to_html(self, k: int, path: Any, **options: Any) -> Any:
        """Write a page that shows the shape of mode k, as `motion.to_html()`."""
        return self.motion(k).to_html(path, **options)

    def __str__(self) -> str:
        lines = ["mode  frequency [Hz]  omega [rad/s]  damping ratio  largest in"]
        for k in range(len(self)):
            name = self.names[int(np.abs(self.shapes[:, k]).argmax())]
            lines.append(f"{k:4}  {self.frequency[k]:14.6g}  {self.omega[k]:13.6g}  {self.damping[k]:13.4g}  {name}")
        return "\n".join(lines)


def modes_of(space: JointSpace, q: Array, A: Array, M: Array) -> Modes:
    """The modes of the matrix A (2m, 2m) with the mass matrix M."""
    m = len(M)
    stiffness, damping = -M @ A[m:, :m], -A[m:, m:]
    fastest = float(np.sqrt(np.abs(np.linalg.eigvals(A[m:, :m])).max(initial=0.0)))
    slow, turning = NEGLIGIBLE * fastest, float(np.abs(A[:m, :m]).max(initial=0.0))
    plain = bool(np.array_equal(A[:m, m:].round(9), np.eye(m))) and turning <= slow
    if plain and float(np.abs(damping).max(initial=0.0)) <= max(slow, 1e-300):
        squares, shapes = eigh(0.5 * (stiffness + stiffness.T), M)
        squares = np.where(np.abs(squares) <= (RIGID * fastest) ** 2, 0.0, squares)
        order = np.argsort(np.abs(squares), kind="stable")
        roots = np.where(squares < 0.0, np.sqrt(np.abs(squares)), 1j * np.sqrt(np.abs(squares)))
        return Modes(space, q, roots[order].astype(np.complex128), shapes[:, order])
    values, vectors = np.linalg.eig(A)
    largest = float(np.abs(values).max(initial=0.0))
    values = np.where(np.abs(values) <= RIGID * largest, 0.0, values)
    keep = np.flatnonzero(values.imag >= 0.0)
    keep = keep[np.argsort(np.abs(values[keep]), kind="stable")]
    shapes = vectors[:m, keep]
    shapes = shapes / shapes[np.abs(shapes).argmax(axis=0), np.arange(len(keep))]
    return Modes(space, q, values[keep].astype(np.complex128), shapes)
