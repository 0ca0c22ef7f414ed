"""Contacts of imported models: which bodies touch in the file, with which friction, as `lv.Contacts`.

A file names geoms, and pairs of them that touch. Here pairs of bodies touch, with all geoms of both. `lv.Contacts` has
the friction that most pairs have; a pair with another one has its own `lv.Contact`; pairs that do not touch are
excluded. Restitution is zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from ..checks import Array
from ..describe.body import Body, Plane, Shape
from ..describe.contact_rule import Side
from ..describe.forces.contact import Contact
from ..describe.forces.contacts import Contacts
from ..describe.joints.rigid import Rigid
from ..describe.mass import MassProperties
from ..describe.model import Model
from ..describe.pose import Pose
from ..describe.shapes.compound import Compound
from ..describe.shapes.convex_parts import convex_parts
from ..describe.shapes.solid import Solid
from ..describe.surface import Surface
from ..errors import MissingExtra, ModelError
from .armature import unused_name

Placed = tuple[Shape, Pose]
COLLISION = ("hull", "parts")
ANY = MassProperties(1.0, (1.0, 1.0, 1.0))  # the mass of collision geometry is not used


def collision_shape(parts: Sequence[Placed]) -> Shape | None:
    """One shape of several, each at a pose in body axes; None if there are none."""
    if not parts:
        return None
    shape, pose = parts[0]
    plain = len(parts) == 1 and np.array_equal(pose.a, np.zeros(3)) and np.array_equal(pose.B, np.eye(3))
    return shape if plain else Compound(parts)


def hull_shape(vertices: Array) -> Solid:
    """The convex hull of points, as triangles that are counterclockwise seen from outside."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        found = ConvexHull(vertices)
    except (QhullError, ValueError):
        raise ModelError("a mesh without volume cannot touch others.") from None
    x = found.points[found.simplices]
    inward = np.einsum("ni,ni->n", np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), found.equations[:, :3]) < 0.0
    corners = np.where(inward[:, None], found.simplices[:, ::-1], found.simplices)
    used, triangles = np.unique(corners, return_inverse=True)
    return Solid(ANY, Surface(found.points[used], triangles.reshape(-1, 3).astype(np.int32)))


def mesh_shape(surface: Surface, collision: str, undivided: Callable[[str], object]) -> Shape:
    """A mesh as a shape that touches others: its convex hull or, for collision="parts", its convex parts. A mesh that
    cannot be divided is its hull, and `undivided` gets the reason."""
    if collision == "parts":
        try:
            return convex_parts(surface)
        except MissingExtra:
            raise
        except ModelError as error:
            undivided(str(error).removeprefix("the surface ").rstrip("."))
    return hull_shape(surface.vertices)


def check_collision(collision: str) -> None:
    """Raise a ModelError if the argument `collision` of a reader is none of its choices."""
    if collision not in COLLISION:
        raise ModelError(f"collision must be 'hull' or 'parts', not {collision!r}.")


def fixed_body(model: Model, parts: Sequence[Placed]) -> Body:
    """Geometry that is fixed to the world, as a body with a rigid joint to it; poses in world axes."""
    shape = Compound(parts)
    body = model.add(Body(Solid(ANY, shape.surface), collision=shape, name=unused_name(model, "fixed geometry")))
    name = unused_name(model, "fixed geometry joint")
    model.add(Rigid(model.world.point(0, 0, 0), body.point(0, 0, 0), name=name))
    return body


def add_contacts(model: Model, touching: Mapping[tuple[Side, Side], float]) -> None:
    """Add the contacts between these pairs of bodies, or of a plane and a body, each with its friction."""
    if not touching:
        return
    friction = Counter(touching.values()).most_common(1)[0][0]
    planes = _planes(touching)
    shared = planes if _same_for_all(model, touching, planes) else []  # otherwise each pair is a Contact
    common = {pair for pair in touching if not isinstance(pair[0], Plane) or pair[0] in shared}
    exclude = list(_excluded(model, common, shared))
    model.add(Contacts(shared, friction=friction, exclude=exclude, name=unused_name(model, "contacts")))
    joined = joined_bodies(model)
    for (a, b), value in touching.items():
        if value != friction or (a, b) not in common or frozenset((a, b)) in joined:
            names = [side.body.name if isinstance(side, Plane) else side.name for side in (a, b)]
            title = unused_name(model, f"contact of {names[0]} and {names[1]}")
            model.add(Contact(a, b, friction=value, name=title))


def _planes(touching: Iterable[tuple[Side, Side]]) -> list[Plane]:
    return list(dict.fromkeys(side for pair in touching for side in pair if isinstance(side, Plane)))


def _same_for_all(model: Model, touching: Mapping[tuple[Side, Side], float], planes: list[Plane]) -> bool:
    """True if each body touches all planes of a body or none of them."""
    for body in model.bodies[1:]:
        for base in {plane.body for plane in planes}:
            if len({(plane, body) in touching for plane in planes if plane.body is base}) > 1:
                return False
    return True


def joined_bodies(model: Model) -> set[frozenset[Body]]:
    """Moving bodies that a joint connects, which `lv.Contacts` leaves out."""
    pairs = (frozenset(point.body for point in joint.points) for joint in model.joints)
    return {pair for pair in pairs if len(pair) == 2 and not any(body.is_world for body in pair)}


def _excluded(model: Model, touching: set[tuple[Side, Side]], planes: list[Plane]) -> Iterable[tuple[Body, Body]]:
    """The pairs of bodies that do not touch, except those that `lv.Contacts` leaves out by itself."""
    bodies, joined = model.bodies[1:], joined_bodies(model)
    for k, one in enumerate(bodies):
        for two in bodies[k + 1 :]:
            known = (one, two) in touching or (two, one) in touching
            if not known and frozenset((one, two)) not in joined:
                yield one, two
    for base in dict.fromkeys(plane.body for plane in planes):
        for body in bodies:
            known = any((plane, body) in touching for plane in planes if plane.body is base)
            if not known and body is not base and frozenset((base, body)) not in joined:
                yield base, body
