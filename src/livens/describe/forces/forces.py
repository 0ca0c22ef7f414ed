"""What pulls and pushes: springs, dampers, attraction, loads, motors.

    Spring       V = ½ k (|x_b − x_a| − l)²
    Attraction   V = −G Σ_{i<j} m_i m_j / |a_i − a_j|     (between centres of mass)
    Damper       F = −c d/dt |x_b − x_a| along it: no potential, it dissipates
    Load         force F(t) at a point and torque M(t) on its body: no potential, it does work
    Motor        torque or force along the coordinate of a joint, of time or as a controller says

Uniform gravity belongs to the model, V = −Σ m g·a with g the acceleration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import Array, answers, not_negative, number, positive, vector
from ...errors import LivensError, ModelError
from ..model import Body, Point

Signal = ArrayLike | Callable[[float], ArrayLike]
ROUND_OFF = 4.0 * float(np.finfo(np.float64).eps)  # of a computed time, in parts of it


class Spring:
    """A spring between two points: stiffness k [N/m], rest length l ≥ 0 [m] (None: their distance at the start), and a
    damper beside it, damping [N s/m].

    >>> import livens as lv
    >>> m = lv.Model()
    >>> ball = m.add(lv.Body(lv.PointMass(1.0), at=(1, 0, 0), name="ball"))
    >>> m.add(lv.Spring(m.world.point(0, 0, 0), ball.point(0, 0, 0), stiffness=10.0, length=0.0)).length
    0.0
    """

    kind = "force"

    def __init__(
        self, a: Point, b: Point, stiffness: float, length: float | None = None, damping: float = 0.0, name: str = ""
    ):
        label = f"spring {name!r}" if name else "a spring"
        distance = _apart(a, b, label)
        self.a, self.b, self.name = a, b, name
        self.stiffness = not_negative(stiffness, f"stiffness of {label}", "N/m")
        self.length = distance if length is None else not_negative(length, f"length of {label}", "m")
        self.damping = not_negative(damping, f"damping of {label}", "N s/m")

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.a, self.b)


class Damper:
    """A viscous damper between two points: it pulls with rate [N s/m] times the speed at which they separate.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> ball = m.add(lv.Body(lv.PointMass(1.0), at=(1, 0, 0), name="ball"))
    >>> m.add(lv.Damper(m.world.point(0, 0, 0), ball.point(0, 0, 0), rate=2.0)).rate
    2.0
    """

    kind = "force"

    def __init__(self, a: Point, b: Point, rate: float, name: str = ""):
        label = f"damper {name!r}" if name else "a damper"
        _apart(a, b, label)
        self.a, self.b, self.name = a, b, name
        self.rate = positive(rate, f"rate of {label}", "N s/m")

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.a, self.b)


def _apart(a: Point, b: Point, label: str) -> float:
    """The distance at the start of two points of different bodies."""
    for end in (a, b):
        if not isinstance(end, Point):
            raise ModelError(f"{label} joins points such as body.point(0, 0, 0), not {end!r}.")
    if a.body is b.body:
        raise ModelError(f"{label} joins body {a.body.name!r} with itself and would never act.")
    return float(np.linalg.norm(b.start - a.start))


class Attraction:
    """Newtonian attraction between bodies' centres of mass: G [N m²/kg²] (6.6743e-11 in SI).

    bodies: those that attract each other; None means every body of the model.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> sun = m.add(lv.Body(lv.PointMass(1.0), name="sun"))
    >>> earth = m.add(lv.Body(lv.PointMass(3e-6), at=(1, 0, 0), velocity=(0, 1, 0), name="earth"))
    >>> pull = m.add(lv.Attraction(G=1.0))
    """

    kind = "force"

    def __init__(self, G: float, bodies: Sequence[Body] | None = None, name: str = ""):
        label = f"attraction {name!r}" if name else "an attraction"
        self.G = positive(G, f"G of {label}")
        if bodies is not None:
            bodies = (bodies,) if isinstance(bodies, Body) else tuple(bodies)
            for body in bodies:
                if not isinstance(body, Body):
                    raise ModelError(f"{label} acts between bodies, not {body!r}.")
            if len(set(bodies)) < max(2, len(bodies)):
                raise ModelError(f"{label} needs two or more different bodies, got {list(bodies)}.")
        self.bodies, self.name = bodies, name

    @property
    def points(self) -> tuple[Point, ...]:
        return tuple(body.center for body in self.bodies or ())


class Load:
    """A force [N] at a point and a torque [N m] on its body, constant or as functions of time t [s].

    axes: "world" (default) or "body", for loads that turn with the body, such as a thruster. A load has no
    potential: it does work, and energy changes by it.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> ship = m.add(lv.Body(lv.Box(2, 1, 1, density=100), name="ship"))
    >>> thruster = m.add(lv.Load(ship.point(-1, 0, 0), force=lambda t: (5.0 * np.sin(t), 0, 0), axes="body"))
    """

    kind = "force"

    def __init__(
        self,
        point: Point,
        force: Signal = (0.0, 0.0, 0.0),
        torque: Signal = (0.0, 0.0, 0.0),
        axes: str = "world",
        name: str = "",
    ):
        label = f"load {name!r}" if name else "a load"
        if axes not in ("world", "body"):
            raise ModelError(f"{label} acts in axes 'world' or 'body', not {axes!r}.")
        self.point, self.axes, self.name = point, axes, name
        self.force = force if callable(force) else vector(force, f"force of {label}")
        self.torque = torque if callable(torque) else vector(torque, f"torque of {label}")

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.point,)

    @property
    def varies(self) -> bool:
        """True if force or torque is a function of time."""
        return callable(self.force) or callable(self.torque)

    def table(self, t: Array) -> Array:
        """Force and torque at the times t: (len(t), 6) [N, N m]."""
        return np.concatenate(
            [sample(self.force, t, (3,), self, "force"), sample(self.torque, t, (3,), self, "torque")], 1
        )


def sample(signal: Any, t: Array, shape: tuple[int, ...], owner: Any, what: str) -> Array:
    """A constant, or a function of time, at the times t: (len(t), *shape); a wrong answer is refused with its time. A
    computed time may lie past a table's end by its round-off: it is then asked just before."""
    if not callable(signal):
        return np.broadcast_to(signal, (len(t), *shape))
    rows = np.empty((len(t), *shape))
    for k, time in enumerate(t.tolist()):
        try:
            rows[k] = _answer(signal, time, shape, owner, what)
        except ModelError:
            rows[k] = _answer(signal, time * (1.0 - ROUND_OFF), shape, owner, what)
    return rows


