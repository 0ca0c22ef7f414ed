"""A running demo: fields in, poses and readouts out. The worker calls `open_demo`, and then the methods of the session.

The number of steps per frame follows from the elapsed time and is limited by the computing time `BUDGET`. If the limit
is reached, the motion is shown more slowly, and the page shows a message.
"""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
from demos import DEMOS, Demo, Values

import livens as lv
from livens.describe.pose import quaternions
from livens.look.browser.playground import differences, products
from livens.look.browser.stepper import Stepper
from livens.look.page.page import rgba, scene
from livens.look.picture.colors import BLUE, GREEN, ORANGE, PURPLE
from livens.look.picture.instants import Instant, instant
from livens.look.picture.picture import picture_of

BUDGET = 0.022  # computing time per frame [s]


def defaults(demo: Demo) -> Values:
    """The initial numbers of a demo."""
    return {field.name: float(field.value) for field in demo.fields}


def catalogue() -> str:
    """The data of tabs and fields as JSON."""
    shown = {
        name: {
            "title": demo.title,
            "text": demo.text,
            "fields": [field._asdict() for field in demo.fields],
            "presets": demo.presets,
            "chart": demo.chart,
            "flat": demo.flat,
        }
        for name, demo in DEMOS.items()
    }
    return json.dumps(shown)


def open_demo(name: str, values: Values | None = None) -> Session:
    """A demo, ready to run."""
    return (Playground if name == "poses" else Session)(DEMOS[name], values)


class Session:
    """A demo with a moving model."""

    def __init__(self, demo: Demo, values: Values | None = None):
        self.demo = demo
        self.values = defaults(demo) | dict(values or {})
        self.cost = 1e-3  # of a step [s], as measured
        self.moment: tuple[Instant, lv.Trajectory] | None = None
        self.debt = 0.0  # elapsed time that is not simulated yet [s]
        self.reset()

    # ── requests of the page ──

    def reset(self) -> None:
        """Restart with the numbers in the fields."""
        v = self.values
        model = self.demo.build(v)
        run = Stepper(model, lv.Livens(order=int(v.get("order", 2))), v["h"])
        self.model, self.run = model, run
        self.steps, self.debt = 0, 0.0
        self._compare_from_here()

    def change(self, name: str, value: float) -> bool:
        """Set a field. True if the motion continues with it, False if it restarts."""
        before = dict(self.values)
        self.values[name] = float(value)
        field = next(field for field in self.demo.fields if field.name == name)
        try:
            if not field.live:
                self.reset()
                return False
            self._go_on_with(name)
        except (lv.LivensError, ValueError):
            self.values = before  # `reset` and the stepper change nothing if they refuse
            raise
        self._compare_from_here()
        return True

    def numbers(self) -> str:
        """The numbers in use, as JSON."""
        return json.dumps(self.values)

    def step(self, steps: int) -> None:
        """Take exactly `steps` steps."""
        begin = time.perf_counter()
        self.run.step(steps)
        self.steps, self.moment = self.steps + steps, None
        self.cost += 0.3 * ((time.perf_counter() - begin) / steps - self.cost)

    def tick(self, passed: float, speed: float) -> float:
        """Continue for `passed` [s] within the computing time; return the fraction that was simulated."""
        h = self.values["h"]
        self.debt += passed * speed
        wanted = int(self.debt / h)
        steps = min(wanted, max(1, int(BUDGET / self.cost)))
        if steps:
            self.step(steps)
        self.debt = self.debt - steps * h if steps == wanted else 0.0
        if self.demo.again(self.values, self.run.t):
            self.reset()
        return steps / wanted if wanted else 1.0

    # ── output for the page ──

    def scene(self) -> str:
        """The input of drawing.js as JSON."""
        room = self.demo.room(self.values)
        data = scene(picture_of(self.model, self.demo.trace(self.model)))
        data |= {
            "floors": [[[0.0, 0.0, room.ground], [0.0, 0.0, 1.0]]],
            "middle": room.middle,
            "size": room.size,
            "near": room.near,
            "follow": room.follow,
        }
        data["springs"]["most"] = 0.3  # extension for full colour [m]
        return json.dumps(data)

    def poses(self) -> Any:
        """(x y z, w x y z) of every body, one after the other."""
        now, _ = self._now()
        return np.hstack([now.x, quaternions(now.R)])[1:].ravel()

    def arrows(self) -> Any:
        """Ends of the angular momentum and of the angular velocity at the first body's centre of mass: 12 numbers."""
        if not self.demo.arrow:
            return np.zeros(0)
        now, motion = self._now()
        l, w, c = now.l[1], motion.angular_velocity(self.model.bodies[1].name)[0], now.c[1]
        return np.concatenate([c, c + self.demo.arrow * _unit(l), c, c + 0.8 * self.demo.arrow * _unit(w)])

    def curve(self) -> Any:
        """The current values of the chart."""
        _, motion = self._now()
        if self.demo.chart == "rates":
            return motion.body_rates(self.model.bodies[1].name)[0]
        return np.array([motion.kinetic[0], motion.potential[0] - self.lowest, motion.energy[0] - self.lowest])

    def readouts(self) -> str:
        """Labels, numbers and units, as JSON; `energy` and `momentum` are errors relative to the initial state."""
        now, motion = self._now()
        self.scale = max(self.scale, float(motion.kinetic[0]))
        energy = float((_balance(motion) - self.balance) / self.scale) if self.scale else 0.0
        rows: list[list[Any]] = [["total", "energy", float(motion.energy[0]), "J"]]
        rows.append(["energy", "energy error, relative", energy, ""])
        if self.model.joints:
            rows.append(["violation", "joint violation", float(motion.defect_position[0]), "m"])
            rows.append(["lost", "dissipated", float(motion.dissipated[0]), "J"])
        elif self.demo.chart == "rates":
            l, size = now.l[1], float(np.linalg.norm(self.l))
            change = float(np.linalg.norm(l - self.l)) / size if size else 0.0
            rows.append(["momentum", "angular momentum, change", change, ""])
            rows.append(["spin", "angular momentum", size, "kg m²/s"])
        else:
            rows.append(["momentum", "momentum", float(np.linalg.norm(motion.momentum[0])), "kg m/s"])
            rows.append(["lost", "dissipated", float(motion.dissipated[0]), "J"])
        rows.append(["time", "time", self.run.t, "s"])
        rows.append(["steps", "steps", self.steps, ""])
        return json.dumps(rows)

    # ── inside ──

    def _now(self) -> tuple[Instant, lv.Trajectory]:
        """The current state, computed once for all outputs."""
        if self.moment is None:
            self.moment = instant(self.run.system, self.run.state, self.run.t), self.run.now()
        return self.moment

    def _compare_from_here(self) -> None:
        self.moment = None
        now, motion = self._now()
        self.balance, self.scale = _balance(motion), float(motion.kinetic[0])
        self.l = now.l[1].copy()
        self.lowest = float(motion.energy[0] - motion.kinetic[0]) if self.steps == 0 else self.lowest

    def _go_on_with(self, name: str) -> None:
        v = self.values
        if name == "h":
            self.run.change(h=v["h"])
        elif name == "order":
            self.run.change(scheme=lv.Livens(order=int(v["order"])))
        elif name == "g":
            self.run.change(gravity=(0.0, 0.0, -v["g"]))
        else:
            what = {"k": "stiffness", "c": "damping"}[name]
            self.run.change(**{what: {spring.name: v[name] for spring in self.model.forces}})


