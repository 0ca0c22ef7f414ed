"""What there is to draw besides bodies: springs, rods, joints and their axes, points; all as points fixed to bodies.

A place x = X_b + R_b r is found from the number b of its body and r in body axes, for all of them in one product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...checks import Array
from ...describe.forces.damper import Damper
from ...describe.forces.spring import Spring
from ...describe.joints.rod import Rod
from ...describe.model import Body, Model, Point
from ...errors import ModelError
from .meshes import equal_shapes, is_point


@dataclass(frozen=True, eq=False)
class Places:
    """Points fixed to bodies: body numbers (n,) and r in body axes (n, 3) [m]."""

    body: NDArray[np.int64]
    r: Array

    def __len__(self) -> int:
        return len(self.body)

    def at(self, x: Array, R: Array) -> Array:
        """Their world places (n, 3), for body frames at x (bodies, 3) turned by R (bodies, 3, 3)."""
        return x[self.body] + self.along(R)

    def along(self, R: Array) -> Array:
        """The r as directions in world axes (n, 3)."""
        return np.einsum("nij,nj->ni", R[self.body], self.r)


@dataclass(frozen=True, eq=False)
class Parts:
    """Everything of a model that is drawn, apart from the shapes of its bodies."""

    springs: tuple[Places, Places]
    length: Array  # rest lengths of the springs [m]
    dampers: tuple[Places, Places]
    rods: tuple[Places, Places]
    joints: Places  # second points
    joint: list[Any]  # the joints they belong to
    axes: tuple[Places, Places]  # points of joints with an axis, and the axis in the same body
    points: Places  # all points at which something acts
    centers: Places  # centres of mass of all bodies but the world
    reach: Array  # how far each body extends from its frame's origin [m]; the world not at all


def parts(model: Model) -> Parts:
    """What is drawn of `model`.

    >>> import livens as lv
    >>> m = lv.Model()
    >>> ball = m.add(lv.Body(lv.Ball(0.1, density=1000), at=(1, 0, 0)))
    >>> _ = m.add(lv.Spring(m.world.point(0, 0, 0), ball.point(0, 0, 0), stiffness=1.0, length=0.5))
    >>> p = parts(m)
    >>> len(p.springs[0]), p.length.tolist(), p.reach.round(6).tolist()
    (1, [0.5], [0.0, 0.1])
    """
    number = {body: k for k, body in enumerate(model.bodies)}

    def places(points: list[Point]) -> Places:
        bodies = np.array([number[point.body] for point in points], dtype=np.int64)
        return Places(bodies, np.array([point.r for point in points]).reshape(-1, 3))

    def pair(things: list[Any]) -> tuple[Places, Places]:
        return places([thing.a for thing in things]), places([thing.b for thing in things])

    springs = [force for force in model.forces if isinstance(force, Spring)]
    dampers = [force for force in model.forces if isinstance(force, Damper)]
    two = [joint for joint in model.joints if hasattr(joint, "a") and hasattr(joint, "b")]
    rods = [joint for joint in two if isinstance(joint, Rod)]
    pins = [joint for joint in two if not isinstance(joint, Rod)]
    turned = [(joint.a, axis) for joint in pins for axis in _axes(joint)]
    every = [point for thing in [*model.joints, *model.forces] for point in getattr(thing, "points", ())]
    return Parts(
        springs=pair(springs),
        length=np.array([spring.length for spring in springs], dtype=np.float64),
        dampers=pair(dampers),
        rods=pair(rods),
        joints=places([joint.b for joint in pins]),
        joint=pins,
        axes=(
            places([a for a, _ in turned]),
            places([Point(a.body, a.body.pose.B.T @ axis) for a, axis in turned]),
        ),
        points=places(every),
        centers=places([body.center for body in model.bodies[1:]]),
        reach=_reach(model),
    )


def traced(model: Model, wanted: Sequence[Point | Body]) -> Places:
    """The points, and the centres of mass of the bodies, that leave traces."""
    points = [thing.center if isinstance(thing, Body) else thing for thing in wanted]
    number = {body: k for k, body in enumerate(model.bodies)}
    for point in points:
        if point.body not in number:
            raise ModelError(f"{point!r} cannot be traced: its body is not in this model.")
    bodies = np.array([number[point.body] for point in points], dtype=np.int64)
    return Places(bodies, np.array([point.r for point in points]).reshape(-1, 3))


def bounds(these: Parts, x: Array, R: Array) -> tuple[Array, Array]:
    """The corners [m] of the box in which a motion stays: body frames at x (times, bodies, 3) turned by R."""
    reach = these.reach[1:, None]
    low = (x[:, 1:] - reach).min(axis=(0, 1), initial=np.inf)
    high = (x[:, 1:] + reach).max(axis=(0, 1), initial=-np.inf)
    still = these.points.body == 0  # where mechanisms hang
    anchors = these.points.r[still]
    low = np.minimum(low, anchors.min(axis=0, initial=np.inf))
    high = np.maximum(high, anchors.max(axis=0, initial=-np.inf))
    for k in np.unique(np.linspace(0, len(x) - 1, min(len(x), 20)).astype(int)):
        every = these.points.at(x[k], R[k])
        low, high = (
            np.minimum(low, every.min(axis=0, initial=np.inf)),
            np.maximum(high, every.max(axis=0, initial=-np.inf)),
        )
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return -np.ones(3), np.ones(3)
    return low, high


def _axes(joint: Any) -> list[Array]:
    """The directions of a joint, in world axes at the start."""
    names = ("axis", "normal", "axis_a", "axis_b")
    return [getattr(joint, name) for name in names if isinstance(getattr(joint, name, None), np.ndarray)]


def _reach(model: Model) -> Array:
    reach = np.zeros(len(model.bodies))
    for members in equal_shapes(model):
        body = model.bodies[members[0]]
        if not is_point(body):
            reach[members] = np.linalg.norm(body.shape.surface.vertices, axis=1).max(initial=0.0)
    return reach
