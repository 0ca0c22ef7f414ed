"""Rigid bodies and the points that are fixed to them.

A Point is (body, r) with r in body axes; joints, springs, loads, traces and pictures use points only. The world is a
body as well, the first of every model, and does not move.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, direction, labelled, vector
from ..errors import ModelError
from .color import color_of, opacity_of
from .contact_shape import ContactShape, contact_shapes_of
from .mass import MassProperties
from .pose import Pose, rotation_matrix
from .surface import Surface

WORLD = "world"  # the name of the body that does not move


class Shape(Protocol):
    """The matter of a body: a primitive, an imported solid, or plain MassProperties."""

    @property
    def mass_properties(self) -> MassProperties: ...

    @property
    def surface(self) -> Surface: ...


@dataclass(frozen=True, eq=False)
class Point:
    """A point fixed to a body: `r` in body axes from the body frame's origin [m]."""

    body: Body
    r: Array

    @property
    def start(self) -> Array:
        """Its position in the world at the start [m]."""
        return self.body.pose.point(self.r)

    def __repr__(self) -> str:
        return f"{self.body.name}.point{tuple(self.r.tolist())}"


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane fixed to a body, for contact: the body is below it. Through `r` [m] with the outward `normal`, both in
    body axes."""

    body: Body
    r: Array
    normal: Array

    @property
    def point(self) -> Point:
        """A point of the plane."""
        return Point(self.body, self.r)

    @property
    def start_normal(self) -> Array:
        """Its normal in world axes at the start."""
        return self.body.pose.B @ self.normal

    def __repr__(self) -> str:
        return f"{self.body.name}.plane({tuple(self.r.tolist())}, normal={tuple(self.normal.tolist())})"


class Body:
    """A rigid body.

    shape: a primitive, an imported solid or MassProperties; `at` [m] and `rotation` (3 × 3, body to world) place
    the body *frame* at the start; `velocity` [m/s] is that of the frame's origin; `angular_velocity` [rad/s] is
    in world axes, `body_rates` the same in body axes (give at most one of the two). `collision`: another shape for
    contact (`lv.Contact`), in body axes; its mass is not used. `color` in pictures: a name such as "red", "#d55e00", or
    red, green and blue from 0 to 1 (None: one of seven, by its number); `opacity` from 0 (invisible) to 1.

    >>> from livens import Body, Box
    >>> arm = Body(Box(1.0, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm")
    >>> arm.point_at(1.0, 0, 0).r.tolist()
    [0.5, 0.0, 0.0]
    """

    def __init__(
        self,
        shape: Shape,
        at: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike | None = None,
        body_rates: ArrayLike | None = None,
        collision: Shape | None = None,
        color: str | ArrayLike | None = None,
        opacity: float = 1.0,
        name: str = "",
    ):
        label = labelled("body", name)
        if not is_shape(shape):
            raise ModelError(f"{label} needs a shape or MassProperties, not {shape!r}.")
        if collision is not None and not is_shape(collision):
            raise ModelError(f"collision of {label} must be a shape, not {collision!r}.")
        if angular_velocity is not None and body_rates is not None:
            raise ModelError(f"{label} has both angular_velocity (world axes) and body_rates (body axes): give one.")
        B = np.eye(3) if rotation is None else rotation_matrix(rotation, f"rotation of {label}")
        self.shape, self.collision = shape, collision
        self.pose = Pose(vector(at, f"position of {label}"), None if rotation is None else B)
        self.velocity = vector(velocity, f"velocity of {label}")
        if body_rates is None:
            omega = (0.0, 0.0, 0.0) if angular_velocity is None else angular_velocity
            self.body_rates = B.T @ vector(omega, f"angular velocity of {label}")
        else:
            self.body_rates = vector(body_rates, f"body rates of {label}")
        self.color = None if color is None else color_of(color, f"color of {label}")
        opaque = isinstance(opacity, float) and opacity == 1.0
        self.opacity = 1.0 if opaque else opacity_of(opacity, f"opacity of {label}")
        self.name = name

    def point(self, *r: Any) -> Point:
        """The body-fixed point with coordinates x, y, z in body axes [m]: `point(1, 0, 0)` or `point((1, 0, 0))`."""
        return Point(self, vector(_three(r), f"point on body {self.name!r}"))

    def point_at(self, *x: Any) -> Point:
        """The body-fixed point that is at the world position x, y, z at the start [m]."""
        position = vector(_three(x), f"point on body {self.name!r}")
        return Point(self, self.pose.inverse().point(position))

    def plane(self, *at: Any, normal: ArrayLike = (0.0, 0.0, 1.0)) -> Plane:
        """A plane fixed to the body, for `lv.Contact`: through the point `at` [m], with the body on the side
        against the normal; both in body axes. `m.world.plane((0, 0, 0))` is a floor."""
        what = f"plane of body {self.name!r}"
        return Plane(
            self, vector(_three(at) if at else (0.0, 0.0, 0.0), what), direction(normal, f"normal of the {what}")
        )

    @property
    def contact_shapes(self) -> tuple[ContactShape, ...]:
        """The parts with which it touches others, in body axes."""
        shape = self.shape if self.collision is None else self.collision
        return contact_shapes_of(shape, shape.surface)

    @property
    def is_world(self) -> bool:
        """True for the body of a model that does not move."""
        return self.name == WORLD

    @property
    def mass_properties(self) -> MassProperties:
        """Mass, centre and inertia in body axes."""
        return self.shape.mass_properties

    @mass_properties.setter
    def mass_properties(self, _: Any) -> None:
        raise ModelError(
            f"mass properties of body {self.name!r} follow from its shape: set body.shape, for example to "
            "lv.MassProperties(mass, inertia, center)."
        )

    @property
    def center(self) -> Point:
        """The centre of mass."""
        return Point(self, self.mass_properties.center)

    def __repr__(self) -> str:
        return f"Body({self.name!r})"


def is_shape(value: object) -> bool:
    """True for an object with mass properties; users may write shapes of their own."""
    # a shape of a user need not be of a class of livens
    return hasattr(value, "mass_properties") and not isinstance(value, type)


def without_world(bodies: Iterable[Body]) -> tuple[Body, ...]:
    """The bodies that can move; the handles of a formula number these."""
    return tuple(body for body in bodies if not body.is_world)


def _three(values: tuple[Any, ...]) -> Any:
    return values[0] if len(values) == 1 else values
