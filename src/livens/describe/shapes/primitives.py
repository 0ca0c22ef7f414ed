"""Bodies in closed form: a shape is a table of facts.

With V the volume (area of a plate, length of a rod), c the centre of mass and e_i = (1/V)∫(r_i − c_i)² the mean
squares about it, a uniform shape has by symmetry

    m = ρ V,      E = m diag(e_x, e_y, e_z),      J = m diag(e_y + e_z, e_z + e_x, e_x + e_y)              (1)

    shape                V           e_x        e_y        e_z        c
    Box (x, y, z)        x y z       x²/12      y²/12      z²/12      0
    Ball (r)             4πr³/3      r²/5       r²/5       r²/5       0
    Cylinder (r, l)      πr²l        r²/4       r²/4       l²/12      0
    Capsule (r, l)       A + S       means of a cylinder A = πr²l and of two half balls S = 4πr³/3 at z = ±l/2,
                                     whose e_z is l²/4 + 3rl/8 + r²/5
    Cone (r, h)          πr²h/3      3r²/20     3r²/20     3h²/80     (0, 0, h/4)
    Ellipsoid (x, y, z)  4πxyz/3     x²/5       y²/5       z²/5       0
    ThinRod (l)          l           l²/12      0          0          0
    ThinPlate (x, y)     x y         x²/12      y²/12      0          0

Lengths in m, mass in kg, density in kg/m³ (kg/m² for a plate, kg/m for a rod); each takes one of density and mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, reduce
from math import pi
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ...checks import positive
from ...errors import ModelError
from ..mass import MassProperties
from ..pose import Pose
from ..surface import Surface, box_surface
from ..tessellate import ball, capsule, cone, cylinder

if TYPE_CHECKING:
    from ..model import Shape

DOT = 0.025  # radius at which a point mass is drawn [m]
THIN = 0.01  # thickness at which rods and plates are drawn, as a part of their length


class Facts(NamedTuple):
    """One row of the table: measure V, mean squares (e_x, e_y, e_z) about the centre, centre c."""

    measure: float
    squares: tuple[float, float, float]
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, repr=False)
class _Uniform:
    """What the rows share: the checks at the door and equation (1)."""

    density: float | None = field(default=None, kw_only=True)
    mass: float | None = field(default=None, kw_only=True)
    _unit: ClassVar[str] = "kg/m³"

    def _facts(self) -> Facts:
        raise NotImplementedError

    def __post_init__(self) -> None:
        kind, units = type(self).__name__, {"density": self._unit, "mass": "kg"}
        if (self.density is None) == (self.mass is None):
            given = "neither" if self.mass is None else "both"
            raise ModelError(f"{kind} takes exactly one of density= and mass=, got {given}.")
        for name, value in self._given().items():
            object.__setattr__(self, name, positive(value, f"{kind} {name}", units.get(name, "m")))
        try:
            self.mass_properties  # noqa: B018 (refused here, not when somebody asks)
        except OverflowError:
            raise ModelError(f"{self!r} is too large: its mass or inertia is not finite.") from None

    def _given(self) -> dict[str, Any]:
        matter, sizes = fields(self)[:2], fields(self)[2:]
        given = [f.name for f in matter if getattr(self, f.name) is not None]
        return {name: getattr(self, name) for name in [f.name for f in sizes] + given}

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass, inertia about the centre of mass and centre, in body axes: equation (1)."""
        V, (ex, ey, ez), c = self._facts()
        m = self.mass if self.density is None else self.density * V
        assert m is not None
        return MassProperties(m, (m * (ey + ez), m * (ez + ex), m * (ex + ey)), c)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._given().items())})"


@dataclass(frozen=True, repr=False)
class Box(_Uniform):
    """A box with sides x, y, z [m], centred.

    >>> box = Box(1.0, 0.2, 0.1, density=1000)
    >>> round(box.mass_properties.mass, 9)
    20.0
    """

    x: float
    y: float
    z: float

    def _facts(self) -> Facts:
        return Facts(self.x * self.y * self.z, (self.x**2 / 12, self.y**2 / 12, self.z**2 / 12))

    @property
    def surface(self) -> Surface:
        """Six faces."""
        return box_surface((self.x, self.y, self.z))


