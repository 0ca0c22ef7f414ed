"""A model as plain data, and its conversion to models in any order, position, frames and units.

All data are in one world frame and in SI units: joints and springs are given by initial positions of their points. A
View describes the same model differently,

    x → ℓ (R x + d),    v → ℓ/τ R v,    m → μ m,    J → μ ℓ² J,    k → μ/τ² k,    t → τ t,                    (1)

with bodies and joints in another order and other body frames. The motion must not depend on this choice.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import livens as lv

Array = np.ndarray
WORLD = "world"
LONG = ("Prismatic",)  # joints whose first coordinate is a length


@dataclass(frozen=True)
class Part:
    """A body: position of the centre of mass, inertia about it, and velocities, all in world axes."""

    name: str
    mass: float  # [kg]
    inertia: Array  # [kg m²]
    center: Array  # [m]
    velocity: Array  # of the centre [m/s]
    spin: Array  # [rad/s]


@dataclass(frozen=True)
class Tie:
    """A joint between two bodies: its points, directions and numbers; a Coupling has the names of two others."""

    kind: str
    name: str
    a: str = WORLD
    b: str = WORLD
    at: Array = field(default_factory=lambda: np.zeros(3))  # position of the first point [m]
    to: Array = field(default_factory=lambda: np.zeros(3))  # of the second [m]
    axis: Array = field(default_factory=lambda: np.zeros(3))
    other: Array = field(default_factory=lambda: np.zeros(3))  # second direction of a Universal, axis of a RollingDisc
    size: float = 0.0  # pitch or radius [m], or ratio of a Coupling
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    pair: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pull:
    """A spring with a damper, or a damper alone, between two points of two bodies."""

    name: str
    a: str
    b: str
    at: Array
    to: Array
    stiffness: float  # [N/m]
    length: float  # [m]
    damping: float  # [N s/m]


@dataclass(frozen=True)
class Description:
    """A random model; `attraction` is G [N m²/kg²], or 0."""

    seed: int
    gravity: Array
    parts: tuple[Part, ...]
    ties: tuple[Tie, ...] = ()
    pulls: tuple[Pull, ...] = ()
    attraction: float = 0.0
    loops: int = 0  # joints that close loops
    left_out: int = 0  # loops that were skipped because they would be nearly singular
    thrown: Description | None = None  # the same with inconsistent velocities

    @property
    def damped(self) -> bool:
        return any(thing.damping for thing in (*self.ties, *self.pulls))


@dataclass(frozen=True)
class View:
    """A view of a description: (1), the order of elements by `shuffled`, the body frames by `framed` (both seeds)."""

    R: Array = field(default_factory=lambda: np.eye(3))
    d: Array = field(default_factory=lambda: np.zeros(3))
    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    shuffled: int | None = None
    framed: int | None = None

    def unit(self, length: int = 0, mass: int = 0, time: int = 0) -> float:
        """The value of one SI unit of these powers in the units of this view."""
        return self.length**length * self.mass**mass * self.time**time

    def place(self, x: Array) -> Array:
        return self.length * (self.R @ x + self.d)

    def frame(self, k: int) -> tuple[Array, Array]:
        """The frame of the k-th body: its world axes, and the centre of mass in this frame [m]."""
        rng = np.random.default_rng((0 if self.framed is None else self.framed, k))
        return lv.Pose.from_quaternion(rng.normal(size=4)).B, 0.2 * rng.normal(size=3)


def build(told: Description, view: View | None = None) -> lv.Model:
    """The model of a description in a view."""
    view = View() if view is None else view
    model = lv.Model(gravity=view.unit(1, 0, -2) * (view.R @ told.gravity), name=f"random {told.seed}")
    rng = None if view.shuffled is None else np.random.default_rng(view.shuffled)

    def ordered(things):
        return list(things) if rng is None else [things[k] for k in rng.permutation(len(things))]

    for k, part in ordered(list(enumerate(told.parts))):
        model.add(body(part, view, *view.frame(k)))
    for tie in sorted(ordered(told.ties), key=lambda tie: tie.kind == "Coupling"):  # they refer to other joints
        model.add(joint(tie, view, model))
    for pull in ordered(told.pulls):
        a, b = (model[name].point_at(view.place(x)) for name, x in ((pull.a, pull.at), (pull.b, pull.to)))
        if pull.stiffness:
            k, c = view.unit(0, 1, -2) * pull.stiffness, view.unit(0, 1, -1) * pull.damping
            model.add(lv.Spring(a, b, stiffness=k, length=view.length * pull.length, damping=c, name=pull.name))
        else:
            model.add(lv.Damper(a, b, rate=view.unit(0, 1, -1) * pull.damping, name=pull.name))
    if told.attraction:
        model.add(lv.Attraction(G=view.unit(3, -1, -2) * told.attraction, name="attraction"))
    return model


def body(part: Part, view: View, axes: Array, center: Array) -> lv.Body:
    B = view.R @ axes
    spin = view.R @ part.spin / view.time
    return lv.Body(
        lv.MassProperties(
            view.mass * part.mass, view.unit(2, 1) * (axes.T @ part.inertia @ axes), center=view.length * center
        ),
        at=view.place(part.center) - view.length * (B @ center),
        rotation=B,
        velocity=view.unit(1, 0, -1) * (view.R @ part.velocity) - np.cross(spin, view.length * (B @ center)),
        angular_velocity=spin,
        name=part.name,
    )


def joint(tie: Tie, view: View, model: lv.Model):
    """The joint, for a model that contains its bodies."""
    kind = getattr(lv, tie.kind)
    if tie.pair:
        first, second = (model[name] for name in tie.pair)
        long = [type(one).__name__ in LONG for one in (first, second)]
        return kind(first, second, ratio=tie.size * view.length ** (long[1] - long[0]), name=tie.name)
    a, b = model[tie.a], model[tie.b]
    if tie.kind == "FixedOrientation":
        return kind(a, b, name=tie.name)
    ends = a.point_at(view.place(tie.at)), b.point_at(view.place(tie.to))
    axis, other, size = view.R @ tie.axis, view.R @ tie.other, view.length * tie.size
    match tie.kind:
        case "Revolute" | "Prismatic" | "Cylindrical" | "Screw":
            across = 0 if tie.kind in LONG else 2
            given = {
                "axis": axis,
                "stiffness": view.unit(across, 1, -2) * tie.stiffness,
                "rest": view.unit(int(tie.kind in LONG)) * tie.rest,
                "damping": view.unit(across, 1, -1) * tie.damping,
            }
            given |= {"pitch": size} if tie.kind == "Screw" else {}
        case "Universal":
            given = {"axis_a": axis, "axis_b": other}
        case "PointOnLine":
            given = {"axis": axis}
        case "Planar" | "PointOnPlane":
            given = {"normal": axis}
        case "RollingBall":
            given = {"normal": axis, "radius": size}
        case "RollingDisc":
            given = {"normal": axis, "axis": other, "radius": size}
        case "KnifeEdge":
            given = {"across": axis}
        case _:
            given = {}
    return kind(*ends, name=tie.name, **given)


@dataclass(frozen=True)
class Seen:
    """A state in the frame, units and order of the description: centres, rotations since the start, velocities."""

    x: Array
    Q: Array
    v: Array
    omega: Array

    def apart(self, other: Seen, length: float, rate: float) -> float:
        """The largest deviation, with lengths divided by `length` [m] and rates divided by `rate` [1/s]."""
        return max(
            float(np.abs(self.x - other.x).max()) / length,
            float(np.abs(self.Q - other.Q).max()),
            float(np.abs(self.v - other.v).max()) / (length * rate),
            float(np.abs(self.omega - other.omega).max()) / rate,
        )


def seen(motion: lv.Trajectory, told: Description, view: View | None = None, k: int = -1) -> Seen:
    """The k-th state of a motion of `build(told, view)`."""
    view = View() if view is None else view
    names = [part.name for part in told.parts]
    bodies = [motion.model[name] for name in names]
    x = np.array([motion.position(body.center)[k] for body in bodies]) / view.length
    x = (x - view.d) @ view.R
    turned = [view.R.T @ motion.rotation(body)[k] @ body.pose.B.T @ view.R for body in bodies]
    v = np.array([motion.velocity(body.center)[k] for body in bodies]) @ view.R / view.unit(1, 0, -1)
    omega = np.array([motion.angular_velocity(body)[k] for body in bodies]) @ view.R * view.time
    return Seen(x, np.array(turned), v, omega)
