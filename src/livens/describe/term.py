"""The terms of which forces are made: one class for each table of the kernels.

A force is a list of terms, as a joint is a list of rows. A spring between points, the attraction of bodies, a load at a
point, a spring and stops on a joint's coordinate and a motor on it have kernels of their own (kernels/potential.py,
coordinates.py); formulas (kernels/force_tapes.py) are the general case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks import Array
from ..formula.formula import Formula
from .body import Body, Point, without_world
from .formula_derivatives import Motion, evaluated
from .formula_symmetry import sampled_symmetry
from .row import Coordinate
from .symmetry import ALL, NONE, Symmetry, line_along, plane_across


class Term:
    """One part of a force. The defaults are those of a conservative action between bodies."""

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """Its user-written formulas."""
        return ()

    @property
    def varies(self) -> bool:
        """True if it depends on time."""
        return any(formula.varies for formula in self.formulas)

    @property
    def works(self) -> bool:
        """True if it can do work that no potential describes."""
        return False

    @property
    def velocity_dependent(self) -> bool:
        """True if it depends on velocities."""
        return any(formula.velocity_dependent for formula in self.formulas)

    def symmetries(self) -> list[Symmetry]:
        """Translations and rotations of all bodies that do not change it, one entry for each part of the action; an
        action between bodies, which no such motion changes, needs none."""
        return []


@dataclass(frozen=True, eq=False)
class PointSpring(Term):
    """A spring between two points: V = ½ k (|x_b − x_a| − l)²."""

    a: Point
    b: Point
    stiffness: float  # k [N/m]
    length: float  # l [m]

    def symmetries(self) -> list[Symmetry]:
        return central_symmetry(self.a, self.b) if self.stiffness else []


@dataclass(frozen=True, eq=False)
class PairAttraction(Term):
    """Newtonian attraction between centres of mass: V = −G Σ_{i<j} m_i m_j / |a_i − a_j|."""

    G: float  # [N m²/kg²]
    bodies: tuple[Body, ...] | None  # None: every body of the model


@dataclass(frozen=True, eq=False)
class PointLoad(Term):
    """A force [N] at a point and a torque [N m] on its body, constant, functions of time, or times the number that a
    controller gives."""

    point: Point
    force: Any  # three numbers, or a function of time
    torque: Any
    axes: str = "world"  # or "body": it turns with the body
    effort: Any = 1.0  # a controller
    rate: float | None = None  # of the controller [Hz]

    @property
    def varies(self) -> bool:
        return callable(self.force) or callable(self.torque)

    @property
    def works(self) -> bool:
        return bool(self.varies or np.any(self.force) or np.any(self.torque))

    @property
    def has_torque(self) -> bool:
        """True if its torque is not always zero."""
        return callable(self.torque) or bool(np.any(self.torque))

    def symmetries(self) -> list[Symmetry]:
        """A constant force F in world axes leaves translations ⟂ F and rotations ∥ F, a constant torque M leaves all
        translations and rotations ⟂ M (it adds to the angular momentum along M alone); any other load leaves none."""
        constant = self.axes == "world"
        if callable(self.force) or (np.any(self.force) and not constant):
            return [Symmetry(NONE, NONE)]
        found = [Symmetry(plane_across(self.force), line_along(self.force))] if np.any(self.force) else []
        if callable(self.torque) or (np.any(self.torque) and not constant):
            found.append(Symmetry(ALL, NONE))
        elif np.any(self.torque):
            found.append(Symmetry(ALL, plane_across(self.torque)))
        return found


@dataclass(frozen=True, eq=False)
class CoordinateSpring(Term):
    """A spring and stops on a joint's coordinate q: V = ½ k (q − rest)² + ½ k_stop (overshoot beyond a limit)²."""

    coordinate: Coordinate
    stiffness: float  # k [N m/rad] or [N/m]
    rest: float  # [rad] or [m]
    limits: Array | None = None  # lower and upper stop [rad] or [m]; None: no stops
    limit_stiffness: float = 0.0  # k_stop [N m/rad] or [N/m]


@dataclass(frozen=True, eq=False)
class CoordinateMotor(Term):
    """A torque [N m] or force [N] along a joint's coordinate: a number, a function of time, or a controller."""

    coordinate: Coordinate
    effort: Any
    rate: float | None = None  # of a controller [Hz]

    @property
    def varies(self) -> bool:
        return callable(self.effort)

    @property
    def works(self) -> bool:
        return True


@dataclass(frozen=True, eq=False)
class FormulaEnergy(Term):
    """A user-written potential energy V(q, t)."""

    formula: Formula
    bodies: tuple[Body, ...]

    @property
    def formulas(self) -> tuple[Formula, ...]:
        return (self.formula,)

    @property
    def works(self) -> bool:
        return self.varies

    def symmetries(self) -> list[Symmetry]:
        return [sampled_symmetry(self._exerted, without_world(self.bodies), self.formulas)]

    def _exerted(self, motions: list[Motion], t: Array) -> tuple[Array, Array]:
        """Its forces, and their torques about the origin: each (forces, k, 3)."""
        push = evaluated(self.formula, motions, t)[1][:, 1:]
        forces, torques = [], []
        handles = zip(self.formula.handles, self.formula.kinds, self.formula.places, strict=True)
        for k, (slot, kind, r) in enumerate(handles):
            force = push[:, 3 * k : 3 * k + 3]
            forces.append(force if kind == "point" else 0.0 * force)
            torques.append(np.cross(motions[slot].sees(kind, r), force))
        return np.array(forces), np.array(torques)


@dataclass(frozen=True, eq=False)
class FormulaForce(Term):
    """A user-written force F(q, v, t) [N] at a point, and a torque [N m] on its body, world axes."""

    point: Point
    force: Formula
    torque: Formula | None
    bodies: tuple[Body, ...]

    @property
    def formulas(self) -> tuple[Formula, ...]:
        return (self.force,) if self.torque is None else (self.force, self.torque)

    @property
    def works(self) -> bool:
        return True

    def symmetries(self) -> list[Symmetry]:
        return [sampled_symmetry(self._exerted, self._all_bodies(), self.formulas)]

    def _all_bodies(self) -> tuple[Body, ...]:
        bodies = without_world(self.bodies)
        return bodies if any(body is self.point.body for body in bodies) else (*bodies, self.point.body)

    def _exerted(self, motions: list[Motion], t: Array) -> tuple[Array, Array]:
        """Its force, and the torques about the origin: (1, k, 3) and (1 or 2, k, 3)."""
        push = [evaluated(formula, motions, t)[1][:, 1:] for formula in self.formulas]
        slot = [body is self.point.body for body in self._all_bodies()].index(True)
        at = motions[slot].sees("point", self.point.r)
        return push[0][None], np.array([np.cross(at, push[0]), *push[1:]])


def central_symmetry(a: Point, b: Point) -> list[Symmetry]:
    """An action along the line of two points: if one is a point x of the world, rotations about x are left."""
    fixed = [point for point in (a, b) if point.body.is_world]
    return [Symmetry(NONE, ALL, fixed[0].start)] if fixed else []
