"""Joints of other formats, which are chains of slides and hinges, as joints between two bodies.

A chain between a body a and a body b is n slides along s₁ … and then k hinges about w₁ …, all of which go through one
point of b (world axes at the start, in the order in which they move b; w₁ is fixed to a and w_k to b). It constrains

    the position of b's point    n = 0: Spherical    1: PointOnLine    2: PointOnPlane    3: nothing              (1)
    the rotation of b            k = 0: FixedOrientation    1: e·w₁ = 0 for e ⟂ w₁    2: w₁·w₂ = constant         (2)

and the usual combinations are single joints: Revolute, Universal, Prismatic, Cylindrical, Planar, … Springs, dampers,
stops and armature act on the coordinates of the chain. A joint whose coordinates are those of the chain has them
itself, and its coordinates have the values of the file. Otherwise each coordinate with armature gets a dial
(armature.py) with these elements, and those of a coordinate without armature are energies and forces (passive.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks import Array
from ..describe.joints.constraint import Constraint
from ..describe.joints.cylindrical import Cylindrical
from ..describe.joints.fixed_orientation import FixedOrientation
from ..describe.joints.planar import Planar
from ..describe.joints.point_on_line import PointOnLine
from ..describe.joints.point_on_plane import PointOnPlane
from ..describe.joints.prismatic import Prismatic
from ..describe.joints.revolute import Revolute
from ..describe.joints.spherical import Spherical
from ..describe.joints.universal import Universal
from ..describe.model import Body, Model
from ..describe.pose import cross
from ..describe.row import across, local
from ..errors import ModelError
from ..formula.functions import dot
from .armature import Dial, add_dial, add_flywheel, unused_name
from .passive import Pair, add_passive

PARALLEL = 1e-9  # sine of the angle below which axes count as parallel


@dataclass(eq=False)  # each is itself: two joints of a body may have the same name
class Dof:
    """One degree of freedom of a joint: a hinge or a slide, or the three of a ball, with its passive elements.

    The coordinate is `position` at the start and changes at `rate`; `place` and `axis` are in world axes at the start.
    """

    kind: str  # "hinge", "slide" or "ball"
    name: str
    place: Array
    axis: Array
    position: Any = 0.0  # rad or m; the rotation vector of a ball, in the axes of the first body
    rate: float = 0.0
    armature: float = 0.0  # kg m² or kg
    damping: float = 0.0  # N m s/rad or N s/m
    stiffness: float = 0.0
    rest: Any = 0.0
    limits: tuple[float | None, float] | None = None
    limit_stiffness: float = 1e5

    @property
    def acts(self) -> dict[str, Any]:
        """The arguments for a joint of livens with one coordinate, which is that of the file."""
        given: dict[str, Any] = {"damping": self.damping, "start": self.position}
        if self.stiffness:
            given |= {"stiffness": self.stiffness, "rest": self.rest}
        if self.limits is not None:
            given |= {"limits": self.limits, "limit_stiffness": self.limit_stiffness}
        return given


def together(chain: list[Dof]) -> dict[str, Any]:
    """The arguments for a joint of livens with one coordinate for each degree of freedom, in this order."""
    given: dict[str, Any] = {"start": tuple(f.position for f in chain)}
    for name in ("damping", "stiffness"):
        given[name] = tuple(f.acts.get(name, 0.0) for f in chain)
    given["rest"] = tuple(f.acts.get("rest", 0.0) for f in chain)
    if any(f.limits is not None for f in chain):
        given |= {"limits": tuple(f.limits for f in chain), "limit_stiffness": tuple(f.limit_stiffness for f in chain)}
    return given


def join(model: Model, a: Body, b: Body, chain: list[Dof]) -> list[Any]:
    """Add the constraints of a chain to the model, and its passive elements; returns the joint of each degree of
    freedom, None if that has no coordinate of its own."""
    slides = [f for f in chain if f.kind == "slide"]
    turns = [f for f in chain if f.kind != "slide"]
    label = f"body {b.name!r}"
    if chain != slides + turns:
        raise ModelError(f"{label} has a slide after a hinge, for which there is no joint: put slides first.")
    if any(f.kind == "ball" for f in turns) and len(turns) > 1:
        raise ModelError(f"{label} has a ball and other rotational joints, which are redundant.")
    place = turns[0].place if turns else chain[0].place
    for f in turns[1:]:
        if np.linalg.norm(f.place - place) > 1e-9 * max(1.0, float(np.abs(place).max())):
            raise ModelError(
                f"{label} has hinges at different places ({turns[0].name!r} and {f.name!r}), for which there is no "
                "joint: put a body with mass between them."
            )
    for some in (slides, [f for f in turns if f.kind == "hinge"]):
        if some and np.linalg.matrix_rank(np.array([f.axis for f in some]), tol=1e-6) < len(some):
            names = ", ".join(repr(f.name) for f in some)
            raise ModelError(
                f"{label} has joints whose axes are linearly dependent ({names}): start in another position."
            )
    if len(chain) == 1 and chain[0].kind != "ball":
        return [_single(model, a, b, chain[0])]
    carries = _hold(model, a, b, place, slides, turns)
    left = [f for f in chain if not carries]
    made = {id(f): _act(model, a, b, place, slides, turns, f) for f in left}
    return [made.get(id(f)) for f in chain]


def _single(model: Model, a: Body, b: Body, f: Dof) -> Any:
    """One hinge or slide with its passive elements; its armature is a flywheel that it turns."""
    maker = Revolute if f.kind == "hinge" else Prismatic
    name = unused_name(model, f.name or f"{b.name} joint")
    joint = model.add(maker(a.point_at(f.place), b.point_at(f.place), f.axis, **f.acts, name=name))
    if f.armature:
        add_flywheel(model, joint, f.armature, f.rate)
    return joint


def _hold(model: Model, a: Body, b: Body, place: Array, slides: list[Dof], turns: list[Dof]) -> bool:
    """Equations (1) and (2): True if the joint has the passive elements of the chain itself."""
    pa, pb = a.point_at(place), b.point_at(place)
    s, w = [f.axis for f in slides], [f.axis for f in turns]
    names = [f.name for f in slides + turns if f.name]
    name = unused_name(model, "+".join(names) or f"{b.name} joint")
    ball = len(w) == 3 or any(f.kind == "ball" for f in turns)
    bare = not any(f.armature for f in slides + turns)
    if not s and len(turns) == 1 and ball:
        if turns[0].armature:
            raise ModelError(f"ball joint {turns[0].name!r} has armature, which has no counterpart: take three hinges.")
        model.add(Spherical(pa, pb, **turns[0].acts, name=name))
        return True
    if not s and len(w) == 2 and abs(w[0] @ w[1]) < PARALLEL and bare:
        model.add(Universal(pa, pb, w[0], w[1], **together(turns), name=name))
        return True
    if len(s) == len(w) == 1 and np.linalg.norm(s[0] - w[0]) < PARALLEL and bare:
        model.add(Cylindrical(pa, pb, w[0], **together(turns + slides), name=name))
        return True
    if not s and ball:
        model.add(Spherical(pa, pb, name=name))
    elif not s and len(w) == 2:
        model.add(Universal(pa, pb, w[0], w[1], name=name))
    elif len(s) == len(w) == 1 and np.linalg.norm(cross(s[0], w[0])) < PARALLEL:
        model.add(Cylindrical(pa, pb, w[0], name=name))
    elif len(s) == 2 and len(w) == 1 and max(abs(w[0] @ u) for u in s) < PARALLEL:
        model.add(Planar(pa, pb, w[0], name=name))
    else:
        _along(model, pa, pb, s, name)
        if not ball:
            _turning(model, a, b, w, unused_name(model, f"{name} axes"))
    return False


def _along(model: Model, pa: Any, pb: Any, s: list[Array], name: str) -> None:
    """Equation (1)."""
    if not s:
        model.add(Spherical(pa, pb, name=name))
    elif len(s) == 1:
        model.add(PointOnLine(pa, pb, s[0], name=name))
    elif len(s) == 2:
        model.add(PointOnPlane(pa, pb, cross(s[0], s[1]), name=name))


def _turning(model: Model, a: Body, b: Body, w: list[Array], name: str) -> None:
    """Equation (2)."""
    if not w:
        model.add(FixedOrientation(a, b, name=name))
        return
    kept = list(across(w[0])) if len(w) == 1 else [w[0]]

    def equations(sees: Any) -> list[Any]:
        last = turned(sees, b, w[-1])
        return [dot(turned(sees, a, e), last) - float(e @ w[-1]) for e in kept]

    model.add(Constraint(equations, bodies=_without_world(model, a, b), name=name))


def turned(sees: Any, body: Body, u: Array) -> Any:
    """A direction that is fixed to a body and is u at the start, as a symbol."""
    return u if body.name == "world" else sees[body].direction(local(body, u))


def _without_world(model: Model, *bodies: Body) -> list[Body]:
    return [body for body in bodies if body is not model.world]


# ── passive elements on one of several coordinates ──


def _act(
    model: Model,
    a: Body,
    b: Body,
    place: Array,
    slides: list[Dof],
    turns: list[Dof],
    f: Dof,
) -> Any:
    """A dial with the passive elements if there is armature; otherwise energies and forces."""
    if not f.armature:
        if f.damping or f.stiffness or f.limits is not None:
            add_passive(Pair(model, a, b, place, slides, turns), f)
        return None
    if f.kind == "ball":
        raise ModelError(f"ball joint {f.name!r} has armature, which has no counterpart: take three hinges.")
    dial = add_dial(model, f)
    equation = _slid(a, b, place, slides, f, dial) if f.kind == "slide" else _spun(a, b, turns, f, dial)
    name = unused_name(model, f"{dial.body.name} link")
    model.add(Constraint(equation, bodies=_without_world(model, a, b, dial.body), name=name))
    return dial.joint


def _slid(a: Body, b: Body, place: Array, slides: list[Dof], f: Dof, dial: Dial) -> Callable[[Any], Any]:
    """The displacement of b along one slide equals the displacement of the dial."""
    S = np.array([g.axis for g in slides])
    dual = np.linalg.pinv(S)[:, slides.index(f)]
    ra, rb = (body.point_at(place).r for body in (a, b))

    def equation(sees: Any) -> Any:
        here = place if a.name == "world" else sees[a].point(ra)
        return dot(turned(sees, a, dual), sees[b].point(rb) - here) - dial.displacement(sees)

    return equation


def _spun(a: Body, b: Body, turns: list[Dof], f: Dof, dial: Dial) -> Callable[[Any], Any]:
    """One of the angles between a and b equals that of the dial. With R(w, θ) a rotation about w:

    one hinge       e_b · R(w, θ) (w × e) = 0                    for a direction e ⟂ w
    two hinges      w₂ · R(w₁, θ₁) (w₁ × w₂) = 0                 w₁ · R(w₂, −θ₂) (w₁ × w₂) = 0
    three           w₃ · R(w₁, θ₁) w₂ = const                    w₁ · R(w₃, −θ₃) w₂ = const
                    w₁ · R(w₂, θ₂) w₃ = w₁ · w₃
    """
    w, k = [g.axis for g in turns], turns.index(f)
    first, last = k == 0, k == len(w) - 1

    def rotated(sees: Any, body: Body, axis: Array, u: Array, sign: float) -> Any:
        """R(axis, sign·θ) u with axis and u fixed to the body."""
        along = float(axis @ u) * axis
        c, s = dial.angle(sees)
        parts = (turned(sees, body, x) for x in (along, u - along, cross(axis, u)))
        fixed, even, odd = parts
        return fixed + c * even + sign * s * odd

    def equation(sees: Any) -> Any:
        if len(w) == 1:
            e = across(w[0])[0]
            return dot(turned(sees, b, e), rotated(sees, a, w[0], cross(w[0], e), 1.0))
        if first:
            u = cross(w[0], w[1]) if len(w) == 2 else w[1]
            return dot(turned(sees, b, w[-1]), rotated(sees, a, w[0], u, 1.0)) - float(w[-1] @ u)
        if last:
            u = cross(w[0], w[1]) if len(w) == 2 else w[1]
            return dot(turned(sees, a, w[0]), rotated(sees, b, w[-1], u, -1.0)) - float(w[0] @ u)
        c, s = dial.angle(sees)
        along = float(w[0] @ w[1]) * float(w[1] @ w[2])
        across_ = float(w[0] @ w[2]) - along
        odd = float(w[0] @ cross(w[1], w[2]))
        return dot(turned(sees, a, w[0]), turned(sees, b, w[2])) - (along + c * across_ + s * odd)

    return equation
