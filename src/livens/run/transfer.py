"""A state carried to another model: bodies, joints and controllers are matched by their names.

The frame of a body keeps its position and rotation, its velocity v and its angular velocity ω, also where its mass is
another one: p = m (v + ω × c) and L = J ω belong to the new mass properties. A body that is new starts from its
description. Then positions and momenta are projected onto the joints of the new model, (1) of compile/assembly.py: the
joints exert impulses, so that momentum is conserved between bodies that only joints of the model connect. Angles are
those over many turns.
"""

from __future__ import annotations

import warnings

import numpy as np

from ..compile.compiled import Compiled
from ..compile.states import copied
from ..compile.system import fastest
from ..describe.model import Model
from ..errors import ModelError, ModelWarning
from ..kernels.arrays import State
from ..kernels.coordinates import update_coordinates
from ..record.instant import Instant
from ..record.trajectory import Trajectory
from ..step import Livens
from .given_state import checked_start

CALL = "lv.transfer(motion, to=model)"
REMEDY = (
    "Describe the bodies of joints that are new where the state has them: at=motion.position(body)[-1], "
    "rotation=motion.rotation(body)[-1]; or leave the joint out."
)


def transfer(state: State | Trajectory, to: Model, of: Model | Trajectory | None = None) -> State:
    """A state of `to`, which has some bodies, joints or motors more or fewer: a start for `lv.simulate(to, start=…)`.

    state: a motion, whose last state is taken, or a state of the model or motion `of`. Bodies of the same name keep the
    position [m], rotation, velocity [m/s] and angular velocity [rad/s] of their frames; new bodies start from their
    description. Positions and velocities are fitted to the joints of `to`, momentum being conserved; a ModelWarning
    gives the largest change. A joint that is new must fit the state as `to` describes it: describe its bodies at
    at=motion.position(body)[-1] and rotation=motion.rotation(body)[-1]. Prescribed motions start at t = 0.

    >>> import livens as lv
    >>> def sling(held):
    ...     m = lv.Model(gravity=(0, 0, -9.81))
    ...     stone = m.add(lv.Body(lv.Ball(0.1, mass=2.0), at=(1, 0, 0), velocity=(0, 0, 8), name="stone"))
    ...     if held:
    ...         m.add(lv.Rod(m.world.point(0, 0, 0), stone.point(0, 0, 0), name="cord"))
    ...     return m
    >>> swing = lv.simulate(sling(held=True), h=1e-3, until=0.1)
    >>> start = lv.transfer(swing, to=sling(held=False))
    >>> flight = lv.simulate(sling(held=False), h=1e-3, until=0.5, start=start)
    >>> bool(abs(flight.velocity("stone")[0] - swing.velocity("stone")[-1]).max() < 1e-12)
    True
    """
    if not isinstance(to, Model):
        raise ModelError(f"transfer carries a state to a Model, not to {to!r}: give the model as to=, as in {CALL}.")
    motion = state if isinstance(state, Trajectory) else of
    if not isinstance(motion, Model | Trajectory):
        raise ModelError("a state has no names: give the motion itself, or the state with of=, its model or motion.")
    before = Compiled.of(motion, quiet=True) if isinstance(motion, Model) else motion.phases[-1].compiled
    last = state.state if isinstance(state, Trajectory) else checked_start(state, before.state)
    begin = Compiled.of(to, quiet=True)
    moved = carried(begin, before, last)
    return _fitted(begin, moved)


def carried(begin: Compiled, before: Compiled, state: State) -> State:
    """`state` of the model of `before` as a state of the model of `begin`, not yet fitted to its joints."""
    new = copied(begin.state)
    number = {body.name: k for k, body in enumerate(before.model.bodies)}
    mine, theirs = begin.system.bodies, before.system.bodies
    for k, body in enumerate(begin.model.bodies):
        if k == 0 or body.name not in number:
            continue
        n = number[body.name]
        if all(np.array_equal(x[k], y[n]) for x, y in zip(mine, theirs, strict=True)):
            for field, value in zip(new[:4], state[:4], strict=True):
                field[k] = value[n]
            continue
        B = state.B[n] @ theirs.axes[n].T  # the frame of the user
        omega = theirs.axes[n] @ (theirs.inverse_inertia[n] * state.L[n])  # in its axes
        away = mine.center[k] - theirs.center[n]
        velocity = theirs.inverse_mass[n] * state.p[n] + B @ np.cross(omega, away)  # of the new centre of mass
        new.a[k], new.B[k] = state.a[n] + B @ away, B @ mine.axes[k]
        new.p[k] = mine.mass[k] * velocity
        moments = np.where(mine.inverse_inertia[k] > 0.0, mine.inertia[k], 0.0)
        new.L[k] = moments * (mine.axes[k].T @ omega)
    carry_angles(begin, before, state, new)
    outputs = dict(zip(_controlled(before), state.effort.tolist(), strict=True))
    new.effort[:] = [outputs.get(name, 0.0) for name in _controlled(begin)]
    same = state.lam.shape == new.lam.shape and [x.name for x in begin.owners] == [x.name for x in before.owners]
    new.lam[:] = state.lam if same else 0.0
    new.account[:] = state.account
    return new


def carry_angles(begin: Compiled, before: Compiled, state: State, new: State) -> None:
    """The angles of `new` near those of the same joints in `state`; angles of new joints within half a turn of zero."""
    motion = Instant(before, Livens(), 1.0, 0.0, State(*(x[None].copy() for x in state)))
    joints = [joint for joint in before.model.joints if joint.coordinates]
    values = {
        q.name: value
        for joint in joints
        for q, value in zip(joint.coordinates, np.ravel(motion.coordinate(joint)).tolist(), strict=True)
    }
    for c, q in enumerate(begin.coordinates):
        new.angle[c] = values.get(q.name, new.angle[c])
    update_coordinates(begin.system.coordinates, new.a, new.B, new.angle)
    for d, q in enumerate(begin.dials):
        new.half_turns[d] = np.floor(values.get(q.name, q.start) / np.pi)


def _controlled(compiled: Compiled) -> list[str]:
    return [motor.owner.name for motor in compiled.signals(1.0).controlled]


def _fitted(begin: Compiled, state: State) -> State:
    """The state fitted to the joints; changes are reported."""
    fit = begin.assembly(copied(state))
    if not len(fit.hard):
        return fit.state
    try:
        moved, turned = fit.project_positions()
        fit.check_orientations()
        adjusted, respun = fit.project_velocities()
    except ModelError as error:
        raise ModelError(f"the state does not fit the joints of the other model: {error} {REMEDY}") from None
    rate = fastest(begin.system.bodies, fit.state, fit.size)
    least = max(1e-9 * rate, fit.still())
    if moved > 1e-9 * fit.size or turned > 1e-9:
        _warn(
            f"the positions did not satisfy the joints: bodies were moved by up to {moved:.2g} m and {turned:.2g} rad."
        )
    if adjusted > fit.size * least or respun > least:
        _warn(
            f"the velocities did not satisfy the joints: impulses changed them by up to {adjusted:.2g} m/s and "
            f"{respun:.2g} rad/s."
        )
    return fit.state


def _warn(text: str) -> None:
    warnings.warn(f"in the model to which a state is transferred {text}", ModelWarning, stacklevel=4)