@dataclass(frozen=True, repr=False)
class Ball(_Uniform):
    """A solid ball of `radius` [m], centred.

    >>> stone = Ball(0.5, mass=2.0)
    >>> stone.mass_properties.inertia.diagonal().tolist()
    [0.2, 0.2, 0.2]
    """

    radius: float

    def _facts(self) -> Facts:
        r = self.radius
        return Facts(4 / 3 * pi * r**3, (r**2 / 5, r**2 / 5, r**2 / 5))

    @property
    def surface(self) -> Surface:
        """A sphere."""
        return ball(self.radius)


@dataclass(frozen=True, repr=False)
class Cylinder(_Uniform):
    """A solid cylinder of `radius` and `length` [m] along z, centred.

    >>> wheel = Cylinder(0.4, 0.1, mass=10.0)
    >>> wheel.mass_properties.inertia.diagonal().round(6).tolist()
    [0.408333, 0.408333, 0.8]
    """

    radius: float
    length: float

    def _facts(self) -> Facts:
        r, l = self.radius, self.length
        return Facts(pi * r**2 * l, (r**2 / 4, r**2 / 4, l**2 / 12))

    @property
    def surface(self) -> Surface:
        """The side and two flat ends."""
        return cylinder(self.radius, self.length)


@dataclass(frozen=True, repr=False)
class Capsule(_Uniform):
    """A cylinder of `radius` and `length` [m] along z, closed by two half balls that `length` leaves out; centred.

    >>> limb = Capsule(0.05, 0.4, density=1000)
    >>> round(limb.mass_properties.mass, 6)
    3.665191
    """

    radius: float
    length: float

    def _facts(self) -> Facts:
        r, l = self.radius, self.length
        A, S = pi * r**2 * l, 4 / 3 * pi * r**3
        across = (A * r**2 / 4 + S * r**2 / 5) / (A + S)
        along = (A * l**2 / 12 + S * (l**2 / 4 + 3 * r * l / 8 + r**2 / 5)) / (A + S)
        return Facts(A + S, (across, across, along))

    @property
    def surface(self) -> Surface:
        """The side and two half spheres."""
        return capsule(self.radius, self.length)


@dataclass(frozen=True, repr=False)
class Cone(_Uniform):
    """A solid cone: base of `radius` [m] in the plane z = 0, tip at z = `height` [m].

    >>> top = Cone(0.1, 0.2, mass=1.0)
    >>> top.mass_properties.center.tolist()
    [0.0, 0.0, 0.05]
    """

    radius: float
    height: float

    def _facts(self) -> Facts:
        r, h = self.radius, self.height
        return Facts(pi * r**2 * h / 3, (3 * r**2 / 20, 3 * r**2 / 20, 3 * h**2 / 80), (0.0, 0.0, h / 4))

    @property
    def surface(self) -> Surface:
        """The side and the flat base."""
        return cone(self.radius, self.height)


@dataclass(frozen=True, repr=False)
class Ellipsoid(_Uniform):
    """A solid ellipsoid with semi-axes x, y, z [m], centred.

    >>> pebble = Ellipsoid(0.3, 0.2, 0.1, mass=5.0)
    >>> pebble.mass_properties.euler.diagonal().round(9).tolist()
    [0.09, 0.04, 0.01]
    """

    x: float
    y: float
    z: float

    def _facts(self) -> Facts:
        return Facts(4 / 3 * pi * self.x * self.y * self.z, (self.x**2 / 5, self.y**2 / 5, self.z**2 / 5))

    @property
    def surface(self) -> Surface:
        """A sphere, stretched."""
        return Surface(ball(1.0).vertices * (self.x, self.y, self.z), ball(1.0).triangles)