def _answer(signal: Any, time: float, shape: tuple[int, ...], owner: Any, what: str) -> Array:
    try:
        answer = signal(time)
    except LivensError:
        raise
    except ValueError as error:  # as of a table that ends, or of the square root of a negative number
        raise ModelError(
            f"{what} of {owner.name!r} cannot be told at t = {time:g} s: {str(error).rstrip('.')}."
        ) from error
    try:
        value = np.asarray(answer, dtype=np.float64)
        good = value.shape == shape and bool(np.isfinite(value).all())
    except (TypeError, ValueError):
        good = False
    if not good:
        wanted = "a finite number" if shape == () else f"{shape[0]} finite numbers"
        raise ModelError(f"{what} of {owner.name!r} at t = {time:g} s must be {wanted}, got {answer!r}.")
    return value


class Motor:
    """A torque [N m] or force [N] along the coordinate of a joint: its angle, or its displacement.

    effort: a number, a function of time t [s], or, with `rate` [Hz], a controller: a function of t and of the motion
    at that moment, asked every 1/rate seconds and held in between. The second argument is a Trajectory of one state.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    >>> hinge = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 0, 1), name="hinge"))
    >>> servo = m.add(lv.Motor(hinge, lambda t, now: 10.0 * (0.5 - now.coordinate("hinge")[0]), rate=100.0))
    """

    kind = "force"

    def __init__(self, joint: Any, effort: Any, rate: float | None = None, name: str = ""):
        label = f"motor {name!r}" if name else "a motor"
        if not getattr(joint, "coordinates", ()):
            raise ModelError(f"{label} needs a joint with a coordinate (Revolute, Prismatic, …), not {joint!r}.")
        self.joint, self.name = joint, name
        self.effort = effort if callable(effort) else number(effort, f"effort of {label}")
        self.rate = None if rate is None else positive(rate, f"rate of {label}", "Hz")
        if self.rate is not None and not answers(effort, 2):
            raise ModelError(f"{label} has a rate, so its effort must be a controller f(t, now), not {effort!r}.")
        if self.rate is None and callable(effort) and not answers(effort, 1):
            raise ModelError(f"effort of {label} must be a function of time; a controller f(t, now) needs a rate [Hz].")

    @property
    def joints(self) -> tuple[Any, ...]:
        """The joint whose coordinate it acts on."""
        return (self.joint,)

    @property
    def points(self) -> tuple[Point, ...]:
        return tuple(self.joint.points)

    def __repr__(self) -> str:
        return f"Motor({self.name!r})"
