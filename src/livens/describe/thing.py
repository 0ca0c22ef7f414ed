"""Things: everything that a model contains besides bodies.

A joint, a force, a constraint and an energy are things. A thing is described by data that the rest of the code reads:

    rows()        its scalar equations: constraints, and dampers (row.py)                  compile/rows.py
    terms()       its forces (term.py)                                                     compile/system.py
    contacts()    what cannot pass through each other (contact_rule.py)                    compile/contacts.py
    coordinates   its angle or displacement, on which other things may act                 compile/rows.py
    symmetries()  the translations and rotations that do not change it                     analysis/conserved.py
    freedoms      its relative motions as slides and hinges, if a tree may contain it      formats/mjcf_tree.py
    glyphs()      its symbols in a picture                                                 look/picture

and its constructor's arguments are its attributes and its keys in files (scene/catalogue.py). A new joint or force is a
subclass in a file of its own and one line in `livens/__init__.pyi`. The defaults below fit a thing that is made of rows
and terms only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ..checks import Array, accepts
from ..errors import ModelError
from .body import Body, Point, without_world
from .symmetry import NONE, Symmetry

if TYPE_CHECKING:
    from ..formula.formula import Formula
    from .contact_rule import ContactRule
    from .formula_rows import FormulaRows
    from .glyph import Glyph
    from .row import Coordinate, Drive, Row
    from .term import Term


class Freedom(NamedTuple):
    """One relative motion that a joint leaves: along or about `axis` (world axes at the start)."""

    kind: str  # "slide", "hinge" or "ball"
    axis: Array


class Thing:
    """The base of joints and forces; see the head of this file."""

    kind: ClassVar[str]  # "joint" or "force": the list of the model that contains it
    name: str = ""
    bodies: Sequence[Body] | None = None  # those that its user listed
    coordinates: tuple[Coordinate, ...] = ()
    equations: FormulaRows | None = None  # its user-written constraint equations
    start: Any = 0.0  # its coordinate at the start [rad] or [m], or a tuple with one number for each
    stiffness: Any = None  # [N/m] or [N m/rad], or one for each coordinate; None: it has none, and none can be set
    damping: Any = None  # [N s/m] or [N m s/rad]; the same
    drive: Drive | None = None  # the value of its driven row as a function of time
    start_rate: float | None = None  # of its first coordinate [rad/s] or [m/s]
    shared: tuple[Array, ...] = ()  # directions that are fixed in both bodies (world axes at the start)
    compliances: Sequence[float] = ()  # of its rows in statics [m/N]: g + c λ = 0; none: they are rigid
    pulls_only: ClassVar[bool] = False  # its multipliers in statics must not be positive
    carried: ClassVar[Mapping[str, int]] = {}  # arguments that are directions → the number of the point that carries it

    perpendicular: ClassVar[tuple[str, ...]] = ()  # two arguments that are directions, if its coordinates need that

    # ── made of ──

    @property
    def points(self) -> tuple[Point, ...]:
        """The points at which it acts."""
        return ()

    @property
    def linked(self) -> Sequence[tuple[Body, Body]]:
        """Pairs of bodies that are parts of one piece, such as neighbours in a beam: they do not touch each other."""
        return ()

    @property
    def joints(self) -> tuple[Thing, ...]:
        """The joints on whose coordinates it acts."""
        return ()

    def rows(self) -> list[Row]:
        """Its equations: constraints, and dampers, which are rows with a damping coefficient."""
        return [] if self.equations is None else self.equations.rows()

    def terms(self) -> list[Term]:
        """Its forces."""
        return []

    def contacts(self) -> list[ContactRule]:
        """Its contacts."""
        return []

    def mixed(self) -> list[Thing]:
        """What stands for it in statics: itself, or things in which stiff energies ½ g²/c are rows with compliances c,
        with which Newton's method converges from farther away (analysis/load_path.py)."""
        return [self]

    def softened(self, force: float) -> Thing:
        """Itself, or with a stiffness of at most `force` [N], where it may be slack (analysis/slack.py)."""
        return self

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """All its user-written formulas."""
        written = () if self.equations is None else (self.equations.formula,)
        return (*written, *(formula for term in self.terms() for formula in term.formulas))

    @property
    def formula_bodies(self) -> tuple[Body, ...]:
        """The bodies that the handles of its formulas number; the world is not one of them."""
        return without_world(self.bodies or ()) if self.equations is None else self.equations.bodies

    def count_from_points(self) -> None:
        """Let displacements count from the first point, as in scenes of format 1."""

    def switched(self, value: Any) -> Thing | None:
        """Itself if `value` is True; switched off if it is False, None if nothing is left of it; or with `value` as its
        signal."""
        if value is True:
            return self
        if self.kind != "joint":
            if value is False:
                return None
            raise ModelError(f"{self.label} is switched on or off with True or False, not with {value!r}.")
        if self.drive is None and (value is False or not self.coordinates):
            raise ModelError(f"{self.label} has no drive that could be switched.")
        if value is not False and not accepts(value, 1):
            raise ModelError(f"the drive of {self.label} must be True, False or a function of time, not {value!r}.")
        other = copy(self)
        other.drive = None if value is False else value
        return other

    # ── properties ──

    @property
    def varies(self) -> bool:
        """True if it depends on time, or on a controller."""
        written = any(formula.varies for formula in self.formulas)
        return written or self.drive is not None or any(term.varies for term in self.terms())

    @property
    def velocity_dependent(self) -> bool:
        """True if it has a force that depends on velocities; the force of a damper is a row instead."""
        return any(formula.velocity_dependent for formula in self.formulas)

    @property
    def works(self) -> bool:
        """True if it can do work that no potential energy describes."""
        written = self.equations is not None and self.equations.formula.varies
        return written or self.drive is not None or any(term.works for term in self.terms())

    @property
    def dissipates(self) -> bool:
        """True if it has a damper."""
        return any(row.rate > 0.0 for row in self.rows())

    def symmetries(self, acted: bool = False) -> list[Symmetry]:
        """Translations and rotations of all bodies that do not change its action, one entry for each part of it; none
        if no such motion changes it. acted: another thing acts on its coordinate."""
        found = [symmetry for term in self.terms() for symmetry in term.symmetries()]
        if self.equations is not None:  # nothing is known of user-written equations
            return [*found, Symmetry(NONE, NONE)]
        fixed = [point for point in self.points if point.body.is_world] if self.rows() else []
        return [*found, self.world_symmetry(fixed[0].start, acted)] if fixed else found

    def world_symmetry(self, x: Array, acted: bool) -> Symmetry:
        """The symmetry of its rows if they join a body to the point x of the world."""
        return Symmetry(NONE, NONE)

    # ── geometry ──

    @property
    def directions(self) -> tuple[Array, ...]:
        """Its axes, in world axes at the start; reactions in joint axes use the first."""
        return ()

    @property
    def ends(self) -> tuple[Point, Point] | None:
        """The points of its reaction, which acts on the body of the second; None if it has no reaction of its own."""
        return None

    @property
    def freedoms(self) -> tuple[Freedom, ...] | None:
        """The relative motions that it leaves, slides first, seen from its first body; None if these do not describe
        it, so that a tree of bodies cannot contain it."""
        return None

    @property
    def motions(self) -> tuple[Freedom, ...] | None:
        """The relative motions along its coordinates, also if these depend on each other: mostly its freedoms."""
        return self.freedoms

    def glyphs(self) -> list[Glyph]:
        """Its symbols in a picture."""
        return []

    # ── words ──

    @property
    def label(self) -> str:
        """Its class with its name, or with an article."""
        made = type(self).__name__
        named = isinstance(self.name, str) and self.name != ""
        return f"{made} {self.name!r}" if named else f"{'an' if made[0] in 'AEIO' else 'a'} {made}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"
