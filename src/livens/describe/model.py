"""A model: bodies, joints and forces by name.

The world is body 0; a model is a list of bodies, a list of joints and a list of forces. Errors in a description are
refused here or when the model is compiled, in a sentence that names the thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from html import escape
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from ..checks import Array, check_name, nearest, vector
from ..errors import ModelError
from .body import WORLD
from .body import Body as Body
from .body import Plane as Floor
from .body import Point as Point
from .body import Shape as Shape
from .composite import Composite
from .mass import MassProperties
from .plane import Plane, plane_normal
from .thing import Thing

T = TypeVar("T", bound=Body | Thing | Composite | Floor)
WORLD_MATTER = MassProperties(1.0, (1.0, 1.0, 1.0))  # of a body that does not move
ROWS = 60  # of the table that a notebook shows


class Model:
    """A mechanical system: bodies, joints and forces by name. SI units throughout.

    gravity: uniform acceleration [m/s²], world axes. planar: "xy", "xz" or "yz" keeps every body to a plane parallel to
    this one, in which a linkage has no redundant constraints.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, density=1000), at=(0, 0, 1), name="ball"))
    >>> spring = m.add(lv.Spring(m.world.point(0, 0, 2), ball.point(0, 0, 0), stiffness=100.0, length=1.0))
    >>> m["ball"] is ball, spring.name
    (True, 'spring1')
    """

    def __init__(self, gravity: ArrayLike = (0.0, 0.0, 0.0), name: str = "model", planar: str = ""):
        self.name = name
        if planar != "":
            plane_normal(planar)
        self.planar = planar
        self._planes: dict[Body, Plane] = {}
        self.gravity = gravity
        self.world = Body(WORLD_MATTER, name=WORLD)
        self.bodies: list[Body] = [self.world]
        self.joints: list[Thing] = []
        self.forces: list[Thing] = []
        self.floors: list[Floor] = []  # planes of the world that pictures show; bodies pass through them
        self._by_name: dict[str, Any] = {WORLD: self.world}
        self._unnamed: dict[str, int] = {}

    @property
    def gravity(self) -> Array:
        """Uniform acceleration [m/s²], world axes (3,)."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._gravity = vector(value, "gravity")

    def add(self, thing: T) -> T:
        """Put a body, joint or force into the model, or the parts of a controller, a beam or a cable, and return it;
        an unnamed thing gets a name. A plane such as m.world.plane((0, 0, 0)) is drawn as a floor, without contact."""
        if isinstance(thing, type):
            raise ModelError(f"add a thing, not its class: {thing.__name__}(…).")
        if isinstance(thing, Body):
            self._give_name(thing)
            self.bodies.append(thing)
        elif isinstance(thing, Thing):
            self.check_parts(thing)
            self._give_name(thing)
            (self.joints if thing.kind == "joint" else self.forces).append(thing)
        elif isinstance(thing, Composite):
            for part in thing.parts:
                self.add(part)
        elif isinstance(thing, Floor):
            if thing.body is not self.world:
                raise ModelError(f"{thing!r} cannot be a floor: floors are planes of this model's world.")
            self.floors.append(thing)
        else:
            raise ModelError(f"a model contains bodies, joints and forces, not {thing!r}.")
        return thing

    def with_things(self, things: Sequence[Thing]) -> Model:
        """Another model with the same bodies, and these joints and forces."""
        other = copy(self)
        other.bodies, other._unnamed, other.floors = list(self.bodies), dict(self._unnamed), list(self.floors)
        other.joints = [thing for thing in things if thing.kind == "joint"]
        other.forces = [thing for thing in things if thing.kind != "joint"]
        other._by_name = {body.name: body for body in other.bodies} | {thing.name: thing for thing in things}
        return other

    @property
    def things(self) -> list[Thing]:
        """All joints, the planes of a planar model, then all forces."""
        return [*self.joints, *self.planes, *self.forces]

    @property
    def planes(self) -> list[Thing]:
        """What keeps each body of a planar model to its plane; none in other models."""
        if not self.planar:
            return []
        for body in self.bodies[1:]:
            if body not in self._planes:
                self._planes[body] = Plane(self.world, body, plane_normal(self.planar))
        return [self._planes[body] for body in self.bodies[1:]]

    def __getitem__(self, name: str) -> Any:
        if self.find(name) is None:
            raise ModelError(f"the model has nothing named {name!r}; {nearest(name, self._by_name, 'it has')}")
        return self._by_name[name]

    def find(self, name: Any) -> Any:
        """The body, joint or force of that name, or None."""
        return self._by_name.get(name) if isinstance(name, str) else None

    @property
    def names(self) -> list[str]:
        """The names of everything in the model, the world first."""
        return list(self._by_name)

    def __contains__(self, thing: object) -> bool:
        return isinstance(thing, Body | Thing) and self._by_name.get(thing.name) is thing

    def check_parts(self, thing: Thing) -> None:
        """Refuse a thing that acts on a joint or body of another model, or on the world alone."""
        for joint in thing.joints:
            if joint not in self:
                raise ModelError(
                    f"{thing.label} acts on {joint!r}, which is not a joint of this model: add it here first."
                )
        points = thing.points
        for point in points:
            if not isinstance(point, Point):
                raise ModelError(f"{thing.label} needs points such as body.point(0, 0, 0), not {point!r}.")
            if point.body not in self:
                raise ModelError(
                    f"{thing.label} uses body {point.body.name!r}, which is not in this model: add it here first "
                    "(a body of another model cannot be joined to this one)."
                )
        if points and all(point.body is self.world for point in points):
            raise ModelError(f"{thing.label} acts on the world alone, which does not move.")

    def _give_name(self, thing: Body | Thing) -> None:
        made = type(thing).__name__
        check_name(thing.name, made)
        if thing in self:
            raise ModelError(f"{thing.name!r} is in the model already.")
        if not thing.name:
            stem = made.lower()
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
            ("body", body.name, f"{body.mass_properties.mass:.6g} kg at {_position(body)}") for body in self.bodies[1:]
        ]
        for thing in [*self.joints, *self.forces]:
            on = dict.fromkeys(point.body.name for point in thing.points)
            rows.append((type(thing).__name__, thing.name, ", ".join(on)))
        more = len(rows) - ROWS
        rows = [*rows[:ROWS], *([("…", f"and {more} more", "")] if more > 0 else [])]
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        head = f"{self!r}, gravity {self.gravity.tolist()} m/s²"
        return f"<table><caption>{escape(head)}</caption>{body}</table>"


def _position(body: Body) -> str:
    return f"({', '.join(f'{x:.4g}' for x in body.pose.a.round(12) + 0.0)}) m"
