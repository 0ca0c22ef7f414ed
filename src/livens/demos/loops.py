"""Closed loops, and what turns in them: a four-bar, Bricard's mechanism, a slider-crank, a gyroscope in gimbals."""

from __future__ import annotations

from math import pi

import numpy as np

import livens as lv

DOWN = (0.0, 0.0, -9.81)
X, Y, Z = np.eye(3)


def turn_four_bar() -> lv.Trajectory:
    """Two upright cranks of a metre with a bar across, pushed at 1 rad/s: a parallelogram.

    Half-way down all bars lie flat, and there it could change into a crossed loop. It does not: it keeps its branch and
    moves like a pendulum. Hinges in space repeat three of the loop's equations, which livens counts and names.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     turn_four_bar().freedom
    1
    """
    model = lv.Model(gravity=DOWN, name="four-bar")
    crank, across = lv.Box(0.08, 0.04, 1.0, mass=1.0), lv.Box(1.0, 0.04, 0.08, mass=1.0)
    cranks = {name: model.add(lv.Body(crank, at=(x, 0, 0.5), name=name)) for x, name in ((0.0, "left"), (1.0, "right"))}
    link = model.add(lv.Body(across, at=(0.5, -0.05, 1.0), name="link"))
    for x, (name, bar) in zip((0.0, 1.0), cranks.items(), strict=True):
        model.add(lv.Revolute(model.world.point(x, 0, 0), bar.point(0, 0, -0.5), axis=Y, name=f"{name} foot"))
        model.add(lv.Revolute(bar.point(0, 0, 0.5), link.point(x - 0.5, 0.05, 0), axis=Y, name=f"{name} top"))
    model["left foot"].start_rate = 1.0
    return lv.simulate(model, lv.Livens(order=4), h=2e-3, until=4.0)


def fold_bricard() -> lv.Trajectory:
    """Five rods on the edges of a cube, six hinges with axes along x, y and z in turn: Bricard's mechanism.

    Counting equations says that it is stiff, 30 of them for 30 freedoms. One of them repeats the others wherever the
    rods stand, and so it folds under its own weight, through itself and back.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     motion = fold_bricard()
    >>> motion.freedom, sum(motion.redundant.values())
    (1, 1)
    """
    model = lv.Model(gravity=DOWN, name="Bricard")
    up = lv.Pose.from_axis_angle(X, pi / 2)  # its makers had y upwards
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    places, axes = up.point(corners), [up.direction(axis) for axis in (Y, Z, X, Y, Z, X)]
    last = model.world
    for k in range(5):
        along = np.abs(places[k + 1] - places[k]).round()
        shape = lv.Box(*(0.1 + 0.9 * along), mass=1.0)
        rod = model.add(lv.Body(shape, at=(places[k] + places[k + 1]) / 2, name=f"rod{k + 1}"))
        model.add(lv.Revolute(last.point_at(places[k]), rod.point_at(places[k]), axis=axes[k], name=f"hinge{k}"))
        last = rod
    model.add(lv.Revolute(last.point_at(places[5]), model.world.point(places[5]), axis=axes[5], name="hinge5"))
    return lv.simulate(model, lv.Livens(order=4), h=5e-3, until=5.0)


