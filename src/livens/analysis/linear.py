"""lv.linearize: small motions about a state, in joint coordinates (linearisation.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..checks import number, positive
from ..compile.compiled import Compiled
from ..compile.contact_start import jumping_force
from ..compile.states import copied
from ..describe.model import Model
from ..errors import ModelError
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from ..step import Livens, Scheme, is_scheme
from ..step.generalized_alpha import GeneralizedAlpha
from .joint_space import JointSpace
from .linear_inputs import Inputs
from .linear_system import LinearSystem
from .linearisation import Linearisation, carried
from .singular_position import refuse_singular


def linearize(
    model: Model,
    at: Any = None,
    inputs: Sequence[Any] | None = None,
    outputs: Sequence[Any] | None = None,
    h: float | None = None,
    scheme: Scheme | None = None,
    t: float | None = None,
) -> LinearSystem:
    """The small motions of `model` about a state, in joint coordinates.

    at: a state, a motion (its last state), joint coordinates q, or None, the start. t [s]: the time there (None: that
    of the motion, or 0); motors exert what they do then, controllers nothing.

    inputs, as objects or names; None: all motors. Motors and joints: an effort along each coordinate, or along one:
    (joint, "angle_b"), "joint.angle_b", "ball.x" of a free body. A joint with a prescribed motion: the acceleration of
    its coordinate, which is part of the state then; times −ω², the response to it is that to a displacement.
    Loads: three forces and three torques.

    outputs; None: the coordinates. Joints, (joint, "angle_b") and names of coordinates: coordinates; points or bodies:
    three displacements; functions of a motion of one state, such as lambda now: now.reaction("hinge")[0], and sensors.
    D is what inputs change at once, such as accelerations and reactions.

    With h [s], the derivative of a step of `scheme` (`lv.Livens()`), with inputs held.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> bob = m.add(lv.Body(lv.MassProperties(2.0, (1e-3, 1e-3, 1e-3)), at=(0, 0, -1), name="bob"))
    >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), bob.point(0, 0, 1), axis=(0, 1, 0), name="hinge"))
    >>> lin = lv.linearize(m, inputs=[hinge])
    >>> lin.modes().omega.round(6), lin.B.round(6).tolist()  # √(m g l / (m l² + J))
    (array([3.131309]), [[0.0], [0.49975]])
    """
    if not isinstance(model, Model):
        raise ModelError(f"a linearisation is that of a model, not of {model!r}.")
    scheme = Livens() if scheme is None else scheme
    if h is not None:
        positive(h, "h", "s")
        _refuse(scheme)
    t = number(t, "the time t") if t is not None else float(at.t[-1]) if isinstance(at, Trajectory) else 0.0
    given = Inputs(model, inputs)
    space = JointSpace(Compiled.of(given.free, quiet=True), driven=True)
    state = _state(space, model, at, t)
    if space.has_loops:
        refuse_singular(space.compiled, state, t)
    if jump := jumping_force(space.compiled.model, space.compiled.system, state):
        raise ModelError(
            f"model {model.name!r} has no linearisation here: {jump}, where a force jumps. Linearize a model without "
            "it, or with a joint in its place."
        )
    return Linearisation(space, given, state, t, h).system(outputs, scheme)


def _refuse(scheme: Any) -> None:
    """Raise a ModelError if the end of a step of this scheme is no function of (q, v)."""
    if not is_scheme(scheme):
        raise ModelError(f"a step is linearized for a scheme, such as lv.Livens(order=4), not for {scheme!r}.")
    if isinstance(scheme, GeneralizedAlpha):
        raise ModelError(
            f"a step of {scheme!r} depends on means of accelerations in the steps before, which do not follow from "
            "coordinates and rates, so it has no linearisation in them: take lv.Newmark or lv.Livens, or linearize "
            "the equations of motion, without h."
        )


def _state(space: JointSpace, model: Model, at: Any, t: float) -> State:
    """The state of the model with its inputs."""
    mine = space.compiled.state
    if at is None:
        return mine
    if isinstance(at, Trajectory):
        at = at.state
    if not isinstance(at, State):
        return space.state(at)
    if at.a.shape != mine.a.shape:
        raise ModelError(f"a state for model {model.name!r} has {len(mine.a) - 1} bodies, not {len(at.a) - 1}.")
    there = carried(at, Compiled.of(model, quiet=True), space.compiled)
    space.compiled.assembly(copied(there), t).check_closed(1e-9)
    return there
