"""Identification: numbers of a model from measured motions, by least squares with exact derivatives.

With measured values y_i of standard deviation σ_i and the readings r_i(θ) of the simulated motion,

    minimise  Σ ((r_i(θ) − y_i)/σ_i)²,     J = ∂r/∂θ by lv.sensitivity,     covariance  s² (Jᵀ W J)⁻¹,  W = 1/σ².    (1)

If the standard deviations are given, s = 1. Otherwise all values have the same one, estimated from the residuals with
n values and k parameters: s² = Σ r²/(n − k). Intervals are those of Student's t with n − k degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares
from scipy.stats import t as student

from ..checks import Array, finite, nearest
from ..compile.compiled import Compiled
from ..describe.body import Body, Point
from ..describe.model import Model
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from ..run.parameters import Numbers
from ..run.prepare import prepare
from ..scene.values import parts_of
from ..step import Scheme
from .consistent_inertias import UPPER, ConsistentInertias
from .joint_space import JointSpace
from .sensitivity import Of, is_start, sensitivity, start_column
from .tangent_run import start_columns, state_at

NO_EFFECT = 1e-9  # relative change of the readings that counts as none
BOUND = 1e-9  # distance from a bound, in parts of the size of a number, that counts as none
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
    problem = _Problem(model, _readings(model, data, sigma, of), _times(data), h, scheme, _unknowns(model, vary))
    return problem.solved()


class Unknown(NamedTuple):
    """A number that is varied: its name, first guess, bounds, and the size of its vector."""

    name: str
    guess: float
    low: float
    high: float
    size: float
    together: int = 0  # how many numbers of an inertia are varied together, if it is one of them

    def held(self, x: float) -> bool:
        """True if a bound holds the number at x."""
        return bool(min(x - self.low, self.high - x) <= BOUND * max(abs(x), self.size))


class Reading(NamedTuple):
    """A measured quantity: its name, the function of the motion that gives it, values and standard deviations."""

    name: str
    of: Of
    values: Array  # (n, components)
    sigma: Array  # (n, components)


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


# ── what is given ──


def _times(data: Mapping[Any, ArrayLike]) -> Array:
    if not isinstance(data, Mapping) or "t" not in data:
        raise ModelError(
            'data is a dictionary with the times "t" and measured values, such as {"t": t, "hinge": angles}.'
        )
    t = finite(data["t"], np.shape(data["t"]), "t")
    if t.ndim != 1 or not len(t) or t.min() < 0.0 or t.max() <= 0.0:
        raise ModelError("the measured times are a row of numbers from 0 on, with at least one above 0.")
    return t


def _readings(model: Model, data: Mapping[Any, ArrayLike], sigma: Any, of: Of | None) -> list[Reading]:
    _times(data)
    found = []
    for key, given in data.items():
        if isinstance(key, str) and key == "t":
            continue
        try:
            values = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.array([np.inf])
        if np.isinf(values).any():
            raise ModelError(f"the measured values of {key!r} must be numbers, or NaN where there are none.")
        values = values.reshape(len(values), -1) if values.ndim else values.reshape(1, 1)
        thing: Any = key if isinstance(key, Point) else model.find(key) or key
        read = _function(model, key, thing, of)
        name = key if isinstance(key, str) else f"point of {key.body.name}" if isinstance(key, Point) else thing.name
        found.append(Reading(name, read, values, _deviations(key, name, sigma, values)))
    if not found:
        raise ModelError("data has times but no measured values.")
    return found


def _function(model: Model, key: Any, thing: Any, of: Of | None) -> Of:
    if isinstance(key, str) and key == "of":
        if of is None:
            raise ModelError('data has values of "of": give the function of the motion, of=lambda motion: ….')
        return of
    if isinstance(thing, Point | Body):
        return lambda motion: motion.position(thing)
    if isinstance(thing, Thing) and thing.coordinates:
        return lambda motion: motion.coordinate(thing.name)
    if isinstance(key, str) and key not in model.names:
        raise ModelError(
            f"the model has nothing named {key!r}, which was measured; {nearest(key, model.names, 'it has')}"
        )
    raise ModelError(f"measured values are those of a joint with a coordinate, a body or a point, not of {key!r}.")


def _deviations(key: Any, name: str, sigma: Any, values: Array) -> Array:
    given = sigma.get(key, sigma.get(name)) if isinstance(sigma, Mapping) else sigma
    if given is None:
        if isinstance(sigma, Mapping):
            raise ModelError(f"sigma has no standard deviation of {name!r}.")
        return np.full_like(values, np.nan)
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"standard deviations are positive numbers, not {given!r}.") from None
    if found.ndim == 1 and len(found) == len(values):
        found = found[:, None]
    try:
        whole = np.broadcast_to(found, values.shape).astype(np.float64)
    except ValueError:
        raise ModelError(f"sigma of {name!r} has the shape {found.shape}, its values {values.shape}.") from None
    if not (np.isfinite(whole).all() and (whole > 0.0).all()):
        raise ModelError(f"standard deviations are positive numbers, not {given!r}.")
    return whole


def _unknowns(model: Model, vary: Mapping[str, Any] | Sequence[str]) -> list[Unknown]:
    if not isinstance(vary, Mapping | Sequence) or isinstance(vary, str) or not len(vary):
        raise ModelError('vary is a dictionary such as {"bodies.arm.mass": 2.0}, with at least one name.')
    numbers, found = Numbers(model), []
    starts = (
        start_columns(compiled := Compiled.of(model, quiet=True), compiled.state) if any(map(is_start, vary)) else None
    )
    for name, given, together in _each_number(vary, numbers):
        if starts is not None and is_start(name):
            column, space = start_column(name, starts), starts.space
            value, size = float(np.concatenate(space.read(compiled.state))[column]) if space else 0.0, 1.0
        else:
            value, size = numbers.value(name)
        parts = [value, -np.inf, np.inf] if given is None else [given, -np.inf, np.inf]
        if isinstance(given, tuple | list):
            parts = list(given)
        try:
            guess, low, high = (value if x is None else float(x) for x in parts)
        except (TypeError, ValueError):
            guess, low, high = np.nan, np.nan, np.nan
        if not low < guess < high or not np.isfinite(guess):
            raise ModelError(
                f"{name!r}: give a first guess, or (guess, lowest, highest) with the guess between the bounds, not "
                f"{given!r}."
            )
        found.append(Unknown(name, guess, low, high, size or 1.0, together))
    return found


def _each_number(vary: Mapping[str, Any] | Sequence[str], numbers: Numbers) -> Iterator[tuple[str, Any, int]]:
    """Names and guesses, those of an inertia as three moments or six numbers: (name, guess, how many these are)."""
    for name in vary:
        given = vary[name] if isinstance(vary, Mapping) else None
        parts = parts_of(name) if isinstance(name, str) else []
        if not (len(parts) == 3 and parts[0] == "bodies" and parts[2] == "inertia"):
            yield name, given, 0
            continue
        known = numbers.document["bodies"].get(parts[1], {}).get("inertia") if given is None else given
        shape = np.shape(known)
        if given is not None and (shape not in ((3,), (3, 3)) or not np.array_equal(np.transpose(given), given)):
            raise ModelError(
                f"{name!r}: give a first guess of the three moments or of the symmetric tensor (3, 3), or None, not "
                f"{given!r}."
            )
        places = [(k,) for k in range(3)] if shape != (3, 3) else list(UPPER)
        for place in places:
            guess = None if given is None else float(np.asarray(given)[place])
            yield f"{name}.{'.'.join(map(str, place))}", guess, len(places)
