"""What a user describes: bodies, points on them, and whatever joins or drives them.

Three nouns carry everything: the world is body 0; a Point is (body, r) with r in body axes; a Model is a list
of bodies, a list of joints and a list of forces, each with a name. Everything a user can get wrong is refused
here or when the model is compiled, in a sentence that names the thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, vector
from ..errors import ModelError
from .mass import MassProperties
from .pose import Pose, rotation_matrix
from .surface import Surface


class Shape(Protocol):
    """What a body is made of: a primitive, an imported solid, or plain MassProperties."""

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
        """Where the point is in the world at the start [m]."""
        return self.body.pose.point(self.r)

    def __repr__(self) -> str:
        return f"{self.body.name}.point{tuple(self.r.tolist())}"


class Body:
    """A rigid body.

    shape: a primitive, an imported solid or MassProperties; `at` [m] and `rotation` (3 × 3, body to world) place
    the body *frame* at the start; `velocity` [m/s] is that of the frame's origin; `angular_velocity` [rad/s] is
    in world axes, `body_rates` the same in body axes (give at most one of the two).

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
        name: str = "",
    ):
        label = f"body {name!r}" if name else "a body"
        if not hasattr(shape, "mass_properties") or isinstance(shape, type):
            raise ModelError(f"{label} needs a shape or MassProperties, not {shape!r}.")
        if angular_velocity is not None and body_rates is not None:
            raise ModelError(f"{label} has both angular_velocity (world axes) and body_rates (body axes): give one.")
        B = np.eye(3) if rotation is None else rotation_matrix(rotation, f"rotation of {label}")
        self.shape = shape
        self.pose = Pose(vector(at, f"position of {label}"), B)
        self.velocity = vector(velocity, f"velocity of {label}")
        if body_rates is None:
            omega = (0.0, 0.0, 0.0) if angular_velocity is None else angular_velocity
            self.body_rates = B.T @ vector(omega, f"angular velocity of {label}")
        else:
            self.body_rates = vector(body_rates, f"body rates of {label}")
        self.name = name

    def point(self, *r: Any) -> Point:
        """The body-fixed point with coordinates x, y, z in body axes [m]: `point(1, 0, 0)` or `point((1, 0, 0))`."""
        return Point(self, vector(_three(r), f"point on body {self.name!r}"))

    def point_at(self, *x: Any) -> Point:
        """The body-fixed point that is at the world place x, y, z at the start [m]."""
        place = vector(_three(x), f"point on body {self.name!r}")
        return Point(self, self.pose.inverse().point(place))

    @property
    def mass_properties(self) -> MassProperties:
        """Mass, centre and inertia in body axes."""
        return self.shape.mass_properties

    @property
    def center(self) -> Point:
        """The centre of mass."""
        return Point(self, self.mass_properties.center)

    def __repr__(self) -> str:
        return f"Body({self.name!r})"


def _label(thing: Any) -> str:
    """What a sentence calls a thing: its kind with its name, or with an article."""
    kind = type(thing).__name__
    return f"{kind} {thing.name!r}" if thing.name else f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"


def _three(values: tuple[Any, ...]) -> Any:
    return values[0] if len(values) == 1 else values


class Thing(Protocol):
    """Whatever acts on bodies: it has a name, a kind ("joint" or "force") and the points it acts on."""

    name: str

    @property
    def kind(self) -> str: ...

    @property
    def points(self) -> tuple[Point, ...]: ...


T = TypeVar("T")
ROWS = 60  # of a model's table in a notebook


