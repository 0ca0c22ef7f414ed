"""Sensitivities: the derivative of a number of a motion with respect to numbers of its model.

The changes δ of the states per unit of a parameter θ are carried along the run, exactly as a step changes them
(step/tangent.py, step/tangent_sources.py). A function of the motion is then evaluated for the states moved along δ, and
for the model with θ changed, by c = ±1, ±2, ±3 times small parts d and e,

    d of/dθ ≈ Σ w_c of(states + c d δ, θ)/d + Σ w_c of(states, θ + c e)/e,                                         (1)

with the weights of tangent_sources.py; where d = e, both are one sum. No motion is computed again: (1) is a difference
of `of` alone, with an error of sixth order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, nearest
from ..describe.model import Model
from ..errors import ModelError
from ..record.trajectory import Trajectory
from ..run.parameters import Numbers
from ..run.prepare import prepare
from ..step import Scheme
from ..step.tangent_sources import NODE_STEPS, NODE_WEIGHTS, NODES
from .moved_states import SMALL, derivative, moved, numbers_of, refuse_not_numbers, sizes_of_changes, small_part
from .parameter_nodes import ParameterNodes, check_names, nodes_of
from .tangent_run import Start, run_parameters, run_tangent

Of = Callable[[Trajectory], Any]


def sensitivity(motion: Trajectory, of: Of, wrt: Sequence[str]) -> Array:
    """The derivative of `of(motion)`, a number or an array, with respect to numbers of the model.

    wrt: their names in scenes, as for `lv.prepare`: "bodies.arm.mass" [kg], "forces.cord.stiffness" [N/m],
    "joints.hinge.b.point.2" [m], "gravity.2" [m/s²], "bodies.arm.velocity.0" [m/s]; or "q.hinge" and "v.hinge", a joint
    coordinate [rad or m] and its rate at the start. The result has the shape of `of(motion)` and one more axis, the
    parameters. The motion must be one of `lv.Livens` or `lv.RungeKutta`, without contacts, events or controllers. Its
    start changes with the numbers as that of the model does; if it began elsewhere, joint coordinates and rates at the
    start are kept. Work and dissipated energy have no derivative. "h" is the length of the steps, for the same number
    of steps [s].

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> stone = m.add(lv.Body(lv.Ball(0.1, mass=2.0), velocity=(1, 0, 3), name="stone"))
    >>> motion = lv.simulate(m, h=1e-2, until=1.0)
    >>> end = lambda motion: motion.position("stone")[-1, 2]  # z = v t + g t²/2
    >>> lv.sensitivity(motion, of=end, wrt=["bodies.stone.velocity.2", "gravity.2", "bodies.stone.shape.mass"]).round(9)
    array([1. , 0.5, 0. ])
    """
    if not isinstance(motion, Trajectory):
        raise ModelError(f"a sensitivity is that of a motion, such as lv.simulate gives, not of {motion!r}.")
    if not callable(of):
        raise ModelError(f"of is a function of the motion, such as lambda motion: motion.energy[-1], not {of!r}.")
    check_names(wrt)
    found: dict[str, Array] = {}
    sizes = sizes_of_changes(motion)
    if starts := [name for name in wrt if is_start(name)]:
        begin, changes = run_tangent(motion)
        for name in starts:
            found[name] = _along(of, motion, changes[..., start_column(name, begin)], sizes)
    if numbers := [name for name in wrt if not is_start(name)]:
        for _, same, nodes in nodes_of(motion, numbers):
            found |= _by_parameters(of, same, nodes, sizes)
    result = np.stack([found[name] for name in wrt], axis=-1)
    refuse_not_numbers(result, lambda: numbers_of(of(motion)))
    return result


def _by_parameters(of: Of, motion: Trajectory, nodes: ParameterNodes, sizes: Array) -> dict[str, Array]:
    """The derivatives of `of` with respect to the parameters of some nodes, by their names."""
    found, changes = dict[str, Array](), run_parameters(motion, nodes)
    for k, (name, d) in enumerate(zip(nodes.names, nodes.spacing.tolist(), strict=True)):
        change, some = changes[..., k], nodes.members[NODES * k : NODES * (k + 1)]
        if nodes.rate[k] != 0.0:
            found[name] = _along(of, motion, change, sizes, (motion.t - motion.t[0]) * nodes.rate[k])
        elif d <= small_part(sizes, change):
            both = zip(some, NODE_STEPS, strict=True)
            found[name] = _difference(of, [moved(motion, one, c * d, change) for one, c in both], d)
        else:  # the states move too far
            fixed = _difference(of, [moved(motion, one, 0.0, change) for one in some], d)
            found[name] = _along(of, motion, change, sizes) + fixed
    return found


def _along(of: Of, motion: Trajectory, change: Array, sizes: Array, longer: Array | float = 0.0) -> Array:
    """The derivative of `of` along a change of the states, and of the times, at a fixed model."""
    d = small_part(sizes, change)
    if np.any(longer):
        d = min(d, SMALL * motion.h)
    at = lambda c: numbers_of(of(moved(motion, motion.compiled, c, change, c * longer)))  # noqa: E731
    return derivative(at, d, d / SMALL)


def _difference(of: Of, motions: Sequence[Trajectory], d: float) -> Array:
    """(1) for the motions of all nodes."""
    values = np.stack([numbers_of(of(motion)) for motion in motions])
    return np.asarray(np.tensordot(NODE_WEIGHTS, values, axes=1) / d)


def is_start(name: str) -> bool:
    """True for the name of a joint coordinate at the start, "q.hinge", or of its rate, "v.hinge"."""
    return name.startswith(("q.", "v."))


def start_column(name: str, begin: Start) -> int:
    """The column of a tangent that has this name."""
    if begin.space is None:
        raise ModelError(f"{name!r}: the model has no independent joint coordinates.")
    names = begin.space.names
    if name[2:] not in names:
        raise ModelError(f"{name!r}: there is no independent coordinate {name[2:]!r}; {nearest(name[2:], names)}")
    return names.index(name[2:]) + (len(names) if name[0] == "v" else 0)


class Objective:
    """A number of the motion of a model as a function of some of its numbers, with its gradient, as
    `scipy.optimize.minimize(objective, objective.start, jac=True)` takes it: a call gives (value, gradient).

    of: a function of the motion that gives one number. wrt: names, as for `lv.sensitivity`. The other arguments are
    those of `lv.simulate`. `motion` is the last motion.

    >>> import livens as lv
    >>> from scipy.optimize import minimize
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> stone = m.add(lv.Body(lv.Ball(0.1, mass=2.0), velocity=(0, 0, 1), name="stone"))
    >>> miss = lambda motion: (motion.position("stone")[-1, 2] - 2.0) ** 2  # 2 m high after one second
    >>> goal = lv.Objective(m, of=miss, wrt=["bodies.stone.velocity.2"], h=1e-2, until=1.0)
    >>> minimize(goal, goal.start, jac=True).x.round(6)  # 2 m + g/2
    array([6.905])
    """

    def __init__(
        self,
        model: Model,
        of: Of,
        wrt: Sequence[str],
        scheme: Scheme | None = None,
        *,
        h: float,
        until: float,
        every: int = 1,
    ):
        self.run, self.of, self.names = prepare(model, scheme, h=h), of, tuple(wrt)
        self.until, self.every = until, every
        check_names(wrt)
        if not callable(of):
            raise ModelError(f"of is a function of the motion, such as lambda motion: motion.energy[-1], not {of!r}.")
        numbers = Numbers(model)
        self.start = np.array([numbers.value(name)[0] for name in wrt])
        self.motion: Trajectory | None = None

    def __call__(self, x: ArrayLike) -> tuple[float, Array]:
        """The value and the gradient at the parameters x."""
        self.motion = self.run(self.until, parameters=self.parameters(x), every=self.every)
        value = numbers_of(self.of(self.motion))
        if value.ndim:
            raise ModelError(f"the function of the motion must give one number, not an array {value.shape}.")
        return float(value), sensitivity(self.motion, self.of, self.names)

    def parameters(self, x: ArrayLike) -> Mapping[str, float]:
        """Names and values of the parameters x."""
        given = np.asarray(x, dtype=np.float64)
        if given.shape != (len(self.names),):
            raise ModelError(f"x needs one number for each of {', '.join(self.names)}, not the shape {given.shape}.")
        return dict(zip(self.names, given.tolist(), strict=True))