def turn_slider_crank() -> lv.Trajectory:
    """A crank about x, a rod with a ball joint and a universal joint, a slider along x, after Haug; pushed at 6 rad/s.

    The crank swings and turns, the slider goes to and fro, not quite as a sine: the geometry of the rod shows.

    >>> motion = turn_slider_crank()
    >>> motion.freedom, float(motion.defect_velocity.max()) < 1e-11
    (1, True)
    """
    model = lv.Model(gravity=DOWN, name="slider-crank in space")
    A, C = np.array([0.0, 0.1, 0.12]), np.array([0.2, 0.0, 0.0])
    B = A + 0.08 * Z
    u = (C - B) / 0.3
    v = np.array([0.0, 2.0, -1.0]) / np.sqrt(5.0)
    R = np.stack([u, v, np.cross(u, v)], axis=1)

    def looking(
        mass: float, inertia: tuple[float, float, float], shape: lv.Cylinder | lv.Compound | lv.Box
    ) -> lv.Solid:
        return lv.Solid(lv.MassProperties(mass, inertia), shape.surface)

    rod_shape = lv.Compound([(lv.Cylinder(0.006, 0.3, mass=1.0), lv.Pose.from_axis_angle(Y, pi / 2))])
    crank = model.add(
        lv.Body(looking(0.12, (1e-4, 1e-4, 1e-5), lv.Box(0.012, 0.02, 0.09, mass=1.0)), at=(A + B) / 2,
                name="crank")
    )  # fmt: skip
    rod = model.add(
        lv.Body(looking(0.5, (4e-4, 4e-3, 4e-3), rod_shape), at=(B + C) / 2, rotation=R, name="rod")
    )  # fmt: skip
    slider = model.add(
        lv.Body(looking(2.0, (1e-4, 1e-4, 1e-4), lv.Box(0.05, 0.04, 0.04, mass=1.0)), at=C, name="slider")
    )  # fmt: skip
    model.add(lv.Revolute(model.world.point(A), crank.point_at(A), axis=X, start_rate=6.0, name="hinge"))
    model.add(lv.Spherical(crank.point_at(B), rod.point_at(B), name="ball"))
    model.add(lv.Universal(slider.point(0, 0, 0), rod.point_at(C), axis_a=X, axis_b=v, name="cross"))
    model.add(lv.Prismatic(model.world.point(C), slider.point(0, 0, 0), axis=X, name="guide"))
    return lv.simulate(model, lv.Livens(order=4), h=1e-3, until=4.0, every=2)


def _square(side: float, thick: float, x: bool) -> lv.Compound:
    """A square frame of bars about the origin, with its axis along z, or along x."""
    far, bar = side / 2, side + thick
    flat = lv.Box(bar, thick, thick, density=1200), lv.Box(thick, side - thick, thick, density=1200)
    turn = lv.Pose.from_axis_angle(Y, pi / 2) if x else lv.Pose()
    places = [(flat[0], (0, far, 0)), (flat[0], (0, -far, 0)), (flat[1], (far, 0, 0)), (flat[1], (-far, 0, 0))]
    return lv.Compound([(shape, turn @ lv.Pose(at)) for shape, at in places])


def spin_gyroscope() -> lv.Trajectory:
    """A rotor spins at 25 rad/s in an inner frame that tilts, in an outer frame that pans; a weight pulls at one side.

    The weight should tip the inner frame over. Instead the whole thing walks around the vertical and nods, halting
    for a moment at the top of each nod.

    >>> motion = spin_gyroscope()
    >>> bool(abs(motion.coordinate("tilt")).max() < 0.2), bool(abs(motion.coordinate("pan")[-1]) > 1.0)
    (True, True)
    """
    model = lv.Model(gravity=DOWN, name="gyroscope in gimbals")
    outer = model.add(lv.Body(_square(0.36, 0.016, x=True), name="outer"))
    weight = (lv.Ball(0.02, mass=0.15), lv.Pose((0.17, 0, 0)))
    frame = _square(0.28, 0.014, x=False)
    inner = model.add(lv.Body(lv.Compound([*frame.parts, weight]), name="inner"))
    wheel = (lv.Cylinder(0.1, 0.04, density=2700), lv.Pose.from_axis_angle(Y, pi / 2))
    axle = (lv.Cylinder(0.008, 0.28, density=2700), lv.Pose.from_axis_angle(Y, pi / 2))
    mark = (lv.Box(0.05, 0.02, 0.05, density=2700), lv.Pose((0, 0, 0.06)))
    back = (lv.Box(0.05, 0.02, 0.05, density=2700), lv.Pose((0, 0, -0.06)))
    rotor = model.add(lv.Body(lv.Compound([wheel, axle, mark, back]), angular_velocity=25 * X, name="rotor"))
    origin = (0, 0, 0)
    model.add(lv.Revolute(model.world.point(origin), outer.point(origin), axis=Z, name="pan"))
    model.add(lv.Revolute(outer.point(origin), inner.point(origin), axis=Y, name="tilt"))
    model.add(lv.Revolute(inner.point(origin), rotor.point(origin), axis=X, name="spin"))
    return lv.simulate(model, lv.Livens(order=4), h=1e-3, until=4.0, every=4)