class Model:
    """A mechanical system: bodies, joints and forces by name. SI units throughout.

    gravity: uniform acceleration [m/s²], world axes.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, density=1000), at=(0, 0, 1), name="ball"))
    >>> spring = m.add(lv.Spring(m.world.point(0, 0, 2), ball.point(0, 0, 0), stiffness=100.0, length=1.0))
    >>> m["ball"] is ball, spring.name
    (True, 'spring1')
    """

    def __init__(self, gravity: ArrayLike = (0.0, 0.0, 0.0), name: str = "model"):
        self.name = name
        self.gravity = vector(gravity, "gravity")
        self.world = Body(MassProperties(1.0, (1.0, 1.0, 1.0)), name="world")
        self.bodies: list[Body] = [self.world]
        self.joints: list[Any] = []
        self.forces: list[Any] = []
        self._by_name: dict[str, Any] = {"world": self.world}
        self._unnamed: dict[str, int] = {}

    def add(self, thing: T) -> T:
        """Put a body, joint or force into the model and return it; an unnamed thing gets a name."""
        kind = "body" if isinstance(thing, Body) else getattr(thing, "kind", None)
        if isinstance(thing, type):
            raise ModelError(f"add a thing, not its class: {thing.__name__}(…).")
        places = {"body": self.bodies, "joint": self.joints, "force": self.forces}
        if kind not in places:
            raise ModelError(f"a model holds bodies, joints and forces, not {thing!r}.")
        for joint in getattr(thing, "joints", ()):
            if joint not in self:
                raise ModelError(
                    f"{_label(thing)} acts on {joint!r}, which is not a joint of this model: add it here first."
                )
        points = getattr(thing, "points", ())
        for point in points:
            self._check_mine(point, thing)
        if points and all(point.body is self.world for point in points):
            raise ModelError(f"{_label(thing)} acts on the world alone, which does not move.")
        self._give_name(thing)
        places[kind].append(thing)
        return thing

    def __getitem__(self, name: str) -> Any:
        if name not in self._by_name:
            raise ModelError(f"the model has nothing named {name!r}; it has {', '.join(self._by_name)}.")
        return self._by_name[name]

    def find(self, name: Any) -> Any:
        """The body, joint or force of that name, or None."""
        return self._by_name.get(name) if isinstance(name, str) else None

    @property
    def names(self) -> list[str]:
        """The names of all that is in the model, the world's first."""
        return list(self._by_name)

    def __contains__(self, thing: object) -> bool:
        return self._by_name.get(getattr(thing, "name", "")) is thing

    def _check_mine(self, point: Any, thing: Any) -> None:
        if not isinstance(point, Point):
            raise ModelError(f"{_label(thing)} needs points such as body.point(0, 0, 0), not {point!r}.")
        if point.body not in self:
            raise ModelError(
                f"{_label(thing)} uses body {point.body.name!r}, which is not in this model: add it here first "
                "(a body of another model cannot be joined to this one)."
            )

    def _give_name(self, thing: Any) -> None:
        if not isinstance(thing.name, str):
            raise ModelError(f"the name of a {type(thing).__name__} must be a word, not {thing.name!r}.")
        if "\0" in thing.name:
            raise ModelError(f"the name {thing.name!r} has a NUL character in it, which no file can hold.")
        if thing in self:
            raise ModelError(f"{thing.name!r} is in the model already.")
        if not thing.name:
            stem = type(thing).__name__.lower()
            count = self._unnamed.get(stem, 0) + 1
            while f"{stem}{count}" in self._by_name:
                count += 1
            self._unnamed[stem] = count
            thing.name = f"{stem}{count}"
        if thing.name in self._by_name:
            raise ModelError(f"the name {thing.name!r} is taken by a {type(self._by_name[thing.name]).__name__}.")
        self._by_name[thing.name] = thing

    def __repr__(self) -> str:
        bodies, joints, forces = len(self.bodies) - 1, len(self.joints), len(self.forces)
        parts = f"{bodies} {'body' if bodies == 1 else 'bodies'}, {joints} joint{'s' * (joints != 1)}"
        return f"Model({self.name!r}: {parts}, {forces} force{'s' * (forces != 1)})"

    def _repr_html_(self) -> str:
        """The table that a notebook shows."""
        rows = [
            ("body", body.name, f"{body.mass_properties.mass:.6g} kg at {_place(body)}") for body in self.bodies[1:]
        ]
        for thing in [*self.joints, *self.forces]:
            on = dict.fromkeys(point.body.name for point in getattr(thing, "points", ()))
            rows.append((type(thing).__name__, thing.name, ", ".join(on)))
        more = len(rows) - ROWS
        rows = [*rows[:ROWS], *([("…", f"and {more} more", "")] if more > 0 else [])]
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        head = f"{self!r}, gravity {self.gravity.tolist()} m/s²"
        return f"<table><caption>{escape(head)}</caption>{body}</table>"


def _place(body: Body) -> str:
    return f"({', '.join(f'{x:.4g}' for x in body.pose.a.round(12) + 0.0)}) m"
