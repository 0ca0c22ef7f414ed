"""A linear system δẋ = A δx + B u, δy = C δx + D u, and what is computed from it: modes, responses, feedback."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_continuous_are, solve_discrete_are
from scipy.signal import StateSpace

from ..checks import Array, finite
from ..errors import ModelError
from .joint_space import JointSpace
from .modes import Modes, modes_of


def with_unit(name: str, unit: str) -> str:
    """A name with its unit, "car.z [m]"."""
    return f"{name} [{unit}]"


def split_unit(name: str) -> tuple[str, str]:
    """A name and its unit, which is empty if it is not known."""
    plain, bracket, rest = name.rpartition(" [")
    return (plain, rest.rstrip("]")) if bracket and rest.endswith("]") else (name, "")


class LinearSystem:
    """δẋ = A δx + B u, δy = C δx + D u, or with a step h: δx₊ = A δx + B u.

    A (2m, 2m), B (2m, inputs), C (outputs, 2m), D; `names` of the m coordinates; the state is (q, v). `states`,
    `inputs`, `outputs` name the rows and columns with their units.
    """

    def __init__(
        self,
        space: JointSpace,
        q: Array,
        M: Array,
        matrices: tuple[Array, Array, Array, Array],
        inputs: Sequence[str],
        outputs: Sequence[str],
        h: float | None,
    ):
        self.space, self.q, self.mass_matrix, self.h = space, q, M, h
        self.A, self.B, self.C, self.D = matrices
        self.names, self.inputs, self.outputs = space.names, tuple(inputs), tuple(outputs)
        known = list(zip(space.names, space.units, strict=True))
        rates = (with_unit(f"rate of {name}", f"{unit}/s") for name, unit in known)
        self.states = (*(with_unit(name, unit) for name, unit in known), *rates)

    def modes(self) -> Modes:
        """Natural frequencies, damping ratios and shapes."""
        if self.h is not None:
            raise ModelError("modes are those of the continuous system: linearize without h.")
        return modes_of(self.space, self.q, self.A, self.mass_matrix)

    def frequency_response(self, omega: ArrayLike) -> NDArray[np.complex128]:
        """C (iω − A)⁻¹ B + D at the angular frequencies omega [rad/s]: (len(omega), outputs, inputs); infinite at a
        frequency at which the system vibrates without damping."""
        w = np.atleast_1d(finite(omega, (len(omega),) if np.ndim(omega) else (), "omega"))  # type: ignore[arg-type]
        s = 1j * w if self.h is None else np.exp(1j * w * self.h)
        found = np.full((len(w), len(self.C), self.B.shape[1]), np.inf, dtype=np.complex128)
        for k, one in enumerate(s):
            with suppress(np.linalg.LinAlgError):  # at a pole
                found[k] = self.C @ np.linalg.solve(one * np.eye(len(self.A)) - self.A, self.B) + self.D
        return found

    def bode(self, omega: ArrayLike | None = None, path: Any = None) -> Any:
        """A figure of gain and phase of every output for every input over the angular frequency [rad/s]."""
        from ..look.plot.bode import plot_bode

        return plot_bode(self, omega, path)

    def lqr(self, Q: ArrayLike, R: ArrayLike) -> Array:
        """The gain K (inputs, 2m) of the feedback u = −K δx that minimises ∫ (δxᵀQ δx + uᵀR u) dt, or the sum over
        steps. Q (2m, 2m) or its diagonal, not negative; R (inputs, inputs) or its diagonal or a number, positive."""
        n, m = self.B.shape
        if not m:
            raise ModelError("a feedback needs inputs: linearize with inputs=[…].")
        if not n:
            raise ModelError("the model has no degrees of freedom, so it has no feedback.")
        Q, R = _weights(Q, n, "Q"), _weights(R, m, "R")
        if np.linalg.eigvalsh(R).min() <= 0.0:
            raise ModelError("R must be positive: without it the best feedback is infinite.")
        if np.linalg.eigvalsh(Q).min() < -1e-12 * np.abs(Q).max():
            raise ModelError("Q must not be negative: it is what an error costs.")
        try:
            if self.h is None:
                P = solve_continuous_are(self.A, self.B, Q, R)
                return np.asarray(np.linalg.solve(R, self.B.T @ P))
            P = solve_discrete_are(self.A, self.B, Q, R)
            return np.asarray(np.linalg.solve(R + self.B.T @ P @ self.B, self.B.T @ P @ self.A))
        except np.linalg.LinAlgError as error:
            raise ModelError(
                f"no feedback stabilises this system with these inputs and weights ({error}): check that the inputs "
                "act on every unstable motion, and that R is positive."
            ) from None

    def to_scipy(self) -> Any:
        """The system as scipy.signal.StateSpace."""
        matrices = (self.A, self.B, self.C, self.D)
        return StateSpace(*matrices) if self.h is None else StateSpace(*matrices, dt=self.h)

    def to_control(self) -> Any:
        """The system as control.StateSpace of the package python-control, where it is installed, with the names of
        states, inputs and outputs: "car_z" for "car.z [m]"."""
        try:
            control = import_module("control")
        except ImportError:
            raise ModelError("to_control needs the package python-control: pip install control.") from None
        every = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        # its names have no points: those of parts are separated by points there
        names = {what: [split_unit(name)[0].replace(".", "_") for name in some] for what, some in every.items()}
        return control.ss(self.A, self.B, self.C, self.D, 0 if self.h is None else self.h, **names)

    def __repr__(self) -> str:
        kind = "continuous" if self.h is None else f"steps of {self.h:g} s"
        return f"LinearSystem({', '.join(self.names)}; {len(self.inputs)} inputs, {len(self.outputs)} outputs; {kind})"


def _weights(given: ArrayLike, n: int, what: str) -> Array:
    """A matrix of weights from itself, its diagonal or one number."""
    x = finite(given, np.shape(given), what)
    if x.ndim == 0:
        x = np.full(n, float(x))
    x = np.diag(x) if x.ndim == 1 else x
    if x.shape != (n, n) or np.abs(x - x.T).max(initial=0.0) > 1e-12 * np.abs(x).max():
        raise ModelError(f"{what} must be a symmetric matrix ({n}, {n}) or its diagonal ({n},), got {x.shape}.")
    return x
