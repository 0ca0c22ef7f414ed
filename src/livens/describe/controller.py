"""Controller: a function that gives the efforts of joints and loads, called at a fixed rate; Sensor: what it measures.

A controller is a group of motors (forces/motor.py) and loads (forces/load.py) with one function. It is called once at
each time k/rate, and its numbers are held until the next one. The noise of a sensor is a function of its seed and of
the time alone, so that a run repeats itself to the bit, however it was divided. A delay needs the values of the past,
which the sensor keeps: a run that is resumed in another process begins with the value at the time of resumption.
"""

from __future__ import annotations

import math
import struct
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks import Array, accepts, finite, labelled, number, positive
from ..errors import LivensError, ModelError
from .composite import Composite
from .forces.load import Load
from .forces.motor import Motor
from .thing import Thing

WORD = 2**64 - 1


class Controller(Composite):
    """One controller for several joints and loads: `fn(t, now)` gives one number for each input, a torque [N m] or
    force [N] along a joint coordinate, or the factor of a load.

    inputs: joints with a coordinate, (joint, "angle_b") where a joint has several, or loads that are not in the model:
    `lv.Load(ship.point(-1, 0, 0), force=(1, 0, 0), axes="body")` is a thruster whose number is its force. rate [Hz]: it
    is called every 1/rate seconds with the time t [s] and the motion at that moment, a Trajectory of one state; its
    numbers are held in between. `m.add(controller)` adds its `motors`, a motor or load for each input.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> arm = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(0.5, 0, 0), name="arm"))
    >>> hand = m.add(lv.Body(lv.Box(1, 0.1, 0.1, density=1000), at=(1.5, 0, 0), name="hand"))
    >>> one = m.add(lv.Revolute(m.world.point(0, 0, 0), arm.point(-0.5, 0, 0), axis=(0, 0, 1), name="one"))
    >>> two = m.add(lv.Revolute(arm.point(0.5, 0, 0), hand.point(-0.5, 0, 0), axis=(0, 0, 1), name="two"))
    >>> goal = [0.5, -0.3]
    >>> servo = lv.Controller(lambda t, now: 80.0 * (goal - now.q) - 60.0 * now.v, inputs=[one, two], rate=200.0)
    >>> _ = m.add(servo)
    >>> lv.simulate(m, h=1e-3, until=12.0).q[-1].round(2).tolist()
    [0.5, -0.3]
    """

    def __init__(self, fn: Callable[..., Any], inputs: Sequence[Any], rate: float, name: str = ""):
        self.name = name
        self.label = labelled("controller", name)
        if not accepts(fn, 2):
            raise ModelError(f"{self.label} needs a function of the time and of the motion, fn(t, now), not {fn!r}.")
        if isinstance(inputs, str) or not isinstance(inputs, Sequence) or not len(inputs):
            raise ModelError(f"inputs of {self.label} are a list of joints, not {inputs!r}.")
        self.fn, self.rate = fn, positive(rate, f"rate of {self.label}", "Hz")
        pairs = [x if isinstance(x, tuple) else (x, None) for x in inputs]
        self.motors = tuple(self._motor(k, *pair) for k, pair in enumerate(pairs))
        self._last: tuple[Any, Array] | None = None  # the moment of the last call, and its numbers

    def _motor(self, k: int, joint: Any, coordinate: str | None = None) -> Motor | Load:
        if isinstance(joint, Load):
            force, torque, name = joint.force, joint.torque, joint.name or f"load {k}"
            if callable(force) or callable(torque) or not (np.any(force) or np.any(torque)):
                raise ModelError(f"{name!r}, an input of {self.label}, needs a constant force or torque, not zero.")
            return Load(joint.point, force, torque, joint.axes, name, effort=Output(self, k), rate=self.rate)
        if not isinstance(joint, Thing) or not joint.coordinates:
            raise ModelError(
                f"an input of {self.label} is a joint with a coordinate (Revolute, …), or a load, not {joint!r}."
            )
        part = f".{coordinate}" if coordinate else ""
        name = f"{self.name or 'controller'} of {joint.name}{part}"
        return Motor(joint, Output(self, k), rate=self.rate, coordinate=coordinate, name=name)

    @property
    def parts(self) -> Sequence[Motor | Load]:
        """Its motors and loads."""
        return self.motors

    def efforts(self, t: float, now: Any) -> Array:
        """The numbers of all inputs at this moment; the function is called once for all of them."""
        last = self._last
        if last is None or last[0] is not now:
            given = self.fn(t, now)
            try:
                answer = np.asarray(given, dtype=np.float64)
            except (TypeError, ValueError):
                answer = np.zeros((0, 0))
            if answer.shape != (len(self.motors),) or not np.isfinite(answer).all():
                raise LivensError(
                    f"{self.label} must give {len(self.motors)} numbers, one for each input; at t = {t:g} s it gave "
                    f"{given!r}."
                )
            self._last = last = now, answer
        return last[1]

    def __repr__(self) -> str:
        return f"Controller({', '.join(motor.name for motor in self.motors)}; {self.rate:g} Hz)"