@dataclass(frozen=True, repr=False)
class ThinRod(_Uniform):
    """A straight rod of `length` [m] along x without thickness, centred: no inertia about x; density in kg/m.

    >>> rod = ThinRod(2.0, mass=3.0)
    >>> rod.mass_properties.inertia.diagonal().tolist()
    [0.0, 1.0, 1.0]
    """

    length: float
    _unit: ClassVar[str] = "kg/m"

    def _facts(self) -> Facts:
        return Facts(self.length, (self.length**2 / 12, 0.0, 0.0))

    @property
    def surface(self) -> Surface:
        """A thin cylinder."""
        return cylinder(THIN / 2 * self.length, self.length).moved(Pose.from_axis_angle((0, 1, 0), pi / 2))


@dataclass(frozen=True, repr=False)
class ThinPlate(_Uniform):
    """A rectangle with sides x, y [m] in the x-y plane without thickness, centred; density in kg/m².

    >>> plate = ThinPlate(1.0, 2.0, mass=12.0)
    >>> plate.mass_properties.inertia.diagonal().tolist()
    [4.0, 1.0, 5.0]
    """

    x: float
    y: float
    _unit: ClassVar[str] = "kg/m²"

    def _facts(self) -> Facts:
        return Facts(self.x * self.y, (self.x**2 / 12, self.y**2 / 12, 0.0))

    @property
    def surface(self) -> Surface:
        """A thin box."""
        return box_surface((self.x, self.y, THIN * min(self.x, self.y)))


@dataclass(frozen=True)
class PointMass:
    """All of `mass` [kg] at the origin: no inertia at all.

    >>> bob = PointMass(2.0)
    >>> bob.mass_properties.about((0, 0, 1)).diagonal().tolist()
    [2.0, 2.0, 0.0]
    """

    mass: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", positive(self.mass, "PointMass mass", "kg"))

    @cached_property
    def mass_properties(self) -> MassProperties:
        """The mass, and nothing else."""
        return MassProperties(self.mass, (0.0, 0.0, 0.0))

    @property
    def surface(self) -> Surface:
        """A small ball, so that it can be seen."""
        return ball(DOT)


@dataclass(frozen=True, eq=False)
class Compound:
    """Several shapes as one rigid body; matter that overlaps counts twice.

    Each part is (shape, pose), the pose in the frame of the compound, or a plain shape, which sits where it is:
    at its own `place` if it was imported, otherwise at the origin.

    >>> weight = Ball(0.1, mass=5.0)
    >>> dumbbell = Compound([ThinRod(1.0, mass=1.0), (weight, Pose((0.5, 0, 0))), (weight, Pose((-0.5, 0, 0)))])
    >>> dumbbell.mass_properties.mass
    11.0
    """

    parts: Sequence[Any]

    def __post_init__(self) -> None:
        parts = tuple(_placed(part, k) for k, part in enumerate(self.parts))
        if not parts:
            raise ModelError("Compound has no parts: give at least one shape or (shape, pose).")
        object.__setattr__(self, "parts", parts)

    @cached_property
    def mass_properties(self) -> MassProperties:
        """The sum of the parts, by the parallel-axis theorem."""
        return reduce(MassProperties.__add__, (shape.mass_properties.moved(pose) for shape, pose in self.parts))

    @property
    def surface(self) -> Surface:
        """The surfaces of the parts, side by side."""
        return reduce(Surface.joined, (shape.surface.moved(pose) for shape, pose in self.parts))


def _placed(part: Any, k: int) -> tuple[Shape, Pose]:
    shape, pose = part if isinstance(part, tuple | list) and len(part) == 2 else (part, getattr(part, "place", Pose()))
    if not hasattr(shape, "mass_properties") or not hasattr(shape, "surface"):
        raise ModelError(f"part {k} of a Compound must be a shape or (shape, pose), not {part!r}.")
    if not isinstance(pose, Pose):
        raise ModelError(f"part {k} of a Compound must be placed by a Pose such as Pose((x, y, z)), not by {pose!r}.")
    return shape, pose
