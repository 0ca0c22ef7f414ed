"""Random frames for tests of contact: the same model turned, shifted and in another unit of length."""

from __future__ import annotations

import numpy as np
import pytest

import livens as lv

G = 9.81


class Frame:
    """A random frame: what is written in it as (x, y, z) is turned, shifted and scaled in the model."""

    def __init__(self, seed: int):
        rng = np.random.default_rng(seed)
        axis = rng.normal(size=3)
        self.B = np.eye(3) if seed == 0 else lv.Pose.from_axis_angle(axis, rng.uniform(0, 3)).B
        self.unit = 1.0 if seed == 0 else 10.0 ** rng.uniform(-2, 2)  # metres per unit of length
        self.a = np.zeros(3) if seed == 0 else self.unit * rng.normal(size=3)

    def model(self) -> lv.Model:
        return lv.Model(gravity=self.direction((0, 0, -G)) * self.unit)

    def direction(self, u):
        return self.B @ np.asarray(u, dtype=float)

    def vector(self, u):
        return self.unit * self.direction(u)

    def place(self, x):
        return self.a + self.vector(x)

    def back(self, x):
        """World positions in the frame."""
        return (x - self.a) @ self.B / self.unit

    def floor(self, m: lv.Model, normal=(0, 0, 1), through=(0, 0, 0)):
        return m.world.plane(self.place(through), normal=self.direction(normal))

    def body(self, m, shape, at, velocity=(0, 0, 0), spin=(0, 0, 0), turn=None, name=""):
        R = self.B if turn is None else self.B @ turn
        motion = {"velocity": self.vector(velocity), "angular_velocity": self.direction(spin)}
        return m.add(lv.Body(shape, at=self.place(at), rotation=R, name=name, **motion))

    def ball(self, m, radius, at, mass=1.0, **more):
        return self.body(m, lv.Ball(radius * self.unit, mass=mass), at, **more)

    def box(self, m, sides, at, mass=1.0, **more):
        return self.body(m, lv.Box(*(np.array(sides) * self.unit), mass=mass), at, **more)


FRAMES = pytest.mark.parametrize("frame", [Frame(0), Frame(1), Frame(2)], ids=["plain", "turned", "turned again"])