class Playground(Session):
    """Two poses and their products; the time s runs from 0 (start) over 1 to 2 (end of both)."""

    H = 0.02

    def reset(self) -> None:
        self.model, self.steps, self.s = self.demo.build(self.values), 0, 0.0

    def change(self, name: str, value: float) -> bool:
        self.values[name] = float(value)
        return True

    def step(self, steps: int) -> None:
        self.steps += steps
        self.s = min(2.0, self.H * self.steps)
        self.steps = round(self.s / self.H)

    def tick(self, passed: float, speed: float) -> float:
        self.debt += passed * speed
        steps = int(self.debt / self.H)
        self.debt -= steps * self.H
        if steps and self.s >= 2.0:
            self.s, self.steps = 0.0, 0
        self.step(steps)
        return 1.0

    def pose(self, name: str) -> lv.Pose:
        roll, pitch, yaw, *place = (self.values[f"{name}{k}"] for k in ("0", "1", "2", "x", "y", "z"))
        return lv.Pose.from_euler((yaw, pitch, roll), at=place)

    def all_poses(self) -> list[lv.Pose]:
        P, Q = self.pose("P"), self.pose("Q")
        two = products(P, Q)
        first, then = min(1.0, self.s), max(0.0, self.s - 1.0)
        return [P, Q, part(P, then) @ part(Q, first), part(Q, then) @ part(P, first), two["P Q"], two["Q P"]]

    def scene(self) -> str:
        data = json.loads(super().scene())
        tints = [rgba(tint) for tint in (BLUE, ORANGE, GREEN, PURPLE)]
        tints += [[*color[:3], 0.3] for color in tints[2:]]
        for body, color in zip(data["bodies"], tints, strict=True):
            body["color"] = color
        data["labels"] = ["P", "Q", "P Q", "Q P"]
        return json.dumps(data)

    def poses(self) -> Any:
        return np.concatenate([[*pose.a, *pose.to_quaternion()] for pose in self.all_poses()])

    def arrows(self) -> Any:
        return np.zeros(0)

    def curve(self) -> Any:
        return np.zeros(0)

    def readouts(self) -> str:
        P, Q = self.pose("P"), self.pose("Q")
        angle, distance = differences(P, Q)
        rows = [
            ["angle", "P Q and Q P: angle", angle, "°"],
            ["distance", "P Q and Q P: distance", distance, "m"],
            *([name, f"{name} at", _row(pose.a), "m"] for name, pose in products(P, Q).items()),
            ["time", "way", self.s, "of 2"],
            ["steps", "steps", self.steps, ""],
        ]
        return json.dumps(rows)


def part(pose: lv.Pose, s: float) -> lv.Pose:
    """The path to `pose`, from the identity at s = 0 to the pose at s = 1, with constant rotation about one axis."""
    axis, angle = pose.to_axis_angle()
    return lv.Pose.from_axis_angle(axis, s * angle, at=s * pose.a)


def _balance(motion: lv.Trajectory) -> float:
    """Energy minus work plus dissipated energy, which is constant."""
    return float(motion.energy[0] - motion.work[0] + motion.dissipated[0])


def _row(x: Any) -> str:
    return "(" + ", ".join(f"{v:.2f}".replace("-", "−") for v in x.round(9) + 0.0) + ")"


def _unit(x: Any) -> Any:
    size = np.linalg.norm(x)
    return x / size if size else x
