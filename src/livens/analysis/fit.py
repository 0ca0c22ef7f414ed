"""Identification: numbers of a model from measured motions, by least squares with exact derivatives.

With measured values y_i of standard deviation σ_i and the readings r_i(θ) of the simulated motion,

    minimise  Σ ((r_i(θ) − y_i)/σ_i)²,     J = ∂r/∂θ by lv.sensitivity,     covariance  s² (Jᵀ W J)⁻¹,  W = 1/σ².    (1)

If the standard deviations are given, s = 1. Otherwise all values have the same one, estimated from the residuals with
n values and k parameters: s² = Σ r²/(n − k). Intervals are those of Student's t with n − k degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares
from scipy.stats import t as student

from ..checks import Array
from ..describe.model import Model
from ..errors import ModelError
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from ..run.prepare import prepare
from ..step import Scheme
from .consistent_inertias import ConsistentInertias
from .fit_given import Reading, Unknown, readings_of, times_of, unknowns_of
from .joint_space import JointSpace
from .sensitivity import Of, is_start, sensitivity
from .tangent_run import state_at

NO_EFFECT = 1e-9  # relative change of the readings that counts as none
OFF = 1e-6  # distance of a measured time from the next step, in steps, that counts as none


def fit(
    model: Model,
    data: Mapping[Any, ArrayLike],
    vary: Mapping[str, Any] | Sequence[str],
    *,
    h: float,
    scheme: Scheme | None = None,
    sigma: float | Mapping[Any, ArrayLike] | None = None,
    of: Of | None = None,
) -> Fit:
    """Numbers of `model` with which its motion fits measured data best.

    data: "t", the times [s], and for each measured quantity its values at these times: a joint or its name (coordinate:
    n values, or n × k), a body, point or name (world position: n × 3), or "of", the values of the function `of` of the
    motion. NaN is a value that was not measured. vary: the names of the unknown numbers as for `lv.sensitivity`,
    coordinates and rates at the start ("q.hinge", "v.hinge") among them, with their first guess, (guess, lowest,
    highest), or None for the number in the model. "bodies.NAME.inertia" stands for all three moments, or for the six
    numbers of the tensor if the model or the guess has a matrix (3, 3); they are those of a possible body at every step
    of the search. h [s]: the step; every time must be a multiple of it.
    sigma: standard deviation of the measured values, one for all or by quantity; None: unknown, and equal for all.

    >>> import livens as lv, numpy as np
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> bob = m.add(lv.Body(lv.PointMass(1.0), at=(0, 0, -1), velocity=(1, 0, 0), name="bob"))
    >>> cord = m.add(lv.Spring(m.world.point(0, 0, 0), bob.center, stiffness=50.0, length=0.8, name="cord"))
    >>> t = np.arange(0, 1.01, 0.1)
    >>> measured = lv.prepare(m, h=0.01)(1.0, parameters={"forces.cord.stiffness": 60.0}).position("bob")[::10]
    >>> found = lv.fit(m, {"t": t, "bob": measured}, vary={"forces.cord.stiffness": 45.0}, h=0.01)
    >>> found.values["forces.cord.stiffness"].round(6)
    np.float64(60.0)
    """
    if not isinstance(model, Model):
        raise ModelError(f"fit takes a Model first, not {model!r}.")
    problem = _Problem(model, readings_of(model, data, sigma, of), times_of(data), h, scheme, unknowns_of(model, vary))
    return problem.solved()


class Fit:
    """The result of `lv.fit`.

    `values`: the estimates by name; `errors`: their standard deviations; `covariance` (k, k) in the order of `names`;
    `motion`: the motion with the estimates; `residuals`: measured minus simulated, by quantity; `scale`: size of the
    residuals in standard deviations, near 1 if the model and the given sigma are right, or the standard deviation of
    the measured values if none was given; `converged` and `message` of the optimiser; `at_bounds`: the names of
    estimates that a bound holds, to which standard deviations and intervals do not apply.
    """

    def __init__(self, problem: _Problem, result: Any):
        self.names = tuple(one.name for one in problem.unknowns)
        self.converged, self.message = bool(result.success), str(result.message)
        self.evaluations = int(result.nfev)
        self.at_bounds = tuple(
            one.name for one, x in zip(problem.unknowns, result.x, strict=True) if one.held(float(x))
        )
        self.motion = problem.motion(result.x)
        r, J = problem.residual(result.x), problem.jacobian(result.x)
        self.freedom = len(r) - len(self.names)
        self.scale = float(np.sqrt(r @ r / self.freedom)) if self.freedom > 0 else np.nan
        normal = J.T @ J
        size = np.sqrt(np.diag(normal))
        effect = size * np.array([one.size for one in problem.unknowns])  # of a change of each by its own size
        least = NO_EFFECT * float(np.linalg.norm(problem.weighted(self.motion, False)))
        if not np.all(effect > least) or np.linalg.cond(normal / np.outer(size, size)) > 1e13:
            raise ModelError(
                f"the data do not determine {', '.join(self.names)}: a change of some of them, or of a combination, "
                "does not change the measured quantities. Measure more quantities, or vary fewer numbers."
            )
        inverse = np.linalg.inv(normal / np.outer(size, size)) / np.outer(size, size)
        self.covariance = inverse * (1.0 if problem.known else self.scale**2)
        self.values = dict(zip(self.names, result.x, strict=True))
        self.errors = dict(zip(self.names, np.sqrt(np.diag(self.covariance)), strict=True))
        self.residuals = {one.name: one.values - problem.simulated(self.motion, one) for one in problem.readings}
        self._known, self.t = problem.known, problem.t

    def interval(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Confidence intervals of the estimates at this level."""
        if not 0.0 < level < 1.0:
            raise ModelError(f"the level of a confidence interval is between 0 and 1, not {level!r}.")
        c = float(student.ppf(0.5 + 0.5 * level, max(1, self.freedom)))
        return {
            name: (float(x - c * self.errors[name]), float(x + c * self.errors[name]))
            for name, x in self.values.items()
        }

    @property
    def correlation(self) -> Array:
        """Correlations of the estimates (k, k)."""
        size = np.sqrt(np.diag(self.covariance))
        return np.asarray(self.covariance / np.outer(size, size))

    def deviation(self, name: str) -> float:
        """Standard deviation of the residuals of a measured quantity, in its unit."""
        return float(np.nanstd(self.residuals[name]))

    def plot(self, path: Any = None) -> Any:
        """A figure of the residuals of every measured quantity over time."""
        from ..look.plot.residuals import plot_residuals

        return plot_residuals(self, path)

    def report(self) -> str:
        """Estimates, standard deviations, 95 % intervals and the size of the residuals as text."""
        width = max(len(name) for name in self.names)
        lines = [f"{'parameter':<{width}}  {'estimate':>14}  {'deviation':>10}  95 % interval"]
        for name, (low, high) in self.interval().items():
            lines.append(
                f"{name:<{width}}  {self.values[name]:>14.7g}  {self.errors[name]:>10.2g}  {low:.6g} … {high:.6g}"
            )
        what = "in standard deviations" if self._known else "standard deviation of the data"
        lines.append(f"residuals: {self.scale:.3g} ({what}), {self.freedom} degrees of freedom")
        if self.at_bounds:
            lines.append(f"at a bound, without a standard deviation: {', '.join(self.at_bounds)}")
        if not self.converged:
            lines.append(f"not converged: {self.message}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        found = ", ".join(f"{name} = {x:.6g} ± {self.errors[name]:.2g}" for name, x in self.values.items())
        return f"Fit({found})"


class _Problem:
    """Residuals and their Jacobian, in standard deviations, as functions of the unknown numbers."""

    def __init__(
        self,
        model: Model,
        readings: list[Reading],
        t: Array,
        h: float,
        scheme: Scheme | None,
        unknowns: list[Unknown],
    ):
        self.readings, self.t, self.unknowns = readings, t, unknowns
        groups, k = [], 0
        while k < len(unknowns):
            if unknowns[k].together:
                groups.append(range(k, k + unknowns[k].together))
            k += max(1, unknowns[k].together)
        self.inertias = ConsistentInertias(groups)
        self.known = not all(np.isnan(one.sigma).all() for one in readings)
        self.prepared = prepare(model, scheme, h=h)
        number = np.rint(t / self.prepared.h)
        off = np.abs(t / self.prepared.h - number)
        if off.max(initial=0.0) > OFF:
            k = int(off.argmax())
            raise ModelError(
                f"the measured time {t[k]:g} s is {t[k] / self.prepared.h:.6g} steps of h = {self.prepared.h:g} s; "
                "choose h so that every time is a whole number of steps."
            )
        self.every = max(1, int(np.gcd.reduce(number.astype(np.int64))))
        self.stored = number.astype(np.intp) // self.every
        self.until = float(number.max()) * self.prepared.h
        self._last: tuple[bytes, Trajectory] | None = None
        for one in readings:
            if one.values.shape[0] != len(t):
                raise ModelError(f"{one.name} has {one.values.shape[0]} values for {len(t)} times.")

    def motion(self, x: Array) -> Trajectory:
        """The motion with the numbers x."""
        key = np.asarray(x, dtype=np.float64).tobytes()
        if self._last is None or self._last[0] != key:
            values = {one.name: float(value) for one, value in zip(self.unknowns, x, strict=True)}
            numbers = {name: value for name, value in values.items() if not is_start(name)}
            start = self._start(numbers, {name: value for name, value in values.items() if is_start(name)})
            self._last = key, self.prepared(self.until, parameters=numbers, every=self.every, start=start)
        return self._last[1]

    def _start(self, numbers: Mapping[str, float], coordinates: Mapping[str, float]) -> State | None:
        """The start with some joint coordinates and rates; None: that of the model."""
        if not coordinates:
            return None
        compiled = self.prepared.compiled_for(numbers)
        space = JointSpace(compiled, driven=True)
        q, v = space.read(compiled.state)
        for name, value in coordinates.items():
            (q if name[0] == "q" else v)[space.names.index(name[2:])] = value
        return state_at(compiled, q, v)

    def simulated(self, motion: Trajectory, one: Reading) -> Array:
        """What is measured, at the measured times (n, components)."""
        found = np.asarray(one.of(motion), dtype=np.float64)
        if found.shape[:1] != (len(motion),):
            raise ModelError(f"{one.name}: the function must give one value for each stored time, not {found.shape}.")
        found = found.reshape(len(motion), -1)[self.stored]
        if found.shape != one.values.shape:
            raise ModelError(f"{one.name}: measured {one.values.shape} values, the motion has {found.shape}.")
        return found

    def weighted(self, motion: Trajectory, measured: bool) -> Array:
        """The readings of a motion, minus the measured values if `measured`, in standard deviations."""
        parts = []
        for one in self.readings:
            there = ~np.isnan(one.values)
            found = self.simulated(motion, one) - (one.values if measured else 0.0)
            sigma = one.sigma if self.known else np.ones_like(one.values)
            parts.append((found / sigma)[there])
        return np.concatenate(parts)

    def residual(self, x: Array) -> Array:
        return self.weighted(self.motion(x), True)

    def jacobian(self, x: Array) -> Array:
        names = [one.name for one in self.unknowns]
        return sensitivity(self.motion(x), lambda motion: self.weighted(motion, False), names)

    def solved(self) -> Fit:
        start = np.array([one.guess for one in self.unknowns])
        count = len(self.residual(start))
        if count < len(start):
            raise ModelError(f"{count} measured values do not determine {len(start)} numbers: vary fewer.")
        bounds = np.array([one.low for one in self.unknowns]), np.array([one.high for one in self.unknowns])
        inertias = self.inertias
        result = least_squares(
            lambda z: self.residual(inertias.numbers(z)),
            inertias.unknowns(start),
            jac=lambda z: self.jacobian(inertias.numbers(z)) @ inertias.slopes(z),
            bounds=bounds, x_scale="jac", xtol=1e-12, ftol=1e-12, gtol=1e-12,
        )  # fmt: skip
        result.x = inertias.numbers(result.x)
        return Fit(self, result)
