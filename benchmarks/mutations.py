"""Models changed after a run: a finished motion must not change by a bit. python -m benchmarks.mutations [count].

Two equal models are run. One of them is then changed at random: gravity, masses, poses, points, axes, springs, signals,
in place and by assignment, and bodies, joints and forces are added and removed. Every quantity of its motion that was
not asked for before must be bitwise identical to that of the other.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.random import Generator

import livens as lv

from .counts import Count
from .random_models.description import build
from .random_models.generate import describe

STEPS = 12
NUMBERS = (
    "stiffness",
    "damping",
    "rest",
    "limit_stiffness",
    "length",
    "rate",
    "ratio",
    "pitch",
    "radius",
    "effort",
    "G",
)


def model_of(seed: int) -> lv.Model:
    """A random mechanism with loads, motors and stops."""
    model, rng = build(describe(seed)), np.random.default_rng((seed, 3))
    turned = [joint for joint in model.joints if joint.coordinates and not isinstance(joint, lv.Spherical)]
    for joint in [joint for joint in turned if rng.random() < 0.4]:  # a ball may carry a thin rod
        model.add(lv.Motor(joint, float(rng.normal())))
    solid = [body for body in model.bodies[1:] if body.mass_properties.principal()[0].min() > 0.0]
    if solid:
        model.add(lv.Load(solid[0].point(rng.normal(size=3)), force=rng.normal(size=3), torque=rng.normal(size=3)))
    return model


def run(model: lv.Model) -> lv.Trajectory:
    """A few steps, or those before a step that fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lv.ModelWarning)
        try:
            return lv.simulate(model, lv.Livens(), h=2e-3, until=2e-3 * STEPS, every=3)
        except lv.StepFailed as error:
            return error.trajectory


def quantities(motion: lv.Trajectory, names: dict[str, list[str]]) -> Iterator[tuple[str, Any]]:
    """Every quantity of a motion, by name; bodies and joints by their names."""
    yield from ((f"record.{name}", x) for name, x in motion.record._asdict().items())
    for name in ("t", "energy", "potential", "work", "momentum", "angular_momentum", "defect_position", "multipliers"):
        yield name, getattr(motion, name)
    for body in names["bodies"]:
        for name in ("position", "velocity", "rotation", "angular_velocity", "acceleration", "angular_acceleration"):
            yield f"{name} of {body}", getattr(motion, name)(body)
    for joint in names["joints"]:
        for frame in ("world", "joint"):
            yield f"reaction of {joint}, {frame}", motion.reaction(joint, frame)
            yield f"reaction torque of {joint}, {frame}", motion.reaction_torque(joint, frame)
    for joint in names["coordinates"]:
        yield f"coordinate of {joint}", motion.coordinate(joint)
        yield f"rate of {joint}", motion.rate(joint)


def named(model: lv.Model) -> dict[str, list[str]]:
    """The names of bodies, of joints with a reaction, and of joints with a coordinate."""
    return {
        "bodies": [body.name for body in model.bodies[1:]],
        "joints": [joint.name for joint in model.joints if joint.ends is not None],
        "coordinates": [joint.name for joint in model.joints if joint.coordinates],
    }


# ── changes ──


def mutate(model: lv.Model, rng: Generator) -> list[str]:
    """Change a model at random; what was done."""
    done = []
    for change in (gravity, bodies, things, parts):
        done += change(model, rng)
    return done


def gravity(model: lv.Model, rng: Generator) -> list[str]:
    if rng.random() < 0.5:
        model.gravity = rng.normal(size=3)
        return ["gravity"]
    model.gravity[:] = rng.normal(size=3)
    return ["gravity in place"]


def bodies(model: lv.Model, rng: Generator) -> list[str]:
    done = []
    for body in model.bodies[1:]:
        choice = rng.integers(4)
        if choice == 0:
            body.shape = lv.MassProperties(1.0 + rng.random(), (1.0, 1.2, 1.4), rng.normal(size=3))
        elif choice == 1:
            body.pose = lv.Pose(rng.normal(size=3), lv.Pose.from_quaternion(rng.normal(size=4)).B)
        elif choice == 2:
            body.velocity[:] = rng.normal(size=3)
            body.pose.a[:] += rng.normal(size=3)
        done.append(f"{body.name} {('shape', 'pose', 'pose in place', 'nothing')[choice]}")
    return done


def things(model: lv.Model, rng: Generator) -> list[str]:
    """Numbers, arrays and points of joints and forces."""
    done = []
    for thing in model.things:
        for name, value in list(vars(thing).items()):
            if rng.random() > 0.4:
                continue
            if name in NUMBERS and isinstance(value, float):
                setattr(thing, name, abs(value) + rng.random())
            elif isinstance(value, np.ndarray) and value.dtype == np.float64 and value.flags.writeable:
                value += rng.normal(size=value.shape)
            elif isinstance(value, lv.Point) and rng.random() < 0.5:
                setattr(thing, name, value.body.point(rng.normal(size=3)))
            elif isinstance(value, lv.Point):
                value.r[:] = rng.normal(size=3)
            else:
                continue
            done.append(f"{name} of {thing.name}")
    return done


def parts(model: lv.Model, rng: Generator) -> list[str]:
    """Bodies, joints and forces more or fewer."""
    new = model.add(lv.Body(lv.Ball(0.1, mass=1.0), at=10.0 + rng.random(3), name="added"))
    model.add(lv.Spherical(model.world.point_at(new.pose.a), new.point(0, 0, 0), name="added joint"))
    done = ["added a body"]
    for each in (model.joints, model.forces):
        if each and rng.random() < 0.5:
            done.append(f"removed {each.pop(int(rng.integers(len(each)))).name}")
    return done


# ── the test ──


def changed(seed: int) -> list[str]:
    """The quantities that changed with the model, with the reasons of the first."""
    model, twin = model_of(seed), model_of(seed)
    mine, theirs = run(model), run(twin)
    names = named(twin)
    done = mutate(model, np.random.default_rng((seed, 5)))
    found, ours = [], quantities(mine, names)
    for name, value in quantities(theirs, names):
        try:
            same = next(ours)[1].tobytes() == value.tobytes()
        except Exception as error:
            found.append(f"{name} ({type(error).__name__}: {error})")
            break
        if not same:
            found.append(name)
    return [f"{found[0]} and {len(found) - 1} others, after {', '.join(done)[:300]}"] if found else []


def soak(count: int, seed: int = 1, report: Callable[[str], object] = print) -> Count:
    """Change `count` models after their runs."""
    done = Count()
    for k in range(seed, seed + count):
        done.tried += 1
        done.failed += [f"seed {k}: {text}" for text in changed(k)]
        if done.tried % 100 == 0 or done.failed:
            report(f"{done.tried:,} models, {len(done.failed)} motions changed {done.failed[-1:]}")
    return done


if __name__ == "__main__":
    sys.exit(bool(soak(int(float((sys.argv[1:] or ["20"])[0]))).failed))
