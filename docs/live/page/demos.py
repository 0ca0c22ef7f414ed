"""The six demos of the live page as livens models, with their fields and views.

A `Demo` is data and one function, values → model. `Values` are the numbers in the fields of the page, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import atan2, hypot, pi, radians, sqrt
from typing import Any, NamedTuple

import livens as lv

Values = dict[str, float]


class Field(NamedTuple):
    """A number that the reader can edit; the motion continues with it if `live`, and restarts otherwise."""

    name: str
    label: str
    unit: str
    value: float
    low: float
    high: float
    step: float
    live: bool = False
    group: str = ""


class Room(NamedTuple):
    """The view of the camera [m]: the middle, half the size, the height of the ground, and half the size of the body,
    which fills the picture if the camera follows its centre of mass."""

    middle: tuple[float, float, float]
    size: float
    ground: float
    near: float
    follow: bool = False


@dataclass(frozen=True)
class Demo:
    title: str
    text: str
    fields: tuple[Field, ...]
    presets: dict[str, Values]
    build: Callable[[Values], lv.Model]
    room: Callable[[Values], Room]
    trace: Callable[[lv.Model], Sequence[Any]]
    chart: str  # "rates" or "energies"
    flat: bool = False  # a motion in a plane, seen from the front
    arrow: float = 0.0  # length of the arrows for angular momentum and velocity [m]; 0 for none
    again: Callable[[Values, float], bool] = field(default=lambda values, t: False)  # restart at time t?


H = Field("h", "step h", "s", 0.01, 0.001, 0.05, 0.001, live=True, group="integrator")
ORDER = Field("order", "order", "", 2, 2, 6, 2, live=True, group="integrator")


# ── a double pendulum ──


def hang_bars(v: Values) -> lv.Model:
    model = lv.Model(gravity=(0.0, 0.0, -v["g"]), name="double pendulum")
    before, place = model.world.point(0.0, 0.0, 0.0), [0.0, 0.0, 0.0]
    for k in ("1", "2"):
        turn = lv.Pose.from_axis_angle((0.0, 1.0, 0.0), pi - radians(v[f"q{k}"]))  # from hanging
        along, l = turn.B @ [0.0, 0.0, 1.0], v[f"l{k}"]
        bar = lv.Box(0.06, 0.06, l, mass=v[f"m{k}"])
        body = model.add(lv.Body(bar, at=place + 0.5 * l * along, rotation=turn.B, name=f"bar {k}"))
        end, place = body.point(0.0, 0.0, -0.5 * l), place + l * along
        model.add(lv.Revolute(before, end, axis=(0.0, 1.0, 0.0), damping=v["c"], name=f"hinge {k}"))
        before = body.point(0.0, 0.0, 0.5 * l)
    return model


PENDULUM = Demo(
    title="Double pendulum",
    text="Two bars on hinges. Small swings are regular, large ones chaotic: change an angle by 0.1° and compare. The "
    "energy error oscillates and does not drift, and the hinges hold to machine precision.",
    fields=(
        Field("q1", "first angle", "°", 120.0, -180.0, 180.0, 0.1, group="initial state"),
        Field("q2", "second angle", "°", 100.0, -180.0, 180.0, 0.1, group="initial state"),
        Field("l1", "first length", "m", 0.8, 0.2, 1.2, 0.01, group="bars"),
        Field("l2", "second length", "m", 0.6, 0.2, 1.2, 0.01, group="bars"),
        Field("m1", "first mass", "kg", 1.0, 0.1, 5.0, 0.1, group="bars"),
        Field("m2", "second mass", "kg", 1.0, 0.1, 5.0, 0.1, group="bars"),
        Field("c", "friction", "N m s", 0.0, 0.0, 0.5, 0.01, group="world"),
        Field("g", "gravity", "m/s²", 9.81, 0.0, 20.0, 0.01, live=True, group="world"),
        H,
    ),
    presets={
        "over the top": {"q1": 120.0, "q2": 100.0, "c": 0.0},
        "small swings": {"q1": 15.0, "q2": 15.0, "c": 0.0},
        "nearly upright": {"q1": 179.0, "q2": 180.0, "c": 0.0},
        "with friction": {"q1": 120.0, "q2": 100.0, "c": 0.1},
    },
    build=hang_bars,
    room=lambda v: Room((0.0, 0.0, 0.0), 1.05 * (v["l1"] + v["l2"]), -1.1 * (v["l1"] + v["l2"]), 1.5),
    trace=lambda model: [model["bar 2"].point(0.0, 0.0, 0.5 * model["bar 2"].shape.z)],
    chart="energies",
    flat=True,
)


# ── a four-bar linkage ──


def crank_and_rocker(v: Values) -> lv.Model:
    model = lv.Model(gravity=(0.0, 0.0, -v["g"]), name="four-bar", planar="xz")
    a, b, c, d = v["crank"], v["coupler"], v["rocker"], v["base"]
    tip = (0.0, a)  # the crank is upright at the start
    far = hypot(d, a)
    if not abs(b - c) < far < b + c:
        raise lv.ModelError(f"coupler and rocker do not meet: their ends are {far:.2f} m apart.")
    s = (far**2 + b**2 - c**2) / (2.0 * far)
    t = sqrt(max(0.0, b**2 - s**2))
    ex, ez = d / far, -a / far
    knee = (tip[0] + s * ex - t * ez, tip[1] + s * ez + t * ex)

    def bar(name: str, p: tuple[float, float], q: tuple[float, float]) -> lv.Body:
        l = hypot(q[0] - p[0], q[1] - p[1])
        turn = lv.Pose.from_axis_angle((0.0, 1.0, 0.0), -atan2(q[1] - p[1], q[0] - p[0]))
        shape, at = lv.Box(l, 0.05, 0.05, density=900.0), (0.5 * (p[0] + q[0]), 0.0, 0.5 * (p[1] + q[1]))
        return model.add(lv.Body(shape, at=at, rotation=turn.B, name=name))

    crank, coupler, rocker = bar("crank", (0.0, 0.0), tip), bar("coupler", tip, knee), bar("rocker", (d, 0.0), knee)
    pins = {
        "shaft": (model.world, crank, (0.0, 0.0)),
        "crank pin": (crank, coupler, tip),
        "rocker pin": (coupler, rocker, knee),
        "rocker bearing": (model.world, rocker, (d, 0.0)),
    }
    for name, (one, two, (x, z)) in pins.items():
        rate = {"start_rate": v["rate"]} if name == "shaft" else {}
        ends = one.point_at(x, 0.0, z), two.point_at(x, 0.0, z)
        model.add(lv.Revolute(*ends, axis=(0.0, 1.0, 0.0), name=name, **rate))
    return model


FOUR_BAR = Demo(
    title="Four-bar linkage",
    text="Three bars and the ground form a loop with one degree of freedom. If the shortest and the longest bar "
    "together are shorter than the other two, the crank turns fully (Grashof). Joints hold to machine precision.",
    fields=(
        Field("rate", "crank rate", "rad/s", 6.0, -15.0, 15.0, 0.1, group="initial state"),
        Field("crank", "crank", "m", 0.35, 0.1, 1.0, 0.01, group="lengths"),
        Field("coupler", "coupler", "m", 0.9, 0.3, 1.5, 0.01, group="lengths"),
        Field("rocker", "rocker", "m", 0.7, 0.3, 1.5, 0.01, group="lengths"),
        Field("base", "base", "m", 0.9, 0.3, 1.5, 0.01, group="lengths"),
        Field("g", "gravity", "m/s²", 9.81, 0.0, 20.0, 0.01, live=True, group="world"),
        H,
    ),
    presets={
        "crank and rocker": {"crank": 0.35, "coupler": 0.9, "rocker": 0.7, "base": 0.9, "rate": 6.0, "g": 9.81},
        "double crank": {"crank": 0.8, "coupler": 0.75, "rocker": 0.9, "base": 0.4, "rate": 6.0, "g": 9.81},
        "double rocker": {"crank": 0.8, "coupler": 0.4, "rocker": 0.9, "base": 0.75, "rate": 2.0, "g": 9.81},
        "without gravity": {"crank": 0.35, "coupler": 0.9, "rocker": 0.7, "base": 0.9, "rate": 6.0, "g": 0.0},
    },
    build=crank_and_rocker,
    room=lambda v: Room((0.5 * v["base"], 0.0, 0.15), 0.75 * (v["base"] + 0.5), -1.0, 1.0),
    trace=lambda model: [model["coupler"].center],
    chart="energies",
    flat=True,
)


# ── a single body: a block with given moments of inertia ──


def build_body(v: Values) -> lv.Model:
    J = (v["J1"], v["J2"], v["J3"])
    matter = lv.MassProperties(1.0, J)
    sides = [max(0.03, sqrt(max(0.0, 6.0 * (sum(J) - 2.0 * j)))) for j in J]  # of the block with these moments
    model = lv.Model(name="single body")
    shape = lv.Solid(matter, lv.Box(*sides, mass=1.0).surface)
    model.add(lv.Body(shape, body_rates=(v["w1"], v["w2"], v["w3"]), name="body"))
    return model


def _rates(values: Sequence[float], most: float) -> tuple[Field, ...]:
    names = zip("123", "xyz", values, strict=True)
    return tuple(
        Field(f"w{k}", f"ω{'₁₂₃'[int(k) - 1]} about {x}", "rad/s", w, -most, most, 0.01, group="angular velocity")
        for k, x, w in names
    )


SINGLE = Demo(
    title="Single body",
    text="A block floats and spins. About the axis of its largest or smallest moment the rotation is stable; about the "
    "intermediate axis it turns over periodically (the Dzhanibekov effect). The long arrow is its angular momentum, "
    "which is constant; the orange arrow is its angular velocity.",
    fields=(
        *(
            Field(f"J{k}", f"J{'₁₂₃'[k - 1]}", "kg m²", J, low, high, 0.005, group="moments of inertia")
            for k, J, low, high in ((1, 0.05, 0.045, 0.235), (2, 0.1, 0.095, 0.185), (3, 0.14, 0.055, 0.145))
        ),
        *_rates((0.02, 6.0, 0.02), 12.0),
        H,
        ORDER,
    ),
    presets={
        "intermediate axis: turns over": {"J1": 0.05, "J2": 0.1, "J3": 0.14, "w1": 0.02, "w2": 6.0, "w3": 0.02},
        "smallest moment: stable": {"J1": 0.05, "J2": 0.1, "J3": 0.14, "w1": 6.0, "w2": 0.2, "w3": 0.2},
        "largest moment: stable": {"J1": 0.05, "J2": 0.1, "J3": 0.14, "w1": 0.2, "w2": 0.2, "w3": 6.0},
        "wobbling plate": {"J1": 0.1, "J2": 0.1, "J3": 0.19, "w1": 1.5, "w2": 0.0, "w3": 5.0},
    },
    build=build_body,
    room=lambda v: Room((0.0, 0.0, 0.0), 0.85, -0.8, 0.85),
    trace=lambda model: [model["body"].point(0.0, model["body"].shape.surface.vertices[:, 1].max(), 0.0)],
    chart="rates",
    arrow=0.95,
)


# ── the hammer ──


def throw_hammer(v: Values) -> lv.Model:
    model = lv.Model(gravity=(0.0, 0.0, -v["g"]), name="hammer")
    rates = (v["w1"], v["w2"], v["w3"])
    model.add(lv.Body(lv.hammer(v["density"]), velocity=(0.0, v["vy"], v["vz"]), body_rates=rates, name="hammer"))
    return model


def _flight(v: Values) -> float:
    """Time until the hammer returns to its initial height [s]."""
    return 2.0 * v["vz"] / v["g"] if v["g"] > 0.0 and v["vz"] > 0.0 else 0.0


def _above(v: Values) -> Room:
    T = _flight(v)
    if not 0.3 < T < 8.0:
        return Room((0.0, 0.0, 0.0), 2.6, -3.0, 2.6, follow=True)
    top = v["vz"] ** 2 / (2.0 * v["g"])
    return Room((0.0, 0.5 * v["vy"] * T, 0.5 * top), max(0.5 * top + 1.8, 0.5 * abs(v["vy"]) * T + 1.8), -2.6, 2.6)


HAMMER = Demo(
    title="Hammer",
    text="A CAD solid: netgen.occ computed its mass, centre and moments of inertia. Initially it spins about its "
    "handle, the unstable intermediate axis, and turns over in flight, while its centre of mass moves on a "
    "parabola.",
    fields=(
        Field("vz", "upwards", "m/s", 12.0, 0.0, 20.0, 0.1, group="initial velocity"),
        Field("vy", "sideways", "m/s", 2.0, -5.0, 5.0, 0.1, group="initial velocity"),
        *_rates((0.1, 10.0, -0.1), 20.0),
        Field("density", "density", "kg/m³", 1.0, 0.1, 20.0, 0.1, group="hammer"),
        Field("g", "gravity", "m/s²", 9.81, 0.0, 20.0, 0.01, group="hammer"),
        H._replace(value=0.002),
        ORDER,
    ),
    presets={
        "spin about the handle": {"vz": 12.0, "vy": 2.0, "w1": 0.1, "w2": 10.0, "w3": -0.1, "g": 9.81},
        "spin end over end": {"vz": 12.0, "vy": 2.0, "w1": 6.0, "w2": 0.1, "w3": 0.1, "g": 9.81},
        "floating in orbit": {"vz": 0.0, "vy": 0.0, "w1": 0.05, "w2": 5.0, "w3": 0.05, "g": 0.0},
        "on the Moon": {"vz": 5.0, "vy": 0.5, "w1": 0.1, "w2": 6.0, "w3": -0.1, "g": 1.62},
    },
    build=throw_hammer,
    room=_above,
    trace=lambda model: [model["hammer"].center, model["hammer"].point(0.0, 2.5, 0.0)],
    chart="rates",
    arrow=3.0,
    again=lambda v, t: 0.3 < _flight(v) < t,
)


# ── a body on springs ──

CORNERS = ((-0.5, -0.3), (0.5, -0.3), (0.0, 0.35))


def hang_board(v: Values) -> lv.Model:
    model = lv.Model(gravity=(0.0, 0.0, -v["g"]), name="springs")
    start = lv.Pose.from_euler((0.0, v["tilt"], 0.0), at=(0.0, 0.0, -v["drop"]))
    shape, begin = lv.Box(1.2, 0.8, 0.08, mass=v["mass"]), {"at": start.a, "rotation": start.B}
    board = model.add(lv.Body(shape, **begin, velocity=(0.0, v["push"], 0.0), name="board"))
    for k, (x, y) in enumerate(CORNERS):
        hook, eye = model.world.point(1.3 * x, 1.3 * y, 0.0), board.point(x, y, 0.04)
        spring = {"stiffness": v["k"], "damping": v["c"], "length": 0.6}
        model.add(lv.Spring(hook, eye, **spring, name=f"spring {k + 1}"))
    return model


SPRINGS = Demo(
    title="Springs",
    text="A board on three springs is released. It bounces, swings and rocks, and exchanges energy between these "
    "motions. Stretched springs are orange, compressed springs are blue. Without damping the energy error stays "
    "small and does not drift; with damping, the dissipated energy is part of the balance.",
    fields=(
        Field("k", "stiffness", "N/m", 80.0, 5.0, 400.0, 1.0, live=True, group="springs"),
        Field("c", "damping", "N s/m", 0.0, 0.0, 10.0, 0.1, live=True, group="springs"),
        Field("g", "gravity", "m/s²", 9.81, 0.0, 20.0, 0.01, live=True, group="springs"),
        Field("mass", "mass", "kg", 4.0, 0.5, 20.0, 0.1, group="board, initial state"),
        Field("drop", "below the hooks", "m", 0.95, 0.3, 1.5, 0.01, group="board, initial state"),
        Field("tilt", "tilt", "°", 12.0, -40.0, 40.0, 0.5, group="board, initial state"),
        Field("push", "push", "m/s", 0.8, -2.0, 2.0, 0.05, group="board, initial state"),
        H._replace(value=0.005),
    ),
    presets={
        "bounce, swing and rock": {"k": 80.0, "c": 0.0, "g": 9.81, "mass": 4.0, "tilt": 12.0, "push": 0.8},
        "damped to rest": {"k": 80.0, "c": 2.0, "g": 9.81, "mass": 4.0, "tilt": 12.0, "push": 0.8},
        "without gravity": {"k": 80.0, "c": 0.0, "g": 0.0, "mass": 4.0, "tilt": 12.0, "push": 0.8},
        "stiff": {"k": 400.0, "c": 0.0, "g": 9.81, "mass": 4.0, "tilt": 12.0, "push": 0.8, "h": 0.002},
    },
    build=hang_board,
    room=lambda v: Room((0.0, 0.0, -0.6), 0.95, -1.75, 0.95),
    trace=lambda model: [model["board"].center],
    chart="energies",
)


# ── two poses and their products ──


def _pose(name: str, angles: Sequence[float], place: Sequence[float]) -> tuple[Field, ...]:
    turns = [
        Field(f"{name}{k}", word, "°", angle, -180.0, 180.0, 1.0, live=True, group=f"pose {name}")
        for k, (word, angle) in enumerate(zip(("roll", "pitch", "yaw"), angles, strict=True))
    ]
    moves = [
        Field(f"{name}{axis}", axis, "m", x, -2.0, 2.0, 0.01, live=True, group=f"pose {name}")
        for axis, x in zip("xyz", place, strict=True)
    ]
    return (*turns, *moves)


def _both(P: Sequence[float], Q: Sequence[float]) -> Values:
    """Roll, pitch, yaw [°] and x, y, z [m] of both poses."""
    return {f"{name}{k}": x for name, pose in (("P", P), ("Q", Q)) for k, x in zip("012xyz", pose, strict=True)}


def place_pieces(v: Values) -> lv.Model:
    """Six equal corner pieces with long arms along x, medium arms along y and short arms along z."""
    arms = ((0.6, 0.08, 0.08), (0.08, 0.4, 0.08), (0.08, 0.08, 0.25))
    corner = [(lv.Box(*arm, mass=1.0), lv.Pose([(s - 0.08) / 2 for s in arm])) for arm in arms]
    model, piece = lv.Model(name="poses"), lv.Compound(corner)
    for name in ("P", "Q", "P Q", "Q P", "P Q, arrived", "Q P, arrived"):
        model.add(lv.Body(piece, name=name))
    return model


POSES = Demo(
    title="Poses",
    text="A pose is a position and a rotation. P Q is first Q, then P, in world axes; Q P is the other order, with a "
    "different result. Press play: one piece moves by Q and then by P, the other by P and then by Q.",
    fields=(*_pose("P", (0.0, 0.0, 90.0), (0.8, 0.0, 0.0)), *_pose("Q", (90.0, 0.0, 0.0), (0.4, 0.8, 0.3))),
    presets={
        "two quarter turns": _both((0, 0, 90, 0.8, 0, 0), (90, 0, 0, 0.4, 0.8, 0.3)),
        "two translations: they commute": _both((0, 0, 0, 1, 0, 0.2), (0, 0, 0, 0, 1, 0.3)),
        "rotations about one axis: they commute": _both((0, 0, 30, 0, 0, 0), (0, 0, 80, 0, 0, 0)),
        "small rotations: they nearly commute": _both((0, 0, 5, 0.8, 0, 0), (5, 0, 0, 0.4, 0.8, 0.3)),
    },
    build=place_pieces,
    room=lambda v: Room((0.5, 0.5, 0.25), 1.0, -0.5, 1.0),
    trace=lambda model: [model["P Q"].point(0, 0, 0), model["Q P"].point(0, 0, 0)],
    chart="",
)

DEMOS = {
    "pendulum": PENDULUM,
    "four-bar": FOUR_BAR,
    "body": SINGLE,
    "hammer": HAMMER,
    "springs": SPRINGS,
    "poses": POSES,
}
