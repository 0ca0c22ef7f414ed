"""Armature: the inertia that a motor's rotor adds to a joint, ½ A q̇² for its coordinate q and nothing else.

A flywheel of inertia A [kg m²] on the world that turns by q radians has just this energy; a coupling makes it turn,
wherever the joint's bodies are and however they move. (A rotor on a moving body would turn with that body too.) Where
q is one of several coordinates between two bodies the flywheel also shows it, and so is a dial: springs, dampers and
stops of q act on the dial's own joint. A dial of a slide slides, with a mass of A [kg], across gravity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..checks import Array
from ..describe.joints.coupling import Coupling
from ..describe.joints.prismatic import Prismatic
from ..describe.joints.revolute import Revolute
from ..describe.mass import MassProperties
from ..describe.model import Body, Model
from ..describe.row import across
from ..describe.shapes.solid import Solid
from ..describe.surface import Surface, box_surface
from ..formula.functions import dot

if TYPE_CHECKING:
    from .chain import Freedom

SIZE = 1e-3  # m: as large as it is drawn, at the world's origin
AXIS = np.array([0.0, 0.0, 1.0])


class Dial(NamedTuple):
    """A body on the world that moves by a coordinate of other bodies."""

    body: Body
    joint: Any
    axis: Array

    def angle(self, sees: Any) -> tuple[Any, Any]:
        """Cosine and sine of the angle it has turned by, in a formula."""
        e1, e2 = across(self.axis)
        hand = sees[self.body].direction(e1)
        return dot(hand, e1), dot(hand, e2)

    def displacement(self, sees: Any) -> Any:
        """How far it has slid, in a formula."""
        return dot(sees[self.body].position, self.axis)


def add_flywheel(model: Model, joint: Any, armature: float, rate: float) -> None:
    """A flywheel that the coordinate of a joint turns: a radian for each radian or metre."""
    wheel, axle = _wheel(model, joint.name, armature, rate, {})
    model.add(Coupling(joint, axle, ratio=1.0, name=unused(model, f"{wheel.name} coupling")))


def add_dial(model: Model, f: Freedom) -> Dial:
    """A dial, not yet tied to what it shows, with all that acts on the coordinate."""
    if f.kind == "hinge":
        return Dial(*_wheel(model, f.name, f.armature, f.rate, f.acts), AXIS)
    g = float(np.linalg.norm(model.gravity))
    axis = across(model.gravity / g)[0] if g > 0.0 else AXIS
    inertia = f.armature * SIZE**2 / 6.0
    shape = Solid(MassProperties(f.armature, (inertia, inertia, inertia)), _small())
    body = model.add(Body(shape, velocity=f.rate * axis, name=unused(model, f"{f.name} armature")))
    name = unused(model, f.name)
    joint = model.add(Prismatic(model.world.point(0, 0, 0), body.point(0, 0, 0), axis, **f.acts, name=name))
    return Dial(body, joint, axis)


def _wheel(model: Model, name: str, armature: float, rate: float, acts: dict[str, Any]) -> tuple[Body, Revolute]:
    matter = MassProperties(1.0, (0.5 * armature, 0.5 * armature, armature))
    wheel = model.add(
        Body(Solid(matter, _small()), angular_velocity=rate * AXIS, name=unused(model, f"{name} armature"))
    )
    title = unused(model, name if name not in model.names else f"{wheel.name} axle")
    axle = model.add(Revolute(model.world.point(0, 0, 0), wheel.point(0, 0, 0), AXIS, **acts, name=title))
    return wheel, axle


def _small() -> Surface:
    return box_surface((SIZE, SIZE, SIZE))


def unused(model: Model, name: str) -> str:
    """A name that nothing in the model has: this one, or one like it."""
    wanted, count = name, 1
    while wanted in model.names:
        count += 1
        wanted = f"{name} {count}"
    return wanted
