"""Joint coordinates of a motion: of one joint by name, or of all as vectors q and v.

q and v list the coordinates of compile/joint_space.py, dependent ones included; `names` says which. The effort of a
joint is the sum of its motors and of the multiplier of its prescribed motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import Array
from ..compile.joint_space import space_of
from ..describe.thing import Thing
from ..errors import ModelError
from ..kernels.arrays import State
from ..kernels.joint_space import read_accelerations, read_record
from .joints import coordinate, signals_of, total_forces

if TYPE_CHECKING:
    from ..compile.compiled import Compiled


class Coordinates:
    """The joint coordinates of a motion (trajectory.py)."""

    if TYPE_CHECKING:
        compiled: Compiled
        record: State
        t: Array
        h: float

        def own(self, thing: Any) -> Any:
            """The motion's own object."""

        @property
        def multipliers(self) -> Array:
            """The multipliers of all rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coordinates in q and v: a joint's name, or "joint.part" where it has several."""
        return tuple(one.name for one in space_of(self.compiled).every)

    @property
    def q(self) -> Array:
        """All joint coordinates [rad or m], one column for each of `names` (n, k)."""
        return self._vectors()[0]

    @property
    def v(self) -> Array:
        """Their rates [rad/s or m/s] (n, k); of rotation vectors, the components of the angular velocity."""
        return self._vectors()[1]

    def coordinate(self, joint: Thing | str) -> Array:
        """Angle [rad], unwrapped over many turns, or displacement [m] of a joint (n,); (n, k) where it has several: an
        angle and a displacement, two angles, two displacements and an angle, or the rotation vector of a ball joint."""
        return coordinate(self, joint)[0]  # type: ignore[arg-type]

    def rate(self, joint: Thing | str) -> Array:
        """Rate of the coordinate [rad/s or m/s]: (n,), or (n, k) where the joint has several; of a ball joint, the
        relative angular velocity in the axes of its first body."""
        return coordinate(self, joint)[1]  # type: ignore[arg-type]

    def coordinate_acceleration(self, joint: Thing | str) -> Array:
        """Second derivative of the coordinate [rad/s² or m/s²], from the forces at each state: (n,) or (n, k)."""
        mine, space = self._jointed(joint), space_of(self.compiled)
        f, tau, _ = total_forces(self)  # type: ignore[arg-type]
        every = np.zeros((len(self.t), len(space.every)))
        read_accelerations(space.system.bodies, space.coordinates, self.record, f, tau, every)
        return _column(every[:, [k for k, one in enumerate(space.every) if one.q in mine.coordinates]])

    def effort(self, joint: Thing | str) -> Array:
        """The torque [N m] or force [N] that the joint's motors and its prescribed motion exert along its coordinate
        (n,); (n, k) where it has several.

        >>> import livens as lv
        >>> m = lv.Model(gravity=(0, 0, -10.0))
        >>> arm = m.add(lv.Body(lv.MassProperties(2.0, (0.1, 0.1, 0.1)), at=(1, 0, 0), name="arm"))
        >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-1, 0, 0), axis=(0, 1, 0), drive=lambda t: 0.0))
        >>> lv.simulate(m, h=1e-2, until=0.1).effort(hinge)[-1].round(9)
        np.float64(-20.0)
        """
        mine = self._jointed(joint)
        total = np.zeros((len(self.t), len(mine.coordinates)))
        signals, table = self.compiled.signals(self.h), signals_of(self)  # type: ignore[arg-type]
        place = {id(q): k for k, q in enumerate(mine.coordinates)}
        motors = [motor for motor in signals.motors if id(motor.term.coordinate) in place]
        for motor in motors:
            total[:, place[id(motor.term.coordinate)]] += table[:, motor.first]
        rows = [row for group in self.compiled.groups for row in group.rows]
        driven = [r for r, row in enumerate(rows) if row.driven and self.compiled.all_owners[r] is mine]
        for r in driven:
            total[:, 0] += self.multipliers[:, r]
        if not motors and not driven:
            raise ModelError(f"{mine!r} has neither a motor nor a prescribed motion, so it has no effort.")
        return _column(total)

    # ── inside ──

    def _jointed(self, joint: Any) -> Thing:
        mine = self.own(joint)
        if not isinstance(mine, Thing) or not mine.coordinates:
            raise ModelError(f"{mine!r} has no coordinate; a Revolute, Prismatic, Universal, Planar or Spherical has.")
        return mine

    def _vectors(self) -> tuple[Array, Array]:
        space = space_of(self.compiled)
        q, v = np.zeros((len(self.t), len(space.every))), np.zeros((len(self.t), len(space.every)))
        read_record(space.system.bodies, space.coordinates, space.variables, self.record, space.tree.start, q, v)
        old = bool(np.isnan(self.record.half_turns).any())  # a file of release 0.1
        for joint in {id(one.q.joint): one.q.joint for one in space.every if old and not one.own}.values():
            columns = [k for k, one in enumerate(space.every) if one.q.joint is joint and not one.own]
            q[:, columns] = coordinate(self, joint)[0].reshape(len(self.t), -1)  # type: ignore[arg-type]
        return q, v


def _column(values: Array) -> Array:
    """(n,) if there is one column."""
    return np.squeeze(values, axis=1) if values.shape[1] == 1 else values
