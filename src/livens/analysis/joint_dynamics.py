"""The dynamics at a state in one call: `lv.mass_matrix`, `lv.bias`, `lv.inverse_dynamics`, …, of a model or motion.

Each call compiles the model, unless it gets a motion or a `JointSpace`. States are checked: the joints must be closed
there, and the position must not be singular.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ..checks import Array
from ..compile.states import copied
from ..describe.body import Body, Point
from ..describe.model import Model
from ..errors import ModelError
from ..kernels.arrays import State
from ..record.trajectory import Trajectory
from .joint_space import JointSpace
from .singular_position import refuse_singular

VIOLATED = 1e-9  # largest violation of a given state, in parts of the size of the joints


def mass_matrix(model: Model | JointSpace | Trajectory, at: ArrayLike | State | None = None) -> Array:
    """The mass matrix in joint coordinates (m, m), at a state, or at the coordinates q (None: the start, or the last
    state of a motion). For many evaluations make a `JointSpace` once.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> cart = m.add(lv.Body(lv.Box(1, 1, 1, density=2.0), name="cart"))
    >>> rail = m.add(lv.Prismatic(m.world.point(0, 0, 0), cart.point(0, 0, 0), axis=(1, 0, 0), name="rail"))
    >>> lv.mass_matrix(m).round(9).tolist()
    [[2.0]]
    """
    space, here = _where(model, at)
    return space.mass_matrix(here)


def bias(
    model: Model | JointSpace | Trajectory, at: ArrayLike | State | None = None, v: ArrayLike | None = None
) -> Array:
    """The bias in joint coordinates (m,) [N or N m]: Coriolis forces, gravity, passive forces and loads, no motors; at
    a state, or at the coordinates q and rates v (None: at rest)."""
    space, here = _where(model, at)
    return space.bias(here, v, _time(model))


def inverse_dynamics(
    model: Model | JointSpace | Trajectory, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: float = 0.0
) -> Array:
    """The efforts of the actuated joints [N or N m] that give the accelerations a at q and v: see
    `JointSpace.inverse_dynamics`."""
    return _space(model).inverse_dynamics(q, v, a, t)


def jacobian(
    model: Model | JointSpace | Trajectory, what: Point | Body | str, at: ArrayLike | State | None = None
) -> Array:
    """The velocity of a point (3, m), or of a body's origin and its angular velocity (6, m), per unit rate of each
    coordinate, world axes, at a state, or at the coordinates q (None: the start, or the last state of a motion)."""
    space, here = _where(model, at)
    return space.jacobian(what, here)


def forward_kinematics(model: Model | JointSpace, q: ArrayLike, v: ArrayLike | None = None) -> Trajectory:
    """The motion of one state at the coordinates q and rates v (None: at rest): its `position(point)`,
    `rotation(body)`, `velocity(point)`, … ; with `.state` a simulation can start there."""
    return _space(model).forward_kinematics(q, v)


def _space(model: Any) -> JointSpace:
    if isinstance(model, JointSpace):
        return model
    if isinstance(model, Trajectory):
        return JointSpace(model.phases[-1].compiled)
    if isinstance(model, Model):
        return JointSpace(model)
    raise ModelError(f"joint coordinates are those of a model, a JointSpace or a motion, not of {model!r}.")


def _where(model: Any, at: Any) -> tuple[JointSpace, Any]:
    space = _space(model)
    if at is not None:
        here = at.state if isinstance(at, Trajectory) else at
    else:
        here = model.state if isinstance(model, Trajectory) else space.start
    if isinstance(here, State) and at is not None and space is not model:
        space.check_bodies(here)
        space.compiled.assembly(copied(here), _time(model)).check_closed(VIOLATED)
    if space is not model and space.has_loops:
        refuse_singular(space.compiled, here if isinstance(here, State) else space.state(here))
    return space, here


def _time(model: Any) -> float:
    return float(model.t[-1]) if isinstance(model, Trajectory) else 0.0