class Output:
    """One number of a controller, as the effort of a motor."""

    def __init__(self, controller: Controller, k: int):
        self.controller, self.k = controller, k

    def __call__(self, t: float, now: Any) -> float:
        return float(self.controller.efforts(t, now)[self.k])


def scrambled(x: int) -> int:
    """A number of 64 bits that looks random, from one that does not: the finaliser of SplitMix64 (Steele, Lea, Flood
    2014)."""
    x = (x + 0x9E3779B97F4A7C15) & WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


def normal(x: int) -> float:
    """A normally distributed number from a number of 64 bits, by Box and Muller."""
    u, v = (scrambled(x) + 1) / 2.0**64, scrambled(x + 1) / 2.0**64
    return math.sqrt(-2.0 * math.log(u)) * math.cos(2.0 * math.pi * v)


class Sensor:
    """A measurement for controllers, with noise and delay: `sensor(now)`.

    of: a joint (its coordinate), or a function of the motion at a moment, such as lambda now: now.velocity("tip")[0].
    noise: standard deviation of normally distributed noise, in the unit of the measurement, or one for each component.
    delay [s]: the value is that of the last call at least so long ago, or of the first call, which is that of the
    resumption if a run is resumed in another process. seed: of the noise, which is the same in every run, and
    different for sensors with different seeds.

    >>> import livens as lv
    >>> m = lv.Model(gravity=(0, 0, -9.81))
    >>> ball = m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(0, 0, 2), name="ball"))
    >>> height = lv.Sensor(lambda now: now.position("ball")[0, 2], noise=0.01, seed=3)
    >>> now = lv.dynamics(m)
    >>> height(now) == height(now), abs(height(now) - 2.0) < 0.05
    (True, True)
    """

    def __init__(self, of: Any, noise: Any = 0.0, delay: float = 0.0, seed: int = 0):
        if not (callable(of) or (isinstance(of, Thing) and of.coordinates)):
            raise ModelError(f"a sensor measures a joint with a coordinate, or a function of the motion, not {of!r}.")
        self.of = of
        self.noise = finite(noise, np.shape(noise), "noise of a sensor")
        self.delay = number(delay, "delay of a sensor")
        if (self.noise < 0.0).any() or self.delay < 0.0:
            raise ModelError("noise and delay of a sensor are not negative.")
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ModelError(f"seed of a sensor must be a whole number from 0 on, not {seed!r}.")
        self.seed = seed
        self._past: deque[tuple[float, Any]] = deque()

    def __call__(self, now: Any) -> Any:
        """The measured value: a number, or an array."""
        try:
            t = float(now.t[0])
        except (AttributeError, TypeError):
            raise ModelError(
                f"a sensor measures a motion at a moment, the second argument of a controller, not {now!r}."
            ) from None
        value = np.squeeze(now.coordinate(self.of)) if isinstance(self.of, Thing) else np.asarray(self.of(now))
        value = value + self._noise(t, value.shape)
        if self.delay > 0.0:
            value = self._delayed(t, value)
        return float(value) if value.ndim == 0 else value

    def _noise(self, t: float, shape: tuple[int, ...]) -> Any:
        if not self.noise.any():
            return 0.0
        word = scrambled(self.seed ^ scrambled(struct.unpack("<Q", struct.pack("<d", t))[0]))
        if shape == ():
            return float(self.noise) * normal(word)
        numbers = [normal(word + 2 * k) for k in range(int(np.prod(shape)))]
        try:
            return np.broadcast_to(self.noise, shape) * np.array(numbers).reshape(shape)
        except ValueError:
            raise ModelError(
                f"noise of a sensor has the shape {self.noise.shape}, the measurement {shape}: give one number, or one "
                "for each component."
            ) from None

    def _delayed(self, t: float, value: Array) -> Array:
        past, when = self._past, t - self.delay * (1.0 - 1e-9)
        if past and (t < past[-1][0] or (t == past[-1][0] and not np.array_equal(value, past[-1][1]))):
            past.clear()  # another run
        if not past or t > past[-1][0]:
            past.append((t, value))
        while len(past) > 1 and past[1][0] <= when:
            past.popleft()
        return np.asarray(past[0][1])
