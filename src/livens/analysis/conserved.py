"""Which momenta a model conserves, and why the others are not conserved (Noether).

Linear momentum along n is conserved if no action changes when all bodies are moved along n; angular momentum about a
line is conserved if no action changes when all bodies are rotated about it. Every thing states the translations T and
rotations R that do not change it (describe/symmetry.py), and the point x of the world that the axes of rotation must
pass through:

    thing                                        T              R              through x
    action between bodies only                   all            all
    gravity g, constant load F in world axes     ⟂ g            ∥ g
    constant torque M in world axes              all            ⟂ M (it adds to the momentum along M alone)
    any other load                               none           none
    Spring, Damper, Rod, Spherical               none           all            yes
    Revolute, Universal (axis of the world)      none           ∥ u            yes
    Cylindrical, PointOnLine                     ∥ u            ∥ u            yes
    Prismatic                                    ∥ u            none
    Planar, PointOnPlane                         ⟂ n            ∥ n
    FixedOrientation                             all            none
    Rigid, Screw, rolling joints, KnifeEdge      none           none
    Constraint, for any bodies                   none           none
    Energy, Force                                from their total force and torque at random states

A coordinate on which a spring, damper, stop, drive, motor or gear acts leaves no symmetry. Gravity alone exerts no
torque about the centre of mass, so a free system conserves all of its angular momentum about that point.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..checks import Array
from ..describe.model import Model
from ..describe.symmetry import ALL, Symmetry, intersection, line_along, lines_through, plane_across
from ..describe.thing import Thing
from ..record.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class ConservedComponents:
    """Components of a momentum that are conserved.

    directions: orthonormal rows (0 to 3 of them); about: the point of the world for angular momentum [m], None for
    the centre of mass; because: why the other components are not conserved.
    """

    directions: Array
    about: Array | None = field(default_factory=lambda: np.zeros(3))
    because: str = ""


@dataclass(frozen=True, eq=False)
class Conserved:
    """The conserved quantities of a model; `energy` is empty if energy is conserved and gives the reason otherwise."""

    energy: str
    momentum: ConservedComponents
    angular_momentum: ConservedComponents


def conserved(model: Model) -> Conserved:
    """The quantities that the symmetries of `model` conserve.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, density=1000), at=(0, 0, -1), name="ball"))
    >>> rope = m.add(lv.Spring(m.world.point(1, 0, 0), ball.point(0, 0, 0.1), stiffness=100.0, name="rope"))
    >>> kept = conserved(m)
    >>> kept.momentum.directions.shape, kept.momentum.because
    ((0, 3), "gravity and spring 'rope'")
    >>> kept.angular_momentum.directions.tolist(), kept.angular_momentum.about.tolist()
    ([[0.0, 0.0, 1.0]], [1.0, 0.0, 0.0])
    """
    outside = _outside(model)
    g = model.gravity
    falling = [("gravity", Symmetry(plane_across(g), line_along(g)))] if np.any(g) else []
    outer = falling + outside
    move = intersection([s.move for _, s in outer])
    momentum = ConservedComponents(move, because=_names([name for name, s in outer if len(s.move) < 3]))
    if not outside:
        return Conserved(_energy(model), momentum, ConservedComponents(ALL, about=None if falling else np.zeros(3)))
    turn = intersection([s.turn for _, s in outer])
    points = np.array([s.through for _, s in outer if s.through is not None]).reshape(-1, 3)
    lines = lines_through(points)
    turn = intersection([turn, lines])
    about = points[0] if len(points) else np.zeros(3)
    held = [name for name, s in outer if len(s.turn) < 3 or (s.through is not None and len(lines) < 3)]
    return Conserved(_energy(model), momentum, ConservedComponents(turn, about, _names(held)))


def conserved_in(motion: Trajectory) -> Conserved:
    """The quantities that are conserved in all phases of a motion. Events that acted may change all of them: then the
    balance of energy is examined, and no momentum."""
    if not motion.events.acting and len(motion.phases) == 1:
        return conserved(motion.model)
    causes = [conserved(phase.model).energy for phase in motion.phases]
    events = [f"event {name!r}" for name in motion.events.acting]
    energy = " and ".join(dict.fromkeys([cause for cause in causes if cause] + [_names(events)] * bool(events)))
    because = _names(events) or "changes between its phases"
    law = conserved(motion.model)

    def none(first: str) -> ConservedComponents:
        return ConservedComponents(np.zeros((0, 3)), because=f"{first} and {because}" if first else because)

    return Conserved(energy or because, none(law.momentum.because), none(law.angular_momentum.because))


def _outside(model: Model) -> list[tuple[str, Symmetry]]:
    """The names and symmetries of the actions that come from outside or hold bodies at the world."""
    acted = {id(joint) for thing in model.things for joint in thing.joints}
    found = [(_name(thing), s) for thing in model.things for s in thing.symmetries(id(thing) in acted)]
    return [(name, s) for name, s in found if not s.complete]


def _energy(model: Model) -> str:
    """Why energy is not conserved: the things that do work, and those that dissipate."""
    works = [_name(thing) for thing in model.things if thing.works]
    loses = [_name(thing) for thing in model.things if thing.dissipates]
    said = [f"work of {_names(works)}"] * bool(works) + [f"dissipation in {_names(loses)}"] * bool(loses)
    return " and ".join(said)


def _name(thing: Thing) -> str:
    return f"{type(thing).__name__.lower()} {thing.name!r}"


def _names(names: list[str]) -> str:
    """The names as one phrase, each once; of more than four only the first three."""
    names = list(dict.fromkeys(names))
    if len(names) > 4:
        names = [*names[:3], f"{len(names) - 3} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
